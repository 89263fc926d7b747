//! Programs on a search path.

use std::env;
use std::path::{Path, PathBuf};

use crate::base::real::real;

/// Where a program of this name could be, in the order of `PATH`. Relative entries are left out:
/// they lead to another place from every directory.
pub(crate) fn on_path(name: &str, path: Option<&str>) -> Vec<PathBuf> {
    let entries = env::split_paths(path.unwrap_or_default());
    entries
        .filter(|entry| entry.is_absolute())
        .map(|entry| entry.join(name))
        .collect()
}

pub(crate) fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// A search path without what lies in one of these directories, which are real: what runs write
/// is not started outside of them.
pub(crate) fn trusted_path(path: Option<&str>, foreign: &[PathBuf]) -> String {
    let is_foreign = |entry: &PathBuf| {
        // What is not there now may be there later.
        let real = real(entry).unwrap_or_else(|_| entry.clone());
        entry.is_absolute() && !foreign.iter().any(|root| real.starts_with(root))
    };
    let entries = env::split_paths(path.unwrap_or_default());
    let kept: Vec<PathBuf> = entries.filter(is_foreign).collect();
    let joined = env::join_paths(kept).unwrap_or_default();
    joined.to_string_lossy().into_owned()
}

/// The program of this name on such a path, which also does not lead into these directories.
pub(crate) fn find_trusted(name: &str, path: &str, foreign: &[PathBuf]) -> Option<PathBuf> {
    on_path(name, Some(path)).into_iter().find(|candidate| {
        let real = real(candidate);
        let leads_there = |root: &PathBuf| real.as_ref().is_ok_and(|real| real.starts_with(root));
        is_executable(candidate) && !foreign.iter().any(leads_there)
    })
}
