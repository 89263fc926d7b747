//! Every text is kept: history, comparison, taking one back, deleting and restoring.

use serde_json::json;

use crate::support::{World, ran};

#[test]
fn an_older_text_can_be_taken_back() {
    let world = World::new();
    world.keeps_approved("a", "echo one\n", &[]);
    let outcome = world.scripts_with(&["edit", "a", "-"], "echo two\n");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    world.scripts_with(&["edit", "a", "-"], "echo three\n");
    let versions = world.told(&["history", "a"])["versions"].clone();
    assert_eq!(versions.as_array().unwrap().len(), 3, "{versions}");
    let hash = versions[0]["content_hash"].as_str().unwrap();
    let diff = world.scripts(&["diff", "a", hash.split_at(8).0, "3"]);
    assert!(diff.stdout.contains("-echo one\n+echo three\n"), "{diff:?}");
    let shown = world.scripts(&["show", "a", "--version", "2"]);
    assert!(shown.stdout.contains("│ echo two\n"), "{shown:?}");
    let told = world.told(&["restore", "a", "--version", "1"]);
    // The yes was for this text.
    assert_eq!(told["script"]["approved"], true, "{told}");
    assert_eq!(world.scripts(&["run", "a"]), ran(0, "one\n", ""));
    for version in ["9", "abc", "zzzzzzzz"] {
        let outcome = world.scripts(&["restore", "a", "--version", version]);
        assert_eq!(outcome.code, 2, "{outcome:?}");
    }
}

#[test]
fn what_is_deleted_can_be_restored_and_is_not_approved() {
    let world = World::new();
    let script = world.keeps_approved("a", "echo one\n", &["--read", "/srv"]);
    let file = world.script_file(&script);
    let outcome = world.scripts(&["delete", "a"]);
    assert!(outcome.stdout.starts_with("Deleted a;"), "{outcome:?}");
    assert!(!file.exists());
    assert_eq!(world.scripts(&["run", "a"]).code, 2);
    assert!(world.told(&["list"]).get("deleted").is_none());
    let all = world.told(&["list", "--all"]);
    assert_eq!(all["deleted"][0]["name"], "a", "{all}");
    // Its name is free meanwhile.
    world.keeps("a", "echo other\n", &[]);
    let id = script["id"].as_str().unwrap();
    assert_eq!(world.scripts(&["restore", id]).code, 2);
    world.told(&["rename", "a", "b"]);
    let told = world.told(&["restore", id]);
    let found = json!([
        told["script"]["name"],
        told["script"]["approved"],
        told["script"]["capabilities"]["paths_read"],
    ]);
    assert_eq!(found, json!(["a", false, ["/srv"]]), "{told}");
    assert!(file.exists());
    assert_eq!(world.scripts(&["run", "a"]).code, 121);
}

#[test]
fn a_validation_tells_lines_needs_and_proposes_capabilities() {
    let world = World::new();
    let text = "#!/bin/bash\ncurl https://example.com > /srv/page\nrm -rf $x\n";
    world.keeps("fetch", text, &[]);
    let (code, told) = world.scripts(&["validate", "fetch", "--json"]).json();
    assert!(matches!(code, 0 | 1), "{told}");
    let needs = &told["needs"];
    assert_eq!(needs["network"], true, "{told}");
    assert!(needs["commands"].to_string().contains("curl"), "{told}");
    assert_eq!(told["inferred"]["network"], "on", "{told}");
    let findings = told["findings"].as_array().unwrap();
    assert!(findings.iter().any(|one| one["line"] == 2), "{told}");
    // A file that is no script yet, and one that does not parse.
    world.write("bad.sh", "if\n");
    let (code, told) = world
        .scripts(&["validate", "--file", "bad.sh", "--json"])
        .json();
    assert_eq!((code, &told["valid"]), (1, &json!(false)), "{told}");
    let plain = world.scripts_with(&["validate", "--file", "-", "--infer"], "ls /srv/data\n");
    assert_eq!(plain.code, 0, "{plain:?}");
    assert!(plain.stdout.contains("--capabilities"), "{plain:?}");
}
