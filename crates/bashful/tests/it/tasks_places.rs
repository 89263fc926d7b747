//! How many tasks of an agent may run that no caller waits for, however they came to that.

use serde_json::{Value, json};

use crate::support::{World, eventually};

/// A world in which an agent may have two of them.
fn narrow() -> World {
    let world = World::new();
    world.configure("[tasks]\nper_agent = 2\n");
    world
}

fn refused(world: &World, arguments: &[&str]) {
    let outcome = world.run(arguments);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(outcome.stderr.contains("no more may"), "{outcome:?}");
}

/// Ends all that runs.
fn end_all(world: &World) {
    for task in world.tasks(&[]) {
        let killed = world.call(&["kill", "--now", task["task_id"].as_str().unwrap()]);
        assert_eq!(killed.code, 0, "{killed:?}");
    }
}

fn asks(world: &World) -> (i32, Value) {
    let arguments = json!({ "command": "read -s -p 'Password: ' y", "tty": true });
    let outcome = world.call(&[
        "tools",
        "call",
        "--json",
        "bash_run",
        &arguments.to_string(),
    ]);
    let told = serde_json::from_str(&outcome.stdout).unwrap_or(json!(outcome.stderr));
    (outcome.code, told)
}

#[test]
fn what_waits_for_an_answer_counts() {
    let world = narrow();
    for _ in 0..2 {
        let (code, told) = asks(&world);
        assert_eq!(
            json!([code, told["answer"]["state"]]),
            json!([0, "needs_input"]),
            "{told}"
        );
    }
    let (code, told) = asks(&world);
    assert_ne!(code, 0, "{told}");
    assert!(told.to_string().contains("no more may"), "{told}");
    assert!(told.to_string().contains("task_kill"), "{told}");
    assert!(!told.to_string().contains("bashful kill"), "{told}");
    refused(&world, &["--background", "sleep 60"]);
    // A run that its caller waits for to its end takes no place.
    assert_eq!(world.run(&["true"]).code, 0);
    assert_eq!(world.tasks(&[]).len(), 2);
    end_all(&world);
    assert_eq!(asks(&world).0, 0);
    end_all(&world);
}

#[test]
fn what_a_command_left_behind_counts() {
    let world = narrow();
    let leave = |shell: &str| world.run(&["--session", "s", "--shell", shell, "sleep 60 & :"]);
    assert_eq!(leave("one").code, 0);
    let adopt = ["--survivors", "adopt", "sleep 60 & :"];
    assert_eq!(world.run(&adopt).code, 0);
    assert_eq!(world.tasks(&[]).len(), 2);
    refused(&world, &["--background", "sleep 60"]);
    refused(&world, &adopt);
    let third = leave("two");
    assert_eq!(third.code, 2, "{third:?}");
    assert_eq!(world.run(&["true"]).code, 0);
    end_all(&world);
    assert_eq!(world.run(&adopt).code, 0);
    end_all(&world);
}

#[test]
fn what_a_background_task_left_behind_counts() {
    let world = narrow();
    for _ in 0..2 {
        world.background(&["--survivors", "adopt", "sleep 60 & :"]);
    }
    let adopted = |task: &Value| task["adopted_from"].is_string();
    assert!(eventually(|| {
        let tasks = world.tasks(&[]);
        tasks.len() == 2 && tasks.iter().all(adopted)
    }));
    refused(&world, &["--background", "sleep 60"]);
    // Also when the records of those who left it are gone.
    assert!(eventually(|| {
        world.call(&["tasks", "clean", "--keep", "0"]);
        world.tasks(&["--all"]).len() == 2
    }));
    refused(&world, &["--background", "sleep 60"]);
    end_all(&world);
    world.background(&["true"]);
}
