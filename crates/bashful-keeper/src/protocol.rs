//! What an engine and a keeper say to each other: one JSON object per line.
//!
//! A connection begins with [`Request::Hello`]; the engine may send a
//! [`Request::Start`] right behind it without waiting for the answer. A keeper
//! that does not speak the same version refuses both and starts nothing.
//! Descriptors travel beside the line that names them.

use std::path::PathBuf;

use bashful_sandbox::{AbsentNames, Backend, Profile, Protection, TerminalSize};
use serde::{Deserialize, Serialize};

use crate::latin::Bytes;
use crate::task_directory::{NeedsInput, Spec, State};
use crate::task_id::TaskId;

/// The version of the messages below.
pub const PROTOCOL: u32 = 7;

/// The version of this build; engine and keeper must agree on it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What an engine asks.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// The engine says who it is; first on every connection.
    Hello(Hello),
    /// Start a command.
    Start(Box<Start>),
    /// Make ahead what a first run like this will need. Nothing is started, and there is no answer.
    GetReady(Box<RoomRequest>),
    /// End a command: politely first, or at once.
    Cancel {
        /// The command to end; one that no longer runs is passed over.
        id: TaskId,
        /// SIGKILL right away.
        now: bool,
    },
    /// Let this command outlive the connection that started it.
    Detach {
        /// The command to let go.
        id: TaskId,
    },
    /// Type into a command's terminal, or write to its standard input. The bytes are queued and
    /// written as the command reads.
    Send {
        /// The command to write to.
        id: TaskId,
        /// The asker's number for this request; the answer has it too.
        number: u64,
        /// What to write.
        bytes: Bytes,
        /// Nothing will follow: the end-of-file character on a terminal, else the pipe is closed.
        end: bool,
    },
    /// Give a command's terminal another size.
    Resize {
        /// The command whose terminal it is.
        id: TaskId,
        /// The asker's number for this request.
        number: u64,
        /// The new size.
        size: TerminalSize,
    },
    /// Send one signal: to the foreground process group of the command's terminal, or
    /// without one to the process group that the command leads.
    Signal {
        /// The command to signal.
        id: TaskId,
        /// The asker's number for this request.
        number: u64,
        /// The signal's number.
        signal: i32,
    },
    /// End every command and then the keeper.
    Shutdown {
        /// SIGKILL right away.
        now: bool,
    },
}

impl Request {
    /// The task that is there already, or waits to start, which this is about.
    pub(crate) fn is_about(&self) -> Option<&TaskId> {
        match self {
            Self::Cancel { id, .. }
            | Self::Detach { id }
            | Self::Send { id, .. }
            | Self::Resize { id, .. }
            | Self::Signal { id, .. } => Some(id),
            Self::Hello(_) | Self::Start(_) | Self::GetReady(_) | Self::Shutdown { .. } => None,
        }
    }
}

/// The first line of a connection. Only who speaks is required, so that a keeper can
/// tell an engine of any version why it does not serve it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Hello {
    /// The engine's build.
    pub version: String,
    /// The engine's protocol.
    pub protocol: u32,
    /// Where task directories go.
    #[serde(default)]
    pub state: PathBuf,
    /// The socket to serve, for others of the same session. None: only this connection.
    #[serde(default)]
    pub listen: Option<PathBuf>,
    /// No other keeper serves at that socket, and no file of it stays behind.
    #[serde(default)]
    pub alone: bool,
    /// How long to live on with no connection and nothing running.
    #[serde(default)]
    pub idle_ms: u64,
    /// More runs will follow: it pays to prepare for them.
    #[serde(default)]
    pub more_to_come: bool,
}

/// A command to start. What must not be written down is beside the `spec`.
#[derive(Debug, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a thing of its own that travels along or not"
)]
pub struct Start {
    /// What goes into the task directory.
    pub spec: Spec,
    /// The absolute path of the program.
    pub program: PathBuf,
    /// Its arguments, argument zero included.
    pub arguments: Vec<String>,
    /// Its whole environment.
    pub environment: Vec<(String, String)>,
    /// Values to mask in its output.
    pub mask: Vec<String>,
    /// A descriptor for standard input travels with this line.
    pub stdin: bool,
    /// What is sent to it first, where its input is kept open or it has a terminal.
    #[serde(default)]
    pub input: Bytes,
    /// A descriptor for a second copy of the log travels with this line, after `stdin`'s.
    pub log_copy: bool,
    /// How many descriptors that the command inherits travel with this line, after those.
    #[serde(default)]
    pub inherited: usize,
    /// A descriptor travels with this line, after all others: the command executes when a byte comes
    /// out of it, and never if it ends without one.
    #[serde(default)]
    pub held: bool,
    /// It outlives this connection.
    pub detached: bool,
    /// The room it runs in; none is no sandbox.
    #[serde(default)]
    pub room: Option<RoomRequest>,
}

/// The room that a command is to run in.
#[derive(Debug, Serialize, Deserialize)]
pub struct RoomRequest {
    /// The backend that enforces it.
    #[serde(default)]
    pub backend: Backend,
    /// What it may do.
    pub profile: Profile,
    /// Secrets that it must not see should they come into being.
    #[serde(default)]
    pub absent: AbsentNames,
    /// A room for this run alone.
    pub fresh: bool,
    /// Where slow findings about this host are kept.
    #[serde(default)]
    pub cache: Option<PathBuf>,
}

/// What to do when the log has reached its quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum OnLogFull {
    /// Let the command go on, keep counting, and keep the end of the output.
    #[default]
    Continue,
    /// End the command.
    Stop,
}

/// What a keeper answers or reports.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// The versions fit.
    Hello(Welcome),
    /// The versions do not fit; nothing will be started.
    Mismatch(Welcome),
    /// Another keeper serves this session already: connect to its socket.
    Redirect,
    /// The command runs.
    Started {
        /// The command that was ordered.
        id: TaskId,
        /// Its process id.
        pid: i32,
    },
    /// The command did not start, and nothing is left of it.
    Refused {
        /// The command that was ordered.
        id: TaskId,
        /// Why the keeper could not start it.
        fault: Fault,
    },
    /// The log has grown.
    Grew {
        /// The command whose log it is.
        id: TaskId,
        /// How many bytes it has now.
        bytes: u64,
    },
    /// The soft limit has passed; the command goes on.
    SoftTimeout {
        /// The command that runs longer than its soft limit.
        id: TaskId,
        /// How long it has run.
        elapsed_ms: u64,
    },
    /// The command waits for typed input, or no longer does.
    Wants {
        /// The command that waits.
        id: TaskId,
        /// What it waits for; none when it goes on.
        needs_input: Option<NeedsInput>,
    },
    /// What became of a `Send`, `Resize` or `Signal`.
    Answer {
        /// The asker's number for its request.
        number: u64,
        /// What became of it.
        answer: Answer,
    },
    /// The command has ended; this is its last word.
    Finished {
        /// The command that has ended.
        id: TaskId,
        /// The record, as in the task directory.
        state: Box<State>,
    },
    /// Nothing has run for a while; please hang up, so that the keeper can end.
    Bye,
}

/// What became of a request about a running command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It is done; what was sent is queued.
    Done,
    /// No such command runs here: it has ended.
    NotRunning,
    /// Its standard input is not ours to write to.
    NoInput,
    /// Its input was closed before.
    InputClosed,
    /// It has no terminal.
    NoTerminal,
    /// It reads too slowly: nothing of this was taken.
    Full {
        /// How many bytes wait to be read.
        waiting: u64,
        /// How many may wait.
        most: u64,
    },
    /// The kernel refused.
    Failed {
        /// What it said.
        errno: i32,
    },
}

/// The keeper's side of the handshake.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Welcome {
    /// The keeper's build.
    pub version: String,
    /// The keeper's protocol.
    pub protocol: u32,
    /// The keeper's process.
    pub pid: u32,
}

/// Why a command did not start.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Fault {
    /// The kind of trouble.
    pub kind: FaultKind,
    /// What it was about: a path, a program, an id.
    pub subject: String,
    /// What the kernel said, if it was asked.
    pub errno: Option<i32>,
    /// The protections that fall short of what the profile demands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub short: Vec<Protection>,
}

/// The kinds of trouble at a start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The task directory could not be made or written.
    TaskDirectory,
    /// The working directory could not be entered.
    WorkingDirectory,
    /// The program could not be executed.
    Execute,
    /// The kernel gave no process, descriptor or memory.
    Resources,
    /// The request made no sense.
    Malformed,
    /// The keeper is ending.
    Ending,
    /// Too many commands are to start at once.
    Busy,
    /// The sandbox could not be built or entered.
    Sandbox,
    /// This host cannot enforce what must be.
    Unenforceable,
}
