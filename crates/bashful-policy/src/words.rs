//! Reading one word of bash: quotes, escapes, and the expansions inside it.

use crate::braces;
use crate::reader::Reader;
use crate::script::Word;

mod ansi;
mod draft;

pub(crate) use draft::{Draft, Mark};

/// Which characters end a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a command: blanks and operators.
    Command,
    /// In `[[ … ]]`: blanks only.
    Test,
}

impl Reader<'_, '_> {
    /// Reads the word at the cursor; brace expansion can make several of it.
    pub(crate) fn word(&mut self, place: Place) -> Vec<Word> {
        let start = self.position;
        let first_inner = self.script.commands.len();
        let mut draft = Draft::default();
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' => break,
                b'<' | b'>' if self.peek_at(1) == Some(b'(') => {
                    self.process_substitution(&mut draft);
                }
                b'(' if draft.bytes.last() == Some(&b'=') && draft.is_assignment() => {
                    self.array(&mut draft);
                }
                b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' if place == Place::Command => break,
                b'\\' => self.escape(&mut draft),
                b'\'' => self.single_quotes(&mut draft),
                b'"' => {
                    self.position += 1;
                    self.double_quotes(&mut draft);
                }
                b'$' => self.dollar(&mut draft, Quotes::None),
                b'`' => self.backticks(&mut draft, Quotes::None),
                _ => {
                    draft.push(byte, Mark::Plain);
                    self.position += 1;
                }
            }
        }
        let span = self.span_from(start);
        let inner = first_inner..self.script.commands.len();
        let drafts = if draft.has_plain(b"{") && !draft.is_assignment() {
            braces::expand(draft).unwrap_or_else(|| {
                self.give_up();
                Vec::new()
            })
        } else {
            vec![draft]
        };
        let finish = |draft: Draft| Word {
            inner: inner.clone(),
            ..draft.finish(span)
        };
        drafts.into_iter().map(finish).collect()
    }

    /// Reads `text[position..limit]` as the body of an unquoted here-document.
    pub(crate) fn here_body(&mut self) -> Word {
        let start = self.position;
        let first_inner = self.script.commands.len();
        let mut draft = Draft::default();
        while self.peek().is_some() {
            self.quoted_byte(&mut draft);
        }
        let inner = first_inner..self.script.commands.len();
        Word {
            inner,
            ..draft.finish(self.span_from(start))
        }
    }

    fn escape(&mut self, draft: &mut Draft) {
        match self.peek_at(1) {
            // A backslash at the end of a line joins it with the next.
            Some(b'\n') => {}
            Some(byte) => {
                draft.push(byte, Mark::Quoted);
                draft.quoted = true;
            }
            None => draft.push(b'\\', Mark::Quoted),
        }
        self.position += 2;
    }

    fn single_quotes(&mut self, draft: &mut Draft) {
        draft.quoted = true;
        self.position += 1;
        let rest = self.rest();
        let end = rest
            .iter()
            .position(|&byte| byte == b'\'')
            .unwrap_or_else(|| {
                self.script.trouble = true;
                rest.len()
            });
        draft.extend(rest.get(..end).unwrap_or_default(), Mark::Quoted);
        self.position += end + 1;
    }

    /// Reads up to the closing quote; the cursor is after the opening one.
    fn double_quotes(&mut self, draft: &mut Draft) {
        draft.quoted = true;
        loop {
            match self.peek() {
                None => {
                    self.script.trouble = true;
                    return;
                }
                Some(b'"') => {
                    self.position += 1;
                    return;
                }
                Some(_) => self.quoted_byte(draft),
            }
        }
    }

    /// One step inside double quotes or a here-document.
    fn quoted_byte(&mut self, draft: &mut Draft) {
        match (self.peek(), self.peek_at(1)) {
            (Some(b'$'), _) => self.dollar(draft, Quotes::Double),
            (Some(b'`'), _) => self.backticks(draft, Quotes::Double),
            (Some(b'\\'), Some(b'\n')) => self.position += 2,
            (Some(b'\\'), Some(byte @ (b'$' | b'`' | b'"' | b'\\'))) => {
                draft.push(byte, Mark::Quoted);
                self.position += 2;
            }
            (Some(byte), _) => {
                draft.push(byte, Mark::Quoted);
                self.position += 1;
            }
            (None, _) => {}
        }
    }

    fn dollar(&mut self, draft: &mut Draft, quotes: Quotes) {
        let next = self.peek_at(1);
        match next {
            Some(b'(') => self.dollar_parenthesis(draft),
            Some(b'{') => self.parameter(draft, quotes),
            Some(b'\'') if quotes == Quotes::None => self.ansi_quotes(draft),
            Some(b'"') if quotes == Quotes::None => {
                self.position += 2;
                self.double_quotes(draft);
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                self.position += 1;
                let name = self.name();
                draft.push_variable(name);
            }
            Some(byte) if byte.is_ascii_digit() || b"@*#?-$![".contains(&byte) => {
                draft.extend(&[b'$', byte], Mark::Unknown);
                self.position += 2;
            }
            _ => {
                draft.push(b'$', Mark::Quoted);
                self.position += 1;
            }
        }
    }

    fn dollar_parenthesis(&mut self, draft: &mut Draft) {
        // The short form stands for the whole, so that a text that is read again (`bash -c`) does
        // not visit its substitutions twice.
        draft.extend(b"$()", Mark::Unknown);
        if self.peek_at(2) == Some(b'(')
            && let Some(end) = self.arithmetic_end(self.position + 3)
        {
            self.position += 3;
            self.expansions_until(end);
            self.position = end + 2;
        } else {
            self.position += 2;
            self.substitution(b')');
        }
    }

    fn process_substitution(&mut self, draft: &mut Draft) {
        draft.extend(b"<()", Mark::Unknown);
        self.position += 2;
        self.substitution(b')');
    }

    /// `${…}`: the cursor is on the dollar.
    fn parameter(&mut self, draft: &mut Draft, quotes: Quotes) {
        self.position += 2;
        if matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'|')) {
            // Bash 5.3 runs `${ command; }` in place.
            self.position += 1;
            draft.extend(b"$()", Mark::Unknown);
            self.substitution(b'}');
            return;
        }
        if !self.enter() {
            return;
        }
        let name = self.name();
        let plain = matches!(self.peek(), Some(b'}' | b':' | b'?' | b'-' | b'%' | b'='));
        draft.push_variable(if plain || name != b"HOME" { name } else { b"_" });
        let mut ignored = Draft::default();
        loop {
            match self.peek() {
                None => {
                    self.script.trouble = true;
                    break;
                }
                Some(b'}') => {
                    self.position += 1;
                    break;
                }
                Some(b'\\') => self.position += 2,
                Some(b'\'') if quotes == Quotes::None => self.single_quotes(&mut ignored),
                Some(b'"') => {
                    self.position += 1;
                    self.double_quotes(&mut ignored);
                }
                Some(b'$') => self.dollar(&mut ignored, quotes),
                Some(b'`') => self.backticks(&mut ignored, quotes),
                Some(b'<' | b'>') if self.peek_at(1) == Some(b'(') => {
                    self.process_substitution(&mut ignored);
                }
                Some(_) => self.position += 1,
            }
        }
        self.leave();
    }

    /// `` `…` ``: the text is unescaped once, then read on its own.
    fn backticks(&mut self, draft: &mut Draft, quotes: Quotes) {
        draft.extend(b"$()", Mark::Unknown);
        let start = self.position;
        self.position += 1;
        let mut text = Vec::new();
        loop {
            match (self.peek(), self.peek_at(1)) {
                (None, _) => {
                    self.script.trouble = true;
                    break;
                }
                (Some(b'`'), _) => {
                    self.position += 1;
                    break;
                }
                (Some(b'\\'), Some(byte))
                    if b"`$\\".contains(&byte) || (byte == b'"' && quotes == Quotes::Double) =>
                {
                    text.push(byte);
                    self.position += 2;
                }
                (Some(byte), _) => {
                    text.push(byte);
                    self.position += 1;
                }
            }
        }
        let span = self.span_from(start);
        self.nested(&text, span);
    }

    /// Visits the substitutions of an arithmetic expression, which is otherwise only numbers.
    pub(crate) fn expansions_until(&mut self, end: usize) {
        let mut ignored = Draft::default();
        let limit = self.narrow(end);
        while self.peek().is_some() {
            self.quoted_byte(&mut ignored);
        }
        self.limit = limit;
    }

    /// Where `((` closes with `))`, as bash decides it; otherwise it is two subshells.
    pub(crate) fn arithmetic_end(&self, from: usize) -> Option<usize> {
        let mut open = 1_usize;
        let mut index = from;
        let mut quote = None;
        while let Some(byte) = self.byte(index) {
            match (byte, quote) {
                (b'\\', _) => index += 1,
                (b'\'' | b'"' | b'`', None) => quote = Some(byte),
                (_, Some(opener)) if opener == byte => quote = None,
                (b'(', None) => open += 1,
                (b')', None) if open > 1 => open -= 1,
                (b')', None) => return (self.byte(index + 1) == Some(b')')).then_some(index),
                _ => {}
            }
            index += 1;
        }
        None
    }

    /// `NAME=( … )`: the elements are words of their own.
    fn array(&mut self, draft: &mut Draft) {
        draft.extend(b"()", Mark::Unknown);
        self.position += 1;
        if !self.enter() {
            return;
        }
        loop {
            self.skip_space_and_comments();
            match self.peek() {
                None => {
                    self.script.trouble = true;
                    break;
                }
                Some(b')') => {
                    self.position += 1;
                    break;
                }
                Some(_) => {
                    let before = self.position;
                    self.word(Place::Command);
                    // An operator is not a word; step over it.
                    if self.position == before {
                        self.position += 1;
                    }
                }
            }
        }
        self.leave();
    }
}

/// Whether an expansion stands inside double quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotes {
    None,
    Double,
}
