//! Names of files that come from the content of another: they can be those of secrets, which no
//! rule would let pass by name.

use std::ops::Range;

use crate::facts::{Argument, Call, Facts, Input};

/// Programs that print the files they are given. Sorted.
const PRINTERS: &[&str] = &[
    "base32", "base64", "bat", "cat", "cmp", "comm", "cut", "diff", "fmt", "fold", "head",
    "hexdump", "less", "more", "nl", "od", "paste", "rev", "sort", "strings", "tac", "tail",
    "uniq", "xxd",
];

/// Programs that print what stands in files. Sorted.
const CONTENTS: &[&str] = &[
    "awk", "base32", "base64", "bat", "cat", "cut", "fold", "head", "rev", "sed", "sort", "tac",
    "tail", "tr", "uniq", "xxd",
];

/// Whether a call prints files whose names are the content of a file: `cat $(<list)`,
/// `xargs -a list cat`.
pub(super) fn reads_what_a_file_lists(facts: &Facts, call: &Call, name: &str) -> bool {
    if PRINTERS.binary_search(&name).is_err() {
        return false;
    }
    let listed = |word: &Argument| {
        let written = word.text.starts_with("$(") || word.text.starts_with('`');
        let mut ranges = word.sources.iter();
        !word.is_pipe && written && ranges.any(|range| range.is_empty() || from_file(facts, range))
    };
    call.operands().iter().any(listed) || by_xargs(facts, call)
}

/// Whether `xargs` gives it such names.
fn by_xargs(facts: &Facts, call: &Call) -> bool {
    let wrapped = |name: &String| name.ends_with("xargs");
    if !call.open_ended || !call.wrappers.iter().any(wrapped) {
        return false;
    }
    let mut around = facts.calls.iter().filter(|other| {
        other.program().ends_with("xargs")
            && other.span.0 <= call.span.0
            && call.span.1 <= other.span.1
    });
    around.any(|xargs| {
        let mut words = xargs.operands().iter().map(Argument::known);
        let named = words.any(|word| word.starts_with("-a") || word.starts_with("--arg"));
        named || reads_list(facts, xargs)
    })
}

/// Whether what a call reads is the content of a file.
pub(crate) fn reads_list(facts: &Facts, call: &Call) -> bool {
    match &call.input {
        Input::File(_) => true,
        Input::Pipe(range) => from_file(facts, range),
        Input::Text(_) | Input::Inherited => false,
    }
}

/// Whether what these calls print begins as the content of a file.
fn from_file(facts: &Facts, range: &Range<usize>) -> bool {
    let first = facts.calls.get(range.start).filter(|_| !range.is_empty());
    first.is_some_and(|first| {
        let mut words = first.operands().iter();
        let from = matches!(first.input, Input::File(_))
            || words.any(|word| !word.text.starts_with('-') && !word.is_pipe);
        CONTENTS.binary_search(&first.program()).is_ok() && from
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_names_are_sorted() {
        assert!(super::PRINTERS.is_sorted() && super::CONTENTS.is_sorted());
    }
}
