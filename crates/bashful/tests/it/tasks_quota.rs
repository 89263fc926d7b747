//! Tasks whose log has reached its quota.

use std::fs;

use serde_json::{Value, json};

use crate::support::{World, eventually};
use crate::tasks::id;

#[test]
fn what_prints_for_ever_stops_at_its_quota_and_says_why() {
    let world = World::new();
    let told = world.background(&["--log-quota", "64K", "yes"]);
    assert_eq!(world.call(&["wait", id(&told)]).code, 143);
    let task = world.task(id(&told));
    assert!(
        task["reason"].as_str().unwrap().contains("log was full"),
        "{task}"
    );
    let logs = world.call(&["logs", id(&told)]);
    assert!(logs.stderr.contains("log was full"), "{}", logs.stderr);
    // The end of what came later is kept too.
    assert!(logs.stdout.len() >= 60_000 && logs.stdout.len() < 1 << 20);
    assert_eq!(task["log_end"], "quota", "{task}");
    let number = |name: &str| task[name].as_u64().unwrap();
    assert_eq!(number("log_bytes"), logs.stdout.len() as u64, "{task}");
    let missing = task["missing_bytes"].as_u64().unwrap_or(0);
    assert_eq!(
        number("output_bytes"),
        number("log_bytes") + missing,
        "{task}"
    );
}

#[test]
fn what_goes_on_after_its_quota_says_so_while_it_runs() {
    let world = World::new();
    let quota = ["--log-quota", "64K", "--on-log-full", "continue"];
    let told = world.background(&[&quota[..], &["yes | head -c 200000; sleep 60"]].concat());
    let mut task = Value::Null;
    assert!(
        eventually(|| {
            task = world.task(id(&told));
            task["output_bytes"] == 200_000
        }),
        "{task}"
    );
    let (state, end, bytes) = (&task["state"], &task["log_end"], &task["log_bytes"]);
    assert_eq!(
        json!([state, end, bytes]),
        json!(["running", "quota", 65536])
    );
    assert_eq!(task["missing_bytes"], 200_000 - 65_536);
    let shown = world.call(&["tasks", "show", id(&told)]);
    assert!(shown.stdout.contains("64.0 KiB in"), "{shown:?}");
    assert!(shown.stdout.contains("are not in it (quota)"), "{shown:?}");
    let (said, mut follow) = world.spoken(&["logs", "-f", id(&told)]);
    let text = || fs::read_to_string(&said).unwrap();
    assert!(eventually(|| text().contains("quota; the task goes on")));
    assert_eq!(world.call(&["kill", "--now", id(&told)]).code, 0);
    assert!(follow.wait().unwrap().success());
    assert_eq!(text().matches("reached its quota").count(), 1);
    let about = json!({ "task_id": id(&told), "tail": 1 }).to_string();
    let output = world.call(&["tools", "call", "task_output", &about]);
    assert!(output.stdout.contains("not complete (quota)"), "{output:?}");
}
