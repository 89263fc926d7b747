//! What a person would see now on the terminal of a task.

use std::io::{self, Read, Seek, SeekFrom};

use bashful_keeper::TerminalSize;
use serde::Serialize;

use super::error::TaskError;
use super::task::Task;

/// The screen of a task's terminal, as text. The names in JSON are a contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Screen {
    /// How many lines it has.
    pub rows: u16,
    /// How many characters a line has.
    pub columns: u16,
    /// The lines from the top, without spaces at their ends. Empty lines at the bottom are
    /// left out. No line has an escape or another control character in it.
    pub lines: Vec<String>,
    /// Where the cursor is; none while it is hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
    /// The title that the program gave its window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The program uses the whole screen, as editors do.
    pub full_screen: bool,
    /// The beginning of a log that is long, or slow to draw, was not looked at: what was drawn
    /// there and never again is missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
}

/// A place on a screen, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Cursor {
    /// The line, from the top.
    pub row: u16,
    /// The character in it.
    pub column: u16,
}

/// How much of the end of a log is looked at, in bytes.
const MOST_BYTES: u64 = 4 << 20;
/// No screen is larger.
const LARGEST: u16 = 500;
/// How many characters a title has before it is cut.
const LONGEST_TITLE: usize = 200;

impl Screen {
    /// The text of all lines.
    pub fn text(&self) -> String {
        self.lines.join("\n")
    }

    /// What these bytes leave on a screen of this size.
    pub fn of(bytes: &[u8], size: TerminalSize) -> Self {
        let (parser, partial) = draw::whole(bytes, size);
        let screen = parser.screen();
        let (rows, columns) = screen.size();
        let (rows, columns) = (rows.get(), columns.get());
        let mut lines: Vec<String> = screen
            .rows(0, columns)
            .map(|line| line.trim_end().replace(char::is_control, ""))
            .collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        let (row, column) = screen.cursor_position();
        Self {
            rows,
            columns,
            lines,
            cursor: (!screen.hide_cursor()).then_some(Cursor { row, column }),
            full_screen: screen.alternate_screen(),
            title: parser.callbacks().0.clone(),
            partial,
        }
    }
}

/// Hears what the window is to be called.
#[derive(Debug, Default)]
struct Title(Option<String>);

impl vt100::Callbacks for Title {
    fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
        let title = String::from_utf8_lossy(title);
        let plain = title.chars().filter(|c| !c.is_control());
        self.0 =
            Some(plain.take(LONGEST_TITLE).collect()).filter(|title: &String| !title.is_empty());
    }
}

mod draw;
mod live;

pub use live::{Drawn, LiveScreen};

impl Task {
    /// The screen of its terminal as it is now, or was at its end. Of a long log, or one that is
    /// slow to draw, only the last part is looked at, which is said in `partial`.
    pub fn screen(&self) -> Result<Screen, TaskError> {
        let task = || self.id.to_string();
        let Some(size) = self.spec.terminal else {
            return Err(TaskError::NoTerminal { task: task() });
        };
        let standing = self.standing()?;
        let size = standing
            .record
            .and_then(|record| record.terminal)
            .unwrap_or(size);
        let read = self.end_of_log(MOST_BYTES);
        let (bytes, start) = read.map_err(|source| TaskError::Log {
            task: task(),
            source,
        })?;
        let mut screen = Screen::of(&bytes, size);
        screen.partial |= start > 0;
        Ok(screen)
    }

    /// The same in a future, on any executor, which it does not hold up.
    pub async fn screen_async(&self) -> Result<Screen, TaskError> {
        let task = self.clone();
        self.on_thread(move || task.screen()).await?
    }

    /// This many bytes from the end of its log at most, and where they begin.
    fn end_of_log(&self, most: u64) -> io::Result<(Vec<u8>, u64)> {
        let mut file = match self.directory.open_log() {
            // Nothing was printed yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok((Vec::new(), 0));
            }
            file => file?,
        };
        let length = file.metadata()?.len();
        let start = length.saturating_sub(most);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        Ok((bytes, start))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Beginnings, numbers and ends of escape sequences, and characters of every width.
    const PIECES: &[&[u8]] = &[
        b"\x1b[",
        b"\x1b]0;",
        b"\x1bP",
        b"\x07",
        b"65535",
        b"99999999999",
        b";",
        b"r",
        b"H",
        b"J",
        b"K",
        b"L",
        b"M",
        b"P",
        b"@",
        b"X",
        b"S",
        b"T",
        b"d",
        b"G",
        b"?1049h",
        b"?1049l",
        b"\x1bc",
        b"\x1b7",
        b"\x1b8",
        b"\x1bM",
        b"\x1bD",
        b"\n",
        b"\r",
        b"\x08",
        b"\t",
        "\u{1f600}".as_bytes(),
        "\u{301}".as_bytes(),
        "中".as_bytes(),
        b"\xff",
        b"a",
    ];

    /// Bytes, with the beginnings of escape sequences and large numbers among them.
    fn hostile() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            proptest::sample::select(PIECES).prop_map(<[u8]>::to_vec),
            proptest::collection::vec(any::<u8>(), 1..4),
        ];
        proptest::collection::vec(piece, 0..200).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn no_bytes_break_a_screen(bytes in hostile(), rows in 0..60_u16, columns in 0..90_u16) {
            let size = TerminalSize { rows, columns };
            let screen = Screen::of(&bytes, size);
            prop_assert!(screen.lines.len() <= usize::from(screen.rows));
            prop_assert!(!screen.text().chars().any(|c| c.is_control() && c != '\n'));
            prop_assert!(screen.title.is_none_or(|title| title.chars().count() <= LONGEST_TITLE));
        }
    }

    #[test]
    fn no_output_takes_long_to_draw() {
        let largest = TerminalSize {
            rows: LARGEST,
            columns: LARGEST,
        };
        // The same character 65535 times; a clear screen, over and over; lines put in.
        for slow in ["\x1b[65535b", "\x1b[2J", "\x1b[H\x1b[500L"] {
            let length = usize::try_from(MOST_BYTES).unwrap();
            let mut bytes = b"a".to_vec();
            bytes.extend(slow.bytes().cycle().take(length));
            bytes.extend(b"\x1b[0m\x1b[2J\x1b[Hthe end");
            let began = std::time::Instant::now();
            let screen = Screen::of(&bytes, largest);
            assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
            assert_eq!(screen.lines, ["the end"]);
            assert!(screen.partial);
        }
    }

    #[test]
    fn a_screen_is_what_is_left_on_it() {
        let size = TerminalSize {
            rows: 3,
            columns: 10,
        };
        let screen = Screen::of(b"one\r\ntwo\r\nthree\r\nfour\x1b]0;name\x07\x1b[1;1H", size);
        assert_eq!(screen.lines, ["two", "three", "four"]);
        assert_eq!(screen.cursor, Some(Cursor { row: 0, column: 0 }));
        assert_eq!(screen.title.as_deref(), Some("name"));
        let huge = Screen::of(
            b"x",
            TerminalSize {
                rows: u16::MAX,
                columns: u16::MAX,
            },
        );
        assert_eq!((huge.rows, huge.columns), (LARGEST, LARGEST));
    }
}
