//! Commands at terminals: sitting down at them, leaving, coming back, and typing from elsewhere.

use std::fs;
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Terminal, World, binary, eventually};

/// Ctrl-\ twice.
const LEAVE: &[u8] = b"\x1c\x1c";

/// A task at a terminal that goes on.
fn behind(world: &World, command: &str) -> String {
    let started = world.call(&["run", "--background", "--tty", command]);
    assert_eq!(started.code, 0, "{started:?}");
    assert!(
        started.stderr.contains("bashful attach bash-"),
        "{started:?}"
    );
    started.stdout.trim().to_owned()
}

fn shown(world: &World, id: &str) -> Value {
    let told = world.call(&["tasks", "show", id, "--json"]);
    assert_eq!(told.code, 0, "{told:?}");
    serde_json::from_str::<Value>(&told.stdout).unwrap()["task"].clone()
}

fn screen(world: &World, id: &str) -> String {
    let told = world.call(&["logs", id, "--screen"]);
    assert_eq!(told.code, 0, "{told:?}");
    told.stdout
}

fn shows(world: &World, id: &str, text: &str) {
    let there = eventually(|| screen(world, id).contains(text));
    assert!(there, "no {text:?} on:\n{}", screen(world, id));
}

fn end(world: &World, id: &str) {
    let killed = world.call(&["kill", "--now", id]);
    assert_eq!(killed.code, 0, "{killed:?}");
}

#[test]
fn a_person_sits_at_the_terminal_of_a_run() {
    let world = World::new();
    let command = "read -p 'Name: ' name; stty size; echo \"<$name>\"; exit 7";
    let mut terminal = Terminal::bashful(&world, &["run", "--tty", command]);
    terminal.look_for("Name: ", 1);
    terminal.paste(b"Ada\r");
    let (code, seen) = terminal.end();
    assert_eq!(code, 7, "{seen}");
    assert!(seen.contains("<Ada>"), "{seen}");
    assert!(seen.contains("40 100"), "{seen}");
    // What was on it stays, on the person's own screen.
    let own = seen.rsplit("\u{1b}[?1049l").next().unwrap();
    assert!(own.contains("<Ada>"), "{seen}");
}

#[test]
fn output_that_is_slow_to_draw_holds_up_nobody() {
    let world = World::new();
    // Eight bytes that repeat a character 65535 times, over and over.
    let command = "printf a; printf '\\033[65535b%.0s' $(seq 1 20000); \
        printf '\\033[2J\\033[Hthe end'; sleep 60";
    let id = behind(&world, command);
    let printed = || shown(&world, &id)["output_bytes"].as_u64().unwrap() > 160_000;
    assert!(eventually(printed));
    let began = Instant::now();
    assert_eq!(screen(&world, &id), "the end\n");
    assert!(
        began.elapsed() < Duration::from_secs(15),
        "{:?}",
        began.elapsed()
    );
    end(&world, &id);
}

#[test]
fn nothing_a_program_prints_reaches_the_persons_terminal_as_it_is() {
    let world = World::new();
    let evil = r"printf '\033]52;c;ZXZpbA==\007\033]0;evil title\007\033[6n\033Pevil\033\\'; \
        printf '\033[31mred\033[0m\n'; sleep 1";
    let terminal = Terminal::bashful(&world, &["run", "--tty", evil]);
    terminal.look_for("red", 1);
    let (code, seen) = terminal.end();
    assert_eq!(code, 0, "{seen}");
    for bad in ["]52", "]0;", "[6n", "\u{1b}P"] {
        assert!(!seen.contains(bad), "{bad:?} in {seen:?}");
    }
    assert!(seen.contains("\u{1b}[31mred"), "{seen:?}");
}

#[test]
fn one_can_leave_and_come_back() {
    let world = World::new();
    let id = behind(
        &world,
        "while read -p 'say: ' word; do echo \"[$word]\"; done",
    );
    shows(&world, &id, "say:");
    let mut first = Terminal::bashful(&world, &["attach", &id]);
    first.look_for("say: ", 1);
    first.paste(b"one\r");
    first.look_for("[one]", 1);
    first.paste(LEAVE);
    let (code, seen) = first.end();
    assert_eq!(code, 0, "{seen}");
    assert!(seen.contains("the task goes on"), "{seen}");

    let sent = world.call(&["send", &id, "two", "--enter"]);
    assert_eq!(sent.code, 0, "{sent:?}");
    shows(&world, &id, "[two]");

    let mut second = Terminal::bashful(&world, &["attach", &id]);
    // What was there before is drawn again.
    second.look_for("[two]", 1);
    second.paste(b"\x04");
    let (code, seen) = second.end();
    assert_eq!(code, 0, "{seen}");
    assert!(!seen.contains("the task goes on"), "{seen}");
    assert_eq!(shown(&world, &id)["state"], "finished");
}

#[test]
fn one_press_of_the_key_goes_to_the_task() {
    let world = World::new();
    let id = behind(
        &world,
        "trap 'echo quit; exit 3' QUIT; echo ready; while :; do sleep 0.05; done",
    );
    shows(&world, &id, "ready");
    let mut terminal = Terminal::bashful(&world, &["attach", &id]);
    terminal.look_for("ready", 1);
    terminal.paste(b"\x1c");
    let (code, seen) = terminal.end();
    assert_eq!(code, 3, "{seen}");
}

#[test]
fn whoever_leaves_a_run_leaves_it_running() {
    let world = World::new();
    let command = "read -p 'say: ' word; echo \"[$word]\" > said";
    let mut terminal = Terminal::bashful(&world, &["run", "--tty", command]);
    terminal.look_for("say: ", 1);
    terminal.paste(LEAVE);
    let (code, seen) = terminal.end();
    assert_eq!(code, 0, "{seen}");
    let id = seen.split("bashful attach ").nth(1).unwrap();
    let id = id.split('`').next().unwrap();
    let sent = world.call(&["send", id, "later", "--enter"]);
    assert_eq!(sent.code, 0, "{sent:?}");
    assert!(eventually(
        || world.workspace().join("said").exists() && world.read("said") == "[later]\n"
    ));
}

#[test]
fn a_terminal_is_as_it_was_when_we_are_ended() {
    let world = World::new();
    let id = behind(&world, "echo ready; sleep 1000");
    shows(&world, &id, "ready");
    let terminal = Terminal::bashful(&world, &["attach", &id]);
    terminal.look_for("ready", 1);
    let pid = attached(&id);
    Terminal::signal(pid, Signal::TERM);
    let (code, seen) = terminal.end();
    assert_eq!(code, 130, "{seen}");
    assert!(seen.contains("\u{1b}[?1049l"), "{seen:?}");
    assert_eq!(shown(&world, &id)["state"], "running");
    end(&world, &id);
}

/// The process that is attached to this task.
fn attached(id: &str) -> i32 {
    let words = |pid: i32| fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let is_meant = |pid: &i32| {
        let words = words(*pid);
        let mut words = words.split(|byte| *byte == 0);
        words
            .next()
            .is_some_and(|program| program.ends_with(b"bashful"))
            && words.next() == Some(b"attach")
            && words.next() == Some(id.as_bytes())
    };
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let mut pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.find(is_meant).unwrap()
}

#[test]
fn keys_and_the_end_of_input_are_sent() {
    let world = World::new();
    let sleeper = behind(&world, "echo ready; sleep 1000");
    shows(&world, &sleeper, "ready");
    assert_eq!(world.call(&["send", &sleeper, "--keys", "ctrl-c"]).code, 0);
    assert_eq!(world.call(&["wait", &sleeper]).code, 130);
    let late = world.call(&["send", &sleeper, "x"]);
    assert!(late.stderr.contains("has ended"), "{late:?}");
    assert_ne!(late.code, 0);

    let open = world.call(&[
        "run",
        "--background",
        "--keep-input",
        "sort > sorted; echo done",
    ]);
    let id = open.stdout.trim();
    assert_eq!(world.call(&["send", id, "b\na", "--enter"]).code, 0);
    assert_eq!(world.call(&["send", id, "--eof"]).code, 0);
    assert_eq!(world.call(&["wait", id]).code, 0);
    assert_eq!(world.read("sorted"), "a\nb\n");
}

#[test]
fn a_question_is_told() {
    let world = World::new();
    let id = behind(&world, "read -s -p 'Password: ' word; echo; echo ${#word}");
    let began = Instant::now();
    let asks = || shown(&world, &id)["needs_input"].clone();
    assert!(eventually(|| asks() != Value::Null));
    assert!(began.elapsed() < Duration::from_secs(30));
    assert_eq!(
        asks(),
        serde_json::json!({ "line": "Password:", "hidden": true })
    );
    assert_eq!(shown(&world, &id)["state"], "needs_input");
    assert_eq!(world.call(&["send", &id, "secret", "--enter"]).code, 0);
    assert_eq!(world.call(&["wait", &id]).code, 0);
    assert_eq!(screen(&world, &id), "Password:\n6\n");
}

#[test]
fn what_makes_no_sense_is_said() {
    let world = World::new();
    let id = behind(&world, "sleep 1000");
    let told = [
        &["attach", &id][..],
        &["send", &id],
        &["send", &id, "--keys", "nokey"],
        &["run", "--tty", "--size", "0x0", "true"],
        &["run", "--size", "80x24", "true"],
    ]
    .map(|arguments| world.call(arguments));
    assert_snapshot!(world.complaints(&told), @"
    2  bashful: error: `attach` is for a person at a terminal; use `bashful send` and `bashful logs --screen`
    2  error: the following required arguments were not provided:
    2  error: invalid value 'nokey' for '--keys <KEYS>': `nokey` is not a key; keys are enter, tab, escape, space, backspace, up, down, left, right, home, end, page-up, page-down, insert, delete, f1 to f12, ctrl-a to ctrl-z, alt-x, or one character
    2  error: invalid value '0x0' for '--size <COLUMNSxROWS>': expected columns and rows up to 500, as in 80x24
    2  error: the following required arguments were not provided:
    ");
    let plain = world.call(&["run", "--background", "sleep 1000"]);
    let plain = plain.stdout.trim();
    assert_snapshot!(world.screen(&["send", plain, "x"]), @"
    exit code 125
    ----- stderr -----
    bashful: error: the task `bash-[ID]` has no input that can be sent to
    bashful: hint: start it with --tty, or with --keep-input, to send to it
    ");
    // A model reads of arguments of the tool, and of no flags.
    let told = [
        ("task_send", json!({ "task_id": plain, "text": "x" })),
        ("task_send", json!({ "task_id": plain })),
        ("task_output", json!({ "task_id": plain, "after": 99 })),
        ("task_output", json!({ "task_id": "bash-none" })),
    ]
    .map(|(tool, arguments)| world.call(&["tools", "call", tool, &arguments.to_string()]));
    assert_snapshot!(world.complaints(&told), @"
    2  bashful: error: the task `bash-[ID]` has no input that can be sent to; start it with `tty` to give it a terminal
    2  bashful: error: `task_send` needs one of `text`, `enter`, `keys` or `eof`
    2  bashful: error: the log of the task `bash-[ID]` ends at 0, before 99; read on from the `next` of the last answer, or from 0
    2  bashful: error: there is no task `bash-none`; task_list shows your tasks
    ");
    assert_snapshot!(world.screen(&["logs", "bash-none"]), @"
    exit code 2
    ----- stderr -----
    bashful: error: there is no task `bash-none`
    bashful: hint: `bashful tasks --all` lists them
    ");
    assert_snapshot!(world.screen(&["logs", "--screen", plain]), @"
    exit code 125
    ----- stderr -----
    bashful: error: the task `bash-[ID]` has no terminal
    bashful: hint: start it with --tty to give it one
    ");
    end(&world, &id);
    end(&world, plain);
}

#[test]
fn what_is_typed_goes_on_record_without_its_text() {
    let world = World::new();
    let started = world.call(&[
        "run",
        "--background",
        "--keep-input",
        "cat >typed; sleep 60",
    ]);
    assert_eq!(started.code, 0, "{started:?}");
    let id = started.stdout.trim();
    let sent = world.call(&["send", id, "echo hello", "--enter", "--eof"]);
    assert_eq!(sent.code, 0, "{sent:?}");
    assert!(eventually(
        || fs::read(world.workspace().join("typed")).is_ok_and(|typed| typed == b"echo hello\n")
    ));
    end(&world, id);
    let terminal = behind(
        &world,
        "read -p 'Name: ' x; read -sp 'Password: ' y; sleep 60",
    );
    shows(&world, &terminal, "Name:");
    let mut person = Terminal::bashful(&world, &["attach", &terminal]);
    person.look_for("Name:", 1);
    person.paste(b"Ada\r");
    person.look_for("Password:", 1);
    person.paste(LEAVE);
    assert_eq!(person.end().0, 0);
    assert!(eventually(
        || shown(&world, &terminal)["needs_input"]["hidden"] == true
    ));
    assert_eq!(
        world.call(&["send", &terminal, "hunter2", "--enter"]).code,
        0
    );
    end(&world, &terminal);
    let listed = world.call(&["audit", "list", "--event", "input", "--json"]);
    assert_eq!(listed.code, 0, "{listed:?}");
    assert!(!listed.stdout.contains("hello"), "{listed:?}");
    let found: Vec<Value> = listed
        .stdout
        .lines()
        .map(|line| {
            let record: Value = serde_json::from_str(line).unwrap();
            json!([
                record["task"],
                record["how"],
                record["bytes"],
                record["sha256"],
                record["end"]
            ])
        })
        .collect();
    // `echo hello` and the end of its line.
    let digest = "5dbad7dd0b9b122dcd9956884390f4aac4738caba8ff53498a7ab6718b176c30";
    let expected = [
        json!([id, "send", 11, digest, null]),
        json!([id, "send", 0, null, true]),
        json!([terminal, "attach_began", null, null, null]),
        json!([terminal, "attach_ended", 4, null, null]),
        json!([terminal, "send", 8, null, null]),
    ];
    assert_eq!(found, expected);
}

#[test]
fn characters_that_turn_text_around_are_seen_and_not_obeyed() {
    let world = World::new();
    // U+202E, U+2066 and U+200B, byte by byte: no locale changes that.
    let command = r"printf 'ab\342\200\256cd\342\201\246e\342\200\213f\n'; sleep 60";
    let id = behind(&world, command);
    shows(&world, &id, "f\n");
    let seen = screen(&world, &id);
    assert!(
        !seen.contains(['\u{202e}', '\u{2066}', '\u{200b}']),
        "{seen:?}"
    );
    let mut person = Terminal::bashful(&world, &["attach", &id]);
    person.look_for("cd", 1);
    person.paste(LEAVE);
    let (code, seen) = person.end();
    assert_eq!(code, 0, "{seen}");
    assert!(!seen.contains(['\u{202e}', '\u{2066}']), "{seen:?}");
    end(&world, &id);
}

#[test]
fn a_signal_that_there_is_not_says_so() {
    let world = World::new();
    let id = behind(&world, "sleep 60");
    for number in ["32", "33", "64"] {
        let told = world.call(&["kill", "--signal", number, &id]);
        assert_eq!((told.code, told.stdout.as_str()), (2, ""), "{told:?}");
        assert!(told.stderr.contains("is not a signal"), "{told:?}");
    }
    end(&world, &id);
}

#[test]
fn a_person_who_is_sent_away_gets_their_terminal_back() {
    let world = World::new();
    let id = behind(&world, "echo here; sleep 60");
    shows(&world, &id, "here");
    let call = format!(
        "sh -c 'echo $$ >pid; exec {} attach {id}'",
        binary().display()
    );
    let terminal = Terminal::line(&world, &call);
    terminal.look_for("here", 1);
    let pid = world.read("pid").trim().parse().unwrap();
    Terminal::signal(pid, Signal::QUIT);
    // The modes of the terminal are compared there.
    let (code, seen) = terminal.end();
    assert_eq!(code, 130, "{seen}");
    end(&world, &id);
}
