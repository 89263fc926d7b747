//! Shells: where they take their program from, and the literal texts that are fed to them.

use crate::options::Valued;
use crate::script::{Command, Script, Span, Word, program};

/// Shells, which run the text after `-c` and read their program from standard input.
pub(crate) const SHELLS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh",
];

/// Where a shell takes its program from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    /// The argument after `-c`, at this index.
    Text(usize),
    /// A file, at this index.
    File(usize),
    Stdin,
}

/// Reads a shell's arguments.
pub(crate) fn shell_program(view: &[Word]) -> Program {
    const VALUED: Valued = Valued {
        short: "oO",
        long: &["rcfile", "init-file"],
    };
    let (mut text, mut stdin) = (false, false);
    let mut index = 1;
    while let Some(word) = view.get(index) {
        let option = word.text.as_str();
        if !option.starts_with(['-', '+']) || option.len() == 1 || option == "--" {
            index += usize::from(matches!(option, "-" | "--"));
            break;
        }
        if !option.starts_with("--") {
            text |= option.starts_with('-') && option.contains('c');
            stdin |= option.contains('s');
        }
        index += 1 + usize::from(VALUED.takes_next(option));
    }
    match view.get(index) {
        Some(_) if text => Program::Text(index),
        Some(word) if !stdin && !is_stdin(word) => Program::File(index),
        _ => Program::Stdin,
    }
}

/// The file that is standard input.
pub(crate) fn is_stdin(word: &Word) -> bool {
    matches!(
        word.text.as_str(),
        "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"
    )
}

/// Whether a view runs what it reads from standard input as shell commands.
pub(crate) fn runs_stdin(view: &[Word]) -> bool {
    let name = program(view);
    match name {
        "source" | "." => view.get(1).is_some_and(is_stdin),
        _ => SHELLS.contains(&name) && shell_program(view) == Program::Stdin,
    }
}

/// The literal texts that a command takes as its program: a here-document, a here-string, or what
/// an `echo` prints in `bash <(echo …)`.
pub(crate) fn own_texts(script: &Script, command: &Command) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    for view in command.views() {
        if runs_stdin(view) {
            found.extend(
                command
                    .here_text()
                    .map(|word| (word.text.clone(), word.span)),
            );
        } else if let Some(word) = program_file(view) {
            let inner = script.commands.get(word.inner.clone()).unwrap_or_default();
            found.extend(inner.iter().filter_map(printed_text));
        }
    }
    found
}

/// The literal texts that a pipeline feeds to a shell, as in `echo … | sh`.
pub(crate) fn piped_texts(script: &Script, stages: &[usize]) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    for bounds in stages.windows(3) {
        let [from, middle, to] = bounds else { continue };
        let consumers = script.commands.get(*middle..*to).unwrap_or_default();
        if consumers
            .iter()
            .any(|command| command.views().any(runs_stdin))
        {
            let producers = script.commands.get(*from..*middle).unwrap_or_default();
            found.extend(producers.iter().filter_map(printed_text));
        }
    }
    found
}

/// The file that a shell or `source` runs.
fn program_file(view: &[Word]) -> Option<&Word> {
    match program(view) {
        "source" | "." => view.get(1),
        name if SHELLS.contains(&name) => match shell_program(view) {
            Program::File(index) => view.get(index),
            _ => None,
        },
        _ => None,
    }
}

/// What a command prints, when its words say so.
fn printed_text(command: &Command) -> Option<(String, Span)> {
    let view = command.words.as_slice();
    match program(view) {
        "echo" | "printf" => {
            let texts: Vec<&str> = view.iter().skip(1).map(|word| word.text.as_str()).collect();
            // Both turn `\n` into a line's end, or may.
            Some((texts.join(" ").replace("\\n", "\n"), command.span))
        }
        "cat" | "tee" => command
            .here_text()
            .map(|word| (word.text.clone(), word.span)),
        _ => None,
    }
}
