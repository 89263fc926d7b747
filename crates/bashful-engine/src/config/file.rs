//! Reading a configuration file with the care its layer needs.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

use super::error::ConfigError;

/// The most bytes a configuration file may have.
pub(super) const MAX_BYTES: u64 = 1024 * 1024;

/// The user id of root.
pub(super) const ROOT: u32 = 0;

/// What is asked of a file before it is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// It must belong to root or to this user, and no other user may be able to write it. Symbolic
    /// links are followed, since people keep such files elsewhere; the file they lead to is what
    /// counts.
    OwnedBy(u32),
    /// Any user may have written it. Symbolic links are refused: a repository could point one at a
    /// file whose content would then show up in error messages.
    Nobody,
}

/// Reads a file; nothing when there is none.
pub(super) fn read(path: &Path, trust: Trust) -> Result<Option<String>, ConfigError> {
    let Some(file) = open(path, trust)? else {
        return Ok(None);
    };
    check(&file, path, trust)?;
    let broken = |source| ConfigError::Read {
        path: path.to_owned(),
        source,
    };
    let mut bytes = Vec::new();
    // The file may grow while it is read, so its size alone is no bound.
    let taken = file
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(broken)?;
    if u64::try_from(taken).is_ok_and(|taken| taken <= MAX_BYTES) {
        text(bytes, path).map(Some)
    } else {
        Err(too_large(path))
    }
}

fn open(path: &Path, trust: Trust) -> Result<Option<File>, ConfigError> {
    // Without `NONBLOCK`, opening a named pipe would wait for a writer, maybe for ever.
    let mut flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    if trust == Trust::Nobody {
        flags |= OFlags::NOFOLLOW;
    }
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(descriptor) => Ok(Some(File::from(descriptor))),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(Errno::LOOP) if trust == Trust::Nobody => Err(not_a_file(path, "a symbolic link")),
        // This is what the system answers for a socket.
        Err(Errno::NXIO) => Err(not_a_file(path, "a socket")),
        Err(errno) => Err(ConfigError::Open {
            path: path.to_owned(),
            source: errno.into(),
        }),
    }
}

/// Looks at the open file, not at the path, so that nothing can be exchanged in between.
fn check(file: &File, path: &Path, trust: Trust) -> Result<(), ConfigError> {
    let status = rustix::fs::fstat(file).map_err(|errno| ConfigError::Read {
        path: path.to_owned(),
        source: io::Error::from(errno),
    })?;
    match FileType::from_raw_mode(status.st_mode) {
        FileType::RegularFile => {}
        FileType::Directory => return Err(not_a_file(path, "a directory")),
        FileType::Fifo => return Err(not_a_file(path, "a named pipe")),
        _ => return Err(not_a_file(path, "a device")),
    }
    if u64::try_from(status.st_size).is_ok_and(|size| size > MAX_BYTES) {
        return Err(too_large(path));
    }
    let mode = Mode::from_raw_mode(status.st_mode);
    match trust {
        Trust::OwnedBy(user) => {
            check_owner(path, user, status.st_uid, mode)?;
            check_directory(path)
        }
        Trust::Nobody => Ok(()),
    }
}

/// Where every user may put files, this one may be any user's.
fn check_directory(path: &Path) -> Result<(), ConfigError> {
    let Some(directory) = path.parent().filter(|path| !path.as_os_str().is_empty()) else {
        return Ok(());
    };
    let Ok(status) = rustix::fs::stat(directory) else {
        return Ok(());
    };
    let mode = Mode::from_raw_mode(status.st_mode);
    if mode.contains(Mode::WOTH) && !mode.contains(Mode::SVTX) {
        return Err(ConfigError::OpenDirectory {
            path: directory.to_owned(),
            mode: mode.as_raw_mode(),
        });
    }
    Ok(())
}

fn check_owner(path: &Path, user: u32, owner: u32, mode: Mode) -> Result<(), ConfigError> {
    let path = path.to_owned();
    if owner != ROOT && owner != user {
        return Err(ConfigError::WrongOwner {
            path,
            owner,
            expected: user,
        });
    }
    if mode.intersects(Mode::WGRP | Mode::WOTH) {
        let mode = mode.as_raw_mode();
        return Err(ConfigError::WritableByOthers { path, mode });
    }
    Ok(())
}

fn text(bytes: Vec<u8>, path: &Path) -> Result<String, ConfigError> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = error
            .as_bytes()
            .iter()
            .take(error.utf8_error().valid_up_to());
        ConfigError::NotUtf8 {
            path: path.to_owned(),
            line: 1 + valid.filter(|byte| **byte == b'\n').count(),
        }
    })
}

fn not_a_file(path: &Path, found: &'static str) -> ConfigError {
    ConfigError::NotAFile {
        path: path.to_owned(),
        found,
    }
}

fn too_large(path: &Path) -> ConfigError {
    ConfigError::TooLarge {
        path: path.to_owned(),
        limit: MAX_BYTES,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owner_and_mode() {
        let cases = [
            (1000, 1000, 0o644, ""),
            (1000, 1000, 0o600, ""),
            (1000, 0, 0o444, ""),
            (0, 0, 0o644, ""),
            (
                1000,
                1000,
                0o664,
                "configuration file `/a b/c` can be written by others (mode `0664`): \
                 run `chmod go-w '/a b/c'`",
            ),
            (
                1000,
                0,
                0o646,
                "configuration file `/a b/c` can be written by others (mode `0646`): \
                 run `chmod go-w '/a b/c'`",
            ),
            (
                1000,
                1001,
                0o644,
                "configuration file `/a b/c` belongs to uid `1001`: run `chown 1000 '/a b/c'` \
                 and `chmod go-w '/a b/c'`, or remove it",
            ),
            (
                0,
                1000,
                0o644,
                "configuration file `/a b/c` belongs to uid `1000`: run `chown 0 '/a b/c'` \
                 and `chmod go-w '/a b/c'`, or remove it",
            ),
        ];
        for (user, owner, mode, expected) in cases {
            let found = check_owner(Path::new("/a b/c"), user, owner, Mode::from_raw_mode(mode));
            let found = found.map_or_else(|error| error.to_string(), |()| String::new());
            assert_eq!(found, expected);
        }
    }
}
