//! JSON that came from a file, for a terminal: the same JSON, and nothing in it acts.

use std::fmt::Write as _;

use super::charset::Reader;

/// A line of JSON whose odd characters are written as `\u…`. JSON has characters other than ASCII
/// only in its texts, so what it says stays the same.
pub(crate) fn harmless_json(line: &str) -> String {
    let mut reader = Reader::default();
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        if reader.shows(c) {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_characters_are_spelled_and_mean_the_same() {
        let value = serde_json::json!({ "a": "x\u{202e}\u{9b}\u{7f}\u{1b}é日\u{e0041} \n" });
        let line = value.to_string();
        let shown = harmless_json(&line);
        assert!(shown.contains("é日"), "{shown}");
        assert!(
            !shown.contains(['\u{202e}', '\u{9b}', '\u{7f}', '\u{e0041}']),
            "{shown}"
        );
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&shown).unwrap(),
            value
        );
    }
}
