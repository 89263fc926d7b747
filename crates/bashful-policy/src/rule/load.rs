//! Rules out of TOML, with every mistake named at once.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Rule, RuleError, RuleErrorKind, examples};
use crate::decision::Layer;

mod fields;
mod reading;

use reading::{found, nearest};

/// The file that rules stand in.
#[derive(Debug, Clone, Copy)]
pub struct RuleSource<'a> {
    /// Its whole text, for the numbers of lines.
    pub text: &'a str,
    /// Its name, for messages.
    pub file: &'a str,
    /// The layer that the rules belong to.
    pub layer: Layer,
}

/// Reads a file that has nothing but `[[rule]]` tables.
///
/// ```
/// use bashful_policy::{Layer, parse_rules};
///
/// let text = r#"
/// [[rule]]
/// id = "no-push"
/// effect = "deny"
/// command = ["git", "push", "…"]
/// reason = "is for people"
/// "#;
/// assert_eq!(parse_rules(text, "rules.toml", Layer::User).unwrap().len(), 1);
/// let errors = parse_rules("[[rule]]\nid = \"x\"", "rules.toml", Layer::User).unwrap_err();
/// assert_eq!(errors[0].to_string(), "`rules.toml` line 1: rule `x`: has no `effect`: \
///     add `effect = \"ask\"`, or `allow`, `refuse`, `deny`");
/// ```
pub fn parse_rules(text: &str, file: &str, layer: Layer) -> Result<Vec<Rule>, Vec<RuleError>> {
    let source = RuleSource { text, file, layer };
    let document = document(&source)?;
    let mut loader = Loader::new(source);
    let value = loader.only_rules(document.get_ref());
    if let Some(value) = value {
        loader.rules(value);
    }
    loader.check_examples();
    loader.finish()
}

/// Reads the value of `rule` in a table of a configuration file, as in `[[profile.NAME.rule]]`.
pub fn read_rules(
    value: &Spanned<DeValue<'_>>,
    source: RuleSource<'_>,
) -> Result<Vec<Rule>, Vec<RuleError>> {
    let mut loader = Loader::new(source);
    loader.rules(value);
    loader.check_examples();
    loader.finish()
}

/// Reads one rule that is shipped, whose examples a test checks.
pub(crate) fn read_shipped(text: &str, file: &str, before: usize) -> Option<Rule> {
    let layer = Layer::Builtin;
    let source = RuleSource { text, file, layer };
    let document = document(&source).ok()?;
    let mut loader = Loader::new(source);
    let value = loader.only_rules(document.get_ref())?;
    loader.rules(value);
    let mut rule = loader.finish().ok()?.pop()?;
    rule.line += before;
    Some(rule)
}

fn document<'a>(source: &RuleSource<'a>) -> Result<Spanned<DeTable<'a>>, Vec<RuleError>> {
    DeTable::parse(source.text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        vec![RuleError {
            file: source.file.to_owned(),
            line: Lines::new(source.text).number(start),
            rule: None,
            kind: RuleErrorKind::Syntax(error.message().to_owned()),
        }]
    })
}

/// Where the lines of a text start.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(ends.map(|(at, _)| at).collect())
    }

    fn number(&self, offset: usize) -> usize {
        self.0.partition_point(|end| *end < offset) + 1
    }
}

/// What is read so far.
struct Loader<'a> {
    source: RuleSource<'a>,
    lines: Lines,
    rules: Vec<Rule>,
    errors: Vec<RuleError>,
}

impl<'a> Loader<'a> {
    fn new(source: RuleSource<'a>) -> Self {
        Self {
            lines: Lines::new(source.text),
            source,
            rules: Vec::new(),
            errors: Vec::new(),
        }
    }

    fn finish(mut self) -> Result<Vec<Rule>, Vec<RuleError>> {
        if self.errors.is_empty() {
            return Ok(self.rules);
        }
        self.errors.sort_by_key(|error| error.line);
        Err(self.errors)
    }

    fn error(&mut self, line: usize, rule: Option<String>, kind: RuleErrorKind) {
        let file = self.source.file.to_owned();
        self.errors.push(RuleError {
            file,
            line,
            rule,
            kind,
        });
    }

    /// The value of `rule`; everything else in the file is a mistake.
    fn only_rules<'v>(&mut self, table: &'v DeTable<'v>) -> Option<&'v Spanned<DeValue<'v>>> {
        let mut rules = None;
        for (key, value) in table {
            if key.get_ref() == "rule" {
                rules = Some(value);
                continue;
            }
            let line = self.lines.number(key.span().start);
            let kind = RuleErrorKind::UnknownField {
                field: shown(key.get_ref()),
                suggestion: nearest(key.get_ref(), &["rule"]),
            };
            self.error(line, None, kind);
        }
        rules
    }

    fn rules(&mut self, value: &Spanned<DeValue<'_>>) {
        let DeValue::Array(array) = value.get_ref() else {
            let line = self.lines.number(value.span().start);
            let kind = RuleErrorKind::WrongType {
                field: "rule".to_owned(),
                expected: "a table for each rule, starting with `[[rule]]`",
                found: found(value),
            };
            return self.error(line, None, kind);
        };
        let mut lines: BTreeMap<String, usize> = BTreeMap::new();
        for item in array {
            let line = self.lines.number(item.span().start);
            let DeValue::Table(table) = item.get_ref() else {
                let kind = RuleErrorKind::WrongType {
                    field: "rule".to_owned(),
                    expected: "a table for each rule, starting with `[[rule]]`",
                    found: found(item),
                };
                self.error(line, None, kind);
                continue;
            };
            let rule = Reading {
                table,
                id: None,
                line,
                faulty: false,
                loader: self,
            }
            .rule();
            let Some(rule) = rule else { continue };
            if let Some(first) = lines.get(&rule.id) {
                let kind = RuleErrorKind::DuplicateId { first: *first };
                self.error(line, Some(rule.id.clone()), kind);
            } else {
                lines.insert(rule.id.clone(), line);
            }
            self.rules.push(rule);
        }
    }

    fn check_examples(&mut self) {
        let mut faults = Vec::new();
        for rule in &self.rules {
            for kind in examples::check(rule) {
                faults.push((rule.line, rule.id.clone(), kind));
            }
        }
        for (line, id, kind) in faults {
            self.error(line, Some(id), kind);
        }
    }
}

/// One rule being read.
struct Reading<'a, 'b> {
    loader: &'b mut Loader<'a>,
    table: &'b DeTable<'b>,
    id: Option<String>,
    line: usize,
    faulty: bool,
}

/// Text out of a file, fit for a message.
fn shown(text: &str) -> String {
    text.chars().take(80).flat_map(char::escape_debug).collect()
}
