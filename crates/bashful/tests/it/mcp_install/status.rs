//! `bashful mcp status`: what is told about clients.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{executable, installed, put};
use crate::support::{Running, World};

fn told(world: &World) -> Vec<Value> {
    let mut command = world.bashful(&["mcp", "status", "--json"]);
    // What is installed on this machine is none of this world's.
    command.env("PATH", world.path("bin"));
    let (code, object) = Running::start(command).end().outcome().json();
    assert_eq!((code, &object["v"]), (0, &json!(1)));
    object["clients"].as_array().unwrap().clone()
}

fn about(world: &World, client: &str) -> Value {
    let mut all = told(world).into_iter();
    all.find(|it| it["client"] == client).unwrap()
}

#[test]
fn nothing_is_there() {
    let world = World::new();
    let names: Vec<Value> = told(&world)
        .into_iter()
        .map(|it| it["client"].clone())
        .collect();
    assert_eq!(names, ["claude", "codex", "vscode", "cursor"]);
    for client in told(&world) {
        let expected = (&json!(false), &json!([]), &Value::Null);
        assert_eq!(
            (&client["found"], &client["set_up"], &client["next"]),
            expected,
            "{client}"
        );
    }
    let mut command = world.bashful(&["mcp", "status"]);
    command.env("PATH", world.path("bin"));
    let outcome = Running::start(command).end().outcome();
    assert_snapshot!(world.as_screen(&outcome), @"
    exit code 0
    ----- stdout -----
    CLIENT       FOUND  SET UP  OWN SHELL  NEXT
    Claude Code  no     no
    Codex        no     no
    VS Code      no     no
    Cursor       no     no
    ");
}

#[test]
fn before_and_after() {
    let world = World::new();
    let states = [
        ("claude", "off"),
        ("codex", "off"),
        ("vscode", "asks"),
        ("cursor", "off"),
    ];
    let homes = [
        "home/.claude/x",
        "home/.codex/x",
        "config/Code/User/x",
        "home/.cursor/x",
    ];
    for ((client, state), home) in states.into_iter().zip(homes) {
        put(&world, home, "");
        let before = about(&world, client);
        assert_eq!(
            (&before["found"], &before["own_shell"]),
            (&json!(true), &json!("on"))
        );
        assert_eq!(before["next"], format!("bashful mcp install {client}"));
        installed(&world, &[client]);
        let after = about(&world, client);
        assert_eq!(
            (&after["own_shell"], &after["next"]),
            (&json!(state), &Value::Null)
        );
        let entry = &after["set_up"][0];
        assert_eq!(
            (&entry["scope"], &entry["runs"]),
            (&json!("user"), &json!(true))
        );
        assert_eq!(entry["command"], executable());
    }
}

#[test]
fn a_hook_is_told() {
    let world = World::new();
    installed(&world, &["claude", "--keep-shell", "--hook"]);
    assert_eq!(about(&world, "claude")["own_shell"], "hooked");
    let outcome = world.call(&["mcp", "status"]);
    assert!(outcome.stdout.contains("through Bashful"), "{outcome:?}");
}

#[test]
fn a_program_that_is_gone_is_told() {
    let world = World::new();
    let entry = "{\"mcpServers\":{\"bashful\":{\"command\":\"/nowhere/bashful\"}}}";
    put(&world, "home/.claude.json", entry);
    put(&world, "home/.claude/x", "");
    let told = about(&world, "claude");
    assert_eq!(told["set_up"][0]["runs"], false);
    assert_eq!(told["next"], "bashful mcp install claude");
    let outcome = world.call(&["mcp", "status"]);
    assert!(
        outcome
            .stderr
            .contains("`/nowhere/bashful`, which does not exist"),
        "{outcome:?}"
    );
}

#[test]
fn the_project_can_switch_it_on_again() {
    let world = World::new();
    installed(&world, &["codex"]);
    assert_eq!(about(&world, "codex")["own_shell"], "off");
    put(
        &world,
        "workspace/.codex/config.toml",
        "[features]\nshell_tool = true\n",
    );
    assert_eq!(about(&world, "codex")["own_shell"], "on");
}

#[test]
fn what_cannot_be_read_is_unknown() {
    let world = World::new();
    put(&world, "home/.codex/config.toml", "= nonsense \u{1b}[2J");
    let told = about(&world, "codex");
    assert_eq!(told["own_shell"], "unknown", "{told}");
    let problem = told["problems"][0].as_str().unwrap();
    assert!(
        problem.contains("config.toml: line 1, column 1"),
        "{problem}"
    );
    let outcome = world.call(&["mcp", "status"]);
    assert_eq!(outcome.code, 0);
    assert!(outcome.stderr.contains("line 1, column 1"), "{outcome:?}");
    assert!(!outcome.stderr.contains('\u{1b}'), "{outcome:?}");
}

#[test]
fn a_program_on_the_path_is_found() {
    let world = World::new();
    std::fs::create_dir(world.path("bin")).unwrap();
    std::os::unix::fs::symlink("/bin/sh", world.path("bin/cursor-agent")).unwrap();
    put(&world, "bin/codex", "not to be executed");
    let told = about(&world, "cursor");
    assert_eq!(told["found"], true);
    assert_eq!(told["program"], json!(world.path("bin/cursor-agent")));
    assert_eq!(about(&world, "codex")["found"], false);
}
