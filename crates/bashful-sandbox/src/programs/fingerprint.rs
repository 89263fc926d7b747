//! Telling cheaply that no directory of a tree has changed.
//!
//! Package managers, `install`, `mv` and `rm` make and remove names, and every such act
//! changes the times of the directory that holds the name. So a fingerprint covers all
//! directories, and the mounts below the roots, for a mount on a file changes no
//! directory. Writing into an existing file in place is not seen; see
//! [`cached_scan`](super::cached_scan) for how long that can last.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::Stat;

/// What changes when a name is made or removed in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Stamp(Option<Seen>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Seen {
    device: u128,
    inode: u128,
    mode: u32,
    /// In nanoseconds since 1970.
    modified: i128,
    changed: i128,
}

impl Stamp {
    pub(super) fn of(stat: &Stat) -> Self {
        // Wide numbers, because the fields differ from one processor to the next.
        let time = |seconds: i128, nanoseconds: i128| seconds * 1_000_000_000 + nanoseconds;
        Self(Some(Seen {
            device: u128::from(stat.st_dev),
            inode: u128::from(stat.st_ino),
            mode: stat.st_mode,
            modified: time(stat.st_mtime.into(), stat.st_mtime_nsec.into()),
            changed: time(stat.st_ctime.into(), stat.st_ctime_nsec.into()),
        }))
    }

    /// The stamp of what is there now; that nothing is there is a stamp too.
    pub(super) fn at(path: &Path) -> Self {
        rustix::fs::lstat(path).map_or(Self(None), |stat| Self::of(&stat))
    }

    /// Whether the last change was long enough before this time that a later one
    /// cannot have left the same stamp: clocks of file systems are coarse.
    pub(super) fn is_settled(self, time: SystemTime, margin: Duration) -> bool {
        let limit = time
            .duration_since(SystemTime::UNIX_EPOCH)
            .ok()
            .and_then(|time| time.checked_sub(margin))
            .and_then(|time| i128::try_from(time.as_nanos()).ok());
        match (self.0, limit) {
            (None, _) => true,
            (Some(seen), Some(limit)) => seen.changed < limit,
            (Some(_), None) => false,
        }
    }
}

/// One number for many stamps, in this order.
pub(super) fn digest(stamps: impl Iterator<Item = Stamp>) -> u64 {
    let mut hasher = DefaultHasher::new();
    stamps.for_each(|stamp| stamp.hash(&mut hasher));
    hasher.finish()
}

/// The number for the stamps that these paths have now.
pub(super) fn digest_now<'a>(paths: impl Iterator<Item = &'a Path>) -> u64 {
    digest(paths.map(Stamp::at))
}

/// What is mounted on or below these roots; absent if that cannot be known.
pub(super) fn mounts(roots: &[PathBuf]) -> Option<u64> {
    let table = std::fs::read("/proc/self/mountinfo").ok()?;
    let mut hasher = DefaultHasher::new();
    for line in table.split(|&byte| byte == b'\n') {
        let mut fields = line.split(|&byte| byte == b' ').skip(2);
        let (Some(device), Some(source), Some(place)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let place = unescape(place);
        if roots.iter().any(|root| is_below(&place, root)) {
            (device, source, place).hash(&mut hasher);
        }
    }
    Some(hasher.finish())
}

fn is_below(place: &[u8], root: &Path) -> bool {
    Path::new(std::ffi::OsStr::from_bytes(place)).starts_with(root)
}

/// Undoes the kernel's `\040` for the few characters that would break the table.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&first, after)) = rest.split_first() {
        let code = after
            .get(..3)
            .filter(|_| first == b'\\')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        plain.push(code.unwrap_or(first));
        rest = if code.is_some() {
            after.get(3..).unwrap_or_default()
        } else {
            after
        };
    }
    plain
}
