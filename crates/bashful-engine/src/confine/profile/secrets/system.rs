//! The secrets of the system, remembered while their directories stay as they are.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{Access, access};
use serde::{Deserialize, Serialize};

use super::super::listed::Listed;
use super::existing;
use super::list::IN_SYSTEM;

/// What a directory looked like: device, inode, and when its entries last changed.
type Stamp = (u64, u64, i64, i64);

/// A change within the grain of the clock leaves the stamp as it was, so a directory has to be
/// at rest for this long before its stamp is trusted.
const AT_REST: Duration = Duration::from_secs(2);

/// The secrets of the system that exist, and what their directories looked like.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::confine::profile) struct Remembered {
    stamps: Vec<(PathBuf, Stamp)>,
    found: Vec<PathBuf>,
}

static REMEMBERED: Mutex<Option<Arc<Remembered>>> = Mutex::new(None);

/// The secrets of the system as they are now.
pub(in crate::confine::profile) fn known() -> Arc<Remembered> {
    let remembered = REMEMBERED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    let current = remembered.filter(|known| known.is_current());
    current.unwrap_or_else(|| {
        let now = SystemTime::now();
        let fresh = Arc::new(Remembered::look());
        if fresh.is_at_rest(now) {
            let mut slot = REMEMBERED.lock().unwrap_or_else(PoisonError::into_inner);
            *slot = Some(Arc::clone(&fresh));
        }
        fresh
    })
}

impl Remembered {
    fn look() -> Self {
        let base = Path::new("/");
        // The stamps come first: what changes after them is noticed the next time.
        let mut stamps: BTreeMap<PathBuf, Stamp> = BTreeMap::new();
        for pattern in IN_SYSTEM {
            let path = base.join(pattern);
            // The nearest directory that exists: what is missing below would appear in it.
            let nearest = path.ancestors().skip(1).find_map(|above| {
                // Most lie beside others.
                let stamp = stamps.get(above).copied().or_else(|| stamp(above))?;
                Some((above.to_owned(), stamp))
            });
            stamps.extend(nearest);
        }
        Self {
            stamps: stamps.into_iter().collect(),
            found: existing(base, IN_SYSTEM, &mut Listed::default()),
        }
    }

    /// Those that we could read: a run has no more rights.
    pub(in crate::confine::profile) fn readable(&self) -> Vec<PathBuf> {
        let found = self.found.iter();
        found
            .filter(|path| access(*path, Access::READ_OK).is_ok())
            .cloned()
            .collect()
    }

    /// Whether the directories look as they did.
    pub(in crate::confine::profile) fn is_current(&self) -> bool {
        let mut stamps = self.stamps.iter();
        stamps.all(|(path, known)| stamp(path).as_ref() == Some(known))
    }

    /// Whether that can be told by their stamps, which were looked at after `began`.
    pub(in crate::confine::profile) fn is_at_rest(&self, began: SystemTime) -> bool {
        let mut stamps = self.stamps.iter();
        stamps.all(|(_, (_, _, seconds, _))| is_at_rest(*seconds, began))
    }
}

/// Whether a file that changed at this time last, by a look after `began`, would show another time
/// if it changed again.
pub(in crate::confine::profile) fn is_at_rest(changed: i64, began: SystemTime) -> bool {
    let began = began.duration_since(UNIX_EPOCH).unwrap_or_default();
    let before = began.saturating_sub(AT_REST).as_secs();
    u64::try_from(changed).is_ok_and(|then| then < before)
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_dir)?;
    Some((
        metadata.dev(),
        metadata.ino(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    ))
}
