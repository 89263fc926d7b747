//! What a shell brings along from earlier calls, before its text is walked.

use std::rc::Rc;

use super::state::{Attribute, State, Value};
use super::walk::{Frame, Walker};
use super::{Argument, Function, Span, UnknownKind, shadow};
use crate::hijack;
use crate::shell::{self, Base, Node};
use crate::shell_memory::{RememberedVariable, ShellMemory};

/// The span of what the shell remembers, which stands nowhere in the text.
const NOWHERE: Span = (0, 0);

impl Walker<'_> {
    /// Takes over what the shell remembers.
    pub(super) fn inherit(&mut self, memory: &ShellMemory, state: &mut State) {
        state.stops_on_failure = memory.stops_on_failure;
        for option in &memory.options {
            self.switch(&Argument::literal(option.clone(), NOWHERE));
        }
        let parameter = |text: &String| Argument::literal(text.clone(), NOWHERE);
        let parameters = memory.parameters.as_ref();
        state.positional = parameters.map(|all| Rc::new(all.iter().map(parameter).collect()));
        for variable in &memory.variables {
            self.inherit_variable(variable, state);
        }
        self.inherit_functions(memory, state);
        self.inherit_aliases(memory, state);
    }

    fn inherit_variable(&mut self, variable: &RememberedVariable, state: &mut State) {
        let name = variable.name.as_str();
        let value = match &variable.value {
            Some(text) => Value::of(&Argument::literal(text.clone(), NOWHERE)),
            None => Value::outside(),
        };
        if variable.evaluates {
            self.integers.push(name.to_owned());
            if names(self.text, name) {
                self.unknown(UnknownKind::StringEvaluation, NOWHERE, name);
            }
        }
        let prompt = matches!(name, "PS0" | "PS1" | "PS2" | "PS3" | "PS4");
        if prompt
            && !matches!(&value, Value::Known(texts) if texts.iter().all(|one| !one.text.contains(['$', '`'])))
        {
            self.unknown(UnknownKind::StringEvaluation, NOWHERE, name);
        }
        if variable.exported || hijack::is_listed(name) {
            let shown = match &variable.value {
                Some(text) => Argument::literal(text.clone(), NOWHERE),
                None => Argument {
                    unknown_from: Some(0),
                    ..Argument::literal("…", NOWHERE)
                },
            };
            let index = self.note_assignment(NOWHERE, name, shown, false);
            self.inherited_script(index, state);
        }
        state.set(name, value);
        let marks = [
            (variable.exported, Attribute::Exported),
            (variable.changes_case, Attribute::Folded),
            (variable.readonly, Attribute::Kept),
            (variable.refers, Attribute::Unsettled),
        ];
        for (_, attribute) in marks.into_iter().filter(|(has, _)| *has) {
            state.mark(name, attribute);
        }
        if variable.refers {
            // A command that sets it, in whatever way, sets another variable.
            self.unknown(UnknownKind::StringEvaluation, NOWHERE, name);
        }
    }

    fn inherit_functions(&mut self, memory: &ShellMemory, state: &mut State) {
        let tree = shell::parse(&memory.functions, Base::Fixed(NOWHERE));
        let mut whole = tree.problems.is_empty();
        for statement in tree.body {
            if let Node::Function(name, body) = statement.node {
                state.define(&name, body);
                if shadow::is_called_by_itself(&name) {
                    self.unknown(UnknownKind::Shadowing, NOWHERE, &name);
                }
                self.inherited.push(name);
            } else {
                whole = false;
            }
        }
        if !whole {
            self.unknown(UnknownKind::Syntax, NOWHERE, "functions of the shell");
        }
        for name in &memory.exported_functions {
            // Any shell that any program starts takes them up.
            self.note_inherited(name);
            self.check_shadowing(name, NOWHERE);
            state.mark(&format!("{name}()"), Attribute::Exported);
        }
    }

    fn inherit_aliases(&mut self, memory: &ShellMemory, state: &mut State) {
        let expands = memory.expands_aliases
            || ["expand_aliases", "posix", "POSIX", "BASH_ALIASES"]
                .iter()
                .any(|word| self.text.contains(word));
        for (name, text) in &memory.aliases {
            state.set_alias(name, Argument::literal(text.clone(), NOWHERE));
            // It is text before it is a command, so it counts wherever the word stands.
            if expands && names(self.text, name) {
                self.note_inherited(name);
                self.unknown(UnknownKind::Shadowing, NOWHERE, name);
                let text = Argument::literal(text.clone(), NOWHERE);
                self.script(&text, &mut state.clone(), &Frame::new());
            }
        }
    }

    /// A function of an earlier call is called. Its body is walked like one of the text.
    pub(super) fn check_inherited(&mut self, name: &str, span: Span) {
        if self.inherited.iter().any(|inherited| inherited == name) {
            self.note_inherited(name);
            self.check_shadowing(name, span);
        }
    }

    fn note_inherited(&mut self, name: &str) {
        if self.facts.functions.iter().all(|known| known.name != name) {
            let here = self.facts.calls.len();
            self.facts.functions.push(Function {
                span: NOWHERE,
                name: name.to_owned(),
                body: here..here,
            });
        }
    }
}

/// Whether a text has this word anywhere, also in quotes.
fn names(text: &str, word: &str) -> bool {
    let joined;
    let mut text = text;
    if text.contains("\\\n") {
        joined = text.replace("\\\n", "");
        text = joined.as_str();
    }
    let ends = |next: char| next.is_whitespace() || "|&;()<>$`'\"\\/={}[],:!@*#%^+-".contains(next);
    let wide = |next: char| next.is_whitespace() || "|&;()<>$`'\"\\/=".contains(next);
    text.split(ends)
        .chain(text.split(wide))
        .any(|one| one == word)
}
