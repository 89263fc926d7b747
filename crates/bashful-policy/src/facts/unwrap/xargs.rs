//! What `xargs` gives to the program that it runs.

use crate::facts::{Argument, Input};

/// More words than this are not written out.
const MOST: usize = 256;

/// Whether further words come at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum More {
    None,
    Unknown,
}

/// The words of what is run, with those that are read where they are known.
pub(super) fn supplied(
    argv: &[Argument],
    inner: &[Argument],
    input: &Input,
) -> (Vec<Argument>, More) {
    let options = argv
        .get(1..argv.len().saturating_sub(inner.len()))
        .unwrap_or_default();
    let mut words = inner.to_vec();
    if let Some(sign) = replaced(options) {
        // What is read goes where the sign stands, and nowhere else.
        let mut more = More::None;
        for word in &mut words {
            if let Some(at) = word.text.find(&sign) {
                word.unknown_from = Some(word.unknown_from.map_or(at, |from| from.min(at)));
                more = More::Unknown;
            }
        }
        return (words, more);
    }
    let from_file = options
        .iter()
        .any(|word| word.known().starts_with("-a") || word.known().starts_with("--arg-file"));
    match input {
        Input::Text(text) if is_plain(text) && !from_file => {
            let given: Vec<&str> = text.text.split_whitespace().collect();
            if given.is_empty() || given.len() > MOST {
                return (words, More::Unknown);
            }
            words.extend(
                given
                    .into_iter()
                    .map(|word| Argument::literal(word, text.span)),
            );
            (words, More::None)
        }
        _ => (words, More::Unknown),
    }
}

/// Whether a text is cut at its blanks and nowhere else.
fn is_plain(text: &Argument) -> bool {
    text.is_known() && !text.text.contains(['\'', '"', '\\'])
}

/// The sign that is replaced by what is read: `-I{}`, `-i`, `--replace=%`.
fn replaced(options: &[Argument]) -> Option<String> {
    let mut rest = options.iter();
    while let Some(word) = rest.next() {
        let text = word.known();
        let sign = match text {
            "-I" => rest.next().map(|next| next.text.clone()),
            _ => text
                .strip_prefix("--replace=")
                .or_else(|| text.strip_prefix("--replace"))
                .or_else(|| text.strip_prefix("-I"))
                .or_else(|| text.strip_prefix("-i"))
                .map(str::to_owned),
        };
        if let Some(sign) = sign {
            return Some(if sign.is_empty() {
                "{}".to_owned()
            } else {
                sign
            });
        }
    }
    None
}
