//! What a line is held against.

use regex_lite::{Regex, RegexBuilder};

use crate::tasks::error::{TaskError, shortened};

const LONGEST_PATTERN: usize = 1000;
/// A pattern takes time in proportion to this, for every byte.
const LARGEST_PATTERN: usize = 32 << 10;

/// What a line is held against.
#[derive(Debug)]
pub(in crate::tasks) enum Matcher {
    /// A text as it stands, which is found much faster.
    Text(String),
    Pattern(Regex),
}

impl Matcher {
    pub(in crate::tasks) fn new(pattern: &str) -> Result<Self, TaskError> {
        let invalid = |reason: String| TaskError::Pattern {
            pattern: shortened(pattern),
            reason,
        };
        if pattern.is_empty() {
            return Err(invalid("it is empty".to_owned()));
        }
        if pattern.len() > LONGEST_PATTERN {
            return Err(invalid(format!("it has more than {LONGEST_PATTERN} bytes")));
        }
        if !pattern.contains([
            '.', '+', '*', '?', '(', ')', '|', '[', ']', '{', '}', '^', '$', '\\',
        ]) {
            return Ok(Self::Text(pattern.to_owned()));
        }
        let compiled = RegexBuilder::new(pattern)
            .size_limit(LARGEST_PATTERN)
            .build();
        compiled
            .map(Self::Pattern)
            .map_err(|error| invalid(error.to_string()))
    }

    pub(in crate::tasks) fn is_match(&self, line: &str) -> bool {
        match self {
            Self::Text(text) => line.contains(text.as_str()),
            Self::Pattern(regex) => regex.is_match(line),
        }
    }
}
