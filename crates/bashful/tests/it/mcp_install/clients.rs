//! What each client gets, for the user and for a project; all else in its files stays.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use super::{backups, executable, files, installed, json_of, no_shell, put, text};
use crate::support::{Running, World, binary};

#[test]
fn claude_code_as_it_writes_itself() {
    let world = World::new();
    // As Claude Code itself writes it: two blanks, no line break at the end.
    let before = "{\n  \"userID\": \"x\",\n  \"zebra\": 1,\n  \"apple\": {\n    \"b\": [],\n    \"a\": null\n  }\n}";
    let path = put(&world, "home/.claude.json", before);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let outcome = installed(&world, &["claude"]);
    let entry = format!(
        ",\n  \"mcpServers\": {{\n    \"bashful\": {{\n      \"type\": \"stdio\",\n      \
         \"command\": \"{}\",\n      \"args\": [\n        \"mcp\",\n        \"--agent\",\n        \
         \"claude\"\n      ],\n      \"env\": {{}}\n    }}\n  }}\n}}",
        executable()
    );
    let expected = format!("{}{entry}", before.strip_suffix("\n}").unwrap());
    assert_eq!(text(&world, "home/.claude.json"), expected);
    let settings = json_of(&world, "home/.claude/settings.json");
    assert_eq!(settings, json!({ "permissions": no_shell() }));
    // The old file is beside it, with its mode; the new one has that mode too.
    let [backup] = &backups(&path)[..] else {
        panic!("{:?}", backups(&path));
    };
    assert_eq!(fs::read_to_string(backup).unwrap(), before);
    for path in [backup, &path] {
        assert_eq!(
            path.metadata().unwrap().permissions().mode() & 0o7777,
            0o640
        );
    }
    assert!(
        outcome.stdout.contains("+  \"mcpServers\": {"),
        "{outcome:?}"
    );
    assert!(outcome.stdout.contains("+      \"Bash\","), "{outcome:?}");
}

#[test]
fn claude_code_elsewhere() {
    let world = World::new();
    let mut command = world.bashful(&["mcp", "install", "claude", "--yes"]);
    command.env("CLAUDE_CONFIG_DIR", world.path("elsewhere"));
    let outcome = Running::start(command).end().outcome();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let names: Vec<String> = files(&world, "elsewhere")
        .into_iter()
        .map(|it| it.0)
        .collect();
    assert_eq!(names, [".claude.json", "settings.json"]);
    assert_eq!(files(&world, "home"), []);
}

#[test]
fn codex_keeps_its_comments() {
    let world = World::new();
    let before = "# mine\nmodel = \"x\" # the model\n\n[mcp_servers.other]\ncommand = \"other\"\n\n\
                  # about trust\n[projects.\"/x\"]\ntrust_level = \"trusted\"\n\n[features] # flags\n\
                  web_search = true # yes\n# the end\n";
    put(&world, "home/.codex/config.toml", before);
    installed(&world, &["codex", "--profile", "careful"]);
    let executable = executable();
    let expected = before
        .replace(
            "# about trust",
            &format!(
                "[mcp_servers.bashful]\ncommand = \"{executable}\"\n\
                 args = [\"mcp\", \"--agent\", \"codex\", \"--profile\", \"careful\"]\n\
                 env_vars = [\"XDG_CONFIG_HOME\", \"XDG_STATE_HOME\", \"XDG_CACHE_HOME\", \
                 \"XDG_RUNTIME_DIR\"]\ndefault_tools_approval_mode = \"approve\"\n\n# about trust"
            ),
        )
        .replace("true # yes\n", "true # yes\nshell_tool = false\n");
    assert_eq!(text(&world, "home/.codex/config.toml"), expected);
}

#[test]
fn codex_in_other_spellings() {
    let world = World::new();
    let cases = [
        (
            "features.shell_tool = true # on\n",
            "features.shell_tool = false # on\n",
        ),
        (
            "features = { shell_tool = true, a = 1 }\n",
            "features = { shell_tool = false, a = 1 }\n",
        ),
        (
            "[features]\nshell_tool = true\n",
            "[features]\nshell_tool = false\n",
        ),
    ];
    for (before, after) in cases {
        put(&world, "home/.codex/config.toml", before);
        installed(&world, &["codex"]);
        let text = text(&world, "home/.codex/config.toml");
        assert!(text.starts_with(after), "{text}");
        // What is there before is what is there again.
        installed(&world, &["codex", "--remove"]);
        assert_eq!(super::text(&world, "home/.codex/config.toml"), before);
    }
}

#[test]
fn vs_code_keeps_comments_and_commas() {
    let world = World::new();
    let before = "// mine\n{\n\t/* servers */\n\t\"servers\": {\n\t\t\"a\": { \"url\": \"http://x\" }, // a\n\t},\n\t\"inputs\": [],\n}\n";
    put(&world, "config/Code/User/mcp.json", before);
    let settings = "{\n    // four\n    \"editor.tabSize\": 4 // not two\n}\n";
    put(&world, "config/Code/User/settings.json", settings);
    installed(&world, &["vscode"]);
    let executable = executable();
    let after = text(&world, "config/Code/User/mcp.json");
    let expected = before.replace(
        "// a\n",
        &format!(
            "// a\n\t\t\"bashful\": {{\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \
             \"{executable}\",\n\t\t\t\"args\": [\n\t\t\t\t\"mcp\",\n\t\t\t\t\"--agent\",\n\t\t\t\t\
             \"vscode\"\n\t\t\t],\n\t\t\t\"cwd\": \"${{workspaceFolder}}\"\n\t\t}},\n"
        ),
    );
    // A comma at the end is as good as none: what matters is that nothing else moved.
    let bare = |text: &str| {
        text.replace(['\t', '\n', ' '], "")
            .replace(",}", "}")
            .replace(",]", "]")
    };
    assert_eq!(bare(&after), bare(&expected));
    assert!(
        after.starts_with("// mine\n{\n\t/* servers */\n"),
        "{after}"
    );
    let after = text(&world, "config/Code/User/settings.json");
    let expected = "{\n    // four\n    \"editor.tabSize\": 4, // not two\n    \
                    \"chat.tools.terminal.enableAutoApprove\": false\n}\n";
    assert_eq!(after, expected);
}

#[test]
fn cursor_gets_a_hook_that_refuses() {
    let world = World::new();
    put(
        &world,
        "home/.cursor/hooks.json",
        "{ \"version\": 1, \"hooks\": { \"stop\": [] } }",
    );
    installed(&world, &["cursor"]);
    let command = format!("'{}' 'hook' 'cursor' || exit 2", executable());
    let hook = json!({ "command": command, "failClosed": true });
    let hooks = json!({ "version": 1, "hooks": { "stop": [], "beforeShellExecution": [hook] } });
    assert_eq!(json_of(&world, "home/.cursor/hooks.json"), hooks);
    let server = &json_of(&world, "home/.cursor/mcp.json")["mcpServers"]["bashful"];
    let arguments = json!([
        "mcp",
        "--agent",
        "cursor",
        "--workspace",
        "${workspaceFolder}"
    ]);
    assert_eq!(server["args"], arguments);
}

#[test]
fn a_project_has_files_of_its_own() {
    let world = World::new();
    let expected = [
        ("claude", vec![".claude/settings.json", ".mcp.json"]),
        ("codex", vec![".codex/config.toml"]),
        ("vscode", vec![".vscode/mcp.json", ".vscode/settings.json"]),
        ("cursor", vec![".cursor/hooks.json", ".cursor/mcp.json"]),
    ];
    for (client, expected) in expected {
        installed(&world, &[client, "--project", "--agent", "somebody"]);
        let found = files(&world, "workspace");
        let names: Vec<&str> = found.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(names, expected);
        assert!(
            found.iter().any(|it| it.1.contains("\"somebody\"")),
            "{found:?}"
        );
        assert_eq!(files(&world, "home"), []);
        installed(&world, &[client, "--project", "--remove"]);
        let found = files(&world, "workspace");
        // What was there for a while is kept, once.
        assert!(
            found.iter().all(|it| it.0.contains(".bashful-backup-")),
            "{found:?}"
        );
        fs::remove_dir_all(world.workspace()).unwrap();
        fs::create_dir(world.workspace()).unwrap();
    }
}

#[test]
fn the_home_directory_is_no_project() {
    let world = World::new();
    for directory in [world.path("home"), "/".into()] {
        let mut command = world.bashful(&["mcp", "install", "claude", "--project", "--yes"]);
        command.current_dir(directory);
        let outcome = Running::start(command).end().outcome();
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.stderr.contains("is not a project"), "{outcome:?}");
    }
    assert_eq!(files(&world, "home"), []);
}

#[test]
fn a_second_time_changes_nothing() {
    for client in ["claude", "codex", "vscode", "cursor"] {
        let world = World::new();
        installed(&world, &[client]);
        let before = (files(&world, "home"), files(&world, "config"));
        let outcome = installed(&world, &[client]);
        assert!(outcome.stdout.contains("is already set up"), "{outcome:?}");
        assert_eq!((files(&world, "home"), files(&world, "config")), before);
    }
}

#[test]
fn another_wish_changes_the_entry_and_nothing_beside_it() {
    let world = World::new();
    installed(&world, &["claude"]);
    let path = "home/.claude.json";
    let own = text(&world, path).replace(
        "\"env\": {}",
        "\"env\": { \"A\": \"b\" },\n      \"timeout\": 9",
    );
    put(&world, path, &own);
    // What a person added is no reason to write.
    installed(&world, &["claude"]);
    assert_eq!(text(&world, path), own.clone());
    let directory = world.workspace();
    installed(
        &world,
        &["claude", "--workspace", directory.to_str().unwrap()],
    );
    let entry = &json_of(&world, path)["mcpServers"]["bashful"];
    assert_eq!(
        entry["args"],
        json!(["mcp", "--agent", "claude", "--workspace", directory])
    );
    assert_eq!(entry["timeout"], 9);
}

#[test]
fn config_prints_and_writes_nothing() {
    let world = World::new();
    for client in ["claude", "codex", "vscode", "cursor"] {
        let (code, object) = world.call(&["mcp", "config", client, "--json"]).json();
        assert_eq!(
            (code, &object["v"], &object["client"]),
            (0, &json!(1), &json!(client))
        );
        let content = |object: &serde_json::Value| -> Vec<(String, String)> {
            let files = object["files"].as_array().unwrap().iter();
            let both = files.map(|it| (it["path"].as_str(), it["content"].as_str()));
            both.map(|(path, text)| (path.unwrap().to_owned(), text.unwrap().to_owned()))
                .collect()
        };
        let said = world.call(&["mcp", "config", client]);
        assert_eq!((said.code, said.stderr.as_str()), (0, ""));
        for (path, text) in content(&object) {
            assert!(
                said.stdout.contains(&path) && said.stdout.contains(text.trim_end()),
                "{said:?}"
            );
        }
        assert_eq!(files(&world, "home"), []);
        // What is printed is what is written.
        installed(&world, &[client]);
        let written = content(&object);
        if client != "codex" {
            for (path, text) in written {
                assert_eq!(
                    fs::read_to_string(path).unwrap().trim_end(),
                    text.trim_end()
                );
            }
        }
        fs::remove_dir_all(world.path("home")).unwrap();
        fs::create_dir(world.path("home")).unwrap();
    }
}

#[test]
fn the_name_that_outlives_an_update_is_written() {
    let world = World::new();
    let named = world.path("bin/bashful");
    fs::create_dir(world.path("bin")).unwrap();
    std::os::unix::fs::symlink(binary(), &named).unwrap();
    let mut command = world.bashful(&["mcp", "install", "claude", "--yes"]);
    command.env("PATH", format!("relative:{}", world.path("bin").display()));
    let outcome = Running::start(command).end().outcome();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let entry = &json_of(&world, "home/.claude.json")["mcpServers"]["bashful"];
    assert_eq!(entry["command"], json!(named));
}
