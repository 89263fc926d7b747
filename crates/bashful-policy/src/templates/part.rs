//! Parts: the commands of a script that were read, each once.

use std::borrow::Cow;
use std::collections::HashMap;

use super::name::Candidate;
use super::site;
use crate::context::Context;
use crate::facts::{Argument, Assignment, Facts, Input, Redirect, Span, UnknownKind, walk};
use crate::shell::{self, Mark, Reference, Substitution};

/// A command that stands alone, or a text that a command hands to a shell as it is.
#[derive(Debug)]
pub(super) struct Part<'s> {
    pub(super) text: Cow<'s, str>,
    /// Where it starts in the script.
    pub(super) offset: usize,
    /// Whether its bytes are those of the script, from there on.
    pub(super) is_script: bool,
    /// The function or script whose positional parameters it has outside of functions.
    pub(super) scope: String,
    pub(super) facts: Facts,
    pub(super) marks: Vec<Mark>,
    pub(super) references: Vec<Reference>,
    pub(super) substitutions: Vec<Substitution>,
    /// The templates in it, from the first of them on, as spans of its text.
    pub(super) templates: Vec<Span>,
    pub(super) first_template: usize,
    printers: HashMap<Span, Vec<usize>>,
}

/// A command that cannot be read, with the byte where that was seen.
#[derive(Debug)]
pub(super) struct Unreadable(pub(super) usize);

impl<'s> Part<'s> {
    /// Reads a command of a script.
    pub(super) fn read(
        text: &'s str,
        offset: usize,
        first_template: usize,
        candidates: &[Candidate],
    ) -> Result<Self, Unreadable> {
        let templates: Vec<Span> = candidates
            .iter()
            .map(|next| (next.start - offset, next.end - offset))
            .collect();
        let mut part = Self::of(Cow::Borrowed(text), templates)
            .map_err(|Unreadable(at)| Unreadable(offset + at))?;
        part.offset = offset;
        part.is_script = true;
        part.first_template = first_template;
        Ok(part)
    }

    /// Reads a text that a command at a place of the script hands to a shell.
    pub(super) fn handed(text: String, offset: usize, scope: String) -> Result<Self, Unreadable> {
        let mut part = Self::of(Cow::Owned(text), Vec::new())?;
        part.offset = offset;
        part.scope = scope;
        Ok(part)
    }

    fn of(text: Cow<'s, str>, templates: Vec<Span>) -> Result<Self, Unreadable> {
        let wanted = templates.iter().map(|span| span.0).collect();
        let tree = shell::parse_marked(&text, wanted);
        let stops =
            |kind: UnknownKind| matches!(kind, UnknownKind::Syntax | UnknownKind::TooComplex);
        if let Some((_, span)) = tree.problems.iter().find(|(kind, _)| stops(*kind)) {
            return Err(Unreadable(span.0));
        }
        let facts = walk(&text, &tree, &Context::of_script(), None);
        if let Some(unknown) = facts.unknowns.iter().find(|unknown| stops(unknown.kind)) {
            return Err(Unreadable(unknown.span.0));
        }
        let mut substitutions = tree.substitutions;
        // The innermost come first.
        substitutions.sort_by_key(|next| next.span.1 - next.span.0);
        Ok(Self {
            printers: printers(&facts, &substitutions),
            text,
            offset: 0,
            is_script: false,
            scope: String::new(),
            facts,
            marks: tree.marks,
            references: tree.references,
            substitutions,
            templates,
            first_template: 0,
        })
    }

    /// The mark of a template.
    pub(super) fn mark(&self, start: usize) -> Option<&Mark> {
        site::mark_at(start, &self.marks)
    }

    /// Where a place of this part stands in the script.
    pub(super) fn position(&self, at: usize) -> usize {
        self.offset + if self.is_script { at } else { 0 }
    }

    /// The text of a span.
    pub(super) fn slice(&self, span: Span) -> &str {
        self.text.get(span.0..span.1).unwrap_or_default()
    }

    /// The descriptor of a redirect. The parser takes the number before `<<` for a word.
    pub(super) fn descriptor(&self, redirect: &Redirect) -> Option<i32> {
        let before = self.text.get(..redirect.span.0).unwrap_or_default();
        let rest = before.trim_end_matches(|sign: char| sign.is_ascii_digit());
        let number = before.get(rest.len()..).unwrap_or_default();
        let apart = rest.is_empty() || rest.ends_with([' ', '\t', '\n', ';', '&', '|', '(']);
        let number = number.parse().ok().filter(|_| apart);
        redirect.descriptor.or(number)
    }

    /// Whether a word is the number before `<<`.
    pub(super) fn is_descriptor(&self, word: &Argument) -> bool {
        let after = self.text.get(word.span.1..).unwrap_or_default();
        let digits = |byte: u8| byte.is_ascii_digit();
        word.text.bytes().all(digits) && after.starts_with("<<")
    }

    /// Whether an assignment is written as a word, and not as the variable of a loop.
    pub(super) fn is_word_of(&self, assignment: &Assignment) -> bool {
        let text = self.slice(assignment.span);
        let text = text.trim_start_matches(['"', '\'', '\\']);
        let loops = ["for", "select"].iter().any(|word| {
            let rest = text.strip_prefix(word);
            rest.is_some_and(|rest| rest.starts_with([' ', '\t', '\n']))
        });
        !loops
    }

    /// The substitutions around a place, the innermost first.
    pub(super) fn around(&self, at: usize) -> impl Iterator<Item = &Substitution> {
        self.substitutions
            .iter()
            .filter(move |next| next.span.0 <= at && at < next.span.1)
    }

    /// The function around a place, or whose parameters are seen outside of functions.
    pub(super) fn scope_at(&self, at: usize) -> &str {
        let functions = self.facts.functions.iter();
        functions
            .filter(|function| function.span.0 <= at && at < function.span.1)
            .min_by_key(|function| function.span.1 - function.span.0)
            .map_or(self.scope.as_str(), |function| function.name.as_str())
    }

    /// The calls of a substitution that others in it do not read.
    pub(super) fn printers(&self, substitution: Span) -> &[usize] {
        self.printers.get(&substitution).map_or(&[], Vec::as_slice)
    }
}

/// The calls that stand directly in each substitution, without those that others in it read.
fn printers(facts: &Facts, substitutions: &[Substitution]) -> HashMap<Span, Vec<usize>> {
    let mut printers: HashMap<Span, Vec<usize>> = HashMap::new();
    if substitutions.is_empty() {
        return printers;
    }
    let mut spans: Vec<Span> = substitutions.iter().map(|next| next.span).collect();
    spans.sort_by_key(|span| (span.0, std::cmp::Reverse(span.1)));
    let mut calls: Vec<(usize, usize)> = facts
        .calls
        .iter()
        .enumerate()
        .map(|(index, call)| (call.span.0, index))
        .collect();
    calls.sort_unstable();
    let mut next = 0;
    let mut open: Vec<Span> = Vec::new();
    for (at, index) in calls {
        while let Some(span) = spans.get(next).filter(|span| span.0 <= at) {
            while open.pop_if(|last| last.1 <= span.0).is_some() {}
            open.push(*span);
            next += 1;
        }
        while open.pop_if(|last| last.1 <= at).is_some() {}
        if let Some(span) = open.last() {
            printers.entry(*span).or_default().push(index);
        }
    }
    for indexes in printers.values_mut() {
        let all = indexes.clone();
        let read = |index: &usize| {
            all.iter().any(|other| {
                let call = facts.calls.get(*other);
                call.is_some_and(
                    |call| matches!(&call.input, Input::Pipe(range) if range.contains(index)),
                )
            })
        };
        indexes.retain(|index| !read(index));
    }
    printers
}
