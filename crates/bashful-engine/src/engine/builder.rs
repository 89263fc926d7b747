//! Making an engine: who asks, where things are kept, what the limits are.

use crate::base::digest::hexadecimal;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bashful_keeper::VERSION;
use bashful_sandbox::Backend;
use sha2::{Digest, Sha256};

use crate::ask::approvals::Approver;
use crate::ask::asking::{Asking, GiveUp};
use crate::config::{Config, Sandbox, Wish, env as variables};
use crate::confine::bounds::Remembered;
use crate::confine::environment::{secret_values, write_git_identity};
use crate::engine::Engine;
use crate::engine::backend_choice::Chosen;
use crate::faces::explain::Noted;
use crate::judge::policy::{Policies, PolicyMode};
use crate::launch::client::{EarlyKeeper, Origin};
use crate::launch::find_keeper::{self, is_executable, on_path};
use crate::model::error::EngineError;
use crate::model::places::Places;
use crate::record::audit::Trail;
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

/// After so long without a call, a shell is forgotten.
const SHELL_IDLE: Duration = Duration::from_secs(24 * 60 * 60);

/// One conversation of an agent with Bashful.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub(crate) name: String,
    pub(crate) reach: Reach,
    pub(crate) idle: Duration,
}

/// Who belongs to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Every process that names it.
    Shared,
    /// One engine.
    Engine,
    /// One call of one engine, which then ends.
    OneCall,
}

impl Session {
    /// The name of a keeper: what it belongs to, and the version it must have.
    pub(crate) fn keeper_name(&self, state: &Path, agent: &str, workspace: &str) -> String {
        let mut digest = Sha256::new();
        let parts = [VERSION, agent, &self.name, workspace].map(str::as_bytes);
        for part in parts
            .into_iter()
            .chain([state.as_os_str().as_encoded_bytes()])
        {
            // The length goes first, so that no two lists of parts look the same.
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        hexadecimal(&digest.finalize(), 12)
    }
}

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
        Ok(Engine::from_settings(Settings {
            agent: self.agent.unwrap_or_else(|| config.agent.clone()),
            session,
            workspace: self.workspace,
            named_helper: self.helper,
            store: Arc::new(HeldStore::at(&places.state, self.fork.is_some())),
            fork: self.fork,
            places,
            mask: secret_values(&environment, &listed, &config.secrets.names),
            environment,
            sandbox: self.sandbox.unwrap_or(config.sandbox),
            chosen: Arc::default(),
            wish: self.wish,
            policy: self.policy,
            profile: self.profile,
            asking: self.asking,
            shell_idle: self.shell_idle.unwrap_or(SHELL_IDLE),
            config,
            git_identity: OnceLock::new(),
            bounds: Remembered::default(),
            policies: Policies::default(),
            noted: Noted::default(),
            trail,
            bash: Mutex::default(),
        }))
    }
}

/// What an engine goes by.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) agent: String,
    pub(crate) session: Session,
    pub(crate) workspace: Option<PathBuf>,
    named_helper: Option<PathBuf>,
    fork: Option<Origin>,
    pub(crate) places: Places,
    /// Asks, grants and scripts.
    pub(crate) store: Arc<HeldStore>,
    pub(crate) config: Config,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) mask: Vec<String>,
    pub(crate) sandbox: Sandbox,
    /// The backend that `auto` stands for, once it was looked for.
    pub(crate) chosen: Arc<Chosen>,
    pub(crate) wish: Wish,
    pub(crate) policy: PolicyMode,
    /// The name of the profile that was asked for.
    pub(crate) profile: Option<String>,
    pub(crate) asking: Asking,
    /// After so long without a call, a shell is forgotten.
    pub(crate) shell_idle: Duration,
    git_identity: OnceLock<Option<PathBuf>>,
    pub(crate) bounds: Remembered,
    pub(crate) policies: Policies,
    /// What is said about a backend that holds less.
    pub(crate) noted: Noted,
    /// The record.
    pub(crate) trail: Trail,
    /// The bash that was found last.
    bash: Mutex<Option<PathBuf>>,
}

impl Settings {
    /// Where a new keeper comes from.
    pub(crate) fn keeper_origin(&self) -> Result<Origin, EngineError> {
        if let Some(origin) = &self.fork {
            return Ok(origin.clone());
        }
        find_keeper::find(self.named_helper.as_deref(), self.path()).map(Origin::Executable)
    }

    /// Whether new keepers are made by forking this process.
    pub(crate) fn forks_keepers(&self) -> bool {
        self.fork.is_some()
    }

    /// Who enforces what runs may do; none without a sandbox.
    pub(crate) fn enforcer(&self) -> Option<Backend> {
        match self.sandbox {
            Sandbox::None => None,
            Sandbox::By(backend) => Some(backend),
            Sandbox::Auto => Some(self.chosen.get(self)),
        }
    }

    /// Who will, as far as that is known before anything was tried.
    pub(crate) fn known_enforcer(&self) -> Option<Backend> {
        match self.sandbox {
            Sandbox::None => None,
            Sandbox::By(backend) => Some(backend),
            Sandbox::Auto => self.chosen.peek(self),
        }
    }

    /// The enforcer in a word, for records and people.
    pub(crate) fn sandbox_word(&self) -> &'static str {
        self.enforcer().map_or("none", Backend::as_str)
    }

    /// A builder for an engine that gets its keepers as this one does.
    pub(crate) fn alike(&self) -> EngineBuilder {
        EngineBuilder {
            helper: self.named_helper.clone(),
            // A keeper that was forked for this one's call is not for another's.
            fork: self.fork.as_ref().map(|_| Origin::Fork),
            environment: Some(self.environment.clone()),
            ..EngineBuilder::default()
        }
    }

    pub(crate) fn path(&self) -> Option<&str> {
        self.environment.get("PATH").map(String::as_str)
    }

    /// The bash that runs commands: the first on the caller's `PATH`, for as long as it is there.
    pub(crate) fn bash(&self) -> Result<PathBuf, EngineError> {
        let mut known = self.bash.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bash) = known.as_ref().filter(|bash| is_executable(bash)) {
            return Ok(bash.clone());
        }
        let mut found = on_path("bash", self.path()).into_iter();
        *known = found.find(|candidate| is_executable(candidate));
        known.clone().ok_or_else(|| EngineError::NoBash {
            path: self.path().unwrap_or_default().to_owned(),
        })
    }

    /// A git configuration that knows who the user is, written once.
    pub(crate) fn git_identity(&self) -> Option<&Path> {
        let write = || {
            let home = self.environment.get(variables::HOME).map(Path::new)?;
            let config = self
                .environment
                .get(variables::XDG_CONFIG_HOME)
                .map(Path::new);
            write_git_identity(home, config, &self.places.cache)
        };
        self.git_identity.get_or_init(write).as_deref()
    }

    /// The caller's home, real.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        let home = self.environment.get(variables::HOME).map(PathBuf::from);
        let home = home.filter(|home| home.is_absolute())?;
        home.canonicalize().ok()
    }

    /// Where the user's configuration is.
    pub(crate) fn configuration(&self) -> Option<PathBuf> {
        // A relative one says nothing, as the specification of these variables has it.
        let named = |name: &str| {
            let path = self.environment.get(name).map(PathBuf::from);
            path.filter(|path| path.is_absolute())
        };
        named(variables::XDG_CONFIG_HOME)
            .or_else(|| named(variables::HOME).map(|home| home.join(".config")))
            .map(|directory| directory.join("bashful"))
    }

    /// Where tools may cache for a project.
    pub(crate) fn cache(&self, workspace: &Path) -> PathBuf {
        let digest = Sha256::digest(workspace.as_os_str().as_encoded_bytes());
        let name = hexadecimal(&digest, 8);
        self.places.cache.join("projects").join(name)
    }
}

#[cfg(test)]
mod tests;
