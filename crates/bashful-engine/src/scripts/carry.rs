//! Carrying scripts elsewhere: one JSON document with all that belongs to one, but no approval.

use bashful_policy::Capabilities;
use serde::{Deserialize, Serialize};

use super::Scripts;
use super::folder::OnDisk;
use super::keep::NewScript;
use super::look::ScriptView;
use crate::model::error::script::ScriptError;
use crate::model::script::content_hash;
use crate::model::script::id::{ScriptId, ScriptName};
use crate::model::script::variable::Variable;
use crate::model::script::{CreatedBy, VersionOrigin};

/// A script as a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptDocument {
    /// The version of this shape.
    pub v: u32,
    /// What it is: `bashful-script`.
    pub kind: String,
    /// Its id, which it keeps elsewhere if no other script has or had it.
    pub id: ScriptId,
    /// Its name, which no other script may have.
    pub name: ScriptName,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// Who wrote it first.
    pub created_by: CreatedBy,
    /// What it may do.
    #[serde(default)]
    pub capabilities: Capabilities,
    /// The variables that it declares.
    #[serde(default)]
    pub variables: Vec<Variable>,
    /// SHA-256 of its text.
    pub content_hash: String,
    /// Its text, whole.
    pub content: String,
}

/// What a document of a script is called.
const KIND: &str = "bashful-script";

impl Scripts<'_> {
    /// A script as a document.
    pub fn export(&self, which: &str) -> Result<ScriptDocument, ScriptError> {
        let library = self.library()?;
        let (script, content) = library.look(library.find(which)?)?.usable()?;
        Ok(ScriptDocument {
            v: 1,
            kind: KIND.to_owned(),
            id: script.id,
            name: script.name,
            description: script.description,
            created_by: script.created_by,
            capabilities: script.capabilities,
            variables: script.variables,
            content_hash: script.content_hash,
            content,
        })
    }

    /// Makes a script from a document. It keeps its id if no other script has or had it. No
    /// person has approved it here, even if one did elsewhere.
    pub fn import(&self, document: ScriptDocument) -> Result<ScriptView, ScriptError> {
        let refused = |detail: &str| {
            Err(ScriptError::Document {
                detail: detail.to_owned(),
            })
        };
        if document.kind != KIND || document.v != 1 {
            return refused("it is not a script, or one from a newer Bashful");
        }
        if content_hash(document.content.as_bytes()) != document.content_hash {
            return refused("its text does not match its hash");
        }
        let library = self.library()?;
        let in_folder = match library.existing_folder()? {
            Some(folder) => folder.read(document.id)? != OnDisk::Missing,
            None => false,
        };
        let id = if in_folder || library.store().script(document.id)?.is_some() {
            ScriptId::fresh().map_err(|source| ScriptError::Resources {
                what: "an id",
                source,
            })?
        } else {
            document.id
        };
        let new = NewScript {
            name: document.name,
            description: document.description,
            content: document.content.into_bytes(),
            capabilities: document.capabilities,
            variables: document.variables,
            created_by: document.created_by,
        };
        self.make(&library, id, new, VersionOrigin::Imported)
    }

    /// Makes a script of a file that lies in the folder under the name of an id, and that no
    /// script belongs to. What `new` says about a text does not count: the file is the text.
    pub fn adopt(&self, id: ScriptId, new: NewScript) -> Result<ScriptView, ScriptError> {
        let library = self.library()?;
        let refused = |detail: String| Err(ScriptError::Document { detail });
        if library.store().script(id)?.is_some() {
            return refused(format!(
                "`{id}` already is a script, or was one: restore it"
            ));
        }
        let found = match library.existing_folder()? {
            Some(folder) => folder.read(id)?,
            None => OnDisk::Missing,
        };
        let content = match found {
            OnDisk::Text(text) => text.into_bytes(),
            OnDisk::Unfit(unfit) => return Err(unfit.into()),
            OnDisk::NotOurs(why) => return refused(why.to_owned()),
            OnDisk::Missing => return refused(format!("there is no file for `{id}`")),
        };
        let new = NewScript { content, ..new };
        self.make(&library, id, new, VersionOrigin::Imported)
    }
}
