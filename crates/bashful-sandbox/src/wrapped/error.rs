//! Why a wrapper program is not used, or did not do what it was asked to.

use std::io;
use std::path::PathBuf;

use crate::backend::Backend;

/// Why a run did not start inside a wrapper program. Nothing is left of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WrapperError {
    /// It is not installed where programs are trusted.
    #[error("`{name}` is not installed in a directory of the system")]
    Missing {
        /// The program's name.
        name: &'static str,
    },
    /// It is there, and a user other than root could have put it there or changed it.
    #[error("`{}` is not used: {problem}", path.display())]
    Untrusted {
        /// Where the program was found.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// It is there, and does not work for this user.
    #[error("`{}` does not answer `{asked}`: it says `{words}`", path.display())]
    Unwilling {
        /// Where the program was found.
        path: PathBuf,
        /// What it was asked.
        asked: &'static str,
        /// What it said instead.
        words: String,
    },
    /// It lacks an option that is needed.
    #[error("`{}` ({version}) is too old: it does not know `{missing}`", path.display())]
    TooOld {
        /// Where the program was found.
        path: PathBuf,
        /// Its version, as it says itself.
        version: String,
        /// The option that it lacks.
        missing: &'static str,
    },
    /// It could not build the sandbox.
    #[error("{backend} could not build the sandbox: {words}")]
    Failed {
        /// The wrapper program, by its backend.
        backend: Backend,
        /// What it said.
        words: String,
    },
    /// It did not build a wall that it was asked for.
    #[error(
        "{backend} did not give the run the protection of {what} that it was asked for; nothing ran"
    )]
    Hollow {
        /// The wrapper program, by its backend.
        backend: Backend,
        /// What there are no walls for.
        what: &'static str,
    },
    /// What it built is not what was asked for: a file or directory was replaced before.
    #[error("`{}` is a different one inside: it was replaced in the meantime", path.display())]
    Replaced {
        /// The path that leads elsewhere now.
        path: PathBuf,
    },
    /// It has no words for a name.
    #[error("`{}` has a name that the program would misread", path.display())]
    Unsayable {
        /// The path that has the name.
        path: PathBuf,
    },
    /// A step of our own went wrong on the way.
    #[error("cannot {doing} `{}`", path.display())]
    Own {
        /// What was tried.
        doing: &'static str,
        /// The path that it was tried with.
        path: PathBuf,
        /// What the kernel said.
        #[source]
        source: io::Error,
    },
}

/// Turns an error into one that says what was tried with which path.
pub(super) fn own<E: Into<io::Error>>(
    doing: &'static str,
    path: impl Into<PathBuf>,
) -> impl FnOnce(E) -> WrapperError {
    let path = path.into();
    move |error| WrapperError::Own {
        doing,
        path,
        source: error.into(),
    }
}
