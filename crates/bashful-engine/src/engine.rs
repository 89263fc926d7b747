//! The engine: what it holds, and what a caller can ask of it.
//!
//! The life of a command, from a request to a run, is in `engine/start.rs`, top to bottom. What comes
//! after that is in `run`.

use std::sync::Arc;

use bashful_policy::CommandValidator;

use crate::ask::asking::Abandoned;
use crate::config::Config;
use crate::engine::builder::EngineBuilder;
use crate::engine::hand_over::Keepers;
use crate::judge::policy::Checked;
use crate::launch::client::Origin;
use crate::model::error::EngineError;
use crate::model::result::ExecutionResult;
use crate::record::ends_on_record::EndsOnRecord;
use crate::record::next_cleaning::NextCleaning;
use crate::request::invocation::Invocation;
use crate::request::resolved::ResolvedRequest;
use crate::request::settings::Settings;
use crate::run::running::Run;
use crate::run::watch::TaskWatcher;

mod answers;
mod ask;
pub(crate) mod backend_choice;
pub(crate) mod builder;
mod claims;
mod hand_over;
pub(crate) mod host_state;
mod judging;
mod ready;
mod shells;
mod start;
pub(crate) mod verdicts;
pub(crate) mod weaker;

pub(crate) use crate::run::runs::Runs;

/// Runs commands. Cheap to clone; clones share keepers and the list of what runs.
#[derive(Debug, Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    settings: Settings,
    validator: CommandValidator,
    keepers: Keepers,
    runs: Arc<Runs>,
    task_watcher: TaskWatcher,
    ends: EndsOnRecord,
    next_cleaning: NextCleaning,
}

/// What was decided about a request.
#[derive(Debug)]
pub enum Started {
    /// It was allowed, and its keeper has the order.
    Running(Run),
    /// It was not allowed; nothing was started.
    NotAllowed(Box<ExecutionResult>),
}

/// A run of this engine that goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listed {
    /// The task's id.
    pub task_id: String,
    /// The agent that asked for the run.
    pub agent: String,
    /// The command as the agent asked for it.
    pub command: String,
}

impl Engine {
    /// A builder with the usual settings.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    pub(crate) fn from_settings(settings: Settings, fork: Option<Origin>) -> Self {
        let validator = CommandValidator::new(&settings.config.blocked_commands);
        Self {
            inner: Arc::new(Inner {
                settings,
                validator,
                keepers: Keepers::new(fork),
                runs: Arc::default(),
                task_watcher: TaskWatcher::default(),
                ends: EndsOnRecord::default(),
                next_cleaning: NextCleaning::default(),
            }),
        }
    }

    /// Runs a command and waits for its end. Dropping the future ends the command
    /// with its whole process tree.
    #[tracing::instrument(name = "run", skip_all, fields(command = %invocation.action.as_command(), operation_id = invocation.operation_id))]
    pub async fn run(&self, invocation: Invocation) -> Result<ExecutionResult, EngineError> {
        match self.start_on_thread(invocation).await? {
            Started::Running(run) => run.wait().await,
            Started::NotAllowed(result) => Ok(*result),
        }
    }

    /// Starts a command, on a thread of its own if it may wait for a person. When the future goes,
    /// so does the wait, and nothing is started.
    pub(crate) async fn start_on_thread(
        &self,
        invocation: Invocation,
    ) -> Result<Started, EngineError> {
        let waits = self.inner.settings.asking.may_block(&self.inner.settings);
        if !waits && invocation.action.is_short() {
            if invocation.shell.is_none() {
                return self.start(invocation);
            }
            // Calls in one shell wait for each other: on the thread, where one has it now.
            if let Some(entered) = self.enter_free_shell(&invocation) {
                return self.begin_in(Some(entered), invocation, &Abandoned::default());
            }
        }
        let engine = self.clone();
        on_thread(move |abandoned| engine.begin(invocation, abandoned)).await
    }

    /// Starts a command. If a person is to be asked, it waits for the answer as long as the
    /// engine was told to.
    pub fn start(&self, invocation: Invocation) -> Result<Started, EngineError> {
        self.begin(invocation, &Abandoned::default())
    }

    /// Whether its session was there before.
    pub(crate) fn joins_a_session(&self) -> bool {
        self.inner.keepers.joined()
    }

    /// What it goes by.
    pub(crate) fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    /// The configuration that it goes by.
    pub(crate) fn config(&self) -> &Config {
        &self.inner.settings.config
    }

    /// Tells what the policy says about this request, and why. Nothing runs, nothing is
    /// recorded.
    pub fn check(&self, invocation: Invocation) -> Result<Checked, EngineError> {
        invocation.action.check()?;
        let remembered = self.look_into_shell(&invocation)?;
        let request = ResolvedRequest::of(self.settings(), invocation, remembered)?;
        self.case(&request).judge(&request.context)
    }

    /// What this engine runs now.
    pub fn running(&self) -> Vec<Listed> {
        let list = self.inner.runs.listed();
        let mut listed: Vec<Listed> = list
            .iter()
            .map(|entry| Listed {
                task_id: entry.spec.id.to_string(),
                agent: entry.spec.agent.clone(),
                command: entry.spec.command.clone(),
            })
            .collect();
        listed.sort_by(|one, other| one.task_id.cmp(&other.task_id));
        listed
    }

    /// Ends every run of this agent, and says how many that were.
    pub fn end_agent(&self, agent: &str) -> usize {
        let mut entries = self.inner.runs.listed();
        entries.retain(|entry| entry.spec.agent == agent);
        for entry in &entries {
            entry.client.cancel(&entry.spec.id, false);
        }
        entries.len()
    }

    /// The agent that asks, unless a request names another one.
    pub fn agent(&self) -> &str {
        &self.inner.settings.agent
    }

    /// The runs of this engine.
    pub(crate) fn runs(&self) -> &Runs {
        &self.inner.runs
    }

    /// From where task directories are watched.
    pub(crate) fn task_watcher(&self) -> &TaskWatcher {
        &self.inner.task_watcher
    }

    /// Which ends of other people's tasks are on record.
    pub(crate) fn ends(&self) -> &EndsOnRecord {
        &self.inner.ends
    }

    /// When old tasks are looked at next.
    pub(crate) fn next_cleaning(&self) -> &NextCleaning {
        &self.inner.next_cleaning
    }

    /// Where this engine keeps its records.
    pub fn state_directory(&self) -> &std::path::Path {
        &self.inner.settings.places.state
    }
}

/// Does work that may take long on a thread of its own. When the future goes, the thread is told
/// that its caller does not wait any more.
async fn on_thread<T: Send + 'static>(
    work: impl FnOnce(&Abandoned) -> Result<T, EngineError> + Send + 'static,
) -> Result<T, EngineError> {
    let abandoned = Abandoned::default();
    let guard = Abandon(abandoned.clone());
    let (sender, receiver) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || sender.send(work(&abandoned)));
    let done = receiver.await;
    drop(guard);
    done.map_err(|_| EngineError::Abandoned)?
}

/// Tells the thread that its caller does not wait any more.
struct Abandon(Abandoned);

impl Drop for Abandon {
    fn drop(&mut self) {
        self.0.0.store(true, std::sync::atomic::Ordering::Release);
    }
}

#[cfg(test)]
mod tests;
