//! Whether a call has a flag or word: surely, possibly, or not at all.

use super::Fit;
use super::shape::is_flag;
use super::values::{self, Value};
use crate::facts::{Argument, Call};
use crate::glob::{self, ANY_CHARACTER};

/// Whether a call could have this flag or word: bundled, abbreviated, with its value attached, or
/// in what is not known.
pub(super) fn possible(wanted: &str, call: &Call) -> Fit {
    let one_dash = values::has_one_dash(call.program());
    let mut best = Fit::possible(call.open_ended);
    let mut operands = false;
    let mut letters = String::new();
    for argument in call.operands() {
        let text = argument.known();
        if !argument.is_literal() {
            best = best.max(unknown(wanted, argument, one_dash));
        } else if text == "--" && !one_dash {
            operands = true;
        }
        if operands && is_flag(wanted) {
            break;
        }
        let fits = if is_flag(wanted) {
            // What comes after a part of a long name can make it another.
            let whole = argument.is_known() || text.contains('=') || !text.starts_with("--");
            whole && !argument.glob && is_option(wanted, text, one_dash)
        } else {
            argument.is_literal() && glob::matches_token(wanted, text)
        };
        if fits {
            return Fit::Yes;
        }
        if text.starts_with('-') && !text.starts_with("--") {
            letters.push_str(bundle(text));
        }
    }
    // `-r -f` is what `-rf` says.
    let bundled = wanted
        .strip_prefix('-')
        .filter(|name| (2..=3).contains(&name.len()) && !one_dash && !name.contains(['-', '*']));
    let all = bundled.is_some_and(|name| name.chars().all(|letter| letters.contains(letter)));
    if all { Fit::Yes } else { best }
}

/// Whether a word is, or contains, this flag.
pub(super) fn is_option(wanted: &str, word: &str, one_dash: bool) -> bool {
    if !word.starts_with('-') || word.len() < 2 {
        return false;
    }
    if wanted.contains('*') {
        return glob::matches_token(wanted, word);
    }
    let name = word.split('=').next().unwrap_or_default();
    if wanted.starts_with("--") {
        return name.starts_with("--") && name.len() > 2 && wanted.starts_with(name)
            || one_dash && name == wanted.get(1..).unwrap_or_default();
    }
    if wanted.chars().count() > 2 {
        return name == wanted || name.strip_prefix('-') == Some(wanted);
    }
    if wanted.ends_with(|last: char| last.is_ascii_digit()) {
        // A number is a value of its own: `-1` is not in `-15`.
        return word == wanted;
    }
    if one_dash {
        return word.starts_with(wanted);
    }
    let letter = wanted.chars().nth(1);
    !word.starts_with("--") && bundle(word).chars().any(|next| Some(next) == letter)
}

/// The letters of a bundle of flags.
fn bundle(word: &str) -> &str {
    let word = word.trim_start_matches('-');
    word.split('=').next().unwrap_or_default()
}

/// Whether what is not known about a word could make it this flag or word.
fn unknown(wanted: &str, argument: &Argument, one_dash: bool) -> Fit {
    if argument.unknown_from.is_none() {
        // The names that a glob finds are as long as it is and end alike. That a run made a file
        // whose name is an option with a value is left to the kernel.
        return Fit::possible(glob_could_be(&argument.text, wanted));
    }
    let known = argument.known();
    if argument.splits || known.is_empty() {
        return Fit::Could;
    }
    if !is_flag(wanted) {
        return Fit::possible(could_become(known, wanted));
    }
    let short = !wanted.starts_with("--") && wanted.len() == 2 && !one_dash;
    let bundle = short && known.starts_with('-') && !known.starts_with("--");
    Fit::possible(
        bundle || could_become(known, wanted) || known.starts_with(wanted) || known == "-",
    )
}

/// Whether text that starts like this can become a word that matches a pattern.
pub(super) fn could_become(known: &str, pattern: &str) -> bool {
    let fixed = pattern.split('*').next().unwrap_or_default();
    if pattern.contains('*') {
        fixed.starts_with(known) || known.starts_with(fixed)
    } else {
        pattern.starts_with(known)
    }
}

/// Whether a glob of the shell could find this very name.
pub(super) fn glob_could_be(text: &str, name: &str) -> bool {
    let mut pattern = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(next) = characters.next() {
        match next {
            '?' => pattern.push(ANY_CHARACTER),
            '[' if characters.as_str().contains(']') => {
                pattern.push(ANY_CHARACTER);
                // A `]` right after the `[` or its `!` is a member of the set.
                let mut first = true;
                for member in characters.by_ref() {
                    if member == ']' && !first {
                        break;
                    }
                    first = first && matches!(member, '!' | '^');
                }
            }
            // What an extended pattern such as `@(a|b)` finds is anything.
            '+' | '@' | '!' if characters.as_str().starts_with('(') => {
                return true;
            }
            _ => pattern.push(next),
        }
    }
    // Where the name has a star of its own, the text before it decides.
    let name = name.split('*').next().unwrap_or_default();
    glob::matches_token(&pattern, name)
}

/// Whether a call surely has this flag or word: written in full, not as the value of another
/// option, and not taken back.
pub(super) fn certain(wanted: &str, call: &Call) -> bool {
    let options = values::options(call.program());
    let name = wanted.strip_prefix("--");
    let mut found = false;
    let mut previous: Option<&str> = None;
    for argument in call.operands() {
        if !argument.is_literal() {
            // It could be `--`, an option that takes the next word, or one that takes this back.
            if argument.splits
                || argument.text.starts_with(['-', '*', '?', '[', '$', '`'])
                || argument.known().is_empty()
            {
                return false;
            }
            previous = None;
            continue;
        }
        let text = argument.text.as_str();
        if text == "--" && is_flag(wanted) {
            break;
        }
        let is_value = previous.is_some_and(|previous| {
            let value = options.map_or(Value::Unclear, |options| {
                match (options.before(previous), options.after(previous)) {
                    (Value::Next, _) | (_, Value::Next) => Value::Next,
                    (_, after) => after,
                }
            });
            previous.starts_with('-')
                && previous.len() > 1
                && match value {
                    Value::Next => true,
                    Value::None => false,
                    Value::Unclear => !previous.contains('=') && !is_known_switch(previous),
                }
        });
        let taken_back = |name: &str| {
            let word = text.strip_prefix("--no-").unwrap_or_default();
            !word.is_empty() && name.starts_with(word)
        };
        if name.is_some_and(taken_back) {
            return false;
        }
        let fits = text == wanted
            || wanted.contains('*') && glob::matches_token(wanted, text)
            || name.is_some()
                && text
                    .strip_prefix(wanted)
                    .is_some_and(|rest| rest.starts_with('='));
        found |= fits && !is_value;
        previous = Some(text);
    }
    found
}

/// Switches that take no value in any program people use.
fn is_known_switch(option: &str) -> bool {
    const SWITCHES: [&str; 12] = [
        "--all", "--dry-run", "--force", "--help", "--json", "--no-verify", "--quiet", "--tags",
        "--verbose", "--version", "--yes", "-v",
    ];
    SWITCHES.contains(&option)
}
