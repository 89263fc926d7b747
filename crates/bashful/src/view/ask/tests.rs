//! What a question looks like, and what cannot be made to look like one.

use std::path::PathBuf;

use bashful_engine::approvals::{Ask, AskGround, AskState, Cause, Opening, Reachable};

use super::super::style::{Colour, Style};
use super::super::text::cautious_width;
use super::*;

const NOW: u64 = 1_700_000_000_000;

/// An ask about this command.
pub(crate) fn ask_about(command: &str) -> Ask {
    Ask {
        id: "ask-1".to_owned(),
        created_at_ms: NOW,
        expires_at_ms: NOW + 600_000,
        agent: "claude".to_owned(),
        session: "talk-7".to_owned(),
        project: PathBuf::from("/src/.git"),
        workspace: PathBuf::from("/src"),
        cwd: PathBuf::from("/src"),
        command: command.to_owned(),
        description: None,
        variables: Vec::new(),
        reads_input: false,
        input: None,
        memory: None,
        asking: Vec::new(),
        script: None,
        digest: String::new(),
        ground: AskGround {
            rule: "git-push".to_owned(),
            layer: "builtin".to_owned(),
            reason: "publishes commits".to_owned(),
            span: None,
            fact: None,
            capability: None,
        },
        cause: Cause::Policy,
        shapes: vec![["git", "push", "origin", "…"].map(str::to_owned).to_vec()],
        opens: Opening::default(),
        directories: None,
        reach: Reachable {
            links: Vec::new(),
            read: Vec::new(),
            write: vec!["/src".to_owned()],
            network: "off".to_owned(),
            sandbox: "native".to_owned(),
        },
        policy: String::new(),
        rights: String::new(),
        count: 1,
        state: AskState::Pending,
        heard: false,
    }
}

fn drawn(ask: &Ask, width: usize) -> String {
    let style = Style {
        width,
        colour: Colour::Off,
    };
    let mut out = Vec::new();
    let card = AskCard { ask, now_ms: NOW };
    card.write_with_offers(Editing::Offered, style, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn all_that_matters_is_there() {
    let mut ask = ask_about("cd sub\ngit push origin main");
    ask.description = Some("Publish the fix".to_owned());
    ask.ground.span = Some((7, 15));
    ask.opens.network = Some("on".to_owned());
    ask.count = 3;
    let expected = "\
╭─ ? May this command run?
│ Command    1 │ cd sub
│            2 │ git push origin main
│              │ ^^^^^^^^
│ Agent        │ claude
│ It says      │ Publish the fix
│ Directory    │ /src
│ Why it asks  │ publishes commits
│ Rule         │ git-push (builtin)
│ Can read     │ the system only
│ Can write    │ /src
│ Network      │ off
│ Sandbox      │ native
│ A yes opens  │ network on
│ Asked        │ 3 times
│ Ask          │ ask-1
│ Open for     │ 10m 00s more
├─ Answers
│ y  allow once        │ this command, this one time
│                      │ and opens network on
│ s  in this session   │ git push origin …
│                      │ and opens network on
│                      │ talk-7, in this directory
│ p  in this project   │ git push origin …
│                      │ and opens network on
│                      │ /src/.git, in this directory
│ a  always            │ git push origin …
│                      │ and opens network on
│                      │ claude, in this directory
│ e  edit the command  │ the changed command is judged again
│ n  deny              │ also ENTER and Ctrl-C
│ m  deny and say why  │ what you type goes to the agent
│ ?  help              │ v shows the whole command
╰───────────────────────────────────────
";
    assert_eq!(drawn(&ask, 80), expected);
}

#[test]
fn without_a_shape_only_the_exact_command_is_remembered() {
    let mut ask = ask_about("x");
    ask.shapes.clear();
    let text = drawn(&ask, 80);
    assert!(text.contains("│ a  always            │ this exact command in this directory\n"));
    ask.shapes = ["one", "two", "three", "four"]
        .map(|word| vec![word.to_owned(), "…".to_owned()])
        .to_vec();
    let text = drawn(&ask, 80);
    assert!(text.contains("│ Its shapes   │ one …\n│              │ two …\n"));
    assert!(text.contains("│ s  in this session   │ each of the 4 shapes above\n"));
}

#[test]
fn a_command_that_nothing_confines_can_reach_everything() {
    let mut ask = ask_about("x");
    ask.reach.sandbox = "none".to_owned();
    let text = drawn(&ask, 80);
    assert!(text.contains("│ Can reach    │ everything that you can: nothing confines it\n"));
    assert!(!text.contains("Network") && !text.contains("Can write"));
}

#[test]
fn hostile_text_stays_behind_the_border_at_every_width() {
    let forged = "ls\n╰────\nAllow? y\n│ Allow? y\r\n╭─ ? May this command run?\u{1b}[2J\u{202e}\n"
        .repeat(30);
    let mut ask = ask_about(&forged);
    let fields = [
        &mut ask.agent,
        &mut ask.session,
        &mut ask.ground.reason,
        &mut ask.ground.rule,
        &mut ask.reach.network,
    ];
    for field in fields {
        field.clone_from(&forged);
    }
    ask.description = Some(forged.clone());
    ask.cwd = PathBuf::from(&forged);
    ask.shapes = vec![vec![forged.clone()]];
    ask.ground.span = Some((3, 40));
    let ours = ["╭─ ", "├─ ", "├╌ ", "├ ", "╰─"];
    for width in [0, 6, 10, 24, 39, 40, 41, 60, 80, 200] {
        let text = drawn(&ask, width);
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\r']));
        for row in text.lines() {
            let is_ours = ours.iter().any(|start| row.starts_with(start));
            assert!(is_ours || row.starts_with('│'), "{width}: {row}");
            let columns: usize = row.chars().map(cautious_width).sum();
            // Our own short headings may be longer than a tiny terminal; nothing of others.
            let fits = columns <= width.max(6) || is_ours;
            assert!(fits, "{width}: {row}");
        }
        let titles = text.lines().filter(|row| row.starts_with("╭─"));
        assert_eq!(titles.count(), 1);
        let ends = text.lines().filter(|row| row.starts_with("╰─"));
        assert_eq!(ends.count(), 1);
        if width >= 60 {
            // Beside each text of others stands a border that only we draw.
            let inside = text.lines().filter(|row| row.starts_with('│'));
            assert!(
                inside
                    .clone()
                    .all(|row| row.chars().skip(1).any(|c| c == '│'))
            );
        }
    }
}

/// An ask about a script with this text, which was another one before.
fn ask_about_script(text: &str, before: &str) -> Ask {
    let mut ask = ask_about(text);
    let script = serde_json::json!({
        "id": "9b2e5c1a-4f0d-4c3e-8a51-0d6f2b7c9e10",
        "name": "greet",
        "content_hash": "ab".repeat(32),
        "capabilities": { "paths_read": ["/srv"], "network": true },
        "variables": [{ "name": "N", "type": "number", "default": 1 }],
        "findings": [{
            "line": 1, "severity": "warning", "source": "shellcheck", "code": "SC2086",
            "message": "quote this \u{1b}[2J",
        }],
        "approved_before": {
            "content_hash": "cd".repeat(32),
            "content": before,
            "capabilities": { "paths_read": ["/srv"] },
            "approved_at_ms": NOW - 60_000,
        },
    });
    ask.script = Some(serde_json::from_value(script).unwrap());
    ask
}

#[test]
fn a_script_is_shown_with_what_it_declares_and_what_changed() {
    let ask = ask_about_script("echo one\necho \u{202e}two\n", "echo one\necho two\n");
    let shown = drawn(&ask, 80);
    for part in [
        "╭─ ? May this script run whenever it is asked for?\n",
        "│ Script     1 │ echo one\n",
        "│            2 │ echo \\u{202e}two\n",
        "│ Name         │ greet\n",
        "│ May read     │ /srv\n",
        "│ Network      │ on\n│              │ was: off\n",
        "│ Variables    │ N (number) = 1\n",
        "│ Found        │ line 1: warning: quote this ␛[2J (shellcheck SC2086)\n",
        "1m 00s ago another text was approved; this changed since:\n",
        "│              │ -echo two\n│              │ +echo \\u{202e}two\n",
        "│ y  approve           │ exactly this text with what it declares",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    // There is one kind of yes, and nothing to edit.
    for part in ["in this session", "always", "e  edit"] {
        assert!(!shown.contains(part), "{part}\n{shown}");
    }
    for row in shown.lines().skip(1) {
        let columns: usize = row.chars().map(cautious_width).sum();
        let borders = row.matches(['│', '├', '╰', '─', '╌']).count();
        assert!(columns <= 80 + borders, "{row}");
        assert!(row.starts_with(['│', '├', '╰']), "{row}");
    }
}

/// What is on a terminal of so many rows, and whether all that decides was shown.
fn fitted(ask: &Ask, rows: usize) -> (String, brief::Shown) {
    let style = Style {
        width: 80,
        colour: Colour::Off,
    };
    let mut out = Vec::new();
    let card = AskCard { ask, now_ms: NOW };
    let shown = card.write_fitting((Editing::Offered, rows), style, &mut out);
    (String::from_utf8(out).unwrap(), shown)
}

#[test]
fn a_question_fits_a_small_terminal() {
    let mut ask = ask_about("git push origin main");
    ask.description = Some("Publish the fix".to_owned());
    ask.opens.network = Some("on".to_owned());
    ask.ground.span = Some((0, 8));
    let expected = "\
╭─ ? May this command run?
│ Command      │ git push origin main
│              │ ^^^^^^^^
│ Why it asks  │ publishes commits
│ Agent        │ claude
│ It says      │ Publish the fix
│ Directory    │ /src
│ A yes opens  │ network on
│ s p a cover  │ git push origin …
├╌ v shows more: what it can read, write and reach
│ Answers      │ y once, s in this session, p in this project, a always, e
│              │ edit, n deny, m deny and say why
╰───────────────────────────────────────
";
    let (drawn, shown) = fitted(&ask, 24);
    assert_eq!(drawn, expected);
    assert!(shown.is_brief && shown.is_whole);
    // Where there is room, all is shown.
    let (drawn, shown) = fitted(&ask, 60);
    assert!(drawn.contains("Can write") && shown.is_whole && !shown.is_brief);
}

#[test]
fn what_does_not_fit_is_said_and_has_to_be_looked_at() {
    let long: Vec<String> = (0..90).map(|number| format!("echo {number}")).collect();
    let mut deep = ask_about(&format!("{}\ngit push\ntrue", long.join("\n")));
    let at = deep.command.find("git push").unwrap();
    deep.ground.span = Some((at, at + 8));
    let mut wide = ask_about(&format!("curl {}", "x".repeat(4000)));
    wide.description = Some("a ".repeat(500));
    let mut given = ask_about("git push origin main");
    given.variables = vec!["GIT_SSH_COMMAND=evil".to_owned()];
    for ask in [&deep, &wide, &given] {
        let (drawn, shown) = fitted(ask, 24);
        assert!(drawn.lines().count() + 2 <= 24, "{drawn}");
        assert!(shown.is_brief && !shown.is_whole, "{drawn}");
        assert!(drawn.contains("v shows"), "{drawn}");
        assert!(drawn.contains("publishes commits"), "{drawn}");
    }
    // The place that it is about is there, with a mark for what is not.
    let (drawn, _) = fitted(&deep, 24);
    assert!(
        drawn.contains("│ git push\n") && drawn.contains("│ ^^^^^^^^\n"),
        "{drawn}"
    );
    assert!(drawn.contains("rows left out; v shows all"), "{drawn}");
    let (drawn, _) = fitted(&given, 24);
    assert!(drawn.contains("variables that it gets"), "{drawn}");
    // Everything is a key away.
    let style = Style {
        width: 80,
        colour: Colour::Off,
    };
    let mut out = Vec::new();
    let card = AskCard {
        ask: &given,
        now_ms: NOW,
    };
    card.write_everything(Editing::Offered, style, &mut out);
    let all = String::from_utf8(out).unwrap();
    assert!(
        all.contains("GIT_SSH_COMMAND=evil") && all.contains("Can write"),
        "{all}"
    );
}

#[test]
fn nothing_that_confines_is_said_in_few_rows_too() {
    let mut ask = ask_about("git push origin main");
    ask.reach.sandbox = "none".to_owned();
    let (drawn, shown) = fitted(&ask, 16);
    assert!(
        shown.is_brief && drawn.contains("nothing confines it"),
        "{drawn}"
    );
}

#[test]
fn a_question_about_a_script_fits_too_and_has_to_be_looked_at() {
    let lines: Vec<String> = (0..90).map(|number| format!("echo {number}")).collect();
    let mut ask = ask_about_script(&lines.join("\n"), "echo one\n");
    ask.description = Some("a ".repeat(500));
    let (drawn, shown) = fitted(&ask, 24);
    assert!(drawn.lines().count() + 2 <= 24, "{drawn}");
    assert!(shown.is_brief && !shown.is_whole, "{drawn}");
    for part in [
        "? May this script run whenever it is asked for?",
        "│ Script     1 │ echo 0",
        "rows left out; v shows all",
        "│ Name         │ greet",
        "│ May read     │ /srv",
        "what was found in it, what changed since a yes",
        "│ Answers      │ y approve after v, n deny",
    ] {
        assert!(drawn.contains(part), "{part}\n{drawn}");
    }
}
