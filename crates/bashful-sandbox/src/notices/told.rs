//! What can be read about a call while it waits.

use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::tree::Last;
use crate::connects::address::{Address, parse};
use crate::seccomp::{Act, End, NoticeOptions, Place};
use crate::sys::notices::{Notice, read_memory};

/// The longest path that the kernel takes, and one that most are shorter than.
const MOST_PATH: usize = 4096;
const USUAL_PATH: usize = 256;
/// The longest address that is of interest.
const MOST_ADDRESS: usize = 32;

/// The longest address of a unix socket.
const MOST_SOCKET_PATH: usize = 110;

/// What was tried.
#[derive(Debug, Hash, PartialEq, Eq)]
pub(super) enum Attempt {
    /// Opening for reading.
    Read(PathBuf),
    /// Asking about what is there.
    Look(PathBuf, Last),
    /// Opening or changing what is there.
    Change(PathBuf),
    /// Changing which users may use what is there.
    Permit(PathBuf),
    /// Opening or making, whether or not it is there.
    Write(PathBuf),
    /// Making what is not there.
    Make(PathBuf),
    Remove(PathBuf),
    Move(PathBuf, PathBuf),
    Execute(PathBuf),
    Enter(PathBuf),
    /// The bytes of an address.
    Connect(Vec<u8>),
    /// Connecting to the socket there, which a run with other rights has made if this is true.
    Call(PathBuf, bool),
    /// What meets no wall.
    Nothing,
}

impl Attempt {
    /// Whether it changes nothing, so that it matters only where reads are traced.
    pub(super) fn only_looks(&self) -> bool {
        matches!(self, Self::Read(_) | Self::Look(..))
    }

    /// The same for the same attempt, whichever process makes it.
    pub(super) fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// What a call is about; `known` is its path, if that was read already. None if it cannot be
/// read from the process.
pub(super) fn gather(
    notice: &Notice,
    what: NoticeOptions,
    known: Option<Vec<u8>>,
) -> Option<Attempt> {
    let (_, watched) = what.of_call(notice.call.number)?;
    let path = || {
        let text = known.or_else(|| text(notice, watched.path));
        path(notice, watched.path, text?)
    };
    Some(match watched.act {
        Act::Open { flags } => opening(argument(notice, flags)?, path()?),
        Act::Write => Attempt::Write(path()?),
        Act::Change => Attempt::Change(path()?),
        Act::Permit => Attempt::Permit(path()?),
        Act::Make => Attempt::Make(path()?),
        Act::Remove => Attempt::Remove(path()?),
        Act::Move => {
            let to = watched.to?;
            Attempt::Move(path()?, self::path(notice, to, text(notice, to)?)?)
        }
        Act::Execute => Attempt::Execute(path()?),
        Act::Enter => Attempt::Enter(path()?),
        // There is no wall to it; it is counted.
        Act::Allocate { .. } => return None,
        Act::Look { end } => Attempt::Look(path()?, last(notice, end)?),
        Act::Connect { length } => {
            let length = usize::try_from(argument(notice, length)?).ok()?;
            let mut bytes = vec![0; length.min(MOST_ADDRESS)];
            let from = argument(notice, watched.path.path)?;
            let read = read_memory(notice.thread, from, &mut bytes)?;
            bytes.truncate(read);
            Attempt::Connect(bytes)
        }
        Act::Bind { length } => {
            let length = argument(notice, length)? & u64::from(u32::MAX);
            let mut bytes = vec![0; usize::try_from(length).ok()?.min(MOST_SOCKET_PATH)];
            let from = argument(notice, watched.path.path)?;
            let read = read_memory(notice.thread, from, &mut bytes)?;
            bytes.truncate(read);
            match parse(&bytes) {
                Ok(Address::Path(text)) => Attempt::Make(self::path(notice, watched.path, text)?),
                _ => Attempt::Nothing,
            }
        }
        Act::Listen => Attempt::Nothing,
    })
}

/// A path that a call names, which is relative to the working directory if to anything.
pub(super) fn from_working_directory(notice: &Notice, text: &[u8]) -> Option<PathBuf> {
    let place = Place {
        directory: None,
        path: 0,
    };
    path(notice, place, text.to_vec())
}

/// How much space a call sets aside, if it does.
pub(super) fn allocation(notice: &Notice, what: NoticeOptions) -> Option<u64> {
    let (_, watched) = what.of_call(notice.call.number)?;
    let Act::Allocate { length, mode } = watched.act else {
        return None;
    };
    // Holes and cut-out pieces give space back.
    let gives_back = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_COLLAPSE_RANGE;
    let gives_back = argument(notice, mode)? & u64::from(gives_back.unsigned_abs()) != 0;
    Some(if gives_back {
        0
    } else {
        argument(notice, length)?
    })
}

fn opening(flags: u64, path: PathBuf) -> Attempt {
    let has = |flag: i32| flags & u64::from(flag.unsigned_abs()) != 0;
    if has(libc::O_CREAT) && has(libc::O_EXCL) {
        Attempt::Make(path)
    } else if has(libc::O_CREAT) {
        Attempt::Write(path)
    } else if has(libc::O_WRONLY) || has(libc::O_RDWR) || has(libc::O_TRUNC) {
        Attempt::Change(path)
    } else {
        Attempt::Read(path)
    }
}

/// What becomes of a link at the end of the path.
fn last(notice: &Notice, end: End) -> Option<Last> {
    let stays = match end {
        End::Followed => false,
        End::Itself => true,
        End::Said { flags } => {
            let flag = u64::from(libc::AT_SYMLINK_NOFOLLOW.unsigned_abs());
            argument(notice, flags)? & flag != 0
        }
    };
    Some(if stays { Last::Itself } else { Last::Followed })
}

pub(super) fn argument(notice: &Notice, index: usize) -> Option<u64> {
    notice.call.arguments.get(index).copied()
}

/// The path that a call names, absolute in the run's tree but not resolved.
fn path(notice: &Notice, place: Place, text: Vec<u8>) -> Option<PathBuf> {
    let path = PathBuf::from(OsString::from_vec(text));
    if path.is_absolute() {
        return Some(path);
    }
    if path.as_os_str().is_empty() {
        // An open file, not a name: nothing is in its way.
        return Some(path);
    }
    let base = base(notice, place)?;
    base.is_absolute().then(|| base.join(path))
}

/// The text of a path as the call has it.
pub(super) fn text(notice: &Notice, place: Place) -> Option<Vec<u8>> {
    let from = argument(notice, place.path)?;
    let read = |most: usize| {
        let mut bytes = vec![0; most];
        let read = read_memory(notice.thread, from, &mut bytes)?;
        bytes.truncate(read);
        let end = bytes.iter().position(|byte| *byte == 0)?;
        bytes.truncate(end);
        Some(bytes)
    };
    read(USUAL_PATH).or_else(|| read(MOST_PATH))
}

/// What a relative path is relative to, as it is called in the run's tree.
fn base(notice: &Notice, place: Place) -> Option<PathBuf> {
    let thread = notice.thread;
    let directory = match place.directory {
        Some(index) => Some(descriptor(argument(notice, index)?)),
        None => None,
    };
    let link = match directory.filter(|fd| *fd != libc::AT_FDCWD) {
        Some(fd) => format!("/proc/{thread}/fd/{fd}"),
        None => format!("/proc/{thread}/cwd"),
    };
    fs::read_link(Path::new(&link)).ok().filter(|target| {
        // What was removed has no name any more.
        !target.as_os_str().as_bytes().ends_with(b" (deleted)")
    })
}

/// The kernel looks at the low half of the register only.
#[expect(
    clippy::cast_possible_truncation,
    reason = "descriptors are the low half of a register"
)]
fn descriptor(register: u64) -> i32 {
    register as i32
}
