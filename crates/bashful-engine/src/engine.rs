//! The engine: from a request to a run.
//!
//! `start` below is the life of a command top to bottom: check, find its context, judge, ask,
//! record, prepare, hand to the keeper. What comes after that is in `run`.

use crate::base::lock::lock;
use crate::engine::backend_choice::Chosen;
use crate::launch::client::Origin;
use crate::launch::find_keeper;
use crate::run::running::BackendFailed;
use std::collections::HashMap;
use std::os::fd::AsFd;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use bashful_keeper::{ALONE, Request, TaskDirectory};
use bashful_policy::CommandValidator;

use crate::ask::asking::Abandoned;
use crate::ask::refusals::Draft;
use crate::config::Config;
use crate::engine::builder::EngineBuilder;
use crate::judge::policy::{Case, Checked};
use crate::launch::client::{Client, KeeperAddress, Order};
use crate::launch::journal::EndRecord;
use crate::launch::prepare::Prepared;
use crate::launch::progress::Progress;
use crate::model::error::EngineError;
use crate::model::result::{ExecutionResult, RequestInfo};
use crate::record::ends_on_record::EndsOnRecord;
use crate::record::next_cleaning::NextCleaning;
use crate::request::context::RunContext;
use crate::request::invocation::Invocation;
use crate::request::settings::Reach;
use crate::request::settings::Settings;
use crate::run::account::Account;
use crate::run::running::{Report, Run};
use crate::run::watch::TaskWatcher;
use crate::shells::ShellCall;

mod answers;
mod ask;
pub(crate) mod backend_choice;
pub(crate) mod builder;
pub(crate) mod host_state;
mod shells;
mod start;
pub(crate) mod verdicts;
pub(crate) mod weaker;

use crate::run::runs::Entry;
pub(crate) use crate::run::runs::Runs;

/// Runs commands. Cheap to clone; clones share keepers and the list of what runs.
#[derive(Debug, Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    settings: Settings,
    /// Where new keepers come from, unless they are executables.
    fork: Option<Origin>,
    validator: CommandValidator,
    keepers: Mutex<HashMap<String, Arc<Client>>>,
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
                fork,
                validator,
                keepers: Mutex::default(),
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
        let waits = self.inner.settings.asking.may_block(&self.inner.settings)
            // Calls in one shell wait for each other.
            || invocation.shell.is_some();
        if !waits && invocation.action.is_short() {
            return self.start(invocation);
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
        lock(&self.inner.keepers).values().any(|one| one.is_joined)
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
    pub fn check(&self, mut invocation: Invocation) -> Result<Checked, EngineError> {
        invocation.action.check()?;
        let heading = self.heading(&mut invocation);
        self.look_into_shell(&mut invocation, &heading)?;
        let settings = &self.inner.settings;
        let ground = RunContext::of(settings, &invocation, &heading)?;
        self.case(&invocation).judge(&ground)
    }

    pub(crate) fn case<'a>(&'a self, invocation: &'a Invocation) -> Case<'a> {
        Case {
            settings: &self.inner.settings,
            validator: &self.inner.validator,
            invocation,
        }
    }

    pub(crate) fn heading(&self, invocation: &mut Invocation) -> RequestInfo {
        let settings = &self.inner.settings;
        RequestInfo {
            command: invocation.as_command(),
            description: invocation.description.take(),
            operation_id: invocation.operation_id.take(),
            agent: invocation
                .agent
                .take()
                .unwrap_or_else(|| settings.agent.clone()),
            session: settings.session.name.clone(),
            decision: None,
            approval: None,
            sandbox_notes: Vec::new(),
            warn_after: invocation.warn_after,
            script: invocation.script.as_ref().map(|call| Box::new(call.ran())),
        }
    }

    fn launch(
        &self,
        prepared: Prepared,
        heading: RequestInfo,
        (end_record, draft, shell): (EndRecord, Draft, Option<ShellCall>),
    ) -> Result<Run, EngineError> {
        let id = prepared.start.spec.id.clone();
        let directory = TaskDirectory::of(&self.inner.settings.places.state, &id);
        let detached = prepared.start.detached;
        let let_go_after = prepared.let_go_after;
        let spec = Arc::new(prepared.start.spec.clone());
        let (name, has_terminal) = (spec.name.clone(), spec.terminal.is_some());
        self.inner.runs.settle();
        let request = Request::Start(Box::new(prepared.start));
        let descriptors: Vec<_> = prepared.descriptors.iter().map(AsFd::as_fd).collect();
        let (client, progress) = loop {
            let progress = Arc::new(Progress::default());
            let order = Order {
                id: &id,
                request: &request,
                descriptors: &descriptors,
                progress: &progress,
            };
            // One that says goodbye in this very moment is followed by another.
            if let Some(client) = self.give_order(order, &heading.agent, &prepared.workspace)? {
                break (client, progress);
            }
        };
        let running = self.inner.runs.list(Entry {
            spec,
            client: Arc::clone(&client),
        });
        // A process that forks its keepers has one thread, and does this when it is done.
        if !self.inner.settings.forks_keepers {
            self.clean_tasks_aside();
        }
        let account = Account {
            output_file: prepared.log_copy.unwrap_or_else(|| directory.log()),
            id,
            heading,
            directory,
        };
        let report = Report {
            account,
            limit: prepared.limit,
            backend_failed: {
                let chosen = self.inner.settings.kept.of::<Chosen>();
                BackendFailed(Box::new(move || chosen.forget()))
            },
            progress,
            end_record,
            draft,
            shell: Mutex::new(shell),
        };
        Ok(Run {
            report: Arc::new(report),
            client,
            running,
            owned: !detached,
            // One that runs for longer than the clock can tell is not let go.
            lets_go_at: let_go_after.and_then(|delay| Instant::now().checked_add(delay)),
            name,
            has_terminal,
            has_place: AtomicBool::new(false),
            most_tasks: self.inner.settings.config.tasks.per_agent,
        })
    }

    /// Where a new keeper comes from.
    fn keeper_origin(&self) -> Result<Origin, EngineError> {
        if let Some(origin) = &self.inner.fork {
            return Ok(origin.clone());
        }
        let settings = &self.inner.settings;
        find_keeper::find(settings.named_helper.as_deref(), settings.path()).map(Origin::Executable)
    }

    /// Has the keeper of this agent in this workspace start a run; none if that
    /// keeper just went away.
    fn give_order(
        &self,
        order: Order<'_>,
        agent: &str,
        workspace: &str,
    ) -> Result<Option<Arc<Client>>, EngineError> {
        let settings = &self.inner.settings;
        let name = settings
            .session
            .keeper_name(&settings.places.state, agent, workspace);
        // Held until the keeper is there, so that two runs do not start two.
        let mut keepers = lock(&self.inner.keepers);
        if let Some(client) = keepers.get(&name).filter(|client| client.is_open()) {
            let client = Arc::clone(client);
            drop(keepers);
            return Ok(client.start(order).then_some(client));
        }
        keepers.retain(|_, client| client.is_open());
        let address = KeeperAddress {
            origin: self.keeper_origin()?,
            state: settings.places.state.clone(),
            socket: match settings.session.reach {
                Reach::Shared => Some(settings.places.socket(&name)?),
                Reach::OneCall if !order.may_be_asked_later() => None,
                // So that others can reach what it keeps, also when we are gone.
                Reach::Engine | Reach::OneCall => {
                    let own = format!("{ALONE}{}", order.id);
                    Some(settings.places.socket(&own)?)
                }
            },
            alone: settings.session.reach != Reach::Shared,
            idle: settings.session.idle,
            more_to_come: settings.session.reach != Reach::OneCall,
        };
        let client = Arc::new(Client::open(&address, order)?);
        keepers.insert(name, Arc::clone(&client));
        Ok(Some(client))
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
