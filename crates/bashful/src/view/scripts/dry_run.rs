//! What a run of a script would be, without running it.

use bashful_engine::Effect;
use bashful_engine::scripts::{DryRun, ShownBinding};
use serde_json::Value;

use super::words::capability_rows;
use super::{NUMBERS, numbered};
use crate::view::{
    block::Block,
    explanation::{Detail, show_plan},
    style::{Style, Tone},
};

/// The columns of the names.
const NAMES: usize = 12;
/// The most rows of one entry.
const ROWS: usize = 60;

/// Writes the decision, the values, the text that would run and the plan.
pub(crate) fn show_dry_run(dry: &DryRun, style: Style, out: &mut Vec<u8>) {
    let decision = dry.plan.decision.as_ref();
    let title = match decision.map(|decision| decision.effect) {
        None | Some(Effect::Allow) => (Tone::Success, "✓ It would run"),
        Some(Effect::Ask) => (Tone::Warning, "? It would not run until a person says yes"),
        Some(Effect::Deny) => (Tone::Error, "✗ It would not run"),
    };
    let mut block = Block::open(style, title, NAMES, out);
    let mut entry = |name: &str, content: &str| block.text(name, Tone::Plain, content, ROWS);
    entry("Script", dry.script.name.as_str());
    entry("Hash", &dry.script.content_hash);
    if let Some(decision) = decision {
        let rule = format!(
            "{} ({}, {})",
            decision.reason, decision.rule, decision.layer
        );
        entry("Decision", &rule);
        if let Some(next) = &decision.suggestion {
            entry("Next", next);
        }
    }
    for (name, content) in capability_rows(&dry.capabilities) {
        entry(name, &content);
    }
    block.heading("Values", NAMES);
    for binding in &dry.bindings {
        block.text(&place(binding), Tone::Literal, &bound(binding), ROWS);
    }
    if dry.bindings.is_empty() {
        block.text("", Tone::Plain, "none", ROWS);
    }
    block.heading("What bash would read", NUMBERS);
    numbered(&mut block, &dry.resolved);
    block.close();
    if let Some(plan) = &dry.plan.plan {
        out.push(b'\n');
        // What was decided stands above.
        show_plan(&dry.plan.command, None, plan, Detail::Short, style, out);
    }
}

/// Where a value goes.
fn place(binding: &ShownBinding) -> String {
    match (binding.line, binding.column) {
        (Some(line), Some(column)) => format!("line {line}:{column}"),
        _ => "variable".to_owned(),
    }
}

/// What stands for what: a text as JSON writes it, so that nothing in it is left to guess.
fn bound(binding: &ShownBinding) -> String {
    let value = match &binding.value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(Value::to_string).collect();
            format!("{} words: {}", items.len(), items.join(" "))
        }
        value => value.to_string(),
    };
    match binding.line {
        Some(_) => format!("${{{}}} = {value}", binding.name),
        None => format!("{} = {value}", binding.name),
    }
}
