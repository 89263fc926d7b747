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
        if !runs {
            return Self::try_parse_from(arguments);
        }
        let read = |arguments: &[OsString]| {
            let RunAlone { color, command } = RunAlone::read(arguments).ok()?;
            let Run::Run(run) = command;
            Some((color, run))
        };
        // As a rule the command is one word, and the last.
        let last = arguments.last().and_then(|last| last.to_str());
        if let Some((color, run)) = read(&arguments)
            && run.command.as_deref() == last
        {
            let command = Command::Run(run);
            return Ok(Self { color, command });
        }
        let arguments = with_program_apart(arguments);
        if let Some((color, run)) = read(&arguments) {
            let command = Command::Run(run);
            return Ok(Self { color, command });
        }
        Self::try_parse_from(arguments)
    }
}

/// `bashful run ls -la` runs a program with its arguments: what follows the first word is its, and
/// is never joined into text for a shell. A text is one word with a space in it; flags may follow
/// that one.
fn with_program_apart(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let whole = RunAlone::command();
    let flags = whole.find_subcommand("run");
    let takes_value = |flag: &str| {
        let mut known = flags.into_iter().flat_map(clap::Command::get_arguments);
        // With its value in the same word, a short one takes no other.
        let short = flag.chars().nth(1).filter(|_| flag.len() == 2);
        let own = known.find(|one| {
            flag.strip_prefix("--")
                .is_some_and(|name| one.get_long() == Some(name))
                || (short.is_some() && one.get_short() == short)
        });
        own.is_some_and(|one| one.get_action().takes_values()) || flag == "--color"
    };
    let mut at = 2;
    while let Some(word) = arguments.get(at).and_then(|word| word.to_str()) {
        if word == "--" {
            return arguments;
        }
        if !word.starts_with('-') || word == "-" {
            break;
        }
        at += if takes_value(word) { 2 } else { 1 };
    }
    let has_space = |word: &OsString| word.to_string_lossy().contains(char::is_whitespace);
    let is_program = arguments.get(at).is_some_and(|word| !has_space(word));
    if is_program && at + 1 < arguments.len() {
        arguments.insert(at, "--".into());
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(words: &[&str]) -> Vec<String> {
        words.iter().copied().map(str::to_owned).collect()
    }

    #[test]
    fn what_follows_a_program_is_its_own() {
        for (line, program, json) in [
            ("ls -la", &["ls", "-la"][..], false),
            ("git status --short", &["git", "status", "--short"], false),
            ("--json -C /tmp make -C sub", &["make", "-C", "sub"], true),
            (
                "-t 3s cargo test --json -- x",
                &["cargo", "test", "--json", "--", "x"],
                false,
            ),
            (
                "--timeout=3s --color never npm --version",
                &["npm", "--version"],
                false,
            ),
            ("-- ls -la", &["ls", "-la"], false),
            ("sort -", &["sort", "-"], false),
        ] {
            let read = Cli::read(words(&format!("bashful run {line}"))).unwrap();
            let Command::Run(run) = read.command else {
                panic!("{line}");
            };
            assert_eq!((run.program, run.json), (owned(program), json), "{line}");
            assert_eq!(run.command, None, "{line}");
        }
        // A text stays one, and flags may follow it.
        for text in ["make test", "ls;ls -l"] {
            let line = ["bashful", "run", text, "--json"].map(OsString::from);
            let Command::Run(run) = Cli::read(line.to_vec()).unwrap().command else {
                panic!("{text}");
            };
            assert_eq!((run.command.as_deref(), run.json), (Some(text), true));
        }
        let two = ["bashful", "run", "echo a", "echo b"].map(OsString::from);
        assert!(Cli::read(two.to_vec()).is_err());
    }

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
            let runs = line.starts_with("bashful run");
            let sorted = |line| if runs { with_program_apart(line) } else { line };
            let whole = || Cli::try_parse_from(sorted(words(line)));
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
