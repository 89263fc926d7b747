//! The examples of a rule, checked against the rule alone.

use super::{Fit, Rule, RuleErrorKind};
use crate::context::Context;
use crate::facts::Facts;
use crate::read::read;

/// What is wrong with the examples of a rule.
pub(super) fn check(rule: &Rule) -> Vec<RuleErrorKind> {
    let context = Context {
        directory: Some("/project".to_owned()),
        workspace: Some("/project".to_owned()),
        write_roots: vec!["/project".to_owned()],
        home: Some("/home/user".to_owned()),
        ..Context::default()
    };
    let best = |example: &String| fit(rule, &read(example, &context), &context);
    let missed = rule
        .examples
        .iter()
        .filter(|example| best(example) != Fit::Yes)
        .map(|example| RuleErrorKind::ExampleMissed(example.clone()));
    let matched = rule
        .counterexamples
        .iter()
        .filter(|example| best(example) != Fit::No)
        .map(|example| RuleErrorKind::ExampleMatched(example.clone()));
    missed.chain(matched).collect()
}

/// How surely a rule matches one of the calls of a text.
fn fit(rule: &Rule, facts: &Facts, context: &Context) -> Fit {
    let fits = facts
        .calls
        .iter()
        .map(|call| rule.fit(facts, call, context));
    fits.max().unwrap_or(Fit::No)
}
