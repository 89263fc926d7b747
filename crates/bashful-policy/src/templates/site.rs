//! Sites: where a template stands, and what replaces it there.

use super::bind::edit;
use super::calls::{Demand, NAME, Objection};
use crate::facts::Span;
use crate::shell::{Lexeme, Mark, Quoting, Role};

/// How a template is written at its place, which says how a variable is written there instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Outside of quotes, where quotes are put around the variable.
    Bare,
    /// In double quotes or a here-document.
    Quoted,
    /// In `'…'`, which is closed and opened again.
    Single,
    /// In `$'…'`, the same.
    Ansi,
    /// In an expression, where it must be a number.
    Number,
    /// In a here-document that expands nothing, which is written as one that does.
    Document { delimiter: Span, body: Span },
}

impl Form {
    /// The same in a text in which the one that was read starts here.
    pub(super) fn moved(self, by: usize) -> Self {
        let shift = |span: Span| (span.0 + by, span.1 + by);
        match self {
            Self::Document { delimiter, body } => Self::Document {
                delimiter: shift(delimiter),
                body: shift(body),
            },
            other => other,
        }
    }
}

/// What a list becomes at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lists {
    /// Several words, one for each item.
    Words,
    /// One text with blanks between.
    Joined,
    /// It cannot stand here.
    Refused,
}

/// What is known about the place of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Site {
    pub(super) form: Form,
    pub(super) lists: Lists,
    pub(super) demand: Demand,
}

/// What a candidate turns out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    Site(Site),
    /// Text that bash does not expand and that is not bound: a comment, or behind a backslash.
    Text,
    Refused(Objection),
    Unknown,
}

/// What stands at a span of a text, by the marks that its tree has there.
pub(super) fn locate(text: &str, span: Span, marks: &[Mark]) -> Found {
    match mark_at(span.0, marks) {
        Some(mark) => locate_in(text, span, mark),
        None => Found::Unknown,
    }
}

/// The innermost mark around a place.
pub(super) fn mark_at(start: usize, marks: &[Mark]) -> Option<&Mark> {
    marks
        .iter()
        .filter(|mark| mark.span.0 <= start && start < mark.span.1)
        .min_by_key(|mark| mark.span.1 - mark.span.0)
}

fn locate_in(text: &str, span: Span, mark: &Mark) -> Found {
    let (start, end) = span;
    let quotes = match mark.lexeme {
        Lexeme::Comment => return Found::Text,
        Lexeme::Variable(quoting) if mark.span == span => quoting,
        Lexeme::Variable(_) => {
            let pid = text.get(mark.span.0..mark.span.1) == Some("$$");
            return if pid { Found::Text } else { Found::Unknown };
        }
        Lexeme::Literal => {
            let before = text.get(mark.span.0..start).unwrap_or_default().bytes();
            let escaped = before.rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
            return if escaped { Found::Text } else { Found::Unknown };
        }
        Lexeme::QuotedDocument { .. } if mark.in_backticks => {
            return Found::Refused(BACKTICKS);
        }
        Lexeme::QuotedDocument { delimiter } => {
            let word = text.get(delimiter.0..delimiter.1).unwrap_or_default();
            if edit::plain_delimiter(word).is_none() {
                return Found::Refused(DELIMITER);
            }
            let body = mark.span;
            return site(Form::Document { delimiter, body }, Lists::Joined);
        }
        Lexeme::Ansi if is_escaped_in_ansi(text, mark.span, start) => return Found::Text,
        Lexeme::Single | Lexeme::Ansi => {
            let form = if mark.lexeme == Lexeme::Single {
                Form::Single
            } else {
                Form::Ansi
            };
            return match mark.role {
                Role::Arithmetic | Role::Subscript | Role::TestedName | Role::Duplicate => {
                    live(text, (start, end), mark, Quoting::Bare)
                }
                Role::SplitReplacement => Found::Refused(SPLIT),
                Role::Replacement | Role::QuotedDefault => Found::Refused(QUOTES),
                _ => site(form, Lists::Joined),
            };
        }
    };
    live(text, span, mark, quotes)
}

/// A template that stands where bash expands a variable.
fn live(text: &str, span: Span, mark: &Mark, quoting: Quoting) -> Found {
    let quoted = quoting == Quoting::Quoted;
    let form = if quoted { Form::Quoted } else { Form::Bare };
    let lists = match mark.role {
        _ if quoted => Lists::Joined,
        Role::Argument | Role::LoopWord | Role::Element if mark.word == span => Lists::Words,
        Role::Value | Role::HereString => Lists::Joined,
        _ => Lists::Refused,
    };
    match mark.role {
        Role::Duplicate => Found::Refused(DUPLICATE),
        Role::SplitReplacement => Found::Refused(SPLIT),
        Role::TestedName => Found::Refused(NAMED),
        Role::Subscript => Found::Refused(SUBSCRIPT),
        Role::Arithmetic if in_subscript(text, span.0) => Found::Refused(SUBSCRIPT),
        Role::Arithmetic if mark.lexeme == Lexeme::Variable(quoting) => {
            site(Form::Number, Lists::Refused)
        }
        Role::Arithmetic => Found::Refused(QUOTES),
        Role::QuotedDefault => site(Form::Quoted, Lists::Joined),
        Role::Regex if in_brackets(text, span.0) => Found::Refused(BRACKETS),
        _ => site(form, lists),
    }
}

fn site(form: Form, lists: Lists) -> Found {
    Found::Site(Site {
        form,
        lists,
        demand: Demand::default(),
    })
}

/// Whether a place stands in the brackets of `name[…]`, as far as its line says so.
fn in_subscript(text: &str, at: usize) -> bool {
    let line = line_before(text, at);
    let mut open = 0_usize;
    let mut before = ' ';
    for character in line.chars() {
        match character {
            '[' if open > 0 || before.is_ascii_alphanumeric() || before == '_' => open += 1,
            ']' => open = open.saturating_sub(1),
            _ => {}
        }
        before = character;
    }
    open > 0
}

/// Whether a place stands in brackets of a regular expression.
fn in_brackets(text: &str, at: usize) -> bool {
    let line = line_before(text, at);
    let regex = line.rfind("=~").and_then(|from| line.get(from..));
    let regex = regex.unwrap_or(line);
    regex.matches('[').count() > regex.matches(']').count()
}

fn line_before(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    before.rsplit('\n').next().unwrap_or_default()
}

/// Whether the dollar sign at a place in `$'…'` belongs to an escape before it.
fn is_escaped_in_ansi(text: &str, span: Span, at: usize) -> bool {
    let bytes = text.as_bytes();
    let mut index = span.0 + 2;
    while index < at {
        if bytes.get(index) == Some(&b'\\') {
            index += 1 + usize::from(bytes.get(index + 1) == Some(&b'c'));
        }
        index += 1;
    }
    index > at
}

/// For a template whose place the tree does not have.
pub(super) fn unknown(text: &str, at: usize) -> Objection {
    let line = line_before(text, at);
    if line.contains('`') {
        return BACKTICKS;
    }
    if line.trim_start().is_empty() {
        return NAME;
    }
    Objection::new(
        "is in a place where it is not clear what bash makes of it",
        "put it in a variable first (`value=${…}`), and use `\"$value\"` here",
    )
}

const BACKTICKS: Objection =
    Objection::new("is in backticks, which bash reads twice", "write `$(…)`");
const DELIMITER: Objection = Objection::new(
    "is in a here-document whose delimiter is not plain",
    "use a delimiter of letters, such as `'EOF'`",
);
const QUOTES: Objection = Objection::new(
    "is in quotes that do not quote here",
    "leave out the quotes around it",
);
const SPLIT: Objection = Objection::new(
    "is in an expansion whose result is split into words",
    "put the whole expansion in double quotes",
);
pub(super) const DUPLICATE: Objection = Objection::new(
    "would be expanded a second time behind `>&` or `<&`",
    "write `> ${…} 2>&1`",
);
const NAMED: Objection = Objection::new(
    "would be the name of a variable, and bash evaluates what is in `name[…]`",
    "write the variable's name",
);
const SUBSCRIPT: Objection = Objection::new(
    "would be evaluated as an index",
    "put the number in a variable with `n=$(( ${…} ))`, and use that; a text cannot be a key",
);
const BRACKETS: Objection = Objection::new(
    "is in brackets of a regular expression, where it cannot be quoted",
    "compare without brackets",
);
