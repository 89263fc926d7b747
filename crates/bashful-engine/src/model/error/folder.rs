//! Why a file of a script cannot be used.

use std::io;
use std::path::PathBuf;

/// Why the folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// It is not safe to use.
    #[error("will not use the scripts folder `{}`: {why}", path.display())]
    Unsafe {
        /// The folder, or what is above it.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// There is no place for it.
    #[error(
        "there is no place for scripts: neither `XDG_CONFIG_HOME` nor `HOME` is an absolute path"
    )]
    NoPlace,
    /// The system refused an operation on the folder or on a file in it.
    #[error("cannot {doing} `{}`", path.display())]
    Failed {
        /// What was being done.
        doing: &'static str,
        /// The file or directory that it was done to.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}
