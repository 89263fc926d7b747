//! What a command prints: whether a value among its words or in its input can be in its output.

use crate::facts::{Argument, Call, Input, RedirectKind, Span};
use crate::templates::part::Part;

impl Part<'_> {
    /// Whether the value at a place can be in what a span of the text expands to.
    pub(in crate::templates) fn reaches(&self, at: usize, within: Span) -> bool {
        let inside = |span: Span| within.0 <= span.0 && span.1 <= within.1;
        // The outermost asks about those inside of it by its words.
        let outermost = self.around(at).filter(|next| inside(next.span)).last();
        outermost.is_none_or(|next| self.leaks(next.span, at))
    }

    /// Whether the value at a place can be in the outcome of a substitution around it.
    pub(in crate::templates) fn leaks(&self, substitution: Span, at: usize) -> bool {
        let inside = |span: Span| substitution.0 <= span.0 && span.1 <= substitution.1;
        // An error message names what a program was given.
        let errors = self.facts.redirects.iter().any(|redirect| {
            inside(redirect.span)
                && redirect.descriptor == Some(2)
                && redirect.kind == RedirectKind::Duplicate
        });
        errors
            || self
                .printers(substitution)
                .iter()
                .any(|call| self.prints_in(*call, at, (Some(substitution), 0)))
    }

    /// Whether the value at a place can be in what a call prints.
    pub(in crate::templates) fn prints(&self, call: usize, at: usize) -> bool {
        self.prints_in(call, at, (None, 0))
    }

    /// The same for a call in a substitution, at the end of this many pipes.
    fn prints_in(&self, call: usize, at: usize, (around, depth): (Option<Span>, usize)) -> bool {
        let Some(call) = self.facts.calls.get(call) else {
            return false;
        };
        let hides = hides(call);
        if hides == Hides::Everything {
            return false;
        }
        let holds = |word: &Argument| {
            let (start, end) = word.span;
            // In a text that was made anew, such as that of backticks, all stands in one place.
            let same = around.is_some_and(|around| start <= around.0 && around.1 <= end);
            start <= at && at < end && (same || self.reaches(at, word.span))
        };
        if hides == Hides::Nothing && call.arguments.iter().any(holds) {
            return true;
        }
        match &call.input {
            Input::Inherited => false,
            Input::Text(word) => holds(word),
            Input::File(word) => word.is_pipe && holds(word),
            Input::Pipe(range) if depth < 16 => {
                let mut calls = range.clone();
                calls.any(|index| self.prints_in(index, at, (around, depth + 1)))
            }
            Input::Pipe(_) => true,
        }
    }
}

/// What of a value is never in the output of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::templates) enum Hides {
    Nothing,
    /// Its words are names of files, which it does not print.
    Words,
    /// It prints numbers, or nothing.
    Everything,
}

/// What of its words and its input a call does not print.
fn hides(call: &Call) -> Hides {
    let words = call.operands();
    let options = || {
        words
            .iter()
            .map(Argument::known)
            .filter(|word| word.starts_with('-'))
    };
    let letter =
        |letter: char| options().any(|option| !option.starts_with("--") && option.contains(letter));
    let operands = || words.iter().filter(|word| !word.known().starts_with('-'));
    match call.program() {
        "cat" | "sort" | "uniq" | "tac" | "cut" | "tr" | "rev" | "paste" | "fold" | "nl"
        | "zcat" | "base64" | "curl" => Hides::Words,
        "wc" if operands().next().is_none() => Hides::Everything,
        "nproc" | "true" | "false" | ":" | "test" | "[" => Hides::Everything,
        "id" if letter('u') && !letter('n') || letter('g') && !letter('n') => Hides::Everything,
        "stat" if formats(words, &["-c", "--format", "--printf"], is_numeric_stat) => {
            Hides::Everything
        }
        "date" if operands().any(|word| word.is_known() && is_numeric_date(&word.text)) => {
            Hides::Everything
        }
        // With one file, which the binding sees to, it prints nothing but the number.
        "grep" | "egrep" | "fgrep"
            if letter('c') && !letter('r') && !letter('R') && !letter('H') =>
        {
            Hides::Everything
        }
        "jq" => match operands().next() {
            Some(filter) if filter.is_known() && ends_in_length(&filter.text) => Hides::Everything,
            _ => Hides::Nothing,
        },
        "git" if words.iter().any(|word| word.text == "--count") => Hides::Everything,
        _ => Hides::Nothing,
    }
}

/// Whether a call prints nothing but a number only as long as a word of it is one file.
pub(in crate::templates) fn counts_one_file(call: &Call) -> bool {
    matches!(call.program(), "grep" | "egrep" | "fgrep") && hides(call) == Hides::Everything
}

fn ends_in_length(filter: &str) -> bool {
    let last = filter.rsplit('|').next().unwrap_or_default();
    last.trim() == "length"
}

/// Whether one of these options has a format that fits.
fn formats(words: &[Argument], names: &[&str], fits: fn(&str) -> bool) -> bool {
    words.iter().enumerate().any(|(index, word)| {
        if !word.is_known() {
            return false;
        }
        let attached = word
            .text
            .split_once('=')
            .filter(|(name, _)| names.contains(name));
        let next = words.get(index + 1).filter(|next| next.is_known());
        match (attached, next) {
            (Some((_, format)), _) => fits(format),
            (None, Some(next)) => names.contains(&word.text.as_str()) && fits(&next.text),
            (None, None) => false,
        }
    })
}

fn is_numeric_stat(format: &str) -> bool {
    has_only(format, "sauguYXZWhibBdoD")
}

fn is_numeric_date(format: &str) -> bool {
    format
        .strip_prefix('+')
        .is_some_and(|format| has_only(format, "sYmdHMSjuwNyFT"))
}

/// Whether all of a format's signs are these letters.
fn has_only(format: &str, letters: &str) -> bool {
    let mut rest = format.split('%');
    rest.next();
    let mut any = false;
    let fits = rest.all(|next| {
        any = true;
        next.starts_with(|letter| letters.contains(letter))
    });
    fits && any
}
