//! Why a task cannot be found, read or ended. Each says what to do.

use std::io;
use std::path::PathBuf;

use bashful_keeper::TaskDirectoryError;

use crate::model::error::EngineError;
use crate::model::error::record::AuditError;

/// Why a request about a task did not work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// This cannot be the id of a task.
    #[error("`{}` is not the id of a task, which looks like `bash-06ckz8v1q7n3k5w2`; its beginning is enough", text.escape_debug())]
    Malformed {
        /// What was given, shortened.
        text: String,
    },
    /// There is no such task, or none that may be seen.
    #[error("there is no task `{text}`{}", perhaps(similar))]
    Unknown {
        /// What was given.
        text: String,
        /// Ids that look like it.
        similar: Vec<String>,
    },
    /// Several ids begin like this.
    #[error(
        "`{text}` is the beginning of several tasks: {}; give more of the id",
        quoted(candidates)
    )]
    Ambiguous {
        /// What was given.
        text: String,
        /// The newest that begin like it.
        candidates: Vec<String>,
    },
    /// Running tasks of several agents have this name.
    #[error(
        "several running tasks are called `{text}`: {}; give the id",
        quoted(candidates)
    )]
    SameName {
        /// What was given.
        text: String,
        /// Some of them.
        candidates: Vec<String>,
    },
    /// It was not started after all.
    #[error("the task `{task}` was not started; find out why, and start it again")]
    NotStarted {
        /// The task's id.
        task: String,
        /// Why its start failed.
        #[source]
        source: EngineError,
    },
    /// Its directory was taken away.
    #[error("the task `{task}` no longer exists")]
    Gone {
        /// The task's id.
        task: String,
    },
    /// The directory of all tasks cannot be read.
    #[error("cannot read which tasks there are in `{}`; make the directory yours and readable", path.display())]
    Tasks {
        /// The directory in the state directory that holds all tasks.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Its directory cannot be read.
    #[error("cannot read about the task `{task}`; `bashful doctor` looks for the cause")]
    Directory {
        /// The task's id.
        task: String,
        /// What the system said.
        #[source]
        source: TaskDirectoryError,
    },
    /// Its log cannot be read.
    #[error("cannot read the log of the task `{task}`; `bashful doctor` looks for the cause")]
    Log {
        /// The task's id.
        task: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Output was wanted from a place behind the end.
    #[error("the log of the task `{task}` ends at {end}, before {offset}")]
    PastEnd {
        /// The task's id.
        task: String,
        /// The place that was given.
        offset: u64,
        /// Where the log ends now.
        end: u64,
    },
    /// A search pattern makes no sense.
    #[error("`{}` is not a pattern to search for: {reason}; to search for literal text, put a backslash before each of `.+*?()|[]{{}}^$\\`", pattern.escape_debug())]
    Pattern {
        /// The pattern, shortened.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Its keeper cannot be told to end this task alone.
    #[error(
        "the task `{task}` can be ended only by the program that started it, because its keeper (process {keeper}) has no socket and keeps {others} more; end it there, or end all of them with `bashful stop {}`",
        agent.as_ref().map_or_else(|| "--all".to_owned(), |agent| format!("--agent {agent}"))
    )]
    OutOfReach {
        /// The task's id.
        task: String,
        /// The keeper's process id.
        keeper: i32,
        /// How many other tasks it keeps.
        others: usize,
        /// Whose they are, if that is known.
        agent: Option<String>,
    },
    /// Its standard input cannot be written to.
    #[error("the task `{task}` has no input that can be sent to")]
    NoInput {
        /// The task's id.
        task: String,
    },
    /// Its input was closed before.
    #[error("the input of the task `{task}` was closed; nothing more can be sent to it")]
    InputClosed {
        /// The task's id.
        task: String,
    },
    /// It has no terminal.
    #[error("the task `{task}` has no terminal")]
    NoTerminal {
        /// The task's id.
        task: String,
    },
    /// It has ended.
    #[error("the task `{task}` has ended; its output can still be read")]
    Ended {
        /// The task's id.
        task: String,
    },
    /// It does not read what was sent before.
    #[error(
        "the task `{task}` has {waiting} bytes to read and no more than {most} may wait; nothing of this was sent: wait until it reads, and send less at a time"
    )]
    InputFull {
        /// The task's id.
        task: String,
        /// How many bytes wait.
        waiting: u64,
        /// How many may wait.
        most: u64,
    },
    /// The kernel did not do it.
    #[error("cannot {doing} the task `{task}`")]
    Refused {
        /// What was being done.
        doing: &'static str,
        /// The task's id.
        task: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Its keeper cannot be talked to.
    #[error(
        "cannot reach the keeper of the task `{task}`: {}",
        if *private { "it has no socket, so only the program that started it can; do it there" } else { "`bashful doctor` looks for the cause" }
    )]
    Unreachable {
        /// The task's id.
        task: String,
        /// It has no socket.
        private: bool,
        /// What failed on the way to its keeper; absent if there is no way.
        #[source]
        source: Option<EngineError>,
    },
    /// What is typed cannot be put on record.
    #[error(
        "nothing was sent to the task `{task}`, because it cannot be put on record; `bashful audit verify` and `bashful doctor` look for the cause"
    )]
    Unrecorded {
        /// The task's id.
        task: String,
        /// What failed when the trail was written.
        #[source]
        source: AuditError,
    },
    /// The system gave no thread to wait on.
    #[error("cannot start a thread for the task `{task}`; end some other work and try again")]
    Resources {
        /// The task's id.
        task: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// How it ended cannot be told.
    #[error("cannot tell how the task `{task}` ended; its log can still be read")]
    Result {
        /// The task's id.
        task: String,
        /// What failed when its result was read.
        #[source]
        source: EngineError,
    },
}

impl TaskError {
    /// What a person at a terminal can do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unknown { .. } | Self::Gone { .. } => {
                "`bashful tasks --all` lists them".to_owned()
            }
            Self::PastEnd { task, end, .. } => {
                format!("`bashful logs {task} --since {end}` reads what comes next")
            }
            Self::NoInput { .. } => {
                "start it with --tty, or with --keep-input, to send to it".to_owned()
            }
            Self::NoTerminal { .. } => "start it with --tty to give it one".to_owned(),
            _ => return None,
        })
    }

    /// Whether the caller asked for what does not exist or cannot be.
    pub const fn is_mistake(&self) -> bool {
        matches!(
            self,
            Self::Malformed { .. }
                | Self::Unknown { .. }
                | Self::Ambiguous { .. }
                | Self::SameName { .. }
                | Self::PastEnd { .. }
                | Self::Pattern { .. }
        )
    }
}

fn perhaps(similar: &[String]) -> String {
    if similar.is_empty() {
        return String::new();
    }
    format!("; perhaps {} was meant", quoted(similar))
}

fn quoted(ids: &[String]) -> String {
    let quoted: Vec<String> = ids.iter().map(|id| format!("`{id}`")).collect();
    quoted.join(", ")
}

/// Text from outside, short enough for a message.
pub(super) fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}
