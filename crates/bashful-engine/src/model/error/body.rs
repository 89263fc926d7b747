//! Why a text cannot be a script.

/// What makes a text unfit to be a script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnfitBody {
    /// Nothing is in it.
    #[error("the script is empty")]
    Empty,
    /// It is no text.
    #[error("the script is not text: {detail}")]
    Binary {
        /// What says so.
        detail: String,
    },
    /// It is too long.
    #[error("the script is longer than {MAX_SCRIPT_BYTES} bytes, which is the limit")]
    TooLong {
        /// How long it is, as far as it was read.
        length: u64,
    },
    /// It begins with what bash would take for a part of the first command.
    #[error(
        "the script begins with a byte order mark, which bash cannot read: save it without one"
    )]
    Mark,
    /// Its first line names another interpreter.
    #[error("the script is for `{}`, and scripts are run by bash", interpreter.escape_debug())]
    Interpreter {
        /// What it names.
        interpreter: String,
    },
    /// It is no shell script.
    #[error("the script does not parse{}: {detail}", .line.map_or_else(String::new, |line| format!(", line {line}")))]
    Syntax {
        /// The line, counted from 1; absent where it is not known.
        line: Option<usize>,
        /// What bash or our own reading says.
        detail: String,
    },
    /// A template in it cannot be bound safely.
    #[error("a template of the script cannot be bound: {detail}")]
    Template {
        /// What is said about it: line, why, and the way to write it.
        detail: String,
    },
}

/// The longest script, in bytes.
pub const MAX_SCRIPT_BYTES: usize = 1 << 20;
