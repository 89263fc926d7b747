//! Output that is too long: which part is shown, and the exact words where it is cut.

use serde_json::{Value, json};

use crate::support::{World, ran, seq};

const DIGITS: &str = "printf 0123456789abcdefghij";

/// What `--json` holds of both streams with this limit.
fn shown(command: &str, keep: &str, limit: &str) -> Value {
    let arguments = ["--max-output", limit, "--keep", keep, command];
    let (code, result) = World::new().json(&arguments);
    assert_eq!(code, 0, "{result}");
    json!({
        "stdout": result["stdout"], "stdout_bytes": result["stdout_bytes"],
        "stderr": result["stderr"], "stderr_bytes": result["stderr_bytes"],
        "truncated": result["truncated"],
    })
}

fn streams(stdout: (&str, u64), stderr: (&str, u64), truncated: bool) -> Value {
    json!({
        "stdout": stdout.0, "stdout_bytes": stdout.1,
        "stderr": stderr.0, "stderr_bytes": stderr.1,
        "truncated": truncated,
    })
}

#[test]
fn tail_of_stdout() {
    let cut = "[Output truncated: showing last 6 chars of 20 chars]\nefghij";
    let expected = streams((cut, 20), ("", 0), true);
    assert_eq!(shown(DIGITS, "tail", "6"), expected);
}

#[test]
fn tail_of_stderr() {
    let cut = "[Output truncated: showing last 6 chars of 20 chars]\nefghij";
    let expected = streams(("short", 5), (cut, 20), true);
    let command = format!("printf short; {DIGITS} >&2");
    assert_eq!(shown(&command, "tail", "6"), expected);
}

#[test]
fn head_of_stdout() {
    let cut = "012345\n... (14 characters truncated) ...";
    let expected = streams((cut, 20), ("", 0), true);
    assert_eq!(shown(DIGITS, "head", "6"), expected);
}

#[test]
fn head_of_stderr() {
    let cut = "012345\n... (14 characters truncated) ...";
    let expected = streams(("short", 5), (cut, 20), true);
    let command = format!("printf short; {DIGITS} >&2");
    assert_eq!(shown(&command, "head", "6"), expected);
}

#[test]
fn head_and_tail_of_stdout() {
    let cut = "012\n... (14 characters truncated) ...\nhij";
    let expected = streams((cut, 20), ("", 0), true);
    assert_eq!(shown(DIGITS, "head-tail", "6"), expected);
}

#[test]
fn head_and_tail_of_stderr() {
    let cut = "012\n... (14 characters truncated) ...\nhij";
    let expected = streams(("short", 5), (cut, 20), true);
    let command = format!("printf short; {DIGITS} >&2");
    assert_eq!(shown(&command, "head-tail", "6"), expected);
}

#[test]
fn both_streams_have_a_limit_each() {
    let cut = "012\n... (14 characters truncated) ...\nhij";
    let expected = streams((cut, 20), (cut, 20), true);
    let command = format!("{DIGITS}; {DIGITS} >&2");
    assert_eq!(shown(&command, "head-tail", "6"), expected);
}

#[test]
fn what_fits_exactly_is_not_cut() {
    let whole = "0123456789abcdefghij";
    for keep in ["head", "tail", "head-tail"] {
        let expected = streams((whole, 20), ("", 0), false);
        assert_eq!(shown(DIGITS, keep, "20"), expected, "{keep}");
    }
}

#[test]
fn one_character_too_many_is_cut() {
    let tail = "[Output truncated: showing last 19 chars of 20 chars]\n123456789abcdefghij";
    let head = "0123456789abcdefghi\n... (1 characters truncated) ...";
    let both = "012345678\n... (1 characters truncated) ...\nabcdefghij";
    for (keep, cut) in [("tail", tail), ("head", head), ("head-tail", both)] {
        let expected = streams((cut, 20), ("", 0), true);
        assert_eq!(shown(DIGITS, keep, "19"), expected, "{keep}");
    }
}

#[test]
fn cuts_fall_between_characters() {
    // Two, three and four bytes each.
    for (character, bytes) in [("é", 2), ("€", 3), ("😀", 4)] {
        let command = format!("printf '{character}%.0s' {{1..100}}");
        let (five, ten) = (character.repeat(5), character.repeat(10));
        let cases = [
            (
                "tail",
                format!("[Output truncated: showing last 10 chars of 100 chars]\n{ten}"),
            ),
            ("head", format!("{ten}\n... (90 characters truncated) ...")),
            (
                "head-tail",
                format!("{five}\n... (90 characters truncated) ...\n{five}"),
            ),
        ];
        for (keep, cut) in cases {
            let expected = streams((&cut, 100 * bytes), ("", 0), true);
            assert_eq!(shown(&command, keep, "10"), expected, "{keep} {character}");
        }
    }
}

#[test]
fn a_line_end_before_the_marker_is_not_doubled() {
    let cut = "12345\n... (7 characters truncated) ...\nabcde\n";
    let expected = streams((cut, 19), ("", 0), true);
    let command = "printf '12345\\n678\\n90\\nabcde\\n'";
    assert_eq!(shown(command, "head-tail", "12"), expected);
}

#[test]
fn json_holds_30000_characters_unless_told_otherwise() {
    let world = World::new();
    let (_, result) = world.json(&["head -c 40000 /dev/zero | tr '\\0' x"]);
    let half = "x".repeat(15_000);
    let expected = format!("{half}\n... (10000 characters truncated) ...\n{half}");
    let found = result["stdout"].as_str().unwrap();
    assert!(found == expected, "{} characters", found.len());
    assert_eq!(
        json!([result["truncated"], result["stdout_bytes"]]),
        json!([true, 40_000])
    );
}

#[test]
fn the_log_on_disk_is_complete() {
    let world = World::new();
    let arguments = ["--max-output", "10", "head -c 40000 /dev/zero | tr '\\0' x"];
    let (_, result) = world.json(&arguments);
    let log = std::fs::read(result["output_file"].as_str().unwrap()).unwrap();
    assert!(log == vec![b'x'; 40_000], "{} bytes", log.len());
}

#[test]
fn a_person_sees_the_cut_in_place() {
    let world = World::new();
    let arguments = ["--max-output", "6", "--keep", "tail", DIGITS];
    let cut = "[Output truncated: showing last 6 chars of 20 chars]\nefghij";
    assert_eq!(world.run(&arguments), ran(0, cut, ""));
    let command = format!("{DIGITS} >&2");
    let arguments = ["--max-output", "6", "--keep", "head-tail", &command];
    let cut = "012\n... (14 characters truncated) ...\nhij";
    assert_eq!(world.run(&arguments), ran(0, "", cut));
}

#[test]
fn without_a_limit_a_person_sees_everything() {
    let world = World::new();
    let outcome = world.run(&["seq 1 50000"]);
    let expected = seq(1, 50_000);
    assert!(
        outcome == ran(0, &expected, ""),
        "{} bytes",
        outcome.stdout.len()
    );
}
