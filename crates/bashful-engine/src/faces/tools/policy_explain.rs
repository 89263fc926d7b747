//! `policy_explain`: what would happen to a command.

use bashful_policy::Effect;
use bashful_sandbox::{Level, Network};
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::{CallContext, Calling, Effects, Tool, ToolAnswer, ToolRegistry, schema, words};
use crate::explain::{Explanation, PlannedRun};
use crate::request::invocation::Invocation;

pub(super) const TOOL: Tool = Tool {
    name: "policy_explain",
    aliases: &[],
    title: "What would happen to a command",
    description: "Tells what would happen to a command without running it: whether it is allowed, \
        asked about or refused, by which rule, what would have to be granted, what it could \
        reach. Use it instead of trying.",
    effects: Effects::Reads,
    input,
    output,
    call,
};

fn input() -> Value {
    schema::object(
        &["command"],
        &json!({
            "command": schema::text("The bash text."),
            "cwd": schema::cwd(),
            "env": schema::variables(),
        }),
    )
}

fn output() -> Value {
    schema::answer(
        &["v", "command", "decision"],
        &json!({
            "v": schema::count("The version of this shape."),
            "command": schema::text("The command."),
            "agent": schema::text("Who asks."),
            "decision": {
                "type": "object",
                "description": "effect (allow, ask or deny), rule, reason, capability, suggestion.",
            },
            "workspace": schema::text("The root that it would work in."),
            "network": schema::text("What it could reach: off, on, or named, which is its `hosts`."),
            "enforcement": { "type": "object", "description": "What the kernel would enforce." },
        }),
    )
}

fn call(registry: &ToolRegistry, mut arguments: Arguments, _: CallContext) -> Calling<'_> {
    Box::pin(async move {
        let mut invocation = Invocation::bash(arguments.text("command")?);
        if let Some(cwd) = arguments.optional_text("cwd")? {
            invocation = invocation.cwd(cwd);
        }
        for (name, value) in arguments.texts("env")? {
            invocation = invocation.variable(name, value);
        }
        let explanation = registry.engine.explain(invocation)?;
        Ok(ToolAnswer {
            text: text(&explanation),
            json: serde_json::to_value(&explanation)?,
            is_error: false,
            ask: None,
            task: None,
        })
    })
}

fn text(explanation: &Explanation) -> String {
    let Some(decision) = &explanation.decision else {
        return "allow: no policy is asked here".to_owned();
    };
    let effect = match decision.effect {
        Effect::Allow => "allow: it would run",
        Effect::Ask => "ask: it would not run until a person says yes",
        Effect::Deny => "deny: it would not run",
    };
    let mut lines = vec![format!("{effect}. {}", decision.reason)];
    lines.extend(words::ground(decision, &explanation.command));
    lines.extend(explanation.plan.iter().map(reach));
    lines.join("\n")
}

/// What it could reach, in one line.
fn reach(plan: &PlannedRun) -> String {
    let enforcement = plan.enforcement;
    format!(
        "sandbox {}: files {}, network {} ({}); it starts in {}",
        plan.backend,
        level(enforcement.filesystem),
        match plan.network {
            Network::Off => "off",
            Network::On => "on",
            Network::Named => "only to hosts by name",
        },
        level(enforcement.network),
        plan.cwd.display(),
    )
}

fn level(level: Level) -> &'static str {
    match level {
        Level::None => "not enforced",
        Level::Partial => "enforced in part",
        Level::Full => "enforced in full",
    }
}
