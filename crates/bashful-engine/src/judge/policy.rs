//! What the policy says about a request, before anything is prepared for it.
//!
//! Three have a say, and the strictest wins: the rules of the agent's profile, the blocked
//! commands, and a profile that the caller brought along. The policy itself is pure; what it has to know about this machine is found out here.

use crate::base::digest::digest;
use crate::config::Choice as _;
use crate::config::Profile;
use crate::request::settings::PolicyMode;
use bashful_policy::BUILTIN_RULES_VERSION;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use bashful_policy::{
    CommandValidator, Context, Decision, Effect, Layer, NetworkCapability, Policy,
};

pub use crate::model::grant::remembered;
pub use bashful_policy::import;
pub use bashful_policy::{
    Argument, Assignment, BUILTIN_RULES, Call, Class, Facts, Finding, Function, Input, Judgement,
    Lint, Otherwise, Place, Redirect, RedirectKind, Rule, RuleEffect, RuleError, Ruleset, Span,
    Standing, Suggestion, Unknown, UnknownKind, lint,
};
pub use checks::{CHECKS, nearest};
pub use trial::{TestedFile, TestedRule, test_rules};

use crate::config::Config;
use crate::judge::repositories;
use crate::model::error::EngineError;
use crate::model::shell_state::ShellState;
use crate::request::context::RunContext;
use crate::request::invocation::Invocation;
use crate::request::openable::{Ground, Surroundings};
use crate::request::settings::Settings;

mod checks;
mod context;
mod judging;
mod links;
mod trial;

use judging::Memo;
pub(crate) use judging::judge_by_profile;
use judging::{judge_with_directories, wants_directories};

/// What the policy says about a request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Checked {
    /// The text that was judged: a program without a shell is judged as the command line that
    /// would start it.
    pub text: String,
    /// The name of the profile that it was judged by.
    pub profile: String,
    /// What the text says it would do.
    pub facts: Facts,
    /// The decision, and what was found on the way to it.
    pub judgement: Judgement,
}

impl Checked {
    /// The decision for who knows the command in these words. Where other words were judged, it
    /// says nothing about bytes.
    pub(crate) fn decision_about(self, command: &str) -> Decision {
        let mut decision = self.judgement.decision;
        decision.span.take_if(|_| self.text != command);
        decision
    }
}

/// The policies of an engine, each put together once.
#[derive(Debug, Default)]
pub(crate) struct Policies {
    by_profile: Mutex<BTreeMap<String, Arc<Policy>>>,
    versions: Mutex<BTreeMap<String, String>>,
    judged: Memo,
}

impl Policies {
    fn of(&self, run_context: &RunContext<'_>) -> Arc<Policy> {
        // The map is whole after every statement, so a panic elsewhere did not tear it.
        let mut known = self
            .by_profile
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(policy) = known.get(run_context.profile_name) {
            return Arc::clone(policy);
        }
        let policy = Arc::new(Policy {
            profile: run_context.profile_name.to_owned(),
            unknown: run_context.profile.default,
            rules: run_context.profile.ruleset(),
            asks: run_context.profile.asks(),
        });
        known.insert(run_context.profile_name.to_owned(), Arc::clone(&policy));
        policy
    }

    /// The version of the policy that decides in this context.
    pub(crate) fn version(&self, config: &Config, run_context: &RunContext<'_>) -> String {
        let mut known = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        let version = known
            .entry(run_context.profile_name.to_owned())
            .or_insert_with(|| {
                policy_version(config, run_context.profile_name, run_context.profile)
            });
        version.clone()
    }
}

/// A request that is to be judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) validator: &'a CommandValidator,
    pub(crate) invocation: &'a Invocation,
    /// What the shell remembers that it is for.
    pub(crate) shell: Option<&'a ShellState>,
}

/// What a case is judged by besides its agent's profile.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExtraRules {
    /// What persons said yes to.
    pub(crate) granted: Vec<Rule>,
    /// Whether what no rule knows is asked about, though the kernel would hold it.
    pub(crate) careful: bool,
}

impl Case<'_> {
    /// Judges the case where it stands. What was judged before in the same way is remembered.
    pub(crate) fn judge(&self, run_context: &RunContext<'_>) -> Result<Checked, EngineError> {
        self.judge_by(run_context, None)
    }

    /// The same with what persons said, which is never remembered.
    pub(crate) fn judge_with(
        &self,
        run_context: &RunContext<'_>,
        extra: ExtraRules,
    ) -> Result<Checked, EngineError> {
        self.judge_by(run_context, Some(extra))
    }

    /// What the policy has to know about the run.
    pub(crate) fn context(&self, run_context: &RunContext<'_>) -> Result<Context, EngineError> {
        context::of(self, run_context)
    }

    fn judge_by(
        &self,
        run_context: &RunContext<'_>,
        extra: Option<ExtraRules>,
    ) -> Result<Checked, EngineError> {
        let text = self.invocation.action.judged_text();
        let context = context::of(self, run_context)?;
        let (facts, mut judgement) = match self.settings.policy {
            PolicyMode::Profile => {
                // To look at it again would cost calls, and most texts have no git in them.
                let of_git = text.contains("git").then(|| context.clone());
                let policies = self.settings.kept.of::<Policies>();
                let mut policy = policies.of(run_context);
                let judged = if let Some(extra) = extra {
                    policy = extra.added_to(policy);
                    judge_by_profile(&text, &policy, context)
                } else {
                    policies.judged.judge(&text, &policy, context)
                };
                let repositories =
                    of_git.map(|of_git| repositories::of(*self, run_context, &judged.0, &of_git));
                let repositories = repositories.unwrap_or_default();
                if !repositories.is_empty() || wants_directories(&judged.1) {
                    let surroundings = Surroundings::of(Ground::of(self.settings, run_context));
                    let context = Context {
                        repositories,
                        ..context::of(self, run_context)?
                    };
                    judge_with_directories(&text, &policy, context, &surroundings)
                } else {
                    judged
                }
            }
            PolicyMode::None => {
                run_context.profile.check_policy_off()?;
                let dangerous = dangers(&text, context);
                (Facts::default(), dangerous.unwrap_or_else(unjudged))
            }
        };
        if let Some(blocked) = self
            .validator
            .check_patterns(&text, self.invocation.reading())
            && is_less_strict(&judgement.decision, &blocked)
        {
            judgement.decision = blocked;
        }
        if let Some(profile) = &self.invocation.profile {
            let decision = profile.decide_text(&text, self.invocation.reading());
            if decision.effect > judgement.decision.effect {
                judgement.decision = decision;
            }
        }
        Ok(Checked {
            text,
            profile: run_context.profile_name.to_owned(),
            facts,
            judgement,
        })
    }
}

impl ExtraRules {
    fn added_to(self, policy: Arc<Policy>) -> Arc<Policy> {
        if self.granted.is_empty() && !self.careful {
            return policy;
        }
        let mut policy = Arc::unwrap_or_clone(policy);
        for rule in self.granted {
            policy.rules = policy.rules.with(rule.layer, [rule]);
        }
        if self.careful {
            policy.unknown = policy.unknown.max(Otherwise::Ask);
        }
        Arc::new(policy)
    }
}

/// Classes that ordinary work can be in, or that the sandbox holds as it holds everything.
const ORDINARY: [Class; 5] = [
    Class::Sudo,
    Class::GitDestructive,
    Class::Interactive,
    Class::SecretRead,
    Class::WriteOutsideRoots,
];

/// What is refused also to a caller that goes without the policy: what no ordinary work is, such
/// as deleting the system, unless its class is open.
fn dangers(text: &str, mut context: Context) -> Option<Judgement> {
    let ordinary = ORDINARY.map(|class| class.as_str().to_owned());
    context.classes.extend(ordinary);
    context.network = NetworkCapability::On;
    context.enforced = true;
    let judgement = bashful_policy::judge(text, &Policy::confined(), &context);
    (judgement.decision.effect == Effect::Deny).then_some(judgement)
}

/// Whether a decision gives way to another: to a stricter one, and a refusal that a class opens
/// to one that nothing opens.
fn is_less_strict(decision: &Decision, other: &Decision) -> bool {
    let strictness = |one: &Decision| (one.effect, one.capability.is_none());
    strictness(decision) < strictness(other)
}

/// The judgement of who was told not to judge.
fn unjudged() -> Judgement {
    Judgement {
        decision: Decision {
            effect: Effect::Allow,
            rule: "policy-none".to_owned(),
            layer: Layer::Call,
            reason: "is not judged, as asked".to_owned(),
            span: None,
            fact: None,
            capability: None,
            suggestion: None,
            remember: None,
        },
        findings: Vec::new(),
        fell_back: false,
    }
}

/// The version of a policy: a digest of everything that decides about a command, but for what
/// the run may do.
pub(crate) fn policy_version(config: &Config, name: &str, profile: &Profile) -> String {
    let rules = profile.rules.iter().map(|rule| format!("{:?}", rule.rule));
    let parts: Vec<String> = [
        BUILTIN_RULES_VERSION.to_string(),
        name.to_owned(),
        profile.default.as_str().to_owned(),
        format!("{:?}", profile.asks()),
        config.blocked_commands.join("\n"),
    ]
    .into_iter()
    .chain(rules)
    .collect();
    let parts: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
    let mut version = digest(&parts);
    version.truncate(16);
    version
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_more_paths_than_are_looked_up_is_refused() {
        let text = |count: usize| {
            let names: Vec<String> = (0..count).map(|number| format!("a/{number}")).collect();
            format!("touch {}", names.join(" "))
        };
        let context = Context {
            directory: Some("/w".to_owned()),
            workspace: Some("/w".to_owned()),
            write_roots: vec!["/w".to_owned()],
            enforced: true,
            ..Context::default()
        };
        let effect = |count| {
            let judged = judge_by_profile(&text(count), &Policy::confined(), context.clone());
            judged.1.decision.effect
        };
        assert_eq!([effect(100), effect(1000)], [Effect::Allow, Effect::Deny]);
    }

    fn judged_script(text: &str) -> Decision {
        let context = Context {
            directory: Some("/w".to_owned()),
            workspace: Some("/w".to_owned()),
            write_roots: vec!["/w".to_owned()],
            enforced: true,
            reading: bashful_policy::Reading::Script,
            ..Context::default()
        };
        let judged = judge_by_profile(text, &Policy::confined(), context);
        judged.1.decision
    }

    #[test]
    fn a_long_and_plain_script_is_judged_to_its_end() {
        let lines = |count: usize, line: &dyn Fn(usize) -> String| -> String {
            (0..count).map(line).collect()
        };
        let shapes: [(&str, String); 7] = [
            (
                "tests",
                lines(4000, &|n| {
                    format!("x{n}=1; test -f /etc/f{n} && echo {n}\n")
                }),
            ),
            ("words", lines(9000, &|n| format!("echo line {n}\n"))),
            (
                "silent",
                lines(4000, &|n| format!("echo line {n} >/dev/null\n")),
            ),
            ("files", lines(6000, &|n| format!("cat /srv/a/{n}\n"))),
            (
                "function",
                "say() { echo \"$1\"; }\n".to_owned() + &lines(9000, &|n| format!("say {n}\n")),
            ),
            (
                "colours",
                lines(3000, &|n| format!("printf '\\033[1m%s\\e[0m\\n' {n}\n")),
            ),
            (
                "branches",
                lines(2000, &|n| {
                    format!("if [ -n \"$a{n}\" ]; then b{n}=$(date); else b{n}=; fi\n")
                }),
            ),
        ];
        for (name, text) in shapes {
            let started = std::time::Instant::now();
            let decision = judged_script(&text);
            let took = started.elapsed();
            // A fraction of this is usual, also without optimisation; the machine may be busy.
            assert!(took.as_secs() < 10, "{name}: {took:?}");
            assert_eq!(decision.effect, Effect::Allow, "{name}: {decision:?}");
            let refused = judged_script(&(text + "sudo ls\n"));
            assert_eq!(refused.rule, "sudo", "{name}");
        }
    }
}
