//! What an engine goes by: who asks, where things are kept, what is configured.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bashful_keeper::VERSION;
use bashful_sandbox::Backend;
use sha2::{Digest, Sha256};

use crate::base::digest::hexadecimal;
use crate::base::kept::Kept;
use crate::base::outside::Outside;
use crate::base::programs::{is_executable, on_path};
use crate::config::{Config, Sandbox, Wish, env as variables};
use crate::model::asking::Asking;
use crate::model::error::EngineError;
use crate::model::places::Places;
use crate::record::audit::{Caller, Trail};
use crate::request::root::project_root;
use crate::store::HeldStore;

/// What an engine goes by.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) agent: String,
    pub(crate) session: Session,
    pub(crate) workspace: Option<PathBuf>,
    /// The executable that was named to serve as keeper.
    pub(crate) named_keeper: Option<PathBuf>,
    /// Whether new keepers are made by forking this process.
    pub(crate) forks_keepers: bool,
    pub(crate) places: Places,
    /// Asks, grants and scripts.
    pub(crate) store: Arc<HeldStore>,
    pub(crate) config: Config,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) mask: Vec<String>,
    pub(crate) sandbox: Sandbox,
    pub(crate) backend_choice: BackendChoice,
    pub(crate) wish: Wish,
    pub(crate) policy: PolicyMode,
    /// The name of the profile that was asked for.
    pub(crate) profile: Option<String>,
    pub(crate) asking: Asking,
    /// A shell without a call for this long is forgotten.
    pub(crate) shell_idle: Duration,
    /// A git configuration that knows who the user is, once it was written.
    pub(crate) git_identity: OnceLock<Option<PathBuf>>,
    /// The trail that everything this engine does is put on.
    pub(crate) trail: Trail,
    /// The bash that was found last.
    pub(crate) bash: Mutex<Option<PathBuf>>,
    /// What rooms remember from run to run.
    pub(crate) kept: Kept,
}

impl Settings {
    /// Who does what this engine is asked for, unless a request names another agent.
    pub(crate) fn caller(&self) -> Caller<'_> {
        Caller {
            agent: &self.agent,
            session: &self.session.name,
        }
    }

    /// Who enforces what runs may do; none without a sandbox.
    pub(crate) fn enforcer(&self) -> Option<Backend> {
        match self.sandbox {
            Sandbox::None => None,
            Sandbox::By(backend) => Some(backend),
            Sandbox::Auto => Some((self.backend_choice.get)(self)),
        }
    }

    /// Who will, as far as that is known before anything was tried.
    pub(crate) fn known_enforcer(&self) -> Option<Backend> {
        match self.sandbox {
            Sandbox::None => None,
            Sandbox::By(backend) => Some(backend),
            Sandbox::Auto => (self.backend_choice.peek)(self),
        }
    }

    /// The enforcer in a word as far as it is known: nothing is built to find out.
    pub(crate) fn known_sandbox_word(&self) -> &'static str {
        match self.sandbox {
            Sandbox::None => "none",
            _ => self.known_enforcer().map_or("auto", Backend::as_str),
        }
    }

    /// The enforcer in a word, for records and people.
    pub(crate) fn sandbox_word(&self) -> &'static str {
        self.enforcer().map_or("none", Backend::as_str)
    }

    pub(crate) fn path(&self) -> Option<&str> {
        self.environment.get("PATH").map(String::as_str)
    }

    /// The host as its user has it.
    pub(crate) fn outside(&self) -> Outside {
        Outside::new(self.home(), self.path())
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

    /// The project around where requests work that name no workspace.
    pub(crate) fn usual_project(&self) -> PathBuf {
        let home = self.environment.get(variables::HOME).map(Path::new);
        let here = self.workspace.as_deref().unwrap_or(Path::new("."));
        project_root(here, home)
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

    /// Where tools may cache for what this names: an agent in a project, or a script.
    pub(crate) fn cache(&self, owner: &[&[u8]]) -> PathBuf {
        self.places.caches().join(named(owner))
    }

    /// The home that is kept for an agent in a project.
    pub(crate) fn own_home(&self, agent: &str, project: &Path) -> PathBuf {
        self.places.homes().join(named(&owner(agent, project)))
    }
}

/// An agent in a project.
pub(crate) fn owner<'a>(agent: &'a str, project: &'a Path) -> [&'a [u8]; 2] {
    [agent.as_bytes(), project.as_os_str().as_encoded_bytes()]
}

/// A name for an owner. The lengths are part of it, so that no two owners look the same.
fn named(owner: &[&[u8]]) -> String {
    let mut digest = Sha256::new();
    for part in owner {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    hexadecimal(&digest.finalize(), 8)
}

/// How the backend is found that `auto` stands for. To find out, the engine builds a sandbox, which
/// nothing that stands before it can do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BackendChoice {
    /// The backend, looked for if need be.
    pub(crate) get: fn(&Settings) -> Backend,
    /// The backend as far as it is known; nothing is tried.
    pub(crate) peek: fn(&Settings) -> Option<Backend>,
}

/// Whether commands are judged before they run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PolicyMode {
    /// By the rules of the agent's profile.
    #[default]
    Profile,
    /// Not at all, but for the blocked commands and what no ordinary work needs, such as deleting
    /// the system. The sandbox stays what it is. No caller gets this where the admin file says how
    /// commands are judged.
    None,
}

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
    /// One engine, for as long as it lives.
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
