//! Rules of other agents as rules of ours, with a list of what has no equivalent.

use std::fmt::Write as _;

use thiserror::Error;

use crate::context::Context;
use crate::decision::Layer;
use crate::read::read;
use crate::rule::{Rule, RuleEffect, RuleErrorKind, parse_rules};
use crate::ruleset::lint;

mod claude;
mod codex;
mod starlark;
#[cfg(test)]
mod tests;

pub use claude::claude;
pub use codex::codex;

/// What was made of another agent's settings.
#[derive(Debug, Clone, Default)]
pub struct Imported {
    /// A file of rules that loads.
    pub rules_toml: String,
    /// The same rules, read.
    pub rules: Vec<Rule>,
    /// What has no equivalent or changed on the way, each with its text and why.
    pub notes: Vec<String>,
}

/// Why settings cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// They are not in the format they should be in.
    #[error("cannot read the settings in line {line}: {problem}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

/// One rule on its way.
struct Draft {
    id: String,
    effect: RuleEffect,
    reason: String,
    advice: Option<String>,
    /// The value of `command` or `action`.
    matcher: DraftMatcher,
    examples: Vec<String>,
    counterexamples: Vec<String>,
    /// What it was, for notes.
    origin: String,
}

enum DraftMatcher {
    Command(Vec<Vec<String>>),
    Everything,
}

impl Imported {
    fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Adds a rule if it loads and does not allow more than its author can have meant.
    fn add(&mut self, mut draft: Draft) {
        let mut text = draft.toml();
        if let Err(errors) = parse_rules(&text, "imported", Layer::User) {
            for error in &errors {
                match &error.kind {
                    RuleErrorKind::ExampleMissed(example) => {
                        draft.examples.retain(|other| other != example);
                        self.note(format!(
                            "{}: the example `{example}` does not match here; it was left out",
                            draft.origin
                        ));
                    }
                    RuleErrorKind::ExampleMatched(example) => {
                        draft.counterexamples.retain(|other| other != example);
                        self.note(format!("{}: the example `{example}` is matched here, where options are skipped; it was left out", draft.origin));
                    }
                    _ => {}
                }
            }
            text = draft.toml();
        }
        let rules = match parse_rules(&text, "imported", Layer::User) {
            Ok(rules) => rules,
            Err(errors) => {
                let why = errors
                    .first()
                    .map_or_else(String::new, |error| error.kind.to_string());
                return self.note(format!("{}: was left out, because it {why}", draft.origin));
            }
        };
        let broad = lint(&rules).into_iter().find(|lint| {
            lint.message.starts_with("allows too much") || lint.message.starts_with("allows every")
        });
        if let Some(broad) = broad {
            return self.note(format!(
                "{}: was left out, because it {}",
                draft.origin, broad.message
            ));
        }
        if !self.rules_toml.is_empty() {
            self.rules_toml.push('\n');
        }
        self.rules_toml.push_str(&text);
        self.rules.extend(rules);
    }
}

impl Draft {
    fn toml(&self) -> String {
        let mut text = String::from("[[rule]]\n");
        let mut line = |key: &str, value: &str| {
            // Writing to a text does not fail.
            let _ = writeln!(text, "{key} = {value}");
        };
        line("id", &quoted(&self.id));
        line("effect", &quoted(self.effect.as_str()));
        line("reason", &quoted(&self.reason));
        match &self.matcher {
            DraftMatcher::Everything => line("action", "\"tool:bash:*\""),
            DraftMatcher::Command(places) => {
                let place = |alternatives: &Vec<String>| match alternatives.as_slice() {
                    [one] => quoted(one),
                    several => list(several),
                };
                let places: Vec<String> = places.iter().map(place).collect();
                line("command", &format!("[{}]", places.join(", ")));
            }
        }
        if let Some(advice) = &self.advice {
            line("advice", &quoted(advice));
        }
        if !self.examples.is_empty() {
            line("match", &list(&self.examples));
        }
        if !self.counterexamples.is_empty() {
            line("not_match", &list(&self.counterexamples));
        }
        text
    }
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", texts.join(", "))
}

/// The words of one simple command; none if it is anything else.
fn words(command: &str) -> Option<Vec<String>> {
    let facts = read(command, &Context::default());
    let [call] = facts.calls.as_slice() else {
        return None;
    };
    let simple = facts.redirects.is_empty()
        && facts.assignments.is_empty()
        && facts.functions.is_empty()
        && call
            .arguments
            .iter()
            .all(|word| word.is_known() && !word.from_variable);
    simple.then(|| {
        call.arguments
            .iter()
            .map(|word| word.text.clone())
            .collect()
    })
}
