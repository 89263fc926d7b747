//! All paths that a text mentions, so that the engine can look up where they really lead.

use std::collections::BTreeSet;

use crate::context::Context;
use crate::facts::{Argument, Call, Facts};
use crate::limits::Limits;
use crate::places::normal;

/// In one path no more than this many `..` are looked at.
const MOST_CLIMBS: usize = 16;

impl Facts {
    /// The distinct absolute paths that the arguments and redirects mention, without `.` and
    /// `..`, and the directories that lie on the way of a `..` or a glob. None if there are more
    /// of them than are looked up for this text.
    pub fn paths(&self, text: &str, context: &Context) -> Option<Vec<String>> {
        let mut found = Found {
            most: Limits::of(context.reading, text.len()).paths,
            ..Found::default()
        };
        if let Some(directory) = &context.directory {
            found.add("/", directory);
        }
        for redirect in self.redirects.iter().filter(|one| one.kind.writes()) {
            found.argument(&redirect.target, &redirect.directories);
        }
        for call in &self.calls {
            for directory in &call.directories {
                found.add("/", directory);
            }
            let operands = if self.only_prints(call) {
                &[]
            } else {
                call.operands()
            };
            for argument in operands {
                let known = argument.known();
                if let Some(at) = known.find('=') {
                    found.argument(&argument.tail(at + 1), &call.directories);
                } else if known.starts_with('-') {
                    // The value may be attached to a letter: `-C/etc`, `-o../x`.
                    let at = known.find(['/', '.']).unwrap_or(known.len());
                    found.argument(&argument.tail(at), &call.directories);
                }
                if !known.starts_with('-') {
                    found.argument(argument, &call.directories);
                }
            }
        }
        (found.order.len() < found.most).then_some(found.order)
    }

    /// Whether no program takes the words of a call for paths: the shell prints or compares them,
    /// and what it prints goes where no program takes it for the names of files.
    fn only_prints(&self, call: &Call) -> bool {
        let printed = matches!(
            call.arguments.first().map(|first| first.text.as_str()),
            Some(
                "echo" | "printf" | ":" | "true" | "false" | "sleep" | "exit" | "return" | "shift"
            )
        );
        let is_kept = |index: &usize| {
            let redirect = self.redirects.get(*index);
            redirect.is_none_or(|redirect| {
                redirect.kind.writes() && redirect.target.known() != "/dev/null"
            })
        };
        // A file that it fills can be a list of names.
        printed && call.wrappers.is_empty() && !call.captured && !call.redirects.iter().any(is_kept)
    }
}

#[derive(Default)]
struct Found {
    seen: BTreeSet<String>,
    order: Vec<String>,
    most: usize,
}

impl Found {
    fn argument(&mut self, argument: &Argument, directories: &[String]) {
        const LONGEST: usize = 4096;
        let known = argument.known();
        if known.is_empty() || known.len() > LONGEST || known.contains('\n') {
            return;
        }
        if known.starts_with('/') {
            self.path("/", known, argument);
            return;
        }
        for directory in directories {
            self.path(directory, known, argument);
        }
    }

    fn path(&mut self, directory: &str, text: &str, argument: &Argument) {
        // A link that a `..` leaves again, or that a glob or an unknown end stands below.
        let mut before = 0;
        let mut left = MOST_CLIMBS;
        while let Some(at) = text.get(before..).and_then(|rest| rest.find("/..")) {
            self.add(directory, text.get(..before + at).unwrap_or_default());
            before += at + 3;
            left -= 1;
            if left == 0 || self.order.len() >= self.most {
                break;
            }
        }
        let certain = if argument.glob {
            text.find(['*', '?', '[']).unwrap_or(text.len())
        } else {
            text.len()
        };
        let certain = text.get(..certain).unwrap_or_default();
        if argument.glob || argument.unknown_from.is_some() {
            let end = certain.rfind('/').unwrap_or(0);
            self.add(directory, certain.get(..end).unwrap_or_default());
        } else {
            self.add(directory, text);
        }
    }

    fn add(&mut self, directory: &str, text: &str) {
        if self.order.len() >= self.most {
            return;
        }
        let path = normal(&format!("{directory}/{text}"));
        if path != "/" && self.seen.insert(path.clone()) {
            self.order.push(path);
        }
    }
}
