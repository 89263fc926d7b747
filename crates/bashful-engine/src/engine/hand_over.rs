//! Handing a prepared run to the keeper of its session, which is found or started for that.

use std::collections::HashMap;
use std::os::fd::AsFd;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use bashful_keeper::{ALONE, Request, TaskDirectory};

use super::Engine;
use crate::ask::refusals::Draft;
use crate::base::lock::lock;
use crate::engine::backend_choice::Chosen;
use crate::launch::client::{Client, KeeperAddress, Order, Origin};
use crate::launch::end_record::EndRecord;
use crate::launch::find_keeper;
use crate::launch::prepare::Prepared;
use crate::launch::progress::Progress;
use crate::model::error::EngineError;
use crate::model::result::RequestInfo;
use crate::request::settings::Reach;
use crate::run::account::Account;
use crate::run::running::{BackendFailed, Report, Run};
use crate::run::runs::Entry;
use crate::shells::ShellCall;

/// The keepers that an engine talks to, by their names, and where new ones come from.
#[derive(Debug)]
pub(super) struct Keepers {
    open: Mutex<HashMap<String, Arc<Client>>>,
    /// Where new keepers come from, unless they are executables.
    fork: Option<Origin>,
}

impl Keepers {
    pub(super) fn new(fork: Option<Origin>) -> Self {
        Self {
            open: Mutex::default(),
            fork,
        }
    }

    /// Whether one of them was there before this engine.
    pub(super) fn joined(&self) -> bool {
        lock(&self.open).values().any(|one| one.is_joined)
    }
}

/// What is done when a run ends.
pub(super) struct AtTheEnd {
    /// Puts the end on record.
    pub(super) record: EndRecord,
    /// Asks for what was stopped; nothing is asked about a managed script, which is changed where it
    /// is kept.
    pub(super) draft: Option<Draft>,
    /// Saves what the shell remembers.
    pub(super) shell: Option<ShellCall>,
}

impl Engine {
    /// Gives the order to start a run, and lists the run.
    pub(super) fn hand_over(
        &self,
        prepared: Prepared,
        info: RequestInfo,
        at_the_end: AtTheEnd,
    ) -> Result<Run, EngineError> {
        let settings = self.settings();
        let id = prepared.start.spec.id.clone();
        let directory = TaskDirectory::of(&settings.places.state, &id);
        let detached = prepared.start.detached;
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
            if let Some(client) = self.give_order(order, &info.agent, &prepared.keeper)? {
                break (client, progress);
            }
        };
        let running = self.inner.runs.list(Entry {
            spec,
            client: Arc::clone(&client),
        });
        // A process that forks its keepers has one thread, and does this when it is done.
        if !settings.forks_keepers {
            self.clean_tasks_aside();
        }
        let chosen = settings.kept.of::<Chosen>();
        let report = Report {
            account: Account {
                output_file: prepared.log_copy.unwrap_or_else(|| directory.log()),
                id,
                info,
                directory,
                outside: settings.outside(),
                homes: prepared.homes,
            },
            state: settings.places.state.clone(),
            limit: prepared.limit,
            backend_failed: BackendFailed(Box::new(move || chosen.forget())),
            progress,
            end_record: at_the_end.record,
            draft: at_the_end.draft,
            shell: Mutex::new(at_the_end.shell),
        };
        // One that runs for longer than the clock can tell is not let go.
        let let_go = |delay| Instant::now().checked_add(delay);
        Ok(Run {
            report: Arc::new(report),
            client,
            running,
            owned: !detached,
            lets_go_at: prepared.let_go_after.and_then(let_go),
            name,
            has_terminal,
            has_place: AtomicBool::new(false),
            most_tasks: settings.config.tasks.per_agent,
        })
    }

    /// Has the keeper of this agent that goes by this name start a run; none if that keeper just
    /// went away.
    pub(super) fn give_order(
        &self,
        order: Order<'_>,
        agent: &str,
        keeper: &str,
    ) -> Result<Option<Arc<Client>>, EngineError> {
        let settings = self.settings();
        let session = &settings.session;
        let name = session.keeper_name(&settings.places.state, agent, keeper);
        // Held until the keeper is there, so that two runs do not start two.
        let mut keepers = lock(&self.inner.keepers.open);
        if let Some(client) = keepers.get(&name).filter(|client| client.is_open()) {
            let client = Arc::clone(client);
            drop(keepers);
            return Ok(client.start(order).then_some(client));
        }
        keepers.retain(|_, client| client.is_open());
        let address = KeeperAddress {
            origin: self.keeper_origin()?,
            state: settings.places.state.clone(),
            socket: match session.reach {
                Reach::Shared => Some(settings.places.socket(&name)?),
                Reach::OneCall if !order.may_be_asked_later() => None,
                // So that others can reach what it keeps, also when we are gone.
                Reach::Engine | Reach::OneCall => {
                    let own = format!("{ALONE}{}", order.id);
                    Some(settings.places.socket(&own)?)
                }
            },
            alone: session.reach != Reach::Shared,
            idle: session.idle,
            more_to_come: session.reach != Reach::OneCall,
        };
        let client = Arc::new(Client::open(&address, order)?);
        keepers.insert(name, Arc::clone(&client));
        Ok(Some(client))
    }

    /// Where a new keeper comes from.
    fn keeper_origin(&self) -> Result<Origin, EngineError> {
        if let Some(origin) = &self.inner.keepers.fork {
            return Ok(origin.clone());
        }
        let settings = self.settings();
        find_keeper::find(settings.named_keeper.as_deref(), settings.path()).map(Origin::Executable)
    }
}
