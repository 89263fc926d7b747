//! `cargo xtask test`: the steps, their order, and the report on them.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::changed::{self, Crates};
use crate::durations::Durations;
use crate::process::{cargo, on_path, run};
use crate::repository::Repository;
use crate::scratch::Scratch;
use crate::{clients, ordinary_user, readme, setup, tidy};

/// A step says in a few words what it did, or fails.
struct Step {
    name: &'static str,
    about: &'static str,
    run: fn(&Repository, &mut Durations) -> Result<String>,
}

const STEPS: &[Step] = &[
    Step {
        name: "setup",
        about: "install what the tests need",
        run: |repository, _| setup::prepare(repository),
    },
    Step {
        name: "format",
        about: "cargo fmt",
        run: |repository, _| simple(repository, "fmt --all --check"),
    },
    Step {
        name: "clippy",
        about: "lints, as errors",
        run: |repository, _| {
            let arguments = "clippy --workspace --all-targets --locked -- -D warnings";
            simple(repository, arguments)
        },
    },
    Step {
        name: "build",
        about: "every crate and every test; tests use the binary",
        run: |repository, _| build(repository),
    },
    Step {
        name: "tests",
        about: "every test, as an ordinary user",
        run: tests,
    },
    Step {
        name: "root",
        about: "as root: the tests of what root changes, and of what needs no user",
        run: as_root,
    },
    Step {
        name: "doctests",
        about: "examples in the API documents",
        run: |repository, _| simple(repository, "test --doc --workspace --locked"),
    },
    Step {
        name: "clients",
        about: "other people's MCP clients, and the conformance suite",
        run: |repository, _| clients::check(repository),
    },
    Step {
        name: "docs",
        about: "API documents without a warning",
        run: |repository, _| docs(repository),
    },
    Step {
        name: "deny",
        about: "licences, where cargo-deny is installed",
        run: |repository, _| deny(repository),
    },
    Step {
        name: "tidy",
        about: "rules that the security claims rest on",
        run: |repository, _| tidy::check(repository),
    },
    Step {
        name: "readme",
        about: "commands in README.md and docs/",
        run: |repository, _| readme::check(repository),
    },
];

/// What `--quick` runs instead, for a person who waits: the change is whole only after the others.
const QUICK: &[Step] = &[
    Step {
        name: "format",
        about: "cargo fmt",
        run: |repository, _| simple(repository, "fmt --all --check"),
    },
    Step {
        name: "clippy",
        about: "lints of the crates that changed and of those that depend on them",
        run: |repository, _| clippy_of_changed(repository),
    },
    Step {
        name: "tidy",
        about: "rules that the security claims rest on",
        run: |repository, _| tidy::check(repository),
    },
    Step {
        name: "tests",
        about: "unit and policy tests, and a few through the real binary",
        run: quick_tests,
    },
];

pub(crate) fn test(repository: &Repository, arguments: &[String]) -> Result<()> {
    let mut chosen: Vec<&Step> = STEPS.iter().collect();
    let mut keep_going = false;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--list" => {
                for step in STEPS {
                    println!("{:14} {}", step.name, step.about);
                }
                return Ok(());
            }
            "--keep-going" => keep_going = true,
            "--quick" => chosen = QUICK.iter().collect(),
            "--only" => chosen = named(words.next().context("`--only` needs names")?)?,
            other => bail!("`cargo xtask test` takes no argument `{other}`"),
        }
    }
    let mut durations = Durations::default();
    let mut reports = Vec::new();
    for step in &chosen {
        println!("==> {}: {}", step.name, step.about);
        let start = Instant::now();
        let outcome = (step.run)(repository, &mut durations);
        let report = Report {
            name: step.name,
            duration: start.elapsed(),
            outcome,
        };
        println!("{}\n", report.line());
        let failed = report.outcome.is_err();
        reports.push(report);
        if failed && !keep_going {
            break;
        }
    }
    let slowest = durations.slowest();
    if !slowest.is_empty() {
        println!("==> slowest tests");
        for line in slowest {
            println!("{line}");
        }
        println!();
    }
    println!("==> summary");
    for report in &reports {
        println!("{}", report.line());
    }
    for step in chosen.iter().skip(reports.len()) {
        println!("not run  {}", step.name);
    }
    let failed = reports.iter().filter(|one| one.outcome.is_err()).count();
    println!("{} passed, {failed} failed", reports.len() - failed);
    // The summary must stay the last line, so the failure is told by the exit status alone.
    if failed > 0 {
        exit_with_failure();
    }
    Ok(())
}

#[expect(clippy::exit, reason = "the last line has been printed already")]
fn exit_with_failure() -> ! {
    std::process::exit(1)
}

fn named(names: &str) -> Result<Vec<&'static Step>> {
    for name in names.split(',') {
        if !STEPS.iter().any(|step| step.name == name) {
            bail!("no step is called `{name}`; `cargo xtask test --list` shows them");
        }
    }
    // In the order of the table: later steps use what earlier ones have built.
    let wanted = |step: &&Step| names.split(',').any(|name| name == step.name);
    Ok(STEPS.iter().filter(wanted).collect())
}

struct Report {
    name: &'static str,
    duration: Duration,
    outcome: Result<String>,
}

impl Report {
    fn line(&self) -> String {
        let (word, detail) = match &self.outcome {
            Ok(detail) => ("ok", detail.clone()),
            Err(error) => ("FAILED", format!("{error:#}")),
        };
        let seconds = self.duration.as_secs_f64();
        let line = format!("{word:8} {:14} {seconds:7.1} s  {detail}", self.name);
        line.trim_end().to_owned()
    }
}

fn simple(repository: &Repository, arguments: &str) -> Result<String> {
    run(cargo(repository).args(arguments.split(' ')))?;
    Ok(String::new())
}

/// Everything is built before the tests, so that their steps show what the tests take.
fn build(repository: &Repository) -> Result<String> {
    simple(repository, "build --workspace --locked")?;
    simple(
        repository,
        "test --workspace --all-targets --locked --no-run --quiet",
    )
}

fn tests(repository: &Repository, durations: &mut Durations) -> Result<String> {
    if setup::is_root()? {
        return ordinary_user::test(repository, durations);
    }
    nextest(repository, "user", "default", &[], durations)
}

fn as_root(repository: &Repository, durations: &mut Durations) -> Result<String> {
    if !setup::is_root()? {
        return Ok("nothing checked: we are not root".to_owned());
    }
    nextest(repository, "root", "root", &[], durations)
}

fn quick_tests(repository: &Repository, durations: &mut Durations) -> Result<String> {
    // Of the test files these alone are built, and the binary for the last.
    let targets = ["--lib", "--bins", "--test", "it"];
    nextest(repository, "quick", "quick", &targets, durations)
}

/// The tests that a profile of `.config/nextest.toml` selects.
fn nextest(
    repository: &Repository,
    user: &str,
    profile: &str,
    targets: &[&str],
    durations: &mut Durations,
) -> Result<String> {
    if setup::has_nextest(repository) {
        let found = Scratch::new()?;
        let all = "nextest run --workspace --locked --profile";
        let mut command = cargo(repository);
        command
            .env(ordinary_user::FOUND, found.path())
            .args(all.split(' '))
            .args([profile, "--test-threads", &ordinary_user::at_once()])
            .args(targets);
        durations.run(user, &mut command)?;
        return Ok(String::new());
    }
    println!("notice: cargo-nextest is not installed; `cargo test` has no time limits");
    simple(repository, "test --workspace --all-targets --locked")?;
    Ok("every test, with `cargo test` and no time limits".to_owned())
}

/// Lints of what a person is working on.
fn clippy_of_changed(repository: &Repository) -> Result<String> {
    let mut command = cargo(repository);
    command.args(["clippy", "--all-targets", "--locked"]);
    let told = match changed::crates(repository)? {
        Crates::All => {
            command.arg("--workspace");
            "every crate".to_owned()
        }
        Crates::These(names) if names.is_empty() => return Ok("no crate has changed".to_owned()),
        Crates::These(names) => {
            command.args(names.iter().map(|name| format!("--package={name}")));
            names.into_iter().collect::<Vec<_>>().join(", ")
        }
    };
    run(command.args(["--", "-D", "warnings"]))?;
    Ok(told)
}

fn docs(repository: &Repository) -> Result<String> {
    let mut command = cargo(repository);
    command.args(["doc", "--no-deps", "--workspace", "--locked"]);
    run(command.env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(String::new())
}

fn deny(repository: &Repository) -> Result<String> {
    if on_path("cargo-deny").is_none() {
        return Ok("nothing checked: cargo-deny is not installed".to_owned());
    }
    simple(repository, "deny --offline check licenses bans")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(outcome: Result<String>) -> String {
        let (name, duration) = ("tidy", Duration::from_millis(1234));
        let report = Report {
            name,
            duration,
            outcome,
        };
        report.line()
    }

    #[test]
    fn one_line_per_step() {
        assert_eq!(
            report(Ok(String::new())),
            "ok       tidy               1.2 s"
        );
        assert_eq!(
            report(Err(anyhow::anyhow!("inner").context("outer"))),
            "FAILED   tidy               1.2 s  outer: inner"
        );
    }

    #[test]
    fn steps_run_in_the_order_of_the_table() {
        let names = |list: &str| named(list).map(|steps| steps.iter().map(|s| s.name).collect());
        let found: Vec<&str> = names("tidy,format").unwrap();
        assert_eq!(found, ["format", "tidy"]);
        assert!(names("tidy,formats").is_err());
    }
}
