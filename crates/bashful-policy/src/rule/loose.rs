//! Matching for ask, refuse and deny rules: every way of writing that has the same effect.

use super::shape::{Shape, Token, is_flag};
use super::{Fit, flags, values};
use crate::facts::{Argument, Call};

mod walk;

use walk::Walk;

/// Whether a shape matches a call. Options may stand anywhere, abbreviated or bundled; the
/// program counts without its directory; what is not known could be anything that fits.
pub(super) fn fit(shape: &Shape, call: &Call) -> Fit {
    let (Some(program), Some((first, tokens))) =
        (call.arguments.first(), shape.tokens.split_first())
    else {
        return Fit::No;
    };
    let named = match first {
        Token::Rest => return rest_of_any(shape),
        Token::Word(names) => program_fit(shape, names, program),
    };
    if named == Fit::No {
        return Fit::No;
    }
    let (wanted, places): (Vec<&Token>, Vec<&Token>) =
        tokens.iter().partition(|token| is_flag_token(token));
    let mut best = named;
    for token in &wanted {
        let Token::Word(patterns) = token else {
            continue;
        };
        let fits = patterns
            .iter()
            .map(|pattern| flags::possible(pattern, call));
        let flag = fits.max().unwrap_or(Fit::No);
        // What an unquoted `$x` in the place of the program stands for can have flags as well.
        let hidden = Fit::possible(program.splits);
        best = best.min(flag.max(hidden));
    }
    if best == Fit::No {
        return Fit::No;
    }
    let words = attached(tokens, call);
    let walk = Walk {
        shape,
        places,
        wanted,
        options: values::options(call.program()),
        program: call.program(),
    };
    best.min(walk.run(program, &words, call))
}

/// A shape that starts with `…` is about everything.
fn rest_of_any(shape: &Shape) -> Fit {
    Fit::sure(shape.tokens.iter().all(|token| *token == Token::Rest))
}

/// Whether a place is only about an option, which may then stand anywhere.
fn is_flag_token(token: &Token) -> bool {
    match token {
        Token::Word(patterns) => patterns.iter().all(|pattern| is_flag(pattern)),
        Token::Rest => false,
    }
}

fn program_fit(shape: &Shape, names: &[String], program: &Argument) -> Fit {
    let mut names = names.iter().map(|name| base(name));
    if program.is_literal() {
        return Fit::sure(names.any(|name| shape.is(name, program.program())));
    }
    let could = |name: &str| match program.unknown_from {
        Some(_) => {
            let known = base(program.known());
            program.splits && known == name || flags::could_become(known, name)
        }
        None => flags::glob_could_be(base(&program.text), name),
    };
    Fit::possible(names.any(could))
}

/// A path without its directory.
fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// The arguments, with a value that is attached to a flag of the shape as a word of its own, so
/// that `python3 -mpip` is read like `python3 -m pip`.
fn attached(tokens: &[Token], call: &Call) -> Vec<Argument> {
    let pairs: Vec<(&str, &Token)> = tokens
        .windows(2)
        .filter_map(|pair| match pair {
            [flag @ Token::Word(patterns), value @ Token::Word(_)]
                if is_flag_token(flag) && !is_flag_token(value) =>
            {
                Some(
                    patterns
                        .iter()
                        .map(move |pattern| (pattern.as_str(), value)),
                )
            }
            _ => None,
        })
        .flatten()
        .collect();
    let mut words = Vec::with_capacity(call.operands().len());
    for argument in call.operands() {
        words.push(argument.clone());
        let value = pairs.iter().find_map(|(flag, value)| {
            let tail = attached_value(flag, &argument.text)?;
            let Token::Word(patterns) = value else {
                return None;
            };
            let fits = patterns
                .iter()
                .any(|pattern| crate::glob::matches_token(pattern, tail));
            fits.then(|| argument.tail(argument.text.len() - tail.len()))
        });
        if argument.is_literal() {
            words.extend(value);
        }
    }
    words
}

fn attached_value<'a>(flag: &str, word: &'a str) -> Option<&'a str> {
    if flag.starts_with("--") {
        return word.strip_prefix(flag)?.strip_prefix('=');
    }
    let letter = flag.chars().nth(1).filter(|_| flag.chars().count() == 2)?;
    let bundle = word
        .strip_prefix('-')
        .filter(|rest| !rest.starts_with('-'))?;
    let (_, tail) = bundle.split_once(letter)?;
    let tail = tail.strip_prefix('=').unwrap_or(tail);
    (!tail.is_empty()).then_some(tail)
}
