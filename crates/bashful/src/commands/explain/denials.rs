//! `bashful explain --last` and `bashful explain TASK`: what a run was denied.

use bashful_engine::config::Keep;
use bashful_engine::scripts::{approve_command, edit_command};
use bashful_engine::{Engine, OutputLimit, Task, TaskFilter, WhichTasks, remedy};
use serde_json::json;

use crate::cli::ExplainArguments;
use crate::commands::tasks::engine;
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{not_seen, show_denials};

/// Explains a run, if one was named; none if it was a command.
pub(super) fn explain(
    arguments: &ExplainArguments,
    printer: &Printer,
) -> anyhow::Result<Option<Exit>> {
    let Some(task) = named(arguments)? else {
        return Ok(None);
    };
    let Some(result) = task.result(OutputLimit::bytes(Keep::Tail, 0))? else {
        let text = format!("the task `{}` has not ended yet", task.id());
        return Err(UsageError(text).into());
    };
    let denied = &result.sandbox_violations;
    let mut remedy = remedy(&result);
    if let Some(name) = script_of(&task) {
        // One that is gone by now has nothing to be changed.
        if let Ok(view) = engine()?.scripts().show(name) {
            remedy.edit = edit_command(&view.script, &remedy.flags);
            let approve = approve_command(&view.script);
            remedy.approve = remedy.edit.is_some().then_some(approve);
        }
    }
    if arguments.json {
        printer.json(&json!({
            "v": 1,
            "task_id": task.id(),
            "command": task.command(),
            "enforcement": result.enforcement,
            "sandbox_violations": denied,
            "sandbox_hints": result.sandbox_hints,
            "not_seen": not_seen(&result),
            "remedy": remedy,
        }))?;
    } else {
        let mut out = Vec::new();
        show_denials(&result, &remedy, printer.data_style(), &mut out);
        printer.data(&out)?;
    }
    Ok(Some(Exit::Success))
}

/// The name of the managed script that a task ran.
fn script_of(task: &Task) -> Option<&str> {
    let is_script = task.id().starts_with("script-");
    task.command().strip_prefix("script ").filter(|_| is_script)
}

fn named(arguments: &ExplainArguments) -> anyhow::Result<Option<Task>> {
    if arguments.last {
        return last(&engine()?, arguments.agent.as_deref()).map(Some);
    }
    let word = arguments.command.as_deref();
    let Some(id) = word.filter(|word| is_like_an_id(word)) else {
        return Ok(None);
    };
    // No program is called like that.
    Ok(Some(engine()?.task(id)?))
}

fn last(engine: &Engine, agent: Option<&str>) -> anyhow::Result<Task> {
    let mut filter = TaskFilter::default().which(WhichTasks::Finished).limit(1);
    if let Some(agent) = agent {
        filter = filter.agent(agent);
    }
    let listed = engine.list_tasks(&filter)?;
    let newest = listed.tasks.last();
    let newest = newest.ok_or_else(|| UsageError("no run has ended yet".to_owned()))?;
    Ok(engine.task(&newest.task_id)?)
}

/// A word of ours, a dash, and as many letters and digits as ids have.
fn is_like_an_id(word: &str) -> bool {
    const LETTERS: usize = 16;
    let parts = word.split_once('-');
    parts.is_some_and(|(kind, rest)| {
        ["bash", "python", "script"].contains(&kind)
            && rest.len() == LETTERS
            && rest.contains(|c: char| c.is_ascii_digit())
            && rest
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_not_taken_for_tasks() {
        assert!(is_like_an_id("bash-06ckz8v1q7n3k5w2"));
        for command in [
            "bash-1",
            "bash-static",
            "script-withalongname",
            "make test",
            "bash -c true",
            "git-lfs",
            "bash-Static",
        ] {
            assert!(!is_like_an_id(command), "{command}");
        }
    }
}
