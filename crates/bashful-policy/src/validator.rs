//! The first gate: commands that are malformed, dangerous or blocked do not go further.

use thiserror::Error;

use crate::classes::{self, Class};
use crate::context::{Context, Reading};
use crate::decide::{decision_of, too_complex};
use crate::decision::{Decision, Effect, Layer};
use crate::facts::{Argument, Call, Facts, Unknown, UnknownKind};
use crate::glob;
use crate::read::read;
use crate::writes;

/// The longest command that is looked at, in bytes.
pub const MAX_COMMAND_BYTES: usize = 1 << 20;

/// Why a command does not pass.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ValidationError {
    /// There is nothing to run.
    #[error("the command is empty")]
    Empty,
    /// The shell would cut the command there, so what is read is not what would run.
    #[error("the command contains a NUL byte")]
    NulByte,
    /// The command is longer than anything ordinary.
    #[error("the command has {length} bytes, more than the {limit} that are read")]
    TooLong {
        /// The length of the command in bytes.
        length: usize,
        /// The longest that is accepted.
        limit: usize,
    },
    /// A rule refuses the command.
    #[error("refused by rule `{}`: {}", .0.rule, .0.reason)]
    Refused(Box<Decision>),
}

impl ValidationError {
    /// The error as a decision, for callers that report decisions.
    pub fn into_decision(self) -> Decision {
        let rule = match self {
            Self::Refused(decision) => return *decision,
            Self::Empty => "empty-command",
            Self::NulByte => "nul-byte",
            Self::TooLong { .. } => "too-long",
        };
        Decision::new(Effect::Deny, Layer::Builtin, rule, &self.to_string())
    }
}

/// Checks commands against what is refused by default and against patterns of the user.
///
/// ```
/// use bashful_policy::CommandValidator;
///
/// let validator = CommandValidator::new(&["npm publish"]);
/// assert!(validator.validate("git status").is_ok());
/// assert!(validator.validate("sudo rm -rf /").is_err());
/// assert!(validator.validate("npm publish --tag next").is_err());
/// ```
#[derive(Debug, Clone, Default)]
pub struct CommandValidator {
    patterns: Vec<Pattern>,
}

/// A pattern of the user, as given and as tokens.
#[derive(Debug, Clone)]
struct Pattern {
    text: String,
    tokens: Vec<String>,
}

impl CommandValidator {
    /// A validator with the built-in refusals and more patterns to block. A pattern blocks a
    /// command that contains it as text, and a simple command that starts with its words, in which
    /// `*` stands for any characters of one word. Blank patterns block nothing.
    pub fn new<S: AsRef<str>>(patterns: &[S]) -> Self {
        let texts = patterns.iter().map(|pattern| pattern.as_ref().trim());
        let patterns = texts.filter(|text| !text.is_empty()).map(|text| Pattern {
            text: text.to_owned(),
            tokens: text.split_whitespace().map(str::to_owned).collect(),
        });
        Self {
            patterns: patterns.collect(),
        }
    }

    /// Passes ordinary commands, refuses malformed, dangerous and blocked ones.
    pub fn validate(&self, command: &str) -> Result<(), ValidationError> {
        if let Some(error) = malformed(command) {
            return Err(error);
        }
        let context = somewhere();
        let facts = read(command, &context);
        let refusal = dangerous(&facts, &context).or_else(|| self.blocked(command, &facts));
        refusal.map_or(Ok(()), |decision| {
            Err(ValidationError::Refused(Box::new(decision)))
        })
    }

    /// The refusal of a command as a decision; nothing when it passes.
    pub fn check(&self, command: &str) -> Option<Decision> {
        self.validate(command)
            .err()
            .map(ValidationError::into_decision)
    }

    /// The refusal of a command that is malformed or that a pattern blocks; what is dangerous
    /// is left to the policy.
    pub fn check_patterns(&self, command: &str, reading: Reading) -> Option<Decision> {
        match malformed(command) {
            // Where a script is kept, its length is limited; its values come on top of that.
            Some(ValidationError::TooLong { .. }) if reading == Reading::Script => {}
            Some(error) => return Some(error.into_decision()),
            None => {}
        }
        if self.patterns.is_empty() {
            return None;
        }
        let context = Context {
            reading,
            ..Context::default()
        };
        let facts = read(command, &context);
        let given_up = |unknown: &Unknown| unknown.kind == UnknownKind::TooComplex;
        let blocked = self.blocked(command, &facts);
        // Behind what is not followed, anything could stand.
        blocked.or_else(|| facts.unknowns.iter().any(given_up).then(too_complex))
    }

    fn blocked(&self, command: &str, facts: &Facts) -> Option<Decision> {
        let found = |pattern: &&Pattern| command.contains(&pattern.text) || pattern.matches(facts);
        let pattern = self.patterns.iter().find(found)?;
        Some(Decision {
            fact: Some(pattern.text.clone()),
            suggestion: Some(
                "leave this command out, or ask for the pattern to be removed".to_owned(),
            ),
            ..Decision::new(
                Effect::Deny,
                Layer::User,
                "blocked-pattern",
                &format!("matches the blocked pattern `{}`", pattern.text),
            )
        })
    }
}

/// What is refused for every caller: the classes that no ordinary work is in.
const DANGEROUS: &[Class] = &[
    Class::DeleteRoot,
    Class::DeviceWrite,
    Class::ForkBomb,
    Class::PipeToShell,
    Class::DecodeToShell,
    Class::ReverseShell,
    Class::PermissionsWide,
    Class::WriteOutsideRoots,
    Class::DiskFill,
];

/// Whether a text is no command at all.
pub(crate) fn malformed(command: &str) -> Option<ValidationError> {
    let length = command.len();
    if command.trim().is_empty() {
        Some(ValidationError::Empty)
    } else if command.contains('\0') {
        Some(ValidationError::NulByte)
    } else if length > MAX_COMMAND_BYTES {
        Some(ValidationError::TooLong {
            length,
            limit: MAX_COMMAND_BYTES,
        })
    } else {
        None
    }
}

/// A made-up place in a user's home: the validator is not told where a command runs.
fn somewhere() -> Context {
    Context {
        directory: Some("/home/user/work/project".to_owned()),
        home: Some("/home/user".to_owned()),
        ..Context::default()
    }
}

/// The first refusal of a dangerous class. Without roots, only the system's own directories
/// count as outside.
fn dangerous(facts: &Facts, context: &Context) -> Option<Decision> {
    let limit = |kind| facts.unknowns.iter().any(|unknown| unknown.kind == kind);
    if limit(UnknownKind::TooComplex) {
        return Some(too_complex());
    }
    // Where a command runs it may write, and in the usual places for what is soon forgotten.
    let usual = Context {
        write_roots: ["/home/user/work/project", "/tmp", "/var/tmp", "/dev/shm"]
            .map(str::to_owned)
            .to_vec(),
        ..context.clone()
    };
    let refusals = classes::check(facts, &usual).into_iter();
    let writes = (0..facts.calls.len()).flat_map(|index| writes::judge(facts, index, context));
    let redirects = writes::redirects(facts, context);
    let dangerous = |capability: &str| DANGEROUS.iter().any(|class| class.as_str() == capability);
    let findings = refusals.map(|(_, finding)| finding);
    let written = writes
        .chain(redirects)
        .filter(|finding| finding.rule == Class::WriteOutsideRoots.as_str());
    findings
        .chain(written)
        .filter(|finding| finding.effect == Effect::Deny)
        .find(|finding| finding.capability.as_deref().is_some_and(dangerous))
        .map(|finding| decision_of(&finding))
}

impl Pattern {
    fn matches(&self, facts: &Facts) -> bool {
        facts.calls.iter().any(|call| self.starts(call))
    }

    /// Whether the command starts with these words, its program with or without its directory.
    fn starts(&self, call: &Call) -> bool {
        let Some((program, tokens)) = self.tokens.split_first() else {
            return false;
        };
        let Some((first, arguments)) = call.arguments.split_first() else {
            return false;
        };
        // A last `*` may stand for nothing.
        let tokens = match tokens {
            [tokens @ .., last] if last == "*" => tokens,
            tokens => tokens,
        };
        let named = [first.text.as_str(), first.program()]
            .iter()
            .any(|name| glob::matches_token(program, name));
        let mut pairs = tokens.iter().zip(arguments);
        named
            && arguments.len() >= tokens.len()
            && pairs.all(|(pattern, word): (&String, &Argument)| {
                glob::matches_token(pattern, &word.text)
            })
    }
}
