//! Bounds that were found before, for runs that ask for nothing of their own.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Bounds;
use crate::config::Granted;
use crate::confine::{LookedAt, Witness};

/// How long nobody asks whether directories still lead where they led. What cannot be looked at
/// again for every run serves for so long and no longer.
const FRESH: Duration = Duration::from_secs(1);

/// So many are remembered: for commands, and for scripts that are run in turns.
const MOST_REMEMBERED: usize = 4;

/// The bounds that were found last. A file that they depend on and that changes is seen by the
/// next run.
#[derive(Debug, Default)]
pub(crate) struct Remembered(Mutex<Vec<Found>>);

/// What bounds are found for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Purpose {
    pub(super) workspace: PathBuf,
    pub(super) cache: PathBuf,
    pub(super) granted: Granted,
}

/// Bounds, and what they were found for.
#[derive(Debug)]
struct Found {
    purpose: Purpose,
    /// What was looked at for them.
    looked_at: Option<LookedAt>,
    /// When they were found, or found to be right still.
    at: Instant,
    proof: Proof,
}

/// Why bounds may be used again.
#[derive(Debug)]
enum Proof {
    /// All that they depend on is known.
    Witness(Witness, Arc<Bounds>),
    /// They were found just now.
    Time(Arc<Bounds>),
    /// They may not.
    None,
}

impl Remembered {
    /// The bounds for a purpose, if they are right still; else what is to be looked at before they
    /// are found again.
    pub(super) fn find(
        &self,
        (workspace, cache): (&Path, &Path),
        granted: &Granted,
    ) -> Result<Arc<Bounds>, Option<LookedAt>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = all.iter_mut().find(|found| {
            let purpose = &found.purpose;
            purpose.workspace == workspace && purpose.cache == cache && purpose.granted == *granted
        });
        let Some(found) = found else {
            return Err(None);
        };
        let is_fresh = found.at.elapsed() < FRESH;
        match &found.proof {
            Proof::Witness(witness, bounds) if witness.files_stand() => {
                if is_fresh || witness.places_stand() {
                    if !is_fresh {
                        found.at = Instant::now();
                    }
                    return Ok(Arc::clone(bounds));
                }
            }
            Proof::Time(bounds) if is_fresh => return Ok(Arc::clone(bounds)),
            _ => {}
        }
        Err(found.looked_at.clone())
    }

    /// Remembers bounds, and what was looked at before they were found and for finding them.
    pub(super) fn keep(
        &self,
        purpose: Purpose,
        witness: Option<Witness>,
        looked_at: Option<LookedAt>,
        bounds: &Arc<Bounds>,
    ) {
        let proof = match (witness, &looked_at) {
            (_, None) => Proof::Time(Arc::clone(bounds)),
            (Some(witness), Some(names)) if witness.can_tell(names) => {
                Proof::Witness(witness, Arc::clone(bounds))
            }
            _ => Proof::None,
        };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|found| found.purpose != purpose);
        if all.len() >= MOST_REMEMBERED {
            all.remove(0);
        }
        all.push(Found {
            purpose,
            looked_at,
            at: Instant::now(),
            proof,
        });
    }
}

#[cfg(test)]
#[path = "remembered/tests.rs"]
mod tests;
