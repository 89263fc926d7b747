//! What commands read: whether what reaches their input is code there.

use super::{Inquiry, Objection, dashes, languages, remote};
use crate::facts::{Argument, Call, Input, RedirectKind, Span, is_shell};
use crate::hijack;
use crate::templates::flow::{filled, plain_file};

impl Inquiry<'_, '_> {
    /// Refuses what reaches a program that runs what it reads.
    pub(super) fn fed(&mut self, name: &str, call: &Call) {
        if matches!(name, "read" | "mapfile" | "readarray" | "printf") {
            self.filled(name, call);
        }
        let runs = languages::reads_code(name, &call.arguments)
            || remote::reads_code(name, &call.arguments)
            || starts_shell(name, &call.arguments)
            || matches!(name, "xargs" | "parallel") && self.starts_language(name, call);
        if name == "xargs" && self.gives_options() {
            let mut spans = Vec::new();
            self.input_spans(&call.input, 0, &mut spans);
            for span in spans {
                self.object(span, &OPTIONS);
            }
        }
        if runs {
            let mut spans = Vec::new();
            self.input_spans(&call.input, 0, &mut spans);
            for span in spans {
                self.object(span, &INPUT);
            }
        }
        // What is open under a number can be named as a file, and what the shell itself reads from
        // now on, every program that it starts reads as well.
        let part = self.part;
        let everything =
            name == "exec" && call.operands().iter().all(|word| part.is_descriptor(word));
        if everything || is_shell(name) || languages::is_inline(name) {
            self.opened(call, everything);
        }
        self.ran_file(name, call);
    }

    fn opened(&mut self, call: &Call, everything: bool) {
        let part = self.part;
        for index in &call.redirects {
            let Some(redirect) = part.facts.redirects.get(*index) else {
                continue;
            };
            let descriptor = part.descriptor(redirect);
            let extra = descriptor.is_some_and(|number| number > 2);
            let input = descriptor.unwrap_or(0) == 0;
            let text = redirect.kind == RedirectKind::Text
                || redirect.kind == RedirectKind::Read && redirect.target.is_pipe;
            if text && (extra && !everything || everything && input) {
                self.object(redirect.span, &INPUT);
                self.object(redirect.target.span, &INPUT);
            }
        }
    }

    /// Refuses what was written to a file that a shell runs.
    fn ran_file(&mut self, name: &str, call: &Call) {
        if !is_shell(name) && !matches!(name, "source" | ".") {
            return;
        }
        let flow = self.flow;
        let files = call.operands().iter().filter(|word| word.is_literal());
        let taints: Vec<_> = files
            .filter_map(|word| flow.written.get(plain_file(&word.text)))
            .collect();
        for (place, demand) in self.places.iter().zip(&mut self.demands) {
            if taints
                .iter()
                .any(|taint| !taint.any.is_disjoint(&place.taint.any))
            {
                demand.objection.get_or_insert(WRITTEN);
            }
        }
    }

    /// Refuses what is read into a variable that evaluates it, or that changes other commands.
    fn filled(&mut self, name: &str, call: &Call) {
        let names = match (name, call.operands()) {
            ("printf", [option, target, ..]) if option.text == "-v" => vec![target.text.clone()],
            ("printf", _) => return,
            _ => filled(call),
        };
        let mut spans = Vec::new();
        self.input_spans(&call.input, 0, &mut spans);
        spans.extend(call.arguments.iter().map(|word| word.span));
        // A variable whose name is not known can be any.
        let unknown = names.iter().any(|name| name.contains('$'));
        if unknown {
            for span in &spans {
                self.object(*span, &UNKNOWN_TARGET);
            }
        }
        for name in names {
            let evaluates =
                self.attributes.is_integer(&name) || self.attributes.is_reference(&name);
            for span in &spans {
                if evaluates {
                    self.object(*span, &FILLED);
                }
                if hijack::is_listed(&name) {
                    for index in self.within(*span) {
                        self.given(&name, index);
                    }
                }
            }
        }
    }

    /// Whether what `xargs` reads can become an option of a program that runs commands by one.
    fn gives_options(&self) -> bool {
        self.part.facts.calls.iter().any(|call| {
            call.wrappers.iter().any(|outer| outer == "xargs")
                && call.open_ended
                && dashes::runs_commands(call.program())
                && !call.operands().iter().any(|word| word.text == "--")
        })
    }

    /// Whether `xargs` starts a shell or an interpreter somewhere, whose words it fills in.
    fn starts_language(&self, wrapper: &str, call: &Call) -> bool {
        let ends = call
            .operands()
            .iter()
            .rev()
            .find(|word| !word.text.is_empty());
        // Behind a wrapper that got no command, the input is one.
        let open = ends.is_some_and(|word| wraps_only(call, word));
        wrapper == "parallel"
            || open
            || self.part.facts.calls.iter().any(|call| {
                let name = call.program();
                call.wrappers.iter().any(|outer| outer == wrapper)
                    && (is_shell(name) || languages::is_inline(name) || name.is_empty())
            })
    }

    fn input_spans(&self, input: &Input, depth: usize, spans: &mut Vec<Span>) {
        match input {
            Input::Inherited => {}
            Input::Text(word) | Input::File(word) => spans.push(word.span),
            Input::Pipe(range) => {
                let calls = self.part.facts.calls.get(range.clone()).unwrap_or_default();
                for call in calls {
                    spans.extend(call.arguments.iter().map(|word| word.span));
                    if depth < 16 {
                        self.input_spans(&call.input, depth + 1, spans);
                    }
                }
            }
        }
    }
}

/// Programs that start a shell when they are given no command.
fn starts_shell(name: &str, argv: &[Argument]) -> bool {
    let operands = || {
        argv.iter()
            .skip(1)
            .filter(|word| !word.known().starts_with('-'))
    };
    match name {
        "unshare" | "nsenter" | "script" | "newgrp" | "setarch" => operands().next().is_none(),
        "su" | "runuser" | "chroot" | "sg" => operands().nth(1).is_none(),
        "docker" | "podman" | "kubectl" | "lxc" | "machinectl" => {
            operands().any(|word| is_shell(word.program()))
        }
        _ => false,
    }
}

/// Whether the words of `xargs` end in a program that wants another, with its options.
fn wraps_only(call: &Call, _last: &Argument) -> bool {
    const WRAPPERS: &[&str] = &[
        "command", "doas", "env", "exec", "ionice", "nice", "nohup", "setsid", "stdbuf", "sudo",
        "time", "timeout", "unshare", "xargs",
    ];
    let words = call.operands();
    let Some(at) = words
        .iter()
        .rposition(|word| WRAPPERS.contains(&word.program()))
    else {
        return false;
    };
    let rest = words.get(at + 1..).unwrap_or_default();
    rest.iter().all(|word| {
        let text = word.text.as_str();
        text.starts_with('-')
            || text.contains('=')
            || text.starts_with(|c: char| c.is_ascii_digit())
    })
}

const UNKNOWN_TARGET: Objection = Objection::new(
    "would go to a variable whose name is not known before the script runs",
    "write the variable's name",
);
const WRITTEN: Objection = Objection::new(
    "is written to a file that a shell runs",
    "write the file with its code only, and give the value to it as an argument",
);
const OPTIONS: Objection = Objection::new(
    "would be among the options of the program that `xargs` starts, some of which run commands",
    "write `--` behind the program's own options",
);
const INPUT: Objection = Objection::new(
    "would be read as code by the program that gets this as its input",
    "give it as an argument, as in `python3 - ${…}`, with the code in a quoted here-document",
);
const FILLED: Objection = Objection::new(
    "would be read into a variable that is declared as a number or a reference, and evaluated",
    "read it into a variable without attributes",
);
