//! What a table says about one call, before it becomes a finding.

use crate::decision::Effect;
use crate::finding::Standing;

/// What a table says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) effect: Effect,
    pub(super) standing: Standing,
    pub(super) rule: &'static str,
    pub(super) reason: &'static str,
    pub(super) advice: Option<&'static str>,
}

impl Verdict {
    /// It changes nothing and starts nothing.
    pub(super) const READS: Self = Self::allows("read-only", "only reads");

    /// It works on the repository alone.
    pub(super) const GIT_LOCAL: Self = Self::allows("git-local", "changes this repository alone");

    /// What it starts is a call of its own, with a decision of its own.
    pub(super) const WRAPS: Self = Self::allows("wrapper", "is judged by what it starts");

    /// A rule lets it pass.
    pub(super) const fn allows(rule: &'static str, reason: &'static str) -> Self {
        Self {
            effect: Effect::Allow,
            standing: Standing::Rule,
            rule,
            reason,
            advice: None,
        }
    }

    /// No table can tell what it does.
    pub(super) const fn asks(
        rule: &'static str,
        reason: &'static str,
        advice: Option<&'static str>,
    ) -> Self {
        Self {
            effect: Effect::Ask,
            standing: Standing::Unknown,
            rule,
            reason,
            advice,
        }
    }

    /// A person is to be asked, however well the kernel holds it.
    pub(super) const fn must_ask(
        rule: &'static str,
        reason: &'static str,
        advice: Option<&'static str>,
    ) -> Self {
        Self {
            standing: Standing::Rule,
            ..Self::asks(rule, reason, advice)
        }
    }
}
