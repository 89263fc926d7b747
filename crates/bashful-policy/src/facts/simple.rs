//! Simple commands: what they start, and what they change in the shell.

use super::expand::{Fields, product};
use super::state::{Attribute, Restored, State, Value};
use super::walk::{Frame, MAX_DEPTH, Walker};
use super::{Argument, Call, Input, Printed, Span, UnknownKind};
use crate::shell::{Simple, Statement, ValueNode};

mod builtins;
mod directory;
mod variables;

/// A call with more words than this is not ordinary work.
const MAX_ARGUMENTS: usize = 4096;

/// What the words of a call do not say about it.
#[derive(Debug, Clone)]
pub(super) struct Site {
    pub(super) span: Span,
    pub(super) wrappers: Vec<String>,
    pub(super) open_ended: bool,
    pub(super) assignments: Vec<usize>,
    /// The assignments among its words that are noted already.
    pub(super) declared: Vec<usize>,
    pub(super) redirects: Vec<usize>,
}

impl Walker<'_> {
    pub(super) fn simple(
        &mut self,
        simple: &Simple,
        statement: &Statement,
        state: &mut State,
        frame: &Frame,
    ) -> Option<State> {
        let mut outcomes: Vec<Fields> = vec![Fields::new()];
        for word in &simple.words {
            let next = self.expand(word, state, frame);
            outcomes = product(outcomes, next);
            if outcomes
                .first()
                .is_some_and(|argv| argv.len() > MAX_ARGUMENTS)
            {
                self.unknown(UnknownKind::TooComplex, statement.span, "");
                return None;
            }
        }
        let alone = simple.words.is_empty();
        let mut assignments = Vec::new();
        let mut local = Vec::new();
        for node in &simple.assignments {
            let value = self.assignment(node, state, frame);
            let shown = shown(&value, node.span);
            assignments.push(self.note_assignment(node.span, &node.name, shown, !alone));
            if alone {
                state.set(&node.name, value);
            } else {
                local.push((node.name.clone(), value));
            }
        }
        let declares = |argv: &Fields| self.declares_surely(argv);
        let doubtful = !simple.declared.is_empty() && !outcomes.iter().all(declares);
        let mut declared = Vec::new();
        for node in &simple.declared {
            let value = self.assignment(node, state, frame);
            let shown = shown(&value, node.span);
            declared.push(self.note_assignment(node.span, &node.name, shown, false));
            if matches!(node.value, ValueNode::Word(_)) {
                let lists = |argv: &Fields| argv.iter().any(makes_list);
                if outcomes.iter().any(lists) {
                    state.mark(&node.name, Attribute::Listed);
                }
                self.give_list(&node.name, &value, node.span, state, frame);
            }
            let before = doubtful.then(|| state.clone());
            state.set(&node.name, value);
            if let Some(before) = before {
                state.restore(&node.name, &before, Restored::Perhaps);
            }
        }
        let (redirects, input) = self.redirects(statement, state, frame);
        let redirected;
        let mut frame = frame;
        let mut printed = self.printed_to(&redirects);
        if state.printed && printed.is_none() && !frame.captured {
            printed = Some(Printed::Onto);
        }
        if outcomes.iter().any(is_exec) {
            state.printed |= matches!(printed, Some(Printed::Anew | Printed::Onto));
        }
        if input.is_some() || printed.is_some() {
            redirected = Frame {
                input: input.unwrap_or_else(|| frame.input.clone()),
                printed: printed.unwrap_or(frame.printed),
                ..frame.clone()
            };
            frame = &redirected;
        }
        let site = Site {
            span: statement.span,
            wrappers: Vec::new(),
            open_ended: false,
            assignments,
            declared,
            redirects,
        };
        self.assigned_scripts(&site, state, frame);
        if local.is_empty() {
            return self.outcomes(outcomes, &site, state, frame);
        }
        // What is assigned for a call alone is seen by what it runs.
        let before = state.clone();
        for (name, value) in &local {
            state.set(name, value.clone());
            state.mark(name, Attribute::Exported);
        }
        let keeps = self.keeps_prefix;
        let stays = |argv: &Fields| {
            let name = argv.first().map_or("", |first| first.text.as_str());
            keeps || before.function(name).is_some() || may_keep(name)
        };
        let restored = if outcomes.iter().any(stays) {
            Restored::Perhaps
        } else {
            Restored::Surely
        };
        let mut failed = self.outcomes(outcomes, &site, state, frame);
        for (name, _) in &local {
            for after in std::iter::once(&mut *state).chain(&mut failed) {
                after.restore(name, &before, restored);
                if !before.has(name, Attribute::Exported) {
                    after.keep_from_programs(name);
                }
            }
        }
        failed
    }

    /// Follows a call with each of the words that it can have.
    fn outcomes(
        &mut self,
        mut outcomes: Vec<Fields>,
        site: &Site,
        state: &mut State,
        frame: &Frame,
    ) -> Option<State> {
        if let [_] = outcomes.as_slice() {
            let argv = outcomes.pop().unwrap_or_default();
            return self.call(&argv, site, state, frame);
        }
        // Each outcome starts from the same state; what they leave is merged.
        let mut failed: Option<State> = None;
        let before = state.clone();
        for (index, argv) in outcomes.into_iter().enumerate() {
            let mut own = before.clone();
            if let Some(here) = self.call(&argv, site, &mut own, frame) {
                match &mut failed {
                    Some(failed) => failed.merge(here),
                    None => failed = Some(here),
                }
            }
            if index == 0 {
                *state = own;
            } else {
                state.merge(own);
            }
        }
        failed
    }

    /// Notes one call, then follows what it runs and what it changes.
    pub(super) fn call(
        &mut self,
        argv: &[Argument],
        site: &Site,
        state: &mut State,
        frame: &Frame,
    ) -> Option<State> {
        let first = argv.first()?;
        if !self.has_room(site.span) {
            return None;
        }
        let wrapped = !site.wrappers.is_empty();
        if !first.is_literal() || first.from_variable {
            let span = if first.span == (0, 0) {
                site.span
            } else {
                first.span
            };
            let fact = first.text.clone();
            self.unknown(UnknownKind::DynamicName, span, &fact);
        }
        let index = self.facts.calls.len();
        self.facts.calls.push(Call {
            span: site.span,
            arguments: argv.to_vec(),
            directories: state.directories.clone(),
            wrappers: site.wrappers.clone(),
            open_ended: site.open_ended,
            place: frame.place,
            input: frame.input.clone(),
            captured: frame.captured,
            background: frame.background,
            endless: frame.endless,
            printed: frame.printed,
            transparent: false,
            assignments: site.assignments.clone(),
            redirects: site.redirects.clone(),
        });
        let written = first.text.clone();
        if !wrapped
            && first.is_literal()
            && let Some(bodies) = state.function(&written)
        {
            self.check_inherited(&written, site.span);
            self.make_transparent(index);
            let arguments = argv.get(1..).unwrap_or_default().to_vec();
            let before = state.clone();
            for (index, body) in bodies.iter().enumerate() {
                let mut own = before.clone();
                self.call_function(&written, body, &arguments, &mut own, frame);
                if index == 0 {
                    *state = own;
                } else {
                    state.merge(own);
                }
            }
            return None;
        }
        if !wrapped
            && let Some(alias) = state.alias(&written).cloned()
            && !self.inside.contains(&written)
        {
            // Whether aliases are expanded is not followed: both are read.
            let rest = argv.get(1..).unwrap_or_default();
            let text = joined(std::iter::once(&alias).chain(rest));
            self.inside.push(written.clone());
            self.script(&text, &mut state.clone(), frame);
            self.inside.pop();
        }
        if site.wrappers.len() >= MAX_DEPTH {
            self.unknown(UnknownKind::TooComplex, site.span, &written);
            return None;
        }
        let name = first.program().to_owned();
        if name.is_empty() {
            return None;
        }
        if written == "!" && !wrapped && argv.len() > 1 {
            // Every further `!` turns the answer around once more.
            self.make_transparent(index);
            return self.call(argv.get(1..).unwrap_or_default(), site, state, frame);
        }
        if written.starts_with('-') && written.len() > 1 && !wrapped {
            // What follows the keyword `time`: other shells take its options for those of a
            // program of that name.
            if written == "--" {
                self.make_transparent(index);
            }
            let mut timed = vec![Argument::literal("time", first.span)];
            timed.extend(argv.iter().cloned());
            return self.unwrap("time", &timed, index, site, state, frame);
        }
        // `command cd` and `builtin cd` change this shell, `env cd` does not.
        let in_shell = site
            .wrappers
            .iter()
            .all(|wrapper| matches!(wrapper.as_str(), "command" | "builtin"));
        if in_shell && !written.contains('/') {
            self.declared.clone_from(&site.declared);
            let failed = self.built_in(&name, argv, index, state, frame);
            if failed.is_some() {
                return failed;
            }
        }
        self.unwrap(&name, argv, index, site, state, frame)
    }

    /// Says that a call's whole effect is that of the calls it starts.
    pub(super) fn make_transparent(&mut self, index: usize) {
        if let Some(call) = self.facts.calls.get_mut(index) {
            call.transparent = true;
        }
    }
}

/// Whether redirects of this call are those of the shell from now on.
fn is_exec(argv: &Fields) -> bool {
    matches!(argv.as_slice(), [only] if only.text == "exec")
}

/// Whether an option of `declare` makes an array, or can turn out to.
fn makes_list(word: &Argument) -> bool {
    let known = word.known();
    known.starts_with('-') && (known.contains(['a', 'A']) || !word.is_known())
}

/// Built-ins for which an assignment before them may stay, depending on options of the shell, and
/// those that start such.
fn may_keep(name: &str) -> bool {
    [
        ".", ":", "break", "builtin", "command", "continue", "declare", "eval", "exec", "exit",
        "export", "local", "readonly", "return", "set", "shift", "source", "times", "trap",
        "typeset", "unset",
    ]
    .contains(&name)
}

/// Words joined by blanks, as `eval` does.
pub(super) fn joined<'a>(words: impl Iterator<Item = &'a Argument>) -> Argument {
    let mut whole = Argument::default();
    for (index, word) in words.enumerate() {
        if index == 0 {
            whole.span = word.span;
        } else {
            whole.text.push(' ');
            whole.span.1 = whole.span.1.max(word.span.1);
        }
        if whole.unknown_from.is_none() {
            whole.unknown_from = word.unknown_from.map(|from| whole.text.len() + from);
        }
        whole.text.push_str(&word.text);
        whole.glob |= word.glob;
        whole.from_variable |= word.from_variable;
        whole.sources.extend(word.sources.iter().cloned());
    }
    whole
}

/// A value as a word, for facts.
fn shown(value: &Value, span: Span) -> Argument {
    match value {
        Value::Known(values) => {
            let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
            Argument::literal(texts.join(" "), span)
        }
        Value::Number => Argument::literal("0", span),
        Value::Unknown(sources) => Argument {
            unknown_from: Some(0),
            sources: sources.clone(),
            ..Argument::literal("…", span)
        },
    }
}

/// Whether this input is text or a pipe, not whatever the whole command reads.
pub(super) fn is_given(input: &Input) -> bool {
    !matches!(input, Input::Inherited)
}
