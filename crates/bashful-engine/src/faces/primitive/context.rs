//! Where a primitive works and what it may touch.

use std::path::{Path, PathBuf};

use crate::engine::Engine;
use crate::request::workspace::lies_in;

/// The place of a sequence of calls.
#[derive(Debug, Clone)]
pub struct PrimitiveContext {
    working_dir: PathBuf,
    roots: Vec<PathBuf>,
    operation_id: Option<String>,
    engine: Option<Engine>,
}

impl PrimitiveContext {
    /// Works in this directory, which is also the only allowed root.
    pub fn new(working_dir: impl Into<PathBuf>) -> Self {
        let working_dir = working_dir.into();
        Self {
            roots: vec![working_dir.clone()],
            working_dir,
            operation_id: None,
            engine: None,
        }
    }

    /// Allows another root.
    #[must_use]
    pub fn with_allowed_root(mut self, root: impl Into<PathBuf>) -> Self {
        self.roots.push(root.into());
        self
    }

    /// Names the operation that the calls belong to; each call gets a name of its
    /// own otherwise.
    #[must_use]
    pub fn with_operation_id(mut self, id: impl Into<String>) -> Self {
        self.operation_id = Some(id.into());
        self
    }

    /// Runs through this engine instead of the one that is shared by the process.
    #[must_use]
    pub fn with_engine(mut self, engine: Engine) -> Self {
        self.engine = Some(engine);
        self
    }

    /// The working directory.
    pub fn working_dir(&self) -> &Path {
        &self.working_dir
    }

    /// The name of the operation, if it was given one.
    pub fn operation_id(&self) -> Option<&str> {
        self.operation_id.as_deref()
    }

    /// The allowed roots.
    pub fn allowed_roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The path, seen from the working directory.
    pub fn resolve_path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.working_dir.join(path)
    }

    /// Whether the path lies in an allowed root, after resolving symbolic links and
    /// `..`. Whole components are compared: `/work-evil` is not in `/work`.
    pub fn is_path_allowed(&self, path: impl AsRef<Path>) -> bool {
        lies_in(&self.resolve_path(path), &self.roots)
    }

    pub(super) fn engine(&self) -> Option<&Engine> {
        self.engine.as_ref()
    }

    pub(super) fn next_operation_id(&self) -> String {
        self.operation_id
            .clone()
            .unwrap_or_else(|| bashful_keeper::TaskId::fresh("op").to_string())
    }
}
