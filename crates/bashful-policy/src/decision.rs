//! What the policy says about a command: the effect, and everything needed to explain it.

use std::fmt;

use crate::suggest::Suggestion;

/// What happens to a command. Ordered by strictness: `Allow < Ask < Deny`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// The command runs.
    Allow,
    /// A person is asked first.
    Ask,
    /// The command does not run.
    Deny,
}

impl Effect {
    /// The word used in JSON and on the terminal.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Where the rule that decided came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layer {
    /// Shipped with Bashful.
    Builtin,
    /// The machine's administrator.
    Admin,
    /// The user's own configuration.
    User,
    /// The project's file, which can only narrow.
    Project,
    /// A rule of this session, such as a grant that a person gave for it.
    Session,
    /// This call alone.
    Call,
}

impl Layer {
    /// The word used in JSON and on the terminal.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Admin => "admin",
            Self::User => "user",
            Self::Project => "project",
            Self::Session => "session",
            Self::Call => "call",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A decision about one command, with the ground for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Whether the command runs, a person is asked, or the command is refused.
    pub effect: Effect,
    /// The rule that decided, such as `delete-root`.
    pub rule: String,
    /// Where that rule came from.
    pub layer: Layer,
    /// Why, for a person.
    pub reason: String,
    /// The bytes of the command that the rule is about, as start and end.
    pub span: Option<(usize, usize)>,
    /// What matched, as the policy read it.
    pub fact: Option<String>,
    /// The capability that would open a refusal.
    pub capability: Option<String>,
    /// What to do instead.
    pub suggestion: Option<String>,
    /// For an ask: the shape of the command that a yes could be remembered for.
    pub remember: Option<Suggestion>,
}

impl Decision {
    /// A decision with its ground; the other fields are empty until set.
    pub(crate) fn new(effect: Effect, layer: Layer, rule: &str, reason: &str) -> Self {
        Self {
            effect,
            rule: rule.to_owned(),
            layer,
            reason: reason.to_owned(),
            span: None,
            fact: None,
            capability: None,
            suggestion: None,
            remember: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_are_ordered_by_strictness() {
        assert!(Effect::Allow < Effect::Ask && Effect::Ask < Effect::Deny);
        assert_eq!(Effect::Ask.to_string(), "ask");
        assert_eq!(Layer::Builtin.to_string(), "builtin");
    }
}
