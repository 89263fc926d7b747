//! The versions of a script: listing them, comparing them, taking one back.

use serde::Serialize;

use super::Scripts;
use super::look::ScriptView;
use crate::model::error::script::ScriptError;
use crate::model::script::{Script, ScriptVersion, VersionOrigin};
use crate::record::audit::ScriptChange;
use crate::scripts::library::{Change, FileChange, ScriptLibrary, nothing_more};

/// The shortest beginning of a hash that names a version.
const SHORTEST_HASH: usize = 6;

/// Two texts of a script, to be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TwoTexts {
    /// The version that it is compared with.
    pub before: ScriptVersion,
    /// The version that is compared.
    pub after: ScriptVersion,
    /// The text of the first.
    pub old: String,
    /// The text of the second.
    pub new: String,
}

impl Scripts<'_> {
    /// The versions of a script, deleted or not, the oldest first.
    pub fn history(&self, which: &str) -> Result<Vec<ScriptVersion>, ScriptError> {
        let library = self.library()?;
        let script = library.find_or_deleted(which)?;
        Ok(library.store().script_versions(script.id)?)
    }

    /// One version of a script, deleted or not: by its number, or by the beginning of its hash.
    pub fn version(
        &self,
        which: &str,
        version: &str,
    ) -> Result<(ScriptVersion, String), ScriptError> {
        let library = self.library()?;
        let script = library.find_or_deleted(which)?;
        library.version(&script, version)
    }

    /// Two versions of a script with their texts: by default the two last ones.
    pub fn diff(
        &self,
        which: &str,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Result<TwoTexts, ScriptError> {
        let library = self.library()?;
        let script = library.find_or_deleted(which)?;
        let all = library.store().script_versions(script.id)?;
        let last = all.last().map_or(1, |version| version.number);
        let (after, new) = match after {
            Some(after) => library.version(&script, after)?,
            None => library.version(&script, &last.to_string())?,
        };
        let earlier = all.iter().rev().find(|one| one.number < after.number);
        let earlier = earlier.map_or(after.number, |one| one.number).to_string();
        let (before, old) = library.version(&script, before.unwrap_or(&earlier))?;
        Ok(TwoTexts {
            before,
            after,
            old,
            new,
        })
    }

    /// Takes back the text of a version, or the last one of a script that was deleted or whose
    /// file is gone. It is a version of its own; an approval holds only if it was for this text.
    pub fn restore(&self, which: &str, version: Option<&str>) -> Result<ScriptView, ScriptError> {
        let library = self.library()?;
        let mut script = match library.find(which) {
            Ok(script) => library.look(script)?.script,
            Err(ScriptError::Unknown { .. }) => library.find_deleted(which)?,
            Err(error) => return Err(error),
        };
        let (found, text) = match version {
            Some(version) => library.version(&script, version)?,
            None => library.version(&script, &script.content_hash)?,
        };
        // What is on disk now may be anything, so it is written in any case.
        let content = self.checked(text.into_bytes())?;
        script.content_hash = found.content_hash;
        script.deleted_at_ms = None;
        let change = Change {
            what: ScriptChange::Restored,
            file: FileChange::Written(&content, VersionOrigin::Restored),
            record: &nothing_more,
        };
        let kept = library.keep(&script, &change)?;
        Ok(library.look(kept)?.view(self.settings()))
    }
}

impl ScriptLibrary<'_> {
    /// The script that a caller means, also one that is deleted. What was changed by hand is
    /// noticed first.
    fn find_or_deleted(&self, which: &str) -> Result<Script, ScriptError> {
        match self.find(which) {
            Ok(script) => Ok(self.look(script)?.script),
            Err(ScriptError::Unknown { .. }) => self.find_deleted(which),
            Err(error) => Err(error),
        }
    }

    /// A version by its number or hash, the last if several have the hash.
    fn version(
        &self,
        script: &Script,
        which: &str,
    ) -> Result<(ScriptVersion, String), ScriptError> {
        let none = || ScriptError::NoVersion {
            name: script.name.to_string(),
            which: which.chars().take(80).collect(),
        };
        let all = self.store().script_versions(script.id)?;
        let hash = which.to_ascii_lowercase();
        let numbered = which.parse::<u64>().ok();
        let numbered = numbered.and_then(|number| all.iter().find(|one| one.number == number));
        let found = match numbered {
            Some(found) => found,
            None if hash.len() < SHORTEST_HASH => return Err(none()),
            None => {
                let fits = |one: &&ScriptVersion| one.content_hash.starts_with(&hash);
                let last = all.iter().rev().find(fits).ok_or_else(none)?;
                let mut others = all.iter().filter(fits);
                if others.any(|one| one.content_hash != last.content_hash) {
                    let which = which.to_owned();
                    return Err(ScriptError::AmbiguousVersion { which });
                }
                last
            }
        };
        let text = self.store().script_text(script.id, &found.content_hash)?;
        Ok((found.clone(), text.ok_or_else(none)?))
    }
}
