//! `bashful approvals`: answers from another terminal, by id.

use insta::assert_snapshot;
use serde_json::json;

use super::{ask_about, asking, grants, made, on_a_terminal, pending};

#[test]
fn list_and_show_tell_what_waits() {
    let world = asking();
    assert_snapshot!(world.screen(&["approvals", "list"]), @"
    exit code 0
    ----- stdout -----
    Nothing waits for an answer.
    ");
    let id = ask_about(&world, "touch made");
    assert_snapshot!(world.table(&["approvals", "list"]), @"
    exit code 0
    ----- stdout -----
    ID  AGE  STATE  AGENT  WHAT  COMMAND
    [ID]  [DURATION]  pending  default  ask-touch  touch made
    ");
    // The short id in the table is good enough to name it.
    let listed = world.call(&["approvals", "list"]).stdout;
    let short = listed.lines().nth(1).unwrap();
    let short = short.split_whitespace().next().unwrap();
    let shown = world.call(&["approvals", "show", short]).stdout;
    assert!(shown.starts_with("╭─ ? May this command run?\n│ Command      │ touch made\n"));
    assert!(
        shown.contains(&format!("│ Ask          │ {id}\n")),
        "{shown}"
    );
    assert!(!shown.contains("Answers"), "{shown}");
    let (code, answer) = world.call(&["approvals", "show", "--json", &id]).json();
    let ask = &answer["ask"];
    let found = json!([code, answer["v"], ask["id"], ask["command"], ask["state"]]);
    assert_eq!(found, json!([0, 1, id, "touch made", { "is": "pending" }]));
}

#[test]
fn equal_asks_share_a_row() {
    let world = asking();
    // Other texts, but the same words.
    for text in ["touch made", "touch  made", "touch made;"] {
        ask_about(&world, text);
    }
    ask_about(&world, "touch other");
    assert_eq!(pending(&world).len(), 4);
    assert_snapshot!(world.table(&["approvals", "list"]), @"
    exit code 0
    ----- stdout -----
    ID  AGE  STATE  AGENT  WHAT  COMMAND
    [ID]  [DURATION]  pending  default  ask-touch  (3 like this) touch made
    [ID]  [DURATION]  pending  default  ask-touch  touch other
    ");
}

#[test]
fn a_yes_lets_the_next_try_run_once() {
    let world = asking();
    let id = ask_about(&world, "touch made");
    let (code, screen) = on_a_terminal(&world, &["approvals", "allow", &id]);
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("│ exactly: touch made\n"), "{screen}");
    let (code, result) = world.json(&["--session", "talk", "touch made"]);
    assert_eq!((code, made(&world, "made")), (0, true), "{result}");
    let (code, result) = world.json(&["--session", "talk", "touch made"]);
    assert_eq!(code, 121, "{result}");
}

#[test]
fn a_yes_with_a_scope_and_a_time_says_what_is_remembered() {
    let world = asking();
    let id = ask_about(&world, "touch made");
    let arguments = ["approvals", "allow", &id, "--scope", "project"];
    let arguments = [&arguments[..], &["--expires", "2d", "--json"]].concat();
    let (code, screen) = on_a_terminal(&world, &arguments);
    assert_eq!(code, 0, "{screen}");
    let answer: serde_json::Value = serde_json::from_str(screen.trim()).unwrap();
    let grant = &answer["grant"];
    let found = json!([answer["counts"], grant["scope"], grant["subject"]]);
    let expected = json!([true, "project", { "shapes": [["touch", "made"]] }]);
    assert_eq!(found, expected);
    for _ in 0..2 {
        let (code, result) = world.json(&["--session", "other", "touch made"]);
        assert_eq!(code, 0, "{result}");
    }
}

#[test]
fn the_first_answer_counts() {
    let world = asking();
    let id = ask_about(&world, "touch made");
    let deny = ["approvals", "deny", &id, "--message", "no\u{1b}[2J"];
    let (code, screen) = on_a_terminal(&world, &deny);
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("│ no␛[2J\n"), "{screen}");
    let (code, screen) = on_a_terminal(&world, &["approvals", "allow", &id]);
    assert_eq!(code, 1, "{screen}");
    assert!(screen.contains("Too late"), "{screen}");
    assert!(screen.contains("│ denied 0s ago by user "), "{screen}");
    assert_eq!(grants(&world), [] as [serde_json::Value; 0]);
}

#[test]
fn an_ask_that_does_not_exist_is_a_mistake() {
    let world = asking();
    ask_about(&world, "touch one");
    ask_about(&world, "touch two");
    assert_snapshot!(world.screen(&["approvals", "show", "ask-nothing"]), @"
    exit code 2
    ----- stderr -----
    bashful: error: there is no ask `ask-nothing`
    bashful: hint: `bashful approvals list --all` shows them
    ");
    assert_snapshot!(world.screen(&["approvals", "show", "ask-"]), @"
    exit code 2
    ----- stderr -----
    bashful: error: `ask-` is the beginning of 2 ids
    bashful: hint: type more of it
    ");
    let (code, screen) = on_a_terminal(&world, &["approvals", "allow", "ask-nothing"]);
    assert_eq!(code, 2, "{screen}");
}

#[test]
fn without_a_terminal_nobody_answers() {
    let world = asking();
    let id = ask_about(&world, "touch made");
    let refused = world.screen(&["approvals", "allow", &id]);
    assert_snapshot!(refused, @"
    exit code 120
    ----- stderr -----
    bashful: error: an answer needs a terminal, and this process has none
    ");
    for arguments in [
        &["approvals", "deny", &id][..],
        &["approvals", "watch"],
        &["grants", "add", "--network", "on", "--scope", "user"],
        &["grants", "revoke", "--all"],
    ] {
        assert_eq!(world.screen(arguments), refused, "{arguments:?}");
    }
    let (code, answer) = world
        .without_a_terminal(&["approvals", "allow", "--json", &id])
        .json();
    let found = json!([code, answer["error"]["kind"], answer["success"]]);
    assert_eq!(found, json!([120, "denied", false]));
    assert_eq!((pending(&world).len(), grants(&world).len()), (1, 0));
}

#[test]
fn all_that_waits_is_denied_at_once() {
    let world = asking();
    for name in ["a", "b", "c"] {
        ask_about(&world, &format!("touch {name}"));
    }
    let arguments = ["approvals", "deny", "--all", "--message", "not now"];
    assert_eq!(
        on_a_terminal(&world, &arguments),
        (0, "Denied 3.\n".to_owned())
    );
    assert!(pending(&world).is_empty());
    let (_, result) = world.json(&["--session", "talk", "touch a"]);
    assert_eq!(result["approval"]["message"], "not now", "{result}");
    assert_eq!(
        on_a_terminal(&world, &arguments),
        (0, "Denied 0.\n".to_owned())
    );
    assert_eq!(world.call(&["approvals", "deny"]).code, 2);
    assert_eq!(world.call(&["approvals", "deny", "--all", "x"]).code, 2);
    // It is an answer: what Bashful runs gives none.
    ask_about(&world, "touch d");
    let bashful = crate::support::binary();
    let text = format!("{} approvals deny --all", bashful.display());
    world.json(&["--sandbox", "none", "--policy", "none", &text]);
    assert_eq!(pending(&world).len(), 1);
}

#[test]
fn what_waits_keeps_no_other_question_from_being_asked() {
    let world = asking();
    let elsewhere = tempfile::Builder::new()
        .prefix("out")
        .tempdir_in("/var/tmp")
        .unwrap();
    let at = elsewhere.path().display();
    let mut settings = std::fs::read_to_string(world.path("config/bashful/config.toml")).unwrap();
    settings.push_str("\n[approvals]\nmost_pending = 3\n");
    world.configure(&settings);
    let rule = |text: &str| {
        let (_, result) = world.json(&["--session", "talk", text]);
        result["decision"]["rule"].as_str().unwrap().to_owned()
    };
    let code = |text: &str| world.json(&["--session", "talk", text]).0;
    // Alike ones, which one lasting yes answers, are one question.
    for number in 0..3 {
        assert_eq!(code(&format!("echo x > {at}/{number}")), 121);
        assert_eq!(code(&format!("git push origin b{number}")), 121);
    }
    // What was stopped while it ran has no caller.
    for number in 0..3 {
        let text = format!("x={at}/s; echo {number} > \"${{x:0}}\"");
        assert_eq!(code(&text), 1, "{text}");
    }
    assert_eq!(rule("git reset --hard"), "git-destructive");
    assert_eq!(rule("git stash drop"), "too-many-asks");
    let (code, screen) = on_a_terminal(&world, &["approvals", "deny", "--all"]);
    assert_eq!(code, 0, "{screen}");
    assert_eq!(rule("git stash drop"), "git-destructive");
}
