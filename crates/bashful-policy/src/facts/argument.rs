//! One word of a call, after the shell is done with it, as far as that is known.

use std::ops::Range;

use super::Span;

/// One word that a program gets.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about a word, no state among them"
)]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Argument {
    /// What the program gets. From `unknown_from` on it is the source text, for reading only.
    pub text: String,
    /// Where it stands in the original text.
    pub span: Span,
    /// The byte of `text` from which on it is not known.
    pub unknown_from: Option<usize>,
    /// It has an unquoted `*`, `?` or `[`, so it can become other words, whose names match it.
    pub glob: bool,
    /// The byte of `text` from which to its end it is a name that a glob finds, and so the name
    /// of a file that exists.
    pub found_from: Option<usize>,
    /// It can become several words or none, as an unquoted `$x` does.
    pub splits: bool,
    /// Some of it comes from a variable, whether its value is known or not.
    pub from_variable: bool,
    /// The calls whose output is in it, by command or process substitution, directly or by way
    /// of a variable.
    pub sources: Vec<Range<usize>>,
    /// Where all that is not known is part of a file's name, such as a number: the whole with `*`
    /// for what is not known.
    pub pattern: Option<String>,
    /// Words of the text, which can be names and code, stand beside what is not known.
    pub(crate) mixed: bool,
    /// It is a process substitution, so the program gets the name of a pipe.
    pub is_pipe: bool,
}

impl Argument {
    /// A word that is exactly this text.
    pub fn literal(text: impl Into<String>, span: Span) -> Self {
        Self {
            text: text.into(),
            span,
            ..Self::default()
        }
    }

    /// The text up to what is not known.
    pub fn known(&self) -> &str {
        let end = self.unknown_from.unwrap_or(self.text.len());
        self.text.get(..end).unwrap_or_default()
    }

    /// Whether the program gets exactly `text`.
    pub fn is_literal(&self) -> bool {
        self.unknown_from.is_none() && !self.glob
    }

    /// Whether all of it is known but for the names that a glob finds.
    pub fn is_known(&self) -> bool {
        self.unknown_from.is_none()
    }

    /// This word as far as it can be a path: what is not known of a name is a glob.
    pub(crate) fn as_path(&self) -> std::borrow::Cow<'_, Self> {
        match &self.pattern {
            Some(pattern) => std::borrow::Cow::Owned(Self {
                text: pattern.clone(),
                unknown_from: None,
                glob: true,
                pattern: None,
                ..self.clone()
            }),
            None => std::borrow::Cow::Borrowed(self),
        }
    }

    /// The name of the program this word starts, without its directory; empty when not known.
    pub fn program(&self) -> &str {
        if self.is_literal() {
            self.text.rsplit('/').next().unwrap_or_default()
        } else {
            ""
        }
    }

    /// Whether this names a program in the usual way: alone, to be found on the search path, or
    /// in a directory of the system. A file of that name elsewhere can be anything.
    pub(crate) fn is_system_program(&self) -> bool {
        const DIRECTORIES: &[&str] = &[
            "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin",
            "/opt/homebrew/bin",
        ];
        let directory = self.known().rsplit_once('/');
        directory.is_none_or(|(directory, _)| DIRECTORIES.contains(&directory))
    }

    /// The end of this word, from a byte of its text on, as a word of its own: the value in
    /// `--output=value`.
    #[must_use]
    pub fn tail(&self, from: usize) -> Self {
        Self {
            text: self.text.get(from..).unwrap_or_default().to_owned(),
            pattern: None,
            unknown_from: self
                .unknown_from
                .map(|unknown| unknown.saturating_sub(from)),
            ..self.clone()
        }
    }
}
