//! `bashful policy lint`: rules that do not do what they seem to.

use std::path::Path;

use bashful_engine::Layer;
use bashful_engine::policy::{Lint, lint as look_at, test_rules};
use serde_json::{Value, json};

use super::NOT_WELL;
use crate::commands::load_config;
use crate::commands::place::here;
use crate::commands::run::read_command;
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::visible;

pub(super) fn lint(file: Option<&Path>, as_json: bool, printer: &Printer) -> anyhow::Result<Exit> {
    let lints = match file {
        Some(file) => of_file(file)?,
        None => in_force(printer)?,
    };
    if as_json {
        let lints: Vec<Value> = lints.iter().map(json).collect();
        printer.json(&json!({ "v": 1, "ok": lints.is_empty(), "lints": lints }))?;
    } else {
        let lines = lints
            .iter()
            .map(|lint| format!("{}\n", visible(&lint.to_string())));
        let text: String = lines.collect();
        let well = "Nothing odd was found in these rules.\n";
        printer.data(if text.is_empty() { well } else { &text }.as_bytes())?;
    }
    Ok(if lints.is_empty() {
        Exit::Success
    } else {
        NOT_WELL
    })
}

/// What is odd about the rules of a file.
fn of_file(file: &Path) -> anyhow::Result<Vec<Lint>> {
    let tested = test_rules(&read_command(file)?, file);
    if tested.is_well() {
        return Ok(look_at(&tested.rules));
    }
    let text = format!(
        "`{file}` has rules that cannot be used: run `bashful policy test {file}`",
        file = file.display()
    );
    Err(UsageError(text).into())
}

/// What is odd about the rules in force. Those that are shipped are ours to look after.
fn in_force(printer: &Printer) -> anyhow::Result<Vec<Lint>> {
    let config = load_config(&here()?, printer)?.config;
    let ruleset = config.profile_for(&config.agent).ruleset();
    let mut lints = look_at(ruleset.rules());
    lints.retain(|lint| lint.layer != Layer::Builtin);
    Ok(lints)
}

fn json(lint: &Lint) -> Value {
    json!({
        "file": lint.file,
        "line": lint.line,
        "rule": lint.rule,
        "layer": lint.layer.as_str(),
        "message": lint.message,
    })
}
