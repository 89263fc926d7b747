//! Whose a cache is: a note that is written when the cache is made, where no run reaches it.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::model::places::{Places, make_private};

/// No note is longer that we wrote.
const LONGEST: u64 = 64 << 10;

/// Who has a cache: an agent in a project, or a managed script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CacheOwner {
    /// An agent in a project, whose worktrees share it.
    Agent {
        /// The name of the agent.
        agent: String,
        /// The project's directory, or what its worktrees have in common.
        project: PathBuf,
    },
    /// A managed script, wherever it runs.
    Script {
        /// The name that it had when the cache was made.
        script: String,
    },
}

impl CacheOwner {
    /// Notes whose a cache is. One without a note is told as nobody's, and works as well.
    pub(crate) fn note(&self, places: &Places, cache: &Path) {
        let Some(path) = place(places, cache) else {
            return;
        };
        let Ok(text) = serde_json::to_vec(self) else {
            return;
        };
        let made = path.parent().map(make_private);
        if made.is_some_and(|made| made.is_ok()) {
            // What is cut off is read as none.
            let _ = fs::write(path, text);
        }
    }

    /// Whose a cache is, if that was noted.
    pub(crate) fn of(places: &Places, cache: &Path) -> Option<Self> {
        let path = place(places, cache)?;
        let about = fs::symlink_metadata(&path).ok()?;
        let is_plain = about.is_file() && about.len() <= LONGEST;
        let text = is_plain.then(|| fs::read(&path).ok()).flatten()?;
        serde_json::from_slice(&text).ok()
    }
}

/// Where the note about a cache is. The state directory is out of every run's reach, and the
/// directories of caches are not.
fn place(places: &Places, cache: &Path) -> Option<PathBuf> {
    let name = cache.file_name()?.to_str()?;
    Some(places.state.join("caches").join(format!("{name}.json")))
}
