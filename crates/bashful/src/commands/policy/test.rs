//! `bashful policy test`: the rules of a file, each with its examples.

use std::fmt::Write as _;
use std::path::Path;

use bashful_engine::policy::{TestedFile, TestedRule, test_rules};
use serde_json::{Value, json};

use super::NOT_WELL;
use crate::commands::run::read_command;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::visible;

pub(super) fn test(file: &Path, as_json: bool, printer: &Printer) -> anyhow::Result<Exit> {
    let outcome = test_rules(&read_command(file)?, file);
    if as_json {
        let rules: Vec<Value> = outcome.tested.iter().map(json).collect();
        printer.json(&json!({
            "v": 1,
            "ok": outcome.is_well(),
            "file": file,
            "rules": rules,
            "problems": outcome.problems,
        }))?;
    } else {
        printer.data(report(&outcome, file).as_bytes())?;
    }
    Ok(if outcome.is_well() {
        Exit::Success
    } else {
        NOT_WELL
    })
}

fn json(rule: &TestedRule) -> Value {
    let problem = |(line, text): &(usize, String)| json!({ "line": line, "message": text });
    json!({
        "id": rule.id,
        "line": rule.line,
        "ok": rule.problems.is_empty(),
        "examples": rule.examples,
        "problems": rule.problems.iter().map(problem).collect::<Vec<_>>(),
    })
}

fn report(outcome: &TestedFile, file: &Path) -> String {
    let file = visible(&file.display().to_string());
    let mut text = String::new();
    // Writing to a string cannot fail.
    for rule in &outcome.tested {
        let id = if rule.id.is_empty() { "?" } else { &rule.id };
        let id = visible(id);
        if rule.problems.is_empty() {
            let examples = match rule.examples {
                0 => "no examples".to_owned(),
                1 => "1 example".to_owned(),
                count => format!("{count} examples"),
            };
            let _ = writeln!(text, "ok      {file}:{} {id} ({examples})", rule.line);
        }
        for (line, problem) in &rule.problems {
            let _ = writeln!(text, "failed  {file}:{line} {id} {}", visible(problem));
        }
    }
    for problem in &outcome.problems {
        let _ = writeln!(text, "failed  {}", visible(problem));
    }
    if outcome.tested.is_empty() && outcome.problems.is_empty() {
        let _ = writeln!(text, "ok      {file} has no rules");
    }
    text
}
