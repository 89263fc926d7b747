//! Changing the user's file: one value of it, or the whole in an editor. It is replaced in one go, and
//! only by a text that counts.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bashful_engine::approvals::is_run_by_bashful;
use bashful_engine::config::{Config, Loaded, Sources};
use bashful_engine::scripts::EditorEnd;
use bashful_engine::{Engine, in_full};
use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

use crate::clients::{Found, Reach, read, write};
use crate::commands::scripts::in_editor;
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::prompt::now_ms;

/// What a new file begins with in an editor.
const BEGINNING: &str = "# What is not said here is as `bashful config show --default` has it.\n\n";

/// Sets one key; without a value, the file says nothing about it any more.
pub(super) fn set(
    sources: &Sources,
    key: &str,
    value: Option<&str>,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let found = users_file(sources)?;
    let old = found.text.clone().unwrap_or_default();
    let mut document = old
        .parse::<DocumentMut>()
        .map_err(|error| UsageError(format!("cannot read `{}`: {error}", found.path.display())))?;
    let path = parts(key)?;
    match value {
        Some(value) => put(&mut document, &path, parsed(value))?,
        None => take(&mut document, &path),
    }
    let text = document.to_string();
    let loaded = check(sources, &text, &found.path)?;
    if let Some(warning) = loaded
        .warnings
        .iter()
        .find(|one| one.key.to_string() == key)
    {
        return Err(UsageError(format!("{warning}; nothing was changed")).into());
    }
    let said = value.map_or("unset".to_owned(), |_| {
        let settings = loaded.settings();
        let now = settings.iter().find(|one| one.key.to_string() == key);
        now.map_or("set".to_owned(), |one| one.value.to_toml())
    });
    replace(&found, &text, printer)?;
    printer.data(format!("{key}: {said}\n").as_bytes())?;
    Ok(Exit::Success)
}

/// Has the person at this terminal change the file.
pub(super) fn edit(sources: &Sources, printer: &Printer) -> anyhow::Result<Exit> {
    let found = users_file(sources)?;
    let before = found.text.clone().unwrap_or_else(|| BEGINNING.to_owned());
    let engine = Engine::builder().one_call().build()?;
    let edited = in_editor(&engine.scripts(), &before)?;
    let kept = |problem: String| {
        let draft = edited.draft.display();
        UsageError(format!("{problem}; what you wrote is kept in {draft}"))
    };
    if edited.ended == EditorEnd::Failed {
        return Err(kept("the editor failed, so nothing was changed".to_owned()).into());
    }
    let text = String::from_utf8(edited.content.clone())
        .map_err(|_| kept("that is not text, so nothing was changed".to_owned()))?;
    if text == before {
        edited.discard();
        printer.data(b"Nothing was changed.\n")?;
        return Ok(Exit::Success);
    }
    let loaded = check(sources, &text, &found.path).map_err(|error| kept(format!("{error:#}")))?;
    for warning in &loaded.warnings {
        printer.note("warning", &warning.to_string());
    }
    replace(&found, &text, printer)?;
    edited.discard();
    printer.data(format!("Changed {}.\n", found.path.display()).as_bytes())?;
    Ok(Exit::Success)
}

/// The user's file. What Bashful runs does not change what it is bounded by.
fn users_file(sources: &Sources) -> anyhow::Result<Found> {
    if is_run_by_bashful(std::process::id().cast_signed()) {
        let problem = "what Bashful runs cannot change its configuration";
        return Err(UsageError(problem.to_owned()).into());
    }
    let path: PathBuf = sources
        .user
        .clone()
        .context("there is no place for a user's file")?;
    let directory = path.parent().unwrap_or(&path).to_owned();
    Ok(read(&path, Reach::User, &directory)?)
}

/// Whether Bashful could go by this text.
fn check(sources: &Sources, text: &str, path: &Path) -> anyhow::Result<Loaded> {
    let loaded = Config::load_with_user(sources, text, path);
    loaded.map_err(|error| UsageError(format!("{}; nothing was changed", in_full(&error))).into())
}

fn replace(found: &Found, text: &str, printer: &Printer) -> anyhow::Result<()> {
    let written = write(found, Some(text), now_ms())?;
    if let Some(backup) = written.backup {
        printer.note("note", &format!("the old file is {}", backup.display()));
    }
    Ok(())
}

/// The parts of a key, as TOML has them.
fn parts(key: &str) -> anyhow::Result<Vec<String>> {
    let keys = toml_edit::Key::parse(key);
    let keys = keys.map_err(|_| UsageError(format!("`{key}` cannot be a key")))?;
    Ok(keys.iter().map(|key| key.get().to_owned()).collect())
}

/// A value as TOML has it; words need no quotes.
fn parsed(text: &str) -> Value {
    text.parse().unwrap_or_else(|_| Value::from(text))
}

fn put(document: &mut DocumentMut, path: &[String], value: Value) -> anyhow::Result<()> {
    let Some((last, above)) = path.split_last() else {
        return Ok(());
    };
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for part in above {
        if !table.contains_key(part) {
            let mut new = Table::new();
            // A table that holds only tables needs no heading of its own.
            new.set_implicit(true);
            table.insert(part, Item::Table(new));
        }
        let next = table.get_mut(part).and_then(Item::as_table_like_mut);
        table = next.ok_or_else(|| UsageError(format!("`{part}` is no table in the file")))?;
    }
    match table.get_mut(last).and_then(Item::as_value_mut) {
        // What stands behind it, such as a comment, stays.
        Some(old) => {
            let around = old.decor().clone();
            *old = value;
            *old.decor_mut() = around;
        }
        None => {
            table.insert(last, Item::Value(value));
        }
    }
    Ok(())
}

fn take(document: &mut DocumentMut, path: &[String]) {
    let Some((last, above)) = path.split_last() else {
        return;
    };
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for part in above {
        let Some(next) = table.get_mut(part).and_then(Item::as_table_like_mut) else {
            return;
        };
        table = next;
    }
    table.remove(last);
}
