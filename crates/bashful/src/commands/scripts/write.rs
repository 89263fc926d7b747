//! Making and changing scripts.

use std::ffi::OsString;

use bashful_engine::scripts::{
    CreatedBy, Edited, Editor, EditorEnd, NewScript, ScriptEdit, ScriptError, ScriptName,
    ScriptView, Scripts,
};
use bashful_engine::{Capabilities, terminal_session};

use super::read_bytes;
use crate::cli::{CreateArguments, EditArguments};
use crate::errors::UsageError;
use crate::printer::Printer;

/// What a new script begins with in an editor.
const BEGINNING: &str = "#!/usr/bin/env bash\nset -euo pipefail\n\n";

/// The editor of a person who named none.
const USUAL_EDITOR: &str = "vi";

pub(super) fn create(
    scripts: &Scripts<'_>,
    arguments: &CreateArguments,
    printer: &Printer,
) -> anyhow::Result<ScriptView> {
    // A mistake in a name is told before the person writes a text.
    let name: ScriptName = arguments.name.parse().map_err(ScriptError::from)?;
    scripts.check_name(&name)?;
    let declared = &arguments.declared;
    let capabilities = declared.capabilities_from(&Capabilities::default())?;
    let variables = declared.variables()?;
    let new = NewScript {
        name,
        description: arguments.description.clone().unwrap_or_default(),
        content: Vec::new(),
        capabilities: capabilities.unwrap_or_default(),
        variables: variables.unwrap_or_default(),
        created_by: CreatedBy::User,
    };
    if let Some(file) = &arguments.file {
        let content = read_bytes(file)?;
        return Ok(scripts.create(NewScript { content, ..new })?);
    }
    let edited = in_editor(scripts, BEGINNING)?;
    if edited.content == BEGINNING.as_bytes() {
        edited.discard();
        return Err(UsageError("no text was written, so no script was made".to_owned()).into());
    }
    let go_on = format!(
        "bashful scripts create --name {}",
        quoted(new.name.as_str())
    );
    taken(edited, printer, &go_on, |content| {
        Ok(scripts.create(NewScript { content, ..new })?)
    })
}

pub(super) fn edit(
    scripts: &Scripts<'_>,
    arguments: &EditArguments,
    printer: &Printer,
) -> anyhow::Result<(ScriptView, Outcome)> {
    let view = scripts.show(&arguments.script)?;
    let declared = &arguments.declared;
    let says_more = arguments.description.is_some() || !declared.is_empty();
    // By its id, whatever its name is by now.
    let id = view.script.id.to_string();
    let mut edit = ScriptEdit {
        content: None,
        description: arguments.description.clone(),
        capabilities: declared.capabilities_from(&view.script.capabilities)?,
        variables: declared.variables()?,
        // What another caller changed meanwhile is not overwritten.
        seen: Some(view.digest.clone()),
    };
    let revision = view.script.revision;
    let changed = match &arguments.file {
        Some(file) => {
            edit.content = Some(read_bytes(file)?);
            scripts.edit(&id, edit)?
        }
        None if says_more => scripts.edit(&id, edit)?,
        None => {
            let before = view.content.as_deref().unwrap_or(BEGINNING);
            let edited = in_editor(scripts, before)?;
            let go_on = format!("bashful scripts edit {id}");
            taken(edited, printer, &go_on, |content| {
                edit.content = Some(content);
                Ok(scripts.edit(&id, edit)?)
            })?
        }
    };
    let outcome = if changed.script.revision == revision {
        Outcome::Same
    } else {
        Outcome::Changed
    };
    Ok((changed, outcome))
}

/// Whether an edit changed the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Changed,
    Same,
}

/// Hands on what the person wrote. If that fails, the text is kept, and we say how to go on.
fn taken(
    edited: Edited,
    printer: &Printer,
    go_on: &str,
    take: impl FnOnce(Vec<u8>) -> anyhow::Result<ScriptView>,
) -> anyhow::Result<ScriptView> {
    let failed = match edited.ended {
        EditorEnd::Well => match take(edited.content.clone()) {
            Ok(view) => {
                edited.discard();
                return Ok(view);
            }
            Err(error) => error,
        },
        EditorEnd::Failed => {
            UsageError("the editor failed, so nothing was changed".to_owned()).into()
        }
    };
    let draft = edited.draft.display().to_string();
    printer.note(
        "note",
        &format!(
            "what you wrote is kept in {draft}; go on with `{go_on} {}`",
            quoted(&draft)
        ),
    );
    Err(failed)
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |next: char| next.is_ascii_alphanumeric() || "-_./".contains(next);
    if word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// What the person at this terminal makes of a text.
pub(in crate::commands) fn in_editor(
    scripts: &Scripts<'_>,
    before: &str,
) -> anyhow::Result<Edited> {
    if terminal_session().is_none() {
        let problem = "there is no text: name a file, - for standard input, or use a terminal";
        return Err(UsageError(problem.to_owned()).into());
    }
    let named = |name: &str| std::env::var_os(name).filter(|words| !words.is_empty());
    let words = named("VISUAL").or_else(|| named("EDITOR"));
    let editor = Editor {
        words: words.unwrap_or_else(|| OsString::from(USUAL_EDITOR)),
        environment: std::env::vars_os().collect(),
        directory: crate::commands::place::current_directory()?,
    };
    let edited = scripts.written_in(&editor, before)?;
    let no_file = || UsageError("the editor left no file, so nothing was changed".to_owned());
    let edited = edited.ok_or_else(no_file)?;
    if edited.ended == EditorEnd::Failed && edited.content == before.as_bytes() {
        edited.discard();
        let problem = "the editor failed, so nothing was changed";
        return Err(UsageError(problem.to_owned()).into());
    }
    Ok(edited)
}
