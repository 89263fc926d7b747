//! Parameters: what variables and `${…}` stand for.

use super::Role;
use super::atom::{Atom, Origin, known, number, unknown_variable};
use crate::facts::state::{State, Text, Value};
use crate::facts::walk::{Frame, Walker};
use crate::facts::{Argument, UnknownKind};
use crate::shell::{Expansion, Operator, Quoting};

impl Walker<'_> {
    pub(super) fn variable(&mut self, name: &str, quoting: Quoting, state: &State) -> Atom {
        let shown = format!("${name}");
        match name {
            "@" | "*" => {
                return match &state.positional {
                    Some(arguments) => Atom::Fields(arguments.to_vec(), origin(state)),
                    None => unknown_variable(shown, Quoting::Bare, Vec::new()),
                };
            }
            "PWD" if state.variable(name).is_none() && !state.directories.is_empty() => {
                let here = state.directories.iter().map(|path| Text {
                    text: path.clone(),
                    glob: false,
                });
                return Atom::Values(here.collect(), quoting);
            }
            "?" | "$" | "!" | "#" => return number(shown, quoting),
            "RANDOM" | "SRANDOM" | "SECONDS" | "UID" | "EUID" | "PPID" | "LINENO" | "BASHPID"
            | "EPOCHSECONDS"
                if state.variable(name).is_none() =>
            {
                return number(shown, quoting);
            }
            "0" => {
                return match &state.zero {
                    Some(zero) if zero.is_known() => {
                        Atom::Fields(vec![zero.as_ref().clone()], origin(state))
                    }
                    _ => unknown_variable(shown, quoting, Vec::new()),
                };
            }
            _ => {}
        }
        if let Ok(number) = name.parse::<usize>() {
            let argument = state
                .positional
                .as_ref()
                .map(|arguments| arguments.get(number.wrapping_sub(1)));
            return match argument {
                Some(Some(argument)) if argument.is_known() && state.given => {
                    Atom::Fields(vec![argument.clone()], Origin::Text)
                }
                Some(Some(argument)) if argument.is_known() => known(&argument.text, quoting),
                Some(None) => known("", quoting),
                _ => unknown_variable(shown, quoting, Vec::new()),
            };
        }
        match state.variable(name) {
            Some(Value::Known(values)) => Atom::Values(values.clone(), quoting),
            Some(Value::Number) => number(shown, quoting),
            Some(Value::Unknown(sources)) => unknown_variable(shown, quoting, sources.clone()),
            None => match self.environment(name) {
                Some(value) => known(&value, quoting),
                None => unknown_variable(shown, quoting, Vec::new()),
            },
        }
    }

    /// The value of a variable that the text does not set.
    fn environment(&self, name: &str) -> Option<String> {
        match name {
            "HOME" => self.home.map(str::to_owned),
            "IFS" => Some(" \t\n".to_owned()),
            _ => self.context.variables.get(name).cloned(),
        }
    }

    pub(super) fn expansion(
        &mut self,
        expansion: &Expansion,
        quoting: Quoting,
        state: &mut State,
        frame: &Frame,
    ) -> Atom {
        for expression in &expansion.expressions {
            self.evaluate(expression, state, frame);
        }
        let mut words = Vec::new();
        for word in &expansion.words {
            words.push(self.atoms(word, state, frame));
        }
        let shown = format!("${{{}…}}", expansion.name);
        let value = self.variable(&expansion.name, quoting, state);
        match expansion.operator {
            Operator::Require if matches!(value, Atom::Values(..)) => value,
            // A known value can still be empty, and then the word counts.
            Operator::Default | Operator::Assign => {
                if expansion.operator == Operator::Assign {
                    self.note_unknown(&expansion.name, expansion.span);
                    let mut given = Value::Unknown(Vec::new());
                    for atoms in &words {
                        let outcomes = self.assemble(atoms, expansion.span, Role::Single, state);
                        for value in outcomes.into_iter().flatten() {
                            self.give(&expansion.name, &value, state, frame);
                            given.merge(&Value::of(&value));
                        }
                    }
                    state.set(&expansion.name, given);
                }
                let sources = words.iter().flatten().flat_map(Atom::sources).collect();
                match value {
                    Atom::Values(values, quoting)
                        if values.iter().all(|value| !value.text.is_empty()) =>
                    {
                        Atom::Values(values, quoting)
                    }
                    _ => unknown_variable(shown, quoting, sources),
                }
            }
            Operator::Suffix | Operator::Prefix => {
                let short = shortened(expansion.operator, &value, words.last());
                if let Some(values) = short {
                    return Atom::Values(values, quoting);
                }
                let mut sources = value.sources();
                sources.extend(words.iter().flatten().flat_map(Atom::sources));
                unknown_variable(shown, quoting, sources)
            }
            Operator::Length => number(shown, quoting),
            Operator::Evaluate => {
                self.unknown(UnknownKind::StringEvaluation, expansion.span, &shown);
                self.read_values(&value, expansion, state, frame);
                unknown_variable(shown, quoting, Vec::new())
            }
            Operator::Indirect => {
                let hides = |value: &Text| value.text.contains('[');
                let evaluated = match &value {
                    Atom::Values(values, _) => values.iter().any(hides),
                    Atom::Fields(fields, _) => fields.iter().any(|one| one.text.contains('[')),
                    other => !other.sources().is_empty(),
                };
                if evaluated {
                    self.unknown(UnknownKind::StringEvaluation, expansion.span, &shown);
                    self.read_values(&value, expansion, state, frame);
                }
                if !expansion.words.is_empty() {
                    // `${!x:=…}` sets whatever it names.
                    state.forget_all();
                }
                unknown_variable(shown, quoting, value.sources())
            }
            Operator::Require | Operator::Alternative | Operator::Other => {
                let mut sources = value.sources();
                sources.extend(words.iter().flatten().flat_map(Atom::sources));
                unknown_variable(shown, quoting, sources)
            }
        }
    }
}

impl Walker<'_> {
    /// Reads the commands in values that are evaluated.
    fn read_values(&mut self, value: &Atom, expansion: &Expansion, state: &State, frame: &Frame) {
        let texts: Vec<&str> = match value {
            Atom::Values(values, _) => values.iter().map(|value| value.text.as_str()).collect(),
            Atom::Fields(fields, _) => fields.iter().map(Argument::known).collect(),
            Atom::Text(..) | Atom::Unknown { .. } => Vec::new(),
        };
        for text in texts {
            let text = Argument::literal(text, expansion.span);
            self.evaluate_code(&text, state, frame);
        }
    }
}

/// A value without a literal end such as `.txt`, or without its directories; nothing when it
/// cannot be told what is left.
fn shortened(operator: Operator, value: &Atom, pattern: Option<&Vec<Atom>>) -> Option<Vec<Text>> {
    let Atom::Values(values, _) = value else {
        return None;
    };
    let mut cut = String::new();
    for atom in pattern? {
        match atom {
            Atom::Text(text, _) => cut.push_str(text),
            _ => return None,
        }
    }
    let short = |value: &Text| {
        let text = match operator {
            Operator::Suffix if cut == "/" => value.text.strip_suffix('/').unwrap_or(&value.text),
            Operator::Suffix => {
                let plain = cut.starts_with('.') && !cut.contains(['*', '?', '[', '/', '\\']);
                let rest = value.text.strip_suffix(cut.as_str()).filter(|_| plain)?;
                // What is left must still be a name.
                (!rest.is_empty() && !rest.ends_with(['.', '/'])).then_some(rest)?
            }
            _ if cut == "*/" => value.text.rsplit('/').next()?,
            _ => return None,
        };
        Some(Text {
            text: text.to_owned(),
            glob: value.glob,
        })
    };
    values.iter().map(short).collect()
}

fn origin(state: &State) -> Origin {
    if state.given {
        Origin::Text
    } else {
        Origin::Variable
    }
}
