//! The flag that is offered permits what was denied; where nothing does, none is offered.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{WEAKER, filled, text, violations, weaker, world};

#[test]
fn a_file_that_may_be_written_is_no_violation() {
    for backend in weaker().into_iter().chain(["native"]) {
        let world = world();
        world.configure(WEAKER);
        let file = world.path("shared/file");
        let command = filled("echo more >> READ/file", &world);
        let flags = ["--sandbox", backend, "--write", text(&file), &command];
        let (code, result) = world.json(&flags);
        let told = violations(&result);
        assert_eq!(json!([code, told]), json!([0, []]), "{backend}: {result}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "as it was\nmore\n");
    }
}

#[test]
fn what_nothing_opens_has_no_flag() {
    let world = world();
    world.write(".envrc", "mine\n");
    for command in [
        "echo b > .envrc",
        "echo b > .git/hooks/pre-commit",
        "rm .envrc",
    ] {
        let (_, result) = world.json(&[command]);
        let told = violations(&result);
        let [one] = &told[..] else {
            panic!("{command}: {result}")
        };
        let about = json!([one["kind"], one["missing"], one["flag"]]);
        assert_eq!(about, json!(["protected", "", null]), "{command}");
    }
    let (_, explained) = world.call(&["explain", "--last", "--json"]).json();
    assert_eq!(explained["remedy"], json!({ "flags": [] }));
    assert_eq!(world.read(".envrc"), "mine\n");
}

#[test]
fn to_take_a_name_away_the_directory_is_needed() {
    for backend in weaker().into_iter().chain(["native"]) {
        for command in ["rm -f READ/file", "mv READ/file gone"] {
            let world = world();
            world.configure(WEAKER);
            let shared = world.path("shared");
            let command = filled(command, &world);
            let flags = ["--sandbox", backend, "--read", text(&shared), &command];
            let (_, result) = world.json(&flags);
            let told = violations(&result);
            let flag = format!("--write {}", text(&shared));
            let file = filled("READ/file", &world);
            let one = told.iter().find(|one| one["path"] == file);
            let one = one.unwrap_or_else(|| panic!("{backend}: {result}"));
            assert_eq!(one["flag"], flag, "{backend}: {result}");
            let flags = ["--sandbox", backend, "--write", text(&shared), &command];
            assert_eq!(world.run(&flags).code, 0, "{backend}: {command}");
        }
    }
}

#[test]
fn what_only_a_tree_of_its_own_hides_is_no_violation_without_one() {
    let world = world();
    world.configure(WEAKER);
    let command = "head -c 1 /etc/shadow > copy; head -c 1 /etc/passwd; cp secret mine; ls -l";
    let flags = ["--sandbox", "landlock", "--trace-reads", command];
    let (_, result) = world.json(&flags);
    let told = violations(&result);
    // As an ordinary user it is the host that says no.
    let ours: Vec<&Value> = told
        .iter()
        .filter(|it| it["path"] == "/etc/shadow")
        .collect();
    assert!(ours.is_empty(), "{result}");
}

#[test]
fn the_hosts_tmp_and_the_sandboxs_own_have_no_flag() {
    let world = world();
    world.configure(WEAKER);
    for backend in weaker() {
        let paths = match backend {
            // There it has its own.
            "bubblewrap" => &["/proc/none"][..],
            _ => &["/proc/none", "/tmp/z-of-nobody", "/var/tmp/z-of-nobody"],
        };
        for path in paths {
            let command = format!("echo x > {path}");
            let (code, result) = world.json(&["--sandbox", backend, &command]);
            let told = violations(&result);
            assert_ne!(code, 0, "{backend} {path}");
            assert!(!Path::new(path).exists(), "{backend} {path}");
            let flags: Vec<&Value> = told.iter().filter(|it| !it["flag"].is_null()).collect();
            assert!(flags.is_empty(), "{backend} {path}: {flags:?}");
            let word = if path.starts_with("/proc") {
                "sandbox itself"
            } else {
                "$TMPDIR"
            };
            let is_said = told.iter().any(|it| it["note"].to_string().contains(word));
            assert!(is_said, "{backend} {path}: {result}");
        }
    }
}
