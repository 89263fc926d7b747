//! A sheet: named sections of wrapped text, aligned.

use super::{
    style::{Style, Tone},
    text,
};

/// The least columns for the text of a section, however narrow the terminal is.
const LEAST_TEXT_WIDTH: usize = 16;

/// A text that is written section by section.
pub(super) struct Sheet<'a> {
    pub(super) style: Style,
    pub(super) out: &'a mut Vec<u8>,
    /// The columns of the names.
    pub(super) names: usize,
    /// The most rows that one text may take.
    pub(super) rows: usize,
}

impl Sheet<'_> {
    /// A named text. It may hold anything; it is made safe here.
    pub(super) fn section(&mut self, name: &str, tone: Tone, content: &str) {
        let room = self.style.columns().saturating_sub(self.names);
        let room = room.max(LEAST_TEXT_WIDTH);
        let mut name = name;
        for row in text::wrap(&text::visible(content), room, self.rows) {
            self.style.paint(
                Tone::Heading,
                &format!("{name:names$}", names = self.names),
                self.out,
            );
            self.style.paint(tone, &row, self.out);
            self.out.push(b'\n');
            name = "";
        }
    }

    /// A named list; nothing if it is empty.
    pub(super) fn list(&mut self, name: &str, items: &[String]) {
        if !items.is_empty() {
            self.section(name, Tone::Plain, &items.join(", "));
        }
    }

    /// A heading on a line of its own.
    pub(super) fn heading(&mut self, words: &str) {
        self.style.paint(Tone::Heading, words, self.out);
        self.out.push(b'\n');
    }

    /// A text behind a sign, such as `✓`.
    pub(super) fn item(&mut self, sign: &str, tone: Tone, content: &str) {
        let lead = sign.chars().count() + 3;
        let room = self.style.columns().saturating_sub(lead);
        let room = room.max(LEAST_TEXT_WIDTH);
        let mut sign = Some(sign);
        for row in text::wrap(&text::visible(content), room, self.rows) {
            match sign.take() {
                Some(sign) => {
                    self.out.extend(b"  ");
                    self.style.paint(tone, sign, self.out);
                    self.out.push(b' ');
                }
                None => self.out.extend(" ".repeat(lead).bytes()),
            }
            self.style.paint(Tone::Plain, &row, self.out);
            self.out.push(b'\n');
        }
    }

    pub(super) fn blank(&mut self) {
        self.out.push(b'\n');
    }
}
