//! `bashful policy check`: the decision, its reasons, and the exit code.

use std::os::unix::fs::symlink;

use insta::assert_snapshot;
use serde_json::json;

use super::{checked, decided, policy};
use crate::support::{Running, World};

#[test]
fn the_exit_code_is_the_decision() {
    let world = World::new();
    for (command, code, effect) in [
        ("ls -la", 0, "allow"),
        ("git push origin main", 121, "ask"),
        ("sudo ls", 120, "deny"),
        ("rm -rf /", 120, "deny"),
        ("ls; git push", 121, "ask"),
        ("git push; sudo ls", 120, "deny"),
        ("bash -c 'sudo ls'", 120, "deny"),
    ] {
        let (found, told) = checked(&world, &[command]);
        let decision = json!([found, told["decision"]["effect"]]);
        assert_eq!(decision, json!([code, effect]), "{command}: {told}");
        assert_eq!(policy(&world, &["check", command]).code, code, "{command}");
    }
    assert!(!world.state().exists(), "nothing is recorded");
}

#[test]
fn a_person_sees_what_it_is_about() {
    let world = World::new();
    let command = "ls; git push origin main";
    assert_snapshot!(world.screen(&["policy", "check", command]), @"
    exit code 121
    ----- stdout -----
    ? Needs approval  git-push (builtin)

      ls; git push origin main
          ^^^^^^^^^^^^^^^^^^^^

    Why           publishes commits
    A yes covers  git push origin …
    To permit     add an `allow` rule for it to the profile
    Profile       default

    ├─ ls
    │  └─ ✓ only reads  (read-only, builtin)
    └─ git push origin main
       └─ ? publishes commits  (git-push, builtin)
    ");
}

#[test]
fn odd_characters_stay_visible_and_aligned() {
    let world = World::new();
    let command = "echo '日本';\n\tsudo ls \u{1b}[31m";
    assert_snapshot!(world.screen(&["policy", "check", command]), @"
    exit code 120
    ----- stdout -----
    ✗ Refused  sudo (builtin)

      ␉sudo ls ␛[31m
       ^^^^^^^^^^^^^

    Why           runs with the rights of another user
    Instead       run it as yourself, or tell the person which command needs more
                  rights
    Profile       default

    ├─ echo 日本
    │  └─ ✓ only reads  (read-only, builtin)
    ├─ sudo ls ␛[31m
    │  ├─ ✗ runs with the rights of another user  (sudo, builtin)
    │  └─ ✓ has characters that cannot be seen or look like others; the sandbox
    │     holds it  (characters, builtin)
    └─ ls ␛[31m  (by sudo)
       └─ ✓ only reads  (read-only, builtin)
    ");
}

#[test]
fn json_has_the_facts() {
    let world = World::new();
    let (code, told) = checked(&world, &["cd sub; X=1 timeout 5 cat a* \"$Y\" b$Y > out"]);
    assert_eq!((code, &told["v"]), (0, &json!(1)), "{told}");
    assert_eq!(told["profile"], "default");
    let calls = told["facts"]["calls"].as_array().unwrap();
    let cat = calls
        .iter()
        .find(|call| call["argv"][0]["text"] == "cat")
        .unwrap();
    let expected = json!([
        { "text": "cat", "known": "literal" },
        { "text": "a*", "known": "glob" },
        { "text": "$Y", "known": "dynamic" },
        { "text": "b$Y", "known": "partly" },
    ]);
    assert_eq!(cat["argv"], expected);
    assert_eq!(cat["wrappers"], json!(["timeout"]));
    let sub = world.workspace().join("sub");
    let directories = cat["directories"].as_array().unwrap();
    assert!(directories.contains(&json!(sub)), "{cat}");
    let redirect = &told["facts"]["redirects"][0];
    let found = json!([redirect["kind"], redirect["target"]["text"]]);
    assert_eq!(found, json!(["write", "out"]));
    let assignment = &told["facts"]["assignments"][0];
    let found = json!([assignment["name"], assignment["for_call"]]);
    assert_eq!(found, json!(["X", true]));
    for name in ["functions", "unknowns"] {
        assert!(told["facts"][name].is_array(), "{name} in {told}");
    }
    assert!(told["findings"].as_array().unwrap().len() >= 3, "{told}");
}

#[test]
fn the_command_can_come_from_standard_input() {
    let world = World::new();
    let command = world.bashful(&["policy", "check", "--json", "-"]);
    let ended = Running::start_with_input(command, b"git push\nls\n").end();
    let (code, told) = ended.outcome().json();
    assert_eq!((code, &told["command"]), (121, &json!("git push\nls\n")));
}

#[test]
fn what_makes_no_sense_is_no_decision() {
    let world = World::new();
    for arguments in [
        &["check", ""][..],
        &["check"],
        &["check", "-C", "nowhere", "ls"],
    ] {
        assert_eq!(policy(&world, arguments).code, 2, "{arguments:?}");
    }
}

#[test]
fn where_a_path_leads_counts() {
    let world = World::new();
    let workspace = world.workspace();
    std::fs::create_dir(workspace.join("inside")).unwrap();
    symlink("/etc", workspace.join("link")).unwrap();
    symlink("inside", workspace.join("way")).unwrap();
    symlink("/etc/new", workspace.join("file")).unwrap();
    for (command, code) in [
        ("echo x > link/foo", 120),
        ("echo x > file", 120),
        ("cd link && echo x > foo", 120),
        ("cp a link/foo", 120),
        ("echo x > way/foo", 0),
        ("echo x > inside/foo", 0),
        ("echo x > /etc/foo", 120),
    ] {
        assert_eq!(policy(&world, &["check", command]).code, code, "{command}");
    }
    // What may be written is not outside.
    let command = "echo x > /var/tmp/x";
    assert_eq!(policy(&world, &["check", command]).code, 120);
    let flags = ["check", "--write", "/var/tmp", command];
    assert_eq!(policy(&world, &flags).code, 0);
}

#[test]
fn rights_change_the_decision() {
    let world = World::new();
    for (flags, code) in [
        (&["sudo ls"][..], 120),
        (&["--allow", "sudo", "sudo ls"], 0),
        (&["--allow", "secret-read", "sudo ls"], 120),
        (&["--allow", "sudo", "sudo rm -rf /"], 120),
        (&["curl https://example.org"], 121),
        (&["--network", "on", "curl https://example.org"], 0),
    ] {
        assert_eq!(
            policy(&world, &[&["check"], flags].concat()).code,
            code,
            "{flags:?}"
        );
    }
    assert_snapshot!(world.screen(&["policy", "check", "--allow", "sduo", "ls"]), @"
    exit code 2
    ----- stderr -----
    bashful: error: there is no class `sduo`: did you mean `sudo`?
    ");
}

#[test]
fn profiles_differ_in_what_nobody_knows() {
    let world = World::new();
    let command = "./frobnicate --all";
    assert_eq!(policy(&world, &["check", command]).code, 0);
    for flags in [
        &["--profile", "careful"][..],
        &["--sandbox", "none"],
        &["--preset", "full"],
    ] {
        let arguments = [flags, &[command]].concat();
        assert_eq!(decided(&world, &arguments).0, 121, "{flags:?}");
    }
    let (_, told) = checked(&world, &["--sandbox", "none", command]);
    assert_eq!(told["fell_back"], true);
    let reason = told["decision"]["reason"].as_str().unwrap();
    assert!(reason.contains("does not fully enforce"), "{reason}");
    let (_, told) = checked(&world, &["--profile", "careful", command]);
    assert_eq!(told.get("fell_back"), None);
    assert_eq!(told["profile"], "careful");
    assert_snapshot!(world.screen(&["policy", "check", "--profile", "carefull", "ls"]), @"
    exit code 2
    ----- stderr -----
    bashful: error: there is no profile `carefull`: did you mean `careful`?
    ");
}

#[test]
fn variables_are_known_unless_they_are_keys() {
    let world = World::new();
    let (code, _) = checked(&world, &["--env", "PLACE=/etc/foo", "echo x > $PLACE"]);
    assert_eq!(code, 120);
    let flags = ["--env", "API_TOKEN=hunter2-hunter2", "echo x > $API_TOKEN"];
    let (_, told) = checked(&world, &flags);
    assert!(!told.to_string().contains("hunter2"), "{told}");
    assert_eq!(policy(&world, &["check", "echo x > $PWD/x"]).code, 0);
}
