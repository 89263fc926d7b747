//! Rules: each file says what it is for, nothing is left half done, no test is switched off.

use super::Finding;
use super::source::{Source, line_of, occurrences};

const UNFINISHED: &[&str] = &["todo!", "unimplemented!"];
const REMINDERS: &[&str] = &["TODO", "FIXME"];

pub(super) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    if source.path.starts_with("crates/") {
        findings.extend(ignored_tests(source));
    }
    if source.shipped_crate().is_none() {
        return findings;
    }
    if !source.text.starts_with("//!") {
        let message = "the first line is not a `//!` that says what the file is for";
        findings.push(source.finding("header", 1, message.to_owned()));
    }
    let in_code = UNFINISHED.iter().map(|mark| (&source.code, mark));
    let in_comments = REMINDERS.iter().map(|mark| (&source.comments, mark));
    for (text, mark) in in_code.chain(in_comments) {
        for offset in occurrences(text, mark) {
            let message = format!("`{mark}` in shipped code");
            findings.push(source.finding("unfinished", line_of(text, offset), message));
        }
    }
    findings
}

/// `#[ignore]`, `#[ignore = "why"]` and `#[cfg_attr(x, ignore)]`.
fn ignored_tests(source: &Source) -> Vec<Finding> {
    let code = &source.code;
    let in_attribute = |offset: &usize| {
        let before = code.get(..*offset).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
        line.ends_with("#[") || line.starts_with("#[cfg_attr(")
    };
    let offsets = occurrences(code, "ignore").into_iter();
    offsets
        .filter(in_attribute)
        .map(|offset| {
            let message = "a test that does not run is no test".to_owned();
            source.finding("ignore", line_of(code, offset), message)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<(&'static str, usize)> {
        let findings = check(&Source::new(path, text));
        findings.iter().map(|it| (it.rule, it.line)).collect()
    }

    #[test]
    fn half_done_work_is_found() {
        let text = "//! About TODOS.\nfn a() { todo!() } // FIXME: x\nlet b = \"TODO\";\n// TODO\n";
        let expected = [("unfinished", 2), ("unfinished", 4), ("unfinished", 2)];
        assert_eq!(found("crates/bashful/src/a.rs", text), expected);
        assert_eq!(found("crates/bashful/tests/a.rs", text), []);
        assert_eq!(
            found("crates/bashful/src/a.rs", "fn a() {}"),
            [("header", 1)]
        );
    }

    #[test]
    fn switched_off_tests_are_found() {
        let text = "#[test]\n#[ignore]\nfn a() {}\n#[ignore = \"slow\"]\nfn b() {}\n\
                    #[cfg_attr(miri, ignore)]\nfn c() { ignore(); }\n// #[ignore]\n";
        let expected = [("ignore", 2), ("ignore", 4), ("ignore", 6)];
        assert_eq!(found("crates/bashful/tests/a.rs", text), expected);
    }
}
