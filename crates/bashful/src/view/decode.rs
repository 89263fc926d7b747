//! Reads the bytes of a child and reports what they mean as tokens that are safe to draw.

use super::{
    charset::{Class, Classifier},
    pen::Pen,
};

/// The most parameters of an escape sequence that are held back; a longer one is plain text.
const PARAMETERS_LIMIT: usize = 48;

/// One thing the child wants on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A character with columns of its own.
    Glyph(char),
    /// A combining mark that belongs to the glyph before it.
    Mark(char),
    /// A character that must be spelled out (see [`super::charset::spell`]).
    Odd(char),
    /// A tab, as wide as the column asks for.
    Tab,
    /// The end of a line.
    Newline,
    /// Back to the start of the line; what is written next replaces it. Before [`Token::Newline`]
    /// it means nothing.
    Return,
    /// Erase from here to the end of the line.
    Erase,
    /// Draw the following glyphs with this pen.
    Pen(Pen),
}

/// Turns bytes into tokens. The tokens depend on the bytes alone, not on how they are chunked,
/// and no more than one character and one short escape sequence is ever held back.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// The start of a character whose other bytes have not arrived.
    partial: Vec<u8>,
    escape: Escape,
    pen: Pen,
    classifier: Classifier,
}

/// How far into an escape sequence we are.
#[derive(Debug, Default)]
enum Escape {
    #[default]
    Outside,
    /// After `ESC`.
    Begun,
    /// After `ESC [`, with the parameters so far.
    Parameters(String),
}

impl Decoder {
    /// Reads more bytes.
    pub(super) fn push(&mut self, bytes: &[u8], sink: &mut impl FnMut(Token)) {
        for &byte in bytes {
            if byte.is_ascii() && self.partial.is_empty() {
                self.character(char::from(byte), sink);
            } else {
                self.byte(byte, sink);
            }
        }
    }

    /// Reports what was held back, since nothing more will come.
    pub(super) fn finish(&mut self, sink: &mut impl FnMut(Token)) {
        if !self.partial.is_empty() {
            self.partial.clear();
            self.character(char::REPLACEMENT_CHARACTER, sink);
        }
        match std::mem::take(&mut self.escape) {
            Escape::Outside => {}
            Escape::Begun => self.odd_escape("", sink),
            Escape::Parameters(parameters) => {
                self.odd_escape("[", sink);
                parameters.chars().for_each(|c| self.text(c, sink));
            }
        }
    }

    /// Adds a byte to a character of several bytes.
    fn byte(&mut self, byte: u8, sink: &mut impl FnMut(Token)) {
        self.partial.push(byte);
        match std::str::from_utf8(&self.partial) {
            Ok(text) => {
                let c = text.chars().next();
                self.partial.clear();
                if let Some(c) = c {
                    self.character(c, sink);
                }
            }
            Err(error) if error.error_len().is_none() => {}
            Err(_) => {
                // What came before was a good beginning, so this byte is where it went wrong;
                // unless it is alone, it gets its own chance to begin a character.
                let alone = self.partial.len() == 1;
                self.partial.clear();
                self.character(char::REPLACEMENT_CHARACTER, sink);
                if !alone {
                    self.push(&[byte], sink);
                }
            }
        }
    }

    /// Reads one whole character.
    fn character(&mut self, c: char, sink: &mut impl FnMut(Token)) {
        match std::mem::take(&mut self.escape) {
            Escape::Outside => self.ground(c, sink),
            Escape::Begun if c == '[' => self.escape = Escape::Parameters(String::new()),
            Escape::Begun => {
                self.odd_escape("", sink);
                self.ground(c, sink);
            }
            Escape::Parameters(mut parameters) => match c {
                '0'..='9' | ';' if parameters.len() < PARAMETERS_LIMIT => {
                    parameters.push(c);
                    self.escape = Escape::Parameters(parameters);
                }
                'm' => {
                    self.pen.apply(&parameters);
                    sink(Token::Pen(self.pen));
                }
                // `grep` and `gcc` send this with every colour, and it can do no harm: there is
                // never anything of ours to the right of the child's cursor.
                'K' if parameters.is_empty() || parameters == "0" => sink(Token::Erase),
                _ => {
                    self.odd_escape("[", sink);
                    parameters.chars().for_each(|c| self.text(c, sink));
                    self.ground(c, sink);
                }
            },
        }
    }

    /// Reads a character outside escape sequences.
    fn ground(&mut self, c: char, sink: &mut impl FnMut(Token)) {
        let token = match c {
            '\n' => Token::Newline,
            '\r' => Token::Return,
            '\t' => Token::Tab,
            '\u{1b}' => {
                self.escape = Escape::Begun;
                return;
            }
            _ => return self.text(c, sink),
        };
        self.classifier.interrupt();
        sink(token);
    }

    /// Reports a character that is to be seen, in whatever form.
    fn text(&mut self, c: char, sink: &mut impl FnMut(Token)) {
        match self.classifier.class(c) {
            Class::Glyph => sink(Token::Glyph(c)),
            Class::Mark => sink(Token::Mark(c)),
            Class::Odd => sink(Token::Odd(c)),
            Class::Selector => {}
        }
    }

    /// Reports that an escape sequence is not one we let through.
    fn odd_escape(&mut self, introducer: &str, sink: &mut impl FnMut(Token)) {
        self.text('\u{1b}', sink);
        introducer.chars().for_each(|c| self.text(c, sink));
    }
}

#[cfg(test)]
mod tests {
    use super::{super::charset::spell, *};

    /// The tokens of some chunks, written down so that a test can read them.
    fn read(chunks: &[&[u8]]) -> String {
        let mut shown = String::new();
        let mut sink = |token| match token {
            Token::Glyph(c) | Token::Mark(c) => shown.push(c),
            Token::Odd(c) => shown.extend(spell(c)),
            Token::Tab => shown.push_str("<tab>"),
            Token::Newline => shown.push_str("<newline>"),
            Token::Return => shown.push_str("<return>"),
            Token::Erase => shown.push_str("<erase>"),
            Token::Pen(_) => shown.push_str("<pen>"),
        };
        let mut decoder = Decoder::default();
        for chunk in chunks {
            decoder.push(chunk, &mut sink);
        }
        decoder.finish(&mut sink);
        shown
    }

    #[test]
    fn only_colours_and_line_erasure_are_understood() {
        assert_eq!(
            read(&[b"\x1b[31ma\x1b[m\x1b[K\tb\r\n"]),
            "<pen>a<pen><erase><tab>b<return><newline>"
        );
        assert_eq!(read(&[b"\x1b[2Jx"]), "␛[2Jx");
        assert_eq!(read(&[b"\x1b[?25l\x1b[1A\x1b[2K\x1bc"]), "␛[?25l␛[1A␛[2K␛c");
        assert_eq!(read(&[b"\x1b]0;title\x07\x08"]), "␛]0;title^G^H");
        assert_eq!(read(&[b"\x1b\x1b[1m"]), "␛<pen>");
        assert_eq!(read(&["\u{9b}2J\u{202e}".as_bytes()]), "\\u{9b}2J\\u{202e}");
    }

    #[test]
    fn a_newline_inside_a_sequence_is_still_a_newline() {
        assert_eq!(read(&[b"\x1b[3\nm"]), "␛[3<newline>m");
        assert_eq!(read(&[b"\x1b\n"]), "␛<newline>");
    }

    #[test]
    fn split_sequences_are_put_together_and_unfinished_ones_shown() {
        assert_eq!(read(&[b"\x1b", b"[", b"3", b"1", b"m"]), "<pen>");
        assert_eq!(read(&[b"\xe2\x9c", b"\x93"]), "✓");
        assert_eq!(read(&[b"a\x1b[3"]), "a␛[3");
        assert_eq!(read(&[b"\xe2\x9c"]), "\u{fffd}");
    }

    #[test]
    fn invalid_bytes_become_replacement_characters() {
        assert_eq!(read(&[b"\x9b2J"]), "\u{fffd}2J");
        assert_eq!(read(&[b"\xe2\x9c\xe2\x9c\x93"]), "\u{fffd}✓");
        assert_eq!(read(&[b"\xe2\x1b[1m"]), "\u{fffd}<pen>");
        assert_eq!(read(&[b"\xed\xa0\x80"]), "\u{fffd}\u{fffd}\u{fffd}");
    }

    #[test]
    fn an_endless_sequence_is_text_and_is_not_kept() {
        let mut decoder = Decoder::default();
        let mut glyphs = 0_usize;
        decoder.push(b"\x1b[", &mut |_| {});
        for _ in 0..100_000 {
            decoder.push(b"1;", &mut |_| glyphs += 1);
        }
        assert!(glyphs >= 199_900);
        assert!(matches!(decoder.escape, Escape::Outside));
    }
}
