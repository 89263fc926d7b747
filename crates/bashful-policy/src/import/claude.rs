//! Settings of Claude Code: the lists `allow`, `ask` and `deny` of `permissions`.

use serde_json::Value;

use super::{Draft, DraftMatcher, ImportError, Imported, words};
use crate::rule::RuleEffect;

/// Reads the text of a `settings.json`.
pub fn claude(text: &str) -> Result<Imported, ImportError> {
    let settings: Value = serde_json::from_str(text).map_err(|error| ImportError::Syntax {
        line: error.line(),
        problem: "it is not valid JSON".to_owned(),
    })?;
    let mut imported = Imported::default();
    let Some(permissions) = settings.get("permissions") else {
        imported.note("there are no `permissions` in these settings");
        return Ok(imported);
    };
    for effect in [RuleEffect::Deny, RuleEffect::Ask, RuleEffect::Allow] {
        let entries = permissions.get(effect.as_str()).and_then(Value::as_array);
        for (index, entry) in entries.into_iter().flatten().enumerate() {
            match entry.as_str() {
                Some(entry) => one(&mut imported, effect, index, entry),
                None => imported.note(format!(
                    "an entry of `permissions.{effect}` is not a string"
                )),
            }
        }
    }
    if let Some(mode) = permissions.get("defaultMode").and_then(Value::as_str) {
        imported.note(default_mode(mode));
    }
    let directories = permissions
        .get("additionalDirectories")
        .and_then(Value::as_array);
    for directory in directories.into_iter().flatten().filter_map(Value::as_str) {
        imported.note(format!(
            "`additionalDirectories` has `{directory}`: add it to `paths_write` of a profile"
        ));
    }
    let known = ["allow", "ask", "deny", "defaultMode", "additionalDirectories"];
    let keys = permissions
        .as_object()
        .into_iter()
        .flat_map(|table| table.keys());
    for key in keys.filter(|key| !known.contains(&key.as_str())) {
        imported.note(format!("`permissions.{key}` has no equivalent"));
    }
    if settings.get("hooks").is_some() {
        imported.note("`hooks` are programs of their own and are not imported");
    }
    Ok(imported)
}

fn default_mode(mode: &str) -> String {
    let what = match mode {
        "default" => "the profile `careful` asks about what no rule knows",
        "acceptEdits" => "the profile `confined` lets writes inside the workspace pass",
        "plan" => "the preset `read-only` comes near",
        "dontAsk" => "a profile with `default = \"deny\"` comes near",
        _ => "nothing here lets everything pass",
    };
    format!("`defaultMode` is `{mode}`: {what}")
}

fn one(imported: &mut Imported, effect: RuleEffect, index: usize, entry: &str) {
    let (tool, inside) = match entry.split_once('(') {
        Some((tool, rest)) => (tool, rest.strip_suffix(')')),
        None => (entry, Some("*")),
    };
    let (tool, Some(inside)) = (tool.trim(), inside) else {
        return imported.note(format!("`{entry}`: has no closing bracket"));
    };
    if tool != "Bash" {
        return imported.note(format!("`{entry}`: {}", other_tool(tool, inside, effect)));
    }
    let matcher = if matches!(inside.trim(), "*" | ":*" | "") {
        if effect == RuleEffect::Allow {
            let why = "would allow every command: choose a profile instead";
            return imported.note(format!("`{entry}`: was left out, because it {why}"));
        }
        DraftMatcher::Everything
    } else {
        match shape(inside) {
            Some(places) => DraftMatcher::Command(places),
            None => {
                return imported.note(format!(
                    "`{entry}`: is not one simple command, which is what a rule is about"
                ));
            }
        }
    };
    let verb = match effect {
        RuleEffect::Allow => "is allowed",
        RuleEffect::Ask => "is asked about",
        RuleEffect::Refuse | RuleEffect::Deny => "is denied",
    };
    imported.add(Draft {
        id: format!("claude-{effect}-{}", index + 1),
        effect,
        reason: format!("{verb} by `{entry}`, imported from Claude Code"),
        advice: None,
        matcher,
        examples: Vec::new(),
        counterexamples: Vec::new(),
        origin: format!("`{entry}`"),
    });
}

/// The shape of what stands in the brackets: `npm run test:*`, `npm run *` or a whole command.
fn shape(inside: &str) -> Option<Vec<Vec<String>>> {
    let (text, open) = match inside.strip_suffix(":*") {
        Some(prefix) => (prefix, true),
        None => (inside, false),
    };
    // `**` is no more than `*`.
    let mut places: Vec<Vec<String>> = Vec::new();
    let all = words(text)?;
    let last = all.len().saturating_sub(1);
    for (index, word) in all.into_iter().enumerate() {
        if index > 0 && !word.is_empty() && word.chars().all(|next| next == '*') {
            places.push(vec!["…".to_owned()]);
            continue;
        }
        let ends_inside = word.ends_with(['/', '=', ':', '-', '@', '.']);
        if index == last && index > 0 && open && ends_inside {
            // The prefix ends inside a word.
            places.push(vec![format!("{word}*")]);
        } else {
            // A star inside a word goes on over blanks, so what follows is open as well.
            let star = index == last && word.ends_with('*');
            places.push(vec![word]);
            if star {
                places.push(vec!["…".to_owned()]);
            }
        }
    }
    if open {
        places.push(vec!["…".to_owned()]);
    }
    Some(places)
}

fn other_tool(tool: &str, inside: &str, effect: RuleEffect) -> String {
    let denied = matches!(effect, RuleEffect::Deny | RuleEffect::Refuse);
    match tool {
        "Read" if denied => {
            format!("add `{inside}` to `paths_deny` of a profile, which the kernel enforces")
        }
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" if denied => {
            format!("leave `{inside}` out of `paths_write`, or add it to `paths_deny`")
        }
        "Read" | "Glob" | "Grep" | "LS" if effect == RuleEffect::Allow => {
            format!("add `{inside}` to `paths_read` of a profile")
        }
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" if effect == RuleEffect::Allow => {
            format!("add `{inside}` to `paths_write` of a profile")
        }
        "WebFetch" => match inside.strip_prefix("domain:") {
            Some(host) if effect == RuleEffect::Allow => {
                format!("add `{host}` to `network = {{ hosts = […] }}` of a profile")
            }
            _ => "hosts are closed unless a profile's `network` names them".to_owned(),
        },
        _ => format!("is about the tool `{tool}`, not about commands"),
    }
}
