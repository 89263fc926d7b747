//! Remembering a trial until the next boot.
//!
//! The file is ours alone. One that is damaged, not ours, open to others, or about
//! another boot, version, user, kernel or control group counts as absent.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::PathBuf;

use bashful_sandbox::Backend;
use serde::{Deserialize, Serialize};

use super::trial::{Trial, Trials};
use crate::engine::backend_choice::wrappers;
use crate::engine::host_state;
use crate::model::places::{Places, make_private};

/// More than this is no file of ours.
const LARGEST: u64 = 64 * 1024;

/// What a trial is true for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Key {
    /// Where this process is among the control groups: limits depend on it.
    groups: String,
    /// What surrounds this process: in a container another kernel may seem to be here.
    surroundings: Vec<String>,
    /// The programs that confine for us.
    wrappers: Vec<String>,
}

/// What is in the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BackendRecord {
    v: u32,
    key: Key,
    trials: Trials,
}

/// Whether our own sandbox was built, and held.
fn is_good(trials: &Trials) -> bool {
    matches!(trials.of(Backend::Native), Some(Trial::Ran(ran)) if ran.held())
}

/// The memory of this user.
#[derive(Debug)]
pub(super) struct Memory {
    path: PathBuf,
    /// Absent where the kernel does not tell which boot this is: nothing is remembered.
    key: Option<Key>,
}

impl Memory {
    pub(super) fn of(places: &Places) -> Self {
        let key = host_state::lines().map(|surroundings| Key {
            groups: fs::read_to_string("/proc/self/cgroup").unwrap_or_default(),
            surroundings,
            wrappers: wrappers().collect(),
        });
        Self {
            path: places.cache.join("doctor.json"),
            key,
        }
    }

    /// What was found earlier, if it is still true.
    pub(super) fn recall(&self) -> Option<Trials> {
        let record: BackendRecord = serde_json::from_slice(&self.load().ok()?).ok()?;
        let current = record.v == 2 && Some(&record.key) == self.key.as_ref();
        (current && is_good(&record.trials)).then_some(record.trials)
    }

    /// Remembers good news, and only those: a person who mended the host is not told the old
    /// story. Not being able to is no error: the next look tries again.
    pub(super) fn store(&self, trials: &Trials) {
        if let (Some(key), true) = (self.key.clone(), is_good(trials)) {
            let trials = trials.clone();
            let _ = self.write(&BackendRecord { v: 2, key, trials });
        }
    }

    fn load(&self) -> io::Result<Vec<u8>> {
        use rustix::fs::OFlags;
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(flags.cast_signed())
            .open(&self.path)?;
        let about = file.metadata()?;
        let is_ours = about.is_file()
            && about.uid() == rustix::process::geteuid().as_raw()
            && about.mode().trailing_zeros() >= 6
            && about.nlink() == 1
            && about.len() <= LARGEST;
        if !is_ours {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let mut bytes = Vec::new();
        file.take(LARGEST).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes a new file and puts it in the place of the old one, whatever that was.
    fn write(&self, record: &BackendRecord) -> io::Result<()> {
        if let Some(directory) = self.path.parent() {
            make_private(directory)?;
        }
        let fresh = self.path.with_extension(format!("{}", std::process::id()));
        // What is left of a process that had our number and died here.
        let _ = fs::remove_file(&fresh);
        let mut file: File = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&fresh)?;
        let written = file
            .write_all(&serde_json::to_vec(record)?)
            .and_then(|()| fs::rename(&fresh, &self.path));
        if written.is_err() {
            let _ = fs::remove_file(&fresh);
        }
        written
    }
}
