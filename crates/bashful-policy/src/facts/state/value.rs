//! Values: what is known of a variable.

use std::ops::Range;

use crate::facts::Argument;

/// More possible values than this count as not known.
pub(in crate::facts) const MAX_VALUES: usize = 16;

/// A longer value counts as not known, so that values of values cannot grow without end.
const LONGEST_VALUE: usize = 16 * 1024;

/// What is known of a variable that the text sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::facts) enum Value {
    /// One of these.
    Known(Vec<Text>),
    /// A number, which one is not known.
    Number,
    /// Nothing but the calls whose output is in it.
    Unknown(Vec<Range<usize>>),
}

/// A possible value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::facts) struct Text {
    pub(in crate::facts) text: String,
    /// It stands for names that match it.
    pub(in crate::facts) glob: bool,
}

impl Value {
    /// Data from outside, which must not be evaluated: the empty range stands for such.
    pub(in crate::facts) fn outside() -> Self {
        Self::Unknown(std::iter::once(0..0).collect())
    }

    /// An empty text.
    pub(in crate::facts) fn empty() -> Self {
        let text = Text {
            text: String::new(),
            glob: false,
        };
        Self::Known(vec![text])
    }

    /// This, and what becomes of it when letters change.
    pub(super) fn folded(self) -> Self {
        let Self::Known(texts) = &self else {
            return self;
        };
        let mut all: Vec<Text> = Vec::new();
        for one in texts {
            let (small, large) = (one.text.to_lowercase(), one.text.to_uppercase());
            let first = large.chars().take(1);
            let capital = first.chain(small.chars().skip(1)).collect();
            for text in [one.text.clone(), small, large, capital] {
                let text = Text {
                    text,
                    glob: one.glob,
                };
                if !all.contains(&text) {
                    all.push(text);
                }
            }
        }
        if all.len() > MAX_VALUES {
            return Self::Unknown(self.sources());
        }
        Self::Known(all)
    }

    /// The value that an argument holds.
    pub(in crate::facts) fn of(argument: &Argument) -> Self {
        if argument.unknown_from.is_some() || argument.text.len() > LONGEST_VALUE {
            // Each once, or `x=$x$x` again and again would make them grow without end.
            let mut sources = Vec::new();
            for source in &argument.sources {
                if !sources.contains(source) {
                    sources.push(source.clone());
                }
            }
            if sources.is_empty() && (argument.mixed || argument.is_known()) {
                sources.push(0..0);
            }
            return Self::Unknown(sources);
        }
        Self::Known(vec![Text {
            text: argument.text.clone(),
            glob: argument.glob,
        }])
    }

    /// What is known of where an unknown value comes from, once this is one of several. A text
    /// that is no number must not be evaluated, and the empty range stands for such.
    pub(in crate::facts) fn sources(&self) -> Vec<Range<usize>> {
        let number = |value: &Text| value.text.bytes().all(|byte| byte.is_ascii_digit());
        match self {
            Self::Unknown(sources) => sources.clone(),
            Self::Known(values) if !values.iter().all(number) => std::iter::once(0..0).collect(),
            Self::Known(_) | Self::Number => Vec::new(),
        }
    }

    pub(in crate::facts) fn merge(&mut self, other: &Self) {
        if self == other {
            return;
        }
        *self = match (&*self, other) {
            (Self::Known(one), Self::Known(two)) => {
                let mut all = one.clone();
                all.extend(two.iter().filter(|text| !one.contains(text)).cloned());
                if all.len() > MAX_VALUES {
                    Self::Unknown(Self::Known(all).sources())
                } else {
                    Self::Known(all)
                }
            }
            (one, two) => {
                let mut sources = one.sources();
                let more = two.sources().into_iter();
                // Each once, or merging again and again would make them grow without end.
                let more: Vec<_> = more.filter(|source| !sources.contains(source)).collect();
                sources.extend(more);
                Self::Unknown(sources)
            }
        };
    }
}
