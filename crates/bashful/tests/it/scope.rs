//! What the doctor says about where keepers live. Under a real systemd: `tests/scope.rs`.

use std::fs;

use serde_json::json;

use crate::support::World;

#[test]
fn the_doctor_says_where_a_keeper_lives() {
    let world = World::new();
    let (_, told) = world.call(&["doctor", "--json"]).json();
    let kept = told["kept"].as_array().unwrap();
    let scope = kept.iter().find(|finding| finding["name"] == "scope");
    let scope = scope.unwrap();
    let words = scope["words"].as_str().unwrap();
    let first = fs::read_to_string("/proc/1/comm").unwrap();
    if first.trim() == "systemd" {
        assert!(words.starts_with("the keeper"), "{words}");
    } else {
        assert_eq!(
            scope,
            &json!({
                "name": "scope",
                "state": "ok",
                "words": "the keeper needs no scope of its own: systemd does not run this system",
            })
        );
    }
}
