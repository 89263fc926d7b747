//! Words of a script: which commands have them, and what its text alone says about functions.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::Ground;

/// Words for which a command is read in any case, if the script has them.
pub(super) fn suspicious_words(text: &str) -> Vec<&'static str> {
    let has = |word: &str| text.contains(word);
    let mut words = Vec::new();
    if has("alias") && (has("expand_aliases") || has("posix") || has("POSIXLY_CORRECT")) {
        words.extend(["alias", "expand_aliases", "posix", "POSIXLY_CORRECT"]);
    }
    if has("export") && has("-f") || has("-fx") || has("-xf") {
        words.extend(["export", "declare", "typeset"]);
    }
    words
}

/// The commands that have each word.
pub(super) fn words_of<'s>(
    text: &'s str,
    commands: &[Range<usize>],
) -> HashMap<&'s str, Vec<usize>> {
    let mut words: HashMap<&str, Vec<usize>> = HashMap::new();
    let ends = |sign: char| !(sign.is_ascii_alphanumeric() || sign == '_');
    for (index, command) in commands.iter().enumerate() {
        let text = text.get(command.clone()).unwrap_or_default();
        for word in text.split(ends).filter(|word| !word.is_empty()) {
            let found = words.entry(word).or_default();
            if found.last() != Some(&index) {
                found.push(index);
            }
        }
    }
    words
}

/// The commands whose text fits.
pub(super) fn commands_with(ground: &Ground<'_>, fits: impl Fn(&str) -> bool) -> Vec<usize> {
    let commands = ground.commands.iter().enumerate();
    commands
        .filter(|(_, command)| ground.text.get((*command).clone()).is_some_and(&fits))
        .map(|(index, _)| index)
        .collect()
}

/// Whether a text has this word.
pub(super) fn mentions(text: &str, word: &str) -> bool {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let bytes = text.as_bytes();
    text.match_indices(word).any(|(at, _)| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let after = bytes.get(at + word.len());
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

/// The names before `()` and behind `function`.
pub(super) fn functions_in(text: &str) -> HashSet<String> {
    let mut names = HashSet::new();
    let ends = |sign: char| sign.is_whitespace() || ";&|(){}<>\"'`$".contains(sign);
    for (at, _) in text.match_indices('(') {
        let rest = text.get(at + 1..).unwrap_or_default();
        if !rest.trim_start_matches([' ', '\t']).starts_with(')') {
            continue;
        }
        let before = text.get(..at).unwrap_or_default();
        let name = before.trim_end_matches([' ', '\t']).rsplit(ends).next();
        names.extend(name.filter(|name| !name.is_empty()).map(str::to_owned));
    }
    for (at, word) in text.match_indices("function") {
        let rest = text.get(at + word.len()..).unwrap_or_default();
        let name = rest.trim_start().split(ends).next();
        names.extend(name.filter(|name| !name.is_empty()).map(str::to_owned));
    }
    names
}
