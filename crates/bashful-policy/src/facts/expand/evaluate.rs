//! Arithmetic: what the shell evaluates as an expression, which can hide code.

use crate::facts::state::{Attribute, State, Text, Value};
use crate::facts::walk::{Frame, Walker};
use crate::facts::{Argument, Span, UnknownKind};
use crate::hijack;
use crate::shell::Expression;

/// Names whose values are names go this deep.
const MAX_NAMES: usize = 8;

/// Variables that bash makes integers by itself, so that they evaluate what they are given; with
/// those of later versions. Sorted.
const INTEGERS: &[&str] = &[
    "BASHPID", "BASH_MONOSECONDS", "EPOCHREALTIME", "EPOCHSECONDS", "HISTCMD", "LINENO", "OPTIND",
    "RANDOM", "SECONDS", "SRANDOM",
];

/// What stands around a text that the shell evaluates.
#[derive(Clone, Copy)]
struct Around<'a> {
    span: Span,
    state: &'a State,
    frame: &'a Frame,
}

impl Walker<'_> {
    /// Walks an arithmetic expression, and flags values that would be evaluated as code.
    pub(in crate::facts) fn evaluate(
        &mut self,
        expression: &Expression,
        state: &mut State,
        frame: &Frame,
    ) {
        for word in &expression.words {
            for value in self.expand_single(word, state, frame) {
                let value = Argument {
                    span: expression.span,
                    ..value
                };
                self.evaluate_text(&value, state, frame);
            }
        }
        for name in &expression.names {
            self.evaluate_name(name, expression.span, state, frame);
        }
        for name in &expression.assigned {
            self.assigned(name, expression.span);
            state.set(name, Value::Number);
        }
    }

    /// Flags a variable whose value is evaluated and is more than a number.
    pub(in crate::facts) fn evaluate_name(
        &mut self,
        name: &str,
        span: Span,
        state: &State,
        frame: &Frame,
    ) {
        let around = Around { span, state, frame };
        self.named(name, &around, 0);
    }

    /// Flags a text that the shell evaluates as an arithmetic expression.
    pub(in crate::facts) fn evaluate_text(
        &mut self,
        word: &Argument,
        state: &State,
        frame: &Frame,
    ) {
        let around = Around {
            span: word.span,
            state,
            frame,
        };
        match (&word.pattern, word.is_known()) {
            (_, true) => self.expression_text(&word.text, &around, 0),
            // Numbers that are not known, which stand as `*`, but not in a name.
            (Some(pattern), false) if !joins_names(pattern) => {
                self.expression_text(pattern, &around, 0);
            }
            _ => self.evaluated(word.known(), &around),
        }
    }

    /// Follows the names in a text whose other signs are of no account, as in a key.
    pub(in crate::facts) fn evaluate_key(&mut self, key: &Argument, state: &State, frame: &Frame) {
        let around = Around {
            span: key.span,
            state,
            frame,
        };
        if !key.is_known() || key.text.contains(['$', '`']) {
            self.evaluated(key.known(), &around);
        } else {
            self.names_of(&key.text, &around, 0);
        }
    }

    /// Flags a text that is evaluated whatever it is, and reads the commands that stand in it.
    pub(in crate::facts) fn evaluate_code(
        &mut self,
        text: &Argument,
        state: &State,
        frame: &Frame,
    ) {
        let around = Around {
            span: text.span,
            state,
            frame,
        };
        self.evaluated(text.known(), &around);
    }

    /// What a variable is given, if that makes the shell evaluate it.
    pub(in crate::facts) fn give(
        &mut self,
        name: &str,
        value: &Argument,
        state: &State,
        frame: &Frame,
    ) {
        if self.is_integer(name) {
            self.evaluate_text(value, state, frame);
        }
    }

    /// Whether a variable evaluates what it is given.
    pub(in crate::facts) fn is_integer(&self, name: &str) -> bool {
        INTEGERS.binary_search(&name).is_ok() || self.integers.iter().any(|known| known == name)
    }

    /// What `declare` and its kin are given as one word: where it is for an array it is read once
    /// more, as the list of its elements.
    pub(in crate::facts) fn give_list(
        &mut self,
        name: &str,
        value: &Value,
        span: Span,
        state: &State,
        frame: &Frame,
    ) {
        match value {
            Value::Known(texts) => {
                let lists = texts.iter().filter(|one| one.text.starts_with('('));
                for Text { text, .. } in lists {
                    let list = Argument::literal(format!("{name}={text}"), span);
                    self.script(&list, &mut state.clone(), frame);
                }
            }
            Value::Unknown(sources) if !sources.is_empty() => {
                if state.has(name, Attribute::Listed) {
                    self.unknown(UnknownKind::StringEvaluation, span, name);
                }
            }
            Value::Unknown(_) | Value::Number => {}
        }
    }

    fn named(&mut self, name: &str, around: &Around<'_>, depth: usize) {
        match around.state.variable(name) {
            Some(Value::Known(_)) if depth >= MAX_NAMES => self.evaluated(name, around),
            Some(Value::Known(values)) => {
                for value in values {
                    self.expression_text(&value.text, around, depth + 1);
                }
            }
            Some(Value::Unknown(sources)) if !sources.is_empty() => self.evaluated(name, around),
            Some(Value::Unknown(_) | Value::Number) | None => {}
        }
    }

    fn expression_text(&mut self, text: &str, around: &Around<'_>, depth: usize) {
        let plain =
            |byte: u8| byte.is_ascii_alphanumeric() || b" \t_=+-*/%<>!&|^~?:(),#".contains(&byte);
        if text.bytes().all(plain) {
            self.names_of(text, around, depth);
        } else {
            self.evaluated(text, around);
        }
    }

    fn names_of(&mut self, text: &str, around: &Around<'_>, depth: usize) {
        let between = |character: char| !(character.is_ascii_alphanumeric() || character == '_');
        let assigns = assigns(text);
        for name in text.split(between) {
            if name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
                self.named(name, around, depth);
                if assigns {
                    self.assigned(name, around.span);
                }
            }
        }
    }

    /// Notes a variable that gets a number, where that changes what programs do: `PATH=5` finds
    /// them in a directory of that name.
    fn assigned(&mut self, name: &str, span: Span) {
        if hijack::is_listed(name) {
            self.note_unknown(name, span);
        }
    }

    /// Flags a text that is evaluated, and reads the commands that stand in it.
    fn evaluated(&mut self, text: &str, around: &Around<'_>) {
        self.unknown(UnknownKind::StringEvaluation, around.span, text);
        if text.contains("$(") || text.contains('`') {
            // Its quotes quote nothing, as in a here-document.
            const END: &str = "END_OF_VALUE";
            let document = format!(": <<{END}\n{text}\n{END}\n");
            let script = Argument::literal(document, around.span);
            self.script(&script, &mut around.state.clone(), around.frame);
        }
    }
}

/// Whether an expression can change variables, whichever of its names those are.
pub(in crate::facts) fn assigns(text: &str) -> bool {
    text.contains('=') || text.contains("++") || text.contains("--")
}

/// Whether a number that is not known can be part of a name.
fn joins_names(pattern: &str) -> bool {
    let mut before = false;
    let mut word = false;
    for character in pattern.chars() {
        let letter = character.is_ascii_alphabetic() || character == '_';
        if character == '*' && word || before && letter {
            return true;
        }
        word = letter || word && character.is_ascii_digit();
        before = character == '*';
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{INTEGERS, joins_names};

    #[test]
    fn the_names_are_sorted() {
        assert!(INTEGERS.is_sorted());
    }

    #[test]
    fn a_number_can_end_a_name() {
        assert!(joins_names("x*") && joins_names("*x") && joins_names("1+x2*"));
        assert!(!joins_names("1+*") && !joins_names("x + *") && !joins_names("10#*"));
    }
}
