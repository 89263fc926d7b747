//! What a `find` writes by itself.

use super::programs::Written;
use super::supplied;
use super::table::Surety;
use super::target::Way;
use crate::facts::{Argument, Call, Facts};

/// What a `find` does by itself. What it starts is a call of its own.
pub(super) fn finds(facts: &Facts, index: usize) -> Option<Written> {
    let call = facts.calls.get(index)?;
    let mut done = Written::new(Surety::Whole);
    let (_, expression) = supplied::split(call.operands());
    let mut starts = 0_usize;
    let mut deletes = false;
    let mut rest = expression.iter();
    while let Some(argument) = rest.next() {
        match argument.text.as_str() {
            "-delete" if !deletes => {
                deletes = true;
                done.add_all(supplied::found(call), Way::Delete);
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                done.add_all(rest.next().cloned(), Way::Write);
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => starts += 1,
            _ => {}
        }
    }
    let deeper = |other: &&Call| other.wrappers.len() > call.wrappers.len();
    let after = facts.calls.iter().skip(index + 1).take_while(deeper);
    let is_started = |other: &&Call| {
        let wrapper = other.wrappers.last();
        wrapper.is_some_and(|name| name == call.program())
    };
    let started = after.filter(is_started).count();
    if starts > 0 && done.targets.is_empty() {
        // It only starts others, which are judged where they stand.
        done.add(Argument::literal("/dev/null", call.span), Way::Write);
    }
    done.is_open = started < starts
        || can_be_action(expression)
        || call
            .operands()
            .iter()
            .any(|word| word.unknown_from == Some(0) && word.splits)
        || call
            .operands()
            .iter()
            .any(|word| word.text == "-files0-from");
    Some(done)
}

/// Whether an unknown word of an expression stands where no test wants a value.
fn can_be_action(expression: &[Argument]) -> bool {
    expression.windows(2).any(|pair| {
        let [before, word] = pair else {
            return false;
        };
        word.unknown_from == Some(0) && !before.known().starts_with('-')
    })
}
