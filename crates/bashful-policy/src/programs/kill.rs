//! Ending processes: one that is named is fine, many at once are not.

use crate::facts::{Argument, Call};

use super::verdict::Verdict;

const BROAD: Verdict = Verdict::must_ask(
    "kill-broad",
    "ends every process that matches",
    Some("end one process by its number: `kill PID`"),
);

/// What is known about `kill` and its kin.
pub(super) fn judge(call: &Call, name: &str) -> Verdict {
    let lists = |argument: &Argument| matches!(argument.text.as_str(), "-l" | "-L" | "--list");
    if name != "kill" {
        let asks = |argument: &Argument| {
            lists(argument) || matches!(argument.text.as_str(), "--version" | "-V" | "--help")
        };
        let [only] = call.operands() else {
            return BROAD;
        };
        return if asks(only) { Verdict::READS } else { BROAD };
    }
    if call.operands().first().is_some_and(lists) {
        return Verdict::READS;
    }
    if call.open_ended {
        return BROAD;
    }
    match targets(call.operands()) {
        Targets::Named => Verdict::allows("kill-one", "signals processes by their numbers"),
        Targets::Unknown => Verdict::asks(
            "kill-unknown",
            "signals processes that are not known",
            Some("give the number of the process"),
        ),
        Targets::Many => BROAD,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Targets {
    Named,
    Unknown,
    Many,
}

fn targets(arguments: &[Argument]) -> Targets {
    let mut worst = Targets::Named;
    let mut rest = arguments.iter();
    let mut options = true;
    let mut signal_given = false;
    let mut count = 0;
    while let Some(argument) = rest.next() {
        let text = argument.text.as_str();
        if options && text == "--" {
            options = false;
        } else if options && matches!(text, "-s" | "-n" | "--signal" | "-q" | "--queue") {
            signal_given = true;
            rest.next();
        } else if options && argument.known().starts_with('-') && !signal_given {
            // The first such word is a signal: `-9`, `-TERM`, `-SIGKILL`.
            signal_given = true;
            if !argument.is_literal() {
                worst = worst.max(Targets::Unknown);
            }
        } else {
            worst = worst.max(target(argument));
            count += 1;
        }
    }
    // Without a process it may be that the signal was meant as one, as in `kill -1`.
    if count == 0 { Targets::Many } else { worst }
}

fn target(argument: &Argument) -> Targets {
    let text = argument.text.as_str();
    // The number of the last job in the background, which this shell started.
    if matches!(text, "$!" | "${!}") {
        return Targets::Named;
    }
    if !argument.is_literal() {
        return if argument.known().starts_with('-') {
            Targets::Many
        } else {
            Targets::Unknown
        };
    }
    if text.starts_with('%') {
        return Targets::Named;
    }
    match text.parse::<i64>() {
        Ok(number) if number > 1 => Targets::Named,
        Ok(_) => Targets::Many,
        Err(_) => Targets::Unknown,
    }
}
