//! Reading our arguments.

use std::ffi::{OsStr, OsString};
use std::sync::{Mutex, PoisonError};

use clap::{CommandFactory, Error, FromArgMatches, Parser, Subcommand};

use super::{Cli, ColorFlag, Command, RunArguments};

/// The whole command line for `bashful run`, which it almost always is: one verb of twenty.
#[derive(Debug, Parser)]
#[command(name = "bashful")]
struct RunAlone {
    #[arg(long, global = true, default_value = "auto")]
    color: ColorFlag,
    #[command(subcommand)]
    command: Run,
}

#[derive(Debug, Subcommand)]
enum Run {
    Run(Box<RunArguments>),
}

/// The flags of `run`, set up ahead of time for one call.
static READY: Mutex<Option<clap::Command>> = Mutex::new(None);

impl RunAlone {
    fn read(arguments: &[OsString]) -> Result<Self, Error> {
        let ready = READY.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut command = ready.unwrap_or_else(Self::command);
        let mut matches = command.try_get_matches_from_mut(arguments)?;
        Self::from_arg_matches_mut(&mut matches)
    }
}

impl Cli {
    /// Sets up the flags of `run` before there are arguments: for a process that waits for a call.
    pub(crate) fn get_ready() {
        // Once to touch all that reading touches.
        let _ = Self::read(["bashful", "run", "true"].map(OsString::from).to_vec());
        let mut command = RunAlone::command();
        command.build();
        *READY.lock().unwrap_or_else(PoisonError::into_inner) = Some(command);
    }

    /// What these arguments say. Setting up the flags of one verb is quick, so `run` is tried by
    /// itself. Help and mistakes are told by the whole, which knows the other verbs as well.
    pub(crate) fn read(arguments: Vec<OsString>) -> Result<Self, Error> {
        let runs = arguments.get(1).map(OsString::as_os_str) == Some(OsStr::new("run"));
        if runs && let Ok(RunAlone { color, command }) = RunAlone::read(&arguments) {
            let Run::Run(arguments) = command;
            let command = Command::Run(arguments);
            return Ok(Self { color, command });
        }
        Self::try_parse_from(arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    /// What is understood, or what is wrong, in full.
    fn told(read: Result<Cli, Error>) -> String {
        read.map_or_else(|error| error.render().to_string(), |cli| format!("{cli:?}"))
    }

    #[test]
    fn a_run_is_read_as_by_the_whole() {
        for line in [
            "bashful run true",
            "bashful run --json --timeout 3s -C /tmp true",
            "bashful run --color never true",
            "bashful --color never run true",
            "bashful run true --color=always",
            "bashful run -- git log --oneline",
            "bashful run -- run --help",
            "bashful run -e A=b -e C= --fresh true",
            "bashful run --background --name x true",
            "bashful run",
            "bashful run help",
            "bashful run --help",
            "bashful run -h",
            "bashful run --version",
            "bashful run --sandbox nome true",
            "bashful run --tmeout 3s true",
            "bashful run true true",
            "bashful run --agents x true",
            "bashful rum true",
            "bashful help run",
            "bashful run --color sometimes true",
            "bashful",
        ] {
            let whole = || Cli::try_parse_from(words(line));
            assert_eq!(told(Cli::read(words(line))), told(whole()), "{line}");
            Cli::get_ready();
            assert_eq!(told(Cli::read(words(line))), told(whole()), "{line}, ready");
        }
    }

    #[test]
    fn the_flags_are_put_together_without_a_contradiction() {
        RunAlone::command().debug_assert();
        Cli::command().debug_assert();
    }

    #[test]
    fn every_verb_says_what_it_is_for() {
        // Before flags are set up: what the list of verbs says about each.
        for verb in Cli::command().get_subcommands() {
            let about = verb.get_about().unwrap().to_string();
            let line = format!("bashful {} -h", verb.get_name());
            let help = told(Cli::read(words(&line)));
            assert_eq!(help.lines().next(), Some(about.as_str()), "{line}");
        }
    }
}
