//! `bashful approvals watch`: a terminal at which a person answers for all runs.

use serde_json::json;

use super::{asking, made, pending, waiting_ask};
use crate::support::{Terminal, eventually};

#[test]
fn answers_are_given_where_somebody_watches() {
    let world = asking();
    let mut terminal = Terminal::bashful(&world, &["approvals", "watch"]);
    terminal.look_for("Waiting for asks", 1);
    let waits = world.start(&["--wait", "60s", "--json", "touch made"]);
    terminal.asked(1);
    assert!(!terminal.seen().contains("edit the command"));
    terminal.press(b"y");
    let outcome = waits.end().outcome();
    assert_eq!(
        (outcome.code, made(&world, "made")),
        (0, true),
        "{outcome:?}"
    );
    let refused = world.start(&["--wait", "60s", "--json", "touch other"]);
    terminal.asked(2);
    terminal.press(b"mno thanks\r");
    let (code, result) = refused.end().outcome().json();
    let found = json!([code, result["approval"]["message"]]);
    assert_eq!(found, json!([120, "no thanks"]), "{result}");
    // An `e` is no answer here.
    let left = world.start(&["--wait", "60s", "--json", "touch third"]);
    terminal.asked(3);
    terminal.press(b"e");
    terminal.look_for("No answer has this key.", 1);
    terminal.asked(4);
    terminal.press(b"\x03");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    // A person who leaves has not said no.
    assert_eq!(pending(&world).len(), 1);
    drop(left);
}

#[test]
fn several_are_answered_one_by_one_and_ctrl_c_ends() {
    let world = asking();
    for name in ["one", "two"] {
        super::ask_about(&world, &format!("touch {name}"));
    }
    let mut terminal = Terminal::bashful(&world, &["approvals", "watch"]);
    terminal.asked(1);
    assert!(
        terminal.seen().contains("1 more waiting.\n"),
        "{}",
        terminal.seen()
    );
    terminal.press(b"n");
    terminal.asked(2);
    terminal.press(b"n");
    assert!(eventually(|| pending(&world).is_empty()));
    terminal.press(b"\x03");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
}

#[test]
fn an_ask_that_is_answered_elsewhere_leaves_the_screen() {
    let world = asking();
    let mut terminal = Terminal::bashful(&world, &["approvals", "watch"]);
    super::ask_about(&world, "touch made");
    terminal.asked(1);
    let id = waiting_ask(&world);
    let (code, screen) = super::on_a_terminal(&world, &["approvals", "deny", &id]);
    assert_eq!(code, 0, "{screen}");
    terminal.look_for("Answered elsewhere.", 1);
    terminal.press(b"\x03");
    assert_eq!(terminal.end().0, 0);
}

#[test]
fn a_flood_of_one_kind_is_denied_at_once() {
    let world = asking();
    for text in ["touch made", "touch  made", "touch made;", "touch other"] {
        super::ask_about(&world, text);
    }
    let mut terminal = Terminal::bashful(&world, &["approvals", "watch"]);
    terminal.asked(1);
    terminal.look_for("3 more waiting, 2 of them like this.\n", 1);
    terminal.press(b"n");
    terminal.look_for("Also deny the 2 like it? [y, ENTER is no] ", 1);
    // The habit of pressing it twice is no answer.
    std::thread::sleep(std::time::Duration::from_millis(450));
    terminal.press(b"y");
    terminal.asked(2);
    assert_eq!(pending(&world).len(), 1);
    terminal.press(b"\x03");
    assert_eq!(terminal.end().0, 0);
}

#[test]
fn one_lasting_yes_answers_what_is_equal() {
    let world = asking();
    for text in ["touch made", "touch  made"] {
        super::ask_about(&world, text);
    }
    let mut terminal = Terminal::bashful(&world, &["approvals", "watch"]);
    terminal.asked(1);
    terminal.press(b"a");
    terminal.look_for("for │ ", 1);
    terminal.press(b"\r");
    terminal.look_for("│ Answers too │ ask-", 1);
    assert!(eventually(|| pending(&world).is_empty()));
    terminal.press(b"\x03");
    assert_eq!(terminal.end().0, 0);
}

#[test]
fn json_lists_each_ask_once_and_takes_no_answers() {
    let world = asking();
    super::ask_about(&world, "touch one");
    let watching = crate::support::Running::start(world.bashful(&["approvals", "watch", "--json"]));
    super::ask_about(&world, "touch two");
    std::thread::sleep(std::time::Duration::from_millis(700));
    watching.signal(rustix::process::Signal::TERM);
    let outcome = watching.end().outcome();
    let lines = outcome.stdout.lines();
    let asks = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let commands: Vec<serde_json::Value> = asks.map(|it| it["ask"]["command"].clone()).collect();
    assert_eq!(
        json!([outcome.code, commands]),
        json!([0, ["touch one", "touch two"]])
    );
}
