//! Files that the scripts of `sed` and `awk` write.

use crate::facts::Argument;

use super::options::{Shape, parse};
use super::programs::Written;
use super::table::Surety;
use super::target::Way;

/// What a `sed` script does besides editing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Scan {
    /// Files it writes.
    pub(super) files: Vec<String>,
    /// It runs commands.
    runs: bool,
    /// It is not understood, or not a script.
    is_strange: bool,
}

/// Whether a delimiter in brackets ends a regular expression, about which versions differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Brackets {
    Hold,
    Ignored,
}

/// `sed`: its operands with `-i`, and the files of its `w` commands.
pub(super) fn sed(arguments: &[Argument]) -> Written {
    let shape = Shape {
        short: "efl",
        attached: "i",
        long: &["expression", "file", "line-length"],
        ..Shape::PLAIN
    };
    let mut parsed = parse(arguments, &shape);
    let mut written = Written::new(Surety::Whole);
    let mut scripts = parsed.values(&["-e", "--expression"]);
    let from_file = parsed.has(&["-f", "--file"]);
    if scripts.is_empty() && !from_file && !parsed.operands.is_empty() {
        scripts.push(parsed.operands.remove(0));
    }
    let in_place = parsed.has(&["-i", "--in-place"]);
    let suffixes = parsed.values(&["-i", "--in-place"]);
    let strange = |suffix: &Argument| suffix.text.contains('/') || suffix.unknown_from.is_some();
    written.is_open = from_file
        || scripts.iter().any(|script| script.unknown_from.is_some())
        || suffixes.iter().any(strange);
    let known: Vec<&str> = scripts.iter().map(Argument::known).collect();
    let script = known.join("\n");
    let scans = [Brackets::Hold, Brackets::Ignored].map(|brackets| scan(&script, brackets));
    written.is_open |=
        scans.iter().any(|scan| scan.runs) || scans.iter().all(|scan| scan.is_strange);
    let span = scripts.first().map_or((0, 0), |script| script.span);
    let files = scans.into_iter().flat_map(|scan| scan.files);
    written.add_all(files.map(|file| Argument::literal(file, span)), Way::Write);
    if in_place {
        written.add_all(parsed.operands, Way::Write);
    }
    written
}

/// Reads a `sed` script command by command.
fn scan(script: &str, brackets: Brackets) -> Scan {
    let mut scan = Scan::default();
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches(|character: char| {
            character.is_whitespace() || matches!(character, ';' | '{' | '}')
        });
        let Some(after) = address(rest, brackets) else {
            scan.is_strange = true;
            return scan;
        };
        let mut characters = after.chars();
        let Some(command) = characters.next() else {
            return scan;
        };
        let after = characters.as_str();
        rest = match command {
            '{' | '}' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x'
            | 'z' | 'F' => after,
            'l' | 'L' | 'q' | 'Q' => after.trim_start_matches(|character: char| {
                character == ' ' || character.is_ascii_digit()
            }),
            'a' | 'i' | 'c' => text_end(after),
            ':' | 'b' | 't' | 'T' | 'v' => until(after, &['\n', ';', '}']),
            '#' | 'r' | 'R' => until(after, &['\n']),
            'w' | 'W' => {
                let end = until(after, &['\n']);
                let name = after.get(..after.len() - end.len()).unwrap_or_default();
                scan.files.push(name.trim_start().to_owned());
                end
            }
            's' | 'y' => {
                let Some(after) = substitution(after, brackets, &mut scan) else {
                    scan.is_strange = true;
                    return scan;
                };
                after
            }
            other => {
                scan.runs |= other == 'e';
                scan.is_strange = true;
                return scan;
            }
        };
    }
}

/// Skips addresses and `!` before a command.
fn address(text: &str, brackets: Brackets) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t']);
        let first = rest.chars().next();
        rest = match first {
            Some('0'..='9' | '$' | ',' | '!' | '~' | '+') => rest.get(1..)?,
            Some('/') => flags(delimited(rest.get(1..)?, '/', brackets)?),
            Some('\\') => {
                let mut characters = rest.get(1..)?.chars();
                let delimiter = characters.next()?;
                flags(delimited(characters.as_str(), delimiter, brackets)?)
            }
            _ => return Some(rest),
        };
    }
}

/// What may stand after a regular expression of an address.
fn flags(text: &str) -> &str {
    text.trim_start_matches(['I', 'M'])
}

/// What follows the next delimiter that is not escaped.
fn delimited(text: &str, delimiter: char, brackets: Brackets) -> Option<&str> {
    let mut is_escaped = false;
    // Where the bracket that is open began.
    let mut open: Option<usize> = None;
    for (at, character) in text.char_indices() {
        if let Some(begin) = open {
            let inside = text.get(begin + 1..at).unwrap_or_default();
            // A bracket at its beginning does not end it, nor does that of a class in it.
            let ends_class = || inside.ends_with(':') && inside.contains("[:");
            if character == ']' && !matches!(inside, "" | "^") && !ends_class() {
                open = None;
            }
        } else if is_escaped {
            is_escaped = false;
        } else if character == '\\' {
            is_escaped = true;
        } else if character == delimiter {
            return text.get(at + character.len_utf8()..);
        } else if character == '[' && brackets == Brackets::Hold {
            open = Some(at);
        }
    }
    None
}

/// `s/a/b/flags` or `y/a/b/`, after its letter.
fn substitution<'a>(text: &'a str, brackets: Brackets, scan: &mut Scan) -> Option<&'a str> {
    let mut characters = text.chars();
    let delimiter = characters
        .next()
        .filter(|delimiter| !matches!(delimiter, '\n' | '\\'))?;
    let replacement = delimited(characters.as_str(), delimiter, brackets)?;
    let mut rest = delimited(replacement, delimiter, Brackets::Ignored)?;
    loop {
        let mut characters = rest.chars();
        match characters.next() {
            Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' | ' ') => rest = characters.as_str(),
            Some('e') => {
                scan.runs = true;
                rest = characters.as_str();
            }
            Some('w') => {
                let end = until(characters.as_str(), &['\n']);
                let length = characters.as_str().len() - end.len();
                let name = characters.as_str().get(..length).unwrap_or_default();
                scan.files.push(name.trim_start().to_owned());
                return Some(end);
            }
            None | Some('\n' | ';' | '}' | '#' | '\r') => return Some(rest),
            Some(_) => return None,
        }
    }
}

fn until<'a>(text: &'a str, ends: &[char]) -> &'a str {
    text.find(ends)
        .and_then(|at| text.get(at..))
        .unwrap_or_default()
}

/// The end of the text of `a`, `i` or `c`: a line break that is not escaped.
fn text_end(text: &str) -> &str {
    let mut is_escaped = false;
    for (at, character) in text.char_indices() {
        if character == '\n' && !is_escaped {
            return text.get(at..).unwrap_or_default();
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    ""
}

/// `awk`: the files named after `>` in its program, and its operands when it edits in place.
pub(super) fn awk(arguments: &[Argument]) -> Written {
    let shape = Shape {
        short: "FvfieElo",
        long: &["file", "include", "source", "assign", "field-separator", "exec", "load"],
        ..Shape::PLAIN
    };
    let mut parsed = parse(arguments, &shape);
    let mut written = Written::new(Surety::Outputs);
    let mut programs = parsed.values(&["-e", "--source"]);
    if programs.is_empty() && !parsed.has(&["-f", "--file", "-E"]) && !parsed.operands.is_empty() {
        programs.push(parsed.operands.remove(0));
    }
    for program in &programs {
        let files = redirected(program.known()).into_iter();
        let files = files.map(|file| Argument::literal(file, program.span));
        written.add_all(files, Way::Write);
    }
    let included = parsed.values(&["-i", "--include"]);
    if included.iter().any(|name| name.text == "inplace") {
        let files = parsed.operands.into_iter();
        written.add_all(files.filter(|file| !file.text.contains('=')), Way::Write);
    }
    written
}

/// The literal names after `>` and `>>` in an `awk` program.
fn redirected(program: &str) -> Vec<String> {
    let mut found = Vec::new();
    for piece in program.split('>').skip(1) {
        let piece = piece.trim_start_matches([' ', '\t', '(']);
        let name = piece
            .strip_prefix('"')
            .and_then(|rest| rest.split('"').next());
        found.extend(name.map(str::to_owned));
    }
    found
}
