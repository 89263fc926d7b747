//! Parts: the commands of a script that were read.

use super::name::Candidate;
use super::site;
use crate::context::Context;
use crate::facts::{Assignment, Facts, Span, UnknownKind, walk};
use crate::shell::{self, Mark, Reference, Substitution};

/// Some commands of a script.
#[derive(Debug)]
pub(super) struct Part<'s> {
    pub(super) text: &'s str,
    /// Where it starts in the script.
    pub(super) offset: usize,
    pub(super) facts: Facts,
    pub(super) marks: Vec<Mark>,
    pub(super) references: Vec<Reference>,
    pub(super) substitutions: Vec<Substitution>,
    /// The templates in it, as spans of its text.
    pub(super) templates: Vec<Span>,
}

/// A command that cannot be read, with the byte where that was seen.
#[derive(Debug)]
pub(super) struct Unreadable(pub(super) usize);

impl<'s> Part<'s> {
    /// Reads commands of a script, which have these candidates.
    pub(super) fn read(
        text: &'s str,
        offset: usize,
        candidates: &[Candidate],
    ) -> Result<Self, Unreadable> {
        let templates: Vec<Span> = candidates
            .iter()
            .map(|next| (next.start - offset, next.end - offset))
            .collect();
        let wanted = templates.iter().map(|span| span.0).collect();
        let tree = shell::parse_marked(text, wanted);
        let stops =
            |kind: UnknownKind| matches!(kind, UnknownKind::Syntax | UnknownKind::TooComplex);
        if let Some((_, span)) = tree.problems.iter().find(|(kind, _)| stops(*kind)) {
            return Err(Unreadable(offset + span.0));
        }
        let facts = walk(text, &tree, &Context::of_script(), None);
        if let Some(unknown) = facts.unknowns.iter().find(|unknown| stops(unknown.kind)) {
            return Err(Unreadable(offset + unknown.span.0));
        }
        let mut substitutions = tree.substitutions;
        // The innermost come first.
        substitutions.sort_by_key(|next| next.span.1 - next.span.0);
        Ok(Self {
            text,
            offset,
            facts,
            marks: tree.marks,
            references: tree.references,
            substitutions,
            templates,
        })
    }

    /// The mark of a template.
    pub(super) fn mark(&self, start: usize) -> Option<&Mark> {
        site::mark_at(start, &self.marks)
    }

    /// The variable that is given the template at a place.
    pub(super) fn target(&self, at: usize) -> Option<&str> {
        self.mark(at).and_then(|mark| mark.target.as_deref())
    }

    /// The assignments, without the variables of loops, whose value is all of their loop.
    pub(super) fn assignments(&self) -> impl Iterator<Item = &Assignment> {
        self.facts.assignments.iter().filter(|assignment| {
            let text = self.slice(assignment.span);
            let mut loops = ["for", "select"].into_iter();
            !loops.any(|word| {
                let rest = text.strip_prefix(word);
                rest.is_some_and(|rest| rest.starts_with([' ', '\t', '\n']))
            })
        })
    }

    /// The text of a span.
    pub(super) fn slice(&self, span: Span) -> &str {
        self.text.get(span.0..span.1).unwrap_or_default()
    }

    /// The substitutions around a place, the innermost first.
    pub(super) fn around(&self, at: usize) -> impl Iterator<Item = &Substitution> {
        self.substitutions
            .iter()
            .filter(move |next| next.span.0 <= at && at < next.span.1)
    }
}
