//! `script_run`: runs a managed script.

use std::fmt::Write as _;

use bashful_policy::Effect;
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::bash_run::ended;
use super::scripts::{capabilities_schema, named, which};
use super::{
    CallContext, Calling, Effects, Tool, ToolAnswer, ToolError, ToolRegistry, schema, words,
};
use crate::model::error::EngineError;
use crate::run::events::Event;
use crate::scripts::{BashRun, DryRun, MissingValues, StartedScript};

pub(super) const TOOL: Tool = Tool {
    name: "script_run",
    aliases: &[
        "bash.run",
        "bash.run_script",
        "bash_run_script",
        "run_script",
    ],
    title: "Run a managed script",
    description: "Runs a kept script, sandboxed to what it declares. If a person approved exactly \
        this content it runs without a question; otherwise nothing was run: tell the user, and \
        call again with the same arguments after they answered.",
    effects: Effects::Runs,
    input,
    output,
    call,
};

/// What an action may hold besides; the store alone approves, so none of it counts.
const OF_AN_ACTION: [&str; 4] = ["type", "approved", "approved_at", "approved_hash"];

/// Without the fields of an action that say nothing to us, and with our names for the others.
pub(super) fn without_approval(arguments: &mut Value) {
    if let Some(fields) = arguments.as_object_mut() {
        fields.retain(|name, _| !OF_AN_ACTION.contains(&name.as_str()));
        // A model that knows the flag of the command line means this.
        if let Some(value) = fields.remove("allow_missing") {
            fields.entry("keep_missing").or_insert(value);
        }
    }
}

fn input() -> Value {
    let mut properties = json!({
        "variables": {
            "type": "object",
            "description": "Values for templates such as ${trigger.file.path}, only ever data: {trigger: \
                {file: {path: …}}} or {\"trigger.file.path\": …}.",
        },
        "capabilities": capabilities_schema(
            "Less than it declares, as in script_create; what is absent stays.",
        ),
        "timeout_seconds": schema::number(
            "After this many it counts as slow and goes on [default: 60].",
            MOST_SECONDS,
        ),
        "timeout_hard_seconds": schema::number(
            "After this many it is ended; at most `scripts.max_timeout` [default: 1800].",
            MOST_SECONDS,
        ),
        "working_directory": schema::text(
            "In the workspace or a path that it declares [default: private scratch].",
        ),
        "keep_missing": schema::flag("Leave templates without a value."),
        "dry_run": schema::flag("Run nothing; say what would run."),
    });
    named(&mut properties);
    schema::object(&[], &properties)
}

/// The longest limit that a call may ask for, in seconds: a day.
const MOST_SECONDS: u64 = 86_400;

fn output() -> Value {
    schema::answer(
        &["v"],
        &json!({
            "v": schema::count("The version of this shape."),
            "status": schema::text("How it ended, as in the answers of bash_run."),
            "success": schema::flag("Whether it exited with 0."),
            "command": schema::text("`script` and its name."),
            "exit_code": schema::count("Absent if it did not run or a signal ended it."),
            "signal": schema::text("The signal that ended it."),
            "exit_status": schema::text("success, soft_failure or hard_failure."),
            "stdout": schema::text("What it printed, at most 10 KB, cut in the middle."),
            "stderr": schema::text("The same for standard error."),
            "truncated": schema::flag("Whether one of the two was cut."),
            "duration_ms": schema::count("How long it ran."),
            "timed_out": schema::flag("Whether it was ended at its limit."),
            "slow": schema::flag("It took longer than `timeout_seconds`; absent if not."),
            "sandbox_violations": {
                "type": "array",
                "items": { "type": "object" },
                "description": "What was stopped, and what would have to be declared.",
            },
            "task_id": schema::text("The task, for task_output and the like."),
            "decision": { "type": "object", "description": "Why it may run or not." },
            "approval": { "type": "object", "description": "What a person is asked." },
            "enforcement": { "type": "object", "description": "What the kernel enforced." },
            "script": {
                "type": "object",
                "description": "Which script: id, name, content_hash; with dry_run all of it.",
            },
            "content": schema::text("With dry_run: its text as it is kept."),
            "resolved": schema::text("With dry_run: the whole text that bash would read."),
            "bindings": {
                "type": "array",
                "items": { "type": "object" },
                "description": "With dry_run: what is bound where.",
            },
            "capabilities": {
                "type": "object",
                "description": "With dry_run: what it may do in this call.",
            },
            "plan": { "type": "object", "description": "With dry_run: decision and sandbox." },
        }),
    )
}

fn call(registry: &ToolRegistry, mut arguments: Arguments, context: CallContext) -> Calling<'_> {
    Box::pin(async move {
        let mut action = BashRun::of(&which(&mut arguments)?);
        let seconds = 1..=MOST_SECONDS;
        if let Some(soft) = arguments.number("timeout_seconds", seconds.clone())? {
            action.timeout_seconds = soft;
        }
        if let Some(hard) = arguments.number("timeout_hard_seconds", seconds)? {
            action.timeout_hard_seconds = hard;
        }
        action.working_directory = arguments.optional_text("working_directory")?;
        let values = arguments.read_as("variables", "an object of values")?;
        action.variables = values.unwrap_or_default();
        let narrowed = arguments.read_as("capabilities", "capabilities")?;
        action.capabilities = narrowed.unwrap_or_default();
        let missing = if arguments.flag("keep_missing")? {
            MissingValues::Keep
        } else {
            MissingValues::Refuse
        };
        let scripts = registry.engine.scripts();
        if arguments.flag("dry_run")? {
            return dry(&scripts.dry_run(&action, missing)?);
        }
        let script = match scripts.begin(&action, missing).await? {
            StartedScript::Running(script) => script,
            StartedScript::NotAllowed(result) => return ended(&result),
        };
        let Some(tell) = context.on_output else {
            return ended(&script.wait().await?);
        };
        let mut events = script.run().events();
        loop {
            match events.next().await {
                Some(Event::Output { bytes, .. }) => tell(&bytes),
                Some(Event::SoftTimeout { elapsed }) => {
                    let seconds = elapsed.as_secs();
                    tell(
                        format!("it is taking long: still running after {seconds} s\n").as_bytes(),
                    );
                }
                Some(Event::Finished(result)) => {
                    let result = (*result)?;
                    script.ended(&result);
                    return ended(&result);
                }
                Some(_) => {}
                None => return Err(EngineError::KeeperGone.into()),
            }
        }
    })
}

fn dry(dry: &DryRun) -> Result<ToolAnswer, ToolError> {
    let decision = dry.plan.decision.as_ref();
    let effect = match decision.map(|decision| decision.effect) {
        None | Some(Effect::Allow) => "it would run",
        Some(Effect::Ask) => "it would not run until a person says yes",
        Some(Effect::Deny) => "it would not run",
    };
    let mut text = format!("nothing was run: {effect}");
    if let Some(decision) = decision {
        text.push_str(". ");
        text.push_str(&decision.reason);
        for line in words::ground(decision, &dry.plan.command) {
            text.push('\n');
            text.push_str(&line);
        }
    }
    for binding in &dry.bindings {
        let at = binding.line.map(|line| format!(" in line {line}"));
        let value = words::shortened(&binding.value.to_string());
        let at = at.unwrap_or_default();
        let _ = write!(text, "\nvalue: {}{at} = {value}", binding.name);
    }
    text.push_str("\n--- what bash would read ---\n");
    text.push_str(&dry.resolved);
    Ok(ToolAnswer {
        json: serde_json::to_value(dry)?,
        text,
        is_error: false,
        ask: None,
        task: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_as_good_as_arguments() {
        let mut action = json!({
            "type": "bash.run", "script_name": "a", "approved": true, "approved_at": 1,
            "approved_hash": "x", "variables": {}, "allow_missing": true,
        });
        without_approval(&mut action);
        let expected = json!({"script_name": "a", "variables": {}, "keep_missing": true});
        assert_eq!(action, expected);
    }
}
