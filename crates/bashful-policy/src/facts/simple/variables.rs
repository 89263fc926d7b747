//! Variables: what built-ins set by name, and which of their operands the shell evaluates.

use crate::arguments::values_of;
use crate::facts::state::{State, Value};
use crate::facts::walk::{Frame, Walker};
use crate::facts::{Argument, UnknownKind};

impl Walker<'_> {
    /// Operands of built-ins that the shell evaluates: subscripts, expressions, callbacks.
    pub(super) fn evaluated_operands(
        &mut self,
        name: &str,
        operands: &[Argument],
        state: &mut State,
        frame: &Frame,
    ) {
        match name {
            "let" => {
                for word in operands {
                    self.evaluate_text(word, state);
                }
            }
            "declare" | "typeset" | "local" | "export" | "readonly" | "unset" | "printf"
            | "read" | "mapfile" | "readarray" | "wait" | "getopts" => {
                let flagged = |word: &Argument| {
                    let text = word.known();
                    text.starts_with('-') && text.contains(['n', 'i'])
                };
                let declares = matches!(name, "declare" | "typeset" | "local" | "readonly");
                let reference = name == "unset" || declares && operands.iter().any(flagged);
                let target = |word: &&Argument| {
                    let text = word.text.as_str();
                    let whole = if reference {
                        Some(text)
                    } else {
                        text.split('=').next()
                    };
                    whole.is_some_and(hides_in_subscript)
                };
                let targets = match name {
                    "printf" => printf_targets(operands),
                    _ => operands,
                };
                if let Some(word) = targets.iter().find(target) {
                    self.unknown(UnknownKind::StringEvaluation, word.span, &word.text);
                }
            }
            "test" | "[" => {
                let pairs = operands.iter().zip(operands.iter().skip(1));
                for (option, word) in pairs {
                    let hides = word.text.contains('[') || !word.sources.is_empty();
                    if matches!(option.text.as_str(), "-v" | "-R") && hides {
                        self.unknown(UnknownKind::StringEvaluation, word.span, &word.text);
                    }
                }
            }
            _ => {}
        }
        match name {
            "mapfile" | "readarray" => {
                for text in values_of(operands, 'C', "") {
                    self.script(&text, &mut state.clone(), frame);
                }
            }
            "declare" | "typeset" | "local" | "readonly" => {
                let integer = |word: &Argument| {
                    let text = word.known();
                    text.starts_with('-') && text.contains('i')
                };
                if operands.iter().any(integer) {
                    for word in operands.iter().filter(|word| !word.text.starts_with('-')) {
                        let (name, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
                        let value = word.tail(word.text.len() - value.len());
                        self.integers.push(name.to_owned());
                        self.evaluate_text(&value, state);
                    }
                }
            }
            _ => {}
        }
    }

    /// Assignments among the words of `export` and its kin that only show after expansion, such
    /// as `export "PA"TH=/x` or `export {A,B}=1`.
    pub(super) fn declared_words(&mut self, name: &str, operands: &[Argument], state: &mut State) {
        if !matches!(
            name,
            "local" | "declare" | "typeset" | "export" | "readonly"
        ) {
            return;
        }
        for word in operands {
            let Some((variable, value)) = word.known().split_once('=') else {
                if word.unknown_from == Some(0) {
                    // Whatever it sets, it sets by a name that is not known.
                    self.unknown(UnknownKind::StringEvaluation, word.span, &word.text);
                }
                continue;
            };
            let mut noted = self.facts.assignments.iter().rev().take(operands.len());
            let variable = variable.trim_end_matches('+');
            let variable = variable.split('[').next().unwrap_or_default().to_owned();
            if noted.any(|assignment| assignment.name == variable) {
                continue;
            }
            let value = word.tail(word.known().len() - value.len());
            self.note_assignment(word.span, &variable, value, false);
            state.forget([variable]);
        }
    }

    /// Variables that a built-in sets by name, to something not known.
    pub(super) fn set_by_name(&mut self, name: &str, operands: &[Argument], state: &mut State) {
        let builtin = name;
        let span = operands.first().map_or((0, 0), |word| word.span);
        let is_name = |word: &&Argument| {
            word.is_literal()
                && !word.text.is_empty()
                && word
                    .text
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        let names: Vec<String> = match name {
            "printf" => {
                let at = operands.iter().position(|word| word.text == "-v");
                let target = at.and_then(|at| operands.get(at + 1));
                target
                    .into_iter()
                    .filter(is_name)
                    .map(|word| word.text.clone())
                    .collect()
            }
            // Their assignments are noted already; a name alone keeps its value, but a
            // reference makes it another one's.
            "local" | "declare" | "typeset" | "export" | "readonly" => {
                let reference = |word: &&Argument| {
                    let text = word.known();
                    text.starts_with('-') && text.contains('n') && name != "export"
                };
                if operands.iter().any(|word| reference(&word)) {
                    let named = operands
                        .iter()
                        .filter_map(|word| word.text.split('=').next());
                    named.map(str::to_owned).collect()
                } else {
                    Vec::new()
                }
            }
            _ => operands
                .iter()
                .filter(is_name)
                .map(|word| word.text.clone())
                .collect(),
        };
        // The empty range stands for data from outside, which must not be evaluated.
        let outside = std::iter::once(0..0);
        for name in names {
            if builtin != "unset" {
                self.note_unknown(&name, span);
            }
            state.set(&name, Value::Unknown(outside.clone().collect()));
        }
    }
}

/// Whether a text reads `name[…]` with an expansion in its brackets.
fn hides_in_subscript(text: &str) -> bool {
    let Some((before, inside)) = text.split_once('[') else {
        return false;
    };
    let name = before.rsplit(['=', '\'', '"']).next().unwrap_or_default();
    let named = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    named && !name.is_empty() && inside.contains(['$', '`'])
}

/// The words of `printf -v NAME` that name the variable.
fn printf_targets(operands: &[Argument]) -> &[Argument] {
    match operands.first() {
        Some(first) if first.text == "-v" => operands.get(1..2).unwrap_or_default(),
        Some(first) if first.text.starts_with("-v") => operands.get(..1).unwrap_or_default(),
        _ => &[],
    }
}
