//! What a command is for: said, stored, and required where configured.

use serde_json::json;

use crate::support::{Outcome, World, ran};

#[test]
fn a_description_is_in_the_result_and_in_the_record() {
    let world = World::new();
    let (_, result) = world.json(&["--description", "Say hello", "echo hello"]);
    assert_eq!(result["description"], "Say hello");
    let id = result["task_id"].as_str().unwrap();
    let spec = std::fs::read_to_string(world.state().join("tasks").join(id).join("spec")).unwrap();
    let spec: serde_json::Value = serde_json::from_str(&spec).unwrap();
    let found = json!([spec["description"], spec["command"], spec["agent"]]);
    assert_eq!(found, json!(["Say hello", "echo hello", "default"]));
}

#[test]
fn without_a_description_there_is_none() {
    let (_, result) = World::new().json(&["true"]);
    assert_eq!(result.get("description"), None);
}

#[test]
fn a_required_description_that_is_missing() {
    let world = World::new();
    world.configure("require_description = true\n");
    let expected = Outcome {
        code: 2,
        stdout: String::new(),
        stderr: "bashful: error: a description is required\n\
                 bashful: hint: say in a few words what the command is for\n"
            .to_owned(),
    };
    assert_eq!(world.run(&["touch ran"]), expected);
    assert_eq!(world.run(&["--description", " ", "touch ran"]), expected);
    let (code, error) = world.json(&["touch ran"]);
    let found = json!([code, error["error"]["kind"]]);
    assert_eq!(found, json!([2, "description_required"]));
    assert!(!world.workspace().join("ran").exists());
}

#[test]
fn a_required_description_that_is_there() {
    let world = World::new();
    world.configure("require_description = true\n");
    assert_eq!(
        world.run(&["-d", "Do it", "echo done"]),
        ran(0, "done\n", "")
    );
}

#[test]
fn a_project_may_require_a_description() {
    let world = World::new();
    world.write(".bashful.toml", "require_description = true\n");
    assert_eq!(world.run(&["true"]).code, 2);
    assert_eq!(world.run(&["-d", "Do it", "true"]), ran(0, "", ""));
}

#[test]
fn a_project_cannot_lift_the_requirement() {
    let world = World::new();
    world.configure("require_description = true\n");
    world.write(".bashful.toml", "require_description = false\n");
    assert_eq!(world.run(&["true"]).code, 2);
}
