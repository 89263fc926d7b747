//! Bodies that run elsewhere than they stand: functions, and texts that a shell runs.

use std::rc::Rc;

use super::{Frame, Left, MAX_DEPTH, Walker};
use crate::facts::state::{Restored, State};
use crate::facts::{Argument, Function, Place, Span, UnknownKind};
use crate::shell::{self, Base, Statement};

/// More bytes than this are not read in texts of texts.
const MAX_NESTED_BYTES: usize = 2 << 20;

impl Walker<'_> {
    pub(super) fn function(
        &mut self,
        name: &str,
        body: &Rc<Statement>,
        span: Span,
        state: &mut State,
        frame: &Frame,
    ) {
        let start = self.facts.calls.len();
        let inner = Frame {
            place: Place::Function,
            ..frame.clone()
        };
        let mut called = state.clone();
        called.positional = None;
        self.inside.push(name.to_owned());
        self.locals.push(Vec::new());
        self.left.push(Left::default());
        self.foreground(body, &mut called, &inner);
        self.left.pop();
        self.locals.pop();
        self.inside.pop();
        // It shares its variables with the state as long as it lives.
        drop(called);
        state.define(name, Rc::clone(body));
        self.facts.functions.push(Function {
            span,
            name: name.to_owned(),
            body: start..self.facts.calls.len(),
        });
        self.check_shadowing(name, span);
    }

    /// Walks the body of a function once more for a call of it.
    pub(in crate::facts) fn call_function(
        &mut self,
        name: &str,
        body: &Rc<Statement>,
        arguments: &[Argument],
        state: &mut State,
        frame: &Frame,
    ) {
        if self.inside.iter().any(|inside| inside == name) {
            // It calls itself; its body is being walked already.
            return;
        }
        if self.repeats >= self.limits.repeats || self.depth >= MAX_DEPTH {
            self.unknown(UnknownKind::TooComplex, body.span, name);
            return;
        }
        self.repeats += 1;
        self.depth += 1;
        self.inside.push(name.to_owned());
        let inner = Frame {
            place: Place::Function,
            printed: frame.printed.around(),
            ..frame.clone()
        };
        let outer = state.positional.replace(Rc::new(arguments.to_vec()));
        let given = std::mem::replace(&mut state.given, true);
        let before = state.clone();
        self.locals.push(Vec::new());
        self.left.push(Left::default());
        let failed = self.foreground(body, state, &inner);
        let left = self.left.pop().and_then(|left| left.state);
        for other in failed.into_iter().chain(left) {
            state.merge(other);
        }
        for name in self.locals.pop().unwrap_or_default() {
            state.restore(&name, &before, Restored::Perhaps);
        }
        state.positional = outer;
        state.given = given;
        self.inside.pop();
        self.depth -= 1;
    }

    /// Reads and walks a text that a shell runs, and flags what of it is not known.
    pub(in crate::facts) fn script(&mut self, text: &Argument, state: &mut State, frame: &Frame) {
        if text.unknown_from.is_some() {
            self.unknown(UnknownKind::DynamicScript, text.span, &text.text);
            if text.unknown_from == Some(0) && !text.text.contains([' ', '\t', '\n', ';']) {
                // No part of it is known, so none can be read.
                return;
            }
        }
        self.nested_bytes += text.text.len();
        self.scripts += 1;
        if self.stopped {
            return;
        }
        if self.depth >= MAX_DEPTH
            || self.scripts > self.limits.scripts
            || self.nested_bytes > MAX_NESTED_BYTES
        {
            self.unknown(UnknownKind::TooComplex, text.span, &text.text);
            return;
        }
        self.depth += 1;
        let (start, end) = text.span;
        let written = self.text.get(start..end).unwrap_or_default();
        let plain = written
            .strip_prefix('\'')
            .and_then(|written| written.strip_suffix('\''))
            .is_some_and(|written| written == text.text);
        let base = if plain {
            Base::Offset(start + 1)
        } else {
            Base::Fixed(text.span)
        };
        let mut tree = shell::parse(&text.text, base);
        if text.unknown_from.is_some() {
            // That it does not parse as it stands says nothing about what it will be.
            tree.problems
                .retain(|(kind, _)| *kind != UnknownKind::Syntax);
        }
        self.problems(&tree.problems);
        let place = match frame.place {
            Place::Option => Place::Option,
            _ => Place::Script,
        };
        let inner = Frame {
            place,
            printed: frame.printed.around(),
            ..frame.clone()
        };
        self.statements(&tree.body, state, &inner);
        self.depth -= 1;
    }
}
