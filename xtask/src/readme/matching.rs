//! Compares real output with what a document shows, where `…` stands for anything.

const ANYTHING: &str = "…";

/// Whether the lines agree. A line that is `…` alone stands for any number of lines.
pub(super) fn agree(expected: &[&str], actual: &[&str]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((first, rest)) if first.trim() == ANYTHING => {
            let ends = 0..=actual.len();
            ends.filter_map(|start| actual.get(start..))
                .any(|tail| agree(rest, tail))
        }
        Some((first, rest)) => actual
            .split_first()
            .is_some_and(|(line, tail)| line_agrees(first, line) && agree(rest, tail)),
    }
}

/// Whether one line agrees. `…` within it stands for any text, also for none.
fn line_agrees(pattern: &str, line: &str) -> bool {
    let pattern = pattern.trim_end();
    // Spaces at the end do not matter, unless the dots stand for them.
    let line = if pattern.ends_with(ANYTHING) {
        line
    } else {
        line.trim_end()
    };
    let Some((start, rest)) = pattern.split_once(ANYTHING) else {
        return pattern == line;
    };
    let (middle, end) = rest.rsplit_once(ANYTHING).unwrap_or(("", rest));
    let Some(mut inner) = line
        .strip_prefix(start)
        .and_then(|inner| inner.strip_suffix(end))
    else {
        return false;
    };
    // With both ends fixed, taking each middle piece as early as possible loses nothing.
    for piece in middle.split(ANYTHING) {
        match inner.split_once(piece) {
            Some((_, after)) => inner = after,
            None => return false,
        }
    }
    true
}

/// Lines without the blank ones at the end, which documents use as space.
pub(super) fn trimmed<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut lines: Vec<&str> = lines.collect();
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    lines
}

/// Both texts for the reader: common lines at the start once, then `-` shown and `+` real.
pub(super) fn difference(expected: &[&str], actual: &[&str]) -> String {
    let pairs = expected.iter().zip(actual);
    let common = pairs
        .take_while(|(pattern, line)| pattern.trim() != ANYTHING && line_agrees(pattern, line))
        .count();
    let lines = |mark: &'static str, lines: &[&str]| {
        let marked = lines.iter().map(move |line| format!("{mark} {line}\n"));
        marked.collect::<String>()
    };
    let (same, missing) = expected.split_at(common);
    let unexpected = actual.get(common..).unwrap_or_default();
    [
        lines(" ", same),
        lines("-", missing),
        lines("+", unexpected),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_within_a_line_stand_for_text() {
        for (pattern, line, result) in [
            ("plain", "plain", true),
            ("plain", "plain ", true),
            ("plain", "plane", false),
            ("task …", "task 17", true),
            ("task …", "task ", true),
            ("… done", "all done", true),
            ("a…b…c", "a-b-b-c", true),
            ("a…b…c", "a-c", false),
            ("ab…ba", "aba", false),
            ("took … s, … B", "took 1.5 s, 20 B", true),
            ("……", "anything", true),
        ] {
            assert_eq!(line_agrees(pattern, line), result, "{pattern} / {line}");
        }
    }

    #[test]
    fn dots_alone_stand_for_lines() {
        assert!(agree(&["a", "…", "z"], &["a", "z"]));
        assert!(agree(&["a", "…", "z"], &["a", "b", "z", "c", "z"]));
        assert!(!agree(&["a", "…", "z"], &["a", "b"]));
        assert!(agree(&["…"], &[]));
        assert!(!agree(&[], &["a"]));
        assert!(!agree(&["a"], &[]));
    }

    #[test]
    fn a_difference_shows_both_sides() {
        assert_eq!(
            difference(&["a", "b"], &["a", "c", "d"]),
            "  a\n- b\n+ c\n+ d\n"
        );
    }

    #[test]
    fn blank_lines_at_the_end_do_not_count() {
        assert_eq!(trimmed("a\n\nb\n \n\n".lines()), ["a", "", "b"]);
    }
}
