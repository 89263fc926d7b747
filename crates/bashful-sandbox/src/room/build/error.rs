//! What can go wrong while a room is built: the step, the path, and the kernel's word.

use std::io;
use std::path::{Path, PathBuf};

/// The part of building that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildStep {
    /// Looking at the host.
    Host,
    /// Making the namespaces of a room.
    Namespaces,
    /// Mapping users and groups in the user namespace.
    Identity,
    /// The room's own file systems.
    Base,
    /// Taking a file or directory of the host.
    Take,
    /// Putting it in its place.
    Place,
    /// Closing the tree.
    Close,
    /// The Landlock rules.
    Landlock,
    /// Starting the gate of a room with named hosts.
    Gate,
    /// Handing the result over.
    Report,
}

pub(super) const STEPS: [BuildStep; 10] = [
    BuildStep::Host,
    BuildStep::Namespaces,
    BuildStep::Identity,
    BuildStep::Base,
    BuildStep::Take,
    BuildStep::Place,
    BuildStep::Close,
    BuildStep::Landlock,
    BuildStep::Gate,
    BuildStep::Report,
];

impl BuildStep {
    fn doing(self) -> &'static str {
        match self {
            Self::Host => "look at",
            Self::Namespaces => "make namespaces for",
            Self::Identity => "map users for",
            Self::Base => "make the room's own",
            Self::Take => "take",
            Self::Place => "put in place",
            Self::Close => "close the tree at",
            Self::Landlock => "restrict",
            Self::Gate => "start",
            Self::Report => "hand over",
        }
    }
}

/// A room or template that was not built. Nothing is left of it.
#[derive(Debug, thiserror::Error)]
#[error("cannot {} `{}` while building the sandbox", step.doing(), path.display())]
pub struct BuildError {
    /// The step that failed.
    pub step: BuildStep,
    /// What it was about.
    pub path: PathBuf,
    /// What the kernel said.
    #[source]
    pub source: io::Error,
}

impl BuildError {
    pub(in crate::room) fn new(
        step: BuildStep,
        path: impl Into<PathBuf>,
        source: io::Error,
    ) -> Self {
        Self {
            step,
            path: path.into(),
            source,
        }
    }
}

/// Turns an error into one that names the step and the path.
pub(in crate::room) fn at<E: Into<io::Error>>(
    step: BuildStep,
    path: impl AsRef<Path>,
) -> impl FnOnce(E) -> BuildError {
    let path = path.as_ref().to_owned();
    move |error| BuildError::new(step, path, error.into())
}
