//! Matching for allow rules: only what is known word for word.

use super::shape::{Shape, Token};
use crate::context::Context;
use crate::facts::{Argument, Call};

/// Whether a shape matches a call whose words are literal wherever the shape has a word.
pub(super) fn matches(shape: &Shape, call: &Call, context: &Context) -> bool {
    let (Some(program), Some((first, tokens))) =
        (call.arguments.first(), shape.tokens.split_first())
    else {
        return false;
    };
    if call.open_ended && !shape.is_open() {
        return false;
    }
    let named = match first {
        // Such a rule allows every program, but still only one that is known.
        Token::Rest => return is_plain_program(program),
        Token::Word(names) => names
            .iter()
            .any(|name| is_program(shape, name, call, context)),
    };
    if !named {
        return false;
    }
    // The places of the shape that the words so far can lead to.
    let mut reached = vec![false; tokens.len() + 1];
    reach(&mut reached, tokens, 0);
    for argument in call.operands() {
        let mut next = vec![false; tokens.len() + 1];
        for (at, token) in tokens.iter().enumerate() {
            if !reached.get(at).copied().unwrap_or_default() {
                continue;
            }
            match token {
                Token::Rest => reach(&mut next, tokens, at),
                Token::Word(patterns) => {
                    if is_written(argument) && takes(shape, patterns, &argument.text) {
                        reach(&mut next, tokens, at + 1);
                    }
                }
            }
        }
        reached = next;
    }
    reached.last().copied().unwrap_or_default()
}

/// Whether a call starts the program of a shape. A name with a slash is a path: an absolute one, or
/// one from the workspace, where the call has to stand.
fn is_program(shape: &Shape, name: &str, call: &Call, context: &Context) -> bool {
    let Some(program) = call.arguments.first() else {
        return false;
    };
    if !name.contains('/') {
        return is_plain_program(program) && shape.is(name, program.program());
    }
    let text = program.text.as_str();
    let same = text.strip_prefix("./").unwrap_or(text) == name.strip_prefix("./").unwrap_or(name);
    let here = |directory: &String| {
        Some(directory) == context.workspace.as_ref()
            || Some(directory) == context.directory.as_ref()
    };
    let found =
        name.starts_with('/') || !call.directories.is_empty() && call.directories.iter().all(here);
    is_written(program) && text.contains('/') && same && found
}

/// Marks a place, and those after it that need no word.
fn reach(reached: &mut [bool], tokens: &[Token], mut at: usize) {
    loop {
        if let Some(place) = reached.get_mut(at) {
            *place = true;
        }
        if tokens.get(at) != Some(&Token::Rest) {
            return;
        }
        at += 1;
    }
}

/// Whether a word fits. A `*` for a name does not cover an option.
fn takes(shape: &Shape, patterns: &[String], word: &str) -> bool {
    let fits = |pattern: &String| {
        let option = word.starts_with('-') && pattern.starts_with('*') && !shape.literal;
        !option && shape.is(pattern, word)
    };
    patterns.iter().any(fits)
}

/// Whether a word stands in the text as the program gets it.
pub(super) fn is_written(argument: &Argument) -> bool {
    argument.is_literal()
        && !argument.splits
        && !argument.from_variable
        && !argument.is_pipe
        && argument.sources.is_empty()
}

/// Whether this starts the program that its name says: by name alone, or in a system directory.
pub(crate) fn is_plain_program(argument: &Argument) -> bool {
    is_written(argument) && !argument.text.is_empty() && argument.is_system_program()
}

/// Whether every word of a call is known.
pub(super) fn is_known(call: &Call) -> bool {
    !call.open_ended
        && call.arguments.iter().all(is_written)
        && call.arguments.first().is_some_and(is_plain_program)
}
