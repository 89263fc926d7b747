//! The shipped rules. Each is read when the first call of one of its programs is judged: a command
//! meets few of them, and reading all would cost more than the rest of a decision.

use std::sync::OnceLock;

use crate::glob;
use crate::rule::{Rule, read_shipped};

mod index;

use index::Index;

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

static INDEX: Index = Index::of(BUILTIN_RULES.as_bytes());

/// The rules that were read so far.
static READ: [OnceLock<Option<Rule>>; INDEX_LENGTH] = [const { OnceLock::new() }; INDEX_LENGTH];
const INDEX_LENGTH: usize = Index::of(BUILTIN_RULES.as_bytes()).len();

/// All shipped rules, each read now if it was not yet.
pub(super) fn rules<'r>() -> impl Iterator<Item = &'r Rule> {
    (0..INDEX.len()).filter_map(rule)
}

/// The rules that can be about a program; none, when its name is not known.
pub(super) fn about<'r>(program: Option<&str>) -> impl Iterator<Item = &'r Rule> + use<'r> {
    let program = program.unwrap_or_default();
    let named = INDEX.named(BUILTIN_RULES, program);
    let named = named.filter(|(name, _)| *name == program);
    let fitting = INDEX.patterns(BUILTIN_RULES);
    let fitting = fitting.filter(|(pattern, _)| glob::matches_token(pattern, program));
    let mut places: Vec<usize> = named.chain(fitting).map(|(_, place)| place).collect();
    places.sort_unstable();
    places.dedup();
    places.into_iter().filter_map(rule)
}

/// One rule, read now if it was not yet. A test checks that all of them can be read.
fn rule<'r>(number: usize) -> Option<&'r Rule> {
    let read = || {
        let place = INDEX.place(number)?;
        let above = BUILTIN_RULES.get(..place.start).unwrap_or_default();
        let before = above.lines().count();
        read_shipped(BUILTIN_RULES.get(place)?, "builtin.toml", before)
    };
    READ.get(number)?.get_or_init(read).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_found_by_the_programs_it_names() {
        let marks = BUILTIN_RULES.matches("\n[[rule]]\n").count();
        assert_eq!(marks, rules().count());
        assert_eq!(marks, INDEX_LENGTH);
        for rule in rules() {
            let line = BUILTIN_RULES.lines().nth(rule.line - 1).unwrap();
            assert_eq!(line, "[[rule]]", "{}", rule.id);
            let is_found = |name: &str| about(Some(name)).any(|found| found.id == rule.id);
            if let Some(names) = rule.programs() {
                for name in names {
                    let name = name.rsplit('/').next().unwrap();
                    assert!(is_found(name), "{}: {name}", rule.id);
                }
            } else {
                let mut patterns = INDEX.patterns(BUILTIN_RULES);
                let own = |place| super::rule(place).is_some_and(|found| found.id == rule.id);
                assert!(patterns.any(|(_, place)| own(place)), "{}", rule.id);
            }
        }
    }

    #[test]
    fn a_program_without_a_name_has_only_rules_about_any() {
        assert_eq!(about(None).count(), about(Some("")).count());
        assert!(about(Some("make")).any(|rule| rule.id == "make"));
        assert!(!about(Some("nothing-of-ours")).any(|rule| rule.id == "make"));
    }
}
