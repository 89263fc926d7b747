//! Paths that reach a program by way of another one: `find`'s starting points, and what a pipe
//! brings to `xargs`.

use super::View;
use crate::facts::{Argument, Call, Input};

/// Options of `find` that run a program.
const RUNS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];
/// Programs that give what they read to another program as arguments.
const FEEDERS: &[&str] = &["xargs", "gxargs", "parallel"];

/// Where a `find` starts.
pub(super) fn starts(call: &Call) -> Vec<Argument> {
    let mut rest = call.operands();
    loop {
        rest = match rest.first().map(|argument| argument.text.as_str()) {
            Some("-H" | "-L" | "-P" | "--") => rest.get(1..).unwrap_or_default(),
            Some("-D") => rest.get(2..).unwrap_or_default(),
            Some(level) if level.starts_with("-O") => rest.get(1..).unwrap_or_default(),
            _ => break,
        };
    }
    let mut starts: Vec<Argument> = rest
        .iter()
        .take_while(|argument| !argument.text.starts_with(['-', '(', '!', ',']))
        .cloned()
        .collect();
    // With no start, `find` begins in the working directory.
    if starts.is_empty() {
        starts.push(Argument::literal(".", call.span));
    }
    starts
}

/// The commands that a `find` runs for what it finds.
pub(super) fn commands(call: &Call) -> Vec<&[Argument]> {
    let mut commands = Vec::new();
    let arguments = call.operands();
    let mut at = 0;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        if !RUNS.contains(&argument.text.as_str()) {
            continue;
        }
        let rest = arguments.get(at..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|argument| matches!(argument.text.as_str(), ";" | "+" | "\\;"))
            .unwrap_or(rest.len());
        commands.push(rest.get(..length).unwrap_or_default());
        at += length;
    }
    commands
}

/// What a pipe can bring to a call that gets its arguments from one.
pub(super) fn fed(view: &View) -> Vec<(Argument, Vec<String>)> {
    let call = view.call;
    let feeder = |name: &String| FEEDERS.contains(&name.as_str());
    if !call.wrappers.iter().any(feeder) {
        return Vec::new();
    }
    let mut fed = Vec::new();
    for call in producers(view) {
        let paths = match call.program() {
            "find" => starts(call),
            "echo" | "printf" | "ls" => call.operands().to_vec(),
            _ => Vec::new(),
        };
        fed.extend(
            paths
                .into_iter()
                .map(|path| (path, call.directories.clone())),
        );
    }
    fed
}

/// The calls whose output the nearest `xargs` reads.
fn producers<'a>(view: &View<'a>) -> &'a [Call] {
    let calls = view.facts.calls.as_slice();
    let before = calls.get(..view.index).unwrap_or_default();
    let feeder = before
        .iter()
        .rev()
        .take(16)
        .find(|call| FEEDERS.contains(&call.program()));
    let inputs = [Some(view.call), feeder].into_iter().flatten();
    let mut ranges = inputs.filter_map(|call| match &call.input {
        Input::Pipe(range) => calls.get(range.clone()),
        _ => None,
    });
    ranges.next().unwrap_or_default()
}
