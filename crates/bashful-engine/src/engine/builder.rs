//! Making an engine: who asks, where things are kept, what the limits are.

use crate::base::kept::Kept;
use crate::request::settings::BackendChoice;
use crate::request::settings::Reach;
use crate::request::settings::Session;
use crate::request::settings::Settings;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use crate::base::secrets::secret_values;
use crate::config::{Config, Sandbox, Wish};
use crate::engine::Engine;
use crate::engine::backend_choice::Chosen;
use crate::launch::client::{EarlyKeeper, Origin};
use crate::model::approver::Approver;
use crate::model::asking::Asking;
use crate::model::asking::GiveUp;
use crate::model::error::EngineError;
use crate::model::places::Places;
use crate::record::audit::Trail;
use crate::request::settings::PolicyMode;
use crate::store::HeldStore;

/// Settings for an [`Engine`].
#[derive(Debug, Default)]
pub struct EngineBuilder {
    agent: Option<String>,
    session: Option<Session>,
    workspace: Option<PathBuf>,
    helper: Option<PathBuf>,
    places: Option<Places>,
    config: Option<Config>,
    environment: Option<BTreeMap<String, String>>,
    secrets: Vec<String>,
    one_call: bool,
    fork: Option<Origin>,
    sandbox: Option<Sandbox>,
    wish: Wish,
    policy: PolicyMode,
    profile: Option<String>,
    asking: Asking,
    shell_idle: Option<Duration>,
}

/// How long a shell is remembered after its last call.
const SHELL_IDLE: Duration = Duration::from_secs(24 * 60 * 60);

impl EngineBuilder {
    /// Who asks; the configuration's `agent` unless given.
    #[must_use]
    pub fn agent(mut self, agent: impl Into<String>) -> Self {
        self.agent = Some(agent.into());
        self
    }

    /// Joins a session by name, also from several processes; its keepers stay for
    /// the configured idle time. Otherwise the engine itself is the session.
    #[must_use]
    pub fn session(mut self, name: impl Into<String>) -> Self {
        self.session = Some(Session {
            name: name.into(),
            reach: Reach::Shared,
            idle: Duration::MAX,
        });
        self
    }

    /// Makes a session of its own that other processes can reach by the tasks in it, and whose
    /// keepers end when nothing runs in them: for runs that outlive this process.
    #[must_use]
    pub fn reachable(mut self) -> Self {
        self.session.get_or_insert_with(|| Session {
            name: bashful_keeper::TaskId::fresh("session").to_string(),
            reach: Reach::Shared,
            idle: Duration::ZERO,
        });
        self
    }

    /// The writable root for runs that name none; the current directory unless given.
    #[must_use]
    pub fn workspace(mut self, workspace: impl Into<PathBuf>) -> Self {
        self.workspace = Some(workspace.into());
        self
    }

    /// The executable that serves as keeper.
    #[must_use]
    pub fn helper(mut self, path: impl Into<PathBuf>) -> Self {
        self.helper = Some(path.into());
        self
    }

    /// After how long without a call a shell is forgotten; a day unless given.
    #[must_use]
    pub fn shell_idle(mut self, idle: Duration) -> Self {
        self.shell_idle = Some(idle);
        self
    }

    /// Says that this process makes one call and ends, so that nothing is prepared
    /// for a second one.
    #[must_use]
    pub fn one_call(mut self) -> Self {
        self.one_call = true;
        self
    }

    /// Makes keepers by forking this process instead of starting an executable,
    /// which is faster. Only for small programs: one with more than one thread at
    /// its first run gets an error.
    #[must_use]
    pub fn keeper_by_fork(mut self) -> Self {
        self.fork.get_or_insert(Origin::Fork);
        self
    }

    /// Uses a keeper that was forked ahead of time for the first run. There is only
    /// this one, so it is for a process that makes one call.
    #[must_use]
    pub fn early_keeper(mut self, keeper: EarlyKeeper) -> Self {
        self.fork = Some(keeper.into_origin());
        self.one_call()
    }

    /// Where things are kept.
    #[must_use]
    pub fn places(mut self, places: Places) -> Self {
        self.places = Some(places);
        self
    }

    /// The configuration; the built-in defaults unless given.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = Some(config);
        self
    }

    /// The caller's environment; this process's unless given.
    #[must_use]
    pub fn environment(mut self, environment: BTreeMap<String, String>) -> Self {
        self.environment = Some(environment);
        self
    }

    /// Masks this value in all output. Values under eight characters are not masked.
    #[must_use]
    pub fn mask(mut self, value: impl Into<String>) -> Self {
        self.secrets.push(value.into());
        self
    }

    /// What confines its runs; the configuration's `sandbox` unless given.
    #[must_use]
    pub fn sandbox(mut self, sandbox: Sandbox) -> Self {
        self.sandbox = Some(sandbox);
        self
    }

    /// What its runs ask for on top of their agent's profile.
    #[must_use]
    pub fn wish(mut self, wish: Wish) -> Self {
        self.wish = wish;
        self
    }

    /// Whether its runs are judged first; by their agent's profile unless given.
    #[must_use]
    pub fn policy(mut self, mode: PolicyMode) -> Self {
        self.policy = mode;
        self
    }

    /// The profile of its runs, by name, instead of their agent's: one of the configuration, or
    /// the built-in `careful` or `confined`. An agent that the admin file gives a profile keeps it.
    #[must_use]
    pub fn profile_name(mut self, name: impl Into<String>) -> Self {
        self.profile = Some(name.into());
        self
    }

    /// Who puts asks to a person. Without one, an ask can be answered elsewhere only.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.asking.approver = Some(approver);
        self
    }

    /// How long a request waits for an answer from elsewhere; the configuration's
    /// `approvals.wait` unless given.
    #[must_use]
    pub fn wait_for_answers(mut self, wait: Duration) -> Self {
        self.asking.wait = Some(wait);
        self
    }

    /// Stops waiting for an answer as soon as this says so. The ask stays, and can be answered.
    #[must_use]
    pub fn give_up_when(mut self, stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.asking.give_up = Some(GiveUp(Arc::new(stop)));
        self
    }

    /// Makes the engine. Nothing is started before the first run.
    pub fn build(self) -> Result<Engine, EngineError> {
        let fork = self.fork.clone();
        Ok(Engine::from_settings(self.settings()?, fork))
    }

    /// What the engine will go by.
    pub(crate) fn settings(self) -> Result<Settings, EngineError> {
        let config = self.config.unwrap_or_default();
        let environment = self.environment.unwrap_or_else(|| {
            let text = |text: std::ffi::OsString| text.into_string().ok();
            std::env::vars_os()
                .filter_map(|(name, value)| Some((text(name)?, text(value)?)))
                .collect()
        });
        let places = match self.places {
            Some(places) => places,
            None => Places::from_environment(|name| environment.get(name).cloned())?,
        };
        let mut session = self.session.unwrap_or_else(|| Session {
            name: bashful_keeper::TaskId::fresh("session").to_string(),
            reach: if self.one_call {
                Reach::OneCall
            } else {
                Reach::Engine
            },
            idle: Duration::ZERO,
        });
        session.idle = session.idle.min(config.keeper.idle);
        let listed: Vec<String> = config
            .secrets
            .values
            .iter()
            .map(|secret| secret.expose().to_owned())
            .chain(self.secrets)
            .collect();
        let trail = match self.fork {
            // A keeper that is forked would have copies of what is open.
            Some(_) => Trail::at(&places.state),
            None => Trail::kept_open(&places.state),
        };
        let forks_keepers = self.fork.is_some();
        Ok(Settings {
            agent: self.agent.unwrap_or_else(|| config.agent.clone()),
            session,
            workspace: self.workspace,
            named_keeper: self.helper,
            store: Arc::new(HeldStore::at(&places.state, forks_keepers)),
            forks_keepers,
            places,
            mask: secret_values(&environment, &listed, &config.secrets.names),
            environment,
            sandbox: self.sandbox.unwrap_or(config.sandbox),
            backend_choice: BackendChoice {
                get: Chosen::for_settings,
                peek: Chosen::known_to,
            },
            wish: self.wish,
            policy: self.policy,
            profile: self.profile,
            asking: self.asking,
            shell_idle: self.shell_idle.unwrap_or(SHELL_IDLE),
            config,
            git_identity: OnceLock::new(),
            trail,
            bash: Mutex::default(),
            kept: Kept::default(),
        })
    }
}

impl Settings {
    /// A builder for an engine that gets its keepers as this one does.
    pub(crate) fn alike(&self) -> EngineBuilder {
        EngineBuilder {
            helper: self.named_keeper.clone(),
            // A keeper that was forked for this one's call is not for another's.
            fork: self.forks_keepers.then_some(Origin::Fork),
            environment: Some(self.environment.clone()),
            ..EngineBuilder::default()
        }
    }
}

#[cfg(test)]
mod tests;
