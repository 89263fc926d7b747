//! How a task stands, as its directory tells.

use bashful_keeper::{Phase, State, TaskDirectory, TaskDirectoryError};
use serde::Serialize;

/// Where a task is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TaskState {
    /// It is about to start.
    Waiting,
    /// Its process has started and not ended.
    Running,
    /// It runs, and waits for a person or an agent to type.
    NeedsInput,
    /// It has ended.
    Finished,
    /// Its keeper died, and the task with it; how far it got is not known.
    Lost,
}

impl TaskState {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::NeedsInput => "needs_input",
            Self::Finished => "finished",
            Self::Lost => "lost",
        }
    }

    /// Whether it has begun and goes on.
    pub const fn is_running(self) -> bool {
        matches!(self, Self::Running | Self::NeedsInput)
    }

    /// Whether nothing more will come of it.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Finished | Self::Lost)
    }
}

/// How a task stands, and its last record.
#[derive(Debug)]
pub(crate) struct Standing {
    pub(crate) state: TaskState,
    pub(crate) record: Option<State>,
}

impl Standing {
    /// Of the task with this directory; none if there is no task in it.
    pub(crate) fn of(directory: &TaskDirectory) -> Result<Option<Self>, TaskDirectoryError> {
        if let Some(record) = directory.read_state()? {
            return Ok(Some(Self::recorded(record)));
        }
        let waiting = Some(Self {
            state: TaskState::Waiting,
            record: None,
        });
        if directory.is_owned() {
            return Ok(waiting);
        }
        // What was asked is written after the lock was taken. So where it can be read, the lock
        // was there, and one that no keeper has now was let go for good.
        if directory.read_spec().is_err() {
            return Ok(is_being_made(directory).then_some(waiting).flatten());
        }
        if directory.is_owned() {
            return Ok(waiting);
        }
        // It may have begun and ended since the first question.
        if let Some(record) = directory.read_state()? {
            return Ok(Some(Self::recorded(record)));
        }
        // A start that failed takes its directory away.
        let lost = directory.read_spec().is_ok();
        Ok(lost.then_some(Self {
            state: TaskState::Lost,
            record: None,
        }))
    }

    /// Where it is as people are told. That it runs is written down a moment after it began: what has
    /// printed something by then has begun.
    pub(crate) fn told(&self, directory: &TaskDirectory) -> TaskState {
        let has_printed = || std::fs::metadata(directory.log()).is_ok_and(|about| about.len() > 0);
        match self.state {
            TaskState::Waiting if has_printed() => TaskState::Running,
            state => state,
        }
    }

    fn recorded(record: State) -> Self {
        let state = match record.phase {
            Phase::Running if record.needs_input.is_some() => TaskState::NeedsInput,
            Phase::Running => TaskState::Running,
            Phase::Finished => TaskState::Finished,
            Phase::Lost => TaskState::Lost,
        };
        Self {
            state,
            record: Some(record),
        }
    }
}

/// This long after its directory was made, a keeper has written what was asked, or never will.
const MAKING: std::time::Duration = std::time::Duration::from_secs(30);

pub(crate) fn is_being_made(directory: &TaskDirectory) -> bool {
    let made = std::fs::symlink_metadata(directory.path()).and_then(|about| about.modified());
    made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age < MAKING))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    use bashful_keeper::TaskId;
    use rustix::fs::{FlockOperation, flock};

    use super::*;

    const SPEC: &str = r#"{"v":1,"id":"bash-1","command":"true","agent":"a","session":"s","workspace":"/w","cwd":"/w","variables":[],"term_grace_ms":1,"log_quota":1,"on_log_full":"continue","keep_tail":0,"adopt_survivors":false,"created_at_ms":0}"#;
    const STATE: &str = "{\"v\":1,\"id\":\"bash-1\",\"phase\":\"running\",\"keeper\":{\"pid\":1,\"started\":1},\"started_at_ms\":0}\n";

    fn found(directory: &TaskDirectory) -> Option<TaskState> {
        Standing::of(directory)
            .unwrap()
            .map(|standing| standing.state)
    }

    #[test]
    fn a_start_is_waited_for_and_a_dead_one_is_lost() {
        let state = tempfile::tempdir().unwrap();
        let id = TaskId::parse("bash-1").unwrap();
        let directory = TaskDirectory::of(state.path(), &id);
        assert_eq!(found(&directory), None);
        // What a keeper does, step by step.
        fs::create_dir_all(directory.path()).unwrap();
        assert_eq!(found(&directory), Some(TaskState::Waiting));
        let path = directory.path().join("spec");
        let spec = File::create(&path).unwrap();
        assert_eq!(found(&directory), Some(TaskState::Waiting));
        flock(&spec, FlockOperation::NonBlockingLockExclusive).unwrap();
        assert_eq!(found(&directory), Some(TaskState::Waiting));
        fs::write(&path, SPEC).unwrap();
        assert_eq!(found(&directory), Some(TaskState::Waiting));
        let told = || Standing::of(&directory).unwrap().unwrap().told(&directory);
        assert_eq!(told(), TaskState::Waiting);
        fs::write(directory.log(), "").unwrap();
        assert_eq!(told(), TaskState::Waiting);
        fs::write(directory.log(), "x").unwrap();
        assert_eq!(told(), TaskState::Running);
        fs::write(directory.path().join("state"), STATE).unwrap();
        assert_eq!(found(&directory), Some(TaskState::Running));
        // It dies, with and without a record.
        drop(spec);
        assert_eq!(found(&directory), Some(TaskState::Lost));
        fs::remove_file(directory.path().join("state")).unwrap();
        assert_eq!(found(&directory), Some(TaskState::Lost));
    }

    #[test]
    fn a_directory_that_never_became_a_task_is_none() {
        let state = tempfile::tempdir().unwrap();
        let id = TaskId::parse("bash-1").unwrap();
        let directory = TaskDirectory::of(state.path(), &id);
        fs::create_dir_all(directory.path()).unwrap();
        let long_ago = SystemTime::now() - Duration::from_secs(60);
        let opened = File::open(directory.path()).unwrap();
        opened.set_modified(long_ago).unwrap();
        assert_eq!(found(&directory), None);
    }
}
