//! `bashful grants`: what is remembered, given and taken back.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{asking, grants, made, on_a_terminal};
use crate::support::World;

/// Gives a grant; it, or the screen with the code.
fn add(world: &World, arguments: &[&str]) -> Result<Value, (i32, String)> {
    let arguments = [&["grants", "add", "--json"], arguments].concat();
    let (code, screen) = on_a_terminal(world, &arguments);
    match code {
        0 => {
            let answer: Value = serde_json::from_str(screen.trim()).unwrap();
            Ok(answer["grant"].clone())
        }
        _ => Err((code, screen)),
    }
}

fn touch(world: &World) -> i32 {
    world.json(&["--session", "talk", "touch made"]).0
}

#[test]
fn what_is_granted_runs_and_what_is_revoked_does_not() {
    let world = asking();
    assert_eq!(touch(&world), 121);
    let grant = add(&world, &["--command", "touch ...", "--scope", "project"]).unwrap();
    assert_eq!(grant["subject"], json!({ "shapes": [["touch", "…"]] }));
    assert_eq!((touch(&world), made(&world, "made")), (0, true));
    assert_snapshot!(world.table(&["grants", "list"]), @"
    exit code 0
    ----- stdout -----
    ID  SCOPE  UNTIL  AGENT  OPENS  WHAT
    [ID]  project  no end  default  touch …
    ");
    let listed = world.call(&["grants", "list"]).stdout;
    let short = listed.lines().nth(1).unwrap();
    let short = short.split_whitespace().next().unwrap();
    let shown = world.call(&["grants", "show", short]).stdout;
    assert!(shown.contains("│ What     │ touch …\n"), "{shown}");
    let (code, screen) = on_a_terminal(&world, &["grants", "revoke", short]);
    assert_eq!((code, screen.as_str()), (0, "Revoked 1.\n"));
    assert_eq!(touch(&world), 121);
    let (code, screen) = on_a_terminal(&world, &["grants", "revoke", short]);
    assert_eq!(code, 1, "{screen}");
    assert_snapshot!(world.screen(&["grants", "list"]), @"
    exit code 0
    ----- stdout -----
    Nothing is granted.
    ");
}

#[test]
fn an_exact_grant_is_for_one_text_and_one_call_is_for_one_run() {
    let world = asking();
    add(&world, &["--exact", "touch made", "--scope", "call"]).unwrap();
    assert_eq!(world.json(&["touch other"]).0, 121);
    assert_eq!((touch(&world), touch(&world)), (0, 121));
}

#[test]
fn what_a_grant_opens_is_not_opened_for_what_nobody_knows() {
    let world = World::new();
    let elsewhere = world.path("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::write(elsewhere.join("note"), "found").unwrap();
    let path = elsewhere.to_str().unwrap();
    let shape = ["--command", "git log ...", "--read", path];
    add(&world, &[&shape[..], &["--scope", "project"]].concat()).unwrap();
    let look = format!("git log >/dev/null 2>&1; cat {path}/note");
    assert_eq!(world.json(&[&look]).1["stdout"], "found");
    let script = world.workspace().join("unknown");
    std::fs::write(&script, format!("cat {path}/note")).unwrap();
    let (_, result) = world.json(&["git log >/dev/null 2>&1; bash unknown"]);
    assert_eq!(result["stdout"], "", "{result}");
}

#[test]
fn a_session_grant_is_for_its_session() {
    let world = asking();
    let arguments = [
        "--command",
        "touch …",
        "--scope",
        "session",
        "--session",
        "talk",
    ];
    add(&world, &arguments).unwrap();
    assert_eq!(world.json(&["--session", "other", "touch made"]).0, 121);
    assert_eq!(touch(&world), 0);
    let (code, screen) = add(
        &world,
        &["--network", "on", "--scope", "user", "--session", "x"],
    )
    .unwrap_err();
    assert_eq!(code, 2, "{screen}");
}

#[test]
fn what_would_be_for_everything_is_refused() {
    let world = asking();
    for shape in ["…", "bash …", "python3 …", "env …", "sudo …"] {
        let (code, screen) = add(&world, &["--command", shape, "--scope", "user"]).unwrap_err();
        assert_eq!(code, 2, "{shape}: {screen}");
        assert!(screen.contains("almost everything"), "{screen}");
    }
    for arguments in [
        &["--scope", "user"][..],
        &["--command", "git … main", "--scope", "user"],
        &["--command", "'git", "--scope", "user"],
        &["--command", "git", "--exact", "git", "--scope", "user"],
        &["--network", "on", "--scope", "everywhere"],
        &["--network", "on", "--scope", "user", "--expires", "0s"],
        &["--exact", "", "--scope", "user"],
        &["--class", "suod", "--scope", "user"],
    ] {
        let (code, screen) = add(&world, arguments).unwrap_err();
        assert_eq!(code, 2, "{arguments:?}: {screen}");
    }
    assert_eq!(grants(&world), [] as [Value; 0]);
}

#[test]
fn all_can_be_revoked_and_forgotten() {
    let world = asking();
    for name in ["one", "two"] {
        add(
            &world,
            &["--exact", name, "--scope", "user", "--expires", "7d"],
        )
        .unwrap();
    }
    let (code, screen) = on_a_terminal(&world, &["grants", "revoke", "--all"]);
    assert_eq!((code, screen.as_str()), (0, "Revoked 2.\n"));
    assert_eq!(grants(&world).len(), 2);
    std::thread::sleep(std::time::Duration::from_millis(20));
    let (code, answer) = world
        .call(&["grants", "clean", "--older-than", "1ms", "--json"])
        .json();
    assert_eq!((code, &answer["forgotten"]["grants"]), (0, &json!(2)));
    assert_eq!(grants(&world), [] as [Value; 0]);
}

#[test]
fn what_was_given_under_other_rules_is_told_once() {
    let world = asking();
    add(&world, &["--command", "touch ...", "--scope", "project"]).unwrap();
    let list = || world.call(&["grants", "list"]);
    assert_eq!(list().stderr, "");
    world.configure(
        "[[profile.default.rule]]\nid = \"ask-touch\"\neffect = \"ask\"\n\
         command = [\"touch\", \"…\"]\nreason = \"makes another file\"\n",
    );
    assert_eq!(touch(&world), 121);
    let told = list().stderr;
    assert!(
        told.contains("the rules have changed since 1 of the grants"),
        "{told}"
    );
    let again = told
        .lines()
        .find(|line| line.contains("grants add"))
        .unwrap();
    assert_eq!(list().stderr, "");
    // What is told to be typed gives it again.
    let bashful = crate::support::binary();
    let call = again
        .trim()
        .replacen("bashful", bashful.to_str().unwrap(), 1);
    let (code, screen) = crate::support::Terminal::line(&world, &call).end();
    assert_eq!(code, 0, "{call}: {screen}");
    assert_eq!(touch(&world), 0);
}
