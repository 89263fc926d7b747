//! Files that a hand changed, took away, linked or added.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;

use crate::support::{World, ran};

#[test]
fn a_file_that_was_changed_by_hand_is_a_version_that_nobody_approved() {
    let world = World::new();
    let script = world.keeps_approved("a", "echo one\n", &[]);
    fs::write(world.script_file(&script), "echo hand\n").unwrap();
    let outcome = world.scripts(&["list"]);
    assert!(outcome.stdout.contains("changed"), "{outcome:?}");
    assert_eq!(world.scripts(&["run", "a"]).code, 121);
    let versions = &world.told(&["history", "a"])["versions"];
    let origins = json!([versions[0]["origin"], versions[1]["origin"]]);
    assert_eq!(origins, json!(["created", "by_hand"]), "{versions}");
    let diff = world.scripts(&["diff", "a"]);
    assert!(diff.stdout.contains("-echo one\n+echo hand\n"), "{diff:?}");
}

#[test]
fn a_file_that_is_missing_or_not_ours_is_told_and_never_run() {
    let world = World::new();
    let script = world.keeps_approved("a", "echo one\n", &[]);
    let file = world.script_file(&script);
    let state = |word: &str| {
        let told = world.told(&["show", "a"]);
        assert_eq!(told["script"]["file"]["state"], word, "{told}");
        assert_eq!(told["script"]["approved"], false, "{told}");
        let outcome = world.scripts(&["run", "a"]);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (2, ""),
            "{outcome:?}"
        );
        assert!(outcome.stderr.contains("hint:"), "{outcome:?}");
    };
    fs::remove_file(&file).unwrap();
    state("missing");
    symlink(world.write("other.sh", "echo one\n"), &file).unwrap();
    state("not_ours");
    fs::remove_file(&file).unwrap();
    fs::write(&file, "echo one\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    state("not_ours");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&file, "echo \0\n").unwrap();
    state("unfit");
    world.told(&["restore", "a"]);
    assert_eq!(world.scripts(&["run", "a"]), ran(0, "one\n", ""));
}

#[test]
fn a_foreign_file_is_told_and_can_be_imported() {
    let world = World::new();
    world.keeps("a", "echo one\n", &[]);
    let folder = world.path("config/bashful/scripts");
    let id = "9b2e5c1a-4f0d-4c3e-8a51-0d6f2b7c9e10";
    let file = folder.join(format!("{id}.sh"));
    fs::write(&file, "echo foreign\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(folder.join("notes\u{1b}.txt"), "x").unwrap();
    let outcome = world.scripts(&["list"]);
    assert!(outcome.stdout.contains(id), "{outcome:?}");
    assert!(!outcome.stdout.contains('\u{1b}'), "{outcome:?}");
    assert_eq!(
        world.told(&["list"])["foreign"].as_array().unwrap().len(),
        2
    );
    assert_eq!(world.scripts(&["run", id]).code, 2);
    assert_eq!(world.scripts(&["import", id]).code, 2);
    let told = world.told(&["import", id, "--name", "foreign"]);
    let found = json!([told["script"]["id"], told["script"]["approved"]]);
    assert_eq!(found, json!([id, false]), "{told}");
    assert_eq!(world.scripts(&["run", "foreign"]).code, 121);
}
