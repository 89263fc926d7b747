//! `policy replay` and `policy learn`, on a record that real runs have left.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::{policy, rule};
use crate::support::{Terminal, World, ran};

const PUSH: &str = "[[rule]]\nid = \"push\"\neffect = \"allow\"\n\
                    command = [\"git\", \"push\", \"origin\", \"next\"]\n";

/// A world with a program in its workspace.
fn world() -> World {
    let world = World::new();
    let program = world.write("build", "#!/bin/sh\necho built\n");
    std::fs::set_permissions(program, PermissionsExt::from_mode(0o755)).unwrap();
    world
}

/// Runs commands in a session, and gives their exit codes.
fn run(world: &World, commands: &[&str]) -> Vec<i32> {
    let code = |command: &&str| world.run(&["--session", "s", *command]).code;
    commands.iter().map(code).collect()
}

fn learnt(world: &World, arguments: &[&str]) -> Value {
    let (code, value) = policy(world, &[&["learn", "--json"], arguments].concat()).json();
    assert_eq!((code, &value["v"]), (0, &json!(1)), "{value}");
    value
}

#[test]
fn a_changed_policy_is_tried_on_what_was_asked_for() {
    let world = world();
    let commands = ["ls", "ls", "git push origin next", "git push origin main"];
    assert_eq!(run(&world, &commands), [0, 0, 121, 121]);
    world.write("rules.toml", PUSH);
    let expected = "\
Newly allowed
  1× git push origin next
      was ask by git-push, would be allow by push (user): is allowed

4 requests judged: 1 newly allowed, 0 newly asked about, 0 newly denied, 3 as before
";
    assert_eq!(
        policy(&world, &["replay", "rules.toml"]),
        ran(0, expected, "")
    );
    // A configuration takes the place of the user's.
    world.configure("blocked_commands = [\"never\"]\n");
    let deny = rule("default", "no-ls", "deny", "[\"ls\", \"…\"]");
    world.write("changed.toml", &deny);
    let (code, told) = policy(&world, &["replay", "--json", "changed.toml"]).json();
    assert_eq!(
        (code, &told["judged"], &told["unchanged"]),
        (0, &json!(4), &json!(2))
    );
    let change = &told["changes"][0];
    let found = ["command", "count", "was", "now", "rule"].map(|name| &change[name]);
    let expected = [
        json!("ls"),
        json!(2),
        json!("allow"),
        json!("deny"),
        json!("no-ls"),
    ];
    assert_eq!(found, expected.each_ref());
    // Nothing of it was put on record.
    let again = policy(&world, &["replay", "--json", "changed.toml"]).json();
    assert_eq!(again, (0, told));
}

#[test]
fn what_is_replayed_can_be_chosen() {
    let world = world();
    run(&world, &["ls"]);
    world.run(&["--agent", "other", "--session", "t", "ls"]);
    world.write("rules.toml", PUSH);
    let judged = |arguments: &[&str]| {
        let all = [&["replay", "--json", "rules.toml"], arguments].concat();
        policy(&world, &all).json().1["judged"].clone()
    };
    assert_eq!(judged(&[]), 2);
    assert_eq!(judged(&["--since", "30d"]), 2);
    assert_eq!(judged(&["--agent", "other"]), 1);
    assert_eq!(judged(&["--session", "s"]), 1);
    assert_eq!(judged(&["--session", "s", "--agent", "other"]), 0);
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert_eq!(judged(&["--since", "1ms"]), 0);
}

#[test]
fn what_cannot_be_read_or_was_masked_is_told() {
    let world = world();
    let secret = "hunter2-hunter2";
    let mut command = world.run_command(&["--session", "s", &format!("git push {secret}")]);
    command.env("API_TOKEN", secret);
    assert_eq!(
        crate::support::Running::start(command).end().outcome().code,
        121
    );
    let trail = world.state().join("trail.jsonl");
    let mut file = OpenOptions::new().append(true).open(trail).unwrap();
    file.write_all(b"{\"v\":1,\"event\":\"nothing of ours\"}\n")
        .unwrap();
    world.write(
        "rules.toml",
        "[[rule]]\nid = \"push\"\neffect = \"allow\"\ncommand = [\"git\", \"push\", \"…\"]\n",
    );
    let told = policy(&world, &["replay", "rules.toml"]);
    assert_eq!(told.code, 0);
    assert!(told.stdout.contains("  1× git push ***\n"), "{told:?}");
    assert!(
        told.stdout.contains("a secret in it was masked"),
        "{told:?}"
    );
    let warning = "bashful: warning: left out 1 record (could not be read)\n";
    assert_eq!(told.stderr, warning);
}

#[test]
fn what_people_said_is_told() {
    let world = world();
    world.configure(&rule("default", "no-touch", "ask", "[\"touch\", \"…\"]"));
    let (code, asked) = world.json(&["--session", "s", "touch made"]);
    assert_eq!(code, 121, "{asked}");
    let ask = asked["approval"]["id"].as_str().unwrap();
    let answer = ["approvals", "allow", ask, "--scope", "session"];
    let (code, screen) = Terminal::bashful(&world, &answer).end();
    assert_eq!(code, 0, "{screen}");
    assert_eq!(run(&world, &["touch made"]), [0]);
    world.write("changed.toml", "");
    let expected = "\
Newly allowed
  1× touch made
      was ask by no-touch, would be allow by writes-inside (builtin): writes only inside the workspace
      people said yes (1×)
  1× touch made
      was ask by grant: touch made, would be allow by writes-inside (builtin): writes only inside the workspace
      people said yes before (1×)

2 requests judged: 2 newly allowed, 0 newly asked about, 0 newly denied, 0 as before
";
    assert_eq!(
        policy(&world, &["replay", "changed.toml"]),
        ran(0, expected, "")
    );
    assert_eq!(learnt(&world, &["--session", "s"])["runs"], 1);
}

#[test]
fn what_was_learnt_lets_the_runs_pass_and_no_more() {
    let world = world();
    let commands = [
        "ls",
        "./build",
        "./build fast && ls",
        "python3 -c 'print(1 * 2)'",
        "echo 'a*' | ./build",
    ];
    assert_eq!(run(&world, &commands), [0; 5]);
    assert_eq!(
        run(&world, &["git push origin main", "sudo ls"]),
        [121, 120]
    );
    let learnt = learnt(&world, &["--session", "s"]);
    assert_eq!(
        (&learnt["runs"], &learnt["left_out"]),
        (&json!(5), &json!([]))
    );
    world.configure(learnt["toml"].as_str().unwrap());
    let code = |command: &str| world.run(&["--profile", "learnt", command]).code;
    for command in commands {
        assert_eq!(code(command), 0, "{command}\n{}", learnt["toml"]);
    }
    for other in [
        "./build slow",
        "python3 -c 'print(1 + 2)'",
        "git push origin main",
    ] {
        assert_eq!(code(other), 121, "{other}");
    }
    assert_eq!(code("sudo ls"), 120);
}

#[test]
fn the_proposal_says_that_it_was_proved() {
    let world = world();
    assert_eq!(run(&world, &["./build", "$(echo ./build)"]), [0, 0]);
    let told = policy(&world, &["learn", "--session", "s", "--name", "mine"]);
    assert_eq!(told.code, 0);
    assert!(
        told.stdout
            .starts_with("[profile.mine]\npreset = \"workspace\"\ndefault = \"ask\"\n")
    );
    assert!(
        told.stdout
            .contains("\n# Not covered:\n#   $(echo ./build)\n"),
        "{told:?}"
    );
    assert!(
        told.stderr.contains("would not allow 1× $(echo ./build): "),
        "{told:?}"
    );
    assert!(
        told.stderr
            .ends_with("judged again by this profile: 1 of 2 runs would pass\n")
    );
}

#[test]
fn bad_input_is_refused() {
    let world = world();
    world.write("broken.toml", "nonsense = 1\n");
    for arguments in [
        ["replay", "broken.toml"].as_slice(),
        &["replay", "missing.toml"],
        &["replay", "--since", "soon", "broken.toml"],
        &["learn"],
        &["learn", "--session", "nobodys"],
    ] {
        let told = policy(&world, arguments);
        assert_eq!((told.code, told.stdout.as_str()), (2, ""), "{told:?}");
        assert!(!told.stderr.is_empty());
    }
    run(&world, &["ls"]);
    let told = policy(&world, &["learn", "--session", "s", "--name", "../x"]);
    assert_eq!(told.code, 2, "{told:?}");
    // Without a record there is nothing to say.
    world.write("rules.toml", PUSH);
    let empty = World::new();
    empty.write("rules.toml", PUSH);
    let expected =
        "0 requests judged: 0 newly allowed, 0 newly asked about, 0 newly denied, 0 as before\n";
    assert_eq!(
        policy(&empty, &["replay", "rules.toml"]),
        ran(0, expected, "")
    );
}
