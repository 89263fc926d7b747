//! What a model can use of an answer's object. The whole is there for programs: from `bashful tools
//! call --json`, and over MCP from a server that lists output schemas.

use serde_json::{Map, Value};

/// Who asked and where, which does not change, and what a sandbox is made of, down to each refused
/// system call.
const OF_NO_USE: &[&str] = &[
    "agent",
    "description",
    "environment",
    "identity",
    "limits",
    "operation_id",
    "program",
    "refused_calls",
    "session",
    "usage",
    "view",
    "watched",
];

/// Takes out of an answer to a call with these arguments what its model cannot use.
pub(super) fn slim(answer: &mut Value, arguments: &Value) {
    let Some(answer) = answer.as_object_mut() else {
        return;
    };
    without_surroundings(answer);
    if let Some(plan) = answer.get_mut("plan").and_then(Value::as_object_mut) {
        without_surroundings(plan);
    }
    for task in answer
        .get_mut("tasks")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        if let Some(task) = task.as_object_mut() {
            without_surroundings(task);
            task.remove("workspace");
        }
    }
    // The model wrote it, at times with a whole file in it.
    let said = arguments.get("command");
    answer.retain(|name, value| name != "command" || said != Some(value));
    if let Some(decision) = answer.get_mut("decision").and_then(Value::as_object_mut) {
        decision.remove("span");
        decision.retain(|name, value| name != "fact" || said != Some(value));
    }
    // What would happen has none: there, all of it is what was asked for.
    if answer.contains_key("status") {
        without_the_usual(answer);
    }
}

fn without_surroundings(fields: &mut Map<String, Value>) {
    fields.retain(|name, _| !OF_NO_USE.contains(&name.as_str()));
}

/// What is as it should be goes without saying.
fn without_the_usual(answer: &mut Map<String, Value>) {
    if answer.get("truncated") == Some(&Value::Bool(false)) {
        answer.remove("stdout_bytes");
        answer.remove("stderr_bytes");
    }
    let is_full = |(name, level): (&String, &Value)| name == "backend" || level == "full";
    let as_it_should_be = |name: &str, value: &Value| match name {
        "decision" => value.get("effect").is_some_and(|effect| effect == "allow"),
        "enforcement" => value.as_object().is_some_and(|all| all.iter().all(is_full)),
        _ => false,
    };
    answer.retain(|name, value| !as_it_should_be(name, value));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn slimmed(mut answer: Value, arguments: &Value) -> Value {
        slim(&mut answer, arguments);
        answer
    }

    #[test]
    fn what_is_as_it_should_be_goes_without_saying() {
        let full = json!({ "backend": "native", "filesystem": "full", "network": "full" });
        let answer = json!({
            "v": 1, "agent": "a", "session": "s", "usage": {}, "command": "ls",
            "status": "success", "decision": { "effect": "allow" }, "enforcement": full, "truncated": false,
            "stdout": "x", "stdout_bytes": 1, "stderr_bytes": 0,
        });
        let left = json!({ "v": 1, "status": "success", "truncated": false, "stdout": "x" });
        assert_eq!(slimmed(answer, &json!({ "command": "ls" })), left);
    }

    #[test]
    fn what_is_not_stays() {
        for answer in [
            json!({ "status": "success", "enforcement": { "filesystem": "partial", "network": "full" } }),
            json!({ "status": "success", "enforcement": { "filesystem": "none" } }),
            json!({ "status": "needs_approval", "decision": { "effect": "ask" } }),
            json!({ "status": "denied", "decision": { "effect": "deny", "fact": "sudo id" } }),
            json!({ "decision": { "effect": "allow" }, "enforcement": { "network": "full" } }),
            json!({ "status": "success", "truncated": true, "stdout_bytes": 9 }),
            // Of a task, the command is news.
            json!({ "status": "success", "command": "ls" }),
            json!(["agent"]),
        ] {
            assert_eq!(slimmed(answer.clone(), &json!({ "task_id": "b" })), answer);
        }
    }

    #[test]
    fn what_is_inside_is_slimmed_too() {
        let answer = json!({
            "tasks": [{ "task_id": "b", "agent": "a", "workspace": "/w", "command": "ls" }, 1],
            "plan": { "view": [], "network": "off" },
            "decision": { "fact": "ls", "span": [0, 2], "rule": "r" },
        });
        let left = json!({
            "tasks": [{ "task_id": "b", "command": "ls" }, 1],
            "plan": { "network": "off" },
            "decision": { "rule": "r" },
        });
        assert_eq!(slimmed(answer, &json!({ "command": "ls" })), left);
    }
}
