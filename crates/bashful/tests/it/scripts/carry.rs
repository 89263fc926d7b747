//! Scripts as documents: all that belongs to one, but no approval.

use std::fs;

use serde_json::{Value, json};

use crate::support::World;

#[test]
fn what_is_exported_is_the_same_elsewhere_and_not_approved() {
    let (here, there) = (World::new(), World::new());
    let flags = [
        "--read",
        "/srv",
        "--variable",
        "N:number=2",
        "--description",
        "says",
    ];
    let script = here.keeps_approved("a", "echo \u{202e}\n", &flags);
    let document = here.scripts(&["export", "a"]);
    assert_eq!(document.code, 0, "{document:?}");
    assert!(!document.stdout.contains('\u{202e}'));
    let outcome = there.scripts_with(&["import", "-", "--json"], &document.stdout);
    let (code, told) = outcome.json();
    assert_eq!(code, 0, "{told}");
    for key in [
        "id",
        "name",
        "description",
        "content_hash",
        "capabilities",
        "variables",
    ] {
        assert_eq!(told["script"][key], script[key], "{key}");
    }
    assert_eq!(told["script"]["approved"], false, "{told}");
    assert_eq!(there.scripts(&["run", "a"]).code, 121);
    // The name is taken now; another one gets another id.
    let again = there.scripts_with(&["import", "-"], &document.stdout);
    assert_eq!(again.code, 2, "{again:?}");
    let arguments = ["import", "-", "--name", "b", "--json"];
    let (_, told) = there.scripts_with(&arguments, &document.stdout).json();
    assert_ne!(told["script"]["id"], script["id"], "{told}");
}

#[test]
fn documents_that_lie_are_refused() {
    let world = World::new();
    world.keeps("a", "echo one\n", &[]);
    let outcome = world.scripts(&["export", "a", "--output", "a.json"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    // It is not written over.
    assert_eq!(
        world.scripts(&["export", "a", "--output", "a.json"]).code,
        2
    );
    let document: Value = serde_json::from_str(&world.read("a.json")).unwrap();
    world.told(&["delete", "a"]);
    for (key, value) in [
        ("content", json!("echo two\n")),
        ("kind", json!("recipe")),
        ("v", json!(2)),
        ("id", json!("../../x")),
        ("name", json!("a/b")),
        ("approved", json!(true)),
        ("created_by", json!("root")),
    ] {
        let mut wrong = document.clone();
        wrong[key] = value;
        fs::write(world.workspace().join("wrong.json"), wrong.to_string()).unwrap();
        let outcome = world.scripts(&["import", "wrong.json"]);
        assert_eq!(outcome.code, 2, "{key}: {outcome:?}");
    }
    assert!(
        world.told(&["list"])["scripts"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}
