//! A command on the screen from its header to its outcome.

mod page;
#[cfg(test)]
mod screen;
#[cfg(test)]
mod tests;

use page::Page;

use super::{
    decode::Decoder,
    outcome::Outcome,
    spinner::{Moment, Spinner},
    style::{Style, Tone},
    text,
};

/// Stop wrapping lines by yourself, and do it again. Terminals disagree about the width of many
/// characters. A row that is wider than we think must run into the margin, because a row that
/// the terminal begins has no gutter.
const WRAPPING_OFF: &[u8] = b"\x1b[?7l";
const WRAPPING_ON: &[u8] = b"\x1b[?7h";

/// Which output of the child a piece came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Its standard output.
    Stdout,
    /// Its standard error.
    Stderr,
}

/// Draws one command: a header, its output between two rules, and how it ended.
///
/// Every method appends to a buffer that the caller then writes to the terminal in one go. At the
/// end of each call the terminal has its own colours and wraps lines as usual, so that there is
/// nothing to repair if we are killed between two calls.
#[derive(Debug)]
pub(crate) struct Frame {
    stdout: Decoder,
    stderr: Decoder,
    page: Page,
    spinner: Spinner,
}

impl Frame {
    /// A frame for one command.
    pub(crate) fn new(style: Style) -> Self {
        Self {
            stdout: Decoder::default(),
            stderr: Decoder::default(),
            page: Page::new(style),
            spinner: Spinner::default(),
        }
    }

    /// Writes what is about to run. The description may come from an agent.
    pub(crate) fn header(&mut self, description: &str, out: &mut Vec<u8>) {
        let style = self.page.style();
        let label = "Running: ";
        let room = style.columns().saturating_sub(label.len());
        style.paint(Tone::Heading, label, out);
        let description = text::shorten(&text::visible(description), room);
        style.paint(Tone::Plain, &description, out);
        out.push(b'\n');
        style.rule("", out);
    }

    /// Draws what the child wrote.
    pub(crate) fn output(&mut self, stream: Stream, bytes: &[u8], out: &mut Vec<u8>) {
        self.draw(out, |frame, out| {
            let page = &mut frame.page;
            let decoder = match stream {
                Stream::Stdout => &mut frame.stdout,
                Stream::Stderr => &mut frame.stderr,
            };
            decoder.push(bytes, &mut |token| page.token(stream, token, out));
        });
    }

    /// Shows the spinner, or its next picture, if the command is silent.
    ///
    /// It is only shown at the start of a row. A child that left its line unfinished is asking a
    /// question or shows its own progress, and a spinner would have to hide that.
    pub(crate) fn tick(&mut self, moment: Moment, out: &mut Vec<u8>) {
        if self.page.at_row_start() {
            self.spinner.tick(moment, self.page.style(), out);
        }
    }

    /// Makes way for a line of our own inside the frame, such as a notice that output was left out.
    /// The caller's line must end with a line end.
    pub(crate) fn make_way(&mut self, out: &mut Vec<u8>) {
        self.spinner.erase(out);
        if self.page.at_row_start() {
            self.page.restate(out);
        }
        self.page.break_row(out);
    }

    /// Takes note that the terminal has another width from now on.
    pub(crate) fn resize(&mut self, width: usize) {
        self.page.resize(width);
    }

    /// Draws what was held back and ends an unfinished line.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        self.draw(out, |frame, out| {
            let page = &mut frame.page;
            let mut sink = |token| page.token(Stream::Stdout, token, out);
            frame.stdout.finish(&mut sink);
            let mut sink = |token| page.token(Stream::Stderr, token, out);
            frame.stderr.finish(&mut sink);
        });
        self.make_way(out);
    }

    /// Finishes and writes how the command ended. Nothing may follow.
    pub(crate) fn footer(&mut self, outcome: Outcome, out: &mut Vec<u8>) {
        self.finish(out);
        self.page.style().rule("", out);
        outcome.write(self.page.style(), out);
    }

    /// Draws for the child, if there is anything to draw, with the terminal's own wrapping off and
    /// the spinner away.
    fn draw(&mut self, out: &mut Vec<u8>, act: impl FnOnce(&mut Self, &mut Vec<u8>)) {
        let mut drawn = Vec::new();
        self.page.restate(&mut drawn);
        let restated = drawn.len();
        act(self, &mut drawn);
        self.page.reset(&mut drawn);
        if drawn.len() == restated {
            return;
        }
        self.spinner.erase(out);
        out.extend_from_slice(WRAPPING_OFF);
        out.append(&mut drawn);
        out.extend_from_slice(WRAPPING_ON);
    }
}
