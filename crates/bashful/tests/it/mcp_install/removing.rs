//! `--remove`: exactly what was put in goes.

use serde_json::json;

use super::{files, installed, json_of, put, text};
use crate::support::World;

#[test]
fn nothing_else_goes() {
    let world = World::new();
    let claude = "{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": \"x\"\n    }\n  }\n}";
    put(&world, "home/.claude.json", claude);
    let settings = "{\n  \"permissions\": {\n    \"deny\": [\n      \"Bash\"\n    ]\n  },\n  \"hooks\": {}\n}\n";
    put(&world, "home/.claude/settings.json", settings);
    installed(&world, &["claude"]);
    assert_ne!(text(&world, "home/.claude/settings.json"), settings);
    installed(&world, &["claude", "--remove"]);
    assert_eq!(text(&world, "home/.claude.json"), claude);
    // The rule that was there before stays, though it is one of those that are put in.
    assert_eq!(text(&world, "home/.claude/settings.json"), settings);
    let again = installed(&world, &["claude", "--remove"]);
    assert!(again.stdout.contains("is not set up here"), "{again:?}");
}

#[test]
fn what_was_made_goes_and_what_others_put_into_it_stays() {
    let world = World::new();
    installed(&world, &["claude"]);
    let path = "home/.claude/settings.json";
    let added = text(&world, path).replace("\"Monitor\"", "\"Monitor\",\n      \"WebFetch\"");
    put(&world, path, &added);
    installed(&world, &["claude", "--remove"]);
    assert_eq!(
        json_of(&world, path),
        json!({ "permissions": { "deny": ["WebFetch"] } })
    );
    assert!(!world.path("home/.claude.json").exists());
}

#[test]
fn a_setting_that_somebody_changed_since_stays() {
    let world = World::new();
    put(
        &world,
        "home/.codex/config.toml",
        "[features]\nshell_tool = true\n",
    );
    installed(&world, &["codex"]);
    let changed =
        text(&world, "home/.codex/config.toml").replace("shell_tool = false", "shell_tool = 1");
    put(&world, "home/.codex/config.toml", &changed);
    let outcome = installed(&world, &["codex", "--remove"]);
    assert!(
        outcome
            .stdout
            .contains("`features.shell_tool` was changed since"),
        "{outcome:?}"
    );
    assert_eq!(
        text(&world, "home/.codex/config.toml"),
        "[features]\nshell_tool = 1\n"
    );
}

#[test]
fn two_set_ups_remember_what_the_first_one_found() {
    let world = World::new();
    let before = "[features]\nshell_tool = true\n";
    put(&world, "home/.codex/config.toml", before);
    installed(&world, &["codex"]);
    installed(&world, &["codex", "--agent", "other"]);
    installed(&world, &["codex", "--remove"]);
    assert_eq!(text(&world, "home/.codex/config.toml"), before);
}

#[test]
fn without_a_record_only_what_is_surely_ours_goes() {
    let world = World::new();
    installed(&world, &["claude"]);
    installed(&world, &["claude", "--keep-shell", "--hook"]);
    std::fs::remove_file(world.state().join("clients.json")).unwrap();
    installed(&world, &["claude", "--remove"]);
    let settings = json_of(&world, "home/.claude/settings.json");
    assert_eq!(settings["hooks"]["PreToolUse"], json!([]));
    assert_eq!(
        settings["permissions"]["deny"],
        json!(["Bash", "PowerShell", "Monitor"])
    );
    assert_eq!(
        json_of(&world, "home/.claude.json"),
        json!({ "mcpServers": {} })
    );
}

#[test]
fn a_record_that_cannot_be_read_stops_it() {
    let world = World::new();
    installed(&world, &["claude"]);
    let before = files(&world, "home");
    std::fs::write(world.state().join("clients.json"), "[]").unwrap();
    let outcome = super::install(&world, &["claude", "--remove"]);
    assert_eq!(outcome.code, 125, "{outcome:?}");
    assert_eq!(files(&world, "home"), before);
}
