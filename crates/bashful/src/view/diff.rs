//! The change to a file, line by line, as `diff -u` shows it.

use super::{
    style::{Style, Tone},
    text,
};

/// The lines around a change.
const AROUND: usize = 3;
/// Above this many pairs of lines, we do not look for lines in between that stayed.
const MOST_PAIRS: usize = 4_000_000;
/// A line that is longer is shown from shortly before what differs to shortly behind it.
const LONG_LINE: usize = 400;
const BESIDE: usize = 40;
/// Of more lines in one piece than this, the first and the last are shown.
const MOST: usize = 400;
const FIRST: usize = 150;
const LAST: usize = 100;
/// The most rows of one line.
const ROWS: usize = 40;

/// A file before and after. None is no file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Difference<'a> {
    pub(crate) path: &'a str,
    pub(crate) before: Option<&'a str>,
    pub(crate) after: Option<&'a str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    Stays(&'a str),
    Goes(&'a str),
    Comes(&'a str),
}

/// Writes a difference. The texts may hold anything; they are made safe here.
pub(crate) fn show_diff(difference: &Difference<'_>, style: Style, out: &mut Vec<u8>) {
    let path = text::visible(difference.path);
    let name = |text: Option<&str>| match text {
        Some(_) => path.as_str(),
        None => "/dev/null",
    };
    heading("--- ", name(difference.before), style, out);
    heading("+++ ", name(difference.after), style, out);
    // With their ends: also a line that ends differently is another one.
    let (before, after) = (split(difference.before), split(difference.after));
    let lines = compare(&before, &after);
    for (from, to) in hunks(&lines) {
        hunk(&lines, (from, to), style, out);
    }
}

fn split(text: Option<&str>) -> Vec<&str> {
    text.unwrap_or_default().split_inclusive('\n').collect()
}

fn heading(sign: &str, name: &str, style: Style, out: &mut Vec<u8>) {
    style.paint(Tone::Heading, &format!("{sign}{name}"), out);
    out.push(b'\n');
}

fn hunk(lines: &[Line<'_>], (from, to): (usize, usize), style: Style, out: &mut Vec<u8>) {
    let ahead = lines.get(..from).unwrap_or_default();
    let inside = lines.get(from..to).unwrap_or_default();
    let old = |lines: &[Line<'_>]| count(lines, |it| !matches!(it, Line::Comes(_)));
    let new = |lines: &[Line<'_>]| count(lines, |it| !matches!(it, Line::Goes(_)));
    let place = |ahead: usize, inside: usize| match inside {
        0 => format!("{ahead},0"),
        inside => format!("{},{inside}", ahead + 1),
    };
    let title = format!(
        "@@ -{} +{} @@",
        place(old(ahead), old(inside)),
        place(new(ahead), new(inside))
    );
    style.paint(Tone::Literal, &title, out);
    out.push(b'\n');
    // One long line for another: only where they differ.
    if let &[Line::Goes(old), Line::Comes(new)] = inside
        && old.len().max(new.len()) > LONG_LINE
    {
        let (was, is) = excerpts(text_of(old), text_of(new));
        row("-", Tone::Error, &was, style, out);
        mark_end(old, style, out);
        row("+", Tone::Success, &is, style, out);
        mark_end(new, style, out);
        return;
    }
    let left_out = FIRST..inside.len().saturating_sub(LAST);
    for (index, line) in inside.iter().enumerate() {
        if inside.len() > MOST && left_out.contains(&index) {
            if index == left_out.start {
                let words = format!("… {} lines are left out …\n", left_out.len());
                style.paint(Tone::Warning, &words, out);
            }
            continue;
        }
        match line {
            Line::Stays(line) => {
                let line = text::shorten(&shown(line), style.room_beside(1));
                row(" ", Tone::Plain, &line, style, out);
            }
            Line::Goes(line) => row("-", Tone::Error, &told(line, inside), style, out),
            Line::Comes(line) => row("+", Tone::Success, &told(line, inside), style, out),
        }
        let (Line::Stays(line) | Line::Goes(line) | Line::Comes(line)) = line;
        mark_end(line, style, out);
    }
}

fn count(lines: &[Line<'_>], is: impl Fn(&Line<'_>) -> bool) -> usize {
    lines.iter().filter(|line| is(line)).count()
}

/// One line behind its sign.
fn row(sign: &str, tone: Tone, line: &str, style: Style, out: &mut Vec<u8>) {
    // What goes on in the next row is marked, so that the person does not take it for a line.
    let mut mark = "";
    for row in text::wrap(line, style.room_beside(4).max(1), ROWS) {
        style.paint(tone, &format!("{sign}{mark}{row}"), out);
        out.push(b'\n');
        mark = "↳ ";
    }
}

/// Says that a line is the last and has no end.
fn mark_end(line: &str, style: Style, out: &mut Vec<u8>) {
    if !line.ends_with('\n') {
        style.paint(Tone::Plain, "\\ No newline at end of file", out);
        out.push(b'\n');
    }
}

/// A line without its end.
fn text_of(line: &str) -> &str {
    line.strip_suffix('\n').unwrap_or(line)
}

/// A line that does nothing; tabs that indent it are what they look like.
fn shown(line: &str) -> String {
    let line = text_of(line);
    let rest = line.trim_start_matches('\t');
    let tabs = line.len() - rest.len();
    format!("{}{}", "    ".repeat(tabs.min(20)), text::visible(rest))
}

/// A line that comes or goes. Where another would look the same, its blanks are shown too.
fn told(line: &str, among: &[Line<'_>]) -> String {
    let plain = shown(line);
    let alike = |other: &&Line<'_>| {
        let (Line::Stays(other) | Line::Goes(other) | Line::Comes(other)) = other;
        *other != line && shown(other).trim_end() == plain.trim_end()
    };
    if among.iter().find(alike).is_none() {
        return plain;
    }
    let line = text_of(line);
    let kept = line.trim_end_matches(' ');
    let blanks = line.len() - kept.len();
    format!("{}{}", text::visible(kept), "␠".repeat(blanks))
}

/// Two long lines without what they have in common, but for a little.
fn excerpts(old: &str, new: &str) -> (String, String) {
    let one: Vec<char> = old.chars().collect();
    let two: Vec<char> = new.chars().collect();
    let ahead = common(one.iter(), two.iter());
    let most = one.len().min(two.len()) - ahead;
    let behind = common(one.iter().rev(), two.iter().rev()).min(most);
    let cut = |line: &[char]| {
        let from = ahead.saturating_sub(BESIDE);
        let to = (line.len() - behind + BESIDE).min(line.len());
        let inside: String = line.get(from..to).unwrap_or_default().iter().collect();
        let sign = |left_out: bool| if left_out { "…" } else { "" };
        let (start, end) = (sign(from > 0), sign(to < line.len()));
        format!("{start}{}{end}", text::visible(&inside))
    };
    (cut(&one), cut(&two))
}

fn common<'a, T: PartialEq + 'a>(
    one: impl Iterator<Item = &'a T>,
    two: impl Iterator<Item = &'a T>,
) -> usize {
    one.zip(two).take_while(|(one, two)| one == two).count()
}

/// What stays, goes and comes.
fn compare<'a>(before: &[&'a str], after: &[&'a str]) -> Vec<Line<'a>> {
    let ahead = common(before.iter(), after.iter());
    let most = before.len().min(after.len()) - ahead;
    let behind = common(before.iter().rev(), after.iter().rev()).min(most);
    let inside = |lines: &[&'a str]| -> Vec<&'a str> {
        let lines = lines.get(ahead..lines.len() - behind);
        lines.unwrap_or_default().to_vec()
    };
    let stays = |line: &&'a str| Line::Stays(line);
    let mut lines: Vec<Line<'a>> = before.iter().take(ahead).map(stays).collect();
    lines.extend(inner(&inside(before), &inside(after)));
    lines.extend(before.iter().skip(before.len() - behind).map(stays));
    lines
}

/// The same for lines that differ at both ends: the longest lines in common stay.
fn inner<'a>(before: &[&'a str], after: &[&'a str]) -> Vec<Line<'a>> {
    let (rows, columns) = (before.len(), after.len());
    if rows.saturating_mul(columns) > MOST_PAIRS {
        let goes = before.iter().map(|line| Line::Goes(line));
        return goes
            .chain(after.iter().map(|line| Line::Comes(line)))
            .collect();
    }
    // How many lines stay from here to the end.
    let mut table = vec![vec![0_u32; columns + 1]; rows + 1];
    let at = |table: &[Vec<u32>], row: usize, column: usize| -> u32 {
        let row = table.get(row);
        row.and_then(|row| row.get(column)).copied().unwrap_or(0)
    };
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let best = if before.get(row) == after.get(column) {
                at(&table, row + 1, column + 1) + 1
            } else {
                at(&table, row + 1, column).max(at(&table, row, column + 1))
            };
            if let Some(cell) = table.get_mut(row).and_then(|row| row.get_mut(column)) {
                *cell = best;
            }
        }
    }
    let mut lines = Vec::new();
    let (mut row, mut column) = (0, 0);
    loop {
        match (before.get(row), after.get(column)) {
            (Some(old), Some(new)) if old == new => {
                lines.push(Line::Stays(old));
                (row, column) = (row + 1, column + 1);
            }
            (Some(old), None) => {
                lines.push(Line::Goes(old));
                row += 1;
            }
            (Some(old), Some(_)) if at(&table, row + 1, column) >= at(&table, row, column + 1) => {
                lines.push(Line::Goes(old));
                row += 1;
            }
            (_, Some(new)) => {
                lines.push(Line::Comes(new));
                column += 1;
            }
            (None, None) => return lines,
        }
    }
}

/// From where to where lines change, with the lines around them.
fn hunks(lines: &[Line<'_>]) -> Vec<(usize, usize)> {
    let mut hunks: Vec<(usize, usize)> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if matches!(line, Line::Stays(_)) {
            continue;
        }
        let from = index.saturating_sub(AROUND);
        let to = (index + AROUND + 1).min(lines.len());
        match hunks.last_mut() {
            Some(last) if from <= last.1 => last.1 = to,
            _ => hunks.push((from, to)),
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::super::style::Colour;
    use super::*;

    fn drawn(before: Option<&str>, after: Option<&str>) -> String {
        let style = Style {
            width: 60,
            colour: Colour::Off,
        };
        let mut out = Vec::new();
        let path = "/x/y\u{1b}.json";
        let difference = Difference {
            path,
            before,
            after,
        };
        show_diff(&difference, style, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn looks_like_a_unified_diff() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n";
        let after = "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\nnew\nl\n";
        let expected = "--- /x/y␛.json\n+++ /x/y␛.json\n\
            @@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n d\n e\n\
            @@ -9,4 +9,5 @@\n i\n j\n k\n+new\n l\n";
        assert_eq!(drawn(Some(before), Some(after)), expected);
    }

    #[test]
    fn a_file_comes_and_goes() {
        let made = drawn(None, Some("{}\n"));
        assert_eq!(
            made,
            "--- /dev/null\n+++ /x/y␛.json\n@@ -0,0 +1,1 @@\n+{}\n"
        );
        let gone = drawn(Some("{}\n"), None);
        assert_eq!(
            gone,
            "--- /x/y␛.json\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-{}\n"
        );
        assert_eq!(drawn(Some("a"), Some("a")).lines().count(), 2);
    }

    #[test]
    fn nothing_in_a_file_acts_on_the_terminal() {
        let hostile = "\t\"x\u{1b}[2J\u{202e}\rz\"\n";
        let drawn = drawn(Some(hostile), Some("b\n"));
        assert!(drawn.contains("-    \"x␛[2J\\u{202e}^Mz\"\n"), "{drawn}");
    }

    #[test]
    fn what_differs_can_be_seen() {
        for (before, after, expected) in [
            ("a\nb\n", "a\nb\r\n", " a\n-b\n+b^M\n"),
            (
                "a\nb\n",
                "a\nb",
                " a\n-b\n+b\n\\ No newline at end of file\n",
            ),
            (
                "a\nb",
                "a\nb\n",
                " a\n-b\n\\ No newline at end of file\n+b\n",
            ),
            ("a\nb\n", "a\nb  \n", " a\n-b\n+b␠␠\n"),
            ("\tb\n", "    b\n", "-␉b\n+    b\n"),
            ("a\r\nb\n", "a\r\nc\n", " a^M\n-b\n+c\n"),
        ] {
            let drawn = drawn(Some(before), Some(after));
            let lines: Vec<&str> = drawn.split_inclusive('\n').skip(3).collect();
            assert_eq!(lines.concat(), expected, "{before:?} {after:?}");
        }
        let long = format!("{}\n", "x".repeat(900));
        let ended = drawn(Some(&long), Some(long.trim_end()));
        assert!(ended.ends_with("\\ No newline at end of file\n"), "{ended}");
        assert!(ended.lines().count() > 4, "{ended}");
    }

    #[test]
    fn very_many_lines_show_their_ends() {
        let lines: Vec<String> = (0..5000).map(|line| line.to_string()).collect();
        let drawn = drawn(None, Some(&(lines.join("\n") + "\n")));
        assert_eq!(drawn.lines().count(), 3 + FIRST + 1 + LAST);
        assert!(
            drawn.contains("+149\n… 4750 lines are left out …\n+4900\n"),
            "{drawn}"
        );
    }

    #[test]
    fn one_very_long_line_shows_what_differs() {
        let before = format!("{{\"a\":\"{}\"}}", "x".repeat(5000));
        let after = before.replace("\"}", "\",\"mcpServers\":{}}");
        let drawn = drawn(Some(&before), Some(&after));
        assert!(drawn.len() < 500, "{drawn}");
        let new = drawn.replace("\n+↳ ", "");
        assert!(new.contains("x\",\"mcpServers\":{}}"), "{drawn}");
    }

    #[test]
    fn what_is_shown_makes_the_new_from_the_old() {
        let mut seed = 7_u64;
        let mut next = |most: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % most
        };
        let words = ["a", "b", "c", "d"];
        for _ in 0..500 {
            let mut lines = || -> Vec<&str> {
                let count = next(9);
                (0..count)
                    .map(|_| words[usize::try_from(next(4)).unwrap()])
                    .collect()
            };
            let (before, after) = (lines(), lines());
            let compared = compare(&before, &after);
            let old: Vec<&str> = compared
                .iter()
                .filter_map(|line| match line {
                    Line::Stays(it) | Line::Goes(it) => Some(*it),
                    Line::Comes(_) => None,
                })
                .collect();
            let new: Vec<&str> = compared
                .iter()
                .filter_map(|line| match line {
                    Line::Stays(it) | Line::Comes(it) => Some(*it),
                    Line::Goes(_) => None,
                })
                .collect();
            assert_eq!((old, new), (before, after));
        }
    }
}
