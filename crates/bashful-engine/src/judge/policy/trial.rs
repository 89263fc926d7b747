//! Trying out the rules of a file: each with its examples, without using any of them.

use std::path::Path;

use bashful_policy::{Layer, Rule, RuleError, RuleSource, parse_rules, read_rules};
use toml::de::{DeTable, DeValue};

use crate::config::{ConfigError, check_file};

/// What became of the rules of a file.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TestedFile {
    /// Every rule, in the order of the file.
    pub tested: Vec<TestedRule>,
    /// What is wrong with the file besides.
    pub problems: Vec<String>,
    /// The rules, if nothing is wrong with any.
    pub rules: Vec<Rule>,
}

/// What became of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TestedRule {
    /// Its id; empty if it has none.
    pub id: String,
    /// The line it starts in.
    pub line: usize,
    /// How many examples it has.
    pub examples: usize,
    /// What is wrong with it, each with the line.
    pub problems: Vec<(usize, String)>,
}

impl TestedFile {
    /// Whether nothing is wrong.
    pub fn is_well(&self) -> bool {
        self.problems.is_empty() && self.tested.iter().all(|rule| rule.problems.is_empty())
    }

    /// Puts each mistake where it belongs.
    fn blame(&mut self, errors: Vec<RuleError>) {
        for error in errors {
            let of_rule = self.tested.iter_mut().rev().find(|rule| {
                rule.line <= error.line && error.rule.as_ref().is_none_or(|id| *id == rule.id)
            });
            match of_rule {
                Some(rule) => rule.problems.push((error.line, error.kind.to_string())),
                None => self.problems.push(error.to_string()),
            }
        }
    }
}

/// Tries out the rules of a text: a file of `[[rule]]` tables, or a configuration file.
pub fn test_rules(text: &str, path: &Path) -> TestedFile {
    let file = path.display().to_string();
    let mut outcome = TestedFile::default();
    let document = DeTable::parse(text);
    let lists = match &document {
        Ok(document) => lists(document.get_ref()),
        Err(_) => Vec::new(),
    };
    for list in &lists {
        outcome.tested.extend(listed(list, text));
    }
    outcome.tested.sort_by_key(|rule| rule.line);
    let whole = document.as_ref().map(toml::Spanned::get_ref);
    let alone = whole.is_ok_and(|whole| whole.contains_key("rule"));
    if alone {
        match parse_rules(text, &file, Layer::User) {
            Ok(rules) => outcome.rules = rules,
            Err(errors) => outcome.blame(errors),
        }
        return outcome;
    }
    for list in lists {
        let layer = Layer::User;
        let source = RuleSource {
            text,
            file: &file,
            layer,
        };
        match read_rules(list, source) {
            Ok(rules) => outcome.rules.extend(rules),
            Err(errors) => outcome.blame(errors),
        }
    }
    // What else is wrong with a configuration file is wrong here too.
    match check_file(text, path) {
        Ok(()) | Err(ConfigError::Rules { .. }) => {}
        Err(error) => outcome.problems.push(error.to_string()),
    }
    outcome
}

type Value<'a> = toml::Spanned<DeValue<'a>>;

/// Every list of rules in a file.
fn lists<'a, 'b>(document: &'a DeTable<'b>) -> Vec<&'a Value<'b>> {
    let alone = document.get("rule");
    let profiles = document.get("profile").and_then(table);
    let profiles = profiles.into_iter().flat_map(DeTable::values);
    let of_profiles = profiles.filter_map(|profile| table(profile)?.get("rule"));
    alone.into_iter().chain(of_profiles).collect()
}

fn table<'a, 'b>(value: &'a Value<'b>) -> Option<&'a DeTable<'b>> {
    match value.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

/// The rules of a list by name, whatever else is wrong with them.
fn listed(list: &Value<'_>, text: &str) -> Vec<TestedRule> {
    let DeValue::Array(items) = list.get_ref() else {
        return Vec::new();
    };
    let line = |offset: usize| 1 + text.get(..offset).unwrap_or(text).matches('\n').count();
    let rule = |item: &Value<'_>| {
        let fields = table(item);
        let field = |name: &str| fields.and_then(|fields| fields.get(name));
        let id = match field("id").map(toml::Spanned::get_ref) {
            Some(DeValue::String(id)) => id.to_string(),
            _ => String::new(),
        };
        let count = |name: &str| match field(name).map(toml::Spanned::get_ref) {
            Some(DeValue::Array(examples)) => examples.len(),
            _ => 0,
        };
        TestedRule {
            id,
            line: line(item.span().start),
            examples: count("match") + count("not_match"),
            problems: Vec::new(),
        }
    };
    items.iter().map(rule).collect()
}
