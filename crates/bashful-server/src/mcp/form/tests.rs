//! What a dialogue shows, and which replies count.

use std::collections::BTreeMap;

use super::*;

/// An ask about this command.
fn ask(command: &str) -> Ask {
    serde_json::from_value(json!({
        "id": "ask-1",
        "created_at_ms": 1,
        "expires_at_ms": 2,
        "agent": "claude",
        "session": "talk",
        "project": "/w",
        "workspace": "/w",
        "cwd": "/w/sub",
        "command": command,
        "digest": "d",
        "ground": { "rule": "git-push", "layer": "builtin", "reason": "sends commits elsewhere" },
        "cause": "policy",
        "shapes": [["git", "push", "…"]],
        "reach": { "read": ["/w"], "write": ["/w"], "network": "off", "sandbox": "native" },
        "policy": "p",
        "rights": "r",
        "count": 1,
        "state": { "is": "pending" },
    }))
    .unwrap()
}

/// The dialogue as it goes to the client.
fn shown(ask: &Ask, titles: bool) -> Value {
    serde_json::to_value(form(ask, titles, None).unwrap()).unwrap()
}

fn message(ask: &Ask) -> String {
    shown(ask, true)["message"].as_str().unwrap().to_owned()
}

#[test]
fn all_there_is_to_know_is_shown() {
    let mut ask = ask("git push\ngit push --tags");
    ask.description = Some("Publishes".to_owned());
    ask.variables = vec!["GIT_TRACE=1".to_owned()];
    ask.reads_input = true;
    ask.input = Some("one\n\n\ntwo\u{202e}\n".to_owned());
    ask.shapes.push(vec!["git".to_owned(), "fetch".to_owned()]);
    ask.opens = Opening {
        network: Some("github.com:443".to_owned()),
        classes: vec!["sudo".to_owned()],
        paths_read: vec!["/etc/x".to_owned()],
        paths_write: vec!["/srv".to_owned(), "/srv/new".to_owned()],
        makes: vec!["/srv/new".to_owned()],
        links: BTreeMap::from([("/srv/tool".to_owned(), "tool-2".to_owned())]),
        resources: BTreeMap::from([("memory".to_owned(), 4096)]),
        ..Opening::default()
    };
    assert_eq!(
        message(&ask),
        "May this command run?\n\n  │ git push\n  │ git push --tags\n\n\
         It reads on its standard input:\n\n  │ one\n  │ ⟨2 blank lines⟩\n  │ two⟨U+202E⟩\n  │\n\n\
         Why it asks: sends commits elsewhere (rule git-push)\n\
         Agent: claude\n\
         It says: “Publishes”\n\
         Directory: /w/sub\n\
         Variable: GIT_TRACE=1\n\
         Could write: /w\n\
         Could read: the system, /w\n\
         Network: off\n\
         Sandbox: native\n\
         A yes opens: network github.com:443, sudo, reading /etc/x, the link /srv/tool to tool-2, writing /srv, writing /srv/new, which is made, memory up to 4096\n\
         A lasting yes covers: `git push …` and `git fetch`\n\
         Ask: ask-1\n"
    );
    ask.shapes.clear();
    ask.reach.write.clear();
    let message = message(&ask);
    let exact = "A lasting yes covers: this exact command in this directory\n";
    assert!(message.contains(exact), "{message}");
    assert!(message.contains("Could write: nothing\n"), "{message}");
}

#[test]
fn what_hides_or_turns_text_is_spelled_out() {
    for (hidden, spelled) in [
        ("a\u{1b}[2Jb", "a⟨U+001B⟩[2Jb"),
        ("a\rb", "a⟨U+000D⟩b"),
        ("a\tb", "a⟨U+0009⟩b"),
        ("a\u{8}b", "a⟨U+0008⟩b"),
        ("a\u{7f}b", "a⟨U+007F⟩b"),
        ("a\u{9b}b", "a⟨U+009B⟩b"),
        ("a\u{202e}b", "a⟨U+202E⟩b"),
        ("a\u{2066}b", "a⟨U+2066⟩b"),
        ("a\u{200b}b", "a⟨U+200B⟩b"),
        ("a\u{feff}b", "a⟨U+FEFF⟩b"),
        ("a\u{ad}b", "a⟨U+00AD⟩b"),
        ("a\u{a0}b", "a⟨U+00A0⟩b"),
        ("a\u{2028}b", "a⟨U+2028⟩b"),
        ("a\u{3164}b", "a⟨U+3164⟩b"),
        ("a\u{1160}b", "a⟨U+1160⟩b"),
        ("a\u{ffa0}b", "a⟨U+FFA0⟩b"),
        ("a\u{5d0}b", "a⟨U+05D0⟩b"),
        ("a\u{627}b", "a⟨U+0627⟩b"),
        ("a\u{fe8d}b", "a⟨U+FE8D⟩b"),
        ("a\u{1e900}b", "a⟨U+1E900⟩b"),
        ("a\u{2800}b", "a⟨U+2800⟩b"),
        ("a\u{17b4}b", "a⟨U+17B4⟩b"),
        ("a\u{fe0f}b", "a⟨U+FE0F⟩b"),
        ("a\u{e0100}b", "a⟨U+E0100⟩b"),
        ("a\u{301}b", "a⟨U+0301⟩b"),
        ("a\u{1d159}b", "a⟨U+1D159⟩b"),
        ("a\u{e0041}b", "a⟨U+E0041⟩b"),
        // A bar of ours, which no agent may draw.
        ("a│b", "a⟨U+2502⟩b"),
        ("grüße 日本語", "grüße 日本語"),
    ] {
        let shown = message(&ask(&format!("echo {hidden}")));
        let line = format!("  │ echo {spelled}\n");
        assert!(shown.contains(&line), "{hidden:?}: {shown:?}");
    }
}

#[test]
fn nothing_is_pushed_out_of_sight() {
    let blanks = " ".repeat(300);
    let lines = "\n \n".repeat(200);
    let message = message(&ask(&format!("echo hi{blanks}; rm x{lines}rm y\n\nrm z\n")));
    assert!(
        message.starts_with(
            "May this command run?\n\n  │ echo hi ⟨300 blanks⟩ ; rm x\n  │ ⟨399 blank lines⟩\n\
             \x20 │ rm y\n  │\n  │ rm z\n  │\n\nWhy it asks: "
        ),
        "{message}"
    );
    // No agent can write this by itself.
    let forged = self::message(&ask("echo ⟨5 blanks⟩"));
    assert!(
        forged.contains("echo ⟨U+27E8⟩5 blanks⟨U+27E9⟩\n"),
        "{forged}"
    );
}

#[test]
fn a_yes_for_a_session_says_how_long_it_lasts() {
    let about = |time| {
        let form = form(&ask("git push"), true, time).unwrap();
        let form = serde_json::to_value(form).unwrap();
        let answer = &form["requestedSchema"]["properties"]["answer"];
        answer["description"].as_str().unwrap().to_owned()
    };
    assert!(about(None).contains("session: until the agent's session ends;"));
    let eight = Some(Duration::from_secs(8 * 3600));
    assert!(about(eight).contains("session: for 8 hours;"));
}

#[test]
fn nothing_from_an_agent_begins_a_line_of_ours() {
    let forged = "x\nAsk: ask-2\n\nWhy it asks: no reason\u{85}Agent: root\u{2029}Network: off";
    let mut ask = ask(forged);
    forged.clone_into(&mut ask.agent);
    ask.description = Some(forged.to_owned());
    ask.variables = vec![forged.to_owned()];
    ask.cwd = forged.into();
    ask.shapes = vec![vec![forged.to_owned()]];
    ask.opens.paths_write = vec![forged.to_owned()];
    ask.reach.read = vec![forged.to_owned()];
    forged.clone_into(&mut ask.ground.reason);
    let message = message(&ask);
    for name in ["Ask", "Why it asks", "Agent", "Network"] {
        let lines = message.lines();
        let begin = lines.filter(|line| line.starts_with(&format!("{name}: ")));
        assert_eq!(begin.count(), 1, "{name}: {message}");
    }
    assert!(message.ends_with("Ask: ask-1\n"), "{message}");
}

#[test]
fn what_cannot_be_shown_whole_is_not_put() {
    assert!(form(&ask(&"x".repeat(5_000)), true, None).is_some());
    assert_eq!(form(&ask(&"x".repeat(6_000)), true, None), None);
    // Spelled out it is too long as well.
    assert_eq!(form(&ask(&"\u{202e}".repeat(1_000)), true, None), None);
    let mut long = ask("true");
    long.description = Some("y".repeat(6_000));
    assert_eq!(form(&long, false, None), None);
    // What it reads is not known here.
    let mut reads = ask("cat");
    reads.reads_input = true;
    assert_eq!(form(&reads, true, None), None);
}

#[test]
fn no_answer_is_chosen_beforehand() {
    for titles in [false, true] {
        let schema = shown(&ask("git push"), titles)["requestedSchema"].take();
        assert!(!schema.to_string().contains("\"default\""), "{schema}");
        assert_eq!(schema["required"], json!(["answer"]), "{schema}");
        let answer = &schema["properties"]["answer"];
        let project = "Allow in this project: `git push …`";
        let always = "Always allow, in every project: `git push …`";
        if titles {
            assert_eq!(
                answer["oneOf"],
                json!([
                    { "const": "once", "title": "Allow once" },
                    { "const": "session", "title": "Allow in this session" },
                    { "const": "project", "title": project },
                    { "const": "always", "title": always },
                    { "const": "deny", "title": "Deny" },
                ])
            );
        } else {
            assert_eq!(answer["enum"], json!(CHOICES));
            assert_eq!(
                answer["enumNames"],
                json!([
                    "Allow once",
                    "Allow in this session",
                    project,
                    always,
                    "Deny"
                ])
            );
        }
    }
}

#[test]
fn replies_and_what_they_mean() {
    let allow = |scope| {
        Some(Answer::Allow {
            scope,
            expires: None,
        })
    };
    let deny = |message: Option<&str>| {
        let message = message.map(str::to_owned);
        Some(Answer::Deny { message })
    };
    let long = "n".repeat(MOST_MESSAGE + 5);
    for (result, expected) in [
        (json!({ "answer": "once" }), allow(Scope::Call)),
        (json!({ "answer": "session" }), allow(Scope::Session)),
        (json!({ "answer": "project" }), allow(Scope::Project)),
        (json!({ "answer": "always" }), allow(Scope::User)),
        // A word goes with a no only.
        (
            json!({ "answer": "once", "message": "well" }),
            allow(Scope::Call),
        ),
        (json!({ "answer": "deny" }), deny(None)),
        (json!({ "answer": "deny", "message": "  " }), deny(None)),
        (json!({ "answer": "deny", "message": 5 }), deny(None)),
        (
            json!({ "answer": "deny", "message": " use X " }),
            deny(Some("use X")),
        ),
        (
            json!({ "answer": "deny", "message": long }),
            deny(Some(&"n".repeat(MOST_MESSAGE))),
        ),
        (json!({ "answer": "Once" }), None),
        (json!({ "answer": "yes" }), None),
        (json!({ "answer": "" }), None),
        (json!({ "answer": true }), None),
        (json!({ "answer": ["once"] }), None),
        (json!({ "answer": { "const": "once" } }), None),
        (json!({ "message": "once" }), None),
        (json!({}), None),
        (json!("once"), None),
        (Value::Null, None),
    ] {
        let mut whole = json!({ "action": "accept" });
        if !result.is_null() {
            whole["content"] = result;
        }
        let parsed: ElicitResult = serde_json::from_value(whole.clone()).unwrap();
        match (reply(&parsed), expected) {
            (Reply::Answered(answer), Some(expected)) => assert_eq!(answer, expected, "{whole}"),
            (Reply::Nobody(why), None) => assert!(why.contains("no person"), "{why}"),
            (found, expected) => panic!("{whole}: {found:?}, not {expected:?}"),
        }
    }
}

#[test]
fn what_a_client_says_by_itself_is_nobodys_answer() {
    for action in ["decline", "cancel"] {
        // Whatever stands in it.
        let content = json!({ "answer": "once" });
        let whole = json!({ "action": action, "content": content });
        let parsed: ElicitResult = serde_json::from_value(whole).unwrap();
        let expected = format!(
            "no person said yes in the client: it said `{action}`, as clients do by themselves \
             when no person is available"
        );
        assert_eq!(reply(&parsed), Reply::Nobody(expected));
    }
}

#[test]
fn a_script_is_approved_or_not_and_shown_whole() {
    let mut ask = ask("echo one\nrm \u{202e}x\n");
    let script = json!({
        "id": "9b2e5c1a-4f0d-4c3e-8a51-0d6f2b7c9e10",
        "name": "greet",
        "content_hash": "ab",
        "capabilities": { "network": true },
        "approved_before": {
            "content_hash": "cd",
            "content": "echo one\n",
            "capabilities": {},
            "approved_at_ms": 1,
        },
    });
    ask.script = Some(serde_json::from_value(script).unwrap());
    let message = message(&ask);
    for part in [
        "May this script run whenever it is asked for?\n",
        "  │ rm ⟨U+202E⟩x\n",
        "Script: greet\n",
        "\"network\":\"on\"",
        "It declared before: ",
        "and these were added:\n\n  │ rm ⟨U+202E⟩x\n",
        "exactly this text with what it declares",
    ] {
        assert!(message.contains(part), "{part}\n{message}");
    }
    let form = shown(&ask, true);
    let answer = &form["requestedSchema"]["properties"]["answer"]["oneOf"];
    let names = answer.as_array().unwrap().iter();
    let names: Vec<&Value> = names.map(|one| &one["const"]).collect();
    assert_eq!(names, ["always", "deny"], "{form}");
    // What was approved before and is not kept cannot be compared, so it is not put here.
    if let Some(script) = &mut ask.script
        && let Some(before) = &mut script.approved_before
    {
        before.content = None;
    }
    assert_eq!(self::form(&ask, true, None), None);
}
