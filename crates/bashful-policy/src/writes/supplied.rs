//! Arguments that `find` and `xargs` put in at run time, as far as the text shows them.

use crate::facts::{Argument, Call, Facts, Place};

mod found;
mod listed;
mod printed;

use found::FOUND;
use printed::from_input;

pub(super) use found::{found, split};

/// How far back a wrapper is looked for, and how much is put together from one: beyond this,
/// nothing is known.
const FARTHEST: usize = 2048;
const MOST_FOUND: usize = 256;
const LONGEST: usize = 4096;
const MOST_PLACES: usize = 4;

/// Programs that put arguments in.
const FINDS: &[&str] = &["find", "gfind"];
const READS: &[&str] = &["xargs", "gxargs", "parallel"];
const SEARCHES: &[&str] = &["fd", "fdfind"];

/// The arguments of a call with what its wrapper puts in.
pub(super) fn arguments(facts: &Facts, index: usize) -> Vec<Argument> {
    let Some(call) = facts.calls.get(index) else {
        return Vec::new();
    };
    let mut given = call.operands().to_vec();
    let is_supplier = |name: &&String| {
        let name = name.as_str();
        FINDS.contains(&name) || READS.contains(&name) || SEARCHES.contains(&name)
    };
    let Some(supplier) = call.wrappers.iter().rev().find(is_supplier) else {
        if let Shell::At(shell) = shell_of(facts, index) {
            let found = wrapper(facts, shell, FINDS).map_or_else(unknown, found);
            return replaced(&given, "{}", &found);
        }
        if call.open_ended {
            given.extend(unknown());
        }
        return given;
    };
    if READS.contains(&supplier.as_str()) {
        return from_input(facts, index, given);
    }
    let is_end = |word: &Argument| matches!(word.text.as_str(), ";" | "+");
    // The program does not see the end of `-exec`.
    given.truncate(given.len() - usize::from(given.last().is_some_and(is_end)));
    if FINDS.contains(&supplier.as_str()) {
        let found = wrapper(facts, index, FINDS).map_or_else(unknown, found);
        return replaced(&given, "{}", &found);
    }
    // What the other finder searches is not read here, only that it stays below.
    let is_plain = wrapper(facts, index, SEARCHES).is_some_and(|call| {
        let outside = |word: &Argument| word.text.starts_with(['/', '.', '~', '$']);
        !call.operands().iter().any(outside)
    });
    let found = if is_plain {
        vec![Argument::literal(FOUND, call.span)]
    } else {
        unknown()
    };
    let has_place = given.iter().any(|word| word.text.contains('{'));
    let mut all = replaced(&given, "{}", &found);
    if !has_place {
        all.extend(found);
    }
    all
}

/// Whether more arguments reach a call by way of the shell that runs it, in no known place.
pub(super) fn is_fed_by_shell(facts: &Facts, index: usize) -> bool {
    match shell_of(facts, index) {
        Shell::None => false,
        Shell::At(shell) => facts.calls.get(shell).is_some_and(|call| call.open_ended),
        Shell::TooFar => true,
    }
}

/// What a redirect of a call leads to, if a wrapper puts arguments into the shell that runs it.
pub(super) fn redirected(facts: &Facts, owner: Option<usize>, target: &Argument) -> Vec<Argument> {
    let Some(owner) = owner else {
        return vec![target.clone()];
    };
    if is_fed_by_shell(facts, owner) {
        // A name that is a whole path can still be the one that is written.
        return unknown().into_iter().chain([target.clone()]).collect();
    }
    let Shell::At(shell) = shell_of(facts, owner) else {
        return vec![target.clone()];
    };
    let found = wrapper(facts, shell, FINDS).map_or_else(unknown, found);
    replaced(std::slice::from_ref(target), "{}", &found)
}

/// A shell into which a wrapper puts arguments.
enum Shell {
    None,
    At(usize),
    TooFar,
}

/// The shell whose text has this call, if a wrapper puts arguments into that shell.
fn shell_of(facts: &Facts, index: usize) -> Shell {
    let before = facts.calls.get(..index).unwrap_or_default();
    let Some(call) = facts
        .calls
        .get(index)
        .filter(|call| call.place == Place::Script)
    else {
        return Shell::None;
    };
    let from = index.saturating_sub(FARTHEST);
    let near = before.get(from..).unwrap_or_default();
    let found = near.iter().rposition(|other| {
        let mut wrappers = other.wrappers.iter();
        let is_fed = other.open_ended || wrappers.any(|name| FINDS.contains(&name.as_str()));
        is_fed && other.span.0 <= call.span.0 && call.span.1 <= other.span.1
    });
    match found {
        Some(at) => Shell::At(from + at),
        None if from > 0 => Shell::TooFar,
        None => Shell::None,
    }
}

fn unknown() -> Vec<Argument> {
    vec![Argument {
        unknown_from: Some(0),
        splits: true,
        ..Argument::literal("…", (0, 0))
    }]
}

/// The call that starts this one: the nearest before it of these names that encloses it. Calls
/// of a text in quotes all have the place of that text, so the place alone does not show it.
fn wrapper<'a>(facts: &'a Facts, index: usize, names: &[&str]) -> Option<&'a Call> {
    let call = facts.calls.get(index)?;
    let before = facts.calls.get(..index)?;
    before.iter().rev().take(FARTHEST).find(|other| {
        names.contains(&other.program())
            && other.wrappers.len() < call.wrappers.len()
            && other.span.0 <= call.span.0
            && call.span.1 <= other.span.1
    })
}

fn replaced(given: &[Argument], place: &str, found: &[Argument]) -> Vec<Argument> {
    let mut all = Vec::new();
    if place.is_empty() || given.len().saturating_mul(found.len()) > LONGEST {
        return unknown()
            .into_iter()
            .chain(given.iter().cloned())
            .chain(unknown())
            .collect();
    }
    for argument in given {
        if argument.text.len() > LONGEST && argument.text.contains(place) {
            all.extend(unknown());
            continue;
        }
        if !argument.text.contains(place) || argument.unknown_from.is_some() {
            all.push(argument.clone());
            continue;
        }
        if argument.text.matches(place).count() > MOST_PLACES {
            all.extend(unknown());
            continue;
        }
        for one in found {
            let before = argument.text.find(place).unwrap_or(0);
            all.push(Argument {
                text: argument.text.replace(place, &one.text),
                span: argument.span,
                unknown_from: one.unknown_from.map(|from| from + before),
                glob: one.glob || argument.glob,
                ..one.clone()
            });
        }
    }
    all
}
