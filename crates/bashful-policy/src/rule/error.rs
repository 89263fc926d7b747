//! What can be wrong with a rule.

use thiserror::Error;

/// Why a rule cannot be used, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{file}` line {line}{}: {kind}", of_rule(.rule.as_deref()))]
pub struct RuleError {
    /// The file, as the caller named it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The rule's id, where it has one.
    pub rule: Option<String>,
    /// What is wrong.
    pub kind: RuleErrorKind,
}

/// What is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RuleErrorKind {
    /// The file is not TOML.
    #[error("is not valid TOML: {0}")]
    Syntax(String),
    /// A field that does not exist.
    #[error("has an unknown field `{field}`{}", did_you_mean(.suggestion.as_deref()))]
    UnknownField {
        /// The field as found.
        field: String,
        /// The nearest that exists.
        suggestion: Option<String>,
    },
    /// A field that every such rule needs.
    #[error("has no `{field}`: add {hint}")]
    MissingField {
        /// The name of the field, as rule files spell it.
        field: &'static str,
        /// What to add.
        hint: &'static str,
    },
    /// A value of the wrong type.
    #[error("has {found} as `{field}`: give {expected}")]
    WrongType {
        /// The field, with an index for an item of a list.
        field: String,
        /// What it takes.
        expected: &'static str,
        /// What was there.
        found: &'static str,
    },
    /// A value of the right type that makes no sense.
    #[error("has a bad `{field}`: give {expected}")]
    BadValue {
        /// The field, with an index for an item of a list.
        field: String,
        /// What it takes.
        expected: &'static str,
    },
    /// A shape without a program.
    #[error(
        "has an empty `command`: give at least the program, as in `[\"git\", \"push\", \"…\"]`"
    )]
    EmptyCommand,
    /// Nothing says what it matches.
    #[error("matches nothing: add one of `command`, `action` and `regex`")]
    NoMatcher,
    /// More than one field says what it matches.
    #[error("has {}: keep one, and write a rule for each of the others", .0.join(" and "))]
    SeveralMatchers(Vec<String>),
    /// An effect that does not exist.
    #[error("has an unknown effect `{found}`: give `allow`, `ask`, `refuse` or `deny`")]
    UnknownEffect {
        /// The word as found.
        found: String,
    },
    /// A refusal that nothing could open.
    #[error(
        "refuses without a `capability`: name the one that opens it, or write `effect = \"deny\"`"
    )]
    NoCapability,
    /// An expression that cannot be read.
    #[error("has a `regex` that cannot be read: {0}")]
    BadRegex(String),
    /// Two rules with the same id.
    #[error("has the id of the rule in line {first}: give it another")]
    DuplicateId {
        /// The line of the first rule with that id.
        first: usize,
    },
    /// An example that the rule should match and does not.
    #[error("does not match its example `{0}`: change the rule, or remove it from `match`")]
    ExampleMissed(String),
    /// An example that the rule should not match and does.
    #[error("matches its example `{0}`: change the rule, or remove it from `not_match`")]
    ExampleMatched(String),
}

fn of_rule(rule: Option<&str>) -> String {
    rule.map_or_else(String::new, |rule| format!(": rule `{rule}`"))
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(
        || ": remove it".to_owned(),
        |name| format!(": did you mean `{name}`?"),
    )
}
