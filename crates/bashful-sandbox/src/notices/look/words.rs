//! What is reported about a wall.

use std::path::{Path, PathBuf};

use crate::plan::ROOM_DIRECTORY;
use crate::profile::Violation;

/// The source of these reports: the filter's notices.
pub(in super::super) const SOURCE: &str = "seccomp";

/// What is reported about the sandbox's own parts.
const NOTHING_OPENS: &str = "nothing opens this: it belongs to the sandbox itself";

/// Whether a path belongs to the sandbox itself.
pub(in super::super) fn is_own(path: &Path) -> bool {
    let own = ["/proc", "/dev", "/sys", ROOM_DIRECTORY];
    own.iter().any(|own| path.starts_with(own))
}

/// Whether every user puts files there that do not last.
pub(super) fn is_for_passing_files(directory: &Path) -> bool {
    ["/tmp", "/var/tmp", "/dev/shm"]
        .iter()
        .any(|shared| directory == Path::new(shared))
}

/// A part of the sandbox itself.
pub(super) fn own(path: &Path) -> Violation {
    Violation {
        missing: String::new(),
        note: Some(NOTHING_OPENS.to_owned()),
        ..hidden("write", path.to_owned())
    }
}

/// Says so of a violation of such a path that another source saw.
pub(in super::super) fn without_remedy_if_own(violation: Violation) -> Violation {
    let is_own = violation.path.as_deref().is_some_and(is_own);
    if !is_own || !violation.missing.starts_with("paths_") {
        return violation;
    }
    Violation {
        missing: String::new(),
        note: Some(NOTHING_OPENS.to_owned()),
        ..violation
    }
}

/// A path in the host's `/tmp`, where the run has none of its own.
pub(super) fn in_hosts_tmp(path: PathBuf) -> Violation {
    Violation {
        missing: String::new(),
        note: Some(
            "this directory is the host's here; `$TMPDIR` names one that may be written".to_owned(),
        ),
        ..hidden("write", path)
    }
}

pub(super) fn unlisted(path: PathBuf) -> Violation {
    Violation {
        kind: "command".to_owned(),
        path: Some(path),
        missing: "commands".to_owned(),
        source: SOURCE.to_owned(),
        note: Some("it is not among the programs that may run".to_owned()),
        ..Violation::default()
    }
}

/// A path that the host has and the run does not see.
pub(super) fn hidden(kind: &str, path: PathBuf) -> Violation {
    let missing = match kind {
        "write" => "paths_write",
        _ => "paths_read",
    };
    Violation {
        kind: kind.to_owned(),
        path: Some(path),
        missing: missing.to_owned(),
        source: SOURCE.to_owned(),
        note: Some("it is not visible in the sandbox".to_owned()),
        ..Violation::default()
    }
}

/// A path that the run sees, and that no rule opens.
pub(super) fn closed(kind: &str, path: PathBuf) -> Violation {
    Violation {
        note: Some("no rule of the sandbox opens it".to_owned()),
        ..hidden(kind, path)
    }
}

/// The same for a name that was to be taken away, which is up to the directory that it is in.
pub(super) fn in_directory(violation: Violation) -> Violation {
    let directory = violation.path.as_deref().and_then(Path::parent);
    Violation {
        needs: directory
            .filter(|_| !violation.missing.is_empty())
            .map(Path::to_owned),
        ..violation
    }
}
