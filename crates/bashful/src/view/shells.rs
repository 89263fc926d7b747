//! Shells that last, as tables for people.

use std::time::Duration;

use bashful_engine::{Shell, ShellVariable};

use super::style::Style;
use super::tables::table;
use super::text::duration;

/// Writes a table of shells.
pub(crate) fn show_shells(shells: &[Shell], now_ms: u64, style: Style, out: &mut Vec<u8>) {
    if shells.is_empty() {
        out.extend(b"There are no shells.\n");
        return;
    }
    let rows = shells.iter().map(|shell| {
        vec![
            shell.name.clone(),
            shell.agent.clone(),
            shell.session.clone(),
            used(shell, now_ms),
            shell.calls.to_string(),
            place(shell),
        ]
    });
    let header = ["NAME", "AGENT", "SESSION", "USED", "CALLS", "DIRECTORY"];
    table(&header, rows.collect(), style, out);
}

/// All that a shell remembers.
pub(crate) fn shell_entries(shell: &Shell, now_ms: u64) -> Vec<(&'static str, String)> {
    let mut entries = vec![
        ("Shell", shell.name.clone()),
        ("Agent", shell.agent.clone()),
        ("Session", shell.session.clone()),
        ("Workspace", shell.workspace.clone()),
        ("Directory", place(shell)),
        ("Used", used(shell, now_ms)),
        ("Calls", shell.calls.to_string()),
    ];
    let umask = shell.umask.clone();
    entries.extend(umask.map(|umask| ("Mask", umask)));
    if shell.variables.iter().any(|one| one.value.is_some()) {
        let variables = shell.variables.iter();
        entries.extend(variables.map(|one| ("Variables", variable(one))));
    } else {
        let names = shell.variables.iter().map(|one| one.name.as_str());
        entries.extend(joined("Variables", names));
    }
    entries.extend(joined("Unset", shell.unset.iter().map(String::as_str)));
    entries.extend(joined(
        "Functions",
        shell.functions.iter().map(String::as_str),
    ));
    entries.extend(joined("Aliases", shell.aliases.iter().map(String::as_str)));
    entries.extend(joined("Options", shell.options.iter().map(String::as_str)));
    entries
}

fn variable(variable: &ShellVariable) -> String {
    match &variable.value {
        Some(value) => format!("{}={value}", variable.name),
        None => format!("{} ({})", variable.name, variable.attributes),
    }
}

fn joined<'a>(
    name: &'static str,
    texts: impl Iterator<Item = &'a str>,
) -> Option<(&'static str, String)> {
    let texts: Vec<&str> = texts.collect();
    (!texts.is_empty()).then(|| (name, texts.join(", ")))
}

fn used(shell: &Shell, now_ms: u64) -> String {
    if shell.busy {
        return "now".to_owned();
    }
    let ago = Duration::from_millis(now_ms.saturating_sub(shell.used_at_ms));
    format!("{} ago", duration(ago))
}

/// Where it is, as seen from its workspace.
fn place(shell: &Shell) -> String {
    shell
        .directory
        .clone()
        .unwrap_or_else(|| shell.workspace.clone())
}
