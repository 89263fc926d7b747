//! The shipped rules. Each is read when the first call of one of its programs is judged: a command
//! meets few of them, and reading all would cost more than the rest of a decision.

use std::sync::OnceLock;

use crate::rule::{Rule, read_shipped};

/// The text of the shipped rules.
pub const BUILTIN_RULES: &str = include_str!("../builtin.toml");

/// The shipped rules, found by the names of programs.
#[derive(Debug)]
pub(super) struct Shipped {
    entries: Vec<Entry>,
    /// Names of programs with the places of their rules, sorted.
    by_program: Vec<(&'static str, usize)>,
    /// Places of rules whose programs are patterns.
    about_any: Vec<usize>,
}

/// One rule as text.
#[derive(Debug)]
struct Entry {
    text: &'static str,
    /// The number of lines before it.
    before: usize,
    rule: OnceLock<Option<Rule>>,
}

impl Entry {
    /// The rule. That all of them can be read is what a test checks.
    fn rule(&self) -> Option<&Rule> {
        let read = || read_shipped(self.text, "builtin.toml", self.before);
        self.rule.get_or_init(read).as_ref()
    }
}

impl Shipped {
    pub(super) fn get() -> &'static Self {
        static SHIPPED: OnceLock<Shipped> = OnceLock::new();
        SHIPPED.get_or_init(|| Self::new(BUILTIN_RULES))
    }

    fn new(text: &'static str) -> Self {
        let mut shipped = Self {
            entries: Vec::new(),
            by_program: Vec::new(),
            about_any: Vec::new(),
        };
        let mut before = 1;
        let mut rest = text;
        // What stands above the first rule is for people.
        while let Some(start) = rest.find("\n[[rule]]\n") {
            let (above, from) = rest.split_at_checked(start + 1).unwrap_or((rest, ""));
            before += above.bytes().filter(|byte| *byte == b'\n').count();
            let end = from.find("\n[[rule]]\n").unwrap_or(from.len());
            let (part, after) = from.split_at_checked(end).unwrap_or((from, ""));
            shipped.add(part, before - 1);
            before += part.bytes().filter(|byte| *byte == b'\n').count();
            rest = after;
        }
        shipped.by_program.sort_unstable();
        shipped
    }

    fn add(&mut self, part: &'static str, before: usize) {
        let place = self.entries.len();
        let mut any = false;
        for name in programs(part) {
            any |= name.contains('*');
            let name = name.rsplit('/').next().unwrap_or_default();
            self.by_program.push((name, place));
        }
        if any {
            self.about_any.push(place);
        }
        self.entries.push(Entry {
            text: part,
            before,
            rule: OnceLock::new(),
        });
    }

    /// All rules.
    pub(super) fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.entries.iter().filter_map(Entry::rule)
    }

    /// The rules that can be about a program; none, when its name is not known.
    pub(super) fn about(&self, program: Option<&str>) -> impl Iterator<Item = &Rule> {
        let any = program.and(Some(&self.about_any)).into_iter().flatten();
        let program = program.unwrap_or_default();
        let start = self.by_program.partition_point(|(name, _)| *name < program);
        let named = self.by_program.get(start..).unwrap_or_default();
        let named = named.iter().take_while(move |(name, _)| *name == program);
        let places = named.map(|(_, place)| *place);
        let mut places: Vec<usize> = places.chain(any.copied()).collect();
        places.sort_unstable();
        places.dedup();
        let entries = places
            .into_iter()
            .filter_map(|place| self.entries.get(place));
        entries.filter_map(Entry::rule)
    }
}

/// The programs that the text of a rule names: the first item of `command`.
fn programs(part: &'static str) -> impl Iterator<Item = &'static str> {
    let line = part
        .lines()
        .find_map(|line| line.strip_prefix("command = ["));
    let line = line.unwrap_or_default();
    let first = match line.strip_prefix('[') {
        Some(names) => names.split(']').next().unwrap_or_default(),
        None => line
            .split(',')
            .next()
            .unwrap_or_default()
            .trim_end_matches(']'),
    };
    first.split(", ").map(|name| name.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_found_by_the_programs_it_names() {
        let shipped = Shipped::new(BUILTIN_RULES);
        assert_eq!(
            BUILTIN_RULES.matches("\n[[rule]]\n").count(),
            shipped.rules().count()
        );
        for entry in &shipped.entries {
            let rule = entry.rule().unwrap();
            let named: Vec<&str> = programs(entry.text).collect();
            let any = named.iter().any(|name| name.contains('*'));
            match rule.programs() {
                Some(names) => assert_eq!(named, names),
                None => assert!(any, "{}", rule.id),
            }
            let line = BUILTIN_RULES.lines().nth(rule.line - 1).unwrap();
            assert_eq!(line, "[[rule]]", "{}", rule.id);
        }
    }
}
