//! The rules of all layers.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::context::Context;
use crate::decision::{Effect, Layer};
use crate::facts::{Argument, Call, Facts};
use crate::finding::{Finding, Standing};
use crate::rule::{Fit, Rule, RuleEffect};

mod lint;
mod shipped;
#[cfg(test)]
mod tests;

pub use lint::{Lint, lint};
pub use shipped::{BUILTIN_RULES, BUILTIN_RULES_VERSION};

/// The rules of all layers. The order inside a layer does not matter.
///
/// Any deny wins over everything. What a rule of the administrator, the user, the project or the
/// session asks, only a grant covers; what a shipped rule asks, an allow rule covers as well. A
/// project only narrows: its allow rules do not count.
#[derive(Debug, Clone, Default)]
pub struct Ruleset {
    /// Whether the shipped rules count.
    builtin: bool,
    own: Arc<Indexed>,
    narrowed: Vec<String>,
}

/// What one rule says about one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleHit {
    pub(crate) finding: Finding,
    /// Whether a person gave this rule as an answer, so that it covers asks of every layer.
    pub(crate) grant: bool,
    /// Whether its shape leaves the last words open.
    pub(crate) open: bool,
}

/// Rules that are found by the name of a program.
#[derive(Debug, Clone, Default)]
struct Indexed {
    rules: Vec<Rule>,
    by_program: HashMap<String, Vec<usize>>,
    /// Rules that can be about any program.
    about_any: Vec<usize>,
}

impl Ruleset {
    /// The shipped rules.
    pub fn builtin() -> Self {
        Self {
            builtin: true,
            ..Self::default()
        }
    }

    /// No rules at all.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Adds the rules of a layer. What a project would allow is left out and remembered.
    #[must_use]
    pub fn with(mut self, layer: Layer, rules: impl IntoIterator<Item = Rule>) -> Self {
        let mut own = Arc::unwrap_or_clone(self.own);
        for mut rule in rules {
            rule.layer = layer;
            if layer == Layer::Project && rule.effect == RuleEffect::Allow {
                self.narrowed.push(rule.id);
            } else {
                own.add(rule);
            }
        }
        self.own = Arc::new(own);
        self
    }

    /// The ids of rules that do not count because a project cannot allow anything.
    pub fn narrowed(&self) -> &[String] {
        &self.narrowed
    }

    /// All rules that count.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        let shipped = self.builtin.then(shipped::rules).into_iter().flatten();
        shipped.chain(&self.own.rules)
    }

    /// Whether a configured rule restricts anything.
    pub(crate) fn restricts(&self) -> bool {
        let own = self.own.rules.iter();
        own.filter(|rule| !rule.grant)
            .any(|rule| rule.effect != RuleEffect::Allow)
    }

    /// What the rules say about one call: a hit for each that matches.
    pub(crate) fn judge(&self, facts: &Facts, call: &Call, context: &Context) -> Vec<RuleHit> {
        let literal = call.arguments.first().is_some_and(Argument::is_literal);
        let program = literal.then_some(call.program());
        // That an unknown name could be any program's is said elsewhere.
        let shipped = self.builtin.then(|| shipped::about(program));
        let shipped = shipped.into_iter().flatten();
        let own = self.own.about(program);
        let rules = shipped.chain(own);
        rules
            .filter_map(|rule| hit(rule, facts, call, context))
            .collect()
    }
}

impl Indexed {
    fn add(&mut self, rule: Rule) {
        let index = self.rules.len();
        match rule.programs() {
            Some(names) => {
                for name in names {
                    let name = name.rsplit('/').next().unwrap_or_default();
                    self.by_program
                        .entry(name.to_owned())
                        .or_default()
                        .push(index);
                }
            }
            None => self.about_any.push(index),
        }
        self.rules.push(rule);
    }

    /// The rules that can be about a program; all, when its name is not known.
    fn about(&self, program: Option<&str>) -> impl Iterator<Item = &Rule> {
        let listed = program.and_then(|program| self.by_program.get(program));
        let every = program.is_none();
        let some = listed.into_iter().flatten().chain(&self.about_any);
        let some = some.filter_map(|index| self.rules.get(*index));
        let all = self.rules.iter().filter(move |_| every);
        some.filter(move |_| !every).chain(all)
    }
}

fn hit(rule: &Rule, facts: &Facts, call: &Call, context: &Context) -> Option<RuleHit> {
    let fit = rule.fit(facts, call, context);
    if fit == Fit::No {
        return None;
    }
    let (effect, standing, reason) = if fit == Fit::Yes {
        (rule.effect.effect(), Standing::Rule, rule.reason.clone())
    } else {
        let verb = match rule.effect {
            RuleEffect::Refuse => "refuses",
            RuleEffect::Deny => "denies",
            RuleEffect::Ask | RuleEffect::Allow => "asks about",
        };
        // Where the kernel holds the network, no person needs to be asked whether a command reaches
        // it, nor whether one of its words is one that a rule looks for everywhere.
        let vague = rule.capability.is_some() || rule.looks_everywhere();
        let held = rule.effect == RuleEffect::Ask && vague;
        let standing = if rule.layer == Layer::Builtin && held {
            Standing::Unknown
        } else {
            Standing::Rule
        };
        let reason = format!("could be what rule `{}` {verb}", rule.id);
        (Effect::Ask, standing, reason)
    };
    Some(RuleHit {
        finding: Finding {
            directories: Vec::new(),
            effect,
            standing,
            rule: Cow::Owned(rule.id.clone()),
            layer: rule.layer,
            reason: Cow::Owned(reason),
            advice: rule.advice.clone().map(Cow::Owned),
            // Nothing opens a deny, whatever its rule names.
            capability: rule
                .capability
                .clone()
                .filter(|_| rule.effect != RuleEffect::Deny)
                .map(Cow::Owned),
            needs: rule.needs.clone().map(Cow::Owned),
            fact: call.line(),
            span: call.span,
        },
        grant: rule.grant,
        open: rule.is_open(),
    })
}
