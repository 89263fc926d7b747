//! What `xargs` reads: the names that programs print in a pipe.

use super::found::{FOUND, found, is_action};
use super::listed::{listed, matching, tracked};
use super::{FARTHEST, READS, replaced, unknown, wrapper};
use crate::facts::{Argument, Call, Facts, Input};
use crate::writes::options::{Shape, parse};

/// What `xargs` reads and passes on.
pub(super) fn from_input(facts: &Facts, index: usize, given: Vec<Argument>) -> Vec<Argument> {
    let wrapped = facts.calls.get(index);
    let Some((call, xargs)) = wrapped.zip(wrapper(facts, index, READS)) else {
        let mut all = given;
        all.extend(unknown());
        return all;
    };
    let shape = Shape {
        short: "adEILnPsJR",
        attached: "i",
        long: &["arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"],
        ..Shape::PLAIN
    };
    // Only what stands before the program are options of `xargs` itself.
    if xargs.operands().len() > FARTHEST {
        return given.into_iter().chain(unknown()).collect();
    }
    let own = xargs.operands().len().saturating_sub(call.arguments.len());
    let parsed = parse(xargs.operands().get(..own).unwrap_or_default(), &shape);
    let place = parsed
        .values(&["-I", "-J", "--replace", "-i"])
        .pop()
        .map(|value| value.text)
        .or_else(|| parsed.has(&["-i", "--replace"]).then(|| "{}".to_owned()))
        .or_else(|| (xargs.program() == "parallel").then(|| "{}".to_owned()));
    let from_file = parsed.has(&["-a", "--arg-file"]);
    let supplied = match &xargs.input {
        Input::Pipe(range) if !from_file => printed(facts, range.clone()),
        Input::Text(text) if !from_file && text.is_literal() => words(text),
        _ => unknown(),
    };
    match place {
        Some(place) if given.iter().any(|word| word.text.contains(&place)) => {
            replaced(&given, &place, &supplied)
        }
        Some(_) if !call.open_ended => given,
        _ => given.into_iter().chain(supplied).collect(),
    }
}

/// What a pipe prints, if it is a single program that prints names, or filters them.
fn printed(facts: &Facts, range: std::ops::Range<usize>) -> Vec<Argument> {
    const MOST_FILTERS: usize = 8;
    let mut range = range;
    let mut selection = Selection::All;
    for _ in 0..MOST_FILTERS {
        let Some(call) = facts.calls.get(range.end.saturating_sub(1)) else {
            return unknown();
        };
        let before = match &call.input {
            // All that stands before in the pipe, of which this is the last.
            Input::Pipe(before) if before.start == range.start && before.end + 1 == range.end => {
                before
            }
            _ if range.len() == 1 => return names(call, selection),
            _ => return unknown(),
        };
        match filter(call) {
            Filter::None => return names(call, selection),
            Filter::Passes => {}
            Filter::Selects => selection = Selection::Some,
        }
        range = before.clone();
    }
    unknown()
}

/// How many of the names go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Selection {
    All,
    Some,
}

/// What a program does with the names it reads.
enum Filter {
    /// It does not filter names.
    None,
    /// It prints any of them, in any order.
    Passes,
    /// It prints only those in which it finds its pattern.
    Selects,
}

fn filter(call: &Call) -> Filter {
    let parsed = parse(
        call.operands(),
        &Shape {
            short: "nktSeT",
            ..Shape::PLAIN
        },
    );
    let is_literal = call.operands().iter().all(Argument::is_known);
    match (call.program(), parsed.operands.len()) {
        ("sort" | "head" | "tail" | "uniq" | "tac" | "shuf" | "cat", 0) if is_literal => {
            Filter::Passes
        }
        ("grep" | "egrep" | "fgrep" | "rg", 0 | 1) if is_literal => {
            if parsed.has(&["-o", "--only-matching", "-n", "-c", "-r", "-R", "--replace"]) {
                Filter::None
            } else if parsed.has(&["-v", "--invert-match"]) {
                Filter::Passes
            } else {
                Filter::Selects
            }
        }
        _ => Filter::None,
    }
}

/// The names that a program prints; those that a later filter selects are not all of them.
fn names(call: &Call, selection: Selection) -> Vec<Argument> {
    let mut all = match call.program() {
        "find" | "gfind" if !call.operands().iter().any(|word| is_action(&word.text)) => {
            found(call)
        }
        "echo" | "printf" if call.operands().iter().all(Argument::is_literal) => {
            call.operands().iter().flat_map(words).collect()
        }
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" => matching(call),
        "ls" => listed(call),
        "git" => tracked(call),
        _ => unknown(),
    };
    for one in all
        .iter_mut()
        .filter(|one| selection == Selection::Some && one.glob)
    {
        let end = one.text.rfind('/').map_or(0, |at| at + 1);
        if one.text.get(end..) == Some("**") || one.text.get(end..) == Some("*") {
            one.text.truncate(end);
            one.text.push_str(FOUND);
        }
    }
    all
}

/// Each word of a literal text.
fn words(text: &Argument) -> Vec<Argument> {
    let each = text
        .text
        .split([' ', '\t', '\n'])
        .filter(|word| !word.is_empty());
    each.map(|word| Argument::literal(word.replace("\\n", ""), text.span))
        .collect()
}
