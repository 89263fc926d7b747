//! The walk along a call: how surely each place of a shape is reached.

use crate::facts::{Argument, Call};
use crate::rule::shape::{Shape, Token};
use crate::rule::values::{self, Options, Value};
use crate::rule::{Fit, flags};

/// How surely each place of a shape is reached.
struct Reached {
    /// The next word stands for itself.
    here: Vec<Fit>,
    /// The next word is the value of an option.
    value: Vec<Fit>,
}

/// The way that a call's words are led along.
pub(super) struct Walk<'a> {
    pub(super) shape: &'a Shape,
    /// The places that are not only about options.
    pub(super) places: Vec<&'a Token>,
    /// The places that are only about options.
    pub(super) wanted: Vec<&'a Token>,
    pub(super) options: Option<&'static Options>,
    pub(super) program: &'a str,
}

impl Walk<'_> {
    /// Leads the words through the places, in time linear in the number of words.
    pub(super) fn run(&self, program: &Argument, words: &[Argument], call: &Call) -> Fit {
        let mut reached = self.nowhere();
        self.reach(&mut reached.here, 0, Fit::Yes);
        if program.unknown_from.is_some() && program.splits {
            reached = self.unknown(&reached, &open_end());
        }
        let mut operands = false;
        for (index, word) in words.iter().enumerate() {
            let text = word.text.as_str();
            let option = !operands && text.len() > 1 && text.starts_with('-');
            reached = if !word.is_literal() {
                self.unknown(&reached, word)
            } else if text == "--" {
                operands = true;
                self.literal(&reached, text, Value::None, Stays::Yes)
            } else if option {
                self.option(&reached, text)
            } else {
                // `cargo +nightly test` is `cargo test`.
                let toolchain = index == 0
                    && text.starts_with('+')
                    && matches!(self.program, "cargo" | "rustc" | "rustup" | "rustfmt");
                let stays = if toolchain { Stays::Yes } else { Stays::No };
                self.literal(&reached, text, Value::None, stays)
            };
        }
        if call.open_ended {
            reached = self.unknown(&reached, &open_end());
        }
        let end = self.places.len();
        let fit = |fits: &[Fit]| fits.get(end).copied().unwrap_or(Fit::No);
        fit(&reached.here).max(fit(&reached.value))
    }

    fn nowhere(&self) -> Reached {
        Reached {
            here: vec![Fit::No; self.places.len() + 1],
            value: vec![Fit::No; self.places.len() + 1],
        }
    }

    /// Marks a place, and those after it that need no word.
    fn reach(&self, fits: &mut [Fit], mut at: usize, fit: Fit) {
        loop {
            raise(fits, at, fit);
            if self.places.get(at) != Some(&&Token::Rest) {
                return;
            }
            at += 1;
        }
    }

    fn is_rest(&self, at: usize) -> bool {
        self.places.get(at) == Some(&&Token::Rest)
    }

    /// A word that is known: an operand, or an option that is skipped.
    fn literal(&self, from: &Reached, text: &str, value: Value, stays: Stays) -> Reached {
        let mut next = self.nowhere();
        for at in 0..=self.places.len() {
            let waiting = from.value.get(at).copied().unwrap_or(Fit::No);
            self.reach(&mut next.here, at, waiting);
            let here = from.here.get(at).copied().unwrap_or(Fit::No);
            if here == Fit::No {
                continue;
            }
            if self.is_rest(at) {
                self.reach(&mut next.here, at, here);
                continue;
            }
            if (self.places.get(at)).is_some_and(|place| self.takes(place, text, stays)) {
                self.reach(&mut next.here, at + 1, here);
            }
            if stays == Stays::Yes {
                if value != Value::Next {
                    self.reach(&mut next.here, at, here);
                }
                if value != Value::None {
                    raise(&mut next.value, at, here);
                }
            }
        }
        next
    }

    /// Whether a place takes a word. A `*` for a name does not cover an option.
    fn takes(&self, place: &Token, text: &str, stays: Stays) -> bool {
        let Token::Word(patterns) = place else {
            return false;
        };
        let open = |pattern: &str| stays == Stays::Yes && pattern.starts_with('*');
        let mut patterns = patterns.iter();
        patterns.any(|pattern| !open(pattern) && self.shape.is(pattern, text))
    }

    /// An option: what follows it may be its value.
    fn option(&self, from: &Reached, text: &str) -> Reached {
        let first = self.option_with(from, text, Part::Before);
        let later = self.option_with(from, text, Part::After);
        Reached {
            here: merge(first.here, &later.here),
            value: merge(first.value, &later.value),
        }
    }

    fn option_with(&self, from: &Reached, text: &str, part: Part) -> Reached {
        let in_part = |at: usize| (at == 0) == (part == Part::Before);
        let keep = |fits: &[Fit]| -> Vec<Fit> {
            let kept = fits.iter().enumerate();
            kept.map(|(at, fit)| if in_part(at) { *fit } else { Fit::No })
                .collect()
        };
        let from = Reached {
            here: keep(&from.here),
            value: keep(&from.value),
        };
        let own = self.wanted.iter().any(|token| match token {
            Token::Word(patterns) => patterns
                .iter()
                .any(|flag| flags::is_option(flag, text, values::has_one_dash(self.program))),
            Token::Rest => false,
        });
        let value = match (self.options, part) {
            _ if text.contains('=') => Value::None,
            _ if own => Value::Unclear,
            (Some(options), Part::Before) => options.before(text),
            (Some(options), Part::After) => match options.after(text) {
                Value::None => Value::Unclear,
                known => known,
            },
            (None, _) => Value::Unclear,
        };
        self.literal(&from, text, value, Stays::Yes)
    }

    /// A word that is not known, or a glob. It can become several words: of an unquoted `a$x` the
    /// first starts with `a`, and of a glob all fit it.
    fn unknown(&self, from: &Reached, word: &Argument) -> Reached {
        let glob = word.unknown_from.is_none();
        let first = if glob {
            word.text.as_str()
        } else {
            word.known()
        };
        let option = first.is_empty()
            || first.starts_with('-')
            || glob && first.starts_with(['*', '?', '[']);
        let anything = first.is_empty() && word.splits;
        let mut next = self.nowhere();
        // How surely a place is reached by one of several words, with more to come.
        let mut within = Fit::No;
        for at in 0..=self.places.len() {
            let from_here = from.here.get(at).copied().unwrap_or(Fit::No);
            let value = from.value.get(at).copied().unwrap_or(Fit::No);
            // A quoted `"$x"` is one word, whatever it holds.
            let several = word.splits || glob;
            let waiting = if several {
                value.min(Fit::Could)
            } else {
                value
            };
            let here = from_here.min(Fit::Could);
            self.reach(&mut next.here, at, waiting);
            if several {
                raise(&mut next.value, at, waiting);
            }
            if self.is_rest(at) {
                self.reach(&mut next.here, at, from_here);
            }
            self.reach(&mut next.here, at, within);
            if option {
                self.reach(&mut next.here, at, here);
                raise(&mut next.value, at, here);
            }
            // What comes after the first of several words can be anything.
            let free = if anything || option && word.splits {
                here
            } else {
                Fit::No
            };
            let inside = if word.splits {
                within.max(free).max(waiting)
            } else {
                Fit::No
            };
            let starts = if self.could_take(at, word) {
                here
            } else {
                Fit::No
            };
            let globbed = if glob && self.could_take(at, word) {
                within
            } else {
                Fit::No
            };
            let moved = inside.max(starts).max(globbed);
            self.reach(&mut next.here, at + 1, moved);
            within = if several { moved } else { Fit::No };
        }
        next
    }

    fn could_take(&self, at: usize, word: &Argument) -> bool {
        let Some(Token::Word(patterns)) = self.places.get(at) else {
            return false;
        };
        patterns.iter().any(|pattern| match word.unknown_from {
            Some(_) => flags::could_become(word.known(), pattern),
            None => flags::glob_could_be(&word.text, pattern),
        })
    }
}

/// Whether a place is still reached after a word that it does not take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stays {
    Yes,
    No,
}

/// Whether an option stands before the first subcommand or behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Before,
    After,
}

fn raise(fits: &mut [Fit], at: usize, fit: Fit) {
    if let Some(place) = fits.get_mut(at) {
        *place = (*place).max(fit);
    }
}

fn merge(mut fits: Vec<Fit>, others: &[Fit]) -> Vec<Fit> {
    for (at, fit) in others.iter().enumerate() {
        raise(&mut fits, at, *fit);
    }
    fits
}

/// Any number of words that are not known.
fn open_end() -> Argument {
    Argument {
        unknown_from: Some(0),
        splits: true,
        ..Argument::default()
    }
}
