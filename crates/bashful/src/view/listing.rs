//! A command in full: every line with its number, wrapped and never cut, a part of it underlined.

use super::text::{cautious_width, width};
use super::underline::{Row, cells};

/// How many rows are shown of a longer command: its beginning, what is marked, and its end.
const HEAD: usize = 90;
const AROUND_MARK: usize = 40;
const TAIL: usize = 60;
/// A command of this many rows is shown whole.
const WHOLE: usize = 200;

/// One row of a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ListedRow {
    /// The number of the line, counted from 1, on the first row of each line.
    pub(super) number: Option<usize>,
    /// What stands there.
    pub(super) row: Row,
}

/// A row, or rows that are left out.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A row that is shown.
    Row(ListedRow),
    /// How many rows are left out here.
    LeftOut(usize),
}

/// All rows of a command.
pub(super) fn listing(text: &str, span: Option<(usize, usize)>, room: usize) -> Vec<ListedRow> {
    // What ends with a line break has no line behind it.
    let text = text.strip_suffix('\n').unwrap_or(text);
    // The mark is at least one character wide, also where no text stands.
    let span = span.map_or((0, 0), |(start, end)| (start, end.max(start + 1)));
    let mut rows = Vec::new();
    let mut offset = 0;
    for (index, line) in text.split('\n').enumerate() {
        wrap_line(index + 1, line, (offset, span), room, &mut rows);
        offset += line.len() + 1;
    }
    rows
}

fn wrap_line(
    number: usize,
    line: &str,
    (offset, span): (usize, (usize, usize)),
    room: usize,
    rows: &mut Vec<ListedRow>,
) {
    let empty = || Row {
        line: String::new(),
        marks: String::new(),
    };
    let mut number = Some(number);
    let mut row = empty();
    let mut used = 0;
    let mut finish = |row: Row| {
        let marks = row.marks.trim_end().to_owned();
        let row = Row { marks, ..row };
        let number = number.take();
        rows.push(ListedRow { number, row });
    };
    for cell in cells(line, offset, span) {
        for c in cell.shown.chars() {
            let most = cautious_width(c);
            if used > 0 && used + most > room {
                finish(std::mem::replace(&mut row, empty()));
                used = 0;
            }
            used += most;
            row.line.push(c);
            let mark = if cell.marked { "^" } else { " " };
            row.marks.push_str(&mark.repeat(width(c)));
        }
    }
    finish(row);
}

/// What is shown of a listing: all of it, or of a very long one the beginning, what is marked and
/// the end.
pub(super) fn excerpt(rows: Vec<ListedRow>) -> Vec<Piece> {
    let count = rows.len();
    let first_mark = rows.iter().position(|row| !row.row.marks.is_empty());
    let mark = first_mark.map_or(0..0, |first| first.saturating_sub(2)..first + AROUND_MARK);
    let is_kept = |index: usize| {
        count <= WHOLE || index < HEAD || index + TAIL >= count || mark.contains(&index)
    };
    let mut pieces = Vec::new();
    let mut left_out = 0;
    for (index, row) in rows.into_iter().enumerate() {
        if !is_kept(index) {
            left_out += 1;
            continue;
        }
        if left_out > 0 {
            pieces.push(Piece::LeftOut(std::mem::take(&mut left_out)));
        }
        pieces.push(Piece::Row(row));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(rows: &[ListedRow]) -> Vec<String> {
        let row = |it: &ListedRow| {
            let number = it.number.map_or(String::new(), |number| number.to_string());
            format!("{number}|{}|{}", it.row.line, it.row.marks)
        };
        rows.iter().map(row).collect()
    }

    #[test]
    fn lines_are_numbered_wrapped_and_marked() {
        let text = "cd src\ngit push origin main\n";
        let rows = listing(text, Some((7, 15)), 10);
        let expected = ["1|cd src|", "2|git push o|^^^^^^^^", "|rigin main|"];
        assert_eq!(drawn(&rows), expected);
        assert_eq!(drawn(&listing("", Some((0, 0)), 10)), ["1||"]);
        assert_eq!(drawn(&listing("a\n\nb", None, 10)), ["1|a|", "2||", "3|b|"]);
    }

    #[test]
    fn nothing_acts_on_the_terminal_and_nothing_is_cut() {
        let text = "a\u{1b}[2J\r\u{202e}\u{200b}\tz";
        let rows = listing(text, None, 12);
        let whole: String = rows.iter().map(|row| row.row.line.as_str()).collect();
        assert_eq!(whole, "a␛[2J^M\\u{202e}\\u{200b}␉z");
        let long = "日x".repeat(5000);
        let rows = listing(&long, None, 7);
        let whole: String = rows.iter().map(|row| row.row.line.as_str()).collect();
        assert_eq!(whole, long);
        for row in &rows {
            let columns: usize = row.row.line.chars().map(cautious_width).sum();
            assert!(columns <= 7, "{row:?}");
        }
    }

    #[test]
    fn a_very_long_command_shows_its_ends_and_what_matched() {
        let lines = (0..1000).map(|line| format!("echo {line}"));
        let text = lines.collect::<Vec<_>>().join("\n");
        let at = text.find("echo 500").unwrap();
        let pieces = excerpt(listing(&text, Some((at, at + 8)), 40));
        let gaps = pieces.iter().filter_map(|piece| match piece {
            Piece::LeftOut(count) => Some(*count),
            Piece::Row(_) => None,
        });
        let gaps: Vec<usize> = gaps.collect();
        let shown = pieces.len() - gaps.len();
        assert_eq!(gaps.iter().sum::<usize>() + shown, 1000);
        assert_eq!(gaps, [498 - HEAD, 1000 - 540 - TAIL]);
        let is_marked = |piece: &Piece| match piece {
            Piece::Row(row) => row.row.line == "echo 500" && row.row.marks == "^^^^^^^^",
            Piece::LeftOut(_) => false,
        };
        assert!(pieces.iter().any(is_marked));
        let whole = excerpt(listing(&"x\n".repeat(WHOLE), None, 40));
        assert_eq!(whole.len(), WHOLE);
    }
}
