//! Files that are not what they should be: they are left as they are.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use insta::assert_snapshot;

use super::{backups, files, install, installed, json_of, put, text};
use crate::support::{Outcome, World};

#[test]
fn what_cannot_be_read_is_left_and_the_place_is_told() {
    let cases = [
        ("claude", "home/.claude.json", "{\n  \"a\": 1,,\n}"),
        ("claude", "home/.claude.json", "{ // no comments here\n}"),
        ("claude", "home/.claude.json", "[]"),
        ("claude", "home/.claude.json", "{\"mcpServers\": 3}"),
        (
            "claude",
            "home/.claude.json",
            "{\"mcpServers\": {}, \"mcp\\u0053ervers\": {}}",
        ),
        (
            "claude",
            "home/.claude/settings.json",
            "{\"permissions\": {\"deny\": \"x\"}}",
        ),
        (
            "codex",
            "home/.codex/config.toml",
            "model = \"x\"\nb = [1,\n",
        ),
        ("codex", "home/.codex/config.toml", "features = 1\n"),
        ("vscode", "config/Code/User/mcp.json", "{ \"a\": 'x' }"),
        ("cursor", "home/.cursor/mcp.json", "{ \"a\": 1 } x"),
    ];
    let told = cases.map(|(client, name, before)| {
        let world = World::new();
        put(&world, name, before);
        let outcome = install(&world, &[client]);
        let mut all = files(&world, "home");
        all.extend(files(&world, "config"));
        assert_eq!(all.len(), 1, "{all:?}");
        assert_eq!(text(&world, name), before);
        // The change of another file may have been shown before.
        let stdout = String::new();
        world.complaints(&[Outcome { stdout, ..outcome }])
    });
    assert_snapshot!(told.concat(), @"
    2  bashful: error: cannot use `[WORLD]/home/.claude.json`: line 2, column 10: key must be a string; it was left as it is
    2  bashful: error: cannot use `[WORLD]/home/.claude.json`: line 1, column 3: key must be a string; it was left as it is
    2  bashful: error: cannot use `[WORLD]/home/.claude.json`: it is not an object; it was left as it is
    2  bashful: error: cannot use `[WORLD]/home/.claude.json`: `mcpServers` is not a table; it was left as it is
    2  bashful: error: cannot use `[WORLD]/home/.claude.json`: `mcpServers` appears more than once; it was left as it is
    2  bashful: error: cannot use `[WORLD]/home/.claude/settings.json`: `permissions.deny` is not a list; it was left as it is
    2  bashful: error: cannot use `[WORLD]/home/.codex/config.toml`: line 2, column 8: unclosed array, expected `]`; it was left as it is
    2  bashful: error: cannot use `[WORLD]/home/.codex/config.toml`: `features` is not a table; it was left as it is
    2  bashful: error: cannot use `[WORLD]/config/Code/User/mcp.json`: line 1, column 8: Single-quoted strings are not allowed; it was left as it is
    2  bashful: error: cannot use `[WORLD]/home/.cursor/mcp.json`: line 1, column 12: Text cannot contain more than one JSON value; it was left as it is
    ");
}

#[test]
fn odd_files_are_left() {
    let world = World::new();
    let path = world.path("home/.claude.json");
    let refused = |why: &str| {
        let outcome = install(&world, &["claude"]);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.stderr.contains(why), "{outcome:?}");
    };
    fs::create_dir(&path).unwrap();
    refused("is not a file");
    fs::remove_dir(&path).unwrap();
    fs::write(&path, b"{\"a\": \"\xff\"}").unwrap();
    refused("is not valid UTF-8");
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(5000), "]".repeat(5000));
    fs::write(&path, &deep).unwrap();
    refused("nesting");
    assert_eq!(fs::read_to_string(&path).unwrap(), deep);
    assert!(backups(&path).is_empty());
    let deep = put(
        &world,
        "home/.codex/config.toml",
        &format!("a = {}", "[".repeat(100_000)),
    );
    assert_eq!(install(&world, &["codex"]).code, 2);
    fs::remove_file(deep).unwrap();
    fs::remove_file(&path).unwrap();
    symlink(world.path("nowhere"), &path).unwrap();
    let outcome = install(&world, &["claude"]);
    assert_eq!(outcome.code, 125, "{outcome:?}");
    assert!(!world.path("nowhere").exists());
}

#[test]
fn a_link_is_followed_and_stays_a_link() {
    let world = World::new();
    let real = put(&world, "home/dotfiles/claude.json", "{}");
    let link = world.path("home/.claude.json");
    symlink("dotfiles/claude.json", &link).unwrap();
    let outcome = installed(&world, &["claude"]);
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert!(json_of(&world, "home/dotfiles/claude.json")["mcpServers"]["bashful"].is_object());
    assert_eq!(backups(&real).len(), 1);
    assert!(
        outcome.stdout.contains("dotfiles/claude.json"),
        "{outcome:?}"
    );
    installed(&world, &["claude", "--remove"]);
    assert_eq!(fs::read_to_string(&real).unwrap(), "{}");
}

#[test]
fn a_link_out_of_the_project_is_not_followed() {
    let world = World::new();
    let real = put(&world, "home/precious.json", "{}");
    symlink(&real, world.workspace().join(".mcp.json")).unwrap();
    let outcome = install(&world, &["claude", "--project"]);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(
        outcome.stderr.contains("leads out of the project"),
        "{outcome:?}"
    );
    fs::remove_file(world.workspace().join(".mcp.json")).unwrap();
    fs::create_dir(world.path("home/there")).unwrap();
    symlink(world.path("home/there"), world.workspace().join(".vscode")).unwrap();
    let outcome = install(&world, &["vscode", "--project"]);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert_eq!(
        files(&world, "home"),
        [("precious.json".to_owned(), "{}".to_owned())]
    );
}

#[test]
fn what_stands_in_a_file_does_nothing_to_the_terminal() {
    let world = World::new();
    let hostile = "{\n  // \u{1b}[2J\u{1b}]0;pwned\u{7}\u{202e}\n  \"a\": \"\u{9b}31m\",\n}\n";
    put(&world, "config/Code/User/settings.json", hostile);
    let outcome = installed(&world, &["vscode"]);
    let said = outcome.stdout;
    assert!(said.contains("␛[2J"), "{said}");
    let odd = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!said.contains(odd), "{said:?}");
    // In the file it is as it was.
    let after = text(&world, "config/Code/User/settings.json");
    let start = hostile.strip_suffix("}\n").unwrap();
    assert!(after.starts_with(start), "{after:?}");
}

#[test]
fn a_directory_that_cannot_be_written_leaves_all_as_it_was() {
    if rustix::process::geteuid().is_root() {
        // Root writes everywhere; a file in the way of the directory stops it just as well.
        let world = World::new();
        put(&world, "home/.claude.json", "{}");
        put(&world, "home/.claude", "a file");
        let outcome = install(&world, &["claude"]);
        assert_eq!(outcome.code, 125, "{outcome:?}");
        assert_eq!(text(&world, "home/.claude"), "a file");
        assert_eq!(text(&world, "home/.claude.json"), "{}");
        return;
    }
    let world = World::new();
    put(&world, "home/.codex/config.toml", "a = 1\n");
    let directory = world.path("home/.codex");
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o500)).unwrap();
    let outcome = install(&world, &["codex"]);
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(outcome.code, 125, "{outcome:?}");
    assert_eq!(text(&world, "home/.codex/config.toml"), "a = 1\n");
}
