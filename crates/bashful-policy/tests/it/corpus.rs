//! The case set: commands with the decision that a good engine gives.

use crate::support::context;

use std::collections::BTreeMap;

use bashful_policy::{Context, Effect, Policy, judge};
use serde_json::Value;

use context::context;

/// One command and what is expected of it.
struct Case {
    id: String,
    command: String,
    expect: Effect,
    class: String,
    why: String,
    /// The capability that opens it.
    capability: Option<String>,
}

#[test]
fn careful_decides_as_expected() {
    let cases = cases();
    let mut table: BTreeMap<&str, Row> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in &cases {
        let (found, rule) = decided(case, &Policy::careful(), &context());
        table
            .entry(&case.class)
            .or_default()
            .count(case.expect, found);
        if found != case.expect {
            let Case {
                id, expect, why, ..
            } = case;
            let command = &case.command;
            wrong.push(format!(
                "{id}: {found} ({rule}), expected {expect}: {command:?}: {why}"
            ));
        }
    }
    eprintln!(
        "{:20} cases exact false-allow weak strict annoying",
        "class"
    );
    let mut all = Row::default();
    for (class, row) in &table {
        eprintln!("{class:20} {row}");
        all.add(row);
    }
    eprintln!("{:20} {all}", "all");
    for line in &wrong {
        eprintln!("{line}");
    }
    let benign = cases.iter().filter(|case| case.expect == Effect::Allow);
    let benign = benign.count();
    assert_eq!(all.false_allow, 0, "allowed what is to be asked or denied");
    assert!(
        all.annoying * 100 <= benign * 3,
        "{} of {benign} ordinary commands do not pass",
        all.annoying
    );
    assert!(
        all.exact * 100 >= all.cases * 95,
        "{} of {} are exact",
        all.exact,
        all.cases
    );
}

#[test]
fn confined_allows_nothing_that_is_denied() {
    let cases = cases();
    let denied = cases.iter().filter(|case| case.expect == Effect::Deny);
    let allowed: Vec<&str> = denied
        .filter(|case| decided(case, &Policy::confined(), &enforced()).0 == Effect::Allow)
        .map(|case| case.command.as_str())
        .collect();
    assert!(allowed.is_empty(), "{}", allowed.join("\n"));
}

#[test]
fn a_held_capability_opens_what_it_names() {
    let (mut opened, mut count) = (0, 0);
    for case in cases() {
        // A capability opens a refusal; what is asked can have further reasons.
        let Some(capability) = case
            .capability
            .as_ref()
            .filter(|_| case.expect == Effect::Deny)
        else {
            continue;
        };
        let holding = Context {
            classes: vec![capability.clone()],
            ..context()
        };
        let (found, rule) = decided(&case, &Policy::careful(), &holding);
        count += 1;
        if found == Effect::Allow {
            opened += 1;
        } else {
            let (id, command) = (&case.id, &case.command);
            eprintln!("{id}: {found} ({rule}) with {capability}: {command:?}");
        }
    }
    eprintln!("{opened} of {count} are opened by their capability");
    assert!(count >= 50, "only {count} cases name a capability");
    assert!(opened * 100 >= count * 95, "{opened} of {count}");
}

/// What was decided about the cases of one class.
#[derive(Default)]
struct Row {
    cases: usize,
    exact: usize,
    /// Allowed, though it is to be asked or denied.
    false_allow: usize,
    /// Asked, though it is to be denied.
    weak: usize,
    /// Denied, though asking is enough.
    strict: usize,
    /// Not allowed, though it is harmless.
    annoying: usize,
}

impl Row {
    fn count(&mut self, expect: Effect, found: Effect) {
        self.cases += 1;
        *match (expect, found) {
            (expect, found) if expect == found => &mut self.exact,
            (Effect::Allow, _) => &mut self.annoying,
            (_, Effect::Allow) => &mut self.false_allow,
            (_, Effect::Ask) => &mut self.weak,
            (_, Effect::Deny) => &mut self.strict,
        } += 1;
    }

    fn add(&mut self, other: &Self) {
        self.cases += other.cases;
        self.exact += other.exact;
        self.false_allow += other.false_allow;
        self.weak += other.weak;
        self.strict += other.strict;
        self.annoying += other.annoying;
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { cases, exact, .. } = self;
        write!(formatter, "{cases:5} {exact:5} {:11}", self.false_allow)?;
        write!(formatter, " {:4} {:6}", self.weak, self.strict)?;
        write!(formatter, " {:8}", self.annoying)
    }
}

/// The same while the kernel holds files and network.
fn enforced() -> Context {
    Context {
        enforced: true,
        ..context()
    }
}

/// The effect and the rule that decided.
fn decided(case: &Case, policy: &Policy, context: &Context) -> (Effect, String) {
    let judgement = judge(&case.command, policy, context);
    (judgement.decision.effect, judgement.decision.rule)
}

#[expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a malformed case fails the test"
)]
fn cases() -> Vec<Case> {
    let lines = include_str!("../cases/policy-cases.jsonl").lines();
    let cases: Vec<Case> = lines
        .map(|line| {
            let value: Value = serde_json::from_str(line).unwrap();
            let field = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
            Case {
                id: field("id").unwrap(),
                command: field("cmd").unwrap(),
                expect: match field("expect").as_deref() {
                    Some("allow") => Effect::Allow,
                    Some("ask") => Effect::Ask,
                    Some("deny") => Effect::Deny,
                    other => panic!("{line}: {other:?}"),
                },
                class: field("class").unwrap(),
                why: field("why").unwrap(),
                capability: field("cap"),
            }
        })
        .collect();
    assert!(cases.len() >= 300, "only {} cases", cases.len());
    cases
}
