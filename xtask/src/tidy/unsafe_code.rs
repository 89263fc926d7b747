//! Rule: unsafe code is in one directory, and each block there says why it is sound.

use super::Finding;
use super::source::{Source, line_of, occurrences};

const RULE: &str = "unsafe";
const PLACE: &str = "crates/bashful-sandbox/src/sys/";

/// How far above the block its comment may end: a `let` and a call can stand between.
const DISTANCE: usize = 3;

pub(super) fn check(source: &Source) -> Vec<Finding> {
    let offsets = occurrences(&source.code, "unsafe").into_iter();
    let problems = offsets.filter_map(|offset| {
        let line = line_of(&source.code, offset);
        let after = source.code.get(offset + "unsafe".len()..)?.trim_start();
        if !source.path.starts_with(PLACE) {
            return Some((line, format!("`unsafe` is allowed under `{PLACE}` only")));
        }
        let needs_reason = after.starts_with('{') || after.starts_with("impl");
        (needs_reason && !has_reason(source, line)).then(|| {
            let message = format!("no `SAFETY:` comment in the {DISTANCE} lines above");
            (line, message)
        })
    });
    problems
        .map(|(line, message)| source.finding(RULE, line, message))
        .collect()
}

/// Whether a comment that ends within reach says `SAFETY:`, however long it is.
fn has_reason(source: &Source, line: usize) -> bool {
    let comments: Vec<&str> = source.comments.lines().take(line).map(str::trim).collect();
    let is_comment = |index: &usize| comments.get(*index).is_some_and(|it| !it.is_empty());
    let says_it = |index: usize| comments.get(index).is_some_and(|it| it.contains("SAFETY:"));
    let this = line - 1;
    (this.saturating_sub(DISTANCE)..=this)
        .filter(is_comment)
        .any(|end| (0..=end).rev().take_while(is_comment).any(says_it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let findings = check(&Source::new(path, text));
        findings.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn outside_of_its_place() {
        let text = "//! About unsafe code.\n#![deny(unsafe_code)]\nfn f() { unsafe { g() } }\n";
        assert_eq!(lines("crates/bashful-keeper/src/lib.rs", text), [3]);
        assert_eq!(lines("crates/bashful-sandbox/src/system.rs", text), [3]);
        assert_eq!(lines("crates/bashful/tests/it.rs", "unsafe fn f() {}"), [1]);
    }

    #[test]
    fn inside_it_needs_a_reason() {
        let path = "crates/bashful-sandbox/src/sys/clone.rs";
        let good = "// SAFETY: nothing else\n// holds it, and so on\n// and on.\n\
                    let x =\n    call(\n        unsafe { f() });\n";
        assert_eq!(lines(path, good), Vec::<usize>::new());
        let far = "// SAFETY: x.\nlet a = 1;\nlet b = 2;\nlet c = 3;\nunsafe { f() };\n";
        assert_eq!(lines(path, far), [5]);
        let string = "let x = \"SAFETY:\";\nunsafe { f() };\n";
        assert_eq!(lines(path, string), [2]);
        assert_eq!(
            lines(path, "pub(crate) unsafe fn f() {}"),
            Vec::<usize>::new()
        );
    }
}
