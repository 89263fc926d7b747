//! The shipped rules. Each is read when the first call of one of its programs is judged: a command
//! meets few of them, and reading all would cost more than the rest of a decision.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::glob;
use crate::rule::{Rule, read_shipped};

/// The text of the shipped rules.
pub const BUILTIN_RULES: &str = include_str!("../builtin.toml");

/// A number that changes when the shipped rules do.
pub const BUILTIN_RULES_VERSION: u64 = {
    // FNV-1a, which is simple enough for the compiler to do.
    let bytes = BUILTIN_RULES.as_bytes();
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
};

/// What begins a rule.
const MARK: &str = "\n[[rule]]\n";

/// The shipped rules, found by the names of programs. Putting this together is part of every
/// process that judges a command, so it reads the text once and sorts nothing.
#[derive(Debug)]
pub(super) struct Shipped {
    entries: Vec<Entry>,
    /// For each name of a program the last of its links.
    by_program: HashMap<&'static str, usize>,
    /// The place of a rule, and the link before it.
    links: Vec<(usize, Option<usize>)>,
    /// Patterns for names of programs with the places of their rules.
    about_any: Vec<(&'static str, usize)>,
}

/// One rule as text.
#[derive(Debug)]
struct Entry {
    text: &'static str,
    /// Where it begins.
    start: usize,
    rule: OnceLock<Option<Rule>>,
}

impl Entry {
    /// The rule. That all of them can be read is what a test checks.
    fn rule(&self) -> Option<&Rule> {
        let read = || {
            let above = BUILTIN_RULES.get(..self.start).unwrap_or_default();
            let before = above.lines().count();
            read_shipped(self.text, "builtin.toml", before)
        };
        self.rule.get_or_init(read).as_ref()
    }
}

impl Shipped {
    pub(super) fn get() -> &'static Self {
        static SHIPPED: OnceLock<Shipped> = OnceLock::new();
        SHIPPED.get_or_init(Self::new)
    }

    fn new() -> Self {
        let mut shipped = Self {
            entries: Vec::with_capacity(128),
            by_program: HashMap::with_capacity(1024),
            links: Vec::with_capacity(1024),
            about_any: Vec::new(),
        };
        // What stands above the first rule is for people.
        let mut rest = BUILTIN_RULES
            .find(MARK)
            .map_or("", |at| from(BUILTIN_RULES, at));
        while !rest.is_empty() {
            // The mark itself belongs to the rule, but for the line's end before it.
            let rule = from(rest, 1);
            let end = rule.find(MARK).unwrap_or(rule.len());
            let (part, after) = rule.split_at_checked(end).unwrap_or((rule, ""));
            shipped.add(part, BUILTIN_RULES.len() - rule.len());
            rest = after;
        }
        shipped
    }

    fn add(&mut self, part: &'static str, start: usize) {
        let place = self.entries.len();
        for name in programs(part) {
            let name = name.rsplit('/').next().unwrap_or_default();
            if name.contains('*') {
                self.about_any.push((name, place));
            } else {
                let before = self.by_program.insert(name, self.links.len());
                self.links.push((place, before));
            }
        }
        self.entries.push(Entry {
            text: part,
            start,
            rule: OnceLock::new(),
        });
    }

    /// All rules.
    pub(super) fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.entries.iter().filter_map(Entry::rule)
    }

    /// The rules that can be about a program; none, when its name is not known.
    pub(super) fn about(&self, program: Option<&str>) -> impl Iterator<Item = &Rule> {
        let program = program.unwrap_or_default();
        let mut places: Vec<usize> = Vec::new();
        let mut next = self.by_program.get(program).copied();
        while let Some((place, before)) = next.and_then(|link| self.links.get(link)) {
            places.push(*place);
            next = *before;
        }
        let fits = |(pattern, _): &&(&str, usize)| glob::matches_token(pattern, program);
        let fitting = self.about_any.iter().filter(fits);
        places.extend(fitting.map(|(_, place)| *place));
        places.sort_unstable();
        places.dedup();
        let entries = places
            .into_iter()
            .filter_map(|place| self.entries.get(place));
        entries.filter_map(Entry::rule)
    }
}

fn from(text: &'static str, at: usize) -> &'static str {
    text.split_at_checked(at).map_or("", |(_, rest)| rest)
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
        let shipped = Shipped::new();
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
