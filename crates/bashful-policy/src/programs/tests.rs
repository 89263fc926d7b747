//! Whole texts, read and judged call by call.

use crate::context::testing::in_project;
use crate::decision::Effect;
use crate::finding::Finding;
use crate::read::read;

use super::judge;

/// The findings about all calls of a text; none for a call that no table knows.
fn findings(text: &str) -> Vec<(String, Option<Finding>)> {
    let context = in_project();
    let facts = read(text, &context);
    (0..facts.calls.len())
        .map(|index| (facts.calls[index].line(), judge(&facts, index, &context)))
        .collect()
}

/// Whether every call is allowed and nothing is unknown. A text without calls does not pass: it
/// says nothing about programs.
fn passes(text: &str) -> bool {
    if !read(text, &in_project()).unknowns.is_empty() {
        return false;
    }
    let findings = findings(text);
    let allowed = |finding: &Option<Finding>| {
        finding
            .as_ref()
            .is_some_and(|finding| finding.effect == Effect::Allow)
    };
    !findings.is_empty() && findings.iter().all(|(_, finding)| allowed(finding))
}

/// The lines of a table, without comments and empty ones.
fn lines(table: &str) -> impl Iterator<Item = &str> {
    table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("# "))
}

#[test]
fn what_is_known_to_be_harmless_passes() {
    let table = include_str!("tests/allowed.txt");
    assert!(lines(table).count() >= 250);
    let stopped: Vec<&str> = lines(table).filter(|line| !passes(line)).collect();
    assert!(stopped.is_empty(), "{stopped:#?}");
}

#[test]
fn everything_else_does_not() {
    let table = include_str!("tests/not-allowed.txt");
    assert!(lines(table).count() >= 250);
    let passed: Vec<&str> = lines(table).filter(|line| passes(line)).collect();
    assert!(passed.is_empty(), "{passed:#?}");
}

/// Each line is a rule, a blank and a text.
#[test]
fn rules_are_named() {
    for line in lines(include_str!("tests/rules.txt")) {
        let (rule, text) = line.split_once(' ').unwrap_or_default();
        let findings = findings(text);
        let named = |finding: &Finding| finding.rule == rule;
        assert!(
            findings
                .iter()
                .any(|(_, finding)| finding.as_ref().is_some_and(named)),
            "{line}: {findings:#?}"
        );
    }
}

#[test]
fn statements_go_on_in_the_next_line() {
    let texts = [
        "awk '{print \"a\",\n \"b\" > out}' f",
        "sed '/x/{e id\n}' f",
        "sed 'a\\\n' -e 'e id' f",
        "sed -e 'a\\' -e 'e id' f",
        "sed -n 'p\ne id' f",
        "ls\npython3 -c 1",
    ];
    let passed: Vec<&str> = texts.into_iter().filter(|text| passes(text)).collect();
    assert!(passed.is_empty(), "{passed:#?}");
    assert!(passes("awk '{print $1,\n $2}' f") && passes("sed 'a\\\ne id' f"));
}
