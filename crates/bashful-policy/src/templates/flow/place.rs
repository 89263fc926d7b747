//! Places: where a value comes to stand, by its template or by a variable that holds it.

use std::collections::BTreeSet;

use crate::facts::Span;
use crate::shell::{Role, Usage};

/// The sources whose values a variable, a file or an output can hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::templates) struct Taint {
    /// Anywhere in it.
    pub(in crate::templates) any: BTreeSet<usize>,
    /// At its beginning, so that it can begin with a dash.
    pub(in crate::templates) leading: BTreeSet<usize>,
}

impl Taint {
    pub(super) fn of(source: usize) -> Self {
        Self {
            any: BTreeSet::from([source]),
            leading: BTreeSet::from([source]),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.any.is_empty()
    }

    /// Adds another, and says whether that brought anything.
    pub(super) fn add(&mut self, other: &Self) -> bool {
        let before = self.any.len() + self.leading.len();
        self.any.extend(&other.any);
        self.leading.extend(&other.leading);
        self.any.len() + self.leading.len() > before
    }

    /// The same in a word, which it begins only if `starts` says so.
    pub(super) fn behind(mut self, starts: Starts) -> Self {
        if starts == Starts::No {
            self.leading.clear();
        }
        self
    }
}

/// Whether a value can be the beginning of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::templates) enum Starts {
    Yes,
    No,
}

/// Whether what stands at a place can be what the word around it begins with.
pub(in crate::templates) fn starts(text: &str, word: Span, at: usize) -> Starts {
    let before = text.get(word.0..at).unwrap_or_default();
    let before = before.trim_start_matches(['"', '\'']);
    // An expansion before it can be empty, and of braces each item is a word.
    if before.is_empty() || before.starts_with(['$', '`', '{']) {
        Starts::Yes
    } else {
        Starts::No
    }
}

/// One place of a part where a value comes to stand.
#[derive(Debug, Clone)]
pub(in crate::templates) struct Place {
    /// Where it stands in the text of its part.
    pub(in crate::templates) at: usize,
    pub(in crate::templates) taint: Taint,
    pub(in crate::templates) holder: Holder,
    pub(in crate::templates) role: Role,
    pub(in crate::templates) usage: Usage,
    /// The variable that is given what stands here.
    pub(in crate::templates) target: Option<String>,
    pub(in crate::templates) word: Span,
}

impl Place {
    /// Whether a variable or an outcome stands here, which bash splits into words. A template is
    /// bound as it is.
    pub(in crate::templates) const fn is_variable(&self) -> bool {
        !matches!(self.holder, Holder::Template(_))
    }

    /// Whether what stands here is in what the word around it comes to, and not only an index or a
    /// pattern in it.
    pub(in crate::templates) fn is_in_outcome(&self) -> bool {
        !self.role.is_evaluated() && self.role != Role::Pattern
    }
}

/// What stands at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::templates) enum Holder {
    /// A template, the number of which among those of the part is this.
    Template(usize),
    /// A variable of the script or a parameter.
    Variable(String),
    /// A file that holds a value, where its content is substituted.
    File(String),
    /// A call of a function that prints a value.
    Function(String),
}
