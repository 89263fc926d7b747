//! What was told about a script before it runs.

use bashful_engine::Capabilities;
use bashful_engine::scripts::{ScriptFinding, Severity, Validation};

use super::words::{capability_rows, finding_words};
use crate::view::{
    block::Block,
    style::{Style, Tone},
    visible,
};

/// The columns of the names.
const NAMES: usize = 12;
/// The most rows of one entry.
const ROWS: usize = 60;

/// Writes what was found, what a script seems to need, and what it declares.
pub(crate) fn show_validation(validation: &Validation, style: Style, out: &mut Vec<u8>) {
    let warned = |finding: &&ScriptFinding| finding.severity == Severity::Warning;
    let warnings = validation.findings.iter().filter(warned).count();
    let (tone, title) = match (validation.valid, warnings) {
        (false, _) => (Tone::Error, "✗ It cannot be used like this".to_owned()),
        (true, 0) => (Tone::Success, "✓ Nothing is wrong with it".to_owned()),
        (true, 1) => (Tone::Warning, "! It can be used; one warning".to_owned()),
        (true, many) => (Tone::Warning, format!("! It can be used; {many} warnings")),
    };
    let mut block = Block::open(style, (tone, &title), NAMES, out);
    let mut name = "Found";
    for finding in &validation.findings {
        let tone = match finding.severity {
            Severity::Error => Tone::Error,
            Severity::Warning => Tone::Warning,
            Severity::Info => Tone::Plain,
        };
        block.text(name, tone, &finding_words(finding), ROWS);
        name = "";
    }
    if validation.findings.is_empty() {
        block.text(name, Tone::Plain, "nothing", ROWS);
    }
    if !validation.shellcheck {
        let unreadable = ["syntax", "unfit", "template"];
        let is_unreadable = |finding: &ScriptFinding| unreadable.contains(&finding.code.as_str());
        let missing = if validation.findings.iter().any(is_unreadable) {
            "nothing else was checked, because it cannot be read"
        } else {
            "shellcheck did not check it: it is not installed"
        };
        block.text("", Tone::Plain, missing, ROWS);
    }
    let needs = &validation.needs;
    let mut entry = |name: &str, items: &[String]| {
        if !items.is_empty() {
            block.text(name, Tone::Plain, &items.join(", "), ROWS);
        }
    };
    entry("Runs", &needs.commands);
    entry("Reads", &needs.reads);
    entry("Writes", &needs.writes);
    entry("Needs", &needs.classes);
    entry("Templates", &validation.templates);
    if needs.network {
        block.text("Reaches", Tone::Plain, "the network", ROWS);
    }
    if needs.dynamic {
        let text = "some of what it runs is only known when it runs";
        block.text("Dynamic", Tone::Warning, text, ROWS);
    }
    declared(&mut block, "It declares", &validation.declared);
    block.close();
}

/// Writes capabilities that a script seems to need, and how to declare them.
pub(crate) fn show_inferred(inferred: &Capabilities, style: Style, out: &mut Vec<u8>) {
    let title = (
        Tone::Heading,
        "It seems to need this; look at it, then declare it",
    );
    let mut block = Block::open(style, title, NAMES, out);
    for (name, content) in capability_rows(inferred) {
        block.text(name, Tone::Plain, &content, ROWS);
    }
    block.close();
    // Outside of the box and in one line, so that it can be copied.
    let json = serde_json::to_string(inferred).unwrap_or_default();
    let flag = format!("--capabilities '{}'", json.replace('\'', r"'\''"));
    style.paint(Tone::Literal, &visible(&flag), out);
    out.push(b'\n');
}

fn declared(block: &mut Block<'_>, heading: &str, capabilities: &Capabilities) {
    block.heading(heading, NAMES);
    for (name, content) in capability_rows(capabilities) {
        block.text(name, Tone::Plain, &content, ROWS);
    }
}
