//! Deleting the system, a home directory, or what lies above the workspace.

use super::View;
use super::find;
use super::line::{Line, has_word};
use super::place_kind::{is_great, is_great_start};
use crate::arguments::Valued;
use crate::facts::Argument;

/// Programs that delete their operands.
const DELETERS: &[&str] = &[
    "rm", "rmdir", "unlink", "shred", "srm", "grm", "wipe", "rimraf", "trash", "trash-put",
    "gtrash", "rip", "del-cli", "scrub", "sfill", "rmtrash", "grmdir", "gshred", "gunlink",
];

pub(super) fn check(view: &View) -> bool {
    let arguments = view.call.operands();
    let great = |argument: &Argument| is_great(argument, &view.call.directories, view.context);
    match view.name {
        name if DELETERS.contains(&name) => {
            let line = Line::read(arguments, deleter_values(name));
            let fed = find::fed(view);
            line.operands.into_iter().any(great)
                || fed
                    .iter()
                    .any(|(path, directories)| is_great_start(path, directories, view.context))
        }
        "find" | "gfind" => find_deletes(view) && starts_great(view),
        "fd" | "fdfind" => fd_deletes(arguments) && arguments.iter().any(great),
        "mv" | "gmv" => {
            let line = Line::read(arguments, &MOVE);
            let named = line.values('t', "target-directory").next().is_some();
            let count = line.operands.len().saturating_sub(usize::from(!named));
            line.operands
                .iter()
                .take(count)
                .any(|operand| great(operand))
        }
        "tar" | "gtar" | "bsdtar" => {
            has_word(arguments, &["--remove-files"]) && arguments.iter().any(great)
        }
        "zip" => {
            let line = Line::read(arguments, &Valued::NONE);
            line.has("m", &["move"]) && line.operands.iter().skip(1).any(|operand| great(operand))
        }
        "gio" => has_word(arguments, &["trash", "remove"]) && arguments.iter().any(great),
        "userdel" => Line::read(arguments, &Valued::NONE).has("r", &["remove"]),
        "deluser" => Line::read(arguments, &Valued::NONE).has_name_like("remove-"),
        _ => false,
    }
}

/// Whether a `find` starts where nothing may be lost.
fn starts_great(view: &View) -> bool {
    find::starts(view.call)
        .iter()
        .any(|start| is_great_start(start, &view.call.directories, view.context))
}

/// Whether a `find` deletes what it finds.
fn find_deletes(view: &View) -> bool {
    has_word(view.call.operands(), &["-delete"])
        || find::commands(view.call).into_iter().any(runs_deleter)
}

/// Whether a command is a deleter, by itself, behind a wrapper or in a shell's text.
fn runs_deleter(command: &[Argument]) -> bool {
    let deletes = |word: &str| {
        let name = word.rsplit('/').next().unwrap_or_default();
        DELETERS.contains(&name) || matches!(name, "mv" | "truncate")
    };
    command.iter().any(|argument| {
        let mut words = argument
            .text
            .split(|letter: char| letter.is_whitespace() || ";&|(){}".contains(letter));
        words.any(deletes)
    })
}

fn fd_deletes(arguments: &[Argument]) -> bool {
    let runs = arguments.iter().position(|argument| {
        matches!(
            argument.text.as_str(),
            "-x" | "-X" | "--exec" | "--exec-batch"
        )
    });
    runs.is_some_and(|at| runs_deleter(arguments.get(at + 1..).unwrap_or_default()))
}

fn deleter_values(name: &str) -> &'static Valued {
    if name.ends_with("shred") {
        &SHRED
    } else {
        &Valued::NONE
    }
}

const SHRED: Valued = Valued::new("ns", &["iterations", "size", "random-source"]);
const MOVE: Valued = Valued::new("tS", &["target-directory", "suffix"]);
