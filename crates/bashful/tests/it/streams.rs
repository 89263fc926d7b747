//! Output on its way through pipes: complete, bounded, and as it was printed.

use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use crate::support::{Marker, NOTICE, Running, Walls, World, binary, ran};

#[test]
fn empty_output() {
    for world in World::both() {
        assert_eq!(world.run(&["true"]), world.ran(0, "", ""));
        let (_, result) = world.json(&["true"]);
        let found = json!([
            result["stdout"],
            result["stderr"],
            result["stdout_bytes"],
            result["stderr_bytes"],
            result["truncated"]
        ]);
        assert_eq!(found, json!(["", "", 0, 0, false]));
    }
}

#[test]
fn binary_output_arrives_byte_for_byte() {
    for world in World::both() {
        let bytes: Vec<u8> = (0..=255_u8).cycle().take(300_000).collect();
        world.write("binary", &bytes);
        let ended = world.ended(&["cat binary; cat binary >&2"]);
        assert_eq!(ended.code, 0);
        assert!(ended.stdout == bytes, "{} bytes", ended.stdout.len());
        let stderr = ended.stderr.strip_prefix(world.notice().as_bytes());
        assert!(stderr == Some(&bytes[..]), "{} bytes", ended.stderr.len());
    }
}

#[test]
fn invalid_utf8_is_replaced_in_json_and_kept_in_the_log() {
    for world in World::both() {
        let (_, result) = world.json(&[r"printf 'a\377b\303'"]);
        let found = json!([result["stdout"], result["stdout_bytes"]]);
        assert_eq!(found, json!(["a\u{fffd}b\u{fffd}", 4]));
        let log = std::fs::read(result["output_file"].as_str().unwrap()).unwrap();
        assert_eq!(log, b"a\xffb\xc3");
    }
}

#[test]
fn nul_bytes_are_output_like_any_other() {
    let world = World::new();
    let ended = world.ended(&[r"printf 'a\0b'"]);
    assert_eq!((ended.code, ended.stdout.as_slice()), (0, &b"a\0b"[..]));
    let (_, result) = world.json(&[r"printf 'a\0b'"]);
    assert_eq!(result["stdout"], "a\0b");
}

#[test]
fn output_comes_while_the_command_runs() {
    for world in World::both() {
        let marker = Marker::fresh();
        let mut command = world.run_command(&[format!("echo first; {}", marker.sleep())]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut first = [0; 6];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut first).unwrap();
        let still_running = child.try_wait().unwrap().is_none();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!((&first, still_running), (b"first\n", true));
        marker.assert_gone_soon();
    }
}

#[test]
fn piped_output_has_no_frame_and_no_escapes_of_ours() {
    for world in World::both() {
        let mut command = world.run_command(&["--description", "Say it", "echo a; echo b >&2"]);
        command.env("TERM", "xterm-256color");
        let outcome = Running::start(command).end().outcome();
        assert_eq!(outcome, world.ran(0, "a\n", "b\n"));
        assert!(!outcome.stderr.contains('\u{1b}'), "{outcome:?}");
    }
}

#[test]
fn piped_output_keeps_the_escapes_of_the_command() {
    let world = World::new();
    let outcome = world.run(&[r"printf '\033[31mred\033[0m\n'"]);
    assert_eq!(outcome, ran(0, "\u{1b}[31mred\u{1b}[0m\n", ""));
}

#[test]
fn a_run_says_when_nothing_is_enforced_and_only_then() {
    for world in World::both() {
        let runs = [
            world.run(&["true"]),
            world.run(&["exit 3"]),
            world.run(&["--json", "true"]),
            world.run(&["--max-output", "10", "true"]),
            world.run(&["--", "true"]),
        ];
        for outcome in runs {
            assert_eq!(outcome.stderr, world.notice());
        }
    }
    let world = World::new();
    assert_eq!(world.run(&["--sandbox", "native", "true"]), ran(0, "", ""));
    world.configure("sandbox = \"none\"\n");
    let unjudged = ["--policy", "none", "true"];
    assert_eq!(world.run(&unjudged), ran(0, "", NOTICE));
}

#[test]
fn a_command_can_open_its_streams_by_name() {
    for world in World::both() {
        let text = "echo a >/dev/stdout; echo b >/dev/stderr; echo c >/dev/fd/1; \
                    echo d | tee /dev/stderr; cat /dev/stdin";
        assert_eq!(world.run(&[text]), world.ran(0, "a\nc\nd\n", "b\nd\n"));
    }
}

#[test]
fn a_reader_that_leaves_ends_an_endless_command() {
    for world in World::both() {
        let marker = Marker::fresh();
        let mut command = world.program("bash");
        // The number makes the endless command ours to look for.
        let sandbox = match world.walls() {
            Walls::Sandbox => "native",
            Walls::Nothing => "none",
        };
        let text = format!(
            "\"$1\" run --sandbox {sandbox} --policy none --timeout 90s 'yes {}' | head -1",
            marker.sleep()
        );
        command.args(["-c", &text, "bash"]).arg(binary());
        let ended = Running::start(command).end();
        let expected = world.ran(0, &format!("{}\n", marker.sleep()), "");
        assert_eq!(ended.outcome(), expected);
        assert!(ended.took < Duration::from_secs(30), "{:?}", ended.took);
        marker.assert_gone_soon();
    }
}

#[test]
fn heavy_64_mebibytes_stream_completely() {
    const SIZE: usize = 64 << 20;
    let world = World::new();
    let command = format!("yes 0123456789abcde | head -c {SIZE}");
    let ended = world.ended(&[command]);
    assert_eq!((ended.code, ended.stdout.len()), (0, SIZE));
    let whole = ended
        .stdout
        .chunks(16)
        .all(|chunk| chunk == b"0123456789abcde\n");
    assert!(whole, "not what was printed");
    assert_eq!(ended.outcome().stderr, "");
}

#[test]
fn heavy_one_endless_line_streams_completely() {
    const SIZE: usize = 16 << 20;
    let world = World::new();
    let ended = world.ended(&[format!("head -c {SIZE} /dev/zero | tr '\\0' x")]);
    assert_eq!((ended.code, ended.stdout.len()), (0, SIZE));
    assert!(ended.stdout.iter().all(|&byte| byte == b'x'));
}

#[test]
fn closed_streams_are_no_place_for_our_files() {
    for world in World::both() {
        let call = world.run_command(&["--log", "all", "echo said; echo also >&2"]);
        let mut shell = world.program("bash");
        shell.args(["-c", r#"exec "$0" "$@" <&- >&- 2>&-"#]);
        shell.arg(call.get_program()).args(call.get_args());
        // What Bashful says goes nowhere, and above all not into what it opens: log and record.
        assert_eq!(Running::start(shell).end().outcome(), ran(0, "", ""));
        assert_eq!(world.read("all"), "said\nalso\n");
        let verified = world.call(&["audit", "verify"]);
        assert_eq!(verified.code, 0, "{verified:?}");
    }
}
