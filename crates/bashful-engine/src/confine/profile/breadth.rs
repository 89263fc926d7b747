//! Which roots are too wide to be granted by name.

use std::path::Path;

use bashful_policy::Preset;

use super::paths::Named;
use super::view::{SYSTEM, is_below, is_system};
use crate::model::error::confine::ConfineError;

/// Directories of the kernel. The sandbox has its own; the host's would show other processes.
const KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Directories that are not to be writable as a whole.
const TOO_WIDE: [&str; 7] = [
    "/var",
    "/run",
    "/home",
    "/srv",
    "/mnt",
    "/media",
    "/usr/local",
];

/// Places below system directories that are meant for people.
const LOCAL: [&str; 3] = ["/usr/local", "/usr/src", "/opt"];

/// Refuses the whole file system and what is the kernel's, whether to read or to write.
pub(super) fn check_breadth(
    named: &Named,
    key: &'static str,
    preset: Preset,
) -> Result<(), ConfineError> {
    if preset == Preset::Full {
        return Ok(());
    }
    let written = || named.written.clone();
    if named.path == Path::new("/") {
        return Err(ConfineError::WholeFileSystem {
            key,
            written: written(),
        });
    }
    if is_below(&named.path, &KERNEL) {
        return Err(ConfineError::SystemDirectory {
            key,
            written: written(),
            resolved: named.path.clone(),
        });
    }
    Ok(())
}

/// Whether a path is the system's, so that no run writes it.
pub(super) fn is_for_the_system(path: &Path) -> bool {
    let mut whole = TOO_WIDE.iter().chain(&SYSTEM);
    whole.any(|directory| Path::new(directory).starts_with(path))
        || path.starts_with("/boot")
        || (is_system(path) && !is_below(path, &LOCAL))
}
