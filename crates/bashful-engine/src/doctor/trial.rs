//! Building a sandbox once, and asking it from inside.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bashful_sandbox::Enforcement;
use serde::{Deserialize, Serialize};

use super::checks::{self, Bait, Check};
use bashful_policy::{CapabilityChanges, Class};

use crate::builder::Settings;
use crate::config::{Config, Sandbox, Wish};
use crate::engine::{Engine, Started};
use crate::error::EngineError;
use crate::invocation::{Invocation, Timeout};
use crate::places::{Places, make_private};
use crate::policy::PolicyMode;
use crate::result::ExecutionResult;

/// What became of the trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trial {
    /// It ran.
    Ran(Ran),
    /// No sandbox could be built.
    NotBuilt {
        /// Why.
        reason: String,
    },
}

/// A trial that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ran {
    pub(super) enforcement: Enforcement,
    pub(super) checks: Vec<Check>,
}

impl Ran {
    /// Whether the sandbox held against everything that is tried.
    pub(super) fn held(&self) -> bool {
        checks::all_held(&self.checks)
    }
}

/// It is a matter of milliseconds; but machines can be slow.
const PATIENCE: Duration = Duration::from_secs(30);

/// Makes the trial: a room of its own, in a directory of its own, by the built-in
/// configuration. What this user configured has no say in what the host can do.
pub(super) fn make(settings: &Settings) -> Result<Trial, EngineError> {
    let broken = |path: &Path| {
        let path = path.to_owned();
        move |source| EngineError::StateDirectory { path, source }
    };
    let cache = &settings.places.cache;
    let scratch = Scratch::new(cache).map_err(broken(cache))?;
    let workspace = scratch.path.join("workspace");
    make_private(&workspace).map_err(broken(&workspace))?;
    let bait = Bait::lay_out(&scratch.path).map_err(broken(&scratch.path))?;
    let engine = settings
        .alike()
        .config(Config::default())
        .places(Places::under(&scratch.path))
        .sandbox(Sandbox::Native)
        // What it runs attacks the sandbox, which is not for the policy to stop.
        .policy(PolicyMode::None)
        .wish(Wish {
            changes: CapabilityChanges {
                classes: Class::ALL.map(|class| class.as_str().to_owned()).to_vec(),
                ..CapabilityChanges::default()
            },
            ..Wish::default()
        })
        .agent("doctor")
        .one_call()
        .build()?;
    let mut invocation = Invocation::bash(checks::script())
        .workspace(&workspace)
        .timeout(Timeout::After(PATIENCE))
        .fresh();
    for (name, value) in bait.variables().map_err(broken(&scratch.path))? {
        invocation = invocation.variable(name, value);
    }
    match run(&engine, invocation) {
        Ok(result) => Ok(Trial::Ran(Ran {
            enforcement: levels(&result),
            checks: checks::read(&result.stdout),
        })),
        Err(error @ (EngineError::Sandbox { .. } | EngineError::Unenforceable { .. })) => {
            Ok(Trial::NotBuilt {
                reason: chain(&error),
            })
        }
        Err(error) => Err(error),
    }
}

fn run(engine: &Engine, invocation: Invocation) -> Result<ExecutionResult, EngineError> {
    match engine.start(invocation)? {
        // Without a limit of its own, since the run has one.
        Started::Running(run) => run.wait_until(None).unwrap_or(Err(EngineError::KeeperGone)),
        Started::NotAllowed(result) => Ok(*result),
    }
}

fn levels(result: &ExecutionResult) -> Enforcement {
    result
        .enforcement
        .map_or(Enforcement::NONE, |applied| Enforcement {
            filesystem: applied.filesystem,
            network: applied.network,
            commands: applied.commands,
            processes: applied.processes,
            resources: applied.resources,
            identity: applied.identity,
        })
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        text = format!("{text}: {source}");
        next = source.source();
    }
    text
}

/// A private directory that goes when this does.
#[derive(Debug)]
struct Scratch {
    path: PathBuf,
}

impl Scratch {
    fn new(cache: &Path) -> io::Result<Self> {
        make_private(cache)?;
        let name = bashful_keeper::TaskId::fresh("doctor").to_string();
        let path = cache.canonicalize()?.join(name);
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self { path })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A keeper may write its last word while we remove what it writes to.
        for _ in 0..5 {
            if fs::remove_dir_all(&self.path).is_ok() || !self.path.exists() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
