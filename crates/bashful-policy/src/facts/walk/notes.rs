//! Notes: redirects and assignments become facts.

use super::{Frame, Walker};
use crate::facts::state::{Attribute, State, Value};
use crate::facts::{
    Argument, Assignment, Input, Printed, Redirect, RedirectKind, Span, UnknownKind,
};
use crate::shell::{self, AssignmentNode, Statement, ValueNode};

/// Streams and devices: what is written there takes no space.
const STREAMS: &[&str] =
    &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/full", "/dev/zero"];

impl Walker<'_> {
    /// Notes the redirects of a statement; returns their indexes and what standard input becomes.
    pub(in crate::facts) fn redirects(
        &mut self,
        statement: &Statement,
        state: &mut State,
        frame: &Frame,
    ) -> (Vec<usize>, Option<Input>) {
        let mut indexes = Vec::new();
        let mut input = None;
        for redirect in &statement.redirects {
            if let Some(name) = &redirect.variable {
                self.note_unknown(name, redirect.span);
                state.set(name, Value::Number);
            }
            for target in self.expand_single(&redirect.target, state, frame) {
                if matches!(redirect.descriptor, None | Some(0)) {
                    match redirect.kind {
                        RedirectKind::Text => input = Some(Input::Text(target.clone())),
                        RedirectKind::Read | RedirectKind::ReadWrite => {
                            // `< <(…)` reads what the calls in it print.
                            input = Some(match target.sources.first() {
                                Some(range) if target.is_pipe => Input::Pipe(range.clone()),
                                _ => Input::File(target.clone()),
                            });
                        }
                        _ => {}
                    }
                }
                indexes.push(self.facts.redirects.len());
                self.facts.redirects.push(Redirect {
                    span: redirect.span,
                    kind: redirect.kind,
                    descriptor: redirect.descriptor,
                    target,
                    directories: state.directories.clone(),
                });
            }
        }
        (indexes, input)
    }

    /// Where redirects lead standard output; none if they are not about it.
    pub(in crate::facts) fn printed_to(&self, redirects: &[usize]) -> Option<Printed> {
        let redirects = redirects.iter();
        let mut redirects = redirects.filter_map(|index| self.facts.redirects.get(*index));
        redirects
            .rfind(|redirect| match redirect.kind {
                RedirectKind::Write | RedirectKind::Append | RedirectKind::Duplicate => {
                    matches!(redirect.descriptor, None | Some(1))
                }
                RedirectKind::ReadWrite => redirect.descriptor == Some(1),
                RedirectKind::Read | RedirectKind::Text => false,
            })
            .map(|redirect| {
                let target = &redirect.target;
                let text = target.known();
                let stream = target.is_pipe
                    || STREAMS.contains(&text)
                    || text.starts_with("/dev/fd/")
                    || redirect.kind == RedirectKind::Duplicate
                        && (text.starts_with('-') || matches!(text, "0" | "1" | "2"));
                match redirect.kind {
                    _ if stream => Printed::Elsewhere,
                    RedirectKind::Write if target.is_literal() => Printed::Anew,
                    _ => Printed::Onto,
                }
            })
    }

    /// Notes an assignment and returns the possible values.
    pub(in crate::facts) fn assignment(
        &mut self,
        node: &AssignmentNode,
        state: &mut State,
        frame: &Frame,
    ) -> Value {
        if let Some(subscript) = &node.subscript {
            self.evaluate(subscript, state, frame);
        }
        let values = match &node.value {
            ValueNode::Word(word) => self.expand_single(word, state, frame),
            ValueNode::Array(words, keys) => {
                for key in keys {
                    self.evaluate(key, state, frame);
                }
                state.mark(&node.name, Attribute::Listed);
                let mut all = Argument::literal("", node.span);
                for word in words {
                    for field in self.expand(word, state, frame).into_iter().flatten() {
                        self.give(&node.name, &field, state, frame);
                        all.sources.extend(Value::of(&field).sources());
                        all.text.push_str(&field.text);
                        all.text.push(' ');
                    }
                }
                // The elements of an array are not kept apart.
                all.unknown_from = Some(0);
                vec![all]
            }
        };
        let mut merged: Option<Value> = None;
        for value in &values {
            if matches!(node.value, ValueNode::Word(_)) {
                self.give(&node.name, value, state, frame);
            }
            if node.append && self.is_integer(&node.name) {
                // It is added to what is there, which is evaluated as well.
                self.evaluate_name(&node.name, node.span, state, frame);
            }
            // The shell expands its prompts, and what they hold runs.
            let prompt = matches!(node.name.as_str(), "PS0" | "PS1" | "PS2" | "PS3" | "PS4");
            if prompt && (!value.is_known() || value.text.contains(['$', '`', '\\'])) {
                self.unknown(UnknownKind::StringEvaluation, node.span, &value.text);
            }
            let next = if is_number(&node.value) {
                Value::Number
            } else if node.append || node.subscript.is_some() {
                Value::Unknown(Value::of(value).sources())
            } else {
                Value::of(value)
            };
            merged = Some(match merged {
                Some(Value::Known(mut known)) => match next {
                    Value::Known(more) => {
                        known.extend(more);
                        Value::Known(known)
                    }
                    other => other,
                },
                Some(other) => other,
                None => next,
            });
        }
        merged.unwrap_or(Value::Unknown(Vec::new()))
    }

    /// Notes that a variable gets a value that is not known.
    pub(in crate::facts) fn note_unknown(&mut self, name: &str, span: Span) {
        let value = Argument {
            unknown_from: Some(0),
            ..Argument::literal("…", span)
        };
        self.note_assignment(span, name, value, false);
    }

    /// Notes an assignment as a fact.
    pub(in crate::facts) fn note_assignment(
        &mut self,
        span: Span,
        name: &str,
        value: Argument,
        for_call: bool,
    ) -> usize {
        self.facts.assignments.push(Assignment {
            span,
            name: name.to_owned(),
            value,
            for_call,
        });
        self.facts.assignments.len() - 1
    }
}

/// Whether what is assigned is the result of arithmetic.
fn is_number(value: &ValueNode) -> bool {
    match value {
        ValueNode::Word(word) => matches!(word.pieces.as_slice(), [shell::Piece::Arithmetic(..)]),
        ValueNode::Array(..) => false,
    }
}
