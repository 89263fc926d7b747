//! A learnt profile as a file has it.

use std::fmt::Write as _;

use bashful_policy::{CapabilityChanges, NetworkCapability, ResourceLimits};

use super::rights::LearntRights;
use super::rule::Matcher;
use super::{DEFAULT, LearntRule, LeftOut};
use crate::config::{Choice as _, HomeMode, format_duration, format_size, list, quoted};

/// How many characters of a command a comment shows.
const MOST_SHOWN: usize = 100;

/// The profile before anything is learnt.
pub(super) fn bare(name: &str) -> String {
    format!(
        "[profile.{}]\ndefault = {}\n",
        quoted(name),
        quoted(DEFAULT.as_str())
    )
}

/// The whole profile. Writing to a string cannot fail.
pub(super) fn profile(
    name: &str,
    rights: &LearntRights,
    rules: &[LearntRule],
    left_out: &[LeftOut],
) -> String {
    let section = format!("profile.{}", key(name));
    let mut text = format!("[{section}]\npreset = {}\n", quoted(rights.preset.as_str()));
    let _ = writeln!(text, "default = {}", quoted(DEFAULT.as_str()));
    if rights.home != HomeMode::Project {
        let _ = writeln!(text, "home = {}", quoted(rights.home.as_str()));
    }
    capabilities(&mut text, &section, &rights.changes);
    for rule in rules {
        let times = if rule.needed == 1 { "run" } else { "runs" };
        let _ = writeln!(
            text,
            "\n# Needed by {} {times}, for example: {}",
            rule.needed,
            shown(&rule.example)
        );
        let matcher = match &rule.regex {
            Some(expression) => Matcher::Regex(expression.clone()),
            None => Matcher::Command(rule.command.clone()),
        };
        let _ = writeln!(text, "[[{section}.rule]]\nid = {}", quoted(&rule.id));
        let _ = writeln!(text, "effect = \"allow\"\n{}", matcher.field());
    }
    if !left_out.is_empty() {
        text.push_str("\n# Not covered:\n");
    }
    for run in left_out {
        let _ = writeln!(text, "#   {}", shown(&run.command));
        let _ = writeln!(text, "#     {}", shown(&run.why));
    }
    text
}

fn capabilities(text: &mut String, section: &str, changes: &CapabilityChanges) {
    let mut lines = Vec::new();
    let lists = [
        ("paths_read", &changes.paths_read),
        ("paths_write", &changes.paths_write),
        ("paths_deny", &changes.paths_deny),
        ("classes", &changes.classes),
    ];
    for (name, items) in lists {
        if !items.is_empty() {
            lines.push(format!("{name} = {}", list(items)));
        }
    }
    match &changes.network {
        None => {}
        Some(NetworkCapability::Hosts(hosts)) => {
            lines.push(format!("network = {{ hosts = {} }}", list(hosts)));
        }
        Some(network) => lines.push(format!("network = {}", quoted(&network.to_string()))),
    }
    if let Some(commands) = &changes.commands {
        lines.push(format!("commands = {}", list(commands)));
    }
    if !lines.is_empty() {
        let _ = writeln!(text, "\n[{section}.capabilities]\n{}", lines.join("\n"));
    }
    let limits = changes.resources.values();
    let set = ResourceLimits::NAMES.iter().zip(limits);
    let set: Vec<String> = set
        .filter_map(|(name, limit)| Some(format!("{name} = {}", quantity(name, limit?))))
        .collect();
    if !set.is_empty() {
        let _ = writeln!(
            text,
            "\n[{section}.capabilities.resources]\n{}",
            set.join("\n")
        );
    }
}

/// A limit as a file has it.
fn quantity(name: &str, limit: u64) -> String {
    match name {
        "memory" | "file_size" | "tmp_size" | "disk_size" => quoted(&format_size(limit)),
        "cpu_time" => {
            let duration = std::time::Duration::from_millis(limit);
            quoted(&format_duration(duration))
        }
        _ => limit.to_string(),
    }
}

/// The name of a profile as a part of a key.
fn key(name: &str) -> String {
    let bare = |next: char| next.is_ascii_alphanumeric() || "_-".contains(next);
    if !name.is_empty() && name.chars().all(bare) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// A text in a comment: one line that nothing hides in.
fn shown(text: &str) -> String {
    let quoted = quoted(text);
    let inner = quoted
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    let inner = inner.unwrap_or_default().replace("\\\"", "\"");
    let mut shown: String = inner.chars().take(MOST_SHOWN).collect();
    if inner.chars().nth(MOST_SHOWN).is_some() {
        shown.push('…');
    }
    shown
}
