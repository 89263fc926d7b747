//! The screen of a task as it changes, drawn anew for another terminal.
//!
//! What a program prints is never passed on. It goes to a screen of ours, and what is drawn on
//! the other terminal comes from that screen: text, colours, the cursor. So no program can give
//! that terminal a title, write to its clipboard, or have it answer questions.

use std::time::Duration;

use bashful_keeper::TerminalSize;

use super::draw::{self, bounded};
use super::{MOST_BYTES, Task, TaskError, Title};
use crate::tasks::read::ReadRequest;

/// How much is read at a time, in bytes.
const PIECE: usize = 64 << 10;
/// How long is drawn at a time, so that the person at the screen can leave meanwhile.
const STEP: Duration = Duration::from_millis(100);

/// A screen that follows a task.
pub struct LiveScreen {
    task: Task,
    parser: vt100::Parser<Title>,
    /// What the other terminal shows.
    drawn: vt100::Screen,
    after: u64,
}

impl std::fmt::Debug for LiveScreen {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = formatter.debug_struct("LiveScreen");
        shown.field("task", &self.task.id()).finish_non_exhaustive()
    }
}

/// What is to be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// For the other terminal.
    pub bytes: Vec<u8>,
    /// The task has ended, and this was all.
    pub ended: bool,
}

impl Task {
    /// A screen that follows this task, for a terminal of this size.
    pub fn live_screen(&self, size: TerminalSize) -> Result<LiveScreen, TaskError> {
        if self.spec.terminal.is_none() {
            let task = self.id.to_string();
            return Err(TaskError::NoTerminal { task });
        }
        let read = self.end_of_log(MOST_BYTES);
        let (bytes, start) = read.map_err(|source| TaskError::Log {
            task: self.id.to_string(),
            source,
        })?;
        let (parser, _) = draw::whole(&bytes, size);
        Ok(LiveScreen {
            task: self.clone(),
            drawn: parser.screen().clone(),
            parser,
            after: start + bytes.len() as u64,
        })
    }
}

impl LiveScreen {
    /// The whole screen.
    pub fn whole(&mut self) -> Vec<u8> {
        self.drawn = self.parser.screen().clone();
        undirected(&self.drawn.state_formatted())
    }

    /// Waits this long for new output, and returns what is to be drawn of it.
    pub fn next(&mut self, wait: Duration) -> Result<Drawn, TaskError> {
        let request = ReadRequest::after(self.after).max_bytes(PIECE).wait(wait);
        let output = self.task.read(&request)?;
        let drawn = draw::within(&mut self.parser, &output.bytes, STEP);
        // What was too slow to be drawn in this step is read again for the next.
        let is_all = drawn == output.bytes.len();
        self.after = if is_all {
            output.next
        } else {
            self.after + drawn as u64
        };
        let bytes = undirected(&self.parser.screen().state_diff(&self.drawn));
        self.drawn = self.parser.screen().clone();
        Ok(Drawn {
            bytes,
            ended: output.ended && is_all,
        })
    }

    /// The other terminal has another size now; draw the whole screen after this.
    pub fn resize(&mut self, size: TerminalSize) {
        let (rows, columns) = bounded(size);
        self.parser.screen_mut().set_size(rows, columns);
    }

    /// The lines that are on it, for a terminal that goes on below them.
    pub fn lines(&self) -> Vec<u8> {
        let screen = self.parser.screen();
        let columns = screen.size().1.get();
        let mut lines: Vec<String> = screen.rows_formatted(0, columns).collect();
        let texts: Vec<String> = screen.rows(0, columns).collect();
        let used = texts.iter().rposition(|line| !line.trim().is_empty());
        lines.truncate(used.map_or(0, |last| last + 1));
        let mut all = Vec::new();
        for line in lines {
            all.extend(undirected(&line));
            all.extend(b"\x1b[0m\r\n");
        }
        all
    }
}

/// Without the characters that turn the direction of what is around them: a person must be able
/// to read what stands there.
fn undirected(text: &str) -> Vec<u8> {
    let turns = |c: char| {
        let marks = ['\u{61c}', '\u{200e}', '\u{200f}'];
        marks.contains(&c) || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.replace(turns, "").into_bytes()
}
