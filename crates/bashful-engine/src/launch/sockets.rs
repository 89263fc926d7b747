//! The sockets of keepers.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bashful_keeper::connect;
use bashful_sandbox::RESIDENT_SOCKET;

/// How many sockets are looked at, at most.
const MOST_SOCKETS: usize = 512;

/// The sockets in this directory, but for that of a resident engine, which speaks otherwise.
pub(crate) fn sockets(runtime: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(runtime).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths
        .filter(|path| path.extension().is_some_and(|end| end == "sock"))
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.as_encoded_bytes() != RESIDENT_SOCKET)
        })
        .take(MOST_SOCKETS)
        .collect()
}

/// Whether the keeper of a socket is gone.
pub(crate) fn is_dead(socket: &Path) -> bool {
    connect(socket).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}
