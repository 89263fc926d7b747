//! What a run reads from, and the second copy of its log: descriptors that go with its order.

use std::fs::File;
use std::io::{self, IsTerminal, Seek, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};

use crate::model::error::{EngineError, InvalidInvocation};
use crate::request::invocation::{InputMode, Stdin};

/// A keeper keeps no more for a command to read.
const MOST_INPUT: usize = 1 << 20;

/// What it reads from, and what is sent to it first.
pub(super) fn input(
    given: Stdin,
    input_mode: InputMode,
) -> Result<(Option<OwnedFd>, Vec<u8>), EngineError> {
    match given {
        given if input_mode == InputMode::Apart => Ok((stdin(given)?, Vec::new())),
        Stdin::Closed => Ok((None, Vec::new())),
        Stdin::Bytes(bytes) if bytes.len() <= MOST_INPUT => Ok((None, bytes)),
        Stdin::Bytes(bytes) => Err(InvalidInvocation::InputTooLong {
            length: bytes.len(),
            limit: MOST_INPUT,
        }
        .into()),
        Stdin::Descriptor(_) => Err(InvalidInvocation::TwoInputs.into()),
    }
}

fn stdin(stdin: Stdin) -> Result<Option<OwnedFd>, EngineError> {
    match stdin {
        Stdin::Closed => Ok(None),
        Stdin::Descriptor(fd) if fd.is_terminal() => {
            // To read from, and not to draw on past our frame and over our questions.
            let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::CLOEXEC;
            let path = format!("/proc/self/fd/{}", fd.as_raw_fd());
            let opened = rustix::fs::open(path, flags, Mode::empty());
            let failed = |errno: rustix::io::Errno| EngineError::Resources {
                what: "the terminal as standard input".to_owned(),
                source: errno.into(),
            };
            opened.map(Some).map_err(failed)
        }
        Stdin::Descriptor(fd) => Ok(Some(fd)),
        Stdin::Bytes(bytes) => {
            let failed = |source| EngineError::Resources {
                what: "memory for standard input".to_owned(),
                source,
            };
            let flags = rustix::fs::MemfdFlags::CLOEXEC;
            let memory =
                rustix::fs::memfd_create("stdin", flags).map_err(|errno| failed(errno.into()))?;
            let mut file = File::from(memory);
            file.write_all(&bytes)
                .and_then(|()| file.rewind())
                .map_err(failed)?;
            Ok(Some(file.into()))
        }
    }
}

/// Opens the second log. Where it lies in the workspace, links are not followed: an earlier
/// run may have made them.
pub(super) fn open_log(path: &Path, workspace: &Path) -> Result<File, InvalidInvocation> {
    let unwritable = |source: io::Error| InvalidInvocation::UnwritableLog {
        path: path.to_owned(),
        source,
    };
    // A pipe that no process reads must be an error, not a wait.
    let flags = OFlags::WRONLY
        | OFlags::CREATE
        | OFlags::NONBLOCK
        | OFlags::NOFOLLOW
        | OFlags::NOCTTY
        | OFlags::CLOEXEC;
    let mode = Mode::RUSR | Mode::WUSR;
    let resolve = if path.starts_with(workspace) {
        ResolveFlags::NO_SYMLINKS
    } else {
        ResolveFlags::empty()
    };
    let opened =
        openat2(CWD, path, flags, mode, resolve).map_err(|errno| unwritable(errno.into()))?;
    let file = File::from(opened);
    let about = file.metadata().map_err(unwritable)?;
    if about.is_file() {
        if about.nlink() > 1 && path.starts_with(workspace) {
            return Err(unwritable(io::Error::other("it has other names")));
        }
        file.set_len(0).map_err(unwritable)?;
    }
    Ok(file)
}
