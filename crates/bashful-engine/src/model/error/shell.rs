//! What can go wrong with a shell.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// What can go wrong with a shell.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShellError {
    /// Another call has it.
    #[error("the shell `{name}` is busy: another call held it for the whole {} ms", waited.as_millis())]
    Busy {
        /// The name of the shell that is in use.
        name: String,
        /// How long was waited.
        waited: Duration,
    },
    /// There is none of this name.
    #[error("there is no shell `{name}` here")]
    Unknown {
        /// The name that no shell here has.
        name: String,
    },
    /// Its files cannot be used.
    #[error("cannot use `{}`", path.display())]
    Files {
        /// The file or directory that could not be used.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// What is on disk is not what was written there.
    #[error(
        "the state of the shell `{name}` cannot be read; `bashful shells reset` starts it afresh"
    )]
    Damaged {
        /// The name of the shell whose state is damaged.
        name: String,
    },
    /// A session that is this call alone has no shell that lasts.
    #[error("a shell lasts as long as a session, and this call has none of its own")]
    NoSession,
}

impl ShellError {
    /// What to do about it, in one sentence.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Busy { .. } => {
                "wait for the other call, give this one more time, or use another shell"
            }
            Self::Unknown { .. } => "`bashful shells list` shows the shells",
            Self::Files { .. } => "make sure that the state directory is yours alone",
            Self::Damaged { .. } => "run `bashful shells reset`",
            Self::NoSession => "name a session, with --session or BASHFUL_SESSION",
        })
    }

    /// A short name for programs.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Busy { .. } => "shell_busy",
            Self::Unknown { .. } => "no_such_shell",
            Self::Files { .. } => "shell_files",
            Self::Damaged { .. } => "shell_damaged",
            Self::NoSession => "shell_without_session",
        }
    }
}
