//! Shells: where they take their program from, and the texts that are fed to them.

use super::super::simple::joined;
use super::super::state::{Attribute, State};
use super::super::walk::{Frame, Left, Walker};
use super::super::{Argument, Call, Input, UnknownKind};
use std::rc::Rc;

/// Shells, which run the text after `-c` and read their program from standard input; sorted.
const SHELLS: &[&str] = &[
    "ash", "bash", "csh", "dash", "elvish", "fish", "hush", "ksh", "ksh93", "lksh", "mksh", "nu",
    "oksh", "pdksh", "posh", "powershell", "pwsh", "rbash", "rzsh", "sh", "tcsh", "xonsh", "yash",
    "zsh",
];

/// Whether this is the name of a shell.
pub(crate) fn is_shell(name: &str) -> bool {
    SHELLS.binary_search(&name).is_ok()
}

/// Whether a shell has a grammar of its own, so that it may run other commands than bash reads.
fn is_foreign(name: &str) -> bool {
    matches!(
        name,
        "csh" | "elvish" | "fish" | "nu" | "powershell" | "pwsh" | "tcsh" | "xonsh"
    )
}

/// Where a shell takes its program from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    /// The argument after `-c`, at this index.
    Text(usize),
    /// A file, at this index.
    File(usize),
    Stdin,
    /// It runs nothing: it only checks the syntax, or prints its version.
    Nothing,
}

/// Options of bash that are words and have a value, which may be written with one dash.
const VALUED_WORDS: &[&str] = &["rcfile", "init-file"];

/// Other options of bash that are words. They come before all others.
const WORDS: &[&str] = &[
    "debug", "debugger", "dump-po-strings", "dump-strings", "login", "noediting", "noprofile",
    "norc", "posix", "pretty-print", "protected", "restricted", "verbose", "wordexp",
];

/// Where the shell of these words takes its program from.
pub(crate) fn program(argv: &[Argument]) -> Program {
    if only_checks(argv) {
        return Program::Nothing;
    }
    let (mut text, mut stdin, mut words) = (false, false, true);
    let mut index = 1;
    while let Some(word) = argv.get(index) {
        let option = word.known();
        if !option.starts_with(['-', '+']) || option.len() == 1 || option == "--" {
            index += usize::from(matches!(option, "-" | "--"));
            break;
        }
        let lower = option.to_ascii_lowercase();
        let long = option.strip_prefix("--").or_else(|| {
            let name = option.strip_prefix('-').filter(|_| words)?;
            (WORDS.contains(&name) || VALUED_WORDS.contains(&name)).then_some(name)
        });
        index += 1;
        match long {
            Some("version" | "help") if words => return Program::Nothing,
            Some(name) => {
                text |= matches!(name, "command" | "commands");
                index += usize::from(VALUED_WORDS.contains(&name));
            }
            // PowerShell.
            None if matches!(lower.as_str(), "-command" | "-encodedcommand") => text = true,
            // Switching a letter off, as in `+c`, is as good as on for these two.
            None => {
                words = false;
                text |= option.contains('c');
                stdin |= option.contains('s');
                // Each of the two letters takes a word; a letter that no shell has makes it a
                // word of PowerShell.
                let known = |letter: char| "+-abcefhiklmnoprstuvxBCDEHOPT".contains(letter);
                if option.chars().all(known) {
                    index += option.matches(['o', 'O']).count();
                }
            }
        }
    }
    match argv.get(index) {
        Some(_) if text => Program::Text(index),
        Some(word) if !stdin && !is_stdin(word) => Program::File(index),
        _ => Program::Stdin,
    }
}

/// Whether a shell is told in the plainest way to check a text and to run nothing: any other
/// option, such as `+n` or `+o noexec`, could take that back.
pub(crate) fn only_checks(argv: &[Argument]) -> bool {
    let mut checks = false;
    for word in argv.iter().skip(1) {
        let text = word.known();
        // What is not known, or finds files, can be an option; not so if it has a dot.
        let hidden = text.is_empty() && !word.is_known()
            || word.splits
            || word.glob && text.starts_with(['*', '?', '[']) && !text.contains('.');
        if hidden {
            return false;
        }
        if !text.starts_with(['-', '+']) || text == "--" {
            return checks;
        }
        if matches!(text, "--norc" | "--noprofile" | "--posix") && word.is_known() {
            continue;
        }
        let letters = text.strip_prefix('-').unwrap_or_default();
        let plain = |letter: char| "censuvx".contains(letter);
        if letters.is_empty() || !word.is_literal() || !letters.chars().all(plain) {
            return false;
        }
        checks |= letters.contains('n');
    }
    checks
}

/// Whether a call prints what it reads: `cat` or `tee FILE` within a pipeline.
fn passes_on(call: &Call) -> bool {
    let words = call.operands();
    let reads = matches!(call.input, Input::Pipe(_));
    match call.program() {
        "cat" => {
            reads
                && words
                    .iter()
                    .all(|word| matches!(word.text.as_str(), "-" | "-u"))
        }
        "tee" => reads && words.iter().all(|word| !word.text.starts_with('-')),
        _ => false,
    }
}

/// The file that is standard input.
fn is_stdin(word: &Argument) -> bool {
    matches!(
        word.text.as_str(),
        "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"
    )
}

impl Walker<'_> {
    /// Follows what a shell runs.
    pub(super) fn shell(
        &mut self,
        name: &str,
        argv: &[Argument],
        index: usize,
        state: &State,
        frame: &Frame,
    ) {
        let call = self.facts.calls.get(index);
        let open = call.is_some_and(|call| call.open_ended);
        let repeated = call.is_some_and(|call| {
            let mut wrappers = call.wrappers.iter();
            wrappers.any(|wrapper| matches!(wrapper.as_str(), "xargs" | "find" | "fd" | "fdfind"))
        });
        if let (true, Some(first)) = (open, argv.first())
            && !matches!(program(argv), Program::Text(_))
        {
            // What it is to run comes at run time.
            self.flag_script(UnknownKind::DynamicScript, first);
        }
        let given = |at: usize| argv.get(at..).unwrap_or_default().to_vec();
        let mut inner = state.clone();
        inner.stops_on_failure = false;
        // `bash -O lastpipe`.
        let options = argv.iter().skip(1).take_while(|word| word.text != "-c");
        options
            .filter(|word| word.is_literal())
            .for_each(|word| self.switch(word));
        inner.pass_on(name == "bash");
        match program(argv) {
            Program::Text(at) => {
                let Some(text) = argv.get(at).cloned() else {
                    return;
                };
                inner.zero = argv.get(at + 1).cloned().map(Rc::new);
                // With `xargs` further words come at run time.
                inner.positional = (!open).then(|| Rc::new(given(at + 2)));
                inner.given = true;
                if text.is_known() {
                    self.make_transparent(index);
                }
                let filled_in = repeated && text.text.contains("{}");
                if is_foreign(name) || filled_in {
                    self.flag_script(UnknownKind::DynamicScript, &text);
                }
                self.script(&text, &mut inner, frame);
            }
            Program::File(at) => {
                let Some(file) = argv.get(at) else { return };
                inner.positional = Some(Rc::new(given(at + 1)));
                if !self.piped_script(file, index, &mut inner, frame) {
                    self.flag_script(UnknownKind::ScriptFile, file);
                }
            }
            Program::Stdin => {
                let from = argv.iter().position(|word| word.text == "-s");
                inner.positional = from.map(|from| Rc::new(given(from + 1)));
                self.stdin_script(argv, index, &mut inner, frame);
            }
            Program::Nothing => self.make_transparent(index),
        }
    }

    /// `source FILE`, which runs in this shell.
    pub(in crate::facts) fn source(
        &mut self,
        operands: &[Argument],
        index: usize,
        state: &mut State,
        frame: &Frame,
    ) {
        let Some(file) = operands.first() else { return };
        self.left.push(Left::default());
        self.sourced(file, operands, index, state, frame);
        if let Some(left) = self.left.pop().and_then(|left| left.state) {
            state.merge(left);
        }
    }

    fn sourced(
        &mut self,
        file: &Argument,
        operands: &[Argument],
        index: usize,
        state: &mut State,
        frame: &Frame,
    ) {
        if is_stdin(file) {
            self.stdin_script(operands, index, state, frame);
        } else if !self.piped_script(file, index, state, frame) {
            self.flag_script(UnknownKind::ScriptFile, file);
            state.go(Vec::new());
        }
    }

    /// `bash <(…)`: the text is what the calls in it print. False when it is a file.
    fn piped_script(
        &mut self,
        file: &Argument,
        index: usize,
        state: &mut State,
        frame: &Frame,
    ) -> bool {
        let Some(range) = file.sources.first().filter(|_| file.is_pipe) else {
            return false;
        };
        let input = Input::Pipe(range.clone());
        let texts = self.input_texts(&input);
        if texts.is_empty() {
            self.flag_script(UnknownKind::DynamicScript, file);
        } else {
            self.make_transparent(index);
        }
        for text in texts {
            self.script(&text, state, frame);
        }
        true
    }

    /// A shell that reads its program from standard input.
    fn stdin_script(&mut self, argv: &[Argument], index: usize, state: &mut State, frame: &Frame) {
        let Some(first) = argv.first() else { return };
        match &frame.input {
            // No text arrives here; the class `interactive` covers waiting for a person.
            Input::Inherited => {}
            Input::File(file) => {
                let file = file.clone();
                if file.text != "/dev/null" {
                    self.flag_script(UnknownKind::ScriptFile, &file);
                }
            }
            input @ (Input::Text(_) | Input::Pipe(_)) => {
                let texts = self.input_texts(input);
                if texts.is_empty() {
                    self.flag_script(UnknownKind::DynamicScript, first);
                } else {
                    self.make_transparent(index);
                }
                // The texts themselves come from elsewhere, not from what the shell reads.
                let frame = Frame {
                    input: Input::Inherited,
                    ..frame.clone()
                };
                for text in texts {
                    self.script(&text, state, &frame);
                }
            }
        }
    }

    /// The literal texts that arrive on an input; empty when any of it is not known.
    pub(super) fn input_texts(&self, input: &Input) -> Vec<Argument> {
        match input {
            Input::Text(text) => vec![text.clone()],
            Input::Pipe(range) => {
                let calls = self.facts.calls.get(range.clone()).unwrap_or_default();
                let texts: Option<Vec<Argument>> = calls
                    .iter()
                    .filter(|call| !call.transparent && !passes_on(call))
                    .map(Self::printed)
                    .collect();
                texts.unwrap_or_default()
            }
            Input::Inherited | Input::File(_) => Vec::new(),
        }
    }

    /// What a call prints, when its words say so.
    pub(in crate::facts) fn printed(call: &Call) -> Option<Argument> {
        let operands = call.operands();
        match call.program() {
            "echo" => {
                let flag = |word: &&Argument| {
                    let text = word.text.as_str();
                    text.len() > 1
                        && text.starts_with('-')
                        && text.bytes().skip(1).all(|byte| b"neE".contains(&byte))
                };
                let flags = operands.iter().take_while(flag).count();
                let escapes = operands
                    .iter()
                    .take(flags)
                    .any(|flag| flag.text.contains('e'));
                let mut text = joined(operands.iter().skip(flags));
                if escapes || text.text.contains('\\') {
                    // Which of the two it is depends on the shell, so both are read.
                    let decoded = crate::shell::decode_escapes(&text.text);
                    if escapes {
                        text.text = decoded;
                    } else {
                        text.text = format!("{}\n{decoded}", text.text);
                    }
                }
                Some(text)
            }
            "printf" => {
                let format = operands.first()?;
                let conversions = format.text.matches('%').count();
                let plain =
                    format.text.matches("%s").count() + 2 * format.text.matches("%%").count();
                if conversions != plain || format.text.starts_with('-') {
                    return None;
                }
                let mut text = joined(operands.iter().skip(1));
                let decoded = crate::shell::decode_escapes(&format.text);
                if conversions == 0 {
                    text = joined(std::iter::once(format));
                    text.text = decoded;
                } else {
                    let mut rest = operands.iter().skip(1);
                    let filled = decoded.split("%s").map(str::to_owned).collect::<Vec<_>>();
                    let mut whole = String::new();
                    for (index, part) in filled.iter().enumerate() {
                        whole.push_str(part);
                        if index + 1 < filled.len() {
                            whole.push_str(rest.next().map_or("", |word| word.text.as_str()));
                        }
                    }
                    for word in rest {
                        whole.push('\n');
                        whole.push_str(&word.text);
                    }
                    text.text = whole;
                }
                Some(text)
            }
            "cat" | "tee" => match &call.input {
                Input::Text(text) if operands.is_empty() => Some(text.clone()),
                _ => None,
            },
            "true" | ":" | "sleep" => Some(Argument::default()),
            _ => None,
        }
    }

    /// `trap 'text' SIGNAL`: it runs when the signal comes, in whatever state that is.
    pub(in crate::facts) fn trap(
        &mut self,
        operands: &[Argument],
        index: usize,
        state: &mut State,
        frame: &Frame,
    ) {
        let mut words = operands.iter().skip_while(|word| word.text == "--");
        let (Some(text), Some(_)) = (words.next(), words.next()) else {
            return;
        };
        if matches!(text.text.as_str(), "-" | "" | "-l" | "-p") {
            return;
        }
        self.make_transparent(index);
        let mut after = state.clone();
        self.script(text, &mut after, frame);
        // It can run between any two commands.
        for name in after.changed(state) {
            state.mark(&name, Attribute::Unsettled);
        }
        self.traps.push(text.clone());
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_names_are_sorted() {
        assert!(super::SHELLS.is_sorted());
    }
}
