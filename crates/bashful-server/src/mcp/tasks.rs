//! Background commands as MCP tasks, for clients that follow those. A task of ours is one of
//! theirs with the same id, so nothing is kept here and nothing is lost with the server.

use bashful_engine::{Kill, Status, Task as OurTask, TaskSummary, in_full};
use rmcp::ErrorData;
use rmcp::model::{
    CreateTaskResult, DetailedTask, GetTaskResult, JsonObject, Task, TaskPayload, TaskStatus,
};
use serde_json::Value;

use super::McpServer;
use super::client::Client;

/// How often a client should look.
const LOOK_AGAIN_MS: u64 = 1_000;

/// The answer to a call that goes on in the background.
pub(super) fn created(id: &str) -> CreateTaskResult {
    let now = timestamp(now_ms());
    let task = Task::new(id, TaskStatus::Working, now.clone(), now);
    CreateTaskResult::new(task.with_poll_interval_ms(LOOK_AGAIN_MS))
}

/// How a task stands.
pub(super) fn get(
    server: &McpServer,
    id: &str,
    client: &Client,
) -> Result<GetTaskResult, ErrorData> {
    let ours = find(server, id)?;
    let summary = ours.summary().map_err(|error| failed(&error))?;
    let payload = payload(server, &ours, &summary, client)?;
    let began = timestamp(summary.started_at_ms);
    let changed = match summary.duration_ms {
        Some(duration) => timestamp(summary.started_at_ms.saturating_add(duration)),
        None => timestamp(now_ms()),
    };
    let task = Task::new(summary.task_id, payload.status(), began, changed);
    let task = task.with_poll_interval_ms(LOOK_AGAIN_MS);
    Ok(GetTaskResult::new(DetailedTask::new(task, payload)))
}

fn payload(
    server: &McpServer,
    ours: &OurTask,
    summary: &TaskSummary,
    client: &Client,
) -> Result<TaskPayload, ErrorData> {
    if !summary.state.is_over() {
        return Ok(TaskPayload::Working);
    }
    if summary.status == Some(Status::Cancelled) {
        return Ok(TaskPayload::Cancelled);
    }
    // A command that failed has completed; so has one that was lost, as far as can be told.
    let answer = server.inner.registry.answer_about(ours);
    let answer = answer.map_err(|error| failed(&error))?;
    let Some(answer) = answer else {
        return Ok(TaskPayload::Working);
    };
    let result = serde_json::to_value(server.finished_task(&Value::Null, answer, client));
    match result {
        Ok(Value::Object(result)) => Ok(TaskPayload::Completed { result }),
        _ => Ok(TaskPayload::Failed {
            error: JsonObject::new(),
        }),
    }
}

/// A command that runs has no questions, so there is nothing to bring; what comes is passed over,
/// as the protocol wants it.
pub(super) fn update(server: &McpServer, id: &str) -> Result<(), ErrorData> {
    find(server, id).map(drop)
}

/// Ends a task.
pub(super) async fn cancel(server: &McpServer, id: &str) -> Result<(), ErrorData> {
    let task = find(server, id)?;
    task.kill_async(Kill::Politely)
        .await
        .map_err(|error| failed(&error))?;
    Ok(())
}

fn find(server: &McpServer, id: &str) -> Result<OurTask, ErrorData> {
    let task = server
        .engine()
        .task_among(id, &server.inner.registry.tasks());
    task.map_err(|error| ErrorData::invalid_params(in_full(&error), None))
}

fn failed(error: &(dyn std::error::Error + 'static)) -> ErrorData {
    ErrorData::internal_error(in_full(error), None)
}

fn now_ms() -> u64 {
    u64::try_from(chrono::Utc::now().timestamp_millis()).unwrap_or(0)
}

/// Milliseconds since 1970 as ISO 8601 writes them.
fn timestamp(at_ms: u64) -> String {
    let at = i64::try_from(at_ms).ok();
    let at = at.and_then(chrono::DateTime::from_timestamp_millis);
    at.unwrap_or_default()
        .to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}
