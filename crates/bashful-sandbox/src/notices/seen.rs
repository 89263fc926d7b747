//! What was seen, bounded: a run may do a million things that are denied.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use crate::profile::Violation;

/// Violations that are reported of one run.
const MOST: usize = 100;
/// Attempts that are known by now, so that the same is not looked at again.
const MOST_KNOWN: usize = 1024;

/// The same for the same violation, however often it was seen and in which processes.
pub(super) fn digest(violation: &Violation) -> u64 {
    let mut hasher = DefaultHasher::new();
    let about = (&violation.path, &violation.address, &violation.syscall);
    (&violation.kind, &violation.needs, about).hash(&mut hasher);
    hasher.finish()
}

/// What was seen so far.
#[derive(Debug, Default)]
pub(super) struct Seen {
    found: Vec<Violation>,
    /// By attempt, which of those it is; none if nothing is in its way.
    known: BTreeMap<u64, Option<usize>>,
    /// Calls that the keeper did not look at, because it had seen enough.
    unread: u64,
}

impl Seen {
    /// Whether there is enough.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= MOST
    }

    /// Remembers an attempt; `look` says what is in its way, and is asked once.
    pub(super) fn add(&mut self, attempt: u64, look: impl FnOnce() -> Option<Violation>) {
        if let Some(index) = self.known.get(&attempt) {
            self.count(*index);
            return;
        }
        let violation = look();
        let index = violation.map(|violation| {
            let own = digest(&violation);
            let same = self.found.iter().position(|known| digest(known) == own);
            let index = same.unwrap_or(self.found.len());
            if same.is_none() {
                self.found.push(violation);
            }
            index
        });
        self.count(index);
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        self.known.insert(attempt, index);
    }

    /// Whether a call was seen that this refusal of Landlock is about. It names the directory
    /// where a file was to be made.
    pub(super) fn has_like(&self, violation: &Violation) -> bool {
        let Some(path) = violation.path.as_deref() else {
            return false;
        };
        let is_about = |seen: &&Violation| {
            let seen = seen.path.as_deref();
            seen == Some(path) || seen.and_then(Path::parent) == Some(path)
        };
        violation.source == "landlock" && self.found.iter().any(|seen| is_about(&seen))
    }

    /// A call that was let go on without a look.
    pub(super) fn count_unread(&mut self) {
        self.unread = self.unread.saturating_add(u64::from(self.is_full()));
    }

    pub(super) fn into_violations(self) -> Vec<Violation> {
        let mut found = self.found;
        if self.unread > 0 {
            found.push(Violation {
                kind: "unlisted".to_owned(),
                source: "keeper".to_owned(),
                note: Some(format!(
                    "{MOST} are listed; {} further calls were not looked at",
                    self.unread
                )),
                ..Violation::default()
            });
        }
        found
    }

    fn count(&mut self, index: Option<usize>) {
        if let Some(violation) = index.and_then(|index| self.found.get_mut(index)) {
            violation.times = violation.times.saturating_add(1);
        }
    }
}
