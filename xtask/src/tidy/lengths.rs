//! Lists the longest files for the reader's eye. Length is never an error.

use super::source::Source;

const SHOWN: usize = 10;

/// Past this, ask whether the file is two rooms.
const LONG: usize = 500;

pub(super) fn report(sources: &[Source]) -> String {
    let mut lengths: Vec<(usize, &str)> = sources
        .iter()
        .map(|source| (length(source), source.path.as_str()))
        .collect();
    lengths.sort_by(|one, other| other.cmp(one));
    let shown = lengths.iter().enumerate();
    let rows = shown.filter_map(|(index, (lines, path))| {
        let long = *lines > LONG;
        let remark = if long { "  warning: past 500" } else { "" };
        (index < SHOWN || long).then(|| format!("{lines:6} {path}{remark}\n"))
    });
    let title = "longest files, lines without test modules:\n".to_owned();
    std::iter::once(title).chain(rows).collect()
}

/// Lines, without those that only a test module has. A file of tests counts in full.
fn length(source: &Source) -> usize {
    let all = source.text.lines().count();
    if source.shipped.is_empty() {
        return all;
    }
    let is_blank = |line: &str| line.trim().is_empty();
    let pairs = source.code.lines().zip(source.shipped.lines());
    let in_tests = pairs.filter(|(code, shipped)| !is_blank(code) && is_blank(shipped));
    all - in_tests.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_do_not_count() {
        let text = "//! x\nfn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n";
        let source = Source::new("crates/x/src/a.rs", text);
        assert_eq!(length(&source), 2);
    }

    #[test]
    fn a_long_file_has_a_remark() {
        let long = Source::new("a.rs", &"x();\n".repeat(501));
        let short = Source::new("b.rs", "x();\n");
        let expected = "longest files, lines without test modules:\n   \
                        501 a.rs  warning: past 500\n     1 b.rs\n";
        assert_eq!(report(&[short, long]), expected);
    }
}
