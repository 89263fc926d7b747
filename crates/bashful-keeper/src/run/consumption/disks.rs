//! What a run adds to the disks that it writes to.
//!
//! Two things must come together: a disk has become fuller since the run began, and the run
//! wrote as much. Another process that fills the disk, or a run that writes over the same file,
//! is left alone. Neither check looks at any file.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bashful_sandbox::{DiskSpace, Written};

/// What a run may add to a disk that is nearly full: half of what was free, within these.
const LEAST: u64 = 64 << 20;
const MOST: u64 = 1 << 30;

/// Disks as they stand, each asked once.
#[derive(Debug, Default)]
pub(crate) struct Disks(BTreeMap<u64, Option<DiskSpace>>);

impl Disks {
    fn at(&mut self, disk: &Disk) -> Option<DiskSpace> {
        let space = self.0.entry(disk.device);
        *space.or_insert_with(|| DiskSpace::at(&disk.path))
    }
}

/// A disk as it was when the run began.
#[derive(Debug)]
struct Disk {
    device: u64,
    path: PathBuf,
    space: DiskSpace,
}

impl Disk {
    fn of(path: &Path) -> Option<Self> {
        Some(Self {
            device: fs::metadata(path).ok()?.dev(),
            space: DiskSpace::at(path)?,
            path: path.to_owned(),
        })
    }

    /// What may be added to it once it is nearly full.
    fn bound(&self) -> u64 {
        (self.space.free / 2).clamp(LEAST, MOST)
    }
}

/// What a run added.
#[derive(Debug)]
pub(super) struct Added {
    limit: u64,
    disks: Vec<Disk>,
    is_new: bool,
    /// Set aside without writing.
    allocated: u64,
    /// Written by processes that were seen, at the last look.
    written: u64,
    /// Written by processes that were seen and have gone without their parents waiting for them.
    lost: u64,
}

/// That it was too much, and what was allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    /// By its limit.
    Limit(u64),
    /// By what the disk has left.
    Space(u64),
}

impl Over {
    pub(super) fn bytes(self) -> u64 {
        match self {
            Self::Limit(bytes) | Self::Space(bytes) => bytes,
        }
    }
}

/// By how much disks became fuller, and what is allowed.
#[derive(Debug, Clone, Copy)]
struct Fall {
    bytes: u64,
    allowed: Over,
}

impl Fall {
    fn is_over(self, added: u64) -> bool {
        self.bytes.min(added) > self.allowed.bytes()
    }
}

impl Added {
    pub(super) fn begin(limit: u64, roots: &[PathBuf]) -> Self {
        let mut disks: Vec<Disk> = Vec::new();
        for disk in roots.iter().filter_map(|root| Disk::of(root)) {
            if !disks.iter().any(|known| known.device == disk.device) {
                disks.push(disk);
            }
        }
        Self {
            limit,
            disks,
            is_new: true,
            allocated: 0,
            written: 0,
            lost: 0,
        }
    }

    pub(super) fn is_new(&self) -> bool {
        self.is_new
    }

    /// Where it writes.
    pub(super) fn root(&self) -> Option<PathBuf> {
        self.disks.first().map(|disk| disk.path.clone())
    }

    /// Looks at it: how much may come before the next look, or that it was too much.
    pub(super) fn look(&mut self, init: i32, disks: &mut Disks) -> Result<u64, Over> {
        self.is_new = false;
        let falls = self.falls(0, disks);
        // Only where it may have been this run, its processes are asked.
        let is_close = |fall: &Fall| fall.bytes > fall.allowed.bytes() / 2;
        if falls.iter().any(is_close) {
            self.count(Written::by(&[init]));
        }
        let added = self.added();
        if let Some(fall) = falls.iter().find(|fall| fall.is_over(added)) {
            return Err(fall.allowed);
        }
        let left = falls.iter().map(|fall| {
            let added = fall.bytes.min(added.max(fall.allowed.bytes() / 2));
            fall.allowed.bytes().saturating_sub(added)
        });
        let free = self.disks.iter().filter_map(|disk| disks.at(disk));
        let free = free.map(|space| space.free / 2);
        Ok(left.chain(free).min().unwrap_or(u64::MAX))
    }

    /// The run is about to set aside this many bytes: whether that is too much.
    pub(super) fn allocate(&mut self, bytes: u64) -> Option<Over> {
        self.allocated = self.allocated.saturating_add(bytes);
        let falls = self.falls(bytes, &mut Disks::default());
        let added = self.added();
        let over = falls.into_iter().find(|fall| fall.is_over(added));
        over.map(|fall| fall.allowed)
    }

    /// By how much the disks became fuller, with these bytes still to come.
    fn falls(&self, coming: u64, disks: &mut Disks) -> Vec<Fall> {
        let mut falls = Vec::new();
        let mut all = coming;
        for disk in &self.disks {
            let Some(now) = disks.at(disk) else { continue };
            let bytes = disk.space.free.saturating_sub(now.free);
            all = all.saturating_add(bytes);
            if now.is_nearly_full_without(coming) {
                falls.push(Fall {
                    bytes: bytes.saturating_add(coming),
                    allowed: Over::Space(disk.bound()),
                });
            }
        }
        falls.push(Fall {
            bytes: all,
            allowed: Over::Limit(self.limit),
        });
        falls
    }

    fn added(&self) -> u64 {
        let written = self.written.saturating_add(self.lost);
        written.saturating_add(self.allocated)
    }

    /// What its processes have written. Their sum never shrinks unless one is gone whose parent
    /// did not want to know of it.
    fn count(&mut self, now: Written) {
        // The kernel does not count what is written to memory among what goes to disks.
        let in_memory = self.disks.iter().any(|disk| disk.space.in_memory);
        let written = if in_memory { now.to_all } else { now.to_disk };
        self.lost = self
            .lost
            .saturating_add(self.written.saturating_sub(written));
        self.written = written;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIBIBYTE: u64 = 1 << 30;

    fn space(free: u64) -> DiskSpace {
        DiskSpace {
            total: 100 * GIBIBYTE,
            free,
            in_memory: false,
        }
    }

    /// A run that may add 16 GiB to a disk with this much free.
    fn run_with(free: u64) -> Added {
        Added {
            limit: 16 * GIBIBYTE,
            disks: vec![Disk {
                device: 7,
                path: "/work".into(),
                space: space(free),
            }],
            is_new: true,
            allocated: 0,
            written: 0,
            lost: 0,
        }
    }

    /// What becomes of one that wrote this much while this much is free by now.
    fn over(before: u64, now: u64, written: u64) -> Option<Over> {
        let mut run = run_with(before);
        run.count(Written {
            to_disk: written,
            to_all: u64::MAX,
        });
        let mut disks = Disks(BTreeMap::from([(7, Some(space(now)))]));
        let added = run.added();
        let falls = run.falls(0, &mut disks);
        let over = falls.into_iter().find(|fall| fall.is_over(added));
        over.map(|fall| fall.allowed)
    }

    #[test]
    fn writing_and_a_fuller_disk_must_come_together() {
        let limit = Some(Over::Limit(16 * GIBIBYTE));
        let table = [
            (60, 43, 17, limit),
            (60, 45, 15, None),
            // Another process fills the disk.
            (60, 20, 1, None),
            // It writes over what is there.
            (60, 59, 900, None),
            // Nearly full: a gibibyte, or half of what there was.
            (20, 4, 2, Some(Over::Space(GIBIBYTE))),
            (6, 4, 2, Some(Over::Space(GIBIBYTE))),
            (20, 4, 1, None),
            (3, 2, 1, None),
            (20, 6, 14, None),
        ];
        for (before, now, written, expected) in table {
            let seen = over(before * GIBIBYTE, now * GIBIBYTE, written * GIBIBYTE);
            assert_eq!(seen, expected, "{before} {now} {written}");
        }
        let half = over(GIBIBYTE, GIBIBYTE / 4, GIBIBYTE * 3 / 4);
        assert_eq!(half, Some(Over::Space(GIBIBYTE / 2)));
    }

    #[test]
    fn what_the_dead_wrote_is_not_forgotten() {
        let mut run = run_with(60 * GIBIBYTE);
        for to_disk in [5, 1, 4, 0] {
            run.count(Written { to_disk, to_all: 0 });
        }
        assert_eq!(run.added(), 8);
    }
}
