//! The cursor of the reader: looking, stepping, skipping, and the limit on depth.

use super::{MAX_DEPTH, Reader};
use crate::script::Span;
use crate::words::Place;

impl<'t> Reader<'t, '_> {
    pub(crate) fn byte(&self, index: usize) -> Option<u8> {
        if index < self.limit {
            self.text.get(index).copied()
        } else {
            None
        }
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.byte(self.position)
    }

    pub(crate) fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.byte(self.position + ahead)
    }

    pub(crate) fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.position += 1;
        Some(byte)
    }

    /// What is left up to the limit.
    pub(crate) fn rest(&self) -> &'t [u8] {
        self.text.get(self.position..self.limit).unwrap_or_default()
    }

    pub(super) fn looking_at(&self, bytes: &[u8]) -> bool {
        self.rest().starts_with(bytes)
    }

    /// Sets a nearer limit and returns the old one.
    pub(crate) fn narrow(&mut self, end: usize) -> usize {
        let limit = end.min(self.limit);
        std::mem::replace(&mut self.limit, limit)
    }

    /// The bytes from there to the cursor, in terms of the original text.
    pub(crate) fn span_from(&self, start: usize) -> Span {
        self.origin
            .unwrap_or((start, self.position.min(self.limit)))
    }

    /// One level deeper; `false` when that is too deep, and then nothing more is read.
    pub(crate) fn enter(&mut self) -> bool {
        if self.depth >= MAX_DEPTH {
            self.give_up();
            return false;
        }
        self.depth += 1;
        true
    }

    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    pub(crate) fn give_up(&mut self) {
        self.script.too_complex = true;
        self.position = self.limit;
    }

    /// Reads a variable's name.
    pub(crate) fn name(&mut self) -> &'t [u8] {
        let rest = self.rest();
        let named = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = rest.iter().take_while(|byte| named(byte)).count();
        self.position += length;
        rest.get(..length).unwrap_or_default()
    }

    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.position += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.position += 2,
                _ => return,
            }
        }
    }

    pub(super) fn skip_line(&mut self) {
        let rest = self.rest();
        let end = rest.iter().position(|&byte| byte == b'\n');
        self.position += end.unwrap_or(rest.len());
    }

    pub(crate) fn skip_space_and_comments(&mut self) {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'\n') => self.position += 1,
                Some(b'#') => self.skip_line(),
                _ => return,
            }
        }
    }

    /// `2` before `>` or `{name}` before `<`: skipped when a redirect follows.
    pub(super) fn skip_descriptor(&mut self) -> bool {
        let rest = self.rest();
        let inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'{' | b'}');
        let length = rest.iter().take_while(|byte| inside(byte)).count();
        let (descriptor, after) = rest.split_at_checked(length).unwrap_or_default();
        let number = descriptor.iter().all(u8::is_ascii_digit);
        let name = descriptor.first() == Some(&b'{') && descriptor.last() == Some(&b'}');
        let operator =
            matches!(after, [b'<' | b'>', next, ..] if *next != b'(') || after.len() == 1;
        let found = (number || name) && operator && matches!(after.first(), Some(b'<' | b'>'));
        if found {
            self.position += length;
        }
        found
    }

    /// After `(`: skips `)` when nothing else is between.
    pub(super) fn empty_parentheses(&mut self) -> bool {
        let rest = self.rest();
        let blanks = rest
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
        let empty = rest.get(blanks) == Some(&b')');
        if empty {
            self.position += blanks + 1;
        }
        empty
    }

    /// `]]` as a word of its own.
    pub(super) fn skip_test_end(&mut self) -> bool {
        let after = self.peek_at(2);
        let ends = after.is_none_or(|byte| b" \t\n;&|()<>".contains(&byte));
        let found = self.looking_at(b"]]") && ends;
        if found {
            self.position += 2;
        }
        found
    }

    /// `time -p`: the option of the reserved word.
    pub(super) fn skip_time_options(&mut self) {
        self.skip_blanks();
        while self.looking_at(b"-p ") || self.looking_at(b"-- ") {
            self.position += 3;
            self.skip_blanks();
        }
    }

    /// `coproc NAME {`: the name, when a compound command follows it.
    pub(super) fn skip_coprocess_name(&mut self) {
        self.skip_blanks();
        let start = self.position;
        let name = self.name();
        self.skip_blanks();
        let compound = matches!(self.peek(), Some(b'{' | b'('));
        if name.is_empty() || !compound {
            self.position = start;
        }
    }

    /// `case WORD in`, and the first pattern.
    pub(super) fn case_header(&mut self) {
        self.skip_space_and_comments();
        self.word(Place::Command);
        self.skip_space_and_comments();
        if self.looking_at(b"in") {
            self.position += 2;
        } else {
            self.script.trouble = true;
        }
        self.case_pattern();
    }

    /// `a|b)` before the commands of a case, unless `esac` ends it.
    pub(super) fn case_pattern(&mut self) {
        self.skip_space_and_comments();
        if self.looking_at(b"esac") {
            return;
        }
        while let Some(byte) = self.peek() {
            match byte {
                b')' => {
                    self.position += 1;
                    return;
                }
                b' ' | b'\t' | b'\n' | b'(' | b'|' | b'&' | b';' | b'<' | b'>'
                    if !(matches!(byte, b'<' | b'>') && self.peek_at(1) == Some(b'(')) =>
                {
                    self.position += 1;
                }
                _ => {
                    self.word(Place::Command);
                }
            }
        }
        self.script.trouble = true;
    }
}
