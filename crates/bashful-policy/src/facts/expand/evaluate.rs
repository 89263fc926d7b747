//! Arithmetic: what the shell evaluates as an expression, which can hide code.

use crate::facts::state::{State, Value};
use crate::facts::walk::{Frame, Walker, is_special};
use crate::facts::{Argument, Span, UnknownKind};
use crate::shell::Expression;

impl Walker<'_> {
    /// Walks an arithmetic expression, and flags values that would be evaluated as code.
    pub(in crate::facts) fn evaluate(
        &mut self,
        expression: &Expression,
        state: &mut State,
        frame: &Frame,
    ) {
        for word in &expression.words {
            let outcomes = self.expand_single(word, state, frame);
            // What comes from a command or a variable is evaluated as an expression, which can
            // hold a subscript with a command in it.
            let harmless = outcomes
                .iter()
                .all(|value| is_number(value.known()) && (value.is_known() || !value.is_code()));
            if !harmless {
                self.unknown(
                    UnknownKind::StringEvaluation,
                    expression.span,
                    &word_text(&outcomes),
                );
            }
        }
        for name in &expression.names {
            self.evaluate_name(name, expression.span, state);
        }
        for name in &expression.assigned {
            if is_special(name) {
                self.note_unknown(name, expression.span);
            }
            state.set(name, Value::Number);
        }
    }

    /// Flags a variable whose value is evaluated and is more than a number.
    pub(in crate::facts) fn evaluate_name(&mut self, name: &str, span: Span, state: &State) {
        let evaluated = match state.variable(name) {
            Some(Value::Known(values)) => !values.iter().all(|value| is_number(&value.text)),
            Some(Value::Unknown(sources)) => !sources.is_empty(),
            Some(Value::Number) | None => false,
        };
        if evaluated {
            self.unknown(UnknownKind::StringEvaluation, span, name);
        }
    }

    /// Flags a text that the shell evaluates as an arithmetic expression.
    pub(in crate::facts) fn evaluate_text(&mut self, word: &Argument, state: &State) {
        let plain =
            |byte: u8| byte.is_ascii_alphanumeric() || b" \t_=+-*/%<>!&|^~?:(),".contains(&byte);
        if !word.is_known() || !word.text.bytes().all(plain) {
            self.unknown(UnknownKind::StringEvaluation, word.span, &word.text);
            return;
        }
        let letters = |character: char| !(character.is_ascii_alphanumeric() || character == '_');
        for name in word.text.split(letters) {
            if name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
                self.evaluate_name(name, word.span, state);
            }
        }
    }
}

impl Argument {
    /// Whether some of it is output of a command or the value of a variable.
    fn is_code(&self) -> bool {
        !self.sources.is_empty() || self.from_variable
    }
}

/// Whether a text is a plain number, which nothing can hide in.
fn is_number(text: &str) -> bool {
    let digits = text.trim();
    digits
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-+#_x".contains(&byte))
}

fn word_text(outcomes: &[Argument]) -> String {
    outcomes
        .first()
        .map(|value| value.text.clone())
        .unwrap_or_default()
}
