//! What goes wrong with a control group.

use std::io;
use std::path::PathBuf;

use rustix::io::Errno;

/// A control group could not be made or changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CgroupError {
    /// There is no group to hold this limit.
    #[error("no control group holds the limit `{limit}` here")]
    Unavailable {
        /// The name of the limit in a profile.
        limit: &'static str,
    },
    /// A name that cannot be a directory of ours.
    #[error("bad name of a control group: `{name}`")]
    Name {
        /// The name as the caller gave it.
        name: String,
    },
    /// The group could not be made.
    #[error("cannot make control group `{path}`")]
    Make {
        /// The directory that was to be made.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// One of its files could not be opened.
    #[error("cannot open `{path}`")]
    Open {
        /// The file or directory.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// The kernel did not take a value.
    #[error("cannot set `{path}` to `{value}`")]
    Set {
        /// The file that was written to.
        path: PathBuf,
        /// What was written.
        value: String,
        /// What the kernel said.
        source: io::Error,
    },
}

impl CgroupError {
    /// The error number behind it.
    pub(crate) fn errno(&self) -> Option<i32> {
        match self {
            Self::Unavailable { .. } => Some(Errno::OPNOTSUPP.raw_os_error()),
            Self::Name { .. } => Some(Errno::INVAL.raw_os_error()),
            Self::Make { source, .. } | Self::Open { source, .. } | Self::Set { source, .. } => {
                source.raw_os_error()
            }
        }
    }
}

impl From<CgroupError> for io::Error {
    fn from(error: CgroupError) -> Self {
        let kind = error.errno().map_or(io::ErrorKind::Other, |errno| {
            Self::from_raw_os_error(errno).kind()
        });
        Self::new(kind, error)
    }
}
