//! A Rust file as the rules see it: its path, its code, its comments, its tests.

use std::ops::Range;

use super::Finding;
use super::lexer::{Kind, is_word, only};

/// One Rust file of the repository.
pub(super) struct Source {
    pub(super) path: String,
    pub(super) text: String,
    /// The text without comments and literals.
    pub(super) code: String,
    pub(super) comments: String,
    /// The code without test modules; empty for a file of tests.
    pub(super) shipped: String,
}

impl Source {
    pub(super) fn new(path: &str, text: &str) -> Self {
        let code = only(Kind::Code, text);
        let shipped = if is_test_file(path) {
            String::new()
        } else {
            without_tests(&code)
        };
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            comments: only(Kind::Comment, text),
            code,
            shipped,
        }
    }

    /// The crate under `crates/` whose `src/` holds this file.
    pub(super) fn shipped_crate(&self) -> Option<&str> {
        let (name, rest) = self.path.strip_prefix("crates/")?.split_once('/')?;
        rest.starts_with("src/").then_some(name)
    }

    pub(super) fn finding(&self, rule: &'static str, line: usize, message: String) -> Finding {
        Finding {
            path: self.path.clone(),
            line,
            rule,
            message,
        }
    }
}

/// `src/foo/tests.rs`, `src/foo/tests_*.rs`, `src/foo/tests/*.rs`, and what cargo takes as an
/// integration test.
fn is_test_file(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/") || path.contains("/tests_")
}

/// The line, counted from one, of a byte offset.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|&it| it == b'\n').count()
}

/// Byte offsets of a phrase that is not part of a longer word.
pub(super) fn occurrences(code: &str, phrase: &str) -> Vec<usize> {
    let word = |character: Option<char>| character.is_some_and(is_word);
    let free = |offset: usize| {
        let before = code.get(..offset).and_then(|it| it.chars().next_back());
        let after = code.get(offset + phrase.len()..);
        let after = after.and_then(|it| it.chars().next());
        let joined_before = word(before) && word(phrase.chars().next());
        let joined_after = word(after) && word(phrase.chars().next_back());
        !joined_before && !joined_after
    };
    let found = code.match_indices(phrase).map(|(offset, _)| offset);
    found.filter(|&offset| free(offset)).collect()
}

/// What stands between the brace at this offset and the one that closes it.
pub(super) fn group(code: &str, open: usize) -> Option<&str> {
    let rest = code.get(open..)?.strip_prefix('{')?;
    let mut depth = 1_usize;
    for (offset, character) in rest.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return rest.get(..offset);
        }
    }
    None
}

/// The code with the items under `#[cfg(test)]` blanked.
fn without_tests(code: &str) -> String {
    let ranges = test_items(code);
    let inside = |offset: usize| ranges.iter().any(|range| range.contains(&offset));
    code.char_indices()
        .map(|(offset, character)| match character {
            '\n' => '\n',
            _ if inside(offset) => ' ',
            _ => character,
        })
        .collect()
}

/// The byte ranges of the items that exist for tests only, with their attribute.
fn test_items(code: &str) -> Vec<Range<usize>> {
    let starts = ["#[cfg(test)]", "#[cfg(all(test,"];
    let found = starts.iter().flat_map(|start| code.match_indices(start));
    found
        .map(|(start, _)| start..start + item_length(code.get(start..).unwrap_or_default()))
        .collect()
}

/// From an attribute to the end of its item: a `;`, or the brace that closes the first one.
fn item_length(code: &str) -> usize {
    // Semicolons and braces inside parentheses and brackets belong to attributes and types.
    let mut nesting = 0_i32;
    for (offset, character) in code.char_indices() {
        match character {
            '(' | '[' => nesting += 1,
            ')' | ']' => nesting -= 1,
            ';' if nesting == 0 => return offset + 1,
            '{' if nesting == 0 => {
                let body = group(code, offset).map_or(code.len(), |body| offset + body.len() + 2);
                return body.min(code.len());
            }
            _ => {}
        }
    }
    code.len()
}

/// The modules named behind a `std::` or `crate::`: one, or each in a list.
pub(super) fn modules_behind(code: &str, start: usize) -> Vec<&str> {
    let first_word = |text: &'_ str| {
        let end = text.find(|it: char| !is_word(it));
        end.unwrap_or(text.len())
    };
    let rest = code.get(start..).unwrap_or_default();
    let entries = group(code, start).map_or_else(|| vec![rest], split_list);
    let words = entries.into_iter().map(|it| it.get(..first_word(it)));
    words.flatten().collect()
}

/// The entries of an import list, without looking into lists inside it.
fn split_list(list: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let at_top = |character: char| {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        character == ',' && depth == 0
    };
    list.split(at_top).map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_items_are_not_shipped() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests { fn b() { \"}\"; } }\nfn c() {}\n\
                    #[cfg(test)]\nfn d(x: [u8; 2]) { e() }\n#[cfg(test)]\nmod more;\nfn f() {}";
        let source = Source::new("crates/x/src/lib.rs", text);
        let words: Vec<&str> = source.shipped.split_whitespace().collect();
        assert_eq!(
            words,
            ["fn", "a()", "{}", "fn", "c()", "{}", "fn", "f()", "{}"]
        );
        assert_eq!(source.shipped.lines().count(), text.lines().count());
    }

    #[test]
    fn files_of_tests_ship_nothing() {
        for path in ["crates/x/src/a/tests.rs", "crates/x/tests/it.rs"] {
            assert_eq!(Source::new(path, "fn a() {}").shipped, "");
        }
        assert_eq!(
            Source::new("crates/x/src/attests.rs", "fn a() {}").shipped,
            "fn a() {}"
        );
    }

    #[test]
    fn phrases_are_whole_words() {
        assert_eq!(occurrences("unsafe_code unsafe {", "unsafe"), [12]);
        assert_eq!(occurrences("eprintln!() println!()", "println!"), [12]);
        assert_eq!(line_of("a\nb\nc", 4), 3);
    }
}
