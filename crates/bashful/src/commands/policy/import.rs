//! `bashful policy import`: the permissions of another tool as rules.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use bashful_engine::policy::import::{claude, codex};

use crate::cli::Dialect;
use crate::commands::run::read_command;
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;

pub(super) fn import(
    from: Dialect,
    file: &Path,
    output: Option<&Path>,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let text = read_command(file)?;
    let imported = match from {
        Dialect::Claude => claude(&text),
        Dialect::Codex => codex(&text),
    };
    let imported = imported
        .map_err(|error| UsageError(format!("cannot import `{}`: {error}", file.display())))?;
    for note in &imported.notes {
        printer.note("note", note);
    }
    // As a configuration file has them, so that they can be pasted there.
    let rules = imported
        .rules_toml
        .replace("[[rule]]", "[[profile.default.rule]]");
    match output {
        None => printer.data(rules.as_bytes())?,
        Some(path) => write_new(path, &rules)
            .map_err(|error| UsageError(format!("cannot write `{}`: {error}", path.display())))?,
    }
    Ok(Exit::Success)
}

/// Writes a file that was not there: rules are not overwritten, and only their owner changes
/// them.
fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(text.as_bytes())
}
