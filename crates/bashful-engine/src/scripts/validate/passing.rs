//! What a script writes that goes with its run, and paths that only its values name.

use bashful_policy::{Argument, Call, Facts, RedirectKind};

use super::archive::archive;
use super::line_of;

/// What the variables that stand for templates begin with.
const TEMPLATE: &str = "__bashful_";

/// Files that are gone after the run unless their place is declared, with their lines.
pub(super) fn look(text: &str, facts: &Facts) -> Vec<(String, usize)> {
    let redirected = facts
        .redirects
        .iter()
        .filter(|redirect| matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append));
    let redirected = redirected.map(|redirect| redirect.target.clone());
    let archives = facts.calls.iter().filter_map(archive);
    let archives = archives.filter(|archive| archive.written);
    let written = redirected.chain(archives.map(|archive| archive.file));
    let mut found: Vec<(String, usize)> = Vec::new();
    for file in written.filter(Argument::is_known) {
        let name = file.text.as_str();
        let in_tmp = name.starts_with("/tmp/");
        let beside = !name.starts_with(['/', '~', '-', '&']) && !name.is_empty();
        // What it uses again is meant to go.
        let is_once = text.matches(name).count() == 1;
        let is_new = !found.iter().any(|(one, _)| one == name);
        if (in_tmp || beside) && is_once && !file.is_pipe && is_new {
            found.push((name.to_owned(), line_of(text, file.span.0)));
        }
    }
    found
}

/// Whether some command gets a value as what could be a path, with the line of the first.
pub(super) fn names_paths_by_value(text: &str, facts_calls: &[Call]) -> Option<usize> {
    let silent = [
        "echo", "printf", "[", "test", ":", "export", "local", "declare",
    ];
    let calls = facts_calls
        .iter()
        .filter(|call| !silent.contains(&call.program()));
    let mut words = calls.flat_map(Call::operands);
    let by_value = |word: &&Argument| {
        let written = text.get(word.span.0..word.span.1).unwrap_or_default();
        written.contains(TEMPLATE)
    };
    words.find(by_value).map(|word| line_of(text, word.span.0))
}
