//! The file format of the cache: strings that end with a NUL, which no path holds.
//!
//! It begins with a version and ends with a checksum of all before it. A new version
//! of this crate may judge files differently, hence its number is in the first line.

use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

const VERSION: &str = concat!("bashful programs 1 ", env!("CARGO_PKG_VERSION"));

/// What is remembered of one scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record<'a> {
    /// Where was looked.
    pub(super) roots: Vec<&'a Path>,
    /// When the scan began, by the system's clock.
    pub(super) started: SystemTime,
    /// The digest of the mounts there.
    pub(super) mounts: u64,
    /// The digest of the directories' stamps, in their order.
    pub(super) stamps: u64,
    /// Every directory that was seen.
    pub(super) directories: Vec<&'a Path>,
    /// The programs that the scan found.
    pub(super) programs: Vec<&'a Path>,
}

impl<'a> Record<'a> {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put(&mut bytes, VERSION.as_bytes());
        let started = self
            .started
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        for number in [started.as_secs(), self.mounts, self.stamps] {
            put(&mut bytes, number.to_string().as_bytes());
        }
        for list in [&self.roots, &self.directories, &self.programs] {
            put(&mut bytes, list.len().to_string().as_bytes());
            for path in list {
                put(&mut bytes, path.as_os_str().as_bytes());
            }
        }
        let sum = checksum(&bytes);
        bytes.extend_from_slice(&sum);
        bytes
    }

    /// The record in these bytes; absent if they are not exactly one.
    pub(super) fn from_bytes(bytes: &'a [u8]) -> Option<Self> {
        let (content, sum) = bytes.split_last_chunk::<8>()?;
        if checksum(content) != *sum {
            return None;
        }
        let content = content.strip_suffix(&[0])?;
        let mut strings = content.split(|&byte| byte == 0);
        if strings.next()? != VERSION.as_bytes() {
            return None;
        }
        let started =
            SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(number(strings.next()?)?))?;
        let record = Self {
            started,
            mounts: number(strings.next()?)?,
            stamps: number(strings.next()?)?,
            roots: paths(&mut strings)?,
            directories: paths(&mut strings)?,
            programs: paths(&mut strings)?,
        };
        strings.next().is_none().then_some(record)
    }
}

fn put(bytes: &mut Vec<u8>, string: &[u8]) {
    bytes.extend_from_slice(string);
    bytes.push(0);
}

fn checksum(bytes: &[u8]) -> [u8; 8] {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish().to_le_bytes()
}

fn number(string: &[u8]) -> Option<u64> {
    std::str::from_utf8(string).ok()?.parse().ok()
}

fn paths<'a>(strings: &mut impl Iterator<Item = &'a [u8]>) -> Option<Vec<&'a Path>> {
    let count = number(strings.next()?)?;
    (0..count)
        .map(|_| Some(Path::new(OsStr::from_bytes(strings.next()?))))
        .collect()
}
