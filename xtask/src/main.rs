//! The project's chores, started as `cargo xtask CHORE`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer's tool talks to the terminal; the rule is for what ships"
)]

mod bench;
mod budgets;
mod changed;
mod clients;
mod dist;
mod durations;
mod ordinary_user;
mod process;
mod readme;
mod repository;
mod scratch;
mod setup;
mod soak;
mod steps;
mod tidy;
mod toolchain;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::repository::Repository;

const HELP: &str = "\
The project's chores.

Usage: cargo xtask CHORE [OPTIONS]

Chores:
  test    Everything that must hold before a change goes in; what CI runs
            --quick             a few steps and tests for a person who waits
            --only STEP[,STEP]  run these steps only
            --keep-going        go on after a step has failed
            --list              show the steps
  tidy    The text-level rules that the security claims rest on
  soak    The long jobs: properties and fault rounds
            --minutes N         share N minutes between the jobs (10, and more for some)
            --only JOB[,JOB]    run these jobs only
            --list              show the jobs
  bench   Build for release and measure
            [NAME...]           the measurements to take, all by default
            --save              measure as root and as an ordinary user, and write
                                the figures into docs/figures.toml
            --compare COMMIT    this checkout and another commit, in turns
            policy [--corpus DIR]  decide about every command of its *.jsonl files
  budgets Count what warm runs cost and compare with budgets.toml
            --write             count anew and write the file; as root
  dist    Build the executable as it is shipped, and print where it is; man
          pages and completions are in `share` beside it
  setup   Install what the tests need; the first step of `test`

Options:
  -h, --help  Show this text
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let asks_for_help = |word: &String| matches!(word.as_str(), "-h" | "--help");
    let Some((chore, rest)) = arguments.split_first() else {
        print!("{HELP}");
        return Ok(());
    };
    // The bench program has its own help, so its arguments are left alone.
    if asks_for_help(chore) || (chore != "bench" && rest.iter().any(asks_for_help)) {
        print!("{HELP}");
        return Ok(());
    }
    let repository = Repository::locate()?;
    match chore.as_str() {
        "test" => steps::test(&repository, rest),
        "tidy" => without_arguments(chore, rest, || tidy::check(&repository)),
        "soak" => soak::soak(&repository, rest),
        "bench" => bench::bench(&repository, rest),
        "budgets" => budgets::budgets(&repository, rest),
        "dist" => without_arguments(chore, rest, || dist::dist(&repository)),
        "setup" => without_arguments(chore, rest, || setup::prepare(&repository)),
        other => bail!("no chore is called `{other}`; `cargo xtask --help` lists them"),
    }
}

fn without_arguments(
    chore: &str,
    rest: &[String],
    run: impl FnOnce() -> Result<String>,
) -> Result<()> {
    if let Some(word) = rest.first() {
        bail!("`cargo xtask {chore}` takes no argument `{word}`");
    }
    println!("{}", run()?);
    Ok(())
}
