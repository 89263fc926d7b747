//! The engine: from a request to a run.
//!
//! `Engine::start` is the life of a command top to bottom: check, find its ground,
//! judge, prepare, hand to the keeper. What comes after that is in `run`.

use std::collections::HashMap;
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bashful_keeper::{Request, TaskDirectory, TaskId};
use bashful_policy::{CommandValidator, Effect};

use crate::audit::record_refusal;
use crate::builder::{EngineBuilder, Reach, Settings};
use crate::client::{Client, KeeperAddress, Order};
use crate::doctor::{Diagnosis, Look, diagnose};
use crate::error::{EngineError, InvalidInvocation};
use crate::explain::{Explanation, explain};
use crate::ground::Ground;
use crate::invocation::Invocation;
use crate::policy::{Checked, judge};
use crate::prepare::{Prepared, prepare};
use crate::progress::Progress;
use crate::result::{ExecutionResult, Heading};
use crate::run::{Report, Run};

/// Runs commands. Cheap to clone; clones share keepers and the list of what runs.
#[derive(Debug, Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    settings: Settings,
    validator: CommandValidator,
    keepers: Mutex<HashMap<String, Arc<Client>>>,
    running: Arc<Mutex<HashMap<TaskId, Entry>>>,
}

/// One line of the list of what runs.
#[derive(Debug, Clone)]
struct Entry {
    agent: String,
    command: String,
    client: Arc<Client>,
}

/// What was decided about a request.
#[derive(Debug)]
pub enum Started {
    /// It runs.
    Running(Run),
    /// It was not allowed; nothing was started.
    NotAllowed(Box<ExecutionResult>),
}

/// A run of this engine that goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listed {
    /// The task.
    pub task_id: String,
    /// Who asked.
    pub agent: String,
    /// The command.
    pub command: String,
}

impl Engine {
    /// A builder with the usual settings.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    pub(crate) fn from_settings(settings: Settings) -> Self {
        let validator = CommandValidator::new(&settings.config.blocked_commands);
        Self {
            inner: Arc::new(Inner {
                settings,
                validator,
                keepers: Mutex::default(),
                running: Arc::default(),
            }),
        }
    }

    /// Runs a command and waits for its end. Dropping the future ends the command
    /// with its whole process tree.
    #[tracing::instrument(name = "run", skip_all, fields(command = %invocation.action.as_command(), operation_id = invocation.operation_id))]
    pub async fn run(&self, invocation: Invocation) -> Result<ExecutionResult, EngineError> {
        match self.start(invocation)? {
            Started::Running(run) => run.wait().await,
            Started::NotAllowed(result) => Ok(*result),
        }
    }

    /// Starts a command.
    pub fn start(&self, mut invocation: Invocation) -> Result<Started, EngineError> {
        let settings = &self.inner.settings;
        invocation.action.check()?;
        if settings.config.require_description && is_blank(invocation.description.as_deref()) {
            return Err(InvalidInvocation::NoDescription.into());
        }
        let mut heading = self.heading(&mut invocation);
        let ground = Ground::of(settings, &invocation, &heading)?;
        let checked = judge(settings, &self.inner.validator, &invocation, &ground)?;
        let decision = checked.decision_about(&heading.command);
        let decision = heading.decision.insert(decision);
        if decision.effect != Effect::Allow {
            // A refusal that cannot be recorded is an error, and nothing runs either way.
            record_refusal(&settings.places.state, &heading, &settings.mask)?;
            let refused = ExecutionResult::not_allowed(heading);
            return Ok(Started::NotAllowed(Box::new(refused)));
        }
        let prepared = prepare(settings, invocation, &heading, ground)?;
        self.launch(prepared, heading).map(Started::Running)
    }

    /// Tells what [`Engine::start`] would do for this request. Nothing runs, nothing is
    /// recorded, no room is built; a log that the request names is not touched.
    pub fn explain(&self, mut invocation: Invocation) -> Result<Explanation, EngineError> {
        invocation.action.check()?;
        let mut heading = self.heading(&mut invocation);
        let settings = &self.inner.settings;
        let ground = Ground::of(settings, &invocation, &heading)?;
        let checked = judge(settings, &self.inner.validator, &invocation, &ground)?;
        let decision = checked.decision_about(&heading.command);
        let decision = heading.decision.insert(decision);
        if decision.effect != Effect::Allow {
            return Ok(Explanation::refused(heading));
        }
        explain(settings, invocation, heading, ground)
    }

    /// Tells what the policy says about this request, and why. Nothing runs, nothing is
    /// recorded.
    pub fn check(&self, mut invocation: Invocation) -> Result<Checked, EngineError> {
        invocation.action.check()?;
        let heading = self.heading(&mut invocation);
        let settings = &self.inner.settings;
        let ground = Ground::of(settings, &invocation, &heading)?;
        judge(settings, &self.inner.validator, &invocation, &ground)
    }

    /// Tells what this host offers and what will be enforced on it, by really building a
    /// sandbox once. A sandbox that held is remembered until the next boot.
    pub fn doctor(&self, look: Look) -> Result<Diagnosis, EngineError> {
        diagnose(&self.inner.settings, look)
    }

    fn heading(&self, invocation: &mut Invocation) -> Heading {
        let settings = &self.inner.settings;
        Heading {
            command: invocation.action.as_command(),
            description: invocation.description.take(),
            operation_id: invocation.operation_id.take(),
            agent: invocation
                .agent
                .take()
                .unwrap_or_else(|| settings.agent.clone()),
            session: settings.session.name.clone(),
            decision: None,
        }
    }

    fn launch(&self, prepared: Prepared, heading: Heading) -> Result<Run, EngineError> {
        let id = prepared.start.spec.id.clone();
        let directory = TaskDirectory::of(&self.inner.settings.places.state, &id);
        let detached = prepared.start.detached;
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
        let entry = Entry {
            agent: heading.agent.clone(),
            command: heading.command.clone(),
            client: Arc::clone(&client),
        };
        lock(&self.inner.running).insert(id.clone(), entry);
        let running = Running {
            id: id.clone(),
            list: Arc::clone(&self.inner.running),
        };
        let report = Report {
            output_file: prepared.log_copy.unwrap_or_else(|| directory.log()),
            id,
            heading,
            directory,
            limit: prepared.limit,
            progress,
        };
        Ok(Run {
            report: Arc::new(report),
            client,
            _running: running,
            owned: !detached,
        })
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
            origin: settings.keeper_origin()?,
            state: settings.places.state.clone(),
            socket: match settings.session.reach {
                Reach::Shared => Some(settings.places.socket(&name)?),
                Reach::Engine | Reach::OneCall => None,
            },
            idle: settings.session.idle,
            more_to_come: settings.session.reach != Reach::OneCall,
        };
        let client = Arc::new(Client::open(&address, order)?);
        keepers.insert(name, Arc::clone(&client));
        Ok(Some(client))
    }

    /// What this engine runs now.
    pub fn running(&self) -> Vec<Listed> {
        let list = lock(&self.inner.running);
        let mut listed: Vec<Listed> = list
            .iter()
            .map(|(id, entry)| Listed {
                task_id: id.to_string(),
                agent: entry.agent.clone(),
                command: entry.command.clone(),
            })
            .collect();
        listed.sort_by(|one, other| one.task_id.cmp(&other.task_id));
        listed
    }

    /// Ends every run of this agent, and says how many that were.
    pub fn end_agent(&self, agent: &str) -> usize {
        let entries: Vec<(TaskId, Entry)> = lock(&self.inner.running)
            .iter()
            .filter(|(_, entry)| entry.agent == agent)
            .map(|(id, entry)| (id.clone(), entry.clone()))
            .collect();
        for (id, entry) in &entries {
            entry.client.cancel(id, false);
        }
        entries.len()
    }

    /// Where this engine keeps its records.
    pub fn state_directory(&self) -> &std::path::Path {
        &self.inner.settings.places.state
    }
}

/// A line in the list of what runs, which goes when this does.
#[derive(Debug)]
pub(crate) struct Running {
    id: TaskId,
    list: Arc<Mutex<HashMap<TaskId, Entry>>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        lock(&self.list).remove(&self.id);
    }
}

fn is_blank(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Both maps are whole after every statement, so a panic elsewhere did not tear them.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
