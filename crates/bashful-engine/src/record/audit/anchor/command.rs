//! Anchors kept by a command of the user: it alone knows where.

use std::path::PathBuf;

use bashful_sandbox::Launch;

use super::{Anchor, AnchorError, Place, line, parse};
use crate::base::process;

/// The shell that the command is for.
const SHELL: &str = "/bin/sh";

pub(super) fn write(command: &str, anchor: &Anchor) -> Result<(), AnchorError> {
    let fail = |source| AnchorError::Failed {
        doing: "write to",
        place: Place::Command(command.to_owned()).to_string(),
        source,
    };
    let line = line(anchor).map_err(fail)?;
    process::run(launch(command, "write"), line.as_bytes(), process::PATIENCE).map_err(fail)?;
    Ok(())
}

pub(super) fn read(command: &str) -> Result<Vec<Anchor>, AnchorError> {
    let place = Place::Command(command.to_owned()).to_string();
    let printed = process::run(launch(command, "read"), b"", process::PATIENCE);
    let printed = printed.map_err(|source| AnchorError::Failed {
        doing: "read from",
        place: place.clone(),
        source,
    })?;
    parse(&printed, &place)
}

/// The command with what its user has around it: it is theirs, not an agent's.
fn launch(command: &str, doing: &str) -> Launch {
    let launch = Launch::new(SHELL, "sh").argument("-c").argument(command);
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let around = std::env::vars_os().filter(|(name, _)| name != "BASHFUL_ANCHOR");
    let launch = around.fold(launch, |launch, (name, value)| launch.variable(name, value));
    launch.variable("BASHFUL_ANCHOR", doing).directory(here)
}
