//! Runs the decision tables in `tests/cases` against the validator.

use bashful_policy::CommandValidator;

use crate::support::table;

use table::command;

/// The lines of a table without comments.
fn lines(table: &str) -> impl Iterator<Item = &str> {
    table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

#[test]
fn dangerous_commands_are_refused_by_the_right_rule() {
    let validator = CommandValidator::default();
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in lines(include_str!("../cases/refused.txt")) {
        let (rule, text) = line.split_once('\t').expect("a rule, a tab, a command");
        let decision = validator.check(&command(text));
        let found = decision.as_ref().map(|decision| decision.rule.as_str());
        if found != Some(rule) {
            wrong.push(format!("{text}: expected {rule}, found {found:?}"));
        }
        if let Some(decision) = decision {
            let explained = decision.fact.is_some() && decision.capability.is_some();
            assert!(
                explained && decision.suggestion.is_some(),
                "{text}: {decision:?}"
            );
            let (start, end) = decision.span.expect("a place in the command");
            assert!(
                command(text)
                    .get(start..end)
                    .is_some_and(|part| !part.is_empty()),
                "{text}: {start}..{end}"
            );
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 150, "only {count} cases");
}

#[test]
fn ordinary_commands_pass() {
    let validator = CommandValidator::default();
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in lines(include_str!("../cases/passed.txt")) {
        if let Some(decision) = validator.check(&command(line)) {
            wrong.push(format!("{line}: {} ({:?})", decision.rule, decision.fact));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 150, "only {count} cases");
}
