//! Variables: what built-ins set by name, and which of their operands the shell evaluates.

use crate::arguments::{Valued, values_of};
use crate::facts::state::{Attribute, State, Value};
use crate::facts::walk::{Frame, Walker};
use crate::facts::{Argument, Input, UnknownKind};

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
                    self.evaluate_text(word, state, frame);
                    if word.is_known() {
                        state.forget_named(&word.text);
                    } else {
                        state.forget_all();
                    }
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
                for word in &targets(name, operands) {
                    if reference && hides_in_subscript(&word.text) {
                        self.unknown(UnknownKind::StringEvaluation, word.span, &word.text);
                    }
                    self.evaluate_target(word, state, frame);
                }
            }
            "test" | "[" => {
                let pairs = operands.iter().zip(operands.iter().skip(1));
                let names = pairs.filter(|(option, _)| matches!(option.text.as_str(), "-v" | "-R"));
                for (_, word) in names {
                    self.evaluate_target(word, state, frame);
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
                        let name = name.trim_end_matches('+');
                        self.integers.push(name.to_owned());
                        self.evaluate_text(&value, state, frame);
                    }
                }
            }
            _ => {}
        }
    }

    /// A word that names a variable: its subscript is evaluated.
    pub(in crate::facts) fn evaluate_target(
        &mut self,
        word: &Argument,
        state: &State,
        frame: &Frame,
    ) {
        let text = word.text.as_str();
        let name = text.split('=').next().unwrap_or_default();
        match name.find('[') {
            Some(at) => {
                let mut key = word.tail(at + 1);
                // A bracket inside can hold the sign that seems to end it.
                let end = key.text.find("]=");
                let end = end.filter(|end| !key.text.get(..*end).unwrap_or_default().contains('['));
                if let Some(end) = end {
                    key.text.truncate(end);
                    key.unknown_from = key.unknown_from.filter(|from| *from < end);
                }
                self.evaluate_key(&key, state, frame);
            }
            // It can turn out to have one.
            None if !word.is_known()
                && !word.known().contains('=')
                && !name.starts_with('-')
                && !word.sources.is_empty() =>
            {
                self.unknown(UnknownKind::StringEvaluation, word.span, text);
            }
            None => {}
        }
    }

    /// Assignments among the words of `export` and its kin that only show after expansion, such
    /// as `export "PA"TH=/x` or `export {A,B}=1`.
    pub(super) fn declared_words(
        &mut self,
        name: &str,
        operands: &[Argument],
        state: &mut State,
        frame: &Frame,
    ) {
        if !matches!(
            name,
            "local" | "declare" | "typeset" | "export" | "readonly"
        ) {
            return;
        }
        let mut declared = std::mem::take(&mut self.declared);
        for word in operands {
            let Some((variable, value)) = word.known().split_once('=') else {
                if word.unknown_from == Some(0) {
                    // Whatever it sets, it sets by a name that is not known.
                    self.unknown(UnknownKind::StringEvaluation, word.span, &word.text);
                }
                continue;
            };
            let variable = variable.trim_end_matches('+');
            let variable = variable.split('[').next().unwrap_or_default().to_owned();
            let same = |index: &usize| {
                let assignment = self.facts.assignments.get(*index);
                assignment.is_some_and(|assignment| assignment.name == variable)
            };
            if let Some(at) = declared.iter().position(same) {
                declared.remove(at);
                continue;
            }
            let value = word.tail(word.known().len() - value.len());
            self.give(&variable, &value, state, frame);
            self.give_list(&variable, &Value::of(&value), word.span, state, frame);
            state.set(&variable, Value::Unknown(Value::of(&value).sources()));
            self.note_assignment(word.span, &variable, value, false);
        }
    }

    /// Whether `declare` or one of its kin surely sets what stands in its words: in its place, and
    /// with options that it has.
    pub(super) fn declares_surely(&self, argv: &[Argument]) -> bool {
        let name = argv.first().map_or("", |first| first.text.as_str());
        let local = !self.locals.is_empty();
        let letters = match name {
            "export" => "",
            "readonly" => "r",
            "local" | "declare" | "typeset" if local => "ilrtux",
            "declare" | "typeset" => "gilrtux",
            _ => return false,
        };
        let fine = |word: &Argument| {
            let text = word.known();
            let option = text.strip_prefix(['-', '+']);
            option.is_none_or(|option| {
                option == "-"
                    || word.is_literal() && option.chars().all(|one| letters.contains(one))
            })
        };
        argv.iter().skip(1).all(fine)
    }

    /// What `declare` and its kin say about variables besides their values.
    pub(super) fn declared_attributes(
        &mut self,
        name: &str,
        operands: &[Argument],
        state: &mut State,
    ) {
        if !matches!(
            name,
            "local" | "declare" | "typeset" | "export" | "readonly"
        ) {
            return;
        }
        let is_option = |word: &&Argument| word.known().starts_with(['-', '+']);
        let options: String = operands
            .iter()
            .filter(is_option)
            .map(Argument::known)
            .collect();
        let functions = options.contains('f');
        let local = name != "export" && name != "readonly" && !options.contains('g');
        for word in operands.iter().filter(|word| !is_option(word)) {
            let (variable, given) = match word.known().split_once('=') {
                Some((variable, _)) => (variable.trim_end_matches('+'), true),
                None => (word.known(), false),
            };
            let variable = variable.split('[').next().unwrap_or_default();
            if variable.is_empty() {
                continue;
            }
            if functions {
                if name == "export" || options.contains('x') {
                    state.mark(&format!("{variable}()"), Attribute::Exported);
                }
                continue;
            }
            if local && let Some(locals) = self.locals.last_mut() {
                locals.push(variable.to_owned());
                // A new variable, or the old one, depending on options of the shell.
                if !given && let Some(old) = state.variable(variable) {
                    let mut both = old.clone();
                    both.merge(&Value::empty());
                    state.set(variable, both);
                }
            }
            if options.contains(['l', 'u', 'c']) {
                state.mark(variable, Attribute::Folded);
            }
            if options.contains(['a', 'A']) {
                state.mark(variable, Attribute::Listed);
            }
            if options.contains('n') && name != "export" {
                state.mark(variable, Attribute::Unsettled);
            }
            if name == "readonly" || options.contains('r') {
                state.mark(variable, Attribute::Kept);
            }
            if options.contains('x') || name == "export" {
                if options.contains('+') || name == "export" && options.contains('n') {
                    state.keep_from_programs(variable);
                } else {
                    state.mark(variable, Attribute::Exported);
                }
            }
        }
    }

    /// Variables that a built-in sets by name, to values that are not known.
    pub(super) fn set_by_name(
        &mut self,
        name: &str,
        operands: &[Argument],
        state: &mut State,
        frame: &Frame,
    ) {
        let builtin = name;
        let span = operands.first().map_or((0, 0), |word| word.span);
        let declares = matches!(
            name,
            "local" | "declare" | "typeset" | "export" | "readonly"
        );
        let reference = |word: &Argument| {
            let text = word.known();
            text.starts_with('-') && text.contains('n') && name != "export"
        };
        // Their assignments are noted already; a name alone keeps its value, but a reference
        // makes it another one's.
        if declares && !operands.iter().any(reference) {
            return;
        }
        let named = targets(name, operands);
        let default = match name {
            "read" => "REPLY",
            "mapfile" | "readarray" => "MAPFILE",
            "getopts" => "OPTARG",
            _ => "",
        };
        let mut names: Vec<String> = Vec::new();
        if !default.is_empty() {
            names.push(default.to_owned());
        }
        for word in &named {
            if !word.is_literal() {
                // Whatever it names is set.
                state.forget_all();
            }
            let text = word.known();
            if text.starts_with('-') {
                // `read -ax` and `printf -vx` have a name behind the letter.
                state.forget_named(text);
                continue;
            }
            let whole = text.split(['=', '[']).next().unwrap_or_default();
            let is_name = !whole.is_empty()
                && whole
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if is_name {
                names.push(whole.to_owned());
            }
        }
        for name in names {
            if !matches!(builtin, "unset" | "wait") && self.is_integer(&name) {
                self.unknown(UnknownKind::StringEvaluation, span, &name);
                // What it can get stands in the words, or in a text that it reads.
                let read = match &frame.input {
                    Input::Text(text) => Some(text.clone()),
                    _ => None,
                };
                for text in operands.iter().chain(&read) {
                    self.evaluate_text(text, state, frame);
                }
            }
            if builtin != "unset" && name != default {
                self.note_unknown(&name, span);
            }
            state.set(&name, Value::outside());
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

/// The words of a built-in that name variables, with its options.
fn targets(name: &str, operands: &[Argument]) -> Vec<Argument> {
    let valued = match name {
        "read" => "dinNptu",
        "mapfile" | "readarray" => "dnOsuCc",
        "printf" => {
            return match operands.first() {
                Some(first) if first.text == "-v" => {
                    operands.get(1..2).unwrap_or_default().to_vec()
                }
                Some(first) if first.text.starts_with("-v") => vec![first.tail(2)],
                _ => Vec::new(),
            };
        }
        _ => return operands.to_vec(),
    };
    let valued = Valued {
        short: valued,
        long: &[],
    };
    let mut named = Vec::new();
    let mut rest = operands.iter();
    let mut options = true;
    while let Some(word) = rest.next() {
        options &= word.known().starts_with('-') && word.text != "--";
        named.push(word.clone());
        if let Some(at) = word.text.find('a').filter(|_| options && name == "read") {
            named.push(word.tail(at + 1));
        }
        if options && valued.takes_next(word.known()) {
            rest.next();
        }
    }
    named
}
