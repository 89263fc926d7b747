//! Building a sandbox once with a backend, to see whether a run starts and ends in it.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bashful_keeper::TaskId;
use bashful_sandbox::{Backend, Level};

use super::memory::directory;
use crate::config::{Choice as _, Config, Sandbox};
use crate::engine::builder::EngineBuilder;
use crate::engine::{Engine, Started};
use crate::model::error::EngineError;
use crate::model::places::{Places, make_private};
use crate::model::result::ExecutionResult;
use crate::request::invocation::{Invocation, Timeout};
use crate::request::settings::PolicyMode;
use crate::request::settings::Settings;

/// It is a matter of milliseconds; but machines can be slow.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// What became of it.
#[derive(Debug)]
pub(super) enum Probe {
    /// A run starts, ends and is told with this backend.
    Works,
    /// The host does not let it, or it would hold too little to be called a sandbox.
    Refused,
    /// It might work another time: nothing is learnt about the host.
    Unsure,
}

/// Tries a backend.
pub(super) fn probe(settings: &Settings, backend: Backend) -> Probe {
    match attempt(settings, backend) {
        Ok(result) if holds(&result, backend) => Probe::Works,
        Ok(result) if result.exit_code == Some(7) => Probe::Refused,
        Err(error) if is_of_host(&error) => Probe::Refused,
        Ok(_) | Err(_) => Probe::Unsure,
    }
}

/// Whether an error is about the host, and not about this moment.
pub(crate) fn is_of_host(error: &EngineError) -> bool {
    match error {
        EngineError::Unenforceable { .. } => true,
        EngineError::Sandbox { source, .. } => {
            use rustix::io::Errno;
            let passing = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE];
            let errno = source.raw_os_error();
            !passing
                .iter()
                .any(|passing| errno == Some(passing.raw_os_error()))
        }
        _ => false,
    }
}

/// Without walls round files and network there is no sandbox, whatever a profile can do without.
fn holds(result: &ExecutionResult, backend: Backend) -> bool {
    let by = result.enforcement.as_ref();
    let holds = by.is_some_and(|applied| {
        applied.backend == backend.as_str()
            && applied.filesystem > Level::None
            && applied.network == Level::Full
    });
    result.exit_code == Some(7) && holds
}

fn attempt(settings: &Settings, backend: Backend) -> Result<ExecutionResult, EngineError> {
    let place = directory(&settings.places);
    let scratch = Scratch::new(&place, "selection").map_err(broken(&place))?;
    let workspace = scratch.workspace()?;
    // What it runs is ours.
    let engine = scratch.engine(settings, backend).build()?;
    let invocation = Invocation::bash("exit 7")
        .workspace(&workspace)
        .timeout(Timeout::After(PATIENCE))
        .fresh();
    run(&engine, invocation)
}

/// Runs a command to its end.
pub(crate) fn run(engine: &Engine, invocation: Invocation) -> Result<ExecutionResult, EngineError> {
    match engine.start(invocation)? {
        // Without a limit of its own, since the run has one.
        Started::Running(run) => run.wait_until(None).unwrap_or(Err(EngineError::KeeperGone)),
        Started::NotAllowed(result) => Ok(*result),
    }
}

pub(crate) fn broken(path: &Path) -> impl FnOnce(io::Error) -> EngineError {
    let path = path.to_owned();
    move |source| EngineError::StateDirectory { path, source }
}

/// A private directory that goes when this does.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(crate) path: PathBuf,
}

impl Scratch {
    pub(crate) fn new(above: &Path, what: &str) -> io::Result<Self> {
        make_private(above)?;
        let name = TaskId::fresh(what).to_string();
        let path = above.canonicalize()?.join(name);
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self { path })
    }

    /// A workspace in it.
    pub(crate) fn workspace(&self) -> Result<PathBuf, EngineError> {
        let workspace = self.path.join("workspace");
        make_private(&workspace).map_err(broken(&workspace))?;
        Ok(workspace)
    }

    /// An engine that keeps everything in it, with the built-in configuration: what this user
    /// configured has no say in what the host can do. It does without any protection that
    /// the backend does not give.
    pub(crate) fn engine(&self, settings: &Settings, backend: Backend) -> EngineBuilder {
        let mut config = Config::default();
        let mut profile = config.profile_for("").clone();
        let all = bashful_sandbox::Protection::ALL.iter();
        profile.optional = all.map(|(_, protection)| *protection).collect();
        config.profiles.insert("default".to_owned(), profile);
        settings
            .alike()
            .config(config)
            .places(Places::under(&self.path))
            .sandbox(Sandbox::By(backend))
            .policy(PolicyMode::None)
            .agent("selection")
            .one_call()
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
