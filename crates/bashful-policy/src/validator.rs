//! The first gate: commands that are malformed, dangerous or blocked do not go further.

use thiserror::Error;

use crate::dangerous;
use crate::decision::{Decision, Effect, Layer};
use crate::glob;
use crate::reader;
use crate::script::{Command, Script, Word};

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
    /// The error as a decision, for those who report decisions.
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
        let length = command.len();
        if command.trim().is_empty() {
            return Err(ValidationError::Empty);
        }
        if command.contains('\0') {
            return Err(ValidationError::NulByte);
        }
        if length > MAX_COMMAND_BYTES {
            return Err(ValidationError::TooLong {
                length,
                limit: MAX_COMMAND_BYTES,
            });
        }
        let script = reader::read(command);
        let refusal = dangerous::refusal(&script).or_else(|| self.blocked(command, &script));
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

    fn blocked(&self, command: &str, script: &Script) -> Option<Decision> {
        let found = |pattern: &&Pattern| command.contains(&pattern.text) || pattern.matches(script);
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

impl Pattern {
    fn matches(&self, script: &Script) -> bool {
        let mut views = script.commands.iter().flat_map(Command::views);
        views.any(|view| self.starts(view))
    }

    /// Whether the command starts with these words, its program with or without its directory.
    fn starts(&self, view: &[Word]) -> bool {
        let Some((program, tokens)) = self.tokens.split_first() else {
            return false;
        };
        let Some((first, arguments)) = view.split_first() else {
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
            && pairs.all(|(pattern, word)| glob::matches_token(pattern, &word.text))
    }
}
