//! Logs of tasks as resources.

use bashful_engine::{ReadRequest, TaskError, TaskSummary, in_full};
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use super::McpServer;

/// How a log is named.
const BEFORE: &str = "bashful://tasks/";
const AFTER: &str = "/log";
/// How many tasks are listed, the newest.
const MOST_LISTED: usize = 50;
/// How much of a log is read at once; `task_output` reads the rest.
const MOST_BYTES: usize = 1 << 20;

/// The logs of the newest tasks, the newest first.
pub(super) fn list(server: &McpServer) -> Vec<Resource> {
    let filter = server.inner.registry.tasks().limit(MOST_LISTED);
    let tasks = server.engine().tasks(&filter);
    tasks.iter().rev().map(log_of).collect()
}

/// How to name any log.
pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{BEFORE}{{task_id}}{AFTER}"), "task log")
        .with_description("What a task printed, both streams in the order in which they were read.")
        .with_mime_type("text/plain")
}

fn log_of(task: &TaskSummary) -> Resource {
    let about: String = task.command.chars().take(200).collect();
    Resource::new(
        format!("{BEFORE}{}{AFTER}", task.task_id),
        task.task_id.clone(),
    )
    .with_description(about)
    .with_mime_type("text/plain")
    .with_size(task.log_bytes)
}

/// The text of a log.
pub(super) fn read(server: &McpServer, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let id = uri
        .strip_prefix(BEFORE)
        .and_then(|rest| rest.strip_suffix(AFTER))
        .ok_or_else(|| unknown(uri, "there is no such resource"))?;
    let told = |error: TaskError| unknown(uri, &in_full(&error));
    let task = server
        .engine()
        .task_among(id, &server.inner.registry.tasks());
    let task = task.map_err(told)?;
    let output = task
        .read(&ReadRequest::after(0).max_bytes(MOST_BYTES))
        .map_err(told)?;
    let mut text = output.text();
    if output.next < output.end {
        let note = format!(
            "\n[{} of {} bytes; read on with task_output {{\"task_id\":\"{}\",\"after\":{}}}]\n",
            output.next,
            output.end,
            task.id(),
            output.next
        );
        text.push_str(&note);
    }
    let contents = ResourceContents::text(text, uri).with_mime_type("text/plain");
    Ok(ReadResourceResult::new(vec![contents]))
}

fn unknown(uri: &str, why: &str) -> ErrorData {
    let uri: String = uri.chars().take(200).collect();
    ErrorData::resource_not_found(format!("cannot read `{}`: {why}", uri.escape_debug()), None)
}
