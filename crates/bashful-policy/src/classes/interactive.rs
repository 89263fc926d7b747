//! Programs that wait for a person at a terminal.

use super::View;
use super::line::{Line, has_word, only_asks};
use super::shell::{self, Program};
use crate::arguments::Valued;
use crate::facts::{Argument, Call, Input};

mod clients;
mod editing;
mod names;

use names::{EDITORS, PAGERS, SCREENS};

pub(super) fn check(view: &View) -> bool {
    let call = view.call;
    let arguments = call.operands();
    if only_asks(arguments) || is_of_project(call) {
        return false;
    }
    match view.name {
        name if EDITORS.contains(&name) => !edits_alone(name, call),
        name if PAGERS.contains(&name) => !call.captured && !pages_alone(view, name),
        name if SCREENS.contains(&name) => {
            let shows = has_word(arguments, &["--help", "--version", "-V"]);
            let fed = name == "telnet" && reads(call);
            !shows && !fed
        }
        // Another `mc` is a client of object stores, which has verbs.
        "mc" => arguments.first().is_none_or(|word| {
            let verbs =
                ["ls", "cp", "cat", "mb", "rb", "rm", "alias", "mirror", "stat", "du", "admin"];
            !verbs.contains(&word.text.as_str())
        }),
        "top" => !Line::read(arguments, &Valued::NONE).has_letter("blv"),
        "iotop" => !Line::read(arguments, &Valued::NONE).has("b", &["batch"]),
        "ncdu" => !Line::read(arguments, &Valued::NONE).has_letter("ov"),
        "lynx" | "w3m" | "links" | "elinks" => {
            !call.captured
                && !arguments.iter().any(|word| {
                    ["-dump", "--dump", "-source", "-dump_source", "-version"]
                        .iter()
                        .any(|start| word.text.starts_with(start))
                })
        }
        "fzf" => !Line::read(arguments, &Valued::NONE).has("f", &["filter"]),
        "gum" => has_word(
            arguments.get(..1).unwrap_or_default(),
            &["choose", "input", "confirm", "write", "filter", "file", "table", "pager"],
        ),
        "make" | "gmake" => has_word(
            arguments,
            &["menuconfig", "nconfig", "xconfig", "gconfig", "config"],
        ),
        name if shell::is_shell(name) => is_shell_interactive(view),
        _ if shell::interpreter_named(view.name).is_some() => is_interpreter_interactive(view),
        _ => clients::check(view) || editing::check(view),
    }
}

/// Whether a program is a file of the project that only has the name of another: `path/to/script`.
fn is_of_project(call: &Call) -> bool {
    let text = call.arguments.first().map_or("", |word| word.text.as_str());
    let directory = text.rsplit_once('/').map_or("", |(directory, _)| directory);
    let parent = directory.rsplit('/').next().unwrap_or_default();
    !directory.is_empty() && !text.starts_with('/') && !matches!(parent, "bin" | "sbin" | ".bin")
}

/// Whether a call reads anything but what a person types.
fn reads(call: &Call) -> bool {
    let from_terminal = |argument: &Argument| argument.text == "/dev/tty";
    match &call.input {
        Input::Inherited => false,
        Input::File(file) => !from_terminal(file),
        Input::Text(_) | Input::Pipe(_) => true,
    }
}

/// Whether an editor is told to work without a screen.
fn edits_alone(name: &str, call: &Call) -> bool {
    let arguments = call.operands();
    let line = Line::read(arguments, &Valued::NONE);
    match name {
        "emacs" => has_word(
            arguments,
            &["--batch", "-batch", "--script", "-script", "-x"],
        ),
        "emacsclient" => has_word(arguments, &["-e", "--eval", "-n", "--no-wait"]),
        "nvim" => has_word(arguments, &["--headless", "-es", "-Es"]),
        "vim" | "vi" | "gvim" => {
            has_word(arguments, &["-es", "-Es"])
                || (has_word(arguments, &["-e"]) && line.has_letter("s"))
        }
        "ex" => line.has_letter("s") || reads(call),
        "ed" | "red" => reads(call),
        "kak" => line.has_letter("fl"),
        _ => false,
    }
}

/// Whether a pager only prints.
fn pages_alone(view: &View, name: &str) -> bool {
    let arguments = view.call.operands();
    let line = Line::read(arguments, &MAN);
    match name {
        "man" => {
            let pager = line.values('P', "pager").any(prints);
            line.has(
                "kfwWtT",
                &["apropos", "whatis", "where", "path", "location", "troff"],
            ) || pager
                || has_setting(view, &["MANPAGER", "PAGER"])
        }
        "info" => line.has("ow", &["output", "where", "location"]),
        "perldoc" => line.has_letter("Tl"),
        _ => false,
    }
}

/// Whether a variable for this call names a program that asks no questions.
fn has_setting(view: &View, names: &[&str]) -> bool {
    let own = view.call.assignments.iter();
    let mut own = own.filter_map(|index| view.facts.assignments.get(*index));
    own.any(|assignment| {
        names.contains(&assignment.name.as_str())
            && assignment.value.is_literal()
            && prints(&assignment.value.text)
    })
}

/// Whether a program in place of an editor or pager asks no questions.
fn prints(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or_default();
    matches!(name, "cat" | "true" | ":" | "" | "echo" | "head")
}

fn is_shell_interactive(view: &View) -> bool {
    let call = view.call;
    let arguments = call.operands();
    let options = arguments.iter().map(|word| word.text.as_str());
    let mut options = options.take_while(|text| text.starts_with('-') && *text != "--");
    let asked = options
        .any(|text| text == "--interactive" || (!text.starts_with("--") && text.contains('i')));
    match shell::program(call) {
        Some(Program::Input) => (asked || !reads(call)) && !call.open_ended,
        _ => false,
    }
}

fn is_interpreter_interactive(view: &View) -> bool {
    let call = view.call;
    let arguments = call.operands();
    let first = arguments.first().map_or("", |word| word.text.as_str());
    let options = arguments
        .iter()
        .take_while(|word| word.text.starts_with('-') && word.text.len() > 1);
    let options: Vec<&str> = options.map(|word| word.text.as_str()).collect();
    let asks = |letter: char| {
        let mut bundles = options.iter().filter_map(|text| text.strip_prefix('-'));
        bundles.any(|bundle| bundle.starts_with(letter))
    };
    let asked = match view.name {
        name if name.starts_with("py") => {
            asks('i') || has_word(arguments, &["pdb", "pudb", "ipdb"]) && asks('m')
        }
        "node" | "nodejs" => asks('i') || options.contains(&"--interactive") || first == "inspect",
        "perl" => asks('d') && !options.iter().any(|text| text.starts_with("-d:")),
        "php" if has_word(arguments, &["-m", "-i", "--modules", "--info", "--ini"]) => {
            return false;
        }
        "php" => asks('a'),
        "lua" | "luajit" | "guile" | "racket" | "julia" => asks('i'),
        "deno" => first == "repl" || arguments.is_empty(),
        "bun" => first == "repl",
        _ => false,
    };
    if asked {
        return !reads(call);
    }
    if is_management_shell(arguments) {
        return !reads(call);
    }
    let waits = shell::program(call) == Some(Program::Input);
    waits && !reads(call) && !call.open_ended && !clients::only_shows(arguments)
}

/// The shells that frameworks bring: `manage.py shell`, `artisan tinker`.
fn is_management_shell(arguments: &[Argument]) -> bool {
    let mut pairs = arguments.windows(2);
    pairs.any(|pair| match pair {
        [script, word] => {
            (script.program() == "manage.py"
                && matches!(word.text.as_str(), "shell" | "dbshell" | "shell_plus"))
                || (script.program() == "artisan" && word.text == "tinker")
        }
        _ => false,
    }) && !has_word(arguments, &["-c", "--command", "--execute"])
}

const MAN: Valued = Valued::new(
    "PCMmSsEpRLHe",
    &["pager", "config-file", "manpath", "sections", "encoding", "extension", "locale"],
);
