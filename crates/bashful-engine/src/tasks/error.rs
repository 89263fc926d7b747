//! Why a task cannot be found, read or ended. Each says what to do.

use std::io;

use bashful_keeper::TaskDirectoryError;

use crate::error::EngineError;

/// Something that was wanted of a task and did not work.
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
    #[error("there is no task `{text}`; {}", hint(similar))]
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
    /// It was not started after all.
    #[error("the task `{task}` was not started; look at why, and start it again")]
    NotStarted {
        /// Which.
        task: String,
        /// Why.
        #[source]
        source: EngineError,
    },
    /// Its directory was taken away.
    #[error("the task `{task}` is not there any more; list the tasks to see which are")]
    Gone {
        /// Which.
        task: String,
    },
    /// Its directory cannot be read.
    #[error("cannot read about the task `{task}`; `bashful doctor` looks for the cause")]
    Directory {
        /// Which.
        task: String,
        /// What the system said.
        #[source]
        source: TaskDirectoryError,
    },
    /// Its log cannot be read.
    #[error("cannot read the log of the task `{task}`; `bashful doctor` looks for the cause")]
    Log {
        /// Which.
        task: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Output was wanted from a place behind the end.
    #[error(
        "the log of the task `{task}` ends at {end}, before {offset}; read on from the `next` of the last answer, or from 0"
    )]
    PastEnd {
        /// Which.
        task: String,
        /// The place that was given.
        offset: u64,
        /// Where the log ends now.
        end: u64,
    },
    /// A search pattern makes no sense.
    #[error("`{}` is not a pattern to search for: {reason}; to find a text as it stands, put a backslash before each of `.+*?()|[]{{}}^$\\`", pattern.escape_debug())]
    Pattern {
        /// The pattern, shortened.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Its keeper cannot be told to end this task alone.
    #[error(
        "the task `{task}` can be ended only by the program that started it, because its keeper (process {keeper}) has no socket and keeps {others} more; end it there, or end all tasks of this agent with `bashful stop --agent {agent}`"
    )]
    OutOfReach {
        /// Which.
        task: String,
        /// The keeper's process id.
        keeper: i32,
        /// How many other tasks it keeps.
        others: usize,
        /// Whose they are.
        agent: String,
    },
    /// The system gave no thread to wait on.
    #[error("cannot start a thread for the task `{task}`; end some other work and try again")]
    Resources {
        /// Which.
        task: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// How it ended cannot be told.
    #[error("cannot tell how the task `{task}` ended; its log may still be read")]
    Result {
        /// Which.
        task: String,
        /// Why.
        #[source]
        source: EngineError,
    },
}

fn hint(similar: &[String]) -> String {
    if similar.is_empty() {
        "list the tasks to see which there are".to_owned()
    } else {
        format!("perhaps {} was meant", quoted(similar))
    }
}

fn quoted(ids: &[String]) -> String {
    let quoted: Vec<String> = ids.iter().map(|id| format!("`{id}`")).collect();
    quoted.join(", ")
}

/// Text from outside, short enough for a message.
pub(super) fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}
