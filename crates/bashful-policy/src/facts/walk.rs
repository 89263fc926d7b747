//! The walk: a tree is followed the way the shell would, and what it would do is noted.
//!
//! Branches are all taken; what they leave behind is merged, so that each statement is seen in
//! every state that its predecessors can leave.

use super::state::{State, Value};
use super::{Argument, Facts, Input, Place, Printed, RedirectKind, Span, Unknown, UnknownKind};
use crate::context::Context;
use crate::limits::Limits;
use crate::shell::{self, Node, RedirectNode, Statement};

mod branches;
mod functions;
mod notes;

/// Texts in texts, functions in functions and wrappers in wrappers go this deep.
pub(super) const MAX_DEPTH: usize = 24;

/// Of equal kinds of what is not known, this many are kept.
const MAX_UNKNOWNS: usize = 64;

/// The facts of a text, with `~` as this directory.
pub(crate) fn walk(text: &str, tree: &shell::Tree, context: &Context, home: Option<&str>) -> Facts {
    let mut walker = Walker {
        context,
        text,
        home,
        facts: Facts::default(),
        depth: 0,
        inside: Vec::new(),
        integers: Vec::new(),
        locals: Vec::new(),
        declared: Vec::new(),
        left: Vec::new(),
        last_stays: false,
        keeps_prefix: false,
        inherited: Vec::new(),
        traps: Vec::new(),
        stopped: false,
        limits: Limits::of(context.reading, text.len()),
        steps: 0,
        repeats: 0,
        loops: 0,
        scripts: 0,
        nested_bytes: 0,
    };
    walker.problems(&tree.problems);
    // The option may be switched on after the pipeline that it changes.
    walker.last_stays = text.contains("lastpipe");
    let mut state = State::new(context.directory.as_ref());
    if let Some(memory) = &context.shell {
        walker.inherit(memory, &mut state);
    }
    walker.statements(&tree.body, &mut state, &Frame::new());
    if !walker.traps.is_empty() {
        // Traps run when all else ends, so a variable can have any value that it once had.
        for assignment in &walker.facts.assignments {
            state.add_value(&assignment.name, &Value::of(&assignment.value));
        }
    }
    for trap in std::mem::take(&mut walker.traps) {
        walker.script(&trap, &mut state.clone(), &Frame::new());
    }
    walker.facts
}

/// Collects the facts of one text.
pub(super) struct Walker<'c> {
    pub(super) context: &'c Context,
    pub(super) text: &'c str,
    pub(super) home: Option<&'c str>,
    pub(super) facts: Facts,
    /// How deep texts, functions and wrappers nest here.
    pub(super) depth: usize,
    /// Names of functions that are being walked.
    pub(super) inside: Vec<String>,
    /// Variables that evaluate whatever they are given.
    pub(super) integers: Vec<String>,
    /// The variables that the functions which are being walked have for themselves.
    pub(super) locals: Vec<Vec<String>>,
    /// The assignments among the words of the call that are noted already.
    pub(super) declared: Vec<usize>,
    /// The loops, functions and files that are being walked, with the states in which they can be
    /// left before their end.
    pub(super) left: Vec<Left>,
    /// The last part of a pipeline may run in the shell itself: `lastpipe`.
    pub(super) last_stays: bool,
    /// An assignment before any built-in may stay: `posix`.
    pub(super) keeps_prefix: bool,
    /// Functions of earlier calls of the shell.
    pub(super) inherited: Vec<String>,
    /// Texts of traps, which run again when all is done.
    pub(super) traps: Vec<Argument>,
    /// A limit was passed.
    stopped: bool,
    limits: Limits,
    steps: usize,
    repeats: usize,
    loops: usize,
    scripts: usize,
    nested_bytes: usize,
}

/// A body that can be left before its end.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// `break` leaves it, and not only `return`.
    is_loop: bool,
    pub(super) state: Option<State>,
}

impl Left {
    pub(super) fn of_loop() -> Self {
        Self {
            is_loop: true,
            state: None,
        }
    }
}

/// What surrounds a statement.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub(super) place: Place,
    pub(super) input: Input,
    pub(super) captured: bool,
    pub(super) background: bool,
    /// A loop that nothing ends is around it.
    pub(super) endless: bool,
    /// Where redirects around it lead its output.
    pub(super) printed: Printed,
}

impl Frame {
    pub(super) const fn new() -> Self {
        Self {
            place: Place::Text,
            input: Input::Inherited,
            captured: false,
            background: false,
            endless: false,
            printed: Printed::Elsewhere,
        }
    }

    /// This, around a command that some program may start.
    pub(super) fn for_option(&self) -> Self {
        Self {
            place: Place::Option,
            ..self.clone()
        }
    }
}

impl Walker<'_> {
    pub(super) fn unknown(&mut self, kind: UnknownKind, span: Span, fact: &str) {
        // What passes a limit is refused, so there is nothing more to find out.
        self.stopped |= kind == UnknownKind::TooComplex;
        let same = self
            .facts
            .unknowns
            .iter()
            .filter(|unknown| unknown.kind == kind);
        if same.count() < MAX_UNKNOWNS {
            self.facts.unknowns.push(Unknown {
                span,
                kind,
                fact: fact.chars().take(200).collect(),
            });
        }
    }

    /// Notes that the bodies around this can end in this state.
    pub(super) fn leave(&mut self, state: &State) {
        for left in self.left.iter_mut().rev() {
            match &mut left.state {
                Some(known) => known.merge(state.clone()),
                None => left.state = Some(state.clone()),
            }
            if !left.is_loop {
                break;
            }
        }
    }

    /// Notes an option of the shell that is or may be on.
    pub(super) fn switch(&mut self, option: &Argument) {
        let may_be = |name: &str| !option.is_literal() || option.text == name;
        self.last_stays |= may_be("lastpipe");
        self.keeps_prefix |= may_be("posix");
    }

    fn problems(&mut self, problems: &[(UnknownKind, Span)]) {
        for (kind, span) in problems {
            let fact = self.text.get(span.0..span.1).unwrap_or_default().to_owned();
            self.unknown(*kind, *span, &fact);
        }
    }

    /// Whether there is room for more; says so once when there is not.
    pub(super) fn has_room(&mut self, span: Span) -> bool {
        self.steps += 1;
        let full = self.facts.calls.len() >= self.limits.calls || self.steps > self.limits.steps;
        if full && !self.stopped {
            self.unknown(UnknownKind::TooComplex, span, "");
        }
        !self.stopped
    }

    pub(super) fn statements(&mut self, body: &[Statement], state: &mut State, frame: &Frame) {
        for statement in body {
            // In a list `set -e` ends nothing but at its last command.
            let is_list = matches!(statement.node, Node::List(_));
            if let Some(failed) = self.statement(statement, state, frame)
                && (!state.stops_on_failure || is_list)
            {
                state.merge(failed);
            }
        }
    }

    /// Walks statements in a shell of their own.
    pub(super) fn in_subshell(&mut self, body: &[Statement], state: &State, frame: &Frame) {
        self.statements(body, &mut state.clone(), frame);
    }

    /// Walks one statement. The state becomes the one after success; the one after a failure is
    /// returned where it differs.
    fn statement(
        &mut self,
        statement: &Statement,
        state: &mut State,
        frame: &Frame,
    ) -> Option<State> {
        if !self.has_room(statement.span) {
            return None;
        }
        if statement.background {
            let frame = Frame {
                background: true,
                ..frame.clone()
            };
            self.foreground(statement, &mut state.clone(), &frame);
            return None;
        }
        self.foreground(statement, state, frame)
    }

    fn foreground(
        &mut self,
        statement: &Statement,
        state: &mut State,
        frame: &Frame,
    ) -> Option<State> {
        let can_fail = |redirect: &RedirectNode| redirect.kind != RedirectKind::Text;
        if !statement.redirects.iter().any(can_fail) {
            return self.redirected(statement, state, frame);
        }
        // Where a redirect fails, nothing is done.
        let before = state.clone();
        let failed = self.redirected(statement, state, frame);
        let mut failed = failed.unwrap_or_else(|| state.clone());
        failed.merge(before);
        Some(failed)
    }

    fn redirected(
        &mut self,
        statement: &Statement,
        state: &mut State,
        frame: &Frame,
    ) -> Option<State> {
        if let Node::Simple(simple) = &statement.node {
            return self.simple(simple, statement, state, frame);
        }
        let redirected;
        let mut frame = frame;
        if !statement.redirects.is_empty() {
            let (indexes, input) = self.redirects(statement, state, frame);
            let printed = self.printed_to(&indexes);
            redirected = Frame {
                input: input.unwrap_or_else(|| frame.input.clone()),
                printed: printed.map_or(frame.printed, Printed::around),
                ..frame.clone()
            };
            frame = &redirected;
        }
        match &statement.node {
            Node::Simple(_) => {}
            Node::List(list) => return self.list(list, state, frame),
            Node::Pipeline(stages) => self.pipeline(stages, state, frame),
            Node::Group(body) => self.statements(body, state, frame),
            Node::Subshell(body) => self.in_subshell(body, state, frame),
            Node::If(branches, otherwise) => self.branches(branches, otherwise, state, frame),
            Node::Loop(repeated) => self.repeated(repeated, statement.span, state, frame),
            Node::Case(word, arms) => self.case(word, arms, state, frame),
            Node::Test(operands) => self.test(operands, state, frame),
            Node::Arithmetic(expression) => self.evaluate(expression, state, frame),
            Node::Function(name, body) => self.function(name, body, statement.span, state, frame),
            Node::Coprocess(body) => {
                let frame = Frame {
                    background: true,
                    captured: true,
                    ..frame.clone()
                };
                self.foreground(body, &mut state.clone(), &frame);
                // It sets a variable, whose name is not in the tree.
                state.forget_all();
            }
            Node::Timed(body) => {
                let body = body.as_ref()?;
                return self.foreground(body, state, frame);
            }
        }
        None
    }
}
