//! Runs the scripts in `tests/clients`: what other people's MCP clients make of `bashful mcp`.
//!
//! The scripts are Python, because the SDK is. Each prints a line per case and fails if one did.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::process::run;
use crate::repository::Repository;
use crate::setup::{self, Clients};

/// A script, and how long it may take on a busy machine.
struct Script {
    name: &'static str,
    limit: Duration,
    /// Where root runs the tests: what is left for root, as the rest ran as an ordinary user.
    as_root: AsRoot,
}

/// Which cases of a script root runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AsRoot {
    All,
    /// Those with this in their name.
    Named(&'static str),
    None,
}

const SCRIPTS: &[Script] = &[
    Script {
        name: "wire.py",
        limit: Duration::from_secs(180),
        as_root: AsRoot::None,
    },
    Script {
        name: "python_sdk.py",
        limit: Duration::from_secs(300),
        as_root: AsRoot::Named("http"),
    },
    Script {
        name: "inspector.py",
        limit: Duration::from_secs(180),
        as_root: AsRoot::All,
    },
    Script {
        name: "conformance.py",
        limit: Duration::from_secs(300),
        as_root: AsRoot::All,
    },
];

/// What root has an ordinary user run: what needs no Node, and of the SDK's cases those in which
/// the server is a process of its own.
const AS_USER: &[(&str, &[&str])] = &[("wire.py", &[]), ("python_sdk.py", &["stdio"])];

/// How long the agents of the soak may take.
const AGENTS: Duration = Duration::from_secs(900);

/// The step of `cargo xtask test`.
pub(crate) fn check(repository: &Repository) -> Result<String> {
    let clients = Clients::install(repository)?;
    let is_root = setup::is_root()?;
    let binary = repository.target_directory()?.join("debug/bashful");
    let outcomes = SCRIPTS.iter().filter_map(|script| {
        let path = repository.root().join("tests/clients").join(script.name);
        let mut python = clients.python();
        python.arg(path).env("BASHFUL_TEST_BINARY", &binary);
        match script.as_root {
            AsRoot::None if is_root => return None,
            AsRoot::Named(cases) if is_root => drop(python.arg(cases)),
            _ => {}
        }
        Some((script, limited(&python, script.limit)))
    });
    all_hold(outcomes)
}

/// The scripts as the user for whom `command` runs programs, on a copy of the repository.
pub(crate) fn check_as(
    repository: &Repository,
    packages: &Path,
    command: impl Fn(&Path) -> Command,
) -> Result<String> {
    Clients::install(repository)?.copy_python_packages(packages)?;
    let named = |name: &str| SCRIPTS.iter().find(|script| script.name == name);
    let chosen = AS_USER
        .iter()
        .filter_map(|(name, cases)| Some((named(name)?, cases)));
    let outcomes = chosen.map(|(script, cases)| {
        let mut python = command(Path::new("/usr/bin/env"));
        python
            .arg(format!("PYTHONPATH={}", packages.display()))
            .args(["/usr/bin/python3", "-B"])
            .arg(Path::new("tests/clients").join(script.name))
            .args(*cases);
        (script, limited(&python, script.limit))
    });
    all_hold(outcomes)
}

/// Every script is run before the failures are told, as they are about different clients.
fn all_hold<'a>(outcomes: impl Iterator<Item = (&'a Script, Result<()>)>) -> Result<String> {
    let mut count = 0;
    let mut failed = Vec::new();
    for (script, outcome) in outcomes {
        count += 1;
        if let Err(error) = outcome {
            println!("{}: {error:#}", script.name);
            failed.push(script.name);
        }
    }
    if failed.is_empty() {
        Ok(format!("{count} scripts"))
    } else {
        bail!("cases fail in {}", failed.join(", "))
    }
}

/// Claude Code and Codex against a model that plays a script.
pub(crate) fn soak_with_agents(repository: &Repository) -> Result<()> {
    let clients = Clients::install(repository)?;
    let agents = clients.install_agents(repository)?;
    run(crate::process::cargo(repository).args(["build", "--workspace", "--locked"]))?;
    let binary = repository.target_directory()?.join("debug/bashful");
    let mut python = clients.python();
    python
        .arg(repository.root().join("tests/clients/agents.py"))
        .env("BASHFUL_TEST_BINARY", binary)
        .env("BASHFUL_TEST_AGENTS", agents);
    limited(&python, AGENTS)
}

/// Runs a command that is interrupted when it takes too long, so that it can end what it started.
fn limited(command: &Command, limit: Duration) -> Result<()> {
    let mut timed = Command::new("timeout");
    timed
        .args(["--signal=INT", "--kill-after=30"])
        .arg(limit.as_secs().to_string())
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => timed.env(name, value),
            None => timed.env_remove(name),
        };
    }
    if let Some(directory) = command.get_current_dir() {
        timed.current_dir(directory);
    }
    run(&mut timed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_run_by_root_or_by_an_ordinary_user() {
        for script in SCRIPTS {
            let mut as_user = AS_USER.iter().filter(|(name, _)| *name == script.name);
            let cases = as_user.next().map(|(_, cases)| *cases);
            let expected: Option<&[&str]> = match script.as_root {
                AsRoot::All => None,
                AsRoot::None => Some(&[]),
                // Each case of the SDK has its transport in its name.
                AsRoot::Named(cases) => {
                    assert_eq!(cases, "http");
                    Some(&["stdio"])
                }
            };
            assert_eq!(cases, expected, "{}", script.name);
        }
    }

    #[test]
    fn a_script_that_fails_does_not_keep_the_others_from_running() {
        let [first, second, ..] = SCRIPTS else {
            panic!("the table has changed")
        };
        let outcomes = [(first, Err(anyhow::anyhow!("no"))), (second, Ok(()))];
        let error = all_hold(outcomes.into_iter()).unwrap_err();
        assert_eq!(error.to_string(), format!("cases fail in {}", first.name));
        assert_eq!(
            all_hold([(first, Ok(()))].into_iter()).unwrap(),
            "1 scripts"
        );
    }
}
