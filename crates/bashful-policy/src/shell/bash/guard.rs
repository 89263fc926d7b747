//! Guards: whatever could run a command in the source must be accounted for in the tree.
//!
//! Each of these closes a hole in which a parser took a substitution for plain text.

use shuck_ast as ast;
use shuck_parser::parser::Parser;

use super::Reader;
use crate::facts::UnknownKind;
use crate::shell::Quoting;

/// The places of a text that the tree accounts for.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Where substitutions start that the tree has.
    starts: Vec<usize>,
    /// What is text or was read on its own.
    whole: Vec<(usize, usize)>,
    /// Literal texts, in which only escaped starts are text.
    literals: Vec<(usize, usize, Quoting)>,
    /// How many bytes were parsed a second time.
    reparsed: usize,
}

impl Seen {
    pub(super) fn start(&mut self, at: usize) {
        self.starts.push(at);
    }

    pub(super) fn whole(&mut self, start: usize, end: usize) {
        self.whole.push((start, end));
    }

    pub(super) fn literal(&mut self, start: usize, end: usize, quoting: Quoting) {
        self.literals.push((start, end, quoting));
    }

    pub(super) fn comment(&mut self, comment: ast::Comment) {
        let range = comment.range;
        self.whole(range.start().into(), range.end().into());
    }
}

impl Reader<'_> {
    /// Checks that every start of a substitution is one that the tree has, or text.
    pub(super) fn guard(&mut self) {
        let bytes = self.text.as_bytes();
        let starts = suspects(bytes);
        if starts.is_empty() {
            return;
        }
        self.seen.starts.sort_unstable();
        self.seen.whole.sort_unstable();
        // Nested ranges are covered by the outermost one.
        let mut whole: Vec<(usize, usize)> = Vec::new();
        for &(start, end) in &self.seen.whole {
            match whole.last_mut() {
                Some(last) if start < last.1 => last.1 = last.1.max(end),
                _ => whole.push((start, end)),
            }
        }
        self.seen.literals.sort_unstable_by_key(|literal| literal.0);
        let unaccounted = starts.into_iter().find(|&at| {
            if self.seen.starts.binary_search(&at).is_ok() {
                return false;
            }
            let index = whole.partition_point(|&(start, _)| start <= at);
            let covered = index.checked_sub(1).and_then(|index| whole.get(index));
            if covered.is_some_and(|&(_, end)| at < end) {
                return false;
            }
            let index = self
                .seen
                .literals
                .partition_point(|&(start, ..)| start <= at);
            let literal = index
                .checked_sub(1)
                .and_then(|index| self.seen.literals.get(index));
            let Some(&(start, _, quoting)) = literal.filter(|&&(_, end, _)| at < end) else {
                return true;
            };
            let escaped = is_escaped(bytes, start, at);
            // In quotes `<(` is text, and outside them it is when its first character is.
            let process = matches!(bytes.get(at), Some(b'<' | b'>'));
            !(escaped || process && quoting == Quoting::Quoted)
        });
        if let Some(at) = unaccounted {
            self.problem(UnknownKind::Syntax, at, at + 2);
        }
    }

    /// Checks that the inside of a substitution, taken alone, reads the same.
    pub(super) fn recheck(&mut self, body: &ast::StmtSeq, span: ast::Span) {
        let (start, end) = (span.start.offset(), span.end.offset());
        let inside = self.text.get(start + 2..end.saturating_sub(1));
        let inside = inside.unwrap_or_default();
        // Nested ones are read once for each level, so the sum is bounded.
        let budget = 8 * self.text.len() + 4096;
        self.seen.reparsed += inside.len();
        if self.seen.reparsed > budget {
            self.problem(UnknownKind::TooComplex, start, end);
            return;
        }
        let again = Parser::new(inside).parse();
        if again.is_err() || again.file.body.stmts.len() != body.stmts.len() {
            self.problem(UnknownKind::Syntax, start, end);
        }
    }
}

/// Where a substitution could start.
fn suspects(bytes: &[u8]) -> Vec<usize> {
    let pair = |at: &usize| {
        matches!(
            (bytes.get(*at), bytes.get(at + 1)),
            (Some(b'`'), _) | (Some(b'$' | b'<' | b'>'), Some(b'('))
        )
    };
    (0..bytes.len()).filter(pair).collect()
}

/// Whether an odd number of backslashes stands before a byte.
fn is_escaped(bytes: &[u8], start: usize, at: usize) -> bool {
    let before = bytes.get(start..at).unwrap_or_default();
    let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\');
    backslashes.count() % 2 == 1
}
