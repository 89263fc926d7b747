//! Built-ins: what they change in the shell that runs them.

use std::rc::Rc;

use super::joined;
use crate::facts::state::State;
use crate::facts::walk::{Frame, Walker};
use crate::facts::{Argument, Function, Span, UnknownKind, shadow};

/// More parameters than this are not followed.
const MAX_PARAMETERS: usize = 256;

impl Walker<'_> {
    /// What built-ins of the shell change; returns the state after a failure where it differs.
    pub(super) fn built_in(
        &mut self,
        name: &str,
        argv: &[Argument],
        index: usize,
        state: &mut State,
        frame: &Frame,
    ) -> Option<State> {
        let operands = argv.get(1..).unwrap_or_default();
        self.evaluated_operands(name, operands, state, frame);
        match name {
            "cd" | "pushd" | "popd" => return Some(self.change_place(name, operands, state)),
            "set" => Self::set_options(operands, state),
            "shopt" => operands.iter().for_each(|word| self.switch(word)),
            "shift" => {
                let by: Option<usize> = match operands.first() {
                    Some(count) if count.is_literal() => count.text.parse().ok(),
                    Some(_) => None,
                    None => Some(1),
                };
                // For more than there are, the shell shifts nothing.
                let rest = state.positional.as_ref().zip(by);
                let rest = rest.and_then(|(arguments, by)| arguments.get(by..));
                state.positional = rest.map(|rest| Rc::new(rest.to_vec()));
            }
            "read" | "mapfile" | "readarray" | "getopts" | "unset" | "local" | "declare"
            | "typeset" | "export" | "readonly" | "printf" | "wait" => {
                self.declared_attributes(name, operands, state);
                self.declared_words(name, operands, state, frame);
                self.set_by_name(name, operands, state, frame);
            }
            "return" | "break" | "continue" => self.leave(state),
            "eval" => {
                let text = joined(operands.iter().filter(|word| word.text != "--"));
                if text.is_known() {
                    self.make_transparent(index);
                }
                self.script(&text, state, frame);
            }
            "source" | "." => self.source(operands, index, state, frame),
            "trap" => self.trap(operands, index, state, frame),
            "alias" => self.alias(operands, state, frame),
            "enable" if operands.iter().any(|word| word.known().starts_with("-f")) => {
                let span = argv.first().map_or((0, 0), |word| word.span);
                self.unknown(UnknownKind::Shadowing, span, "enable -f");
            }
            _ => {}
        }
        None
    }

    fn set_options(operands: &[Argument], state: &mut State) {
        let mut rest = operands.iter();
        while let Some(word) = rest.next() {
            match word.text.as_str() {
                "--" => {
                    Self::set_positional(state, rest.cloned().collect());
                    return;
                }
                "-o" | "+o" => {
                    let option = rest.next();
                    if option.is_some_and(|option| option.text == "errexit") {
                        state.stops_on_failure = word.text == "-o";
                    }
                }
                text if text.starts_with('-') && text.len() > 1 => {
                    state.stops_on_failure |= text.contains('e');
                }
                text if text.starts_with('+') => {
                    state.stops_on_failure &= !text.contains('e');
                }
                _ => {
                    let mut all = vec![word.clone()];
                    all.extend(rest.cloned());
                    Self::set_positional(state, all);
                    return;
                }
            }
        }
    }

    /// Sets `$1` and so on; more than any ordinary text passes on count as not known.
    fn set_positional(state: &mut State, words: Vec<Argument>) {
        state.positional = (words.len() <= MAX_PARAMETERS).then(|| Rc::new(words));
        state.given = false;
    }

    fn alias(&mut self, operands: &[Argument], state: &mut State, frame: &Frame) {
        for word in operands {
            let Some((name, _)) = word.text.split_once('=') else {
                continue;
            };
            let name = name.to_owned();
            let start = self.facts.calls.len();
            let value = word.tail(name.len() + 1);
            self.script(&value, &mut state.clone(), frame);
            self.facts.functions.push(Function {
                span: word.span,
                name: name.clone(),
                body: start..self.facts.calls.len(),
            });
            self.unknown(UnknownKind::Shadowing, word.span, &name);
            state.set_alias(&name, word.tail(name.len() + 1));
        }
    }

    /// A function that takes the name of a command that is judged by its name.
    pub(in crate::facts) fn check_shadowing(&mut self, name: &str, span: Span) {
        if shadow::is_known(name) {
            self.unknown(UnknownKind::Shadowing, span, name);
        }
    }
}
