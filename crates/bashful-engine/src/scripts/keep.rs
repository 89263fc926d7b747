//! Making, changing, naming and deleting scripts.

use bashful_policy::Capabilities;

use super::Scripts;
use super::body::text;
use super::check::check_syntax;
use super::look::ScriptView;
use super::values::check_usual;
use crate::base::clock::now_ms;
use crate::model::error::script::ScriptError;
use crate::model::script::content_hash;
use crate::model::script::id::{ScriptId, ScriptName};
use crate::model::script::variable::{self, Variable};
use crate::model::script::{CreatedBy, Script, VersionOrigin};
use crate::record::audit::{ScriptChange, ScriptChanged};
use crate::scripts::library::{Change, FileChange, ScriptLibrary, nothing_more};

/// A script that a person or a model wants to make.
#[derive(Debug, Clone)]
pub struct NewScript {
    /// Its name, which no other script may have.
    pub name: ScriptName,
    /// What it is for.
    pub description: String,
    /// Its text, which is checked before it is kept.
    pub content: Vec<u8>,
    /// What it may do.
    pub capabilities: Capabilities,
    /// The variables that it declares.
    pub variables: Vec<Variable>,
    /// Who wrote it.
    pub created_by: CreatedBy,
}

/// What is to be changed of a script; what is absent stays.
#[derive(Debug, Clone, Default)]
pub struct ScriptEdit {
    /// A new text, which needs an approval of its own.
    pub content: Option<Vec<u8>>,
    /// A new description, for people.
    pub description: Option<String>,
    /// Everything it may do from now on; that needs an approval of its own.
    pub capabilities: Option<Capabilities>,
    /// All variables it declares from now on; they need an approval of their own.
    pub variables: Option<Vec<Variable>>,
    /// What the change was made from: the digest of [`ScriptView`]. If the script is another by
    /// now, nothing is changed.
    pub seen: Option<String>,
}

/// Which scripts are deleted: those that automations use too?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deletion {
    /// Only a script that no automation uses.
    IfUnused,
    /// Also a script that automations use.
    Forced,
    /// Only one that no automation uses and no person made: what a model may delete.
    ByModel,
}

/// The longest description, in bytes.
const LONGEST_DESCRIPTION: usize = 4096;

impl Scripts<'_> {
    /// Makes a script, which no person has approved yet.
    pub fn create(&self, new: NewScript) -> Result<ScriptView, ScriptError> {
        let library = self.library()?;
        let id = ScriptId::fresh().map_err(|source| ScriptError::Resources {
            what: "an id",
            source,
        })?;
        self.make(&library, id, new, VersionOrigin::Created)
    }

    /// Makes a script with this id.
    pub(super) fn make(
        &self,
        library: &ScriptLibrary<'_>,
        id: ScriptId,
        new: NewScript,
        origin: VersionOrigin,
    ) -> Result<ScriptView, ScriptError> {
        check_description(&new.description)?;
        self.check_declared(&new.capabilities, &new.variables)?;
        let content = self.checked(new.content)?;
        let script = Script {
            id,
            name: new.name,
            description: new.description,
            created_at_ms: now_ms(),
            created_by: new.created_by,
            content_hash: content_hash(content.as_bytes()),
            capabilities: new.capabilities,
            variables: new.variables,
            automation_ids: Vec::new(),
            approval: None,
            runs: 0,
            last_run: None,
            deleted_at_ms: None,
            revision: 0,
        };
        let what = match origin {
            VersionOrigin::Imported => ScriptChange::Imported,
            _ => ScriptChange::Created,
        };
        let change = Change {
            what,
            file: FileChange::Written(&content, origin),
            record: &nothing_more,
        };
        let kept = library.keep_new(&script, &change)?;
        Ok(library.look(kept)?.view(self.settings()))
    }

    /// Changes a script. A new text, other capabilities or other variables have no approval yet.
    pub fn edit(&self, which: &str, edit: ScriptEdit) -> Result<ScriptView, ScriptError> {
        let library = self.library()?;
        let looked = library.look(library.find(which)?)?;
        let mut script = looked.script;
        if edit.seen.is_some_and(|seen| seen != script.digest()) {
            return Err(ScriptError::NotAsSeen {
                name: script.name.to_string(),
                found: script.digest(),
            });
        }
        let before = script.clone();
        if let Some(description) = edit.description {
            check_description(&description)?;
            script.description = description;
        }
        script.capabilities = edit.capabilities.unwrap_or(script.capabilities);
        script.variables = edit.variables.unwrap_or(script.variables);
        self.check_declared(&script.capabilities, &script.variables)?;
        let content = edit.content.map(|bytes| self.checked(bytes)).transpose()?;
        let changed = content.as_ref().filter(|content| {
            // Also what is the same brings back a file that is gone or is none of ours.
            looked.text.as_ref() != Some(*content)
        });
        if let Some(content) = changed {
            script.content_hash = content_hash(content.as_bytes());
        }
        if changed.is_none() && script == before {
            return Ok(library.look(script)?.view(self.settings()));
        }
        let change = Change {
            what: ScriptChange::Edited,
            file: changed.map_or(FileChange::Stays, |content| {
                FileChange::Written(content, VersionOrigin::Edited)
            }),
            record: &nothing_more,
        };
        let kept = library.keep(&script, &change)?;
        Ok(library.look(kept)?.view(self.settings()))
    }

    /// Gives a script another name. That takes nothing of an approval away.
    pub fn rename(&self, which: &str, name: &ScriptName) -> Result<ScriptView, ScriptError> {
        let library = self.library()?;
        let mut script = library.look(library.find(which)?)?.script;
        let before = script.name.to_string();
        script.name = name.clone();
        let change = Change {
            what: ScriptChange::Renamed,
            file: FileChange::Stays,
            record: &|event: &mut ScriptChanged| event.detail = Some(format!("was `{before}`")),
        };
        let kept = library.keep(&script, &change)?;
        Ok(library.look(kept)?.view(self.settings()))
    }

    /// Deletes a script. Its texts stay, so that it can be restored; its approval does not.
    pub fn delete(&self, which: &str, how: Deletion) -> Result<Script, ScriptError> {
        let library = self.library()?;
        let mut script = library.look(library.find(which)?)?.script;
        if how == Deletion::ByModel && script.created_by == CreatedBy::User {
            return Err(ScriptError::NotAModels {
                name: script.name.to_string(),
            });
        }
        if how != Deletion::Forced && !script.automation_ids.is_empty() {
            return Err(ScriptError::InUse {
                name: script.name.to_string(),
                automations: script.automation_ids,
            });
        }
        script.deleted_at_ms = Some(now_ms());
        script.approval = None;
        let change = Change {
            what: ScriptChange::Deleted,
            file: FileChange::Removed,
            record: &nothing_more,
        };
        library.keep(&script, &change)
    }

    /// Notes which automations use a script.
    pub fn set_automations(
        &self,
        which: &str,
        automations: &[String],
    ) -> Result<ScriptView, ScriptError> {
        let library = self.library()?;
        let mut script = library.look(library.find(which)?)?.script;
        script.automation_ids = automations.to_vec();
        script.automation_ids.sort();
        script.automation_ids.dedup();
        let change = Change {
            what: ScriptChange::Used,
            file: FileChange::Stays,
            record: &nothing_more,
        };
        let kept = library.keep(&script, &change)?;
        Ok(library.look(kept)?.view(self.settings()))
    }

    /// Refuses a name that another script has, before a person or a model writes a text for it.
    pub fn check_name(&self, name: &ScriptName) -> Result<(), ScriptError> {
        match self.library()?.namesake(name)? {
            None => Ok(()),
            Some(other) => Err(ScriptError::NameTaken {
                name: other.name.to_string(),
            }),
        }
    }

    /// These bytes as a text that parses.
    pub(super) fn checked(&self, bytes: Vec<u8>) -> Result<String, ScriptError> {
        let content = text(bytes)?;
        check_syntax(self.settings(), &content)??;
        Ok(content)
    }

    fn check_declared(
        &self,
        capabilities: &Capabilities,
        variables: &[Variable],
    ) -> Result<(), ScriptError> {
        variable::check(variables)?;
        check_usual(variables)?;
        let refused = |detail: String| Err(ScriptError::Capabilities { detail });
        let paths = [
            &capabilities.paths_read,
            &capabilities.paths_write,
            &capabilities.paths_deny,
        ];
        for path in paths.into_iter().flatten() {
            if path.is_empty() || path.contains('\0') {
                return refused("a path is empty or has a NUL".to_owned());
            }
        }
        let opened = [&capabilities.paths_read, &capabilities.paths_write];
        for path in opened.into_iter().flatten() {
            // It would mean another place wherever the script is run.
            if path != "." && !path.starts_with(['/', '~']) {
                let path = path.escape_debug();
                return refused(format!(
                    "`{path}` does not begin with `/` or `~`; `.` alone is where the script is run"
                ));
            }
        }
        let settings = self.settings();
        let profile = settings.config.profile_for(&settings.agent);
        for class in &capabilities.classes {
            if let Err(unknown) = profile.check_class(class) {
                return refused(unknown.to_string());
            }
        }
        Ok(())
    }
}

fn check_description(description: &str) -> Result<(), ScriptError> {
    if description.len() > LONGEST_DESCRIPTION || description.contains('\0') {
        return Err(ScriptError::Description);
    }
    Ok(())
}
