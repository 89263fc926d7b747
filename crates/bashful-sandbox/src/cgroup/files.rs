//! The directories and files of a hierarchy, as the kernel has them.

use std::fmt::Debug;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// What changes a hierarchy.
///
/// In a control group file system a new directory is born with its files, goes with
/// them, and writing is commanding. A tree in an ordinary directory needs help there.
pub(super) trait Files: Debug + Sync {
    /// Makes a directory that must not be there yet.
    fn make(&self, directory: &Path) -> io::Result<()>;
    /// Removes a directory.
    fn remove(&self, directory: &Path) -> io::Result<()>;
    /// Writes a file that must be there already.
    fn write(&self, path: &Path, value: &str) -> io::Result<()>;
}

/// The kernel's own file system.
#[derive(Debug)]
pub(super) struct Kernel;

impl Files for Kernel {
    fn make(&self, directory: &Path) -> io::Result<()> {
        // No other user may make groups in it, whatever the umask says.
        DirBuilder::new().mode(0o755).create(directory)
    }

    fn remove(&self, directory: &Path) -> io::Result<()> {
        fs::remove_dir(directory)
    }

    fn write(&self, path: &Path, value: &str) -> io::Result<()> {
        OpenOptions::new()
            .write(true)
            .open(path)?
            .write_all(value.as_bytes())
    }
}

/// A look that commands nothing: groups are made and removed to see whether they can be,
/// but no process is moved and no controller handed down.
#[derive(Debug)]
pub(super) struct Look;

impl Files for Look {
    fn make(&self, directory: &Path) -> io::Result<()> {
        Kernel.make(directory)
    }

    fn remove(&self, directory: &Path) -> io::Result<()> {
        Kernel.remove(directory)
    }

    fn write(&self, _path: &Path, _value: &str) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
}
