//! One rule: what it matches, what happens then, and why.

use std::borrow::Cow;
use std::fmt;

use crate::context::Context;
use crate::decision::{Effect, Layer};
use crate::facts::{Argument, Call, Facts};

mod error;
mod examples;
mod flags;
mod load;
mod loose;
mod pattern;
mod shape;
mod strict;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_load;
mod values;

pub use error::{RuleError, RuleErrorKind};
pub(crate) use load::read_shipped;
pub use load::{RuleSource, parse_rules, read_rules};
pub(crate) use pattern::Pattern;
pub(crate) use shape::{Shape, Token};
pub(crate) use strict::is_plain_program;

/// What a rule does with what it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleEffect {
    /// The command runs, unless a stricter rule says otherwise.
    Allow,
    /// A person is asked before the command runs.
    Ask,
    /// It does not run until the rule's capability is held.
    Refuse,
    /// It does not run.
    Deny,
}

impl RuleEffect {
    /// All of them, the mildest first.
    pub const ALL: [Self; 4] = [Self::Allow, Self::Ask, Self::Refuse, Self::Deny];

    /// The word in rule files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Refuse => "refuse",
            Self::Deny => "deny",
        }
    }

    /// The effect with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effect| effect.as_str() == word)
    }

    /// What a decision shows for it.
    pub const fn effect(self) -> Effect {
        match self {
            Self::Allow => Effect::Allow,
            Self::Ask => Effect::Ask,
            Self::Refuse | Self::Deny => Effect::Deny,
        }
    }
}

impl fmt::Display for RuleEffect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// One rule, with where it stands and what it is for.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its name, unique in its file.
    pub id: String,
    /// What happens to what it matches.
    pub effect: RuleEffect,
    /// Where it came from.
    pub layer: Layer,
    /// The file it stands in; empty for a grant.
    pub file: String,
    /// The line it starts in, from 1; 0 for a grant.
    pub line: usize,
    /// Why, for a person; fits after the command.
    pub reason: String,
    /// What opens it: the name of a class, or another capability such as `network`.
    pub capability: Option<String>,
    /// What a yes to what it asks has to open, so that the command is of use: `network`.
    pub needs: Option<String>,
    /// What to do instead.
    pub advice: Option<String>,
    /// Whether a person gave it as an answer.
    pub grant: bool,
    /// Commands that it must match.
    pub examples: Vec<String>,
    /// Commands that it must not match.
    pub counterexamples: Vec<String>,
    pub(crate) matcher: Matcher,
    /// Any of these words keeps the rule from matching.
    pub(crate) unless: Vec<String>,
    /// One of each of these must be there.
    pub(crate) require: Vec<Vec<String>>,
    pub(crate) redirects: Redirects,
}

/// What a rule looks at.
#[derive(Debug, Clone)]
pub(crate) enum Matcher {
    /// The words of a call: `command = […]`, or `action = "tool:bash:…"`.
    Shape(Shape),
    /// A pattern over the words joined by blanks: `regex = "…"`.
    Regex(Pattern),
    /// An action of another tool, which no command is.
    Other,
}

/// Which redirects a call may have for a rule to match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Redirects {
    /// Any redirects, also those that write files.
    Any,
    /// None that writes a file.
    Reading,
}

/// How surely a rule matches a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// It cannot match.
    No,
    /// What is not known could make it match.
    Could,
    /// What is known already makes it match.
    Yes,
}

impl Fit {
    pub(crate) const fn sure(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }

    pub(crate) const fn possible(could: bool) -> Self {
        if could { Self::Could } else { Self::No }
    }
}

impl Rule {
    /// The rule that a person's yes leaves behind: an allow of this shape, which also covers what
    /// rules of other layers ask. A word is taken as it stands, but for a final `…`.
    pub fn grant(shape: &[String], layer: Layer) -> Self {
        let id = format!("grant: {}", shape.join(" "));
        Self {
            grant: true,
            reason: "was granted".to_owned(),
            ..Self::new(
                id,
                RuleEffect::Allow,
                layer,
                Matcher::Shape(Shape::exact(shape)),
            )
        }
    }

    pub(crate) fn new(id: String, effect: RuleEffect, layer: Layer, matcher: Matcher) -> Self {
        Self {
            id,
            effect,
            layer,
            file: String::new(),
            line: 0,
            reason: String::new(),
            capability: None,
            needs: None,
            advice: None,
            grant: false,
            examples: Vec::new(),
            counterexamples: Vec::new(),
            matcher,
            unless: Vec::new(),
            require: Vec::new(),
            redirects: Redirects::Any,
        }
    }

    /// Whether the rule matches a call. An allow matches only what is known; all others match
    /// what is written in any way that has the same effect, and say what could match.
    pub(crate) fn fit(&self, facts: &Facts, call: &Call, context: &Context) -> Fit {
        if self.redirects == Redirects::Reading && writes_by_redirect(facts, call) {
            return Fit::No;
        }
        let call = &*with_numbers(call);
        if self.effect == RuleEffect::Allow {
            Fit::sure(self.allows(call, context))
        } else if self.allows(call, context) {
            // What an allow would match, a restriction matches as well.
            Fit::Yes
        } else {
            self.restricts(call)
        }
    }

    fn allows(&self, call: &Call, context: &Context) -> bool {
        // An assignment can change what a program does, and a word that is known only when it
        // runs can be any option: the person's yes did not cover that.
        let plain = |word: &Argument| word.is_literal() && !word.splits;
        if self.grant && !(call.assignments.is_empty() && call.arguments.iter().all(plain)) {
            return false;
        }
        let matches = match &self.matcher {
            Matcher::Shape(shape) => strict::matches(shape, call, context),
            Matcher::Regex(pattern) => strict::is_known(call) && pattern.allows(call),
            Matcher::Other => false,
        };
        let has = |flag: &String| flags::possible(flag, call) != Fit::No;
        let surely = |flag: &String| flags::certain(flag, call);
        matches
            && !self.unless.iter().any(has)
            && self.require.iter().all(|one| one.iter().any(surely))
    }

    fn restricts(&self, call: &Call) -> Fit {
        let fit = match &self.matcher {
            Matcher::Shape(shape) => loose::fit(shape, call),
            Matcher::Regex(pattern) => pattern.restricts(call),
            Matcher::Other => Fit::No,
        };
        if fit == Fit::No || self.unless.iter().any(|flag| flags::certain(flag, call)) {
            return Fit::No;
        }
        let best = |one: &Vec<String>| {
            let fits = one.iter().map(|flag| flags::possible(flag, call));
            fits.max().unwrap_or(Fit::No)
        };
        self.require.iter().map(best).fold(fit, Fit::min)
    }

    /// Whether the last words of its shape are left open.
    pub(crate) fn is_open(&self) -> bool {
        match &self.matcher {
            Matcher::Shape(shape) => matches!(shape.tokens.last(), Some(Token::Rest)),
            Matcher::Regex(_) | Matcher::Other => true,
        }
    }

    /// Whether it looks for a word wherever it stands: its shape has a `…` before the end.
    pub(crate) fn looks_everywhere(&self) -> bool {
        match &self.matcher {
            Matcher::Shape(shape) => {
                let first = shape.tokens.iter().position(|token| *token == Token::Rest);
                first.is_some_and(|first| first + 1 < shape.tokens.len())
            }
            Matcher::Regex(_) | Matcher::Other => false,
        }
    }

    /// The names of programs that the rule is about; none when it can be about any.
    pub(crate) fn programs(&self) -> Option<&[String]> {
        match &self.matcher {
            Matcher::Shape(shape) => shape.programs(),
            Matcher::Regex(_) => None,
            Matcher::Other => Some(&[]),
        }
    }
}

/// The call with a digit for each word that can only be a number: `make -j$(nproc)` is no riddle.
fn with_numbers(call: &Call) -> Cow<'_, Call> {
    // The reader names no source where a substitution prints nothing but a number.
    const NUMBERS: [&str; 5] = ["$(…)", "$?", "$$", "$!", "$#"];
    let is_number = |word: &Argument| {
        let unknown = word.text.strip_prefix(word.known()).unwrap_or_default();
        NUMBERS.contains(&unknown)
            && word.sources.is_empty()
            && !(word.splits || word.from_variable || word.is_pipe)
    };
    if !call.arguments.iter().any(is_number) {
        return Cow::Borrowed(call);
    }
    let mut call = call.clone();
    for word in call.arguments.iter_mut().skip(1) {
        if is_number(word) {
            *word = Argument::literal(format!("{}1", word.known()), word.span);
        }
    }
    Cow::Owned(call)
}

/// Whether a call has a redirect that changes a file.
fn writes_by_redirect(facts: &Facts, call: &Call) -> bool {
    const HARMLESS: [&str; 3] = ["/dev/null", "/dev/stdout", "/dev/stderr"];
    let redirects = call
        .redirects
        .iter()
        .map(|index| facts.redirects.get(*index));
    redirects.into_iter().any(|redirect| {
        redirect.is_none_or(|redirect| {
            let target = &redirect.target;
            redirect.kind.writes()
                && !(target.is_literal() && HARMLESS.contains(&target.text.as_str()))
        })
    })
}
