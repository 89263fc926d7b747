//! Running unseen what was downloaded, decoded or generated.

use super::shell::{self, Program};
use super::{Class, View};
use crate::facts::{Argument, Call, Facts, Input};

mod sources;

use sources::Origin;

/// Programs that hand what they read on as commands.
const FEEDERS: &[&str] = &["xargs", "gxargs", "parallel"];
/// Programs that run each line or all of what they read.
const RUNNERS: &[&str] = &["parallel", "at", "batch", "crontab", "source", ".", "eval"];

/// Where the output of every call comes from in the end.
pub(super) struct Feeds {
    origins: Vec<Origin>,
}

impl Feeds {
    pub(super) fn of(facts: &Facts) -> Self {
        let mut feeds = Self {
            origins: facts.calls.iter().map(sources::origin).collect(),
        };
        // What a call prints can be what it reads. Pipes lead forwards and substitutions either
        // way, so passes in both directions settle after about as many rounds as there are levels.
        loop {
            let before = feeds.origins.clone();
            for index in 0..facts.calls.len() {
                feeds.settle(facts, index);
            }
            for index in (0..facts.calls.len()).rev() {
                feeds.settle(facts, index);
            }
            if feeds.origins == before {
                return feeds;
            }
        }
    }

    fn settle(&mut self, facts: &Facts, index: usize) {
        let Some(call) = facts.calls.get(index) else {
            return;
        };
        let inputs = std::iter::once(self.of_input(call));
        let arguments = call.arguments.iter().map(|word| self.of_argument(word));
        let whole = inputs.chain(arguments).fold(Origin::NONE, Origin::with);
        if let Some(origin) = self.origins.get_mut(index) {
            *origin = origin.with(whole);
        }
    }

    fn of_argument(&self, argument: &Argument) -> Origin {
        let ranges = argument.sources.iter();
        let origins = ranges.filter_map(|range| self.origins.get(range.clone()));
        origins.flatten().copied().fold(Origin::NONE, Origin::with)
    }

    fn of_input(&self, call: &Call) -> Origin {
        match &call.input {
            Input::Inherited => Origin::NONE,
            Input::Text(argument) | Input::File(argument) => self.of_argument(argument),
            Input::Pipe(range) => {
                let origins = self.origins.get(range.clone()).unwrap_or_default();
                origins.iter().copied().fold(Origin::NONE, Origin::with)
            }
        }
    }

    /// The class of a call that runs code which no person has seen.
    pub(super) fn check(&self, view: &View) -> Option<Class> {
        self.of_program(view).with(self.of_branches(view)).class()
    }

    /// Where the program comes from that a call runs.
    fn of_program(&self, view: &View) -> Origin {
        let call = view.call;
        let arguments = |count: usize| {
            let words = call.arguments.iter().take(count);
            words.fold(Origin::NONE, |origin, word| {
                origin.with(self.of_argument(word))
            })
        };
        // The name of the program itself can be what a download printed.
        let Some(first) = call.arguments.first() else {
            return Origin::NONE;
        };
        if !first.is_known() {
            return self.of_argument(first).with(self.of_input(call));
        }
        match view.name {
            "eval" => {
                let known = call.operands().iter().all(Argument::is_known);
                let read = if known {
                    Origin::NONE
                } else {
                    self.of_input(call)
                };
                return arguments(call.arguments.len()).with(read);
            }
            "source" | "." => {
                let reads = call.operands().first().is_some_and(shell::is_input);
                let read = if reads {
                    self.of_input(call)
                } else {
                    Origin::NONE
                };
                return arguments(2).with(read);
            }
            "crontab" | "at" | "batch" => return self.of_input(call),
            "parallel"
                if call
                    .operands()
                    .iter()
                    .all(|word| word.text.starts_with('-')) =>
            {
                return self.of_input(call);
            }
            "make" | "gmake" | "awk" | "gawk" | "sed" if reads_program_file(call) => {
                return self.of_input(call).with(arguments(call.arguments.len()));
            }
            "ssh" => {
                let shell = call.operands().iter().skip(1);
                let shell = shell.map(Argument::program).any(shell::is_shell);
                return if shell {
                    self.of_input(call)
                } else {
                    Origin::NONE
                };
            }
            _ => {}
        }
        let fed = call
            .wrappers
            .iter()
            .any(|wrapper| FEEDERS.contains(&wrapper.as_str()));
        match shell::program(call) {
            None | Some(Program::Other) => Origin::NONE,
            Some(Program::Input) if fed || call.input != Input::Inherited => {
                arguments(call.arguments.len()).with(self.fed(view))
            }
            Some(Program::Input) => arguments(call.arguments.len()),
            Some(Program::File(index)) => arguments(index + 1),
            Some(Program::Text(index)) => {
                let text = call.arguments.get(index);
                let takes = text.is_none_or(|text| text.text.contains("{}"));
                let read = if fed && takes {
                    self.fed(view)
                } else {
                    Origin::NONE
                };
                arguments(index + 1).with(read)
            }
        }
    }

    /// What a call reads, or the `xargs` that starts it.
    fn fed(&self, view: &View) -> Origin {
        let before = view.facts.calls.get(..view.index).unwrap_or_default();
        let is_feeder = |call: &&Call| FEEDERS.contains(&call.program());
        let wrapped = !view.call.wrappers.is_empty();
        let feeder = before.iter().rev().take(16).find(is_feeder);
        let feeder = feeder.filter(|_| wrapped);
        let read = feeder.map_or(Origin::NONE, |call| self.of_input(call));
        self.of_input(view.call).with(read)
    }

    /// What goes from this call into a shell that stands in one of its words: `tee >(sh)`.
    fn of_branches(&self, view: &View) -> Origin {
        let call = view.call;
        let redirects = call.redirects.iter();
        let targets = redirects.filter_map(|index| view.facts.redirects.get(*index));
        let targets = targets
            .filter(|redirect| redirect.kind.writes())
            .map(|redirect| &redirect.target);
        let pipes = call.operands().iter().chain(targets);
        let mut ranges = pipes
            .filter(|word| word.is_pipe)
            .flat_map(|word| &word.sources);
        let runs = ranges.any(|range| {
            let calls = view.facts.calls.get(range.clone()).unwrap_or_default();
            calls.iter().any(reads_program)
        });
        if runs {
            let own = self.origins.get(view.index).copied();
            own.unwrap_or(Origin::NONE).with(self.of_input(call))
        } else {
            Origin::NONE
        }
    }
}

/// Whether a call runs what it reads.
pub(super) fn reads_program(call: &Call) -> bool {
    let name = call.program();
    if RUNNERS.contains(&name) {
        return call.operands().iter().all(shell::is_input);
    }
    shell::program(call) == Some(Program::Input)
}

/// Whether the program is a file that is standard input or a pipe: `make -f -`.
fn reads_program_file(call: &Call) -> bool {
    let words = call.operands().windows(2);
    let mut files = words.filter_map(|pair| match pair {
        [option, file] if matches!(option.text.as_str(), "-f" | "--file" | "--makefile") => {
            Some(file)
        }
        _ => None,
    });
    files.any(|file| shell::is_input(file) || file.is_pipe)
        || call.operands().iter().any(|word| word.text == "-f-")
}
