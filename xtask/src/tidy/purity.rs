//! Rule: the policy crate sees no file, no environment, no process, no network and no clock.

use super::Finding;
use super::source::{Source, group, line_of, occurrences};

const PURE: &str = "bashful-policy";
const BANNED: &[&str] = &["env", "fs", "net", "os", "process", "time"];

pub(super) fn check(source: &Source) -> Vec<Finding> {
    if source.shipped_crate() != Some(PURE) {
        return Vec::new();
    }
    let code = &source.shipped;
    let used = occurrences(code, "std::").into_iter().flat_map(|offset| {
        let modules = modules(code, offset + "std::".len());
        modules.into_iter().map(move |module| (offset, module))
    });
    used.filter(|(_, module)| BANNED.contains(module))
        .map(|(offset, module)| {
            let message = format!("`{PURE}` decides without `std::{module}`");
            source.finding("purity", line_of(code, offset), message)
        })
        .collect()
}

/// The modules named behind a `std::`: one, or each in a list.
fn modules(code: &str, start: usize) -> Vec<&str> {
    let first_word = |text: &'_ str| {
        let end = text.find(|it: char| !super::lexer::is_word(it));
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
    fn finds_banned_modules_alone_and_in_lists() {
        let text = "use std::fmt;\nuse std::fs::File;\nuse std::{collections::{env, BTreeMap}, \
                    time::Instant};\nlet x = std::env::var(\"A\"); // std::net\n\
                    #[cfg(test)]\nmod tests { use std::fs; }\nuse core::time::Duration;\n";
        let lines = |path: &str| -> Vec<usize> {
            let findings = check(&Source::new(path, text));
            findings.iter().map(|finding| finding.line).collect()
        };
        assert_eq!(lines("crates/bashful-policy/src/lib.rs"), [2, 3, 4]);
        assert_eq!(
            lines("crates/bashful-engine/src/lib.rs"),
            Vec::<usize>::new()
        );
    }
}
