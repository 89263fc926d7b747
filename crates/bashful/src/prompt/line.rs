//! A line that a person types or changes: on one row, scrolled to the side where it is longer.
//!
//! It is drawn without escape sequences: the row is written, then written again up to the cursor.

mod decode;

use super::keys::{NoKey, typed_within};
use super::waiting::Waiting;
use crate::view::{columns_of, visible};
use decode::{Decoder, Stroke};

/// What may be in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breaks {
    /// Line breaks too; Ctrl-J makes one.
    Kept,
    /// None: a line break ends the line.
    None,
}

/// A line being typed.
#[derive(Debug)]
pub(super) struct Line {
    text: Vec<char>,
    cursor: usize,
    most: usize,
    breaks: Breaks,
}

/// How a line stands after a stroke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Going,
    Done,
    Cancelled,
}

impl Line {
    /// A line that begins as `text` and may become longer by `more` characters.
    pub(super) fn new(text: &str, more: usize, breaks: Breaks) -> Self {
        let text: Vec<char> = text.chars().collect();
        Self {
            cursor: text.len(),
            most: text.len() + more,
            text,
            breaks,
        }
    }

    /// Has it typed; none if it was given up with Ctrl-C. The label is ours.
    pub(super) fn read(
        mut self,
        label: &str,
        waiting: &Waiting<'_>,
    ) -> Result<Option<String>, NoKey> {
        let mut decoder = Decoder::default();
        loop {
            self.draw(label, waiting);
            let typed = typed_within(waiting, None)?.unwrap_or_default();
            for stroke in typed.into_iter().filter_map(|byte| decoder.push(byte)) {
                match self.take(stroke) {
                    Progress::Going => {}
                    Progress::Done => {
                        self.draw(label, waiting);
                        waiting.terminal.write(b"\n");
                        return Ok(Some(self.text.into_iter().collect()));
                    }
                    Progress::Cancelled => {
                        waiting.terminal.write(b"\n");
                        return Ok(None);
                    }
                }
            }
        }
    }

    fn take(&mut self, stroke: Stroke) -> Progress {
        let (before, behind) = (self.cursor, self.text.len());
        match stroke {
            Stroke::Insert(c) => self.insert(c),
            Stroke::Break if self.breaks == Breaks::Kept => self.insert('\n'),
            Stroke::Break | Stroke::Enter => return Progress::Done,
            Stroke::Cancel => return Progress::Cancelled,
            Stroke::Finish if self.text.is_empty() => return Progress::Cancelled,
            Stroke::Finish | Stroke::Delete => self.cut(before, before + 1),
            Stroke::Backspace => self.cut(before.saturating_sub(1), before),
            Stroke::Left => self.cursor = before.saturating_sub(1),
            Stroke::Right => self.cursor = (before + 1).min(behind),
            Stroke::Home => self.cursor = 0,
            Stroke::End => self.cursor = behind,
            Stroke::DropBefore => self.cut(0, before),
            Stroke::DropBehind => self.cut(before, behind),
            Stroke::DropWord => self.cut(self.word_start(), before),
        }
        Progress::Going
    }

    fn insert(&mut self, c: char) {
        if self.text.len() < self.most {
            self.text.insert(self.cursor, c);
            self.cursor += 1;
        }
    }

    fn cut(&mut self, from: usize, to: usize) {
        let to = to.min(self.text.len());
        if from < to {
            self.text.drain(from..to);
            self.cursor = from;
        }
    }

    fn word_start(&self) -> usize {
        let before = self.text.iter().take(self.cursor);
        let mut start = 0;
        let mut last = ' ';
        for (index, &c) in before.enumerate() {
            if last.is_whitespace() && !c.is_whitespace() {
                start = index;
            }
            last = c;
        }
        start
    }

    fn draw(&self, label: &str, waiting: &Waiting<'_>) {
        // A border that may take two columns, and a blank, stand between our words and the text.
        let room = waiting.terminal.style().room_beside(label.len() + 4);
        let (left, right) = self.window(room);
        let used = columns_of(&left) + columns_of(&right);
        let blank = " ".repeat(room.saturating_sub(used));
        let row = format!("\r{label} │ {left}{right}{blank}\r{label} │ {left}");
        waiting.terminal.write(row.as_bytes());
    }

    /// What is shown before the cursor and behind it.
    fn window(&self, room: usize) -> (String, String) {
        let shown: Vec<String> = self.text.iter().map(|c| visible(&c.to_string())).collect();
        let (before, behind) = shown.split_at(self.cursor.min(shown.len()));
        // Both ends may need a sign that there is more, and the cursor needs a place.
        let room = room.saturating_sub(5);
        let most_before = room * 2 / 3;
        let mut left = tail(before, most_before);
        if left.len() < before.len() {
            left.insert(0, "…".to_owned());
        }
        let left = left.concat();
        let mut right = String::new();
        let mut used = columns_of(&left);
        for cell in behind {
            used += columns_of(cell);
            if used > room {
                right.push('…');
                break;
            }
            right.push_str(cell);
        }
        (left, right)
    }
}

/// The last of these that fit.
fn tail(cells: &[String], room: usize) -> Vec<String> {
    let mut used = 0;
    let fits = |cell: &&String| {
        used += columns_of(cell);
        used <= room
    };
    let mut kept: Vec<String> = cells.iter().rev().take_while(fits).cloned().collect();
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str, strokes: &[Stroke]) -> (String, usize) {
        let mut line = Line::new(text, 10, Breaks::None);
        for stroke in strokes {
            assert_eq!(line.take(*stroke), Progress::Going);
        }
        (line.text.iter().collect(), line.cursor)
    }

    #[test]
    fn strokes_change_the_line() {
        let left = [Stroke::Left; 4];
        let after = typed("git push main", &left);
        assert_eq!(after, ("git push main".to_owned(), 9));
        let strokes = [&left[..], &[Stroke::DropBehind, Stroke::Insert('x')]].concat();
        assert_eq!(typed("git push main", &strokes).0, "git push x");
        assert_eq!(typed("git push main", &[Stroke::DropWord]).0, "git push ");
        assert_eq!(typed("abc", &[Stroke::Home, Stroke::Delete]).0, "bc");
        assert_eq!(typed("abc", &[Stroke::DropBefore, Stroke::Backspace]).0, "");
        assert_eq!(typed("", &[Stroke::Insert('y'); 50]).0.len(), 10);
        assert_eq!(typed("a", &[Stroke::Right, Stroke::Right]).1, 1);
    }

    #[test]
    fn a_long_line_is_scrolled_and_never_too_wide() {
        let text = "日\u{1b}x\n".repeat(500);
        for cursor in [0, 1, 7, 500, 1999, 2000] {
            for room in [5, 6, 10, 20, 80] {
                let mut line = Line::new(&text, 0, Breaks::Kept);
                line.cursor = cursor;
                let (left, right) = line.window(room);
                let used = columns_of(&left) + columns_of(&right);
                assert!(used <= room, "{cursor} {room}: {left}|{right}");
                assert!(!left.contains('\u{1b}') && !right.contains('\n'));
            }
        }
    }

    #[test]
    fn ends_of_a_line() {
        let mut line = Line::new("", 10, Breaks::Kept);
        assert_eq!(line.take(Stroke::Break), Progress::Going);
        assert_eq!(line.take(Stroke::Enter), Progress::Done);
        assert_eq!(line.take(Stroke::Cancel), Progress::Cancelled);
        let mut line = Line::new("", 10, Breaks::None);
        assert_eq!(line.take(Stroke::Break), Progress::Done);
        assert_eq!(line.take(Stroke::Finish), Progress::Cancelled);
    }
}
