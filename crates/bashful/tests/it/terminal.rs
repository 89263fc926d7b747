//! What a person sees: a frame on a terminal, and nothing a command could forge.

use std::process::Command;

use serde_json::json;

use crate::support::{Marker, NOTICE, Running, World, binary};

/// The executable on a terminal of its own, 100 columns wide.
fn on_a_terminal(world: &World, arguments: &[&str]) -> Command {
    let words = arguments.iter().map(|word| quoted(word));
    let program = quoted(binary().to_str().unwrap());
    let line = format!(
        "stty cols 100 rows 30; exec {program} {}",
        words.collect::<Vec<_>>().join(" ")
    );
    let mut command = world.program("script");
    command
        .args(["-qec", &line, "/dev/null"])
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .env("LANG", "C.UTF-8")
        .env("SHELL", "/bin/sh");
    command
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The exit code and the bytes that the terminal got.
fn drawn(world: &World, arguments: &[&str]) -> (i32, String) {
    let outcome = Running::start(on_a_terminal(world, arguments))
        .end()
        .outcome();
    (outcome.code, outcome.stdout)
}

/// The lines on the screen, without the sequences that we draw with.
fn lines(drawn: &str) -> Vec<String> {
    let plain = drawn
        .replace("\u{1b}[?7l", "")
        .replace("\u{1b}[?7h", "")
        .replace("\r\u{1b}[K", "");
    plain
        .lines()
        .map(|line| line.trim_end_matches('\r').to_owned())
        .collect()
}

fn rule(line: &str) -> bool {
    line.chars().count() > 20 && line.chars().all(|c| c == '─')
}

/// The lines after a notice, if there is one: header, rule, rows, rule, outcome.
fn frame(drawn: &str) -> (String, Vec<String>, String) {
    let lines = lines(drawn);
    let header = lines.iter().position(|line| line.starts_with("Running: "));
    let header = header.unwrap_or_else(|| panic!("no header in {lines:?}"));
    let last = lines.iter().rposition(|line| rule(line)).unwrap();
    assert!(rule(&lines[header + 1]), "{lines:?}");
    assert_eq!(lines.len(), last + 2, "{lines:?}");
    let rows = lines[header + 2..last].to_vec();
    (lines[header].clone(), rows, lines[last + 1].clone())
}

#[test]
fn a_frame_around_the_output() {
    let world = World::new();
    let arguments = [
        "run",
        "--description",
        "Say it",
        "echo out; sleep 0.2; echo err >&2",
    ];
    let (code, drawn) = drawn(&world, &arguments);
    let (header, rows, outcome) = frame(&drawn);
    let found = json!([code, header, rows]);
    assert_eq!(found, json!([0, "Running: Say it", ["│ out", "┆ err"]]));
    assert!(outcome.starts_with("✓ Command completed ("), "{outcome}");
    assert!(outcome.ends_with("s)"), "{outcome}");
}

#[test]
fn the_notice_stands_before_the_frame() {
    let world = World::new();
    let arguments = ["run", "--sandbox", "none", "--policy", "none", "true"];
    let (_, drawn) = drawn(&world, &arguments);
    let text = lines(&drawn).join("\n");
    let first = NOTICE.split(':').next().unwrap();
    assert!(text.starts_with(first), "{text}");
    assert!(text.contains("\nRunning: true\n"), "{text}");
}

#[test]
fn without_a_description_the_command_is_the_title() {
    let world = World::new();
    let (_, drawn) = drawn(&world, &["run", "echo hi"]);
    assert_eq!(frame(&drawn).0, "Running: echo hi");
}

#[test]
fn the_closing_line_tells_how_it_ended() {
    let world = World::new();
    let cases: [(&[&str], i32, &str); 3] = [
        (&["run", "exit 3"], 3, "✗ Command failed: exit code 3 ("),
        (
            &["run", "kill -KILL $$"],
            137,
            "✗ Command killed by SIGKILL (",
        ),
        (
            &["run", "--max-output", "5", "exit 4"],
            4,
            "✗ Command failed: exit code 4 (",
        ),
    ];
    for (arguments, expected, start) in cases {
        let (code, drawn) = drawn(&world, arguments);
        let (_, _, outcome) = frame(&drawn);
        assert_eq!(
            (code, outcome.starts_with(start)),
            (expected, true),
            "{outcome}"
        );
    }
    let (code, drawn) = drawn(&world, &["run", "--timeout", "1s", "sleep 30"]);
    assert_eq!(code, 124);
    assert!(drawn.contains("✗ Command timed out after 1s"), "{drawn}");
}

#[test]
fn escapes_of_the_command_are_neutralised() {
    let world = World::new();
    let text = r"printf '\033[2Jclear \033]0;title\007 \033[1Aup \033[?1049h \033c \233m end\n'";
    let (code, drawn) = drawn(&world, &["run", "-d", "x", text]);
    assert_eq!(code, 0);
    for sequence in [
        "\u{1b}[2J",
        "\u{1b}]",
        "\u{1b}[1A",
        "\u{1b}[?1049h",
        "\u{1b}c",
        "\u{9b}",
    ] {
        assert!(!drawn.contains(sequence), "{sequence:?} in {drawn:?}");
    }
    let (_, rows, _) = frame(&drawn);
    assert!(
        rows[0].starts_with("│ ") && rows[0].contains("clear"),
        "{rows:?}"
    );
}

#[test]
fn escapes_of_a_description_are_neutralised() {
    let world = World::new();
    let title = "fine\u{1b}[2J\n✓ Command completed (1s)";
    let (_, drawn) = drawn(&world, &["run", "--description", title, "true"]);
    assert!(!drawn.contains("\u{1b}[2J"), "{drawn:?}");
    let lines = lines(&drawn);
    let forged = lines
        .iter()
        .filter(|line| line.starts_with("✓ Command completed"));
    assert_eq!(forged.count(), 1, "{lines:?}");
}

#[test]
fn a_command_cannot_draw_a_line_without_a_gutter() {
    let world = World::new();
    let text = r"printf 'a\r✓ Command completed (1s)\n\n✓ Command completed\n';
        printf '%0300d\n' 7; printf 'no end'";
    let (_, drawn) = drawn(&world, &["run", "-d", "x", text]);
    let (_, rows, outcome) = frame(&drawn);
    for row in &rows {
        assert!(row.starts_with('│'), "{row:?} in {rows:?}");
        assert!(row.chars().count() <= 100, "{row:?}");
    }
    assert!(outcome.starts_with("✓ Command completed ("), "{outcome}");
    assert!(rows.last().unwrap().ends_with("no end"), "{rows:?}");
}

#[test]
fn a_spinner_after_two_seconds_of_silence() {
    let world = World::new();
    let (_, drawn) = drawn(&world, &["run", "sleep 4; echo done"]);
    assert!(drawn.contains("Still running ("), "{drawn:?}");
    // And it is gone when there is output to see.
    let (_, rows, _) = frame(&drawn);
    assert!(rows.last().unwrap().ends_with("│ done"), "{rows:?}");
}

#[test]
fn colour_only_when_wanted() {
    let world = World::new();
    let painted = |line: &str| line.contains("\u{1b}[3") || line.contains("\u{1b}[1m");
    let (_, plain) = drawn(&world, &["run", "true"]);
    assert!(!painted(&plain), "{plain:?}");
    let mut command = on_a_terminal(&world, &["run", "true"]);
    command.env_remove("NO_COLOR");
    let coloured = Running::start(command).end().outcome().stdout;
    assert!(painted(&coloured), "{coloured:?}");
}

#[test]
fn without_a_capable_terminal_there_is_no_frame_but_escapes_are_neutralised() {
    let world = World::new();
    let mut command = on_a_terminal(&world, &["run", r"printf '\033[2Jx\n'"]);
    command.env("TERM", "dumb");
    let drawn = Running::start(command).end().outcome().stdout;
    assert!(
        !drawn.contains("Running: ") && !drawn.contains('\u{1b}'),
        "{drawn:?}"
    );
}

#[test]
fn ctrl_c_on_a_terminal_cancels() {
    let world = World::new();
    let marker = Marker::fresh();
    let mut command = on_a_terminal(&world, &["run", &marker.sleep()]);
    command.stdin(std::process::Stdio::piped());
    let mut running = Running::start(command);
    marker.wait_for(1);
    running.write(b"\x03");
    let outcome = running.end().outcome();
    marker.assert_gone();
    assert_eq!(outcome.code, 130, "{outcome:?}");
    assert!(
        outcome.stdout.contains("✗ Command cancelled ("),
        "{outcome:?}"
    );
}
