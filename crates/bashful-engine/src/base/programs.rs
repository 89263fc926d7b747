//! Programs on a search path.

use std::env;
use std::path::{Path, PathBuf};

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
