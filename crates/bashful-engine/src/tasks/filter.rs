//! Which tasks a caller wants to see, or may.

use crate::engine::Engine;
use std::path::PathBuf;

use bashful_keeper::Spec;

use crate::record::standing::TaskState;

/// Which tasks to list; all of them, and the newest hundred, unless told otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskFilter {
    /// Those of this agent.
    pub agent: Option<String>,
    /// Those of this session.
    pub session: Option<String>,
    /// Those in this workspace.
    pub workspace: Option<PathBuf>,
    /// In which part of their life.
    pub which: WhichTasks,
    /// How many at most: the newest.
    pub limit: usize,
}

/// Tasks in which part of their life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WhichTasks {
    /// Those that run or are about to.
    Running,
    /// Those that have ended, one way or the other.
    Finished,
    /// All, whether they run or have ended.
    All,
}

impl Default for TaskFilter {
    fn default() -> Self {
        Self {
            agent: None,
            session: None,
            workspace: None,
            which: WhichTasks::All,
            limit: 100,
        }
    }
}

impl TaskFilter {
    /// Only those of this agent.
    #[must_use]
    pub fn agent(mut self, agent: impl Into<String>) -> Self {
        self.agent = Some(agent.into());
        self
    }

    /// Only those of this session.
    #[must_use]
    pub fn session(mut self, session: impl Into<String>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// Only those in this workspace.
    #[must_use]
    pub fn workspace(mut self, workspace: impl Into<PathBuf>) -> Self {
        let workspace = workspace.into();
        // Tasks know the real path of theirs.
        self.workspace = Some(workspace.canonicalize().unwrap_or(workspace));
        self
    }

    /// Only those in this part of their life.
    #[must_use]
    pub fn which(mut self, which: WhichTasks) -> Self {
        self.which = which;
        self
    }

    /// Only this many of them: the newest.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Whether a task that was asked for like this is meant.
    pub(super) fn is_about(&self, spec: &Spec) -> bool {
        let fits = |wanted: &Option<String>, is: &str| wanted.as_deref().is_none_or(|it| it == is);
        fits(&self.agent, &spec.agent)
            && fits(&self.session, &spec.session)
            && self
                .workspace
                .as_ref()
                .is_none_or(|workspace| *workspace == spec.workspace)
    }

    /// Whether the tasks of all agents are meant, in all sessions and workspaces.
    pub(super) fn is_about_all(&self) -> bool {
        self.agent.is_none() && self.session.is_none() && self.workspace.is_none()
    }

    pub(super) fn takes(&self, state: TaskState) -> bool {
        match self.which {
            WhichTasks::Running => !state.is_over(),
            WhichTasks::Finished => state.is_over(),
            WhichTasks::All => true,
        }
    }
}

impl Engine {
    /// Which tasks are this engine's agent's in this engine's workspace.
    pub fn own_tasks(&self) -> TaskFilter {
        let settings = self.settings();
        let workspace = settings.workspace.as_deref();
        let workspace = workspace.unwrap_or(std::path::Path::new("."));
        TaskFilter::default()
            .agent(&settings.agent)
            .workspace(workspace)
    }
}
