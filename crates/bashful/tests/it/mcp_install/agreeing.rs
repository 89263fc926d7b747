//! Nothing is written without a yes, and what we run cannot give one.

use serde_json::json;

use super::{files, json_of, no_shell, put};
use crate::support::{Terminal, World, binary};

#[test]
fn without_a_terminal_nothing_is_written() {
    let world = World::new();
    for extra in [&[][..], &["--remove"]] {
        put(
            &world,
            "home/.claude.json",
            "{\"mcpServers\":{\"bashful\":{\"command\":\"x\"}}}",
        );
        let before = files(&world, "home");
        let words = [&["mcp", "install", "claude"], extra].concat();
        let outcome = world.without_a_terminal(&words);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.stderr.contains("no --yes"), "{outcome:?}");
        assert!(outcome.stdout.contains("--- "), "{outcome:?}");
        assert_eq!(files(&world, "home"), before);
    }
}

#[test]
fn a_dry_run_writes_nothing() {
    let world = World::new();
    let outcome = world.call(&["mcp", "install", "claude", "--dry-run"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stdout.contains("+  \"mcpServers\""), "{outcome:?}");
    assert!(outcome.stdout.contains("\"Bash\""), "{outcome:?}");
    assert_eq!(files(&world, "home"), []);
    assert!(!world.state().join("clients.json").exists());
}

#[test]
fn a_person_says_yes_twice() {
    let world = World::new();
    let mut terminal = Terminal::bashful(&world, &["mcp", "install", "claude"]);
    terminal.asked(1);
    assert_eq!(files(&world, "home"), []);
    terminal.press(b"y");
    terminal.asked(2);
    assert_eq!(files(&world, "home"), []);
    terminal.press(b"y");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    assert!(
        screen.contains("Otherwise nothing is protected"),
        "{screen}"
    );
    assert!(json_of(&world, "home/.claude.json")["mcpServers"]["bashful"].is_object());
    let settings = json_of(&world, "home/.claude/settings.json");
    assert_eq!(settings, json!({ "permissions": no_shell() }));
}

#[test]
fn enter_is_no() {
    let world = World::new();
    for key in [b"\r", b"n", b"x"] {
        let mut terminal = Terminal::bashful(&world, &["mcp", "install", "codex"]);
        terminal.asked(1);
        terminal.press(key);
        let (code, screen) = terminal.end();
        assert_eq!(code, 1, "{screen}");
        assert!(screen.contains("Nothing was changed."), "{screen}");
        assert_eq!(files(&world, "home"), []);
    }
}

#[test]
fn ctrl_c_writes_nothing_at_all() {
    let world = World::new();
    let mut terminal = Terminal::bashful(&world, &["mcp", "install", "claude"]);
    terminal.asked(1);
    terminal.press(b"y");
    terminal.asked(2);
    terminal.press(b"\x03");
    let (code, screen) = terminal.end();
    assert_eq!(code, 130, "{screen}");
    assert_eq!(files(&world, "home"), []);
}

#[test]
fn the_shell_can_stay_and_that_is_told() {
    let world = World::new();
    let mut terminal = Terminal::bashful(&world, &["mcp", "install", "codex"]);
    terminal.asked(1);
    terminal.press(b"y");
    terminal.asked(2);
    terminal.press(b"n");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("own shell is still on"), "{screen}");
    let text = super::text(&world, "home/.codex/config.toml");
    assert!(
        text.contains("[mcp_servers.bashful]") && !text.contains("shell_tool"),
        "{text}"
    );
    let outcome = super::installed(&World::new(), &["codex", "--keep-shell"]);
    assert!(
        outcome.stdout.contains("own shell is still on"),
        "{outcome:?}"
    );
    assert!(!outcome.stdout.contains("shell_tool"), "{outcome:?}");
}

#[test]
fn removing_asks_too() {
    let world = World::new();
    super::installed(&world, &["claude"]);
    let before = files(&world, "home");
    let mut terminal = Terminal::bashful(&world, &["mcp", "install", "claude", "--remove"]);
    terminal.asked(1);
    terminal.press(b"\r");
    assert_eq!(terminal.end().0, 1);
    assert_eq!(files(&world, "home"), before);
    let mut terminal = Terminal::bashful(&world, &["mcp", "install", "claude", "--remove"]);
    terminal.asked(1);
    terminal.press(b"y");
    assert_eq!(terminal.end().0, 0);
    assert!(!world.path("home/.claude.json").exists());
}

#[test]
fn a_file_that_changes_while_somebody_reads_is_left() {
    let world = World::new();
    let path = put(&world, "home/.codex/config.toml", "a = 1\n");
    let mut terminal = Terminal::bashful(&world, &["mcp", "install", "codex", "--keep-shell"]);
    terminal.asked(1);
    std::fs::write(&path, "a = 2\n").unwrap();
    terminal.press(b"y");
    let (code, screen) = terminal.end();
    assert_eq!(code, 125, "{screen}");
    assert!(screen.contains("changed by another program"), "{screen}");
    assert_eq!(super::text(&world, "home/.codex/config.toml"), "a = 2\n");
}

#[test]
fn what_bashful_runs_cannot_set_anything_up() {
    let world = World::without_walls();
    put(
        &world,
        "home/.claude.json",
        "{\"mcpServers\":{\"bashful\":{\"command\":\"x\"}}}",
    );
    let before = files(&world, "home");
    let program = binary();
    let program = program.to_str().unwrap();
    for extra in ["", "--remove", "--dry-run"] {
        // Also by way of a process that left its parents.
        for way in ["", "setsid --wait "] {
            let home = world.path("home");
            let text = format!(
                "HOME='{}' XDG_STATE_HOME='{}' {way}'{program}' mcp install claude --yes {extra}",
                home.display(),
                world.path("state").display()
            );
            let text = text.replace("--yes --dry-run", "--dry-run");
            let outcome = world.run(&[&text]);
            assert_eq!(outcome.code, 120, "{outcome:?}");
            assert!(outcome.stderr.contains("started by Bashful"), "{outcome:?}");
            assert_eq!(files(&world, "home"), before);
        }
    }
}
