//! The Bashful library: run commands for AI agents and always get a complete,
//! bounded, honest answer.
//!
//! ```standalone_crate
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! bashful_engine::init(); // first thing in main: lets this executable be its own keeper
//!
//! # let temporary = tempfile::tempdir()?;
//! # let places = bashful_engine::Places::under(temporary.path());
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! use bashful_engine::{Engine, Invocation};
//!
//! let engine = Engine::builder().agent("docs").workspace("/tmp")
//! #   .places(places)
//!     .build()?;
//! let result = engine.run(Invocation::bash("echo hello; echo oops >&2; exit 3")).await?;
//! assert_eq!((result.stdout.as_str(), result.stderr.as_str()), ("hello\n", "oops\n"));
//! assert_eq!(result.exit_code, Some(3));
//! # Ok::<_, Box<dyn std::error::Error>>(()) })
//! # }
//! ```
//!
//! [`Engine`] is the whole thing; [`primitive`] is the small face for Rust programs
//! that only want `bash(…)`, [`AgentTool`] the face for chat agents with a workspace
//! and a permission profile. No async runtime is needed beyond one that polls.

mod ask;
mod base;
mod carry;
pub mod config;
mod confine;
mod engine;
mod explain;
mod faces;
mod judge;
mod launch;
mod model;
mod record;
mod request;
mod review;
mod run;
pub mod scripts;
mod shells;
mod store;
mod tasks;

pub use ask::approvals;
pub use faces::primitive;
pub use judge::policy;
pub use record::audit;
pub use review::{learn, replay};

pub use crate::base::error_chain::in_full;
pub use crate::model::error::store::StoreError;
pub use crate::model::shell_state::ShellOutcome;
pub use base::interrupts::Interrupts;
pub use base::legible::is_legible;
pub use bashful_keeper::Expected;
pub use bashful_keeper::{NeedsInput, Stream, TerminalSize, VERSION};
pub use bashful_policy::{
    Capabilities, CapabilityChanges, CommandValidator, Decision, Effect, HostError, HostFault,
    Layer, NetworkCapability, PermissionProfile, Preset, ProfileBuilder, ProfileError,
    ResourceLimits, ValidationError, build_safe_command, escape_arg,
};
pub use bashful_sandbox::{
    Backend, Hint, Level, Lookout, Network, Protection, Reporting, Violation, main_is,
};
pub use confine::profile::ConfineError;
pub use engine::builder::EngineBuilder;
pub use engine::{Engine, Listed, Started};
pub use explain::{
    Explanation, Holder, IdentityKind, PlannedCommands, PlannedIdentity, PlannedLimit, PlannedRun,
    RefusedCalls, Seen, SeenAs, Shortfall, Watched,
};
pub use faces::agent_tool::{AgentTool, BashExecute};
pub use faces::doctor::{BackendOffer, Diagnosis, Finding, Look, Missing, State as FindingState};
pub use faces::resident::{dismiss_resident, serve_as_resident_if_asked};
pub use faces::tools::{
    CallContext, Dialect, Effects, InvalidArgument, OnOutput, Tool, ToolAnswer, ToolError,
    ToolRegistry,
};
pub use judge::policy::Checked;
pub use launch::client::{EarlyKeeper, LONGEST_START};
pub use launch::find_keeper::init;
pub use launch::hide::hide_from_commands;
pub use model::approval::{Approval, Wanted};
pub use model::cache_owner::CacheOwner;
pub use model::connections::{Connected, NetworkUse};
pub use model::error::{EngineError, InvalidInvocation};
pub use model::output::{OutputLimit, Unit};
pub use model::places::Places;
pub use model::remedy::{Remedy, remedy};
pub use model::result::{
    Enforcement, ExecutionResult, ExitClass, RanScript, RunUsage, Status, Survivor, signal_name,
};
pub use model::telling::Told;
pub use model::transfer::{ServerKey, Transfer, Way};
pub use record::index::Reconciled;
pub use record::recover_ends::bring_up_to_date;
pub use request::invocation::{
    Action, Inherit, Invocation, MAX_COMMAND_BYTES, OnTimeout, Stdin, Timeout,
};
pub use request::root::project_root;
pub use request::session::terminal_session;
pub use request::settings::PolicyMode;
pub use review::repair::{BrokenTrail, RepairError, Repaired, RepairedDatabase, Restored, repair};
pub use run::background::{Background, Going, Waiting};
pub use run::events::{Event, Events};
pub use run::running::Run;
pub use shells::{Shell, ShellError, ShellVariable};
pub use tasks::{
    Cache, CacheFilter, CleanRequest, Cleaned, CleanedCaches, Cursor, DamagedTask, Drawn, Found,
    FoundLine, KEY_NAMES, Key, Kill, Killed, LinePattern, LiveScreen, NotReadiness, Output, Piece,
    ReadRequest, Readied, Readiness, Ready, RemovedTask, RunningTask, Screen, SearchRequest,
    Sitting, StopWhich, Stopped, Task, TaskError, TaskFilter, TaskList, TaskState, TaskSummary,
    UnknownKey, Waited, WhichTasks, running, stop,
};
