//! What a script seems to need beside what it declares.

use bashful_policy::{Capabilities, NetworkCapability};

use super::needs::Read;
use super::paths::Home;
use crate::model::script::finding::{ScriptFinding, Severity};

/// What does not fit: what is needed and not declared, and what is declared and not needed.
pub(super) fn compare(
    text: &str,
    read: &Read,
    declared: &Capabilities,
    home: &Home,
) -> Vec<ScriptFinding> {
    let needs = &read.needs;
    let mut findings = Vec::new();
    let mut tell = |severity, code, message: String, word: &str| {
        let known = read.lines.get(word).copied();
        let line = known.or_else(|| first_line(text, word));
        findings.push(ScriptFinding::own(severity, code, message).at_line(line));
    };
    let covered = |path: &str, list: &[String]| list.iter().any(|root| home.is_within(path, root));
    for path in &needs.writes {
        if !covered(path, &declared.paths_write) {
            let message = format!("seems to write `{path}`, and declares no `paths_write` for it");
            tell(Severity::Warning, "undeclared-write", message, path);
        }
    }
    for path in &needs.reads {
        if !covered(path, &declared.paths_read) && !covered(path, &declared.paths_write) {
            let message = format!("seems to read `{path}`, and declares no `paths_read` for it");
            tell(Severity::Warning, "undeclared-read", message, path);
        }
    }
    if needs.network && declared.network == NetworkCapability::Off {
        let message = "seems to need the network, and does not declare it".to_owned();
        tell(Severity::Warning, "undeclared-network", message, "network");
    }
    if !needs.network && declared.network != NetworkCapability::Off && !needs.dynamic {
        let message = "declares the network, and does not seem to need it".to_owned();
        tell(Severity::Info, "unneeded-network", message, "");
    }
    for class in &needs.classes {
        if !declared.classes.contains(class) {
            let message = format!(
                "does what is refused unless `{class}` is declared: `--allow {class}`, if that is \
                 intended"
            );
            tell(Severity::Warning, "undeclared-class", message, class);
        }
    }
    if let Some(commands) = &declared.commands {
        for command in needs.commands.iter().filter(|one| !commands.contains(one)) {
            let message = format!("runs `{command}`, which is not among its `commands`");
            tell(Severity::Warning, "undeclared-command", message, command);
        }
        if needs.dynamic {
            let message = "decides what runs while it runs, and lists its `commands`".to_owned();
            tell(Severity::Info, "dynamic-command", message, "");
        }
    }
    for (name, line) in &read.passing {
        let here = declared.paths_write.iter().any(|path| path == ".");
        let is_kept = if name.starts_with('/') {
            covered(name, &declared.paths_write)
        } else {
            here
        };
        if !is_kept {
            let message = format!(
                "writes `{name}`, which is removed after the run; to keep it, write to a directory that \
                 it declares with `--write`"
            );
            let finding = ScriptFinding::own(Severity::Warning, "not-kept", message);
            findings.push(finding.at_line(Some(*line)));
        }
    }
    if let Some(line) = read.by_value
        && declared.paths_read.is_empty()
        && declared.paths_write.is_empty()
    {
        let message = "gives a value to a program; if that is a path, declare where such files \
                       lie with `--read` or `--write`";
        let finding = ScriptFinding::own(Severity::Info, "path-by-value", message.to_owned());
        findings.push(finding.at_line(Some(line)));
    }
    findings
}

/// The first line that has this word.
fn first_line(text: &str, word: &str) -> Option<usize> {
    if word.is_empty() || word == "." {
        return None;
    }
    // As it is written in a script, `~` can be `$HOME`.
    let rest = word.strip_prefix("~/").unwrap_or(word);
    let word = if rest.is_empty() { word } else { rest };
    let mut lines = text.lines();
    lines.position(|line| line.contains(word)).map(|at| at + 1)
}
