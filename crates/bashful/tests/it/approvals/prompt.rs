//! The prompt of a run on a real terminal: each key, and all that is no answer.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use super::{asking, grants, made, on_a_terminal, pending, waiting_ask};
use crate::support::{Terminal, World, binary, eventually};

/// A run that asks, and what came of these keys: its exit code and the screen.
fn pressing(world: &World, keys: &[u8]) -> (i32, String) {
    let mut terminal = Terminal::bashful(world, &["run", "--session", "talk", "touch made"]);
    terminal.asked(1);
    terminal.press(keys);
    terminal.end()
}

#[test]
fn a_yes_is_for_this_one_time() {
    let world = asking();
    let (code, screen) = pressing(&world, b"y");
    assert_eq!((code, made(&world, "made")), (0, true), "{screen}");
    assert!(
        screen.contains("│ Why it asks  │ makes a file\n"),
        "{screen}"
    );
    assert!(screen.contains("│ touch made\n"), "{screen}");
    let given = grants(&world);
    let found = json!([given.len(), given[0]["scope"], given[0]["by"]["channel"]]);
    assert_eq!(found, json!([1, "call", "prompt"]));
    // It is used up: the next one asks again.
    let (code, _) = pressing(&world, b"n");
    assert_eq!(code, 120);
}

#[test]
fn everything_else_is_a_no() {
    let world = asking();
    for keys in [&b"n"[..], b"\r", b"\x04", b"\x03", b"m\r", b"m\x03"] {
        let (code, screen) = pressing(&world, keys);
        assert_eq!(
            (code, made(&world, "made")),
            (120, false),
            "{keys:?} {screen}"
        );
    }
    assert_eq!((pending(&world), grants(&world)), (vec![], vec![]));
}

#[test]
fn a_no_can_say_why() {
    let world = asking();
    let (code, screen) = pressing(&world, b"mnot today\r");
    assert_eq!((code, made(&world, "made")), (120, false), "{screen}");
    let (_, answer) = world.call(&["approvals", "list", "--all", "--json"]).json();
    let state = &answer["asks"][0]["state"];
    let found = json!([state["is"], state["message"]]);
    assert_eq!(found, json!(["denied", "not today"]), "{answer}");
}

#[test]
fn a_lasting_yes_is_not_asked_for_again() {
    for (key, scope) in [(b's', "session"), (b'p', "project"), (b'a', "user")] {
        let world = asking();
        let arguments = ["run", "--session", "talk", "touch made"];
        let mut terminal = Terminal::bashful(&world, &arguments);
        terminal.asked(1);
        terminal.press(&[key]);
        terminal.look_for("for │ ", 1);
        terminal.press(b"1h\r");
        let (code, screen) = terminal.end();
        assert_eq!((code, made(&world, "made")), (0, true), "{screen}");
        let given = &grants(&world)[0];
        assert_eq!(given["scope"], scope);
        assert_eq!(given["subject"], json!({ "shapes": [["touch", "made"]] }));
        let times = [&given["created_at_ms"], &given["expires_at_ms"]];
        let times = times.map(|time| time.as_u64().unwrap());
        assert_eq!(times[1] - times[0], 3_600_000);
        let (code, screen) = on_a_terminal(&world, &arguments);
        assert_eq!(code, 0, "{screen}");
        assert!(!screen.contains("ENTER is no"), "{screen}");
    }
}

#[test]
fn an_edited_command_is_what_runs() {
    let world = asking();
    let mut terminal = Terminal::bashful(&world, &["run", "touch made"]);
    terminal.asked(1);
    terminal.press(b"e");
    terminal.look_for("edit │ ", 1);
    terminal.press(b"\x15echo instead\r");
    let (code, screen) = terminal.end();
    assert_eq!((code, made(&world, "made")), (0, false), "{screen}");
    assert!(screen.contains("│ instead\n"), "{screen}");
}

#[test]
fn an_edited_command_is_judged_anew() {
    let world = asking();
    let mut terminal = Terminal::bashful(&world, &["run", "touch made"]);
    terminal.asked(1);
    terminal.press(b"e");
    terminal.look_for("edit │ ", 1);
    terminal.press(b"2\r");
    terminal.asked(2);
    terminal.press(b"n");
    let (code, screen) = terminal.end();
    let files = ["made", "made2"].map(|name| made(&world, name));
    assert_eq!((code, files), (120, [false, false]), "{screen}");
}

#[test]
fn what_was_typed_ahead_is_dropped() {
    let world = asking();
    let mut terminal = Terminal::bashful(&world, &["run", "touch made"]);
    // Until the question has stood there for a while, the person leans on the key.
    let mut after = 0;
    while after < 20 {
        terminal.paste(b"y");
        std::thread::sleep(Duration::from_millis(20));
        after += usize::from(terminal.has_asked());
    }
    terminal.look_for("does not count", 1);
    terminal.asked(2);
    assert!(!made(&world, "made"));
    terminal.press(b"\r");
    let (code, screen) = terminal.end();
    assert_eq!((code, made(&world, "made")), (120, false), "{screen}");
}

#[test]
fn a_paste_is_no_answer() {
    let world = asking();
    let mut terminal = Terminal::bashful(&world, &["run", "touch made"]);
    for times in 1..=3 {
        terminal.asked(times);
        terminal.paste(b"y\r");
        terminal.look_for("Several keys at once", times);
    }
    let (code, screen) = terminal.end();
    assert_eq!((code, made(&world, "made")), (120, false), "{screen}");
}

#[test]
fn what_is_piped_in_is_no_answer() {
    let world = asking();
    let program = binary();
    let call = format!("yes y | {} run --stdin 'touch made'", program.display());
    let mut terminal = Terminal::line(&world, &call);
    terminal.asked(1);
    std::thread::sleep(Duration::from_millis(500));
    assert!(!made(&world, "made"));
    terminal.press(b"n");
    let (code, screen) = terminal.end();
    assert_eq!((code, made(&world, "made")), (120, false), "{screen}");
}

#[test]
fn a_command_cannot_draw_our_prompt() {
    let world = asking();
    let forged = "touch made # \u{1b}[2J\r\n\
        ╰───────────────────────────────────────\n\
        Allow it? [y s p a n m ?, ENTER is no] n\nDenied.\n\
        ╭─ ? May this command run?\n│ Command      │ ls\u{202e}\n";
    let mut terminal = Terminal::bashful(&world, &["run", "--description", forged, forged]);
    // Once in the command, once in its description, and the third is ours.
    terminal.asked(3);
    let screen = terminal.seen();
    assert!(!screen.contains("\u{1b}[2J") && !screen.contains('\u{202e}'));
    let begins = |start: &str| screen.lines().filter(|row| row.starts_with(start)).count();
    let found = ["╭─", "╰─", "Allow it?", "Denied."].map(begins);
    assert_eq!(found, [1, 1, 1, 0], "{screen}");
    terminal.press(b"\r");
    let (code, screen) = terminal.end();
    assert_eq!((code, made(&world, "made")), (120, false), "{screen}");
}

#[test]
fn an_answer_elsewhere_releases_the_run() {
    let world = asking();
    let terminal = Terminal::bashful(&world, &["run", "touch made"]);
    terminal.asked(1);
    let id = waiting_ask(&world);
    let (code, screen) = on_a_terminal(&world, &["approvals", "allow", &id]);
    assert_eq!(code, 0, "{screen}");
    let (code, screen) = terminal.end();
    assert_eq!((code, made(&world, "made")), (0, true), "{screen}");
    assert!(screen.contains("Answered elsewhere."), "{screen}");
}

#[test]
fn an_interrupt_ends_the_question_and_the_terminal_is_as_before() {
    let world = asking();
    // The shell tells its number and becomes the run, so that the signal finds it.
    let program = binary();
    let call = format!(
        "sh -c 'echo $$ > pid; exec {} run \"touch made\"'",
        program.display()
    );
    let terminal = Terminal::line(&world, &call);
    terminal.asked(1);
    let pid = world.read("pid").trim().parse().unwrap();
    Terminal::signal(pid, Signal::TERM);
    let (code, screen) = terminal.end();
    assert_eq!((code, made(&world, "made")), (121, false), "{screen}");
    // No person said no, so it can still be answered.
    assert_eq!(pending(&world).len(), 1);
}

#[test]
fn a_terminal_that_goes_away_says_nothing() {
    let world = asking();
    let program = binary();
    let call = format!(
        "sh -c 'echo $$ > pid; exec {} run \"touch made\"'",
        program.display()
    );
    let terminal = Terminal::line(&world, &call);
    terminal.asked(1);
    let pid: i32 = world.read("pid").trim().parse().unwrap();
    drop(terminal);
    let gone = || !std::path::Path::new(&format!("/proc/{pid}")).exists();
    assert!(eventually(gone), "{pid} is still there");
    assert!(!made(&world, "made"));
    assert_eq!(grants(&world), [] as [serde_json::Value; 0]);
}

#[test]
fn two_runs_on_one_terminal_take_turns() {
    let world = asking();
    let program = binary();
    let program = program.display();
    let call = format!(
        "{program} run 'touch one' & {program} run 'touch two'; code=$?; wait; (exit $code)"
    );
    let mut terminal = Terminal::line(&world, &call);
    terminal.asked(1);
    assert!(eventually(|| pending(&world).len() == 2));
    std::thread::sleep(Duration::from_millis(500));
    let count = |terminal: &Terminal| terminal.seen().matches("May this command run?").count();
    assert_eq!(count(&terminal), 1);
    terminal.press(b"y");
    terminal.asked(2);
    terminal.press(b"y");
    let (code, screen) = terminal.end();
    let files = ["one", "two"].map(|name| made(&world, name));
    assert_eq!((code, files), (0, [true, true]), "{screen}");
}

#[test]
fn what_runs_in_bashful_cannot_answer() {
    let world = asking();
    let id = super::ask_about(&world, "touch made");
    let program = binary();
    let program = program.display();
    // With all the rights of its caller, and on a terminal of its own.
    let inner = format!("script -qec \"{program} approvals allow {id}\" /dev/null");
    let call = format!("{program} run --sandbox none --policy none '{inner}'");
    let (code, screen) = Terminal::line(&world, &call).end();
    assert_eq!(code, 120, "{screen}");
    assert!(screen.contains("started by Bashful"), "{screen}");
    assert_eq!(pending(&world).len(), 1);
}
