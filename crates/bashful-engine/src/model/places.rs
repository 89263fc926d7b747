//! Where Bashful keeps its things: state, sockets, caches.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::base::digest::digest;
use crate::model::error::EngineError;

/// The directories of one user's Bashful.
#[derive(Debug, Clone)]
pub struct Places {
    /// Task directories and records: `$XDG_STATE_HOME/bashful`.
    pub state: PathBuf,
    /// Sockets: in `$XDG_RUNTIME_DIR/bashful`, else under the state directory.
    pub runtime: PathBuf,
    /// What tools may cache, per project: `$XDG_CACHE_HOME/bashful`.
    pub cache: PathBuf,
}

/// Where scripts work that were not told where, below the caches.
pub(crate) const SCRATCH: &str = "scripts";

/// The same for a script that may reach the caches themselves.
pub(crate) fn other_scratch() -> PathBuf {
    let us = rustix::process::geteuid().as_raw();
    PathBuf::from(format!("/var/tmp/bashful-{us}"))
}

impl Places {
    /// The usual places, from what the environment says.
    pub fn from_environment(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, EngineError> {
        let absolute = |name: &str| {
            lookup(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let home = absolute("HOME");
        let under = |variable: &str, usual: &str| {
            absolute(variable).or_else(|| home.as_ref().map(|home| home.join(usual)))
        };
        let state = under("XDG_STATE_HOME", ".local/state")
            .ok_or(EngineError::NoHome)?
            .join("bashful");
        let cache = under("XDG_CACHE_HOME", ".cache")
            .ok_or(EngineError::NoHome)?
            .join("bashful");
        let runtime = absolute("XDG_RUNTIME_DIR")
            .filter(|path| is_private(path))
            .map(|path| path.join("bashful"));
        Ok(Self {
            runtime: runtime.unwrap_or_else(|| state.join("run")),
            state,
            cache,
        })
    }

    /// Everything under one directory; for tests and embedders with their own layout.
    pub fn under(root: &Path) -> Self {
        Self {
            state: root.join("state"),
            runtime: root.join("run"),
            cache: root.join("cache"),
        }
    }

    /// The caches of agents, one for each project, and of managed scripts.
    pub(crate) fn caches(&self) -> PathBuf {
        self.cache.join("projects")
    }

    /// The homes of agents, one for each project.
    pub(crate) fn homes(&self) -> PathBuf {
        self.cache.join("homes")
    }

    /// The homes of runs for which a person opened more: each has one, named by its task.
    pub(crate) fn homes_for_once(&self) -> PathBuf {
        // Tasks are known by their state directory, and caches may be shared by several.
        let state = digest(&[self.state.as_os_str().as_encoded_bytes()]);
        let name = state.get(..16).unwrap_or_default();
        self.all_homes_for_once().join(name)
    }

    /// Where those of all state directories are.
    pub(crate) fn all_homes_for_once(&self) -> PathBuf {
        self.cache.join("homes-for-once")
    }

    /// The socket for a session's keeper, in a directory that only its owner can enter.
    pub(crate) fn socket(&self, name: &str) -> Result<PathBuf, EngineError> {
        let directory = &self.runtime;
        let failed = |source| EngineError::StateDirectory {
            path: directory.clone(),
            source,
        };
        make_private(directory).map_err(failed)?;
        if !is_private(directory) {
            return Err(EngineError::NotPrivate {
                path: directory.clone(),
            });
        }
        Ok(directory.join(format!("{name}.sock")))
    }
}

/// Makes a directory, and what is missing above it, that no other user can enter.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
}

/// A real directory of our own that no other user can enter.
fn is_private(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| {
        metadata.is_dir()
            && metadata.uid() == rustix::process::geteuid().as_raw()
            && metadata.mode().trailing_zeros() >= 6
    })
}
