//! Built-ins of the shell: which of them change nothing but the shell itself, and which of them
//! evaluate their words as code.

use crate::facts::{Argument, Call};

use super::verdict::Verdict;

mod names;

/// They change the shell that runs the text, and nothing outlives that.
const SHELL_ONLY: Verdict = Verdict::allows("shell-builtin", "changes nothing but this shell");

const EVALUATES: Verdict = Verdict::asks(
    "string-evaluation",
    "lets the shell evaluate a word as code",
    Some("use plain names and numbers"),
);

/// What is known about a built-in.
pub(super) fn judge(call: &Call, name: &str) -> Option<Verdict> {
    // A program of that name in a directory is no built-in.
    if call
        .arguments
        .first()
        .is_some_and(|word| word.text.contains('/'))
    {
        return matches!(name, "echo" | "printf" | "test" | "[" | "true" | "false")
            .then_some(Verdict::READS);
    }
    let arguments = call.operands();
    match name {
        ":" | "true" | "false" | "echo" | "pwd" | "dirs" | "times" | "help" | "caller" | "type" => {
            Some(Verdict::READS)
        }
        // What it runs with `-x` is a call of its own.
        "jobs" => (!gives(arguments, "x")).then_some(Verdict::READS),
        "wait" | "cd" | "pushd" | "popd" | "shift" | "return" | "exit" | "break" | "continue"
        | "fg" | "bg" | "disown" | "umask" | "ulimit" | "unalias" | "logout" => Some(SHELL_ONLY),
        "printf" => printf(arguments),
        "test" | "[" | "[[" => Some(test(arguments)),
        "read" => Some(variables(arguments, "adinNptu", "a")),
        "mapfile" | "readarray" => {
            let callback = arguments.iter().map(Argument::known).any(|word| {
                word.strip_prefix('-')
                    .is_some_and(|letters| letters.contains('C'))
            });
            if callback {
                return Some(EVALUATES);
            }
            Some(variables(arguments, "dnOsuc", ""))
        }
        "getopts" => {
            let name = arguments.get(1)?;
            Some(if names::is_plain(name) {
                SHELL_ONLY
            } else {
                EVALUATES
            })
        }
        "unset" => Some(variables(arguments, "", "")),
        "local" | "declare" | "typeset" | "export" | "readonly" => Some(declare(name, arguments)),
        "let" => Some(arithmetic(arguments)),
        "set" => set(arguments),
        "shopt" => shopt(arguments),
        "alias" => {
            let shows = |word: &Argument| word.is_known() && !word.text.contains('=');
            arguments.iter().all(shows).then_some(Verdict::READS)
        }
        "hash" => (!gives(arguments, "p")).then_some(SHELL_ONLY),
        "history" => {
            let number = |word: &Argument| word.text.bytes().all(|byte| byte.is_ascii_digit());
            arguments.iter().all(number).then_some(Verdict::READS)
        }
        "command" => gives(arguments, "vV").then_some(Verdict::READS),
        "exec" | "builtin" if arguments.is_empty() => Some(SHELL_ONLY),
        "trap" => trap(arguments),
        "enable" if gives(arguments, "fnd") => Some(EVALUATES),
        "enable" => (arguments.len() <= 1).then_some(Verdict::READS),
        "complete" | "compopt" => Some(if gives_anywhere(arguments, "CFW") {
            EVALUATES
        } else {
            SHELL_ONLY
        }),
        "compgen" => Some(if gives_anywhere(arguments, "CFWX") {
            EVALUATES
        } else {
            Verdict::READS
        }),
        "bind" if gives_anywhere(arguments, "xf") => Some(EVALUATES),
        "bind" => gives(arguments, "lpPsSvV").then_some(Verdict::READS),
        "source" | "." => Some(Verdict::asks(
            "script-file",
            "runs a file whose content is not known here",
            None,
        )),
        _ => None,
    }
}

/// Whether one of these letters is given before the first operand.
fn gives(arguments: &[Argument], letters: &str) -> bool {
    arguments
        .iter()
        .map(Argument::known)
        .take_while(|word| word.starts_with('-') && *word != "--")
        .any(|word| word.contains(|letter: char| letters.contains(letter)))
}

/// The same for options that can have the values of others before them.
fn gives_anywhere(arguments: &[Argument], letters: &str) -> bool {
    let given = |word: &Argument| gives(std::slice::from_ref(word), letters);
    arguments.iter().any(given)
}

/// `printf -v NAME` sets a variable, and evaluates a subscript in its name.
fn printf(arguments: &[Argument]) -> Option<Verdict> {
    let first = arguments.first()?;
    let Some(attached) = first.known().strip_prefix("-v") else {
        return Some(Verdict::READS);
    };
    let fine = if attached.is_empty() {
        arguments.get(1).is_some_and(names::is_settable)
    } else {
        first.is_literal() && names::is_settable_name(attached)
    };
    Some(if fine { SHELL_ONLY } else { EVALUATES })
}

/// `test -v` and comparisons of numbers evaluate subscripts.
fn test(arguments: &[Argument]) -> Verdict {
    let mut evaluates = false;
    let mut words = arguments.iter().peekable();
    let mut before: Option<&Argument> = None;
    while let Some(word) = words.next() {
        match word.known() {
            "-v" | "-R" => {
                // As an operator it has one operand; at the end it is a text itself.
                evaluates |= words.peek().is_some_and(|name| {
                    name.text != "]" && !names::is_plain(name) && before_allows_unary(before)
                });
            }
            "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
                let risky = |word: &&Argument| names::holds_code(word);
                evaluates |=
                    before.is_some_and(|word| risky(&word)) || words.peek().is_some_and(risky);
            }
            _ => {}
        }
        before = Some(word);
    }
    if evaluates { EVALUATES } else { Verdict::READS }
}

/// Whether a unary operator can stand after this word.
fn before_allows_unary(before: Option<&Argument>) -> bool {
    before.is_none_or(|word| matches!(word.known(), "!" | "(" | "-a" | "-o" | "&&" | "||"))
}

/// Built-ins that set the variables they name. `valued` are letters with a value, `named` those
/// of them whose value is a name as well.
fn variables(arguments: &[Argument], valued: &str, named: &str) -> Verdict {
    let mut rest = arguments.iter();
    let mut options = true;
    while let Some(word) = rest.next() {
        let text = word.known();
        if options && text == "--" {
            options = false;
        } else if let Some(letters) = text.strip_prefix('-').filter(|_| options) {
            let Some((at, letter)) = letters
                .char_indices()
                .find(|(_, letter)| valued.contains(*letter))
            else {
                continue;
            };
            if at + letter.len_utf8() == letters.len() {
                let value = rest.next();
                if named.contains(letter) && !value.is_some_and(names::is_settable) {
                    return EVALUATES;
                }
            }
        } else if !names::is_settable(word) {
            return EVALUATES;
        } else {
            options = false;
        }
    }
    SHELL_ONLY
}

/// `declare NAME=value` and its kin. What a variable gets is judged as an assignment.
fn declare(name: &str, arguments: &[Argument]) -> Verdict {
    // `-i` makes a value arithmetic, and `-n` makes a name stand for another.
    let mut arithmetic = false;
    for word in arguments {
        let text = word.known();
        if text == "--" {
            continue;
        }
        if let Some(letters) = text.strip_prefix(['-', '+']) {
            arithmetic |= letters.contains('i');
            if letters.contains('n') && name != "export" && text.starts_with('-') {
                return EVALUATES;
            }
            continue;
        }
        let (variable, value) = match text.split_once('=') {
            Some((variable, value)) => {
                (variable.strip_suffix('+').unwrap_or(variable), Some(value))
            }
            None if word.is_known() => (text, None),
            None => return EVALUATES,
        };
        if !names::is_name_with_subscript(variable) {
            return EVALUATES;
        }
        let number = value.is_none_or(|value| word.is_known() && names::is_number(value));
        if arithmetic && !number {
            return EVALUATES;
        }
    }
    SHELL_ONLY
}

/// `let x=1`: only numbers, because the value of a name would be evaluated in turn.
fn arithmetic(arguments: &[Argument]) -> Verdict {
    let plain = |word: &Argument| {
        let text = word.text.as_str();
        let expression = match text.split_once('=') {
            Some((name, expression)) => {
                let name = name.trim_end_matches(['+', '-', '*', '/', '%', ' ']);
                if !names::is_name(name) {
                    return false;
                }
                expression
            }
            None => text,
        };
        word.is_literal()
            && expression
                .bytes()
                .all(|byte| byte.is_ascii_digit() || b"+-*/%() ".contains(&byte))
    };
    let plain = arguments.iter().all(plain);
    if plain { SHELL_ONLY } else { EVALUATES }
}

/// `set`: options of the shell that change nothing about how words are read, and positions.
fn set(arguments: &[Argument]) -> Option<Verdict> {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.known();
        if matches!(text, "--" | "-") {
            return Some(SHELL_ONLY);
        }
        let Some(letters) = text.strip_prefix(['-', '+']) else {
            return Some(SHELL_ONLY);
        };
        if !word.is_literal()
            || letters.contains(|letter: char| !"abCeEfhHmnoTuvx".contains(letter))
        {
            return None;
        }
        let name = if letters.contains('o') {
            rest.next()
        } else {
            None
        };
        let changes_reading = |name: &Argument| {
            !name.is_literal() || matches!(name.text.as_str(), "keyword" | "posix" | "histexpand")
        };
        if name.is_some_and(changes_reading) || text == "-H" {
            return None;
        }
    }
    Some(SHELL_ONLY)
}

/// Switches of `shopt` that change no meaning of a command name. Sorted.
const HARMLESS: &[&str] = &[
    "autocd", "cdspell", "checkwinsize", "cmdhist", "direxpand", "dirspell", "dotglob", "extglob",
    "failglob", "globasciiranges", "globstar", "histappend", "inherit_errexit", "nocasematch",
    "nullglob", "pipefail",
];

/// `shopt`: looking, and switches that change no meaning of a command name.
fn shopt(arguments: &[Argument]) -> Option<Verdict> {
    let changes = gives(arguments, "su");
    let fine = arguments.iter().all(|word| {
        word.is_literal()
            && (word.text.starts_with('-')
                || !changes
                || HARMLESS.binary_search(&word.text.as_str()).is_ok())
    });
    fine.then_some(SHELL_ONLY)
}

/// `trap` that sets nothing; what a set one runs are calls of their own.
fn trap(arguments: &[Argument]) -> Option<Verdict> {
    let first = arguments.first().map(Argument::known);
    match first {
        None | Some("-l" | "-p" | "-" | "-P") => Some(SHELL_ONLY),
        Some("") if arguments.first().is_some_and(Argument::is_literal) => Some(SHELL_ONLY),
        Some(_) if arguments.len() == 1 => Some(SHELL_ONLY),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_switches_are_sorted() {
        assert!(super::HARMLESS.is_sorted());
    }
}
