//! The "always" that is offered with a question: the narrowest rule that would be of use.

use crate::facts::{Call, Place};
use crate::rule::is_plain_program;

mod arity;
#[cfg(test)]
mod tests;

/// A rule that a yes could leave behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Its words, for [`crate::Rule::grant`].
    pub shape: Vec<String>,
    /// It covers this one command and no other.
    pub exact: bool,
}

/// The longest command that is offered word for word.
const LONGEST: usize = 300;

/// What could be offered for one call; none when nothing narrow can be said about it.
///
/// It is about one call, never about a chain. The caller that offers it decides again with the
/// rule added: only if the command is then allowed is the offer true.
pub(crate) fn suggest(call: &Call) -> Option<Suggestion> {
    // Behind a wrapper or an assignment, a word does not say what runs.
    let bare = call.wrappers.is_empty() && call.assignments.is_empty();
    if !bare || call.open_ended || call.transparent || call.place != Place::Text {
        return None;
    }
    let program = call.arguments.first()?;
    prefix(call).or_else(|| {
        let mut arguments = call.arguments.iter();
        let known = arguments.all(|word| {
            // A glob can become other words next time, and a known variable another value.
            word.is_literal() && !word.from_variable && !word.splits && word.sources.is_empty()
        });
        let shown = |word: &str| !word.chars().any(char::is_control);
        let words: Vec<String> = call
            .arguments
            .iter()
            .map(|word| word.text.clone())
            .collect();
        let length: usize = words.iter().map(String::len).sum();
        let exact = known
            && length <= LONGEST
            && words.iter().all(|word| shown(word))
            // A final `…` would be read as the rest.
            && words.last().is_some_and(|last| last != "…" && last != "...")
            && !arity::is_never_offered(program.program());
        exact.then_some(Suggestion {
            shape: words,
            exact: true,
        })
    })
}

/// Whether a shape would be a yes to almost everything: nothing but `…`, a program without a name
/// of its own, or one that runs whatever follows.
///
/// ```
/// let is_too_wide = |shape: &[&str]| bashful_policy::is_too_wide(&shape.iter().map(|word| word.to_string()).collect::<Vec<_>>());
/// assert!(is_too_wide(&["…"]) && is_too_wide(&["git", "…"]) && is_too_wide(&["bash", "-c", "…"]));
/// assert!(!is_too_wide(&["git", "push", "origin", "…"]) && !is_too_wide(&["./deploy", "…"]));
/// ```
pub fn is_too_wide(shape: &[String]) -> bool {
    let Some(program) = shape.first() else {
        return true;
    };
    let name = program.rsplit('/').next().unwrap_or_default();
    let open = |word: &str| word == "…" || word == "...";
    if name.is_empty() || open(name) || name.contains(['*', '?', '[']) {
        return true;
    }
    let Some((last, fixed)) = shape.split_last() else {
        return true;
    };
    if !open(last) {
        return arity::is_never_offered(name);
    }
    let rest = fixed.iter().skip(1).map(String::as_str);
    let fixed: Vec<&str> = std::iter::once(name).chain(rest).collect();
    arity::leaves_open(&fixed)
}

/// The words that say what is done, with the rest left open.
fn prefix(call: &Call) -> Option<Suggestion> {
    let program = call.arguments.first()?;
    if !is_plain_program(program) {
        return None;
    }
    let mut words: Vec<&str> = vec![program.program()];
    for argument in call.operands() {
        let known = argument.is_literal()
            && !argument.from_variable
            && !argument.splits
            && argument.sources.is_empty();
        if !known {
            break;
        }
        words.push(&argument.text);
    }
    let length = arity::of(&words)?;
    let fixed = words.get(..length)?;
    // An option before the end of the prefix could change what the words after it mean.
    let plain = |word: &&str| {
        let usual = |next: char| next.is_alphanumeric() || "-_.:/@+".contains(next);
        !word.is_empty() && !word.starts_with('-') && word.chars().all(usual)
    };
    if !fixed.iter().all(plain) {
        return None;
    }
    let mut shape: Vec<String> = fixed.iter().map(|word| (*word).to_owned()).collect();
    shape.push("…".to_owned());
    Some(Suggestion {
        shape,
        exact: false,
    })
}
