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

mod account;
mod agent_tool;
mod approval;
pub mod approvals;
mod asking;
pub mod audit;
mod background;
mod bounds;
mod builder;
mod client;
mod clock;
pub mod config;
mod confine;
mod consider;
mod doctor;
mod engine;
mod environment;
mod error;
mod events;
mod explain;
mod ground;
mod helper;
mod hide;
mod index;
mod interrupts;
mod invocation;
mod journal;
mod late;
pub mod learn;
mod legible;
mod output;
mod places;
pub mod policy;
mod prepare;
pub mod primitive;
mod progress;
mod project;
mod real;
mod refusals;
mod release;
mod remedy;
mod repair;
pub mod replay;
mod resident;
mod result;
mod run;
pub mod scripts;
mod selection;
mod session;
mod shells;
mod store;
mod surroundings;
mod tasks;
mod tools;
mod workspace;

pub use agent_tool::{AgentTool, BashExecute};
pub use approval::{Approval, Wanted};
pub use background::{Background, Going, Waiting};
pub use bashful_keeper::Lifetime;
pub use bashful_keeper::{NeedsInput, Stream, TerminalSize, VERSION};
pub use bashful_policy::{
    Capabilities, CapabilityChanges, CommandValidator, Decision, Effect, Layer, NetworkCapability,
    PermissionProfile, Preset, ProfileBuilder, ProfileError, ResourceLimits, ValidationError,
    build_safe_command, escape_arg,
};
pub use bashful_sandbox::{
    Backend, Hint, Level, Lookout, Network, Protection, Reporting, Violation, main_is,
};
pub use builder::EngineBuilder;
pub use client::{EarlyKeeper, LONGEST_START};
pub use confine::ConfineError;
pub use doctor::{BackendOffer, Diagnosis, Finding, Look, Missing, State as FindingState};
pub use engine::{Engine, Listed, Started};
pub use error::{EngineError, InvalidInvocation, in_full};
pub use events::{Event, Events};
pub use explain::{
    Explanation, Holder, IdentityKind, PlannedCommands, PlannedIdentity, PlannedLimit, PlannedRun,
    RefusedCalls, Seen, SeenAs, Shortfall, Watched,
};
pub use helper::init;
pub use hide::hide_from_commands;
pub use index::Reconciled;
pub use interrupts::Interrupts;
pub use invocation::{Action, Inherit, Invocation, MAX_COMMAND_BYTES, OnTimeout, Stdin, Timeout};
pub use late::bring_up_to_date;
pub use legible::is_legible;
pub use output::{OutputLimit, Unit};
pub use places::Places;
pub use policy::{Checked, PolicyMode};
pub use remedy::{Remedy, remedy};
pub use repair::{BrokenTrail, RepairError, Repaired, RepairedDatabase, Restored, repair};
pub use resident::{dismiss_resident, serve_as_resident_if_asked};
pub use result::{
    Enforcement, ExecutionResult, ExitClass, RanScript, RunUsage, Status, Survivor, signal_name,
};
pub use run::Run;
pub use session::terminal_session;
pub use shells::{Shell, ShellError, ShellOutcome, ShellVariable};
pub use store::StoreError;
pub use tasks::{
    CleanRequest, Cleaned, Cursor, DamagedTask, Drawn, Found, FoundLine, KEY_NAMES, Key, Kill,
    Killed, LinePattern, LiveScreen, NotReadiness, Output, Piece, ReadRequest, Readied, Readiness,
    Ready, RemovedTask, RunningTask, Screen, SearchRequest, Sitting, StopWhich, Stopped, Task,
    TaskError, TaskFilter, TaskList, TaskState, TaskSummary, UnknownKey, Waited, WhichTasks,
    running, stop,
};
pub use tools::{
    CallContext, Dialect, Effects, InvalidArgument, OnOutput, Tool, ToolAnswer, ToolError,
    ToolRegistry,
};
