//! What a run would be allowed to do, told without running it.
//!
//! The way is that of a run up to the keeper: the same decision, the same bounds, the same
//! plan. So what is told here is what would be applied, and not a second opinion.

use crate::ask::approvals::Binding;
use crate::engine::Engine;
use bashful_policy::Effect;
use std::path::PathBuf;

use bashful_keeper::{RoomRequest, TaskId};
use bashful_policy::Decision;
use bashful_sandbox::{Holding, Level, Network, Plan, PlanError, Protection, Survey};
use serde::{Serialize, Serializer};

use crate::launch::prepare::{Prepared, prepare};
use crate::model::error::EngineError;
use crate::model::result::{Enforcement, RequestInfo, as_decision};
use crate::request::invocation::{Invocation, Stdin};
use crate::request::resolved::ResolvedRequest;
use crate::request::settings::Settings;

mod closed;
mod identity;
mod limits;
mod shortfall;
mod view;

pub use closed::{RefusedCalls, Watched};
pub use identity::{IdentityKind, PlannedIdentity};
pub use limits::{Holder, PlannedLimit};
pub use shortfall::Shortfall;
pub use view::{Seen, SeenAs};

/// What would become of a request to run a command.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The version of this shape.
    pub v: u32,
    /// The command as asked.
    pub command: String,
    /// The agent that would ask for the run.
    pub agent: String,
    /// What the policy says about it.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "as_decision"
    )]
    pub decision: Option<Decision>,
    /// What would be done for it; absent if it would not run.
    #[serde(flatten)]
    pub plan: Option<PlannedRun>,
}

/// What would be done for a run.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct PlannedRun {
    /// The root that it works in.
    pub workspace: PathBuf,
    /// Where it starts.
    pub cwd: PathBuf,
    /// The program that is executed.
    pub program: PathBuf,
    /// What confines it, or `none`.
    pub backend: &'static str,
    /// Who it is.
    pub identity: PlannedIdentity,
    /// What it can reach.
    pub network: Network,
    /// The hosts of a network by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Its file tree, in the order in which it is put together: what comes later wins.
    /// Without a sandbox it is empty, and the host's tree is seen as it is.
    pub view: Vec<Seen>,
    /// What was to be hidden or protected, and is open to the run, as the backend has no means
    /// for it: `what` says what it was to be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<Seen>,
    /// Which programs it may run.
    pub commands: PlannedCommands,
    /// What it may use.
    pub limits: Vec<PlannedLimit>,
    /// System calls that it may not make.
    pub refused_calls: Vec<RefusedCalls>,
    /// What is held back when it appears, because it would execute on the host later.
    pub watched: Vec<Watched>,
    /// The names of its variables.
    pub environment: Vec<String>,
    /// Directories that come first on the caller's `PATH`, and that commands can write: in the run
    /// they come last, or not at all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub last_on_path: Vec<PathBuf>,
    /// What the kernel would enforce.
    pub enforcement: Enforcement,
    /// What is not enforced in full, and why.
    pub shortfalls: Vec<Shortfall>,
}

/// Which programs a run may execute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannedCommands {
    /// Any that it can see.
    Any,
    /// These, and the shell's built-ins.
    Listed(Vec<PathBuf>),
}

impl Serialize for PlannedCommands {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Any => serializer.serialize_str("any"),
            Self::Listed(programs) => programs.serialize(serializer),
        }
    }
}

impl Explanation {
    /// A request that would not be allowed.
    pub(crate) fn refused(info: RequestInfo) -> Self {
        Self {
            v: 1,
            command: info.command,
            agent: info.agent,
            decision: info.decision,
            plan: None,
        }
    }
}

/// Tells what a run that was allowed would be.
pub(crate) fn explain(
    settings: &Settings,
    mut request: ResolvedRequest<'_>,
) -> Result<Explanation, EngineError> {
    // Opening the log would empty it, and no command reads the input.
    request.invocation.log_copy = None;
    request.invocation.stdin = Stdin::Closed;
    let info = request.info.clone();
    let task = TaskId::fresh(request.invocation.kind());
    let prepared = prepare(settings, request, task)?;
    let plan = match &prepared.start.room {
        Some(room) => confined(&prepared, room)?,
        None => unconfined(&prepared),
    };
    Ok(Explanation {
        plan: Some(plan),
        ..Explanation::refused(info)
    })
}

fn confined(prepared: &Prepared, room: &RoomRequest) -> Result<PlannedRun, EngineError> {
    let profile = &room.profile;
    // In the words of the keeper, who would say the same.
    let survey = Survey::look(profile, room.cache.as_deref(), room.backend).map_err(|source| {
        let what = format!("cannot look at {source}");
        EngineError::Sandbox { what, source }
    })?;
    let plan = Plan::compile(profile, &survey).map_err(|error| EngineError::Unenforceable {
        what: error.to_string(),
        short: match error {
            PlanError::Unenforceable { short, .. } => {
                short.iter().map(|short| short.protection).collect()
            }
            _ => Vec::new(),
        },
    })?;
    let limits = limits::planned(profile, &plan, &prepared.start.spec);
    Ok(PlannedRun {
        backend: plan.backend().as_str(),
        identity: identity::planned(&plan),
        network: plan.network,
        hosts: plan.hosts.clone(),
        view: view::held(&plan, Holding::InPlace),
        open: view::held(&plan, Holding::Open),
        commands: match &profile.commands {
            None => PlannedCommands::Any,
            Some(programs) => PlannedCommands::Listed(sorted(programs)),
        },
        refused_calls: plan
            .refused_calls()
            .into_iter()
            .map(RefusedCalls::from)
            .collect(),
        watched: plan.watched.iter().map(Watched::from).collect(),
        enforcement: Enforcement::of(Some(plan.enforcement)),
        shortfalls: shortfall::of(&plan, profile, &limits),
        limits,
        ..unconfined(prepared)
    })
}

fn unconfined(prepared: &Prepared) -> PlannedRun {
    let start = &prepared.start;
    PlannedRun {
        workspace: start.spec.workspace.clone(),
        cwd: start.spec.cwd.clone(),
        program: start.program.clone(),
        backend: "none",
        identity: identity::caller(),
        network: Network::On,
        hosts: Vec::new(),
        view: Vec::new(),
        open: Vec::new(),
        commands: PlannedCommands::Any,
        limits: limits::kept(&start.spec),
        refused_calls: Vec::new(),
        watched: Vec::new(),
        environment: start.spec.variables.clone(),
        last_on_path: prepared.put_last.clone(),
        enforcement: Enforcement::NONE,
        shortfalls: shortfall::everything(),
    }
}

fn sorted(programs: &[PathBuf]) -> Vec<PathBuf> {
    let mut programs = programs.to_vec();
    programs.sort();
    programs.dedup();
    programs
}

impl Enforcement {
    /// How well this is enforced.
    pub fn of_protection(&self, protection: Protection) -> Level {
        match protection {
            Protection::Filesystem => self.filesystem,
            Protection::Network => self.network,
            Protection::Commands => self.commands,
            Protection::Processes => self.processes,
            Protection::Resources => self.resources,
            Protection::Identity => self.identity,
        }
    }
}

impl Engine {
    /// Tells what [`Engine::start`] would do for this request. Nothing runs, nothing is
    /// recorded, no room is built; a log that the request names is not touched.
    pub fn explain(&self, invocation: Invocation) -> Result<Explanation, EngineError> {
        let settings = self.settings();
        invocation.action.check()?;
        let remembered = self.look_into_shell(&invocation)?;
        let mut request = ResolvedRequest::of(settings, invocation, remembered)?;
        let binding = Binding::of(settings, &request);
        let verdict = self.judge(&request, &binding)?;
        let effect = verdict.decision.effect;
        request.info.decision = Some(verdict.decision);
        // What a script could do is told before a person says yes to it.
        let asked = effect == Effect::Ask && request.invocation.has_own_rights();
        if effect != Effect::Allow && !asked {
            return Ok(Explanation::refused(request.info));
        }
        if let Some(wider) = verdict.judged.wider {
            request.context = wider;
        }
        explain(settings, request)
    }

    /// What a keeper would be asked for, for this request: for measurements.
    #[doc(hidden)]
    pub fn room_for(&self, invocation: Invocation) -> Result<Option<RoomRequest>, EngineError> {
        let settings = self.settings();
        let task = TaskId::fresh(invocation.kind());
        let request = ResolvedRequest::of(settings, invocation, None)?;
        Ok(prepare(settings, request, task)?.start.room)
    }
}
