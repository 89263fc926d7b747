//! What a check found out about one fact.

use std::borrow::Cow;

use crate::context::Directory;
use crate::decision::{Effect, Layer};
use crate::facts::Span;

/// What one check says about one fact: the effect it would have and its ground.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What happens if nothing stricter is found.
    pub effect: Effect,
    /// Whether a rule says so, or no rule knows the command.
    pub standing: Standing,
    /// The rule's name, such as `delete-root`.
    pub rule: Cow<'static, str>,
    /// Where the rule came from.
    pub layer: Layer,
    /// Why, for a person; fits after the command: "deletes the system".
    pub reason: Cow<'static, str>,
    /// What to do instead.
    pub advice: Option<Cow<'static, str>>,
    /// The capability that opens it: the name of a class, or `network`.
    pub capability: Option<Cow<'static, str>>,
    /// What else it needs to be of use after a yes, such as `network`.
    pub needs: Option<Cow<'static, str>>,
    /// Directories that it needs to write in: a yes opens these, and not its capability.
    pub directories: Vec<Directory>,
    /// The words it is about.
    pub fact: String,
    /// Where they stand in the original text.
    pub span: Span,
}

/// Whether a finding is what a rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// A rule or table says so. It holds in every profile.
    Rule,
    /// No rule knows it; the reason says what is not known. The profile's default decides, and
    /// the effect is only what a careful one does.
    Unknown,
}
