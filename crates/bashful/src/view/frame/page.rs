//! The rows between the rules: gutters, wrapping, colours and the change between two streams.

use super::{
    super::{
        charset::spell,
        decode::Token,
        pen::Pen,
        spinner::CLEAR_ROW,
        style::{Colour, Style, Tone},
        text,
    },
    Stream,
};

/// The columns of a gutter.
const GUTTER_WIDTH: usize = 2;
/// The distance between two tab stops, counted from the gutter.
const TAB_WIDTH: usize = 8;

/// The rows of one command. Every row begins with a gutter, and wherever the cursor goes to the
/// start of a row, a gutter is the next thing drawn. That keeps a child from writing our lines.
#[derive(Debug)]
pub(super) struct Page {
    style: Style,
    stdout: Lane,
    stderr: Lane,
    /// The row that is not ended yet.
    row: Option<Row>,
    /// What was written on it after the gutter. It is as long as one row can be.
    content: Vec<u8>,
    /// The pen the terminal has in its hand.
    painted: Pen,
}

/// What is remembered of a stream while the other one writes.
#[derive(Debug, Default)]
struct Lane {
    pen: Pen,
    /// The row was ended in the middle of a line, so a line end that follows has nothing to end.
    broken: bool,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    stream: Stream,
    /// The columns filled after the gutter.
    column: usize,
    /// A carriage return was read. It takes effect with the next glyph, so that a line end can
    /// still follow and the text stays on the screen until a glyph replaces it.
    returned: bool,
}

impl Page {
    pub(super) fn new(style: Style) -> Self {
        Self {
            style,
            stdout: Lane::default(),
            stderr: Lane::default(),
            row: None,
            content: Vec::new(),
            painted: Pen::default(),
        }
    }

    pub(super) fn style(&self) -> Style {
        self.style
    }

    pub(super) fn resize(&mut self, width: usize) {
        self.style.width = width;
    }

    /// Whether the cursor is at the start of an empty row.
    pub(super) fn at_row_start(&self) -> bool {
        self.row.is_none()
    }

    /// Draws one token of a stream.
    pub(super) fn token(&mut self, stream: Stream, token: Token, out: &mut Vec<u8>) {
        let own_row = self.row.filter(|row| row.stream == stream);
        match token {
            Token::Pen(pen) => self.lane(stream).pen = pen,
            Token::Return => {
                if let Some(row) = self.row.as_mut().filter(|row| row.stream == stream) {
                    row.returned = true;
                }
            }
            Token::Erase => {
                if own_row.is_some_and(|row| row.returned) {
                    self.enter(stream, out);
                }
            }
            Token::Newline if own_row.is_some() => self.end_row(out),
            Token::Newline if std::mem::take(&mut self.lane(stream).broken) => {}
            Token::Newline => {
                self.enter(stream, out);
                self.end_row(out);
            }
            Token::Tab => {
                let column = self.enter(stream, out);
                let stop = (column / TAB_WIDTH + 1) * TAB_WIDTH;
                for _ in column..stop.min(self.room()) {
                    self.put(stream, ' ', out);
                }
            }
            Token::Glyph(c) => self.put(stream, c, out),
            // If the other stream took over since its glyph, the mark would land on the gutter.
            Token::Mark(c) if own_row.is_some() => self.encode(c, out),
            Token::Mark(c) | Token::Odd(c) => spell(c).for_each(|c| self.put(stream, c, out)),
        }
    }

    /// Writes the unfinished row once more, or clears an empty one.
    ///
    /// The terminal echoes what the user types. After the Enter key the cursor stands at the start
    /// of a row that we did not begin, and whatever the child says next would stand there
    /// without a gutter.
    pub(super) fn restate(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(CLEAR_ROW);
        if let Some(row) = self.row {
            self.gutter(row.stream, out);
            out.extend_from_slice(&self.content);
        }
    }

    /// Ends an unfinished row so that other text can be written. The line goes on in a new row if
    /// its stream has more to say.
    pub(super) fn break_row(&mut self, out: &mut Vec<u8>) {
        if let Some(row) = self.row {
            self.end_row(out);
            self.lane(row.stream).broken = true;
        }
    }

    /// Gives the terminal its own colours back.
    pub(super) fn reset(&mut self, out: &mut Vec<u8>) {
        self.take(Pen::default(), out);
    }

    /// The columns that a row has after the gutter.
    fn room(&self) -> usize {
        self.style.columns() - GUTTER_WIDTH
    }

    fn lane(&mut self, stream: Stream) -> &mut Lane {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }

    /// Makes the row one on which the stream can write, and tells the column.
    fn enter(&mut self, stream: Stream, out: &mut Vec<u8>) -> usize {
        match self.row {
            Some(row) if row.stream == stream && !row.returned => return row.column,
            Some(row) if row.stream == stream => {
                self.reset(out);
                out.extend_from_slice(CLEAR_ROW);
            }
            _ => self.break_row(out),
        }
        self.open_row(stream, out);
        0
    }

    /// Draws the gutter of a new row; the cursor is at its start.
    fn open_row(&mut self, stream: Stream, out: &mut Vec<u8>) {
        self.gutter(stream, out);
        self.lane(stream).broken = false;
        self.content.clear();
        self.row = Some(Row {
            stream,
            column: 0,
            returned: false,
        });
    }

    fn gutter(&self, stream: Stream, out: &mut Vec<u8>) {
        let (tone, line) = match stream {
            Stream::Stdout => (Tone::Rule, "│"),
            Stream::Stderr => (Tone::Error, "┆"),
        };
        self.style.paint(tone, line, out);
        out.push(b' ');
    }

    fn end_row(&mut self, out: &mut Vec<u8>) {
        self.reset(out);
        out.push(b'\n');
        self.row = None;
    }

    /// Writes one glyph, on a new row if this one is full.
    fn put(&mut self, stream: Stream, c: char, out: &mut Vec<u8>) {
        let width = text::width(c);
        let mut column = self.enter(stream, out);
        if column > 0 && column + width > self.room() {
            self.end_row(out);
            self.open_row(stream, out);
            column = 0;
        }
        let pen = self.lane(stream).pen;
        self.take(pen, out);
        self.encode(c, out);
        if let Some(row) = &mut self.row {
            row.column = column + width;
        }
    }

    /// Changes the pen if it is not the right one already.
    fn take(&mut self, pen: Pen, out: &mut Vec<u8>) {
        if self.style.colour == Colour::On && self.painted != pen {
            pen.write(out);
            pen.write(&mut self.content);
            self.painted = pen;
        }
    }

    fn encode(&mut self, c: char, out: &mut Vec<u8>) {
        let mut buffer = [0; 4];
        let bytes = c.encode_utf8(&mut buffer).as_bytes();
        out.extend_from_slice(bytes);
        self.content.extend_from_slice(bytes);
    }
}
