//! Tasks for people: a row each, or all that is known about one.

use std::time::Duration;

use bashful_engine::{NeedsInput, Status, TaskState, TaskSummary};

use super::{
    date::utc,
    sheet::Sheet,
    style::{Style, Tone},
    tables::table,
    text::{duration, size},
};

/// One column of the table: its name, and what it says about a task.
type Column = (&'static str, fn(&TaskSummary) -> String);

/// Writes a table of tasks, and below it the questions of those that wait for typed input.
pub(crate) fn show_tasks(tasks: &[TaskSummary], style: Style, out: &mut Vec<u8>) {
    if tasks.is_empty() {
        out.extend(b"There are no such tasks.\n");
        return;
    }
    let named = tasks.iter().any(|task| task.name.is_some());
    let several = tasks.iter().any(|task| task.agent != tasks[0].agent);
    let mut columns: Vec<Column> = vec![("TASK", |task| task.task_id.clone())];
    if style.is_narrow() {
        // The shorter of what it may be called by.
        columns = vec![("TASK", |task| called(task).to_owned())];
    } else if named {
        columns.push(("NAME", |task| task.name.clone().unwrap_or("-".to_owned())));
    }
    columns.push(("STATE", stands));
    if several {
        columns.push(("AGENT", |task| task.agent.clone()));
    }
    if !style.is_narrow() {
        columns.push(("TIME", |task| {
            lasted(task).map_or_else(|| "?".to_owned(), duration)
        }));
        columns.push(("OUTPUT", |task| size(task.output_bytes)));
    }
    // Never only what an agent says that it is for.
    columns.push(("COMMAND", |task| task.command.clone()));
    let header: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let row = |task: &TaskSummary| columns.iter().map(|(_, cell)| cell(task)).collect();
    table(&header, tasks.iter().map(row).collect(), style, out);
    for task in tasks {
        if let (Some(asked), Some(answer)) = (task.question(), answer_with(task)) {
            let question = format!("{}: {asked}", called(task));
            show_question(&question, &answer, style, out);
        }
    }
}

/// Its name, or else its id.
fn called(task: &TaskSummary) -> &str {
    task.name.as_ref().unwrap_or(&task.task_id)
}

/// Writes what a task waits for, and what to do about it.
pub(crate) fn show_question(question: &str, answer: &str, style: Style, out: &mut Vec<u8>) {
    let mut sheet = Sheet {
        style,
        out,
        names: 0,
        rows: 4,
    };
    sheet.section("", Tone::Plain, question);
    sheet.section("", Tone::Plain, &format!("  {answer}"));
}

/// What a person types to go on, if a task waits for that.
pub(crate) fn answer_with(task: &TaskSummary) -> Option<String> {
    let asked = task.needs_input.as_ref()?;
    Some(how_to_answer(&task.task_id, asked, task.tty))
}

/// The same for a caller that has no summary.
pub(crate) fn how_to_answer(id: &str, asked: &NeedsInput, tty: bool) -> String {
    let send = format!("`bashful send {id} '…' --enter`");
    match (tty, asked.hidden) {
        (true, true) => format!("answer with `bashful attach {id}`"),
        (true, false) => format!("answer with {send} or `bashful attach {id}`"),
        (false, _) => format!("answer with {send}"),
    }
}

/// Writes all that is known about a task.
pub(crate) fn show_task(task: &TaskSummary, style: Style, out: &mut Vec<u8>) {
    let mut sheet = Sheet {
        style,
        out,
        names: 12,
        rows: 20,
    };
    sheet.section("Task", Tone::Literal, &task.task_id);
    if let Some(name) = &task.name {
        sheet.section("Name", Tone::Literal, name);
    }
    let tone = match task.state {
        TaskState::Finished if task.status == Some(Status::Success) => Tone::Success,
        TaskState::Finished | TaskState::Lost => Tone::Error,
        _ => Tone::Plain,
    };
    sheet.section("State", tone, &stands(task));
    if let (Some(asked), Some(answer)) = (task.question(), answer_with(task)) {
        sheet.section("Asks", Tone::Literal, &asked);
        sheet.section("", Tone::Plain, &answer);
    }
    if let Some(reason) = task.reason {
        sheet.section("Why", Tone::Plain, reason);
    }
    sheet.section("Command", Tone::Plain, &task.command);
    if let Some(description) = &task.description {
        sheet.section("For", Tone::Plain, description);
    }
    sheet.section("Agent", Tone::Plain, &task.agent);
    sheet.section("Session", Tone::Plain, &task.session);
    sheet.section("Directory", Tone::Plain, &task.cwd.to_string_lossy());
    sheet.section("Started", Tone::Plain, &utc(task.started_at_ms));
    if let Some(lasted) = lasted(task) {
        sheet.section("Time", Tone::Plain, &duration(lasted));
    }
    if let Some(pid) = task.pid {
        sheet.section("Process", Tone::Plain, &pid.to_string());
    }
    if let Some(from) = &task.adopted_from {
        sheet.section("Left by", Tone::Plain, from);
    }
    let file = task.output_file.to_string_lossy();
    let output = format!("{} in {file}", size(task.log_bytes));
    sheet.section("Output", Tone::Plain, &output);
    if let (Some(end), Some(missing)) = (task.log_end, task.missing_bytes) {
        let lacks = format!(
            "{} of {} are not in it ({})",
            size(missing),
            size(task.output_bytes),
            end.replace('_', " ")
        );
        sheet.section("Missing", Tone::Error, &lacks);
    }
    let called = task.name.as_ref().filter(|_| !task.state.is_over());
    let look = format!("bashful logs {}", called.unwrap_or(&task.task_id));
    sheet.section("Look", Tone::Literal, &look);
}

/// How long it has run, or ran.
fn lasted(task: &TaskSummary) -> Option<Duration> {
    task.elapsed_ms
        .or(task.duration_ms)
        .map(Duration::from_millis)
}

/// Where it is in its life, in a word or two.
fn stands(task: &TaskSummary) -> String {
    match (task.state, task.status, task.exit_code, &task.signal) {
        (TaskState::Finished, Some(Status::TimedOut), ..) => "timed out".to_owned(),
        (TaskState::Finished, Some(Status::Cancelled), ..) => "cancelled".to_owned(),
        (TaskState::Finished, _, Some(code), _) => format!("exit {code}"),
        (TaskState::Finished, _, None, Some(signal)) => signal.clone(),
        (state, ..) => state.as_str().to_owned(),
    }
}
