//! Child output for a terminal on which no frame is drawn: text and plain colours, nothing else.

use super::{
    charset::spell,
    decode::{Decoder, Token},
    pen::Pen,
    style::Colour,
};

/// Makes the bytes of one stream harmless. What comes out is printable text, tabs, line ends
/// and, if wanted, harmless colours that are reset before every line end. The cursor never
/// moves back: a lone carriage return begins a new line, so each state of a progress bar is kept.
#[derive(Debug)]
pub(crate) struct Neutraliser {
    decoder: Decoder,
    drawing: Drawing,
}

impl Neutraliser {
    /// A neutraliser for one stream of one command.
    pub(crate) fn new(colour: Colour) -> Self {
        Self {
            decoder: Decoder::default(),
            drawing: Drawing {
                colour,
                wanted: Pen::default(),
                painted: Pen::default(),
                row: Row::Empty,
            },
        }
    }

    /// Reads more bytes of the child and writes what may be shown of them.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let drawing = &mut self.drawing;
        self.decoder
            .push(bytes, &mut |token| drawing.token(token, out));
        // Between two calls others may write, and they shall not find the child's colour.
        self.drawing.reset(out);
    }

    /// Writes what was held back and ends an unfinished line.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        let drawing = &mut self.drawing;
        self.decoder.finish(&mut |token| drawing.token(token, out));
        if self.drawing.row != Row::Empty {
            self.drawing.end_line(out);
        }
    }
}

/// What is on the current row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    /// No text has come on this row yet.
    Empty,
    /// Some text, and no carriage return after it.
    Begun,
    /// Some text and then a carriage return.
    Returned,
}

#[derive(Debug)]
struct Drawing {
    colour: Colour,
    wanted: Pen,
    painted: Pen,
    row: Row,
}

impl Drawing {
    fn token(&mut self, token: Token, out: &mut Vec<u8>) {
        match token {
            Token::Glyph(c) => self.put(c, out),
            Token::Mark(c) if self.row == Row::Begun => self.put(c, out),
            Token::Mark(c) | Token::Odd(c) => spell(c).for_each(|c| self.put(c, out)),
            Token::Tab => self.put('\t', out),
            Token::Newline => self.end_line(out),
            Token::Return if self.row == Row::Begun => self.row = Row::Returned,
            Token::Return | Token::Erase => {}
            Token::Pen(pen) => self.wanted = pen,
        }
    }

    fn put(&mut self, c: char, out: &mut Vec<u8>) {
        if self.row == Row::Returned {
            self.end_line(out);
        }
        if self.colour == Colour::On && self.painted != self.wanted {
            self.wanted.write(out);
            self.painted = self.wanted;
        }
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        self.row = Row::Begun;
    }

    fn end_line(&mut self, out: &mut Vec<u8>) {
        self.reset(out);
        out.push(b'\n');
        self.row = Row::Empty;
    }

    fn reset(&mut self, out: &mut Vec<u8>) {
        if self.painted != Pen::default() {
            self.painted = Pen::default();
            self.painted.write(out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(colour: Colour, chunks: &[&[u8]]) -> String {
        let mut neutraliser = Neutraliser::new(colour);
        let mut out = Vec::new();
        for chunk in chunks {
            neutraliser.push(chunk, &mut out);
        }
        neutraliser.finish(&mut out);
        assert_eq!(neutraliser.drawing.row, Row::Empty);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn text_and_colours_pass() {
        let text = b"a\tb\r\n\x1b[1;31mred\nmore\x1b[0m\n";
        assert_eq!(
            shown(Colour::On, &[text]),
            "a\tb\n\x1b[0;1;31mred\x1b[0m\n\x1b[0;1;31mmore\x1b[0m\n"
        );
        assert_eq!(shown(Colour::Off, &[text]), "a\tb\nred\nmore\n");
    }

    #[test]
    fn nothing_else_passes() {
        assert_eq!(shown(Colour::On, &[b"\x1b[2J\x1b[Hx\x07"]), "␛[2J␛[Hx^G\n");
        assert_eq!(shown(Colour::Off, &[b"10%\r20%\r\r\n"]), "10%\n20%\n");
        assert_eq!(shown(Colour::Off, &["\u{301}".as_bytes()]), "\\u{301}\n");
        assert_eq!(shown(Colour::Off, &[b"a\x1b[", b"K\x1b[3"]), "a␛[3\n");
    }

    #[test]
    fn no_three_bytes_after_an_escape_do_anything() {
        let nasty = b"\x1b[]?;017mKAJHc\r\n\x08\x9b\xc2\x84\x00\xe2";
        for first in nasty {
            for second in nasty {
                for third in nasty {
                    let text = shown(Colour::Off, &[&[0x1b, *first], &[*second, *third]]);
                    assert!(
                        text.chars().all(|c| c == '\n' || !c.is_control()),
                        "{text:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_colour_does_not_outlive_a_call() {
        let mut neutraliser = Neutraliser::new(Colour::On);
        let mut out = Vec::new();
        neutraliser.push(b"\x1b[31mred", &mut out);
        assert!(out.ends_with(b"\x1b[0m"));
        assert_ne!(neutraliser.drawing.row, Row::Empty);
    }
}
