//! The flags of `bashful run` for commands that go on while no caller waits.

use std::time::Duration;

use bashful_engine::{NotReadiness, OnTimeout, Readiness};
use clap::{Args, ValueEnum};

use super::duration;

#[derive(Debug, Args)]
pub(crate) struct BackgroundArguments {
    /// Return at once and let the command go on; `bashful tasks`, `logs`, `wait` and `kill` find it.
    #[arg(short, long, conflicts_with_all = ["retry_on_grant", "stdin", "max_output"])]
    pub(crate) background: bool,
    /// A name to use instead of the task's id, such as dev-server.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// What to do at the timeout: end the command, or let it go on in the background [default:
    /// kill].
    #[arg(long, value_name = "WHAT", conflicts_with = "background")]
    pub(crate) on_timeout: Option<OnTimeoutFlag>,
    /// Return once a line of output matches, or the command listens on a port.
    #[arg(long, value_name = "REGEX|tcp:PORT", requires = "background", value_parser = readiness)]
    pub(crate) ready_when: Option<Readiness>,
    /// How long that may take.
    #[arg(
        long,
        value_name = "TIME",
        default_value = "60s",
        requires = "ready_when",
        value_parser = duration
    )]
    pub(crate) ready_timeout: Duration,
}

impl BackgroundArguments {
    /// Whether the run may outlive this process.
    pub(crate) fn may_be_left(&self) -> bool {
        self.background || self.on_timeout == Some(OnTimeoutFlag::Background)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnTimeoutFlag {
    /// End the command.
    Kill,
    /// Let it go on in the background.
    Background,
}

impl From<OnTimeoutFlag> for OnTimeout {
    fn from(flag: OnTimeoutFlag) -> Self {
        match flag {
            OnTimeoutFlag::Kill => Self::Kill,
            OnTimeoutFlag::Background => Self::Background,
        }
    }
}

fn readiness(text: &str) -> Result<Readiness, String> {
    text.parse()
        .map_err(|error: NotReadiness| error.to_string())
}
