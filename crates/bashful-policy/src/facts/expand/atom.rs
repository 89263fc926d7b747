//! Atoms: the pieces of a word once what runs inside them has been walked.

use std::ops::Range;

use crate::facts::Argument;
use crate::facts::state::Text;
use crate::shell::Quoting;

/// A piece of a word whose substitutions have been walked.
#[derive(Debug, Clone)]
pub(in crate::facts) enum Atom {
    Text(String, Quoting),
    /// One of these values of a variable.
    Values(Vec<Text>, Quoting),
    /// Words of their own, as from `"$@"`; given ones are words of the text.
    Fields(Vec<Argument>, Origin),
    Unknown {
        /// How it reads in the source.
        shown: String,
        quoting: Quoting,
        from_variable: bool,
        sources: Vec<Range<usize>>,
        is_pipe: bool,
        /// It is a number, so it neither splits nor looks like an option.
        number: bool,
    },
}

/// Where words of their own come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::facts) enum Origin {
    Text,
    Variable,
}

impl Atom {
    pub(super) fn with_source(self, range: Range<usize>) -> Self {
        match self {
            Self::Unknown {
                shown,
                quoting,
                from_variable,
                mut sources,
                is_pipe,
                number,
            } => {
                sources.push(range);
                Self::Unknown {
                    shown,
                    quoting,
                    from_variable,
                    sources,
                    is_pipe,
                    number,
                }
            }
            other => other,
        }
    }

    pub(super) fn sources(&self) -> Vec<Range<usize>> {
        match self {
            Self::Unknown { sources, .. } => sources.clone(),
            _ => Vec::new(),
        }
    }
}

pub(super) fn known(text: &str, quoting: Quoting) -> Atom {
    let value = Text {
        text: text.to_owned(),
        glob: false,
    };
    Atom::Values(vec![value], quoting)
}

pub(super) fn unknown(shown: String, quoting: Quoting) -> Atom {
    Atom::Unknown {
        shown,
        quoting,
        from_variable: false,
        sources: Vec::new(),
        is_pipe: false,
        number: false,
    }
}

pub(super) fn unknown_variable(
    shown: String,
    quoting: Quoting,
    sources: Vec<Range<usize>>,
) -> Atom {
    Atom::Unknown {
        shown,
        quoting,
        from_variable: true,
        sources,
        is_pipe: false,
        number: false,
    }
}

pub(super) fn number(shown: String, quoting: Quoting) -> Atom {
    Atom::Unknown {
        shown,
        quoting,
        from_variable: false,
        sources: Vec::new(),
        is_pipe: false,
        number: true,
    }
}
