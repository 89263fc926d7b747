//! Words for what a script declares and what was found in it.

use bashful_engine::Capabilities;
use bashful_engine::config::format_size;
use bashful_engine::scripts::{FindingSource, ScriptFinding, Severity, Variable};
use serde_json::Value;

/// What capabilities come to, a row for each kind. The texts may hold anything.
pub(crate) fn capability_rows(declared: &Capabilities) -> Vec<(&'static str, String)> {
    let list = |items: &[String], none: &str| match items {
        [] => none.to_owned(),
        items => items.join(", "),
    };
    let mut rows = vec![
        ("May read", list(&declared.paths_read, "the system only")),
        (
            "May write",
            list(&declared.paths_write, "its own scratch only"),
        ),
        ("Network", declared.network.to_string()),
        (
            "May run",
            match &declared.commands {
                None => "any program it sees".to_owned(),
                Some(commands) => list(commands, "the shell's built-ins only"),
            },
        ),
    ];
    if !declared.paths_deny.is_empty() {
        rows.push(("Hidden", declared.paths_deny.join(", ")));
    }
    if !declared.classes.is_empty() {
        rows.push(("Classes", declared.classes.join(", ")));
    }
    let limits = limits(declared);
    if !limits.is_empty() {
        rows.push(("Limits", limits.join(", ")));
    }
    rows
}

fn limits(declared: &Capabilities) -> Vec<String> {
    // By the names that they have in JSON, so that none is forgotten here.
    let all = serde_json::to_value(declared).unwrap_or_default();
    let Some(limits) = all.get("resources").and_then(Value::as_object) else {
        return Vec::new();
    };
    let words = limits.iter().filter(|(_, value)| !value.is_null());
    let words = words.map(|(name, value)| {
        let is_size = matches!(
            name.as_str(),
            "memory" | "file_size" | "tmp_size" | "disk_size"
        );
        let value = match value.as_u64() {
            Some(bytes) if is_size => format_size(bytes),
            _ => value.to_string(),
        };
        format!("{} {value}", name.replace('_', " "))
    });
    words.collect()
}

/// A variable in one line. It may hold anything.
pub(crate) fn variable_words(variable: &Variable) -> String {
    let mut words = format!("{} ({})", variable.name, variable.kind);
    if let Some(default) = &variable.default {
        words = format!("{words} = {default}");
    }
    if let Some(about) = &variable.description {
        words = format!("{words}: {about}");
    }
    words
}

/// A finding in one line. It may quote the script.
pub(crate) fn finding_words(finding: &ScriptFinding) -> String {
    let place = match (finding.line, finding.column) {
        (Some(line), Some(column)) => format!("line {line}, column {column}: "),
        (Some(line), None) => format!("line {line}: "),
        (None, _) => String::new(),
    };
    let severity = match finding.severity {
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let source = match finding.source {
        FindingSource::Bash => "bash",
        FindingSource::Shellcheck => "shellcheck",
        _ => "bashful",
    };
    let code = match finding.code.as_str() {
        "" => String::new(),
        code => format!(" {code}"),
    };
    format!("{place}{severity}: {} ({source}{code})", finding.message)
}
