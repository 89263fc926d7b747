//! Reading our arguments.

use std::ffi::{OsStr, OsString};

use clap::{Error, Parser, Subcommand};

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

impl Cli {
    /// What these arguments say. Setting up the flags of one verb is quick, so `run` is tried by
    /// itself. Help and mistakes are told by the whole, which knows the other verbs as well.
    pub(crate) fn read(arguments: Vec<OsString>) -> Result<Self, Error> {
        let runs = arguments.get(1).map(OsString::as_os_str) == Some(OsStr::new("run"));
        if runs && let Ok(RunAlone { color, command }) = RunAlone::try_parse_from(&arguments) {
            let Run::Run(arguments) = command;
            let command = Command::Run(arguments);
            return Ok(Self { color, command });
        }
        Self::try_parse_from(arguments)
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

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
            let whole = Cli::try_parse_from(words(line));
            assert_eq!(told(Cli::read(words(line))), told(whole), "{line}");
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
