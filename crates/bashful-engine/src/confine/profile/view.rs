//! What lies below what: system directories, and lists of roots.

use std::path::{Path, PathBuf};

// The sandbox shows these to every run, so what is denied or secret below them has to be hidden.
pub(super) use bashful_sandbox::SYSTEM_DIRECTORIES as SYSTEM;

/// Whether a path lies in a system directory.
pub(super) fn is_system(path: &Path) -> bool {
    SYSTEM.iter().any(|system| path.starts_with(system))
}

/// Whether a path is one of these or lies below one.
pub(super) fn is_below<'a>(
    path: &Path,
    roots: impl IntoIterator<Item = &'a (impl AsRef<Path> + ?Sized + 'a)>,
) -> bool {
    roots
        .into_iter()
        .any(|root| path.starts_with(root.as_ref()))
}

/// Sorts the paths and drops those that lie below another.
pub(super) fn simplify(paths: &mut Vec<PathBuf>) {
    // Sorted by components, what is below a path follows it directly.
    paths.sort();
    let mut last: Option<PathBuf> = None;
    paths.retain(|path| {
        if last.as_ref().is_some_and(|above| path.starts_with(above)) {
            return false;
        }
        last = Some(path.clone());
        true
    });
}
