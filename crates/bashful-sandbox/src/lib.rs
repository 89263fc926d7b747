//! System calls for Bashful: the one door through which a process starts, and
//! the tree of processes behind it.
//!
//! This crate is synchronous and knows no policy. All `unsafe` code of Bashful
//! is in its private `sys` module, one small file for each kernel area; what is
//! public here is safe to call from any thread unless it says otherwise.

mod absent;
mod audit;
mod backend;
mod cgroup;
mod connects;
mod consumption;
mod freshness;
mod gate;
mod git_config;
mod host;
mod kernel_file;
mod launch;
mod left_behind;
mod linked;
mod mark;
mod notices;
mod order;
mod plan;
mod profile;
mod programs;
mod protect;
mod reading;
mod relay;
mod report;
mod room;
mod seccomp;
mod survey;
#[expect(
    unsafe_code,
    reason = "the one place where Bashful talks to the kernel"
)]
mod sys;
mod terminal;
mod tree;
mod uncovered;
mod understudy;
mod wrapped;

pub use absent::{AbsentNames, NewName, Sentry, is_environment_file};
pub use audit::{Audit, Refused};
pub use backend::{Backend, UnknownBackend};
pub use cgroup::{
    AbandonedGroups, remove_abandoned_beside_ours, remove_abandoned_groups, share_group_with,
};
pub use consumption::{DiskSpace, MemoryInUse, Nameless, Written, memory_of};
pub use freshness::Freshness;
pub use gate::{GATE_ARGUMENT, Gate, GateNews, Passage, Passed, confine_gate, gate_order};
pub use git_config::{GitRemotes, obeyed_by_git};
pub use host::{ControlGroup, Host, IdMaps, Possibility};
pub use kernel_file::{kernel_bytes, kernel_text};
pub use launch::{FIRST_INHERITED, Launch, LaunchError, MOST_INHERITED, Stage};
pub use left_behind::{
    Activity, Effort, Examination, Ground, Moments, Progress, Scope, Stay, finish_apart,
};
pub use mark::Mark;
pub use notices::{Glance, Line, Notices};
pub use plan::{
    Access, Entry, Holding, Plan, PlanError, Private, ROOM_DIRECTORY, Right, RunLimit, Short,
    Storage,
};
pub use profile::{
    Enforcement, Hint, Level, Lookout, Network, Profile, Protection, Reporting, Resources,
    Violation, WriteMode, WriteRoot,
};
pub use programs::{Program, ProgramError, resolve as resolve_program};
pub use protect::{Guard, Watch};
pub use reading::{FileIdentity, waits_to_read};
pub use relay::Relay;
pub use report::{Ended, Report};
pub use room::{
    BuildError, BuildStep, CAPTURE_PORT, Confined, ExecError, PROXY_PORT, Room, SpareNamespaces,
    name_servers,
};
pub use seccomp::Refusal;
pub use survey::{Identity, SYSTEM_DIRECTORIES, Survey, look_ahead};
pub use sys::entry::{begin, hand_over_call};
pub use sys::first::serve_as_first_process_if_asked;
pub use sys::fork::{Fork, fork_leaving_threads, fork_single_threaded};
pub use sys::inherited::copy_of_descriptor;
pub use sys::limits::{OpenFiles, raise_open_files};
pub use sys::memory::note_pages_in_use;
pub use sys::scrub::{close_all_but, forget_environment, replace_arguments};
pub use sys::signals::{SignalQueue, ignore_write_signals};
pub use sys::stand_in::{
    FrontCall, FrontVisit, LONGEST_CALL, Line as FrontLine, RESIDENT_SOCKET, Readiness,
};
pub use sys::wait::{
    Exit, ExitStatus, Usage, peek_exited, reap, reap_if_ended, wait_for_stop_or_end,
};
pub use sys::writeback::begin_writeback;
pub use terminal::{Terminal, TerminalSize, TypingMode};
pub use tree::{
    Process, Reach, Status, children, command_line, descendants, signal_process, signal_tree,
};
pub use wrapped::{
    TRUSTED_DIRECTORIES, Wrapped, WrapperError, WrapperProgram, find_wrapper, remove_abandoned,
};
