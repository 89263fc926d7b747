//! One task: finding it, and how it stands.

use std::io;
use std::sync::Arc;

use bashful_keeper::{Spec, TaskDirectory, TaskId};

use super::damaged::{DamagedTask, damage};
use super::error::{TaskError, shortened};
use super::filter::{TaskFilter, WhichTasks};
use super::summary::TaskSummary;
use crate::engine::Engine;
use crate::launch::progress::Outcome;
use crate::model::output::OutputLimit;
use crate::model::result::ExecutionResult;
use crate::model::task_ids::{letters, task_ids};
use crate::model::task_name::{check_name, is_plain};
use crate::record::audit::InputHow;
use crate::record::standing::{Standing, TaskState};
use crate::run::account::Account;
use crate::run::claim::marked;
use crate::run::runs::Left;
use crate::run::watch::{Bell, Interest};

/// A task, whichever engine started it. It is a handle: cheap to make and to clone.
#[derive(Debug, Clone)]
pub struct Task {
    pub(super) engine: Engine,
    pub(super) id: TaskId,
    pub(super) directory: TaskDirectory,
    pub(super) spec: Arc<Spec>,
    /// How the caller types into it, for the record.
    pub(super) how: InputHow,
}

/// The tasks that a caller wants to see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskList {
    /// The tasks, the newest last.
    pub tasks: Vec<TaskSummary>,
    /// Those whose record cannot be read.
    pub damaged: Vec<DamagedTask>,
}

/// How many candidates an error names, at most.
const MOST_NAMED: usize = 5;
/// How many of the newest tasks are looked at for a similar name.
const MOST_COMPARED: usize = 1000;

impl Engine {
    /// The tasks in this engine's state directory that the filter names, the newest last; none
    /// where that cannot be read. See [`Engine::list_tasks`] for what is left out here.
    pub fn tasks(&self, filter: &TaskFilter) -> Vec<TaskSummary> {
        let listed = self.list_tasks(filter);
        listed.map(|listed| listed.tasks).unwrap_or_default()
    }

    /// The same, and those whose record cannot be read, or why it is not known which there are.
    pub fn list_tasks(&self, filter: &TaskFilter) -> Result<TaskList, TaskError> {
        let state = self.state_directory();
        let ids = task_ids(state).map_err(|source| self.unreadable_tasks(source))?;
        let mut listed = TaskList::default();
        for id in ids.iter().rev() {
            if listed.tasks.len() >= filter.limit {
                break;
            }
            let directory = TaskDirectory::of(state, id);
            // The lock is the cheapest question, and most tasks have ended.
            if filter.which == WhichTasks::Running && !directory.is_owned() {
                continue;
            }
            match (directory.read_spec(), Standing::of(&directory)) {
                (Ok(spec), _) if !filter.is_about(&spec) => {}
                (Ok(spec), Ok(Some(standing))) => {
                    if filter.takes(standing.state) {
                        let summary = TaskSummary::new(&directory, &spec, &standing);
                        listed.tasks.push(summary);
                    }
                }
                (Ok(_), Ok(None)) => {}
                (spec, _) => {
                    // Whose it is cannot be told without what was asked.
                    let is_theirs = spec.is_ok() || filter.is_about_all();
                    listed
                        .damaged
                        .extend(DamagedTask::of(id, &directory).filter(|_| is_theirs));
                }
            }
        }
        listed.tasks.reverse();
        listed.damaged.reverse();
        Ok(listed)
    }

    pub(super) fn unreadable_tasks(&self, source: io::Error) -> TaskError {
        TaskError::Tasks {
            path: self.state_directory().join("tasks"),
            source,
        }
    }

    /// The task with this id. The beginning of an id will do if no other task has it, also
    /// without the word in front of it.
    pub fn task(&self, id: &str) -> Result<Task, TaskError> {
        self.task_among(id, &TaskFilter::default())
    }

    /// The same among the tasks of the filter's agent, session and workspace: others are unknown,
    /// and no message names them.
    pub fn task_among(&self, id: &str, filter: &TaskFilter) -> Result<Task, TaskError> {
        let fits = (1..=64).contains(&id.len()) && !id.starts_with(['-', '.', '_']);
        if !fits || !is_plain(id) {
            let text = shortened(id);
            return Err(TaskError::Malformed { text });
        }
        let exact = TaskId::parse(id).and_then(|id| self.open_task(&id));
        if let Some(task) = exact.filter(|task| task.belongs_to(filter)) {
            return Ok(task);
        }
        let unreadable = |source| self.unreadable_tasks(source);
        let ids = task_ids(self.state_directory()).map_err(unreadable)?;
        if check_name(id).is_ok()
            && let Some(found) = self.task_named(id, &ids, filter)
        {
            return found;
        }
        let begins = |one: &&TaskId| one.as_str().starts_with(id) || letters(one).starts_with(id);
        let open = |one: &TaskId| self.open_task(one).filter(|task| task.belongs_to(filter));
        let mut tasks: Vec<Task> = ids
            .iter()
            .rev()
            .filter(begins)
            .filter_map(open)
            .take(MOST_NAMED)
            .collect();
        let text = id.to_owned();
        match (tasks.pop(), tasks.as_slice()) {
            (Some(task), []) => Ok(task),
            (Some(last), others) => {
                let named = others.iter().chain([&last]);
                let candidates = named.map(|task| task.id.to_string()).collect();
                Err(TaskError::Ambiguous { text, candidates })
            }
            (None, _) => {
                // Whose it is cannot be told, so only who may see all of them hears of it.
                let exact = TaskId::parse(id).filter(|_| filter.is_about_all());
                let directory = exact.map(|id| TaskDirectory::of(self.state_directory(), &id));
                if let Some(directory) = directory
                    && damage(&directory).is_some()
                    && let Err(source) = directory.read_spec()
                {
                    return Err(TaskError::Directory { task: text, source });
                }
                let alike = |one: &&TaskId| strsim::jaro_winkler(one.as_str(), id) > 0.93;
                let newest = ids.iter().rev().take(MOST_COMPARED);
                let similar = newest.filter(alike).filter_map(open).take(MOST_NAMED);
                let similar = similar.map(|task| task.id.to_string()).collect();
                Err(TaskError::Unknown { text, similar })
            }
        }
    }

    /// The task with this name: the one that runs, else the newest that has ended; none if no task
    /// has it. Several run if several agents gave the same name.
    fn task_named(
        &self,
        name: &str,
        ids: &[TaskId],
        filter: &TaskFilter,
    ) -> Option<Result<Task, TaskError>> {
        let open = |id: &TaskId| self.open_task(id).filter(|task| task.belongs_to(filter));
        let runs = |task: &Task| task.state().is_ok_and(|state| !state.is_over());
        let marked = marked(self.state_directory(), name);
        let mut running: Vec<Task> = marked.iter().filter_map(open).filter(runs).collect();
        match running.len() {
            0 => {
                let newest = ids.iter().rev().take(MOST_COMPARED);
                let named = |task: &Task| task.spec.name.as_deref() == Some(name);
                newest.filter_map(open).find(named).map(Ok)
            }
            1 => running.pop().map(Ok),
            _ => {
                let named = running.iter().take(MOST_NAMED);
                let candidates = named.map(|task| task.id.to_string()).collect();
                let text = name.to_owned();
                Some(Err(TaskError::SameName { text, candidates }))
            }
        }
    }

    fn open_task(&self, id: &TaskId) -> Option<Task> {
        let directory = TaskDirectory::of(self.state_directory(), id);
        // A run of our own may not have its directory yet.
        let spec = match self.runs().spec(id) {
            Some(spec) => spec,
            None => Arc::new(directory.read_spec().ok()?),
        };
        Some(Task {
            engine: self.clone(),
            id: id.clone(),
            directory,
            spec,
            how: InputHow::Library,
        })
    }
}

impl Task {
    /// The id by which every engine of this user finds the task.
    pub fn id(&self) -> &str {
        self.id.as_str()
    }

    /// The command as asked.
    pub fn command(&self) -> &str {
        &self.spec.command
    }

    /// The name that may be used instead of its id.
    pub fn name(&self) -> Option<&str> {
        self.spec.name.as_deref()
    }

    /// Whether it sits at a terminal.
    pub fn has_terminal(&self) -> bool {
        self.spec.terminal.is_some()
    }

    /// The agent that asked for it.
    pub fn agent(&self) -> &str {
        &self.spec.agent
    }

    /// Whether it is one of the filter's agent, session and workspace.
    pub fn belongs_to(&self, filter: &TaskFilter) -> bool {
        filter.is_about(&self.spec)
    }

    /// Where it is in its life.
    pub fn state(&self) -> Result<TaskState, TaskError> {
        Ok(self.standing()?.told(&self.directory))
    }

    /// How it stands, in a few words.
    pub fn summary(&self) -> Result<TaskSummary, TaskError> {
        let standing = self.standing()?;
        Ok(TaskSummary::new(&self.directory, &self.spec, &standing))
    }

    /// The result, with output up to this limit; none while it runs. Of a task that another
    /// process started it is not known what was decided about it.
    pub fn result(&self, limit: OutputLimit) -> Result<Option<ExecutionResult>, TaskError> {
        let standing = self.standing()?;
        let outcome = match (standing.state, standing.record) {
            (TaskState::Finished, Some(record)) => Outcome::Finished(Box::new(record)),
            (TaskState::Lost | TaskState::Finished, _) => Outcome::Lost,
            (TaskState::Waiting | TaskState::Running | TaskState::NeedsInput, _) => {
                return Ok(None);
            }
        };
        if let Some(left) = self.engine.runs().left(&self.id) {
            // This puts the end on record too, once.
            let told = left.report.result_within(outcome, limit);
            self.engine.runs().has_ended(&self.id);
            return told.map(Some).map_err(|source| self.untold(source));
        }
        self.record_end();
        let settings = self.engine.settings();
        let account = Account::of(self.directory.clone(), &self.spec, settings.outside());
        let result = match outcome {
            Outcome::Finished(record) => account
                .finished(&record, limit)
                .map_err(|source| self.untold(source))?,
            Outcome::Lost | Outcome::Refused(_) => account.lost(limit),
        };
        Ok(Some(result))
    }

    fn untold(&self, source: crate::model::error::EngineError) -> TaskError {
        TaskError::Result {
            task: self.id.to_string(),
            source,
        }
    }

    /// How it stands.
    pub(super) fn standing(&self) -> Result<Standing, TaskError> {
        let unreadable = |source| TaskError::Directory {
            task: self.id.to_string(),
            source,
        };
        if let Some(standing) = Standing::of(&self.directory).map_err(unreadable)? {
            return Ok(standing);
        }
        let without_record = |state| Standing {
            state,
            record: None,
        };
        let runs = self.engine.runs();
        let gone = || TaskError::Gone {
            task: self.id.to_string(),
        };
        match runs.left(&self.id).map(|left| (left.outcome(), left)) {
            Some((None, _)) => Ok(without_record(TaskState::Waiting)),
            Some((Some(Outcome::Lost), _)) => Ok(without_record(TaskState::Lost)),
            Some((Some(outcome), left)) => Err(self.not_started(outcome, &left)),
            None if runs.is_listed(&self.id) => Ok(without_record(TaskState::Waiting)),
            None => Err(gone()),
        }
    }

    fn not_started(&self, outcome: Outcome, left: &Left) -> TaskError {
        let told = left.report.result(outcome);
        self.engine.runs().has_ended(&self.id);
        let task = self.id.to_string();
        match told {
            Err(source) => TaskError::NotStarted { task, source },
            Ok(_) => TaskError::Gone { task },
        }
    }

    /// A bell that rings when the task directory may have changed.
    pub(super) fn bell(&self, interest: Interest) -> Result<Bell, TaskError> {
        let bell = self
            .engine
            .task_watcher()
            .bell(self.directory.path(), interest);
        bell.map_err(|source| self.no_thread(source))
    }

    pub(super) fn no_thread(&self, source: io::Error) -> TaskError {
        TaskError::Resources {
            task: self.id.to_string(),
            source,
        }
    }

    /// Puts the end of this task on record, without holding up an executor: the digest of a long
    /// log takes its time.
    pub(super) async fn note_end(&self) -> Result<(), TaskError> {
        let runs = self.engine.runs();
        let left = runs.left(&self.id);
        let open = left.as_ref().is_some_and(Left::is_open);
        let foreign = left.is_none() && !runs.is_listed(&self.id);
        if open || (foreign && !self.engine.ends().has(&self.id)) {
            let task = self.clone();
            self.on_thread(move || task.record_end()).await?;
        }
        Ok(())
    }

    fn record_end(&self) {
        let runs = self.engine.runs();
        if let Some(left) = runs.left(&self.id) {
            if let Some(outcome) = left.outcome() {
                drop(left.report.result(outcome));
                runs.has_ended(&self.id);
            }
        } else if !runs.is_listed(&self.id) {
            // The caller that holds a listed run writes its end down.
            self.engine
                .ends()
                .record(self.engine.state_directory(), &self.id);
        }
    }

    /// Does work on a thread of its own.
    pub(super) async fn on_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, TaskError> {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        std::thread::Builder::new()
            .name("bashful-task".to_owned())
            .spawn(move || drop(sender.send(work())))
            .map_err(|source| self.no_thread(source))?;
        let lost = |_| self.no_thread(io::Error::other("the thread ended early"));
        receiver.await.map_err(lost)
    }
}
