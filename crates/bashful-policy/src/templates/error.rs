//! Why a template cannot be bound, with where it stands and how to write it instead.

use std::borrow::Cow;
use std::fmt;

use thiserror::Error;

use super::name::TemplateName;

/// A place in a script, both counted from one; the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl Position {
    /// Where a byte of a text stands.
    pub(super) fn of(text: &str, at: usize) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self {
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}

/// A template in a place where its value could become code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The template, by its dotted name.
    pub template: TemplateName,
    /// Where it stands.
    pub position: Position,
    /// What would happen to its value.
    pub why: Cow<'static, str>,
    /// How to write it.
    pub instead: Cow<'static, str>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            template,
            position,
            why,
            instead,
        } = self;
        write!(formatter, "{position}: `${{{template}}}` {why}; {instead}")
    }
}

/// Why a script cannot be bound to values.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// Templates stand where their values could become code.
    #[error("{}", Lines(.0))]
    Refused(Vec<Refusal>),
    /// The script has templates and cannot be read with certainty.
    #[error("{position}: a script with templates must be plain to read, and this is not: {why}")]
    Unreadable {
        /// Where reading stopped.
        position: Position,
        /// What is wrong there.
        why: &'static str,
    },
    /// The script uses names that are reserved for the values of templates.
    #[error("{position}: names that begin with `__bashful_` are reserved")]
    ReservedName {
        /// Where the first one stands.
        position: Position,
    },
    /// Templates have no value.
    #[error("no value for {}", Names(.0))]
    Missing(Vec<TemplateName>),
    /// A value does not fit the place where its template stands.
    #[error("{0}")]
    Unfit(Refusal),
    /// A value has a NUL, which no variable of bash can hold.
    #[error("the value of `{0}` contains a NUL byte")]
    Nul(String),
    /// A declared variable has a name that cannot be set.
    #[error("cannot set the variable `{name}`: {why}")]
    Variable {
        /// The name as the caller gave it.
        name: String,
        /// Why bash or Bashful keeps that name from being set.
        why: Cow<'static, str>,
    },
    /// Declared variables refer to each other in a circle.
    #[error("declared variables refer to each other: {}", .0.join(" -> "))]
    Circular(Vec<String>),
}

struct Lines<'r>(&'r [Refusal]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, refusal) in self.0.iter().enumerate() {
            let between = if index == 0 { "" } else { "\n" };
            write!(formatter, "{between}{refusal}")?;
        }
        Ok(())
    }
}

struct Names<'n>(&'n [TemplateName]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().enumerate() {
            let between = if index == 0 { "" } else { ", " };
            write!(formatter, "{between}`${{{name}}}`")?;
        }
        Ok(())
    }
}
