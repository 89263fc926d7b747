//! Where a verb works: what the flags name, else the project around the current directory.

use std::path::{Path, PathBuf};

use bashful_engine::{EngineError, InvalidInvocation, Invocation, project_root};

/// Where commands work.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// The workspace, absolute.
    workspace: PathBuf,
    /// Whether a flag names it.
    is_named: bool,
    /// Where they start; none is the workspace.
    cwd: Option<PathBuf>,
}

impl Place {
    /// The workspace is `--workspace`, else the project around `--cwd` or the current directory.
    pub(super) fn of(workspace: Option<&PathBuf>, cwd: Option<&PathBuf>) -> anyhow::Result<Self> {
        let cwd = cwd.map(std::path::absolute).transpose()?;
        if let Some(workspace) = workspace {
            return Ok(Self {
                workspace: std::path::absolute(workspace)?,
                is_named: true,
                cwd,
            });
        }
        let is_named = cwd.is_some();
        let directory = cwd.map_or_else(current_directory, Ok)?;
        Ok(Self {
            workspace: project(&directory),
            is_named,
            cwd: Some(directory),
        })
    }

    /// Where the project's file of settings would be.
    pub(super) fn root(&self) -> &Path {
        &self.workspace
    }

    /// A request to work there.
    pub(super) fn applied_to(&self, mut invocation: Invocation) -> Invocation {
        // That a workspace which nobody named is too wide is for the engine to say.
        if self.is_named || !is_wide(&self.workspace) {
            invocation = invocation.workspace(&self.workspace);
        }
        match &self.cwd {
            Some(cwd) if *cwd != self.workspace => invocation.cwd(cwd),
            _ => invocation,
        }
    }
}

/// The project around the current directory.
pub(super) fn here() -> Result<PathBuf, EngineError> {
    Ok(project(&current_directory()?))
}

/// The project around another directory.
pub(super) fn project_around(directory: &Path) -> anyhow::Result<PathBuf> {
    Ok(project(&std::path::absolute(directory)?))
}

fn project(directory: &Path) -> PathBuf {
    project_root(directory, home().as_deref())
}

fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from)
}

fn is_wide(workspace: &Path) -> bool {
    let home = home().and_then(|home| home.canonicalize().ok());
    workspace.parent().is_none() || home.as_deref() == Some(workspace)
}

pub(super) fn current_directory() -> Result<PathBuf, EngineError> {
    std::env::current_dir().map_err(|_| {
        let (role, path) = ("current directory", PathBuf::from("."));
        InvalidInvocation::MissingDirectory { role, path }.into()
    })
}
