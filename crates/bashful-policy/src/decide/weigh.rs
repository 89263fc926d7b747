//! Weighing: which of the findings about one call decides about it.

use std::borrow::Cow;

use super::builder::DecisionBuilder;
use crate::decision::{Effect, Layer};
use crate::facts::Call;
use crate::finding::{Finding, Standing};
use crate::ruleset::RuleHit;

impl DecisionBuilder<'_> {
    /// The one finding that decides about a call.
    pub(super) fn weigh(&self, call: &Call, hits: Vec<RuleHit>, known: Vec<Finding>) -> Finding {
        let (shipped, mut configured): (Vec<RuleHit>, Vec<RuleHit>) = hits
            .into_iter()
            .partition(|hit| hit.finding.layer == Layer::Builtin);
        // Which of several rules is named does not depend on their order either.
        configured.sort_by(|one, other| one.finding.rule.cmp(&other.finding.rule));
        // What opens a refusal speaks for the whole call.
        let mut opened: Option<Finding> = None;
        let mut allowed: Option<Finding> = None;
        let mut asked: Option<Finding> = None;
        let mut granted: Option<Finding> = None;
        // The person who said yes to a shape did not see the words that its end leaves open: a
        // call whose words have the program run or write other things is asked about all the same.
        let sinks = known.iter().any(|finding| finding.effect == Effect::Ask);
        for hit in configured {
            let finding = hit.finding;
            match finding.effect {
                Effect::Deny if self.holds(finding.capability.as_deref(), Some(call)) => {
                    opened.get_or_insert(finding);
                }
                Effect::Deny => return finding,
                Effect::Ask if self.holds(finding.capability.as_deref(), Some(call)) => {}
                Effect::Ask => {
                    asked.get_or_insert(finding);
                }
                Effect::Allow if hit.grant => {
                    if !(hit.open && sinks) {
                        granted.get_or_insert(finding);
                    }
                }
                Effect::Allow => {
                    allowed.get_or_insert(finding);
                }
            }
        }
        let shipped = shipped.into_iter().map(|hit| hit.finding);
        let known: Vec<Finding> = known.into_iter().chain(shipped).collect();
        let mut refused: Vec<&Finding> = Vec::new();
        for finding in &known {
            if finding.effect == Effect::Deny {
                if self.holds(finding.capability.as_deref(), Some(call)) {
                    opened.get_or_insert_with(|| finding.clone());
                } else if self.asks_about(finding) {
                    refused.push(finding);
                } else {
                    return finding.clone();
                }
            }
        }
        // A class says more about it than where it writes.
        let by_class = refused.iter().find(|one| one.directories.is_empty());
        if let Some(named) = by_class.or(refused.first()) {
            // What opens it speaks for the whole call, so it opens also what the rest needs.
            let mut rest = known.iter().filter(|other| other.effect == Effect::Ask);
            let needs = rest.find_map(|other| other.needs.clone());
            let directories = refused.iter().flat_map(|one| one.directories.clone());
            return Finding {
                needs,
                directories: directories.collect(),
                ..as_asked((*named).clone())
            };
        }
        if let Some(granted) = granted {
            return granted;
        }
        if let Some(asked) = asked {
            return asked;
        }
        if let Some(allowed) = allowed {
            return allowed;
        }
        if let Some(opened) = opened {
            return open(opened);
        }
        self.weigh_shipped(call, known)
    }

    /// What the shipped rules and tables say when no configured rule and no grant said anything.
    fn weigh_shipped(&self, call: &Call, known: Vec<Finding>) -> Finding {
        let mut opened = None;
        let mut unknown = None;
        let mut allowed = None;
        for finding in known {
            match (finding.effect, finding.standing) {
                (Effect::Ask, _) if self.holds(finding.capability.as_deref(), Some(call)) => {
                    opened.get_or_insert(finding);
                }
                (Effect::Ask, Standing::Rule) => return finding,
                (Effect::Ask, Standing::Unknown) => {
                    unknown.get_or_insert(finding);
                }
                (Effect::Allow, _) => {
                    allowed.get_or_insert(finding);
                }
                (Effect::Deny, _) => {}
            }
        }
        if let Some(unknown) = unknown {
            return unknown;
        }
        if let Some(opened) = opened {
            return open(opened);
        }
        if let Some(allowed) = allowed {
            return allowed;
        }
        if call.transparent {
            return about_call(
                call,
                Effect::Allow,
                "wrapper",
                "only starts what is judged by itself",
            );
        }
        let name = call.program();
        let reason = if name.is_empty() {
            "is known only when it runs".to_owned()
        } else {
            format!("no rule knows what `{name}` does here")
        };
        Finding {
            reason: Cow::Owned(reason),
            standing: Standing::Unknown,
            ..about_call(call, Effect::Ask, "unknown-command", "")
        }
    }
}

/// A refusal or ask whose capability is held.
pub(super) fn open(finding: Finding) -> Finding {
    let capability = finding.capability.as_deref().unwrap_or_default();
    Finding {
        reason: Cow::Owned(format!("{}, which `{capability}` permits", finding.reason)),
        effect: Effect::Allow,
        standing: Standing::Rule,
        advice: None,
        ..finding
    }
}

/// A refusal that a person is asked about.
pub(super) fn as_asked(finding: Finding) -> Finding {
    Finding {
        effect: Effect::Ask,
        ..finding
    }
}

fn about_call(call: &Call, effect: Effect, rule: &'static str, reason: &'static str) -> Finding {
    Finding {
        needs: None,
        directories: Vec::new(),
        effect,
        standing: Standing::Rule,
        rule: Cow::Borrowed(rule),
        layer: Layer::Builtin,
        reason: Cow::Borrowed(reason),
        advice: None,
        capability: None,
        fact: call.line().chars().take(200).collect(),
        span: call.span,
    }
}
