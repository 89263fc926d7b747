//! The two files at one moment, while no engine writes.

use std::fs::File;

use rustix::fs::OFlags;

use super::super::directory::{Absent, Directory, HEAD, Locked, TRAIL, failed};
use super::super::head::{Head, Known};
use super::super::trail::Trail;
use crate::model::error::record::AuditError;

/// A trail up to its length at one moment, and its head at the same moment. Records are only ever
/// appended, so the lock is not needed for longer.
#[derive(Debug)]
pub(in super::super) struct Snapshot {
    /// The trail; absent if there is none.
    pub(in super::super) file: Option<File>,
    pub(in super::super) length: u64,
    pub(in super::super) known: Known,
}

impl Snapshot {
    pub(in super::super) fn take(trail: &Trail) -> Result<Self, AuditError> {
        let nothing = Self {
            file: None,
            length: 0,
            known: Known::Nothing,
        };
        let Some(directory) = Directory::open_existing(trail.state())? else {
            return Ok(nothing);
        };
        let path = trail.state().join(HEAD);
        let locked = match directory.file(HEAD, OFlags::RDONLY, Absent::Leave)? {
            Some((file, _)) => Some(Locked::together(file).map_err(failed("lock", &path))?),
            None => None,
        };
        let known = match &locked {
            Some(locked) => Head::read(&locked.0).map_err(failed("read", &path))?,
            None => Known::Nothing,
        };
        let opened = directory.file(TRAIL, OFlags::RDONLY, Absent::Leave)?;
        Ok(
            opened.map_or(Self { known, ..nothing }, |(file, about)| Self {
                file: Some(file),
                length: u64::try_from(about.st_size).unwrap_or(0),
                known,
            }),
        )
    }
}
