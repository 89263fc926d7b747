//! Tasks that wait for typed input: every caller who looks sees the question and what to do.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{World, eventually};
use crate::tasks::id;

/// The longest that counts as at once, on a slow machine too; far less than a person would wait.
const AT_ONCE: Duration = Duration::from_secs(20);

/// A task that asks, and its id.
fn asking(world: &World) -> String {
    let told = world.background(&["--tty", "read -p 'Really delete? ' answer; exit 3"]);
    let id = id(&told).to_owned();
    assert!(eventually(|| world.task(&id)["state"] == "needs_input"));
    id
}

fn tool(world: &World, name: &str, arguments: &Value) -> (String, Value) {
    let arguments = arguments.to_string();
    let (code, told) = world
        .call(&["tools", "call", "--json", name, &arguments])
        .json();
    assert_eq!(code, 0, "{told}");
    let text = told["text"].as_str().unwrap().to_owned();
    (text, told["answer"].clone())
}

#[test]
fn people_see_the_question_and_how_to_answer() {
    let world = World::new();
    let id = asking(&world);
    let answer = format!("bashful send {id} '…' --enter");
    for arguments in [&["tasks"][..], &["tasks", "show", &id], &["status"]] {
        let shown = world.call(arguments).stdout;
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains("waits for input: Really delete?"), "{shown}");
        assert!(shown.contains(&answer), "{shown}");
        assert!(shown.contains(&format!("bashful attach {id}")), "{shown}");
    }
    let (_, status) = world.call(&["status", "--json"]).json();
    let asked = &status["running"][0]["needs_input"]["line"];
    assert_eq!(asked, "Really delete?");
    // A caller that waits is told once, and goes on waiting.
    let (said, mut waiting) = world.spoken(&["wait", &id]);
    let text = || fs::read_to_string(&said).unwrap();
    assert!(eventually(|| text().contains(&answer)), "{}", text());
    assert!(waiting.try_wait().unwrap().is_none());
    assert_eq!(world.call(&["send", &id, "no", "--enter"]).code, 0);
    assert_eq!(waiting.wait().unwrap().code(), Some(3));
    assert_eq!(text().matches("Really delete?").count(), 1, "{}", text());
}

#[test]
fn models_see_the_question_and_how_to_answer() {
    let world = World::new();
    let id = asking(&world);
    let began = Instant::now();
    let about = json!({ "task_id": id, "timeout": 600_000 });
    let (waited, answer) = tool(&world, "task_wait", &about);
    assert!(began.elapsed() < AT_ONCE);
    assert_eq!(answer["needs_input"]["line"], "Really delete?", "{answer}");
    let about = json!({ "task_id": id });
    let (read, answer) = tool(&world, "task_output", &about);
    assert_eq!(answer["needs_input"]["line"], "Really delete?", "{answer}");
    let (list, _) = tool(&world, "task_list", &json!({}));
    let next = format!("next: task_send {{\"task_id\":\"{id}\"");
    for text in [waited, read, list] {
        assert!(
            text.contains("it waits for input: Really delete?"),
            "{text}"
        );
        assert!(text.contains(&next), "{text}");
        assert!(!text.contains("task_wait again"), "{text}");
    }
    assert_eq!(world.call(&["kill", "--now", &id]).code, 0);
}

#[test]
fn a_password_is_for_the_user_to_type() {
    let world = World::new();
    let told = world.background(&["--tty", "read -s -p 'Password: ' answer"]);
    let id = id(&told);
    assert!(eventually(|| world.task(id)["state"] == "needs_input"));
    let (waited, _) = tool(&world, "task_wait", &json!({ "task_id": id }));
    assert!(
        waited.contains("it waits for a password: Password:"),
        "{waited}"
    );
    assert!(waited.contains(&format!("bashful attach {id}")), "{waited}");
    assert!(!waited.contains("task_send"), "{waited}");
    assert!(!world.call(&["tasks"]).stdout.contains("bashful send"));
    assert_eq!(world.call(&["kill", "--now", id]).code, 0);
}

#[test]
fn a_lost_task_is_lost_for_models_too() {
    let world = World::new();
    let told = world.background(&["--name", "gone", "sleep 60"]);
    let id = id(&told);
    world.kill_keeper();
    assert!(eventually(|| world.task(id)["state"] == "lost"));
    let (list, _) = tool(&world, "task_list", &json!({}));
    let (read, answer) = tool(&world, "task_output", &json!({ "task_id": id }));
    for text in [list, read] {
        let lost = format!("{id} (gone): lost: its keeper died");
        assert!(text.starts_with(&lost), "{text}");
    }
    assert_eq!(answer["state"], "lost");
    assert!(answer["reason"].as_str().unwrap().contains("keeper died"));
}
