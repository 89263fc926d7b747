//! Filling the disk: what prints without end into a file, and files that are made huge at once.

use std::ops::Range;

use super::View;
use crate::context::Context;
use crate::facts::{Argument, Call, Facts, Input, Printed, RedirectKind};

mod sizes;
mod sources;

use sources::{begins, copies, filters, is_device, keeps};

/// What a call prints without end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Flow {
    /// Output that ends by itself.
    Bounded,
    /// Lines, so that a number of lines ends it.
    Lines,
    /// Not one line ever ends.
    Zeros,
}

/// What every call prints, as far as it does not end.
pub(super) struct Flows {
    flows: Vec<Flow>,
}

impl Flows {
    /// Pipes and substitutions lead forwards, so one pass is enough.
    pub(super) fn of(facts: &Facts, context: &Context) -> Self {
        let mut flows = Self { flows: Vec::new() };
        let named = |call: &Call| {
            let mut words = call.operands().iter();
            begins(call) || reads_device(call, context) || words.any(|word| word.is_pipe)
        };
        let pipes = |call: &Call| matches!(call.input, Input::Pipe(_));
        let mut sourced = false;
        for call in &facts.calls {
            let starts = named(call);
            sourced |= starts;
            let flow = if starts || sourced && pipes(call) {
                flows.printed(facts, call, context)
            } else {
                Flow::Bounded
            };
            flows.flows.push(flow);
        }
        flows
    }

    /// Whether a call fills the disk.
    pub(super) fn check(&self, view: &View) -> bool {
        let call = view.call;
        let flow = self.flows.get(view.index).copied();
        let flow = flow.unwrap_or(Flow::Bounded);
        let lasts = flow != Flow::Bounded;
        if lasts
            && (call.printed != Printed::Elsewhere || call.wrappers.iter().any(|it| it == "script"))
        {
            return true;
        }
        let read = self.read(view.facts, call, view.context);
        // In a loop that reads it, each line makes the file longer.
        let repeats = matches!(call.program(), "echo" | "printf")
            && read != Flow::Bounded
            && call.printed == Printed::Onto;
        sizes::is_huge(call)
            || repeats
            || keeps(call) && read != Flow::Bounded && !sizes::bounds(call, read)
            || lasts && branches(view)
            || grows_in_loop(view)
    }

    /// What a call prints.
    fn printed(&self, facts: &Facts, call: &Call, context: &Context) -> Flow {
        if begins(call) {
            return Flow::Lines;
        }
        let read = self.read(facts, call, context);
        if read == Flow::Bounded || !filters(call) || sizes::bounds(call, read) {
            return Flow::Bounded;
        }
        // Any of these can put lines in.
        match call.program() {
            "cat" | "dd" | "tee" | "pv" | "head" | "gcat" | "buffer" | "mbuffer" => read,
            _ => Flow::Lines,
        }
    }

    /// What a call reads, from its input and from the files it names.
    fn read(&self, facts: &Facts, call: &Call, context: &Context) -> Flow {
        let input = match &call.input {
            Input::Pipe(range) if !copies(call) => self.output(facts, range),
            _ => Flow::Bounded,
        };
        let piped = call.operands().iter().filter(|word| word.is_pipe);
        let piped = piped.flat_map(|word| &word.sources);
        let piped = piped.map(|range| self.output(facts, range));
        let device = if reads_device(call, context) {
            device_flow(call)
        } else {
            Flow::Bounded
        };
        piped.fold(input.max(device), Flow::max)
    }

    /// What comes out of the end of some calls: of those that no other of them reads.
    fn output(&self, facts: &Facts, range: &Range<usize>) -> Flow {
        let mut most = Flow::Bounded;
        for index in range.clone() {
            let flow = self.flows.get(index).copied().unwrap_or(Flow::Bounded);
            if flow <= most {
                continue;
            }
            let later = facts.calls.get(index + 1..range.end).unwrap_or_default();
            let is_read = later
                .iter()
                .any(|other| matches!(&other.input, Input::Pipe(from) if from.contains(&index)));
            if !is_read {
                most = flow;
            }
        }
        most
    }
}

/// Whether what a call prints goes into a pipe in one of its words, and from there into a
/// file: `tee >(cat > file)`.
fn branches(view: &View) -> bool {
    let call = view.call;
    let redirects = call.redirects.iter();
    let targets = redirects.filter_map(|index| view.facts.redirects.get(*index));
    let targets = targets.map(|redirect| &redirect.target);
    let mut pipes = call
        .operands()
        .iter()
        .chain(targets)
        .filter(|word| word.is_pipe);
    pipes.any(|word| {
        let mut ranges = word.sources.iter();
        ranges.any(|range| {
            let calls = view.facts.calls.get(range.clone()).unwrap_or_default();
            calls.iter().any(|call| {
                let written = call.printed != Printed::Elsewhere && filters(call);
                written || keeps(call)
            })
        })
    })
}

/// Whether a call reads a device that never ends, by name or as its input.
fn reads_device(call: &Call, context: &Context) -> bool {
    let is_device = |word: &Argument| is_device(word, &call.directories, context);
    let input = matches!(&call.input, Input::File(file) if is_device(file));
    input
        || call.operands().iter().any(|word| {
            let value = match word.text.split_once('=') {
                Some((name, _)) => word.tail(name.len() + 1),
                None => word.clone(),
            };
            is_device(word) || is_device(&value)
        })
}

/// What such a device gives.
fn device_flow(call: &Call) -> Flow {
    let names = |word: &Argument| word.text.contains("random");
    let input = matches!(&call.input, Input::File(file) if names(file));
    if input || call.operands().iter().any(names) {
        Flow::Lines
    } else {
        Flow::Zeros
    }
}

/// Whether a call makes a file grow, or makes ever more files, in a loop without an end and
/// without a pause.
fn grows_in_loop(view: &View) -> bool {
    let call = view.call;
    if !call.endless {
        return false;
    }
    let redirects = call.redirects.iter();
    let mut redirects = redirects.filter_map(|index| view.facts.redirects.get(*index));
    let appends = redirects.any(|redirect| redirect.kind == RedirectKind::Append);
    let operands = call.operands();
    let has = |letter: char| {
        let mut words = operands.iter().map(Argument::known);
        words.any(|word| {
            word.strip_prefix('-')
                .is_some_and(|rest| !rest.starts_with('-') && rest.contains(letter))
        })
    };
    let dynamic = || operands.iter().any(|word| !word.is_known());
    let prints = !matches!(
        call.program(),
        ":" | "true" | "false" | "test" | "[" | "[[" | "cd"
    );
    let makes = match call.program() {
        "tee" => has('a') || operands.iter().any(|word| word.text == "--append"),
        "mktemp" => true,
        "touch" | "mkdir" | "cp" | "dd" | "fallocate" | "truncate" | "install" => dynamic(),
        _ => false,
    };
    makes || appends || prints && call.printed == Printed::Onto
}
