//! Branches: lists, pipelines, conditions and loops, whose ways are all taken.

use super::{Frame, Left, Walker};
use crate::facts::expand::assigns;
use crate::facts::state::{State, Value};
use crate::facts::{Input, Printed, Span, UnknownKind};
use crate::shell::{self, Arm, Evaluated, Joint, Loop, Node, Statement, Word};

impl Walker<'_> {
    pub(super) fn list(
        &mut self,
        list: &[(Joint, Statement)],
        state: &mut State,
        frame: &Frame,
    ) -> Option<State> {
        // What the list so far leaves behind when it failed.
        let mut failed: Option<State> = None;
        for (joint, statement) in list {
            match joint {
                Joint::First => failed = self.statement(statement, state, frame),
                Joint::And => {
                    // What came before may have failed, and then this does not run.
                    let skipped = failed.take().unwrap_or_else(|| state.clone());
                    let here = self.statement(statement, state, frame);
                    let mut all = here.unwrap_or_else(|| state.clone());
                    all.merge(skipped);
                    failed = Some(all);
                }
                Joint::Or => {
                    let mut other = failed.take().unwrap_or_else(|| state.clone());
                    failed = self.statement(statement, &mut other, frame);
                    failed.get_or_insert_with(|| other.clone());
                    state.merge(other);
                }
            }
        }
        failed
    }

    pub(super) fn pipeline(&mut self, stages: &[Statement], state: &mut State, frame: &Frame) {
        let start = self.facts.calls.len();
        for (index, stage) in stages.iter().enumerate() {
            let input = if index == 0 {
                frame.input.clone()
            } else {
                Input::Pipe(start..self.facts.calls.len())
            };
            let last = index + 1 == stages.len();
            let inner = Frame {
                input,
                captured: frame.captured || !last,
                printed: if last {
                    frame.printed
                } else {
                    Printed::Elsewhere
                },
                ..frame.clone()
            };
            let mut own = state.clone();
            let failed = self.statement(stage, &mut own, &inner);
            if last && self.last_stays {
                state.merge(own);
                if let Some(failed) = failed {
                    state.merge(failed);
                }
            }
        }
    }

    pub(super) fn branches(
        &mut self,
        branches: &[(Vec<Statement>, Vec<Statement>)],
        otherwise: &[Statement],
        state: &mut State,
        frame: &Frame,
    ) {
        let mut after: Option<State> = None;
        for (condition, body) in branches {
            self.statements(condition, state, frame);
            let mut taken = state.clone();
            self.statements(body, &mut taken, frame);
            match &mut after {
                Some(after) => after.merge(taken),
                None => after = Some(taken),
            }
        }
        self.statements(otherwise, state, frame);
        if let Some(after) = after {
            state.merge(after);
        }
    }

    pub(super) fn case(&mut self, word: &Word, arms: &[Arm], state: &mut State, frame: &Frame) {
        self.expand_single(word, state, frame);
        let mut after = state.clone();
        let mut before: Option<State> = None;
        for arm in arms {
            for pattern in &arm.patterns {
                self.expand_single(pattern, state, frame);
            }
            let mut taken = state.clone();
            if let Some(before) = before.take() {
                taken.merge(before);
            }
            self.statements(&arm.body, &mut taken, frame);
            before = arm.goes_on.then(|| taken.clone());
            after.merge(taken);
        }
        *state = after;
    }

    pub(super) fn repeated(
        &mut self,
        repeated: &Loop,
        span: Span,
        state: &mut State,
        frame: &Frame,
    ) {
        for expression in &repeated.expressions {
            self.evaluate(expression, state, frame);
        }
        let mut values: Option<Value> = None;
        for word in repeated.words.iter().flatten() {
            for field in self.expand(word, state, frame).into_iter().flatten() {
                if let Some(name) = &repeated.variable {
                    self.give(name, &field, state, frame);
                }
                let value = Value::of(&field);
                match &mut values {
                    Some(values) => values.merge(&value),
                    None => values = Some(value),
                }
            }
        }
        // What the body sets is not known when it runs again.
        let before = state.clone();
        let changed = assigned_names(&repeated.condition, &repeated.body);
        state.forget(changed);
        if let Some(name) = &repeated.variable {
            self.note_unknown(name, span);
            if repeated.words.is_none() && self.is_integer(name) {
                self.unknown(UnknownKind::StringEvaluation, span, name);
                for value in state.positional.clone().iter().flat_map(|all| all.iter()) {
                    self.give(name, value, state, frame);
                }
            }
            state.set(name, values.unwrap_or(Value::Unknown(Vec::new())));
        }
        let looped;
        let mut frame = frame;
        if is_endless(repeated) && !pauses(&repeated.body) {
            looped = Frame {
                endless: true,
                // What matters is what the loop itself puts beside it.
                background: false,
                ..frame.clone()
            };
            frame = &looped;
        }
        let entered = state.clone();
        self.left.push(Left::of_loop());
        self.statements(&repeated.condition, state, frame);
        let directories = state.directories.clone();
        self.statements(&repeated.body, state, frame);
        // What else is different when it runs again, by way of built-ins or functions.
        let changed = state.changed(&entered);
        if !changed.is_empty() || state.positional != entered.positional {
            if self.loops >= self.limits.loops {
                self.unknown(UnknownKind::TooComplex, span, "");
                self.left.pop();
                return;
            }
            self.loops += 1;
            let mut again = entered;
            again.blur(&changed, state);
            if again.positional != state.positional {
                again.positional = None;
            }
            self.statements(&repeated.condition, &mut again, frame);
            self.statements(&repeated.body, &mut again, frame);
            state.merge(again);
        }
        if let Some(left) = self.left.pop().and_then(|left| left.state) {
            state.merge(left);
        }
        if state.directories != directories {
            // The loop changes the directory each time round, so it can be in any that is near.
            if self.repeats < self.limits.repeats {
                self.repeats += 1;
                self.statements(&repeated.body, state, frame);
            }
            state.go(Vec::new());
        }
        state.merge(before);
    }

    pub(super) fn test(&mut self, operands: &[shell::Operand], state: &mut State, frame: &Frame) {
        for operand in operands {
            let outcomes = self.expand_single(&operand.word, state, frame);
            for mut value in outcomes {
                value.span = operand.word.span;
                let assigns = assigns(&value.text);
                let is_code = value.is_known() || !value.sources.is_empty() || value.mixed;
                if operand.evaluated != Evaluated::Text && assigns {
                    state.forget_named(&value.text);
                }
                match operand.evaluated {
                    Evaluated::Expression if is_code => self.evaluate_text(&value, state, frame),
                    Evaluated::Subscript if is_code => self.evaluate_key(&value, state, frame),
                    Evaluated::Name if is_code => self.evaluate_target(&value, state, frame),
                    _ => {}
                }
            }
        }
    }
}

/// Whether a loop has no end of its own: `while true`, `until false`, `for ((;;))`.
fn is_endless(repeated: &Loop) -> bool {
    if repeated.variable.is_some() {
        return false;
    }
    match repeated.condition.as_slice() {
        [] => repeated.expressions.is_empty(),
        [only] => match &only.node {
            Node::Simple(simple) => {
                let first = simple.words.first().and_then(literal);
                let words: Option<Vec<&str>> = simple.words.iter().map(literal).collect();
                matches!(first, Some("echo" | "printf"))
                    || matches!(
                        words.as_deref(),
                        Some(
                            ["true" | ":" | "false"]
                                | ["!", "true" | "false"]
                                | ["[", _, "]"]
                                | ["test", _]
                        )
                    )
            }
            Node::Arithmetic(expression) => {
                expression.names.is_empty() && expression.words.is_empty()
            }
            _ => false,
        },
        _ => false,
    }
}

/// The text of a word that nothing expands.
fn literal(word: &Word) -> Option<&str> {
    match word.pieces.as_slice() {
        [shell::Piece::Text(text, _)] => Some(text),
        _ => None,
    }
}

/// Whether statements contain a command that waits, or one that can leave their loop.
fn pauses(body: &[Statement]) -> bool {
    const WORDS: [&str; 8] =
        ["wait", "sleep", "read", "break", "exit", "return", "inotifywait", "exec"];
    every_statement(body).into_iter().any(|statement| {
        let Node::Simple(simple) = &statement.node else {
            return false;
        };
        let first = simple.words.first().map(|word| word.pieces.as_slice());
        let pause =
            matches!(first, Some([shell::Piece::Text(text, _)]) if WORDS.contains(&text.as_str()));
        pause && !statement.background
    })
}

/// The variables that a loop's statements set anywhere inside.
fn assigned_names(condition: &[Statement], body: &[Statement]) -> Vec<String> {
    let simple = every_simple(condition).chain(every_simple(body));
    let assigned = simple.flat_map(|simple| simple.assignments.iter().chain(&simple.declared));
    let mut names: Vec<String> = assigned.map(|assignment| assignment.name.clone()).collect();
    let all = every_statement(condition)
        .into_iter()
        .chain(every_statement(body));
    names.extend(all.filter_map(|statement| match &statement.node {
        Node::Loop(inner) => inner.variable.clone(),
        _ => None,
    }));
    names
}

/// The simple commands anywhere in statements, but for those of functions.
fn every_simple(body: &[Statement]) -> impl Iterator<Item = &shell::Simple> {
    let all = every_statement(body).into_iter();
    all.filter_map(|statement| match &statement.node {
        Node::Simple(simple) => Some(simple),
        _ => None,
    })
}

/// The statements and all those inside them, but for those of functions.
fn every_statement(body: &[Statement]) -> Vec<&Statement> {
    let mut all = Vec::new();
    let mut left: Vec<&Statement> = body.iter().collect();
    while let Some(statement) = left.pop() {
        all.push(statement);
        match &statement.node {
            Node::List(list) => left.extend(list.iter().map(|(_, statement)| statement)),
            Node::Pipeline(body) | Node::Group(body) | Node::Subshell(body) => left.extend(body),
            Node::If(branches, otherwise) => {
                for (condition, body) in branches {
                    left.extend(condition.iter().chain(body));
                }
                left.extend(otherwise);
            }
            Node::Loop(inner) => left.extend(inner.condition.iter().chain(&inner.body)),
            Node::Case(_, arms) => left.extend(arms.iter().flat_map(|arm| &arm.body)),
            Node::Coprocess(body) | Node::Timed(Some(body)) => left.push(body),
            Node::Simple(_)
            | Node::Timed(None)
            | Node::Test(_)
            | Node::Arithmetic(_)
            | Node::Function(..) => {}
        }
    }
    all
}
