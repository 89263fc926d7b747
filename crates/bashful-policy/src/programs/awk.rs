//! `awk`: programs that only print.

use crate::facts::{Argument, Call};

use super::verdict::Verdict;

const EXECUTES: Verdict = Verdict::asks(
    "exec-sink",
    "has awk start other programs",
    Some("run the program itself"),
);
const DYNAMIC: Verdict = Verdict::asks(
    "inline-code",
    "runs an awk program that is not known",
    Some("write the program out, and give values with `-v`"),
);

/// What is known about a call of `awk`.
pub(super) fn judge(call: &Call) -> Option<Verdict> {
    let mut rest = call.operands().iter();
    let mut effect = None;
    while let Some(argument) = rest.next() {
        let text = argument.known();
        if !text.starts_with('-') || argument.text == "-" {
            if effect.is_none() {
                effect = Some(program(argument));
            }
            // The first operand ends the options, so what follows are files and variables.
            break;
        }
        match text {
            "--" => {}
            "-F" | "-v" | "--field-separator" | "--assign" => {
                if rest.next().is_some_and(|value| value.splits) {
                    return Some(DYNAMIC);
                }
            }
            "-e" | "--source" => effect = Some(worse(effect, program(rest.next()?))),
            "-b"
            | "-c"
            | "-C"
            | "-P"
            | "-S"
            | "-t"
            | "-O"
            | "-s"
            | "-n"
            | "-N"
            | "-r"
            | "-k"
            | "--posix"
            | "--traditional"
            | "--re-interval"
            | "--sandbox"
            | "--csv"
            | "--version"
            | "--help"
            | "--characters-as-bytes"
            | "--lint"
            | "--non-decimal-data"
                if argument.is_literal() =>
            {
                if matches!(text, "--version" | "--help") {
                    effect = Some(Effect::Reads);
                }
            }
            _ if !argument.splits
                && (text.starts_with("-F")
                    || text.starts_with("-v")
                    || text.starts_with("--field-separator=")
                    || text.starts_with("--assign=")) => {}
            "-f" | "--file" | "-E" | "--exec" | "-i" | "--include" | "-l" | "--load" => {
                return Some(Verdict::asks(
                    "script-file",
                    "runs an awk program from a file",
                    None,
                ));
            }
            _ if text.starts_with("--file=") || text.starts_with("-f") => {
                return Some(Verdict::asks(
                    "script-file",
                    "runs an awk program from a file",
                    None,
                ));
            }
            _ => return None,
        }
    }
    match effect? {
        Effect::Reads if call.open_ended && call.operands().is_empty() => None,
        Effect::Reads => Some(Verdict::READS),
        Effect::Executes => Some(EXECUTES),
        Effect::Unknown => Some(DYNAMIC),
        Effect::Writes => None,
    }
}

/// What a program does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    Reads,
    Writes,
    Unknown,
    Executes,
}

fn worse(effect: Option<Effect>, other: Effect) -> Effect {
    effect.map_or(other, |effect| effect.max(other))
}

fn program(argument: &Argument) -> Effect {
    if argument.is_literal() {
        effect(&argument.text)
    } else {
        Effect::Unknown
    }
}

/// The kind of the token before, by which a regular expression differs from a division.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Value,
    Other,
}

/// Reads a program's tokens. Where awks differ in how they read, it is unknown.
fn effect(text: &str) -> Effect {
    let mut result = Effect::Reads;
    let mut before = Before::Other;
    let mut parentheses = 0_i32;
    // The depth of parentheses at which a `print` statement stands.
    let mut printing: Option<i32> = None;
    let mut last: Option<char> = None;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        let after = rest.get(length..).unwrap_or_default();
        let mut next = Before::Other;
        match first {
            ' ' | '\t' | '\r' | '\\' => next = before,
            '#' => length = rest.find('\n').unwrap_or(rest.len()),
            '"' => match string_length(rest) {
                Some(found) => {
                    length = found;
                    next = Before::Value;
                }
                None => return Effect::Unknown,
            },
            '/' if before == Before::Other => match regex_length(rest) {
                Some(found) => {
                    length = found;
                    next = Before::Value;
                }
                None => return Effect::Unknown,
            },
            '|' if after.starts_with('|') => length = 2,
            // A pipe or a coprocess, and a function called by its name or a library.
            '|' | '@' => return Effect::Executes,
            '>' if printing == Some(parentheses) => {
                let target = after.trim_start_matches(['>', ' ', '\t']);
                if !is_plain_file(target) {
                    result = result.max(Effect::Writes);
                }
                printing = None;
            }
            '(' | '[' => parentheses += 1,
            ')' | ']' => {
                parentheses -= 1;
                next = Before::Value;
            }
            // After a comma, an operator or a backslash a statement goes on in the next line.
            '\n' if last.is_some_and(|last| ",&|\\".contains(last)) => {}
            ';' | '\n' | '{' | '}' => printing = None,
            '+' | '-' if after.starts_with(first) => {
                length = 2;
                // After `i++` a slash divides; before a value there is none.
                next = Before::Value;
            }
            letter if letter.is_ascii_alphabetic() || letter == '_' => {
                length = rest
                    .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
                    .unwrap_or(rest.len());
                match rest.get(..length).unwrap_or_default() {
                    "system" => return Effect::Executes,
                    "print" | "printf" => printing = Some(parentheses),
                    "return" | "else" | "do" | "case" => {}
                    _ => next = Before::Value,
                }
            }
            digit if digit.is_ascii_digit() || digit == '.' || digit == '$' => {
                next = Before::Value;
            }
            _ => {}
        }
        before = next;
        if !first.is_whitespace() {
            last = Some(first);
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    result
}

/// Whether output goes to a file that is named in full, which is judged as a write of its own:
/// by a string without escapes that nothing is appended to.
fn is_plain_file(target: &str) -> bool {
    let Some((name, end)) = target
        .strip_prefix('"')
        .and_then(|target| target.split_once('"'))
    else {
        return false;
    };
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-".contains(letter);
    !name.is_empty()
        && name.chars().all(is_plain)
        && end
            .trim_start_matches([' ', '\t'])
            .starts_with([';', '}', '\n'])
}

/// The length of a string with its quotes.
fn string_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at + 1),
            '\n' => return None,
            _ => {}
        }
    }
    None
}

/// The length of a regular expression with its slashes; none when awks differ about its end.
fn regex_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    let mut bracket = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => bracket = true,
            ']' => bracket = false,
            // Some awks end it here and some at the end of the bracket.
            '/' if bracket => return None,
            '/' => return Some(at + 1),
            '\n' => return None,
            _ => {}
        }
    }
    None
}
