//! Rules that load but are odd: they never match, or match more than their author can have meant.

use std::fmt;

use crate::decision::Layer;
use crate::programs::DOES_ANYTHING;
use crate::rule::{Matcher, Rule, RuleEffect, Shape, Token};

/// One oddity of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lint {
    /// The file of the rule.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// The rule's id, as its file has it.
    pub rule: String,
    /// Where it comes from.
    pub layer: Layer,
    /// What is odd, and what to do.
    pub message: String,
}

impl fmt::Display for Lint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            rule,
            message,
            ..
        } = self;
        write!(formatter, "`{file}` line {line}: rule `{rule}`: {message}")
    }
}

/// Programs of which a rule should name the words that follow, beside those that do anything.
const TOO_WIDE: &[&str] = &["nodejs", "deno", "bun", "builtin", "git", "make"];

/// Everything odd about some rules.
pub fn lint<'a>(rules: impl IntoIterator<Item = &'a Rule>) -> Vec<Lint> {
    let rules: Vec<&Rule> = rules.into_iter().collect();
    let mut lints = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let mut say = |message: String| {
            lints.push(Lint {
                file: rule.file.clone(),
                line: rule.line,
                rule: rule.id.clone(),
                layer: rule.layer,
                message,
            });
        };
        for message in alone(rule) {
            say(message);
        }
        let earlier = rules.iter().take(index);
        if let Some(same) = earlier.clone().find(|other| is_same(rule, other)) {
            say(format!(
                "says what rule `{}` says: remove one of them",
                same.id
            ));
        }
        if rule.effect == RuleEffect::Allow {
            let hides = |other: &&&Rule| {
                matches!(other.effect, RuleEffect::Deny | RuleEffect::Refuse) && covers(other, rule)
            };
            if let Some(deny) = rules.iter().find(hides) {
                let message = format!(
                    "never allows anything: rule `{}` denies all that it matches",
                    deny.id
                );
                say(message);
            }
        }
    }
    lints
}

/// What is odd about a rule, whatever the others say.
fn alone(rule: &Rule) -> Vec<String> {
    let mut messages = Vec::new();
    for required in &rule.require {
        if !required.is_empty() && required.iter().all(|flag| rule.unless.contains(flag)) {
            let flag = required.join("` or `");
            messages.push(format!(
                "never matches: it needs `{flag}`, which `unless` excludes"
            ));
        }
    }
    if rule.layer == Layer::Project && rule.effect == RuleEffect::Allow {
        messages.push(
            "has no effect: a project can only narrow; move it to the user's file".to_owned(),
        );
    }
    match &rule.matcher {
        Matcher::Shape(shape) => messages.extend(of_shape(rule, shape)),
        Matcher::Other => {
            messages.push("never matches: its action is that of another tool".to_owned());
        }
        Matcher::Regex(pattern) => {
            let loose = [".*", ".+", "", "^.*", "^.*$", "^.+$"].contains(&pattern.source.as_str());
            if loose {
                messages.push("matches every command".to_owned());
            }
        }
    }
    messages
}

fn of_shape(rule: &Rule, shape: &Shape) -> Vec<String> {
    let mut messages = Vec::new();
    let words = shape.tokens.iter().filter_map(|token| match token {
        Token::Word(patterns) => Some(patterns),
        Token::Rest => None,
    });
    for (index, patterns) in words.enumerate() {
        if let Some(word) = patterns.iter().find(|word| index == 0 && has_blank(word)) {
            messages.push(format!(
                "never matches: no program is called `{word}`; give each word by itself"
            ));
        }
        let excluded = patterns.iter().all(|word| rule.unless.contains(word));
        if index > 0 && excluded {
            let word = patterns.join("` or `");
            messages.push(format!(
                "never matches: it needs `{word}`, which `unless` excludes"
            ));
        }
    }
    let slash = |name: &&String| name.contains('/') && !rule.grant;
    if let Some(Token::Word(names)) = shape.tokens.first()
        && let Some(name) = names.iter().find(slash)
    {
        let text = if rule.effect == RuleEffect::Allow {
            format!("allows only the file `{name}`, not a program of that name elsewhere")
        } else {
            format!("counts for every program of the name of `{name}`: leave out the directory")
        };
        messages.push(text);
    }
    if rule.effect == RuleEffect::Allow && rule.require.is_empty() {
        messages.extend(too_broad(shape));
    }
    messages
}

fn has_blank(word: &str) -> bool {
    word.contains(char::is_whitespace)
}

/// An allow that leaves open what runs.
fn too_broad(shape: &Shape) -> Option<String> {
    match shape.tokens.as_slice() {
        [Token::Rest, ..] => Some("allows every program".to_owned()),
        [Token::Word(names), Token::Rest] => {
            if names.iter().any(|name| name == "*") {
                return Some("allows every program".to_owned());
            }
            let base = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
            let broad = |name: &&String| {
                let name = base(name);
                DOES_ANYTHING.contains(&name.as_str()) || TOO_WIDE.contains(&name.as_str())
            };
            // `make …` is what the shipped rules allow with exceptions.
            let name = names.iter().find(broad).filter(|name| *name != "make")?;
            Some(format!(
                "allows too much: `{name}` can do anything; name what it may do, \
                 as in `[\"{name}\", \"…word…\", \"…\"]`"
            ))
        }
        _ => None,
    }
}

fn is_same(rule: &Rule, other: &Rule) -> bool {
    let matcher = match (&rule.matcher, &other.matcher) {
        (Matcher::Shape(one), Matcher::Shape(two)) => one == two,
        (Matcher::Regex(one), Matcher::Regex(two)) => one.source == two.source,
        _ => false,
    };
    matcher
        && rule.effect == other.effect
        && rule.capability == other.capability
        && rule.layer == other.layer
        && rule.unless == other.unless
        && rule.require == other.require
        && rule.redirects == other.redirects
}

/// Whether a denying rule surely matches all that an allowing one does.
fn covers(deny: &Rule, allow: &Rule) -> bool {
    let (Matcher::Shape(wide), Matcher::Shape(narrow)) = (&deny.matcher, &allow.matcher) else {
        return false;
    };
    if !deny.unless.is_empty() || !deny.require.is_empty() || deny.redirects != allow.redirects {
        return false;
    }
    let (fixed, open) = match wide.tokens.as_slice() {
        [fixed @ .., Token::Rest] => (fixed, true),
        fixed => (fixed, false),
    };
    let same_length = narrow.tokens.len() == fixed.len() && !narrow.is_open();
    if !(open || same_length) || narrow.tokens.len() < fixed.len() {
        return false;
    }
    let mut pairs = fixed.iter().zip(&narrow.tokens);
    pairs.all(
        |(wide_token, narrow_token)| match (wide_token, narrow_token) {
            (Token::Word(patterns), Token::Word(words)) => words.iter().all(|word| {
                patterns
                    .iter()
                    .any(|pattern| pattern == word || wide.is(pattern, word))
            }),
            _ => false,
        },
    )
}
