//! What a run was denied, and what would permit it.

use std::io::Write;

use bashful_engine::{ExecutionResult, Hint, Level, Lookout, Remedy, Violation};

use super::style::Tone;
use super::{Style, visible};

/// What is said of a run that reached its limit of time.
pub(crate) const TIMED_OUT: &str = "the command reached its time limit and was ended";
/// And what helps.
pub(crate) const MORE_TIME: &str =
    "`--timeout TIME` gives it longer; `--background` lets it go on without a limit";

/// One of them in a line.
pub(crate) fn denial(violation: &Violation) -> String {
    let mut line = violation.kind.replace('_', " ");
    let path = violation.path.as_ref().map(|path| path.to_string_lossy());
    let about = path
        .as_deref()
        .or(violation.address.as_deref())
        .or(violation.syscall.as_deref());
    if let Some(about) = about {
        line.push(' ');
        line.push_str(&visible(about));
    }
    line.push_str(": ");
    line.push_str(violation.note.as_deref().unwrap_or("it was stopped"));
    line
}

/// What is only guessed, in a line.
pub(crate) fn hint(hint: &Hint) -> String {
    let way = hint
        .flag
        .as_ref()
        .map(|flag| format!("; `{flag}` permits it"));
    format!("{} (a guess){}", hint.note, way.unwrap_or_default())
}

/// All of a run.
pub(crate) fn show_denials(
    result: &ExecutionResult,
    remedy: &Remedy,
    style: Style,
    out: &mut Vec<u8>,
) {
    let task = result.task_id.as_deref().unwrap_or_default();
    style.paint(Tone::Heading, task, out);
    let _ = writeln!(out, "  {}", visible(&result.command));
    if result.sandbox_violations.is_empty() {
        let _ = writeln!(out, "\nNothing that it did is known to have been denied.");
    }
    if result.timed_out {
        let _ = writeln!(out, "\n  {TIMED_OUT}\n    {MORE_TIME}");
    }
    for violation in &result.sandbox_violations {
        let _ = writeln!(out, "\n  {}", denial(violation));
        let times = match violation.times {
            0 => String::new(),
            1 => ", once".to_owned(),
            times => format!(", {times} times"),
        };
        let _ = writeln!(out, "    seen by {}{times}", source(&violation.source));
        match &violation.flag {
            Some(flag) => literal("    ", flag, style, out),
            None if violation.advice.is_some() => {
                let _ = writeln!(
                    out,
                    "    {}",
                    visible(violation.advice.as_deref().unwrap_or_default())
                );
            }
            None if violation.missing.is_empty() => {}
            None => {
                let _ = writeln!(out, "    missing: {}", violation.missing);
            }
        }
    }
    for one in &result.sandbox_hints {
        let _ = writeln!(out, "\n  hint: {}", visible(&hint(one)));
    }
    if let Some(run) = &remedy.run {
        let _ = writeln!(
            out,
            "\nTo run it with all of that, in addition to the flags it had:"
        );
        literal("  ", run, style, out);
    }
    if let Some(grant) = &remedy.grant {
        let _ = writeln!(out, "\nTo remember it for this session:");
        literal("  ", grant, style, out);
    }
    if let Some(edit) = &remedy.edit {
        let _ = writeln!(
            out,
            "\nTo declare it for this script, and to approve the script with it:"
        );
        literal("  ", edit, style, out);
        literal(
            "  ",
            remedy.approve.as_deref().unwrap_or_default(),
            style,
            out,
        );
    }
    let unseen = not_seen(result);
    if !unseen.is_empty() {
        let _ = writeln!(out, "\nNot seen: {}.", unseen.join("; "));
    }
}

/// What may have been denied without us seeing it.
pub(crate) fn not_seen(result: &ExecutionResult) -> Vec<String> {
    let backend = result.enforcement.as_ref().map(|it| it.backend);
    let Some(watched) = &result.watched else {
        return match backend {
            None | Some("none") => Vec::new(),
            Some(_) => vec!["unknown: no record was kept of what was watched".to_owned()],
        };
    };
    let Lookout {
        calls,
        reads,
        record,
        unknown,
        ..
    } = *watched;
    if !calls {
        return vec![
            "unknown: this kernel did not report the calls, or the caller did not ask for them"
                .to_owned(),
        ];
    }
    let mut unseen = Vec::new();
    if !reads {
        unseen.push("files that it only tried to read (`--trace-reads` shows them)".to_owned());
    }
    if !record {
        let words = "refused system calls other than for sockets, tracing and namespaces (only root \
                     may read those)";
        unseen.push(words.to_owned());
    }
    if backend == Some("landlock") {
        unseen.push("sockets that were refused".to_owned());
    }
    let resources = result.enforcement.as_ref().map(|it| it.resources);
    if resources.is_some_and(|level| level != Level::Full) {
        let words = "limits that each process has for itself, such as memory (no control group)";
        unseen.push(words.to_owned());
    }
    unseen.push("limits of file size and time that only a child ran into".to_owned());
    match unknown {
        0 => {}
        1 => unseen.push("one call that could not be inspected".to_owned()),
        many => unseen.push(format!("{many} calls that could not be inspected")),
    }
    unseen
}

/// A line to be typed. What cannot be shown as it is, such as a very long one, is said to be so.
fn literal(indent: &str, text: &str, style: Style, out: &mut Vec<u8>) {
    let shown = visible(text);
    out.extend(indent.as_bytes());
    style.paint(Tone::Literal, &shown, out);
    out.push(b'\n');
    if shown != text {
        let _ = writeln!(out, "{indent}(not as you would type it; `--json` has that)");
    }
}

/// Who saw it, in words.
fn source(source: &str) -> &str {
    match source {
        "seccomp" => "the kernel, before the call",
        "audit" | "landlock" => "the kernel's audit",
        "cgroup" => "the control group",
        "rlimit" => "a signal of the kernel",
        "gate" => "the gate of the room",
        _ => "the keeper",
    }
}
