//! A part of a command, underlined: which bytes of what was typed a decision is about.

use super::charset::{Reader, spell};
use super::text::width;

/// The most lines of a command that are shown.
const LINES: usize = 6;
/// The least columns of a row, however narrow the terminal is.
const LEAST_COLUMNS: usize = 12;

/// One line of a command, and the marks below it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The line, safe to print.
    pub(super) line: String,
    /// What goes below it; empty if nothing is marked.
    pub(super) marks: String,
}

/// One character as it is shown.
pub(super) struct Cell {
    pub(super) shown: String,
    columns: usize,
    pub(super) marked: bool,
}

/// The lines that the bytes from `start` to `end` stand in, with these bytes marked. A line that
/// is too long is cut at both ends so that what is marked can be seen.
pub(super) fn underline(text: &str, (start, end): (usize, usize), columns: usize) -> Vec<Row> {
    let columns = columns.max(LEAST_COLUMNS);
    // The mark is at least one character wide, also where no text stands.
    let end = end.max(start + 1);
    let mut rows = Vec::new();
    let mut offset = 0;
    for line in text.split('\n') {
        let after = offset + line.len() + 1;
        if offset < end && after > start {
            if rows.len() == LINES {
                rows.push(Row {
                    line: "…".to_owned(),
                    marks: String::new(),
                });
                break;
            }
            let cells = cells(line, offset, (start, end));
            rows.push(row(cells.collect(), columns));
        }
        offset = after;
    }
    rows
}

/// The characters of a line that begins at `offset`; those from `start` to `end` are marked.
pub(super) fn cells(
    line: &str,
    offset: usize,
    (start, end): (usize, usize),
) -> impl Iterator<Item = Cell> {
    let mut reader = Reader::default();
    let cell = move |(at, c): (usize, char)| {
        let plain = reader.shows(c);
        let shown = match c {
            '\t' => "␉".to_owned(),
            _ if plain => c.to_string(),
            _ => spell(c).collect(),
        };
        Cell {
            columns: shown.chars().map(width).sum(),
            shown,
            marked: (start..end).contains(&(offset + at)),
        }
    };
    line.char_indices().map(cell)
}

/// Lays out one line in a number of columns.
fn row(cells: Vec<Cell>, columns: usize) -> Row {
    let total: usize = cells.iter().map(|cell| cell.columns).sum();
    let first = cells.iter().position(|cell| cell.marked).unwrap_or(0);
    let before: usize = cells.iter().take(first).map(|cell| cell.columns).sum();
    // What comes before the mark gets a third of a row that does not hold everything.
    let mut to_skip = if total <= columns {
        0
    } else {
        before.saturating_sub(columns / 3)
    };
    let mut out = Row {
        line: String::new(),
        marks: String::new(),
    };
    if to_skip > 0 {
        out.line.push('…');
        out.marks.push(' ');
    }
    let room = columns.saturating_sub(2);
    let mut used = 0;
    for cell in cells {
        if to_skip > 0 {
            to_skip = to_skip.saturating_sub(cell.columns.max(1));
            continue;
        }
        if total > columns && used + cell.columns > room {
            out.line.push('…');
            break;
        }
        used += cell.columns;
        out.line.push_str(&cell.shown);
        let mark = if cell.marked { "^" } else { " " };
        out.marks.push_str(&mark.repeat(cell.columns));
    }
    let marks = out.marks.trim_end().len();
    out.marks.truncate(marks);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str, part: &str, columns: usize) -> String {
        let start = text.find(part).unwrap();
        let rows = underline(text, (start, start + part.len()), columns);
        let lines = rows
            .iter()
            .map(|row| format!("{}\n{}\n", row.line, row.marks));
        lines.collect()
    }

    #[test]
    fn the_part_is_marked_where_it_stands() {
        assert_eq!(
            drawn("ls; rm -rf /", "rm -rf /", 40),
            "ls; rm -rf /\n    ^^^^^^^^\n"
        );
        assert_eq!(drawn("a\tb\u{1b}c", "c", 40), "a␉b␛c\n    ^\n");
        assert_eq!(drawn("日本 rm", "rm", 40), "日本 rm\n     ^^\n");
        assert_eq!(
            drawn("e\u{301} \u{202e}x", "x", 40),
            "e\u{301} \\u{202e}x\n          ^\n"
        );
        assert_eq!(
            drawn("one\ntwo three\nfour", "three\nfour", 40),
            "two three\n    ^^^^^\nfour\n^^^^\n"
        );
        assert_eq!(underline("ls", (2, 2), 40).len(), 1);
        assert_eq!(underline("", (0, 0), 40).len(), 1);
    }

    #[test]
    fn a_long_line_is_cut_around_the_part() {
        let text = format!("echo {} rm -rf / {}", "a".repeat(300), "b".repeat(300));
        let row = drawn(&text, "rm -rf /", 30);
        assert_eq!(row, "…aaaaaaaaa rm -rf / bbbbbbbbb…\n           ^^^^^^^^\n");
        let many = underline(&"x\n".repeat(50), (0, 100), 30);
        assert_eq!((many.len(), many.last().unwrap().line.as_str()), (7, "…"));
    }

    #[test]
    fn no_row_is_longer_than_the_columns() {
        let text = "日本 \t\u{1b} rm -rf / ".repeat(20);
        for columns in [0, 12, 13, 20, 40, 79] {
            for start in 0..text.len() {
                for row in underline(&text, (start, start + 9), columns) {
                    let width: usize = row.line.chars().map(width).sum();
                    assert!(width <= columns.max(LEAST_COLUMNS), "{columns} {row:?}");
                }
            }
        }
    }
}
