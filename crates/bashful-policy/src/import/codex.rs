//! Settings of Codex: rules files with `prefix_rule(…)`, and `config.toml`.

use toml::Value;

use super::starlark::{self, Called, Literal, Statement};
use super::{Draft, DraftMatcher, ImportError, Imported};
use crate::quote::escape_arg;
use crate::rule::RuleEffect;

/// Reads the text of a rules file or of a `config.toml`.
pub fn codex(text: &str) -> Result<Imported, ImportError> {
    // Both formats have lines `name = […]`, but only rules files have calls.
    let calls = ["prefix_rule", "host_executable", "network_rule", "define_program"];
    let is_call = |line: &str| {
        let line = line.trim_start();
        calls.iter().any(|name| {
            line.strip_prefix(name)
                .is_some_and(|rest| rest.trim_start().starts_with('('))
        })
    };
    if text.lines().any(is_call) {
        return Ok(rules(text));
    }
    let settings: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let start = error.span().map_or(0, |span| span.start);
        let before = text.get(..start).unwrap_or_default();
        ImportError::Syntax {
            line: before.matches('\n').count() + 1,
            problem: "it is neither a rules file nor valid TOML".to_owned(),
        }
    })?;
    Ok(config(&settings))
}

fn rules(text: &str) -> Imported {
    let mut imported = Imported::default();
    let mut number = 0;
    for statement in starlark::read(text) {
        match statement {
            Statement::Call(called) if called.name == "prefix_rule" => {
                number += 1;
                prefix_rule(&mut imported, &called, number);
            }
            Statement::Call(called) => {
                let name = called.argument("name").or_else(|| called.argument("host"));
                let about = match name {
                    Some(Literal::Text(name)) => format!(" for `{name}`"),
                    _ => String::new(),
                };
                let why = match called.name.as_str() {
                    "host_executable" => {
                        "an allow here takes a program by its name, or in a directory of the system"
                    }
                    "network_rule" => "give hosts in `network = { hosts = […] }` of a profile",
                    _ => "there is no such thing here",
                };
                let (line, function) = (called.line, &called.name);
                imported.note(format!("line {line}: `{function}`{about}: {why}"));
            }
            Statement::Unread { line, text } => {
                imported.note(format!("line {line}: `{text}`: is code, which is not run"));
            }
        }
    }
    imported
}

impl Called {
    fn argument(&self, name: &str) -> Option<&Literal> {
        let mut arguments = self.arguments.iter();
        arguments
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }

    fn text(&self, name: &str) -> Option<&str> {
        match self.argument(name) {
            Some(Literal::Text(text)) => Some(text),
            _ => None,
        }
    }
}

fn prefix_rule(imported: &mut Imported, called: &Called, number: usize) {
    let line = called.line;
    let origin = format!("line {line}: `prefix_rule`");
    let known = ["pattern", "decision", "justification", "match", "not_match"];
    for (key, _) in &called.arguments {
        if !known.contains(&key.as_str()) {
            imported.note(format!("{origin}: `{key}` has no equivalent"));
        }
    }
    let decision = match called.argument("decision") {
        None => "allow",
        Some(_) => called.text("decision").unwrap_or_default(),
    };
    let effect = match decision {
        "allow" => RuleEffect::Allow,
        "prompt" => RuleEffect::Ask,
        "forbidden" => RuleEffect::Deny,
        other => return imported.note(format!("{origin}: `{other}` is not a decision")),
    };
    let Some(mut places) = called.argument("pattern").and_then(pattern) else {
        return imported.note(format!("{origin}: its pattern is not a list of words"));
    };
    if places.iter().flatten().any(|word| word.contains('*')) {
        imported.note(format!("{origin}: a `*` stands for any text here"));
    }
    places.push(vec!["…".to_owned()]);
    let verb = match effect {
        RuleEffect::Allow => "is allowed",
        RuleEffect::Ask => "is asked about",
        RuleEffect::Refuse | RuleEffect::Deny => "is denied",
    };
    let justification = called
        .text("justification")
        .filter(|text| !text.trim().is_empty());
    let examples_of = |name: &str| -> Vec<String> {
        let Some(Literal::List(items)) = called.argument(name) else {
            return Vec::new();
        };
        items.iter().filter_map(example).collect()
    };
    let examples = examples_of("match");
    let counterexamples = examples_of("not_match");
    imported.add(Draft {
        id: format!("codex-{number}"),
        effect,
        reason: format!("{verb} by a rule imported from Codex"),
        advice: justification.map(str::to_owned),
        matcher: DraftMatcher::Command(places),
        examples,
        counterexamples,
        origin,
    });
}

fn pattern(value: &Literal) -> Option<Vec<Vec<String>>> {
    let Literal::List(items) = value else {
        return None;
    };
    let place = |item: &Literal| match item {
        Literal::Text(word) => Some(vec![word.clone()]),
        Literal::List(words) => words.iter().map(word).collect(),
        Literal::Other(_) => None,
    };
    let places: Option<Vec<Vec<String>>> = items.iter().map(place).collect();
    places.filter(|places| !places.is_empty())
}

fn word(literal: &Literal) -> Option<String> {
    match literal {
        Literal::Text(word) => Some(word.clone()),
        _ => None,
    }
}

/// An example as a command line.
fn example(literal: &Literal) -> Option<String> {
    match literal {
        Literal::Text(line) => Some(line.clone()),
        Literal::List(words) => {
            let words: Option<Vec<String>> = words.iter().map(word).collect();
            let plain = |text: &str| {
                let usual = |next: char| next.is_ascii_alphanumeric() || "-_./=:@,+".contains(next);
                !text.is_empty() && text.chars().all(usual)
            };
            let shell = |text: &String| {
                if plain(text) {
                    text.clone()
                } else {
                    escape_arg(text)
                }
            };
            words.map(|words| words.iter().map(shell).collect::<Vec<_>>().join(" "))
        }
        Literal::Other(_) => None,
    }
}

fn config(settings: &toml::Table) -> Imported {
    let mut imported = Imported::default();
    if let Some(policy) = settings.get("approval_policy") {
        let word = policy.as_str().unwrap_or("a table");
        let what = match word {
            "untrusted" => "the profile `careful` asks about what no rule knows",
            "on-request" | "on-failure" => {
                "the profile `confined`, the default, lets pass what the kernel holds"
            }
            "never" => "a profile with `default = \"deny\"` never asks",
            _ => "there is no equivalent",
        };
        imported.note(format!("`approval_policy` is `{word}`: {what}"));
    }
    if let Some(mode) = settings.get("sandbox_mode").and_then(Value::as_str) {
        let what = match mode {
            "read-only" => "the preset `read-only` is that",
            "workspace-write" => "the preset `workspace` is that",
            "danger-full-access" => {
                "the sandbox is on; `sandbox = \"none\"` has to be written by you"
            }
            _ => "there is no equivalent",
        };
        imported.note(format!("`sandbox_mode` is `{mode}`: {what}"));
    }
    let table = settings
        .get("sandbox_workspace_write")
        .and_then(Value::as_table);
    for (key, value) in table.into_iter().flatten() {
        let what = match (key.as_str(), value) {
            ("network_access", Value::Boolean(true)) => {
                "give `network = \"on\"`, or better the hosts, in a profile".to_owned()
            }
            ("network_access", _) => "the network is off unless a profile opens it".to_owned(),
            ("writable_roots", roots) => format!("add {roots} to `paths_write` of a profile"),
            ("exclude_slash_tmp" | "exclude_tmpdir_env_var", _) => {
                "`/tmp` is the room's own".to_owned()
            }
            _ => "there is no equivalent".to_owned(),
        };
        imported.note(format!("`sandbox_workspace_write.{key}`: {what}"));
    }
    if imported.notes.is_empty() {
        imported.note("there is nothing about approvals or the sandbox in this file");
    }
    imported
}
