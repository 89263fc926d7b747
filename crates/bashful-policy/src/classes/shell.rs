//! Shells and interpreters: where they take their program from.

pub(super) use crate::facts::is_shell;
use crate::facts::{self, Argument, Call, ShellProgram};

/// One interpreter, with the options that give it a program.
pub(super) struct Interpreter {
    name: &'static str,
    /// Options that give the program itself.
    inline: &'static str,
    inline_names: &'static [&'static str],
    /// Options that name a program to run, so that nothing else is read as one.
    named: &'static str,
    /// Other options that take a value.
    valued: &'static str,
    valued_names: &'static [&'static str],
}

const fn interpreter(
    name: &'static str,
    inline: &'static str,
    named: &'static str,
    valued: &'static str,
) -> Interpreter {
    Interpreter {
        name,
        inline,
        inline_names: &["eval", "print", "execute", "run"],
        named,
        valued,
        valued_names: &["require", "import", "loader", "conditions", "input-type"],
    }
}

/// Interpreters that read a program from standard input when they get none otherwise.
const INTERPRETERS: &[Interpreter] = &[
    interpreter("python", "c", "m", "WXQ"),
    interpreter("pypy", "c", "m", "WX"),
    interpreter("ipython", "c", "m", ""),
    interpreter("micropython", "c", "m", "X"),
    interpreter("perl", "eE", "", "I"),
    interpreter("ruby", "e", "", "ICErx"),
    interpreter("node", "ep", "", "rC"),
    interpreter("nodejs", "ep", "", "rC"),
    interpreter("ts-node", "ep", "", "rPO"),
    interpreter("tsx", "ep", "", "r"),
    interpreter("php", "rBRE", "fS", "dcz"),
    interpreter("lua", "e", "", "l"),
    interpreter("luajit", "e", "", "lj"),
    interpreter("Rscript", "e", "", ""),
    interpreter("R", "e", "f", "gd"),
    interpreter("tclsh", "", "", ""),
    interpreter("wish", "", "", ""),
    interpreter("osascript", "e", "", "ls"),
    interpreter("guile", "c", "s", "lLe"),
    interpreter("racket", "e", "frtul", "I"),
    interpreter("julia", "eE", "", "JLpt"),
    interpreter("octave", "", "", "p"),
    interpreter("ocaml", "e", "", "I"),
    interpreter("sbcl", "", "", ""),
    interpreter("clojure", "eM", "m", "SA"),
    interpreter("elixir", "e", "", "rS"),
    interpreter("groovy", "e", "", ""),
    interpreter("scala", "e", "", ""),
    interpreter("swipl", "gt", "fs", ""),
    interpreter("deno", "", "", "c"),
    interpreter("bun", "ep", "", "r"),
    interpreter("irb", "", "", "rI"),
    interpreter("ghci", "e", "", ""),
];

/// Where a program takes what it runs from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Program {
    /// The argument at this index is the program, or ends with it.
    Text(usize),
    /// A file, at this index.
    File(usize),
    /// Standard input, up to its end.
    Input,
    /// Neither, such as a module that is installed.
    Other,
}

/// Where a shell or an interpreter takes its program from; none for other programs.
pub(super) fn program(call: &Call) -> Option<Program> {
    let name = call.program();
    if is_shell(name) {
        Some(shell_program(call))
    } else {
        interpreter_named(name).map(|interpreter| interpreter_program(interpreter, call))
    }
}

/// What is known about an interpreter; `python3.12` counts as `python`.
pub(super) fn interpreter_named(name: &str) -> Option<&'static Interpreter> {
    let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let plain = plain.trim_end_matches('-');
    INTERPRETERS
        .iter()
        .find(|interpreter| interpreter.name == plain)
}

/// The file that is standard input.
pub(super) fn is_input(argument: &Argument) -> bool {
    matches!(
        argument.text.as_str(),
        "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"
    )
}

fn shell_program(call: &Call) -> Program {
    match facts::shell_program(&call.arguments) {
        ShellProgram::Text(index) => Program::Text(index),
        ShellProgram::File(index) => Program::File(index),
        ShellProgram::Stdin => Program::Input,
        ShellProgram::Nothing => Program::Other,
    }
}

fn interpreter_program(interpreter: &Interpreter, call: &Call) -> Program {
    let mut index = 1;
    // These two have a word before what they run.
    if matches!(interpreter.name, "deno" | "bun")
        && let Some(word) = call.arguments.get(1)
    {
        match word.text.as_str() {
            "eval" => return Program::Text(2),
            "run" => index = 2,
            "repl" | "-" => return Program::Input,
            "-e" | "-p" | "--eval" | "--print" => {}
            _ => return Program::Other,
        }
    }
    while let Some(argument) = call.arguments.get(index) {
        let option = argument.known();
        if is_input(argument) {
            return Program::Input;
        }
        if option == "--" {
            index += 1;
            break;
        }
        if let Some(name) = option.strip_prefix("--") {
            let (name, attached) = name
                .split_once('=')
                .map_or((name, false), |(name, _)| (name, true));
            if matches!(
                name,
                "version" | "help" | "check" | "test" | "info" | "modules" | "ini"
            ) {
                return Program::Other;
            }
            if interpreter.inline_names.contains(&name) {
                return Program::Text(index + usize::from(!attached));
            }
            index += usize::from(interpreter.valued_names.contains(&name) && !attached);
        } else if let Some(bundle) = option.strip_prefix('-') {
            match letters(interpreter, bundle) {
                Some((Kind::Inline, true)) => return Program::Text(index + 1),
                Some((Kind::Inline, false)) => return Program::Text(index),
                Some((Kind::Named, _)) => return Program::Other,
                Some((Kind::Valued, next)) => index += usize::from(next),
                None if matches!(bundle, "V" | "h" | "version") => return Program::Other,
                None if interpreter.name == "php" && matches!(bundle, "i" | "m" | "v") => {
                    return Program::Other;
                }
                None => {}
            }
        } else {
            return Program::File(index);
        }
        index += 1;
    }
    match call.arguments.get(index) {
        Some(argument) if !is_input(argument) => Program::File(index),
        _ => Program::Input,
    }
}

enum Kind {
    Inline,
    Named,
    Valued,
}

/// The first letter of a bundle that takes a value, and whether that is the next argument.
fn letters(interpreter: &Interpreter, bundle: &str) -> Option<(Kind, bool)> {
    bundle.char_indices().find_map(|(at, letter)| {
        let kind = if interpreter.inline.contains(letter) {
            Kind::Inline
        } else if interpreter.named.contains(letter) {
            Kind::Named
        } else if interpreter.valued.contains(letter) {
            Kind::Valued
        } else {
            return None;
        };
        Some((kind, at + letter.len_utf8() == bundle.len()))
    })
}

/// The program text that a shell or interpreter gets in its arguments.
pub(super) fn inline_text(call: &Call) -> Option<&Argument> {
    match program(call)? {
        Program::Text(index) => call.arguments.get(index),
        _ => None,
    }
}
