//! Running what was just downloaded or decoded, unseen.

use super::{Class, DECODE_TO_SHELL, Finding, PIPE_TO_SHELL, View};
use crate::options;
use crate::script::{Command, RedirectKind, Script, Word, program};
use crate::shells::{self, Program, SHELLS};

/// Programs that print what comes from the network.
const DOWNLOADERS: &[&str] = &[
    "curl", "wget", "wget2", "fetch", "aria2c", "http", "https", "xh", "lynx", "w3m", "links",
    "nc", "ncat", "netcat", "telnet", "socat",
];
/// Interpreters that read a program from standard input, with the letters of their options that
/// give the program in another way.
const INTERPRETERS: &[(&str, &str)] = &[
    ("python", "cm"),
    ("pypy", "cm"),
    ("perl", "eE"),
    ("ruby", "e"),
    ("node", "ep"),
    ("nodejs", "ep"),
    ("php", "rf"),
    ("lua", "e"),
    ("Rscript", "e"),
    ("tclsh", ""),
    ("osascript", "e"),
];

/// A pipeline in which a download or a decoder comes before a shell.
pub(super) fn check_pipelines(script: &Script) -> Option<Finding> {
    script.pipelines.iter().find_map(|stages| {
        let [first, second, .., end] = stages.as_slice() else {
            return None;
        };
        let mut source = None;
        for index in *first..*end {
            let command = script.commands.get(index)?;
            if let Some((class, name)) = source
                && index >= *second
                && let Some(shell) = command.views().find(|view| runs_stdin(view))
            {
                let fact = format!("{name} | {}", program(shell));
                return Some(Finding {
                    class,
                    fact,
                    span: command.span,
                });
            }
            source = source.or_else(|| source_of(command));
        }
        None
    })
}

/// A shell whose program is a download: `bash -c "$(curl …)"`, `. <(curl …)`, `$(curl …)`.
pub(super) fn check_view(view: &View) -> Option<Finding> {
    let words = view.words;
    let program_words: Vec<&Word> = match view.name {
        "eval" | "source" | "." => words.iter().skip(1).collect(),
        "" => words
            .first()
            .into_iter()
            .filter(|word| word.text.starts_with("$("))
            .collect(),
        name if SHELLS.contains(&name) => match shells::shell_program(words) {
            Program::Text(index) | Program::File(index) => words.get(index).into_iter().collect(),
            Program::Stdin => stdin_words(view.command),
        },
        _ if runs_stdin(words) => stdin_words(view.command),
        name if interpreter(name).is_some() => words.get(1).into_iter().collect(),
        _ => return None,
    };
    let inner = program_words
        .iter()
        .filter_map(|word| view.script.commands.get(word.inner.clone()));
    let (class, name) = inner.flatten().find_map(source_of)?;
    Some(view.finding_of(class, &format!("{} runs the output of {name}", view.name)))
}

/// What a command reads from: a file, a process substitution, a here-document.
fn stdin_words(command: &Command) -> Vec<&Word> {
    let reads = command
        .redirects
        .iter()
        .filter(|redirect| matches!(redirect.kind, RedirectKind::Read | RedirectKind::Here));
    reads.map(|redirect| &redirect.target).collect()
}

/// Whether a view runs what it reads from standard input.
fn runs_stdin(view: &[Word]) -> bool {
    let name = program(view);
    if SHELLS.contains(&name) || matches!(name, "source" | ".") {
        return shells::runs_stdin(view);
    }
    let Some(inline) = interpreter(name) else {
        return false;
    };
    let arguments = view.get(1..).unwrap_or_default();
    let given = |option: &str| {
        !option.starts_with("--") && option.contains(|letter| inline.contains(letter))
            || matches!(option, "--eval" | "--print" | "--version" | "--help")
    };
    let file = arguments
        .iter()
        .find(|word| !word.text.starts_with('-') || word.text == "-");
    !options::options(arguments).any(given) && file.is_none_or(shells::is_stdin)
}

/// The letters of an interpreter's inline options; `python3.12` counts as `python`.
fn interpreter(name: &str) -> Option<&'static str> {
    let plain =
        name.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
    let found = INTERPRETERS
        .iter()
        .find(|(interpreter, _)| *interpreter == plain)?;
    Some(found.1)
}

/// The class of a command whose output nobody should run unseen, and its name.
fn source_of(command: &Command) -> Option<(&'static Class, &str)> {
    command.views().find_map(|view| {
        let name = program(view);
        let arguments = view.get(1..).unwrap_or_default();
        let has = |short, long| options::has_flag(arguments, short, long);
        let decodes = match name {
            "base64" | "base32" | "basenc" => has('d', "decode") || has('D', ""),
            "xxd" => has('r', "revert"),
            "openssl" => options::options(arguments).any(|option| option == "-d"),
            "gzip" | "bzip2" | "xz" | "zstd" | "lz4" => has('d', "decompress"),
            "zcat" | "gunzip" | "bzcat" | "bunzip2" | "xzcat" | "unxz" | "zstdcat" | "uudecode" => {
                true
            }
            _ => false,
        };
        if decodes {
            Some((&DECODE_TO_SHELL, name))
        } else if DOWNLOADERS.contains(&name) {
            Some((&PIPE_TO_SHELL, name))
        } else {
            None
        }
    })
}
