//! `task_output`: what a task printed, by offset, or the lines that match.

use std::time::Duration;

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::task_screen::question_schema;
use super::{
    CallContext, Calling, Effects, Tool, ToolAnswer, ToolError, ToolRegistry, schema, words,
};
use crate::tasks::{Found, Output, ReadRequest, SearchRequest, Task, TaskSummary};

pub(super) const TOOL: Tool = Tool {
    name: "task_output",
    aliases: &["TaskOutput", "task.output"],
    title: "Read what a task printed",
    description: "Reads the output of a command, running or ended. `after` (0 at first, then the \
        `next` of the last answer) gives exactly what is new, `wait_ms` waits for it, `tail` \
        gives the last lines, `search` finds lines in the whole log.",
    effects: Effects::Reads,
    input,
    output,
    call,
};

/// The longest wait, in milliseconds.
const MOST_WAIT: u64 = 600_000;
/// The most bytes in one answer, and how many it has unless told.
const MOST_BYTES: u64 = 100_000;
const USUAL_BYTES: u64 = 30_000;
/// The most lines that are found or shown at once.
const MOST_LINES: u64 = 1_000;
/// How many lines are found unless told.
const USUAL_MATCHES: u64 = 50;
/// The most lines around each.
const MOST_CONTEXT: u64 = 20;

fn input() -> Value {
    schema::object(
        &["task_id"],
        &json!({
            "task_id": schema::task_id(),
            "after": schema::count("Read from this byte of the log on [default: 0]."),
            "wait_ms": schema::number(
                "Wait this long for new output or the end [default: 0].",
                MOST_WAIT,
            ),
            "max_bytes": schema::number("The most to return [default: 30000].", MOST_BYTES),
            "stream": { "enum": STREAMS, "description": "Only this stream [default: both]." },
            "tail": schema::number("Only this many lines from the end.", MOST_LINES),
            "search": schema::text("A regular expression: return the lines that match instead."),
            "max_matches": schema::number("The most lines to find [default: 50].", MOST_LINES),
            "context_lines": schema::number("Lines around each [default: 0].", MOST_CONTEXT),
        }),
    )
}

const STREAMS: &[&str] = &["stdout", "stderr"];

fn output() -> Value {
    schema::answer(
        &["v", "task_id", "state"],
        &json!({
            "v": schema::count("The version of this shape."),
            "task_id": schema::text("The task."),
            "state": schema::text("waiting, running, needs_input, finished or lost."),
            "needs_input": question_schema(),
            "status": schema::text("How it ended."),
            "reason": schema::text("Why it ended, unless it did by itself."),
            "exit_code": schema::count("Its exit code, if it has ended."),
            "output": schema::text("What was printed."),
            "after": schema::count("Where this begins in the log."),
            "next": schema::count("What to give as `after` next time."),
            "end": schema::count("Where the log ends now."),
            "ended": schema::flag("Whether the task has ended and this was all."),
            "missing_bytes": schema::count("Output that the log does not have."),
            "log_end": schema::text("Why the log has less than was printed: quota, write_failed."),
            "matches": {
                "type": "array",
                "items": { "type": "object" },
                "description": "Lines found: number, offset, text, before, after.",
            },
            "more": schema::flag("Whether there may be more matches, from `next` on."),
        }),
    )
}

fn call(registry: &ToolRegistry, mut arguments: Arguments, _: CallContext) -> Calling<'_> {
    Box::pin(async move {
        let id = arguments.text("task_id")?;
        let after = arguments
            .number("after", 0..=(u64::MAX >> 11))?
            .unwrap_or(0);
        let wait = arguments.number("wait_ms", 0..=MOST_WAIT)?.unwrap_or(0);
        let most = arguments.number("max_bytes", 1..=MOST_BYTES)?;
        let stream = arguments.word("stream", STREAMS)?.map(stream);
        let tail = arguments.number("tail", 1..=MOST_LINES)?;
        let pattern = arguments.optional_text("search")?;
        let matches = arguments.number("max_matches", 1..=MOST_LINES)?;
        let context = arguments.number("context_lines", 0..=MOST_CONTEXT)?;
        let task = registry.engine.task_among(&id, &registry.tasks())?;
        if let Some(pattern) = pattern {
            let mut request = SearchRequest::new(pattern)
                .after(after)
                .max_matches(small(matches.unwrap_or(USUAL_MATCHES)))
                .context_lines(small(context.unwrap_or(0)));
            request.stream = stream;
            let found = task.search_async(request).await?;
            return Ok(matched(&task.summary()?, &found));
        }
        let mut request = ReadRequest::after(after)
            .wait(Duration::from_millis(wait))
            .max_bytes(small(most.unwrap_or(USUAL_BYTES)));
        request.stream = stream;
        request.tail = tail.map(small);
        let output = task.read_async(&request).await?;
        printed(&task, &output)
    })
}

fn stream(word: &str) -> bashful_keeper::Stream {
    match word {
        "stderr" => bashful_keeper::Stream::Stderr,
        _ => bashful_keeper::Stream::Stdout,
    }
}

/// A number that its bounds keep small.
fn small(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn printed(task: &Task, output: &Output) -> Result<ToolAnswer, ToolError> {
    let summary = task.summary()?;
    let Output {
        start, next, end, ..
    } = *output;
    let mut json = head(&summary);
    json["after"] = json!(start);
    json["next"] = json!(next);
    json["end"] = json!(end);
    json["ended"] = json!(output.ended);
    json["output"] = json!(output.text());
    let mut lines = vec![words::standing(&summary) + &words::question(&summary)];
    lines.push(match (next < end, output.ended) {
        (true, _) => format!("bytes {start} to {next} of {end}; read on with \"after\":{next}"),
        (false, false) => format!("bytes {start} to {next}; what comes next: \"after\":{next}"),
        (false, true) => format!("bytes {start} to {next}, the end"),
    });
    if output.gap > 0 {
        json["missing_bytes"] = json!(output.gap);
        lines.push(format!("{} bytes are not in the log", output.gap));
    }
    if let Some(end) = summary.log_end {
        json["log_end"] = json!(end);
        lines.push(words::log_end(end));
    }
    let mut text = lines.join("\n");
    text.push_str(if output.bytes.is_empty() {
        "\n(no output)"
    } else {
        "\n--- output ---\n"
    });
    text.push_str(&output.text());
    Ok(told(json, text))
}

fn matched(summary: &TaskSummary, found: &Found) -> ToolAnswer {
    let mut json = head(summary);
    let lines = found.lines.iter().map(|line| {
        json!({
            "number": line.number,
            "offset": line.offset,
            "text": line.text,
            "before": line.before,
            "after": line.after,
        })
    });
    json["matches"] = lines.collect();
    json["more"] = json!(found.more);
    json["next"] = json!(found.next);
    let mut lines = vec![words::standing(summary) + &words::question(summary)];
    lines.push(format!("{} lines match", found.lines.len()));
    if found.more {
        lines.push(format!("there may be more: \"after\":{}", found.next));
    }
    if found.timed_out {
        lines.push("the search took too long and stopped there".to_owned());
    }
    if found.cut_lines > 0 {
        let count = found.cut_lines;
        lines.push(format!("{count} very long lines were searched in part"));
    }
    lines.extend(with_surroundings(found));
    told(json, lines.join("\n"))
}

/// The lines found and those around them, each once, as `grep` shows them.
fn with_surroundings(found: &Found) -> Vec<String> {
    let around = |(number, text): (u64, &String)| format!("{number}-{text}");
    let mut lines = Vec::new();
    let mut shown = 0;
    let next = found.lines.iter().skip(1).map(|line| line.number);
    for (line, next) in found.lines.iter().zip(next.chain([u64::MAX])) {
        let first = line.number.saturating_sub(line.before.len() as u64);
        let before = (first..).zip(&line.before);
        lines.extend(before.filter(|(number, _)| *number > shown).map(around));
        lines.push(format!("{}:{}", line.number, line.text));
        let after = (line.number + 1..).zip(&line.after);
        lines.extend(after.filter(|(number, _)| *number < next).map(around));
        shown = next.min(line.number + line.after.len() as u64);
    }
    lines
}

/// What every answer about a task begins with.
pub(super) fn head(summary: &TaskSummary) -> Value {
    let mut json = json!({
        "v": 1,
        "task_id": summary.task_id,
        "state": summary.state,
    });
    if let Some(question) = &summary.needs_input {
        json["needs_input"] = json!(question);
    }
    if let Some(status) = summary.status {
        json["status"] = json!(status);
    }
    if let Some(reason) = summary.reason {
        json["reason"] = json!(reason);
    }
    if let Some(code) = summary.exit_code {
        json["exit_code"] = json!(code);
    }
    json
}

/// An answer that is no error and leaves nothing open.
pub(super) fn told(json: Value, text: String) -> ToolAnswer {
    ToolAnswer {
        json,
        text,
        is_error: false,
        ask: None,
        task: None,
    }
}
