//! Programs that print names: which ones, as far as their arguments show.

use super::found::FOUND;
use super::unknown;
use crate::facts::{Argument, Call};
use crate::writes::options::{Shape, parse};

/// Files in which a search found its pattern: named by `-l`.
pub(super) fn matching(call: &Call) -> Vec<Argument> {
    let lists = |word: &Argument| {
        let text = word.text.as_str();
        text == "--files-with-matches"
            || text == "--files"
            || text.starts_with('-') && !text.starts_with("--") && text.contains(['l', 'L'])
    };
    if !call.operands().iter().any(lists) {
        return unknown();
    }
    let shape = Shape {
        short: "efmABCdDgtT",
        long: &["regexp", "file", "include", "exclude", "exclude-dir", "glob", "type"],
        ..Shape::PLAIN
    };
    let parsed = parse(call.operands(), &shape);
    let skipped = usize::from(!parsed.has(&["-e", "--regexp", "-f", "--file"]));
    let places: Vec<Argument> = parsed.operands.into_iter().skip(skipped).collect();
    if places.is_empty() {
        return vec![Argument::literal(FOUND, call.span)];
    }
    let below = |place: Argument| {
        let is_whole = matches!(place.text.as_str(), "." | "./" | "*");
        if is_whole {
            Argument::literal(FOUND, place.span)
        } else {
            place
        }
    };
    places.into_iter().map(below).collect()
}

/// `ls`: everything, or what its operands name.
pub(super) fn listed(call: &Call) -> Vec<Argument> {
    let parsed = parse(call.operands(), &Shape::PLAIN);
    let all = Argument {
        glob: true,
        ..Argument::literal("./*", call.span)
    };
    // Names of a directory's contents are seen from elsewhere than it.
    if parsed.operands.iter().all(|operand| operand.glob) && !parsed.operands.is_empty() {
        parsed.operands
    } else {
        vec![all]
    }
}

/// `git ls-files` and `git grep -l`: everything, or what a pattern bounds.
pub(super) fn tracked(call: &Call) -> Vec<Argument> {
    let operands = call.operands();
    let verb = operands.first().map_or("", |verb| verb.text.as_str());
    let rest = operands.get(1..).unwrap_or_default();
    let named: Vec<&Argument> = rest
        .iter()
        .filter(|word| !word.text.starts_with('-'))
        .collect();
    let lists = rest
        .iter()
        .any(|word| word.text.starts_with('-') && word.text.contains('l'));
    let everything = |word: &&Argument| matches!(word.text.as_str(), "." | "*" | ":/" | "./");
    let is_bounded = match verb {
        "ls-files" => !named.is_empty() && !named.iter().any(everything),
        "grep" => lists,
        _ => return unknown(),
    };
    let name = if is_bounded { FOUND } else { "**" };
    vec![Argument {
        glob: !is_bounded,
        ..Argument::literal(format!("./{name}"), call.span)
    }]
}
