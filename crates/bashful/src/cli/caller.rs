//! The flags that say for whom tools are called, where and with which rights.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{BoundsArguments, duration};

// For whom tools are called. (Not with three strokes: see `BoundsArguments`.)
#[derive(Debug, Args)]
pub(crate) struct CallerArguments {
    /// The agent that asks.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// The session the calls belong to [default: a server's own, else the terminal's].
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// The writable root [default: the current directory].
    #[arg(short, long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// How long a call waits for a yes from elsewhere, if one is needed.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) wait: Option<Duration>,
    #[command(flatten)]
    pub(crate) bounds: BoundsArguments,
}
