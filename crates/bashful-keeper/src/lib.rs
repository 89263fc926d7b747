//! The keeper: the small process that owns running commands.
//!
//! An engine asks a keeper to start a command over a unix socket; the keeper
//! spawns it from its own small memory, reads its output into a log on disk,
//! watches its deadline, ends its whole process tree when that is due, and
//! writes down how it ended. It is synchronous, has one thread, and knows no
//! policy and no database. Everything it writes is in task directories, whose
//! format ([`task_directory`](TaskDirectory)) is the contract with other versions.
//!
//! Reading order: `protocol` (what is asked and answered), `keeper` (the loop),
//! `run` (the life of one command), `log` (where output goes).

mod characters;
mod connection;
mod guard;
mod input;
mod keeper;
mod latin;
mod log;
mod log_reader;
mod mask;
mod output;
mod processor;
mod protocol;
mod question;
mod rooms;
mod run;
mod scope;
mod socket;
mod spare;
mod task_directory;
mod task_id;
mod wire;

pub use bashful_sandbox::TerminalSize;
pub use characters::CharacterCount;
pub use guard::{Expected, KEEPER_ARGUMENT, KEEPER_NAME, fork_keeper, serve_as_keeper_if_asked};
pub use keeper::{ALONE, LONGEST_IN_LINE};
pub use latin::Bytes;
pub use log::{LogEnd, Stream};
pub use log_reader::{Chunk, LogReader};
pub use mask::Masker;
pub use protocol::{
    Answer, Fault, FaultKind, Hello, OnLogFull, PROTOCOL, Reply, Request, RoomRequest, Start,
    VERSION, Welcome,
};
pub use run::{ConnectionLine, SHELL_TEXT};
pub use scope::{Ground, Outlook, Scope, scope_outlook};
pub use socket::connect;
pub use task_directory::{
    Ending, Fate, Holder, NeedsInput, OutputTotals, Phase, Spec, State, Survivor, TASK_FORMAT,
    TaskDirectory, TaskDirectoryError, UsageRecord,
};
pub use task_id::TaskId;
pub use wire::{LineBuffer, send_line};
