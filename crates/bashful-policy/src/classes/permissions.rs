//! Opening files to every user, and changing who owns the system.

use super::View;
use super::find;
use super::line::Line;
use super::place_kind::{is_great, is_great_start, is_outside, is_outside_start};
use crate::arguments::Valued;
use crate::facts::Argument;

/// A change of rights, as the words say it.
struct Change<'a> {
    program: &'a str,
    line: Line<'a>,
    /// The mode, where one is given in words.
    mode: Option<&'a str>,
    /// How many operands come before the paths.
    skipped: usize,
}

impl<'a> Change<'a> {
    fn read(program: &'a str, arguments: &'a [Argument]) -> Option<Self> {
        let program = program.strip_prefix('g').unwrap_or(program);
        let valued = if program == "setfacl" { &ACL } else { &CHANGE };
        let line = Line::read(arguments, valued);
        let by_reference = line.has_name("reference");
        // `chmod -w f` takes rights away; there the mode looks like options.
        let taken = arguments
            .iter()
            .map(|word| word.text.as_str())
            .find(|text| text.len() > 1 && text.starts_with('-') && is_taking(text));
        let (mode, skipped) = match program {
            "chmod" | "chown" | "chgrp" if by_reference => (None, 0),
            "chmod" if taken.is_some() => (taken, 0),
            "chmod" => (line.operands.first().map(|word| word.known()), 1),
            "chown" | "chgrp" => (None, 1),
            "setfacl" => (None, 0),
            "chattr" => (None, usize::from(!line.has_letter("aAcCdDeFijPsStTu"))),
            _ => return None,
        };
        Some(Self {
            program,
            line,
            mode,
            skipped,
        })
    }

    fn paths(&self) -> impl Iterator<Item = &&'a Argument> {
        self.line.operands.iter().skip(self.skipped)
    }

    fn is_recursive(&self) -> bool {
        self.line.has("R", &["recursive"])
    }

    fn modes(&self) -> impl Iterator<Item = &'a str> {
        self.mode.into_iter().flat_map(|mode| mode.split(','))
    }
}

pub(super) fn check(view: &View) -> bool {
    let arguments = view.call.operands();
    let great = |word: &Argument| is_great(word, &view.call.directories, view.context);
    let outside = |word: &Argument| is_outside(word, &view.call.directories, view.context);
    match view.name {
        "install" | "ginstall" | "mkdir" => {
            let line = Line::read(arguments, &INSTALL);
            return line.values('m', "mode").any(sets_user);
        }
        "find" | "gfind" => {
            let starts = find::starts(view.call);
            let directories = &view.call.directories;
            let great = starts
                .iter()
                .any(|start| is_great_start(start, directories, view.context));
            let outside = starts
                .iter()
                .any(|start| is_outside_start(start, directories, view.context));
            return find::commands(view.call).into_iter().any(|command| {
                let words = command.split_first();
                let change = words.and_then(|(first, rest)| Change::read(first.program(), rest));
                change.is_some_and(|change| is_wide(&change, great, outside, Depth::Tree))
            });
        }
        _ => {}
    }
    let Some(change) = Change::read(view.name, arguments) else {
        return false;
    };
    let fed = find::fed(view);
    let is_fed = !fed.is_empty();
    let fed_great = fed
        .iter()
        .any(|(path, from)| is_great_start(path, from, view.context));
    let fed_outside = fed
        .iter()
        .any(|(path, from)| is_outside_start(path, from, view.context));
    let great = fed_great || change.paths().any(|word| great(word));
    let outside = fed_outside || change.paths().any(|word| outside(word));
    let depth = if is_fed || change.is_recursive() {
        Depth::Tree
    } else {
        Depth::Files
    };
    is_wide(&change, great, outside, depth)
}

/// How far a change goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Files,
    Tree,
}

fn is_wide(change: &Change, great: bool, outside: bool, depth: Depth) -> bool {
    if great || change.modes().any(sets_user) {
        return true;
    }
    let whole_tree = depth == Depth::Tree;
    match change.program {
        "chmod" => {
            let everything = change.modes().any(gives_everything);
            let writable = change.modes().any(lets_others_write);
            (whole_tree && everything) || (outside && (writable || whole_tree))
        }
        "chattr" => outside,
        _ => whole_tree && outside,
    }
}

/// The bits of an octal mode.
fn octal(mode: &str) -> Option<u32> {
    let digits = mode.trim_start_matches(['=', '+']);
    let is_octal = !digits.is_empty() && digits.len() < 8;
    is_octal.then(|| u32::from_str_radix(digits, 8).ok())?
}

/// Who gets which rights in one part of a symbolic mode.
fn symbols(mode: &str) -> Option<(&str, &str)> {
    mode.split_once(['+', '='])
}

/// Whether a mode gives every user every right: `777`, `a+rwx`, `ugo=rwx`.
fn gives_everything(mode: &str) -> bool {
    if let Some(bits) = octal(mode) {
        return bits & 0o777 == 0o777 || bits & 0o666 == 0o666;
    }
    symbols(mode).is_some_and(|(who, rights)| {
        let runs = rights.contains(['x', 'X']);
        let reads = rights.contains('r');
        // Without a name the umask holds some of it back.
        let given = if who.is_empty() {
            reads && runs
        } else {
            reads || runs
        };
        let others = who.is_empty() || who.contains(['a', 'o']);
        others && rights.contains('w') && given
    })
}

/// Whether a mode lets every user write.
fn lets_others_write(mode: &str) -> bool {
    if let Some(bits) = octal(mode) {
        return bits & 0o002 != 0;
    }
    symbols(mode).is_some_and(|(who, rights)| {
        (who.is_empty() || who.contains(['a', 'o'])) && rights.contains('w')
    })
}

/// Whether a mode makes a program run as its owner.
fn sets_user(mode: &str) -> bool {
    if let Some(bits) = octal(mode) {
        return bits & 0o4000 != 0;
    }
    mode.split(',')
        .filter_map(symbols)
        .any(|(who, rights)| rights.contains('s') && (who.is_empty() || who.contains(['u', 'a'])))
}

/// Whether an argument is a mode such as `-rwx`.
fn is_taking(text: &str) -> bool {
    text.chars().skip(1).all(|letter| "rwxXst".contains(letter))
}

const CHANGE: Valued = Valued::new("", &["reference", "from"]);
const ACL: Valued = Valued::new(
    "mxMX",
    &["modify", "remove", "modify-file", "remove-file", "set", "set-file", "restore"],
);
const INSTALL: Valued = Valued::new(
    "mogtS",
    &["mode", "owner", "group", "target-directory", "suffix"],
);
