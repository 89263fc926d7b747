//! Where a `find` can lead: its starting points, and what its tests allow.

use super::{FARTHEST, LONGEST, MOST_FOUND, unknown};
use crate::facts::{Argument, Call};

/// The name for one found file, where tests say which but not how it is called.
pub(super) const FOUND: &str = "found";

/// Where a `find` can lead: below its starting points, to names that its tests allow.
pub(in crate::writes) fn found(find: &Call) -> Vec<Argument> {
    if find.operands().len() > FARTHEST {
        return unknown();
    }
    let (starts, expression) = split(find.operands());
    let names = bounds(expression);
    let each = if let Bounds::Names(names) = &names {
        names.len()
    } else {
        1
    };
    let is_long = |start: &Argument| start.text.len() > LONGEST;
    if starts.len() * each > MOST_FOUND || starts.iter().any(is_long) {
        return unknown();
    }
    let mut all = Vec::new();
    for start in starts {
        match &names {
            Bounds::None => all.push(below(&start, "**")),
            Bounds::Some => all.push(below(&start, FOUND)),
            Bounds::Names(names) => {
                all.extend(names.iter().map(|name| below(&start, name)));
            }
        }
    }
    all
}

fn below(start: &Argument, name: &str) -> Argument {
    Argument {
        text: format!("{}/{name}", start.text),
        glob: start.glob || name.contains(['*', '?', '[']),
        ..start.clone()
    }
}

/// The starting points and the expression.
pub(in crate::writes) fn split(arguments: &[Argument]) -> (Vec<Argument>, &[Argument]) {
    let mut at = 0;
    while let Some(argument) = arguments.get(at) {
        match argument.text.as_str() {
            "-L" | "-H" | "-P" => at += 1,
            "-D" => at += 2,
            text if text.starts_with("-O") => at += 1,
            _ => break,
        }
    }
    let rest = arguments.get(at..).unwrap_or_default();
    let is_expression = |argument: &Argument| {
        let text = argument.known();
        text.starts_with('-') || matches!(text, "(" | "!" | ")" | ",")
    };
    let end = rest.iter().position(is_expression).unwrap_or(rest.len());
    let (starts, expression) = rest.split_at(end);
    let mut starts = starts.to_vec();
    if starts.is_empty() {
        starts.push(Argument::literal(".", (0, 0)));
    }
    (starts, expression)
}

/// How tests bound what a `find` acts upon.
#[derive(Debug, PartialEq, Eq)]
enum Bounds {
    /// They do not bound it.
    None,
    /// By more than the kind of file.
    Some,
    /// By these patterns of names.
    Names(Vec<String>),
}

/// Whether this starts an action with effects.
pub(super) fn is_action(text: &str) -> bool {
    [
        "-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fprintf", "-fls",
        "-printf",
    ]
    .contains(&text)
}

fn bounds(expression: &[Argument]) -> Bounds {
    const TESTS: &[&str] = &[
        "-path", "-ipath", "-wholename", "-regex", "-iregex", "-mtime", "-atime", "-ctime",
        "-mmin", "-amin", "-cmin", "-newer", "-size", "-user", "-group", "-perm", "-links",
        "-samefile", "-inum", "-used", "-lname", "-ilname",
    ];
    let mut names: Vec<String> = Vec::new();
    let mut others = false;
    // Of the alternative that is being read.
    let mut is_bounded = false;
    let mut is_negated = false;
    let mut acts = false;
    let mut rest = expression.iter();
    while let Some(argument) = rest.next() {
        let text = argument.text.as_str();
        match text {
            "!" | "-not" => {
                is_negated = true;
                continue;
            }
            "-o" | "-or" | "," => {
                if !is_bounded {
                    return Bounds::None;
                }
                is_bounded = false;
                acts = false;
            }
            "-name" | "-iname" => {
                let pattern = rest.next().map_or("*", |pattern| pattern.text.as_str());
                let unknown = pattern.contains('$');
                let matches_all = pattern.chars().all(|each| matches!(each, '*' | '?'));
                if !is_negated && !matches_all && !acts && !unknown {
                    is_bounded = true;
                    names.push(pattern.replace('/', ""));
                }
            }
            "-empty" | "-nouser" | "-nogroup" | "-executable" => {
                others |= !is_negated && !acts;
                is_bounded |= !is_negated && !acts;
            }
            "-type" | "-xtype" | "-maxdepth" | "-mindepth" | "-printf" => {
                rest.next();
            }
            _ if TESTS.contains(&text) || text.starts_with("-newer") => {
                let value = rest.next().map_or("", |value| value.text.as_str());
                let matches_all = value
                    .chars()
                    .all(|each| matches!(each, '*' | '?' | '.' | '/'));
                if !is_negated && !acts && !matches_all {
                    others = true;
                    is_bounded = true;
                }
            }
            _ if is_action(text) => acts = true,
            _ => {}
        }
        is_negated = false;
    }
    match (is_bounded, names.is_empty()) {
        (false, _) => Bounds::None,
        (true, false) if !others => Bounds::Names(names),
        (true, _) => Bounds::Some,
    }
}
