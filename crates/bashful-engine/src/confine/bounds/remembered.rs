//! Bounds that were found before, for runs that ask for nothing of their own.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::Bounds;
use crate::config::Granted;
use crate::confine::profile::{Fingerprint, LookedAt};

/// How long bounds serve without a look at more than the files that people change. What cannot be
/// vouched for serves for this long and no longer.
const FRESH: Duration = Duration::from_secs(1);

/// The most bounds that are remembered: for commands, and for scripts that are run in turns.
const MOST_REMEMBERED: usize = 4;

/// The bounds that were found last. A file that they depend on and that changes is seen by the
/// next run.
#[derive(Debug, Default)]
pub(crate) struct Remembered(Mutex<Vec<KnownBounds>>);

/// What bounds are found for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Purpose {
    pub(super) workspace: PathBuf,
    pub(super) cache: PathBuf,
    pub(super) home: Option<PathBuf>,
    pub(super) granted: Granted,
}

/// Bounds, and what they were found for.
#[derive(Debug)]
struct KnownBounds {
    purpose: Purpose,
    bounds: Arc<Bounds>,
    /// When they were found, or found to be right still.
    at: Instant,
    known: Known,
}

/// What is known of what bounds depend on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Known {
    /// It is more than can be looked at again.
    TooMuch,
    /// Only its names: the next run looks at it before it finds bounds anew. A process that serves
    /// one call never looks.
    Names(LookedAt),
    /// What it was before the bounds were found.
    Seen(Box<Fingerprint>),
}

impl Known {
    /// From a fingerprint of before they were found, and the names of what was looked at for them.
    pub(super) fn of(before: Option<Fingerprint>, looked_at: Option<LookedAt>) -> Self {
        match (before, looked_at) {
            (_, None) => Self::TooMuch,
            (Some(fingerprint), Some(names)) if *fingerprint.names() == names => {
                Self::Seen(Box::new(fingerprint))
            }
            (_, Some(names)) => Self::Names(names),
        }
    }

    /// What is to be looked at before bounds are found again.
    pub(super) fn names(&self) -> Option<LookedAt> {
        match self {
            Self::TooMuch => None,
            Self::Names(names) => Some(names.clone()),
            Self::Seen(fingerprint) => Some(fingerprint.names().clone()),
        }
    }

    /// Whether all of it is as it was.
    pub(super) fn stands(&self) -> bool {
        match self {
            Self::TooMuch | Self::Names(_) => false,
            Self::Seen(fingerprint) => {
                fingerprint.sees_all && fingerprint.files_stand() && fingerprint.places_stand()
            }
        }
    }
}

impl KnownBounds {
    fn is_right(&mut self) -> bool {
        let is_fresh = self.at.elapsed() < FRESH;
        let fingerprint = match &self.known {
            Known::TooMuch => return is_fresh,
            Known::Names(_) => return false,
            Known::Seen(fingerprint) => fingerprint,
        };
        if !fingerprint.files_stand() {
            return false;
        }
        if !is_fresh && fingerprint.sees_all && fingerprint.places_stand() {
            self.at = Instant::now();
            return true;
        }
        is_fresh
    }
}

impl Remembered {
    /// The bounds for a purpose, if they are right still; else what is to be looked at before they
    /// are found again.
    pub(super) fn find(&self, purpose: &Purpose) -> Result<Arc<Bounds>, Option<LookedAt>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = all.iter_mut().find(|found| found.purpose == *purpose);
        let Some(found) = found else {
            return Err(None);
        };
        if found.is_right() {
            return Ok(Arc::clone(&found.bounds));
        }
        Err(found.known.names())
    }

    /// Remembers bounds, and what is known of what they depend on.
    pub(super) fn keep(&self, purpose: Purpose, known: Known, bounds: &Arc<Bounds>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|found| found.purpose != purpose);
        if all.len() >= MOST_REMEMBERED {
            all.remove(0);
        }
        all.push(KnownBounds {
            purpose,
            bounds: Arc::clone(bounds),
            at: Instant::now(),
            known,
        });
    }
}

#[cfg(test)]
#[path = "remembered/tests.rs"]
pub(super) mod tests;
