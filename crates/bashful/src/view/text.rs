//! Words for our own lines: agent-supplied text made safe, cut and wrapped; durations; sizes.

use std::time::Duration;

use unicode_width::UnicodeWidthChar;

use super::charset::{Reader, spell};

/// The most characters [`visible`] reads, so that a huge text costs nothing.
const VISIBLE_LIMIT: usize = 4096;
/// The columns kept for the sign that text was left out.
const ELLIPSIS_WIDTH: usize = 2;

/// Text from outside as one line that shows all there is and does nothing: controls, what is
/// invisible, blank or written from right to left, and marks that cover a letter are spelled out,
/// and line ends become `␊`.
pub(crate) fn visible(text: &str) -> String {
    let mut reader = Reader::default();
    let mut shown = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == VISIBLE_LIMIT {
            shown.push('…');
            break;
        }
        let plain = reader.shows(c);
        match c {
            '\n' => shown.push('␊'),
            '\t' => shown.push('␉'),
            _ if plain => shown.push(c),
            _ => shown.extend(spell(c)),
        }
    }
    shown
}

/// Cuts one line of visible text to a number of columns, with `…` where text was left out.
pub(crate) fn shorten(text: &str, columns: usize) -> String {
    let mut kept = String::new();
    let mut used = 0;
    let mut cut = 0;
    for c in text.chars() {
        used += cautious_width(c);
        if used > columns {
            kept.truncate(cut);
            kept.push('…');
            break;
        }
        kept.push(c);
        if used + ELLIPSIS_WIDTH <= columns {
            cut = kept.len();
        }
    }
    kept
}

/// Breaks one line of visible text into rows, between words where that is possible. What does
/// not fit into the given number of rows is left out, and `…` says so.
pub(super) fn wrap(text: &str, columns: usize, rows: usize) -> Vec<String> {
    let mut wrapped = vec![String::new()];
    let mut used = 0;
    for (index, word) in text.split(' ').enumerate() {
        if wrapped.len() > rows {
            break;
        }
        let width: usize = word.chars().map(cautious_width).sum();
        if index > 0 && used + 1 + width <= columns {
            push(&mut wrapped, ' ');
            used += 1;
        } else if index > 0 {
            wrapped.push(String::new());
            used = 0;
        }
        for c in word.chars() {
            let width = cautious_width(c);
            if used > 0 && used + width > columns {
                wrapped.push(String::new());
                used = 0;
            }
            push(&mut wrapped, c);
            used += width;
        }
    }
    if wrapped.len() > rows {
        wrapped.truncate(rows);
        if let Some(last) = wrapped.last_mut() {
            *last = shorten(last, columns.saturating_sub(ELLIPSIS_WIDTH));
            if !last.ends_with('…') {
                last.push('…');
            }
        }
    }
    wrapped
}

fn push(rows: &mut [String], c: char) {
    if let Some(row) = rows.last_mut() {
        row.push(c);
    }
}

/// The columns of one character.
pub(super) fn width(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The most columns that any terminal gives a character. Terminals disagree about all but ASCII,
/// and a line of ours that is longer than we think would wrap and show agent-supplied text
/// at the start of a row.
pub(super) fn cautious_width(c: char) -> usize {
    if c.is_ascii() { 1 } else { width(c).max(2) }
}

/// The most columns that any terminal gives a text.
pub(crate) fn columns_of(text: &str) -> usize {
    text.chars().map(cautious_width).sum()
}

/// A duration as people say it: `120ms`, `4.2s`, `1m 03s`, `2h 05m`, `3d 04h`. Always rounded down.
pub(crate) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0 if duration.as_millis() < 200 => format!("{}ms", duration.as_millis()),
        0..60 => format!("{seconds}.{}s", duration.subsec_millis() / 100),
        _ => whole_seconds(duration),
    }
}

/// A duration without fractions: `4s`, `1m 03s`, `2h 05m`, `3d 04h`.
pub(super) fn whole_seconds(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{minutes}m {:02}s", seconds % 60),
        3600..86_400 => format!("{hours}h {:02}m", minutes % 60),
        _ => format!("{}d {:02}h", hours / 24, hours % 24),
    }
}

/// A size in bytes: `17 B`, `1.5 KiB`, `3.0 MiB`. Always rounded down.
pub(crate) fn size(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut shown = format!("{bytes} B");
    let mut whole = bytes;
    for unit in units {
        if whole < 1024 {
            break;
        }
        shown = format!("{}.{} {unit}", whole / 1024, whole % 1024 * 10 / 1024);
        whole /= 1024;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visible_text_is_one_harmless_line() {
        assert_eq!(visible("ls\r\n\x1b[2J\tx"), "ls^M␊␛[2J␉x");
        assert_eq!(
            visible("a\u{202e}b\u{a0}c\u{200b}\u{5d0}\u{2800}d"),
            "a\\u{202e}b\\u{a0}c\\u{200b}\\u{5d0}\\u{2800}d"
        );
        assert_eq!(visible("naïve ✓ 日本"), "naïve ✓ 日本");
        assert_eq!(
            visible(&"x".repeat(1 << 20)).chars().count(),
            VISIBLE_LIMIT + 1
        );
    }

    #[test]
    fn shortening_never_exceeds_the_columns() {
        assert_eq!(shorten("abcdef", 6), "abcdef");
        assert_eq!(shorten("abcdefg", 6), "abcd…");
        assert_eq!(shorten("日本語日本語", 6), "日本…");
        assert_eq!(shorten("abc", 1), "…");
    }

    #[test]
    fn wraps_between_words_or_else_inside_them() {
        assert_eq!(wrap("one two three", 7, 9), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh ij", 4, 9), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("a  b", 9, 9), ["a  b"]);
        assert_eq!(wrap("", 9, 9), [""]);
        assert_eq!(wrap("one two three four", 5, 2), ["one", "two…"]);
    }

    #[test]
    fn durations_and_sizes_read_well() {
        let said = |millis| duration(Duration::from_millis(millis));
        assert_eq!(said(0), "0ms");
        assert_eq!(said(120), "120ms");
        assert_eq!(said(250), "0.2s");
        assert_eq!(said(4200), "4.2s");
        assert_eq!(said(59_999), "59.9s");
        assert_eq!(said(63_000), "1m 03s");
        assert_eq!(said(7_500_000), "2h 05m");
        assert_eq!(said(273_600_000), "3d 04h");
        assert_eq!(whole_seconds(Duration::from_millis(4900)), "4s");
        assert_eq!(size(17), "17 B");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(size(3 << 20), "3.0 MiB");
        assert_eq!(size(u64::MAX), "15.9 EiB");
    }
}
