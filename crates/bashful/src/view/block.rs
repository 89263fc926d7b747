//! A block in which text from outside stands behind a border of its own, whatever it holds.

use super::{
    style::{Style, Tone},
    text,
};

/// The least columns for a text beside its name; with less, the name gets a row of its own.
const LEAST_ROOM: usize = 20;
/// What stands around a name: two borders that may take two columns each, and three blanks.
const AROUND: usize = 7;
/// The same where there is no name beside the text.
const AROUND_NARROW: usize = 3;

/// A block being written. Each row begins with a border; so does each text, behind its name.
pub(super) struct Block<'a> {
    style: Style,
    names: usize,
    out: &'a mut Vec<u8>,
}

impl<'a> Block<'a> {
    /// Begins a block; its names take at most this many columns.
    pub(super) fn open(
        style: Style,
        (tone, title): (Tone, &str),
        names: usize,
        out: &'a mut Vec<u8>,
    ) -> Self {
        style.paint(Tone::Rule, "╭─ ", out);
        style.paint(tone, title, out);
        out.push(b'\n');
        Self { style, names, out }
    }

    /// A heading inside the block, and how wide the names below it are.
    pub(super) fn heading(&mut self, words: &str, names: usize) {
        self.names = names;
        self.style.paint(Tone::Rule, "├─ ", self.out);
        self.style.paint(Tone::Heading, words, self.out);
        self.out.push(b'\n');
    }

    /// A remark of ours between rows of a text.
    pub(super) fn remark(&mut self, words: &str) {
        self.style.paint(Tone::Rule, "├╌ ", self.out);
        self.style.paint(Tone::Warning, words, self.out);
        self.out.push(b'\n');
    }

    /// The columns that a text has.
    pub(super) fn room(&self) -> usize {
        let columns = self.style.columns();
        if self.is_narrow() {
            columns.saturating_sub(AROUND_NARROW).max(1)
        } else {
            columns - self.names - AROUND
        }
    }

    fn is_narrow(&self) -> bool {
        self.style.columns() < self.names + AROUND + LEAST_ROOM
    }

    /// A named text. It may hold anything; it is made safe here.
    pub(super) fn text(&mut self, name: &str, tone: Tone, content: &str, most_rows: usize) {
        let rows = text::wrap(&text::visible(content), self.room(), most_rows);
        self.rows(name, rows.into_iter().map(|row| (tone, row)));
    }

    /// A name and rows that are safe already and no wider than [`Self::room`].
    pub(super) fn rows(&mut self, name: &str, rows: impl IntoIterator<Item = (Tone, String)>) {
        let narrow = self.is_narrow();
        if narrow && !name.is_empty() {
            self.style.paint(Tone::Rule, "├ ", self.out);
            let name = text::shorten(name.trim(), self.room());
            self.style.paint(Tone::Heading, &name, self.out);
            self.out.push(b'\n');
        }
        let mut name = name;
        for (tone, row) in rows {
            self.style.paint(Tone::Rule, "│", self.out);
            if !narrow {
                let label = format!(" {name:names$} ", names = self.names);
                self.style.paint(Tone::Heading, &label, self.out);
                self.style.paint(Tone::Rule, "│", self.out);
                name = "";
            }
            if !row.is_empty() {
                self.out.push(b' ');
                self.style.paint(tone, &row, self.out);
            }
            self.out.push(b'\n');
        }
    }

    /// Ends the block.
    pub(super) fn close(self) {
        self.style.rule("╰", self.out);
    }
}

/// The most rows of one entry; [`text::visible`] reads no more than that anyway.
const ROWS: usize = 500;

/// Writes a block of named texts. They may hold anything.
pub(crate) fn show_block(title: &str, entries: &[(&str, String)], style: Style, out: &mut Vec<u8>) {
    let names = entries.iter().map(|(name, _)| name.len()).max();
    let mut block = Block::open(style, (Tone::Heading, title), names.unwrap_or(0), out);
    let mut last = "";
    for (name, content) in entries {
        let name = if *name == last {
            ""
        } else {
            last = name;
            name
        };
        block.text(name, Tone::Plain, content, ROWS);
    }
    block.close();
}
