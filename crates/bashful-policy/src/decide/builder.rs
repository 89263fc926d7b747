//! Builds a decision: every part of a text is judged, and the strictest finding decides.

use std::borrow::Cow;

use super::held::is_held;
use super::weigh::{as_asked, open};
use super::{Judgement, Otherwise, Policy, decision_of};
use crate::classes::Class;
use crate::context::{Context, LocalRepositories, Reading};
use crate::decision::{Decision, Effect, Layer};
use crate::facts::{Call, Facts, Place, UnknownKind};
use crate::finding::{Finding, Standing};
use crate::reach::{self, Loopback};
use crate::rule::Rule;
use crate::ruleset::RuleHit;
use crate::suggest::{Suggestion, suggest};
use crate::{classes, programs, writes};

/// What has been found about the parts of one text, until the strictest finding decides.
pub(super) struct DecisionBuilder<'f> {
    facts: &'f Facts,
    policy: &'f Policy,
    context: &'f Context,
    /// For each call, the refusals of its classes.
    refused: Vec<Vec<Finding>>,
    findings: Vec<Finding>,
    /// The strictest so far: its index among the findings, and the call it is about.
    strictest: Option<(usize, Option<usize>)>,
    /// A configured rule restricts some command, so what is not known could be just that.
    restricted: bool,
    fell_back: bool,
}

impl<'f> DecisionBuilder<'f> {
    pub(super) fn new(facts: &'f Facts, policy: &'f Policy, context: &'f Context) -> Self {
        Self {
            facts,
            policy,
            context,
            refused: vec![Vec::new(); facts.calls.len()],
            findings: Vec::new(),
            strictest: None,
            restricted: policy.rules.restricts(),
            fell_back: false,
        }
    }

    /// Whether the capability that would open a refusal is held; `call` is what wants it.
    pub(super) fn holds(&self, capability: Option<&str>, call: Option<&Call>) -> bool {
        match capability {
            None => false,
            Some("network") if call.is_some_and(|call| self.stays_here(call)) => true,
            Some("network") => {
                let own = if self.context.enforced {
                    Loopback::Private
                } else {
                    Loopback::Shared
                };
                reach::permits(&self.context.network, call, own)
            }
            Some(class) => self.context.classes.iter().any(|held| held == class),
        }
    }

    /// Whether a call of git talks only to repositories of this machine, which it reaches.
    fn stays_here(&self, call: &Call) -> bool {
        let known = self.context.repositories.get(&call.span);
        known == Some(&LocalRepositories::Open)
    }

    /// Says of a call of git which repositories of this machine it wants, where it would be asked
    /// about as one that reaches a server. No network would help it.
    fn name_repositories(&self, call: &Call, hits: &mut [RuleHit]) {
        let known = self.context.repositories.get(&call.span);
        let Some(LocalRepositories::Closed(done)) = known else {
            return;
        };
        for hit in hits {
            let finding = &mut hit.finding;
            if finding.layer == Layer::Builtin && GIT_RULES.contains(&finding.rule.as_ref()) {
                finding.reason = Cow::Owned(done.clone());
                finding.capability = None;
                finding.needs = None;
                finding.advice = None;
            }
        }
    }

    /// Whether this profile asks about what a class refuses. A script is approved as a whole, so
    /// what it is refused is never asked about by itself.
    pub(super) fn asks_about(&self, finding: &Finding) -> bool {
        finding.effect == Effect::Deny
            && finding.layer == Layer::Builtin
            && self.context.reading == Reading::Command
            && finding.capability.as_deref() == Some(finding.rule.as_ref())
            && self.policy.asks.iter().any(|class| {
                // A yes that opens no directory would not let it write.
                let helps = *class != Class::WriteOutsideRoots || !finding.directories.is_empty();
                class.as_str() == finding.rule && helps
            })
    }

    /// Sorts the refusals of classes by the call they are about.
    pub(super) fn refusals(&mut self) {
        let mut context = Cow::Borrowed(self.context);
        if self.policy.unknown != Otherwise::Confined && context.enforced {
            // What the sandbox holds is no reason for this profile to ask less.
            context.to_mut().enforced = false;
        }
        for (call, finding) in classes::check(self.facts, &context) {
            match call.and_then(|call| self.refused.get_mut(call)) {
                Some(refused) => refused.push(finding),
                None => self.parts(vec![finding]),
            }
        }
    }

    /// Judges one call by everything that is known about it.
    pub(super) fn call(&mut self, index: usize) {
        let Some(call) = self.facts.calls.get(index) else {
            return;
        };
        let mut hits = self.policy.rules.judge(self.facts, call, self.context);
        self.name_repositories(call, &mut hits);
        let mut known = self
            .refused
            .get_mut(index)
            .map(std::mem::take)
            .unwrap_or_default();
        known.extend(writes::judge(self.facts, index, self.context));
        known.extend(programs::judge(self.facts, index, self.context));
        if self.policy.unknown == Otherwise::Confined {
            let holds = |finding: &Finding| is_held(call, &finding.rule, self.context);
            known.retain(|finding| !holds(finding));
            hits.retain(|hit| hit.finding.layer != Layer::Builtin || !holds(&hit.finding));
        }
        let mut verdict = self.weigh(call, hits, known);
        if verdict.effect == Effect::Deny && verdict.layer == Layer::Builtin && is_uncertain(call) {
            // It may never run, or be another program when it does: a person can tell.
            verdict.effect = Effect::Ask;
        }
        if self.context.enforced && verdict.effect == Effect::Deny {
            self.say_what_helps(&mut verdict);
        }
        self.add(verdict, Some(index));
    }

    /// Names no class for what the sandbox refuses also to a run that holds it.
    fn say_what_helps(&self, verdict: &mut Finding) {
        // What a script declares is looked at when it is approved.
        let is_builtin =
            verdict.layer == Layer::Builtin && self.context.reading == Reading::Command;
        match verdict.rule.as_ref() {
            "system-change" if is_builtin => {
                verdict.capability = None;
                verdict.advice = Some(Cow::Borrowed(
                    "tell the person what is needed: the sandbox lets no command change the system, \
                     and what goes into the workspace or the home needs no more rights",
                ));
            }
            rule if is_builtin && rule == Class::Sudo.as_str() => verdict.capability = None,
            _ => {}
        }
    }

    /// Judges parts that are no calls.
    pub(super) fn parts(&mut self, findings: Vec<Finding>) {
        for finding in findings {
            let held = self.holds(finding.capability.as_deref(), None);
            let finding = if held {
                open(finding)
            } else if self.asks_about(&finding) {
                as_asked(finding)
            } else {
                finding
            };
            self.add(finding, None);
        }
    }

    /// Adds a finding, with what the profile says about what no rule knows.
    fn add(&mut self, mut finding: Finding, call: Option<usize>) {
        if finding.effect == Effect::Ask && finding.standing == Standing::Unknown {
            match self.policy.unknown {
                Otherwise::Ask => {}
                Otherwise::Deny => finding.effect = Effect::Deny,
                // What cannot be read can be anything, wherever it runs.
                Otherwise::Confined if finding.rule == UnknownKind::Syntax.as_str() => {}
                Otherwise::Confined if !self.context.enforced => self.fell_back = true,
                Otherwise::Confined if self.restricted && is_opaque(&finding) => {}
                Otherwise::Confined => {
                    finding.effect = Effect::Allow;
                    finding.advice = None;
                    finding.reason =
                        Cow::Owned(format!("{}; the sandbox holds it", finding.reason));
                }
            }
        }
        let stricter = |found: &[Finding], index: usize| {
            found
                .get(index)
                .is_none_or(|before| finding.effect > before.effect)
        };
        let index = self.findings.len();
        if self
            .strictest
            .is_none_or(|(before, _)| stricter(&self.findings, before))
        {
            self.strictest = Some((index, call));
        }
        self.findings.push(finding);
    }

    /// The shape for which a yes could be remembered, if that yes would be enough next time.
    fn remember(&self, call: &Call) -> Option<Suggestion> {
        let suggestion = suggest(call)?;
        let grant = Rule::grant(&suggestion.shape, Layer::Session);
        let policy = Policy {
            rules: self.policy.rules.clone().with(Layer::Session, [grant]),
            ..self.policy.clone()
        };
        let alone = Facts {
            calls: vec![call.clone()],
            ..self.facts.clone()
        };
        let mut again = DecisionBuilder::new(&alone, &policy, self.context);
        again.call(0);
        let allowed = again
            .findings
            .iter()
            .all(|finding| finding.effect == Effect::Allow);
        allowed.then_some(suggestion)
    }

    pub(super) fn close(self) -> Judgement {
        let Some((index, call)) = self.strictest else {
            // Nothing runs: assignments, comments, an empty function.
            let decision = Decision::new(
                Effect::Allow,
                Layer::Builtin,
                "nothing-runs",
                "starts no program",
            );
            return Judgement {
                decision,
                findings: self.findings,
                fell_back: false,
            };
        };
        let mut decision = match self.findings.get(index) {
            Some(finding) => decision_of(finding),
            None => Decision::new(
                Effect::Ask,
                Layer::Builtin,
                "unknown-command",
                "is not known",
            ),
        };
        if decision.effect == Effect::Ask
            && let Some(call) = call.and_then(|call| self.facts.calls.get(call))
        {
            decision.remember = self.remember(call);
        }
        let fell_back = self.fell_back && decision.effect == Effect::Ask;
        if fell_back {
            decision.reason.push_str(
                "; asked because the kernel does not fully enforce files and network for this run",
            );
        }
        Judgement {
            decision,
            findings: self.findings,
            fell_back,
        }
    }
}

/// The shipped rules about calls of git that talk to another repository.
const GIT_RULES: [&str; 2] = ["git-network", "git-push"];

/// Whether it is not sure that this is what runs: its name comes from a variable, or it stands in
/// an option of some program, or it is code in another language.
fn is_uncertain(call: &Call) -> bool {
    let variable = call
        .arguments
        .first()
        .is_some_and(|name| name.from_variable);
    variable || call.place == Place::Option
}

/// Whether what is not known could hide what a configured rule restricts.
fn is_opaque(finding: &Finding) -> bool {
    matches!(
        finding.rule.as_ref(),
        "dynamic-name" | "dynamic-script" | "script-file" | "string-evaluation" | "shadowing"
    )
}
