//! What really runs: behind `sudo`, `env`, `xargs` and their kin, and in the text of `bash -c`.

use std::ops::Range;

use crate::options::{self, Valued};
use crate::script::{Span, Word, program};
use crate::shells::{Program, SHELLS, shell_program};

/// Wrappers may nest this deep; beyond it the command is not read.
const MAX_DEPTH: usize = 16;

/// Programs that run the program named in their arguments.
struct Wrapper {
    names: &'static [&'static str],
    valued: Valued,
    /// How many arguments come before the program, as the duration of `timeout`.
    operands: usize,
}

const fn wrapper(
    names: &'static [&'static str],
    short: &'static str,
    long: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    Wrapper {
        names,
        valued: Valued { short, long },
        operands,
    }
}

const WRAPPERS: &[Wrapper] = &[
    wrapper(
        &["sudo"],
        "ugphCDRrtTU",
        &[
            "user",
            "group",
            "prompt",
            "host",
            "close-from",
            "chdir",
            "chroot",
            "role",
            "type",
            "other-user",
        ],
        0,
    ),
    wrapper(&["doas"], "uC", &[], 0),
    wrapper(&["pkexec"], "", &["user"], 0),
    wrapper(&["env"], "uCS", &["unset", "chdir", "split-string"], 0),
    wrapper(&["nice"], "n", &["adjustment"], 0),
    wrapper(&["ionice"], "cnpPu", &["class", "classdata"], 0),
    wrapper(
        &[
            "nohup",
            "setsid",
            "builtin",
            "command",
            "busybox",
            "toybox",
            "unbuffer",
            "caffeinate",
        ],
        "",
        &[],
        0,
    ),
    wrapper(&["exec"], "a", &[], 0),
    wrapper(&["timeout"], "ks", &["kill-after", "signal"], 1),
    wrapper(&["watch"], "nq", &["interval", "equexit"], 0),
    wrapper(&["time"], "fo", &["format", "output"], 0),
    wrapper(&["stdbuf"], "ioe", &["input", "output", "error"], 0),
    wrapper(&["taskset", "chrt"], "", &[], 1),
    wrapper(&["flock"], "wE", &["timeout", "conflict-exit-code"], 1),
    wrapper(
        &["strace", "ltrace"],
        "aeEIoOpPsSuUX",
        &["output", "trace"],
        0,
    ),
    wrapper(
        &["systemd-run"],
        "HMpEut",
        &[
            "property",
            "setenv",
            "unit",
            "description",
            "slice",
            "uid",
            "gid",
            "machine",
            "host",
        ],
        0,
    ),
    wrapper(
        &["xargs"],
        "adEILnPs",
        &[
            "arg-file",
            "delimiter",
            "max-args",
            "max-procs",
            "max-chars",
            "process-slot-var",
        ],
        0,
    ),
];

/// Programs that also take a command's text with `-c`.
const TEXT_RUNNERS: &[&str] = &["su", "runuser", "script", "flock"];
/// Primaries of `find` that run a program.
const FIND_RUNS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

/// A command seen through its wrappers.
#[derive(Debug, Default)]
pub(crate) struct Unwrapped {
    /// The parts of the words that run as a command, the whole first.
    pub(crate) views: Vec<Range<usize>>,
    /// Texts that a shell runs, with where they stand.
    pub(crate) texts: Vec<(String, Span)>,
    pub(crate) too_deep: bool,
}

/// Finds all that a simple command runs.
pub(crate) fn unwrap(words: &[Word]) -> Unwrapped {
    let mut found = Unwrapped::default();
    let mut queue = vec![(0..words.len(), 0)];
    while let Some((range, depth)) = queue.pop() {
        let Some(view) = words.get(range.clone()).filter(|view| !view.is_empty()) else {
            continue;
        };
        if depth > MAX_DEPTH {
            found.too_deep = true;
            break;
        }
        found.texts.extend(text_of(view));
        for inner in commands_of(view) {
            queue.push((
                range.start + inner.start..range.start + inner.end,
                depth + 1,
            ));
        }
        found.views.push(range);
    }
    found
}

/// The commands named in a view's own arguments.
fn commands_of(view: &[Word]) -> Vec<Range<usize>> {
    let name = program(view);
    if name == "find" {
        return find_commands(view);
    }
    if SHELLS.contains(&name) {
        return positional_command(view);
    }
    let wrapper = WRAPPERS
        .iter()
        .find(|wrapper| wrapper.names.contains(&name));
    let start = wrapper.and_then(|wrapper| wrapped_program(wrapper, name, view));
    start.map(|start| start..view.len()).into_iter().collect()
}

/// Where the program of a wrapper stands.
fn wrapped_program(wrapper: &Wrapper, name: &str, view: &[Word]) -> Option<usize> {
    let mut operands = wrapper.operands;
    let mut index = 1;
    let mut options = true;
    while let Some(word) = view.get(index) {
        let text = word.text.as_str();
        if options && text == "--" {
            options = false;
        } else if options && text.starts_with('-') && text.len() > 1 {
            // `command -v` only looks the name up.
            if name == "command" && text.contains(['v', 'V']) {
                return None;
            }
            index += usize::from(wrapper.valued.takes_next(text));
        } else if matches!(name, "env" | "sudo" | "doas") && word.assignment || text == "-" {
            // A variable for the program, or `env -`.
        } else if operands > 0 {
            operands -= 1;
            // What follows the last operand is the program, also when it starts with a dash.
            options = operands > 0 || name == "flock";
        } else {
            return Some(index);
        }
        index += 1;
    }
    None
}

/// The commands that `find` runs on what it finds.
pub(crate) fn find_commands(view: &[Word]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for (index, word) in view.iter().enumerate() {
        match start {
            None if FIND_RUNS.contains(&word.text.as_str()) => start = Some(index + 1),
            Some(from) if word.text == ";" || (word.text == "+" && index > from) => {
                found.push(from..index);
                start = None;
            }
            _ => {}
        }
    }
    found.extend(start.map(|from| from..view.len()));
    found
}

/// `bash -c '"$@"' name rm x`: the arguments after the text can become the command.
fn positional_command(view: &[Word]) -> Vec<Range<usize>> {
    let Some(at) = shell_text(view) else {
        return Vec::new();
    };
    let text = view.get(at).map_or("", |word| word.text.as_str());
    let uses = |parameters: &[&str]| parameters.iter().any(|parameter| text.contains(parameter));
    let mut found = Vec::new();
    if uses(&["$0", "${0"]) {
        found.push(at + 1..view.len());
    }
    if uses(&["$@", "${@", "$*", "${*", "$1", "${1"]) {
        found.push(at + 2..view.len());
    }
    found.retain(|range| range.start < range.end);
    found
}

/// The text that a view gives to a shell.
fn text_of(view: &[Word]) -> Option<(String, Span)> {
    let arguments = view.get(1..)?;
    let name = program(view);
    let whole = |words: &[&Word]| {
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let span = (words.first()?.span.0, words.last()?.span.1);
        Some((texts.join(" "), span))
    };
    if SHELLS.contains(&name) {
        return whole(&[view.get(shell_text(view)?)?]);
    }
    match name {
        "eval" => whole(
            &arguments
                .iter()
                .filter(|word| word.text != "--")
                .collect::<Vec<_>>(),
        ),
        "trap" => whole(options::operands(arguments, &Valued::NONE).get(..1)?),
        // It joins its operands and gives them to `sh`.
        "watch" => {
            let start = commands_of(view).pop()?.start;
            whole(&view.iter().skip(start).collect::<Vec<_>>())
        }
        "env" => {
            let text = options::value_of(arguments, 'S', "split-string")?;
            let rest = arguments
                .iter()
                .skip_while(|word| word.span != text.span)
                .skip(1);
            whole(&std::iter::once(&text).chain(rest).collect::<Vec<_>>())
        }
        _ if TEXT_RUNNERS.contains(&name) => {
            let text = options::value_of(arguments, 'c', "command")?;
            whole(&[&text])
        }
        _ => None,
    }
}

/// Where the text after `bash -c` stands.
fn shell_text(view: &[Word]) -> Option<usize> {
    match shell_program(view) {
        Program::Text(index) => Some(index),
        _ => None,
    }
}
