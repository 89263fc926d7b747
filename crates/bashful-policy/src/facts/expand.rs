//! Expansion: from a word of the tree to the words that a program gets, as far as known.

use std::ops::Range;

use super::output::Output;
use super::state::{MAX_VALUES, State};
use super::walk::{Frame, Walker};
use super::{Argument, Input, Place, Printed, UnknownKind, braces};
use crate::shell::{Direction, Piece, Quoting, Word};

mod atom;
mod draft;
mod evaluate;
mod parameter;

use atom::{number, unknown};

pub(super) use atom::Atom;
pub(super) use evaluate::assigns;

/// One possible outcome of a word: the words it becomes.
pub(super) type Fields = Vec<Argument>;

/// Where a word stands, which decides what `~` and blanks do in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A word of a command.
    Argument,
    /// A value or a target, which stays one word.
    Single,
}

impl Walker<'_> {
    /// All possible outcomes of a word, at least one.
    pub(super) fn expand(&mut self, word: &Word, state: &mut State, frame: &Frame) -> Vec<Fields> {
        let atoms = self.atoms(word, state, frame);
        if word.braces {
            match braces::expand(&atoms) {
                Some(words) => {
                    let mut outcomes = vec![Fields::new()];
                    for atoms in words {
                        let fields = self.assemble(&atoms, word.span, Role::Argument, state);
                        outcomes = product(outcomes, fields);
                    }
                    return outcomes;
                }
                None => {
                    self.unknown(UnknownKind::TooComplex, word.span, "{…}");
                }
            }
        }
        self.assemble(&atoms, word.span, Role::Argument, state)
    }

    /// A word that stays one word: a value, a redirect's target, an operand of `[[`.
    pub(super) fn expand_single(
        &mut self,
        word: &Word,
        state: &mut State,
        frame: &Frame,
    ) -> Vec<Argument> {
        let atoms = self.atoms(word, state, frame);
        let outcomes = self.assemble(&atoms, word.span, Role::Single, state);
        outcomes
            .into_iter()
            .map(|mut fields| match fields.len() {
                1 => fields.remove(0),
                0 => Argument::literal("", word.span),
                _ => {
                    let texts: Vec<&str> = fields.iter().map(|field| field.text.as_str()).collect();
                    Argument {
                        text: texts.join(" "),
                        unknown_from: fields.iter().any(|field| !field.is_known()).then_some(0),
                        ..Argument::literal("", word.span)
                    }
                }
            })
            .collect()
    }

    /// Walks what runs inside a word and says what its pieces are.
    pub(super) fn atoms(&mut self, word: &Word, state: &mut State, frame: &Frame) -> Vec<Atom> {
        let pieces = word.pieces.iter();
        pieces.map(|piece| self.atom(piece, state, frame)).collect()
    }

    fn atom(&mut self, piece: &Piece, state: &mut State, frame: &Frame) -> Atom {
        match piece {
            Piece::Text(text, quoting) => Atom::Text(text.clone(), *quoting),
            Piece::Variable(name, quoting) => self.variable(name, *quoting, state),
            Piece::Command(body, quoting) => {
                let range = self.substituted(body, state, frame);
                match self.output(&range, state) {
                    Output::Number => number("$(…)".to_owned(), *quoting),
                    Output::Values(values) => Atom::Values(values, *quoting),
                    Output::Unknown => unknown("$(…)".to_owned(), *quoting).with_source(range),
                }
            }
            Piece::Process(body, direction) => {
                let fed;
                let mut frame = frame;
                if *direction == Direction::Fed {
                    // It reads what some call prints that is not known here.
                    let here = self.facts.calls.len();
                    fed = Frame {
                        input: Input::Pipe(here..here),
                        ..frame.clone()
                    };
                    frame = &fed;
                }
                let range = self.substituted(body, state, frame);
                match unknown("<(…)".to_owned(), Quoting::Quoted).with_source(range) {
                    Atom::Unknown {
                        shown,
                        quoting,
                        sources,
                        ..
                    } => Atom::Unknown {
                        shown,
                        quoting,
                        from_variable: false,
                        sources,
                        is_pipe: true,
                        number: false,
                    },
                    other => other,
                }
            }
            Piece::Arithmetic(expression, quoting) => {
                self.evaluate(expression, state, frame);
                number("$((…))".to_owned(), *quoting)
            }
            Piece::Expansion(expansion, quoting) => {
                self.expansion(expansion, *quoting, state, frame)
            }
        }
    }

    /// Walks a substitution in a shell of its own.
    fn substituted(
        &mut self,
        body: &[crate::shell::Statement],
        state: &State,
        frame: &Frame,
    ) -> Range<usize> {
        let start = self.facts.calls.len();
        let place = if frame.place == Place::Text {
            Place::Substitution
        } else {
            frame.place
        };
        let inner = Frame {
            place,
            captured: true,
            printed: Printed::Elsewhere,
            ..frame.clone()
        };
        self.in_subshell(body, state, &inner);
        start..self.facts.calls.len()
    }
}

/// Every outcome so far with every outcome of the next words; too many become one that is unknown.
pub(super) fn product(before: Vec<Fields>, next: Vec<Fields>) -> Vec<Fields> {
    if let [only] = next.as_slice() {
        let mut all = before;
        for fields in &mut all {
            fields.extend(only.iter().cloned());
        }
        return all;
    }
    if before.len() * next.len() > MAX_VALUES {
        let mut blurred = next.into_iter().next().unwrap_or_default();
        for field in &mut blurred {
            field.unknown_from = Some(0);
            field.from_variable = true;
        }
        return product(before, vec![blurred]);
    }
    let mut all = Vec::with_capacity(before.len() * next.len());
    for fields in &before {
        for more in &next {
            let mut whole = fields.clone();
            whole.extend(more.iter().cloned());
            all.push(whole);
        }
    }
    all
}
