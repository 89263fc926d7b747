//! How much of the output a result holds, and what the log on disk has.

use std::fs;

use bashful_engine::config::{Keep, OnLogFull};
use bashful_engine::{Engine, ExecutionResult, Invocation, OutputLimit, Status};

use crate::support::{House, run};

fn limited(engine: &Engine, command: &str, limit: OutputLimit) -> ExecutionResult {
    run(engine, Invocation::bash(command).output(limit))
}

const ALPHABET: &str =
    "printf '%s' abcdefghijklmnopqrstuvwxyz; printf '%s' ABCDEFGHIJKLMNOPQRSTUVWXYZ >&2";

#[test]
fn each_way_of_keeping_has_its_marker() {
    let house = House::new();
    let engine = house.engine();
    for (keep, stdout, stderr) in [
        (
            Keep::Head,
            "abcdefghij\n... (16 characters truncated) ...",
            "ABCDEFGHIJ\n... (16 characters truncated) ...",
        ),
        (
            Keep::Tail,
            "[Output truncated: showing last 10 chars of 26 chars]\nqrstuvwxyz",
            "[Output truncated: showing last 10 chars of 26 chars]\nQRSTUVWXYZ",
        ),
        (
            Keep::HeadTail,
            "abcde\n... (16 characters truncated) ...\nvwxyz",
            "ABCDE\n... (16 characters truncated) ...\nVWXYZ",
        ),
    ] {
        let result = limited(&engine, ALPHABET, OutputLimit::characters(keep, 10));
        assert_eq!(
            (result.stdout.as_str(), result.stderr.as_str()),
            (stdout, stderr)
        );
        assert!(result.truncated);
        assert_eq!((result.stdout_bytes, result.stderr_bytes), (26, 26));
        let log = fs::read(result.output_file.unwrap()).unwrap();
        assert_eq!(log.len(), 52, "the log is complete");
        let result = limited(&engine, ALPHABET, OutputLimit::characters(keep, 26));
        assert_eq!(result.stdout, "abcdefghijklmnopqrstuvwxyz");
        assert!(!result.truncated);
    }
}

#[test]
fn one_stream_can_be_cut_and_the_other_not() {
    let house = House::new();
    let limit = OutputLimit::characters(Keep::Tail, 5);
    let result = limited(&house.engine(), "printf 123456789; printf ok >&2", limit);
    assert_eq!(
        result.stdout,
        "[Output truncated: showing last 5 chars of 9 chars]\n56789"
    );
    assert_eq!((result.stderr.as_str(), result.truncated), ("ok", true));
}

#[test]
fn cuts_fall_between_characters() {
    let house = House::new();
    let engine = house.engine();
    let text = "aé€🦀".repeat(50);
    fs::write(house.file("text"), &text).unwrap();
    for amount in 1..12 {
        let head: String = text.chars().take(amount).collect();
        let tail: String = text.chars().skip(200 - amount).collect();
        let hidden = 200 - amount;
        let kept =
            |keep| limited(&engine, "cat text", OutputLimit::characters(keep, amount)).stdout;
        assert_eq!(
            kept(Keep::Head),
            format!("{head}\n... ({hidden} characters truncated) ...")
        );
        assert_eq!(
            kept(Keep::Tail),
            format!("[Output truncated: showing last {amount} chars of 200 chars]\n{tail}")
        );
    }
    for amount in 130..150 {
        for keep in [Keep::Head, Keep::Tail, Keep::HeadTail] {
            let result = limited(&engine, "cat text", OutputLimit::bytes(keep, amount));
            assert!(result.stdout.len() <= amount, "{keep:?} {amount}");
            assert!(!result.stdout.contains('\u{fffd}'), "{keep:?} {amount}");
        }
    }
}

#[test]
fn the_default_is_thirty_thousand_characters_head_and_tail() {
    let house = House::new();
    let engine = house.engine();
    let command = "printf A; head -c 40000 /dev/zero | tr '\\0' x; printf Z";
    let result = run(&engine, Invocation::bash(command));
    let half = "x".repeat(14_999);
    assert_eq!(
        result.stdout,
        format!("A{half}\n... (10002 characters truncated) ...\n{half}Z")
    );
}

#[test]
fn binary_output_is_text_and_bytes() {
    let house = House::new();
    let command = "head -c 4096 /dev/urandom | tee copy";
    let result = run(&house.engine(), Invocation::bash(command));
    let copy = fs::read(house.file("copy")).unwrap();
    assert_eq!(result.stdout_as_bytes(), copy);
    assert_eq!(result.stdout, String::from_utf8_lossy(&copy));
    assert_eq!(fs::read(result.output_file.unwrap()).unwrap(), copy);
}

#[test]
fn a_nul_byte_is_a_byte() {
    let house = House::new();
    let result = run(&house.engine(), Invocation::bash(r"printf 'a\0b'"));
    assert_eq!(result.stdout, "a\0b");
}

#[test]
fn a_full_log_lets_the_command_go_on_or_stops_it() {
    const QUOTA: u64 = 100_000;
    let house = House::new();
    let engine = house.engine();
    let print = "head -c 1000000 /dev/zero | tr '\\0' x; printf END; touch reached";
    let go_on = Invocation::bash(print).log_quota(QUOTA, OnLogFull::Continue);
    let result = run(&engine, go_on);
    assert_eq!(result.status, Status::Success);
    assert_eq!(
        (result.stdout_bytes, result.log_end),
        (1_000_003, Some("quota"))
    );
    assert!(result.truncated && house.file("reached").exists());
    assert!(
        result.stdout.ends_with("xxEND"),
        "the end is kept past the quota"
    );
    assert!(
        result
            .stdout
            .contains("... (970003 characters truncated) ...")
    );
    let stored = fs::metadata(result.output_file.unwrap()).unwrap().len();
    // The quota, and the ends that the result needs.
    assert!((QUOTA..QUOTA + 300_000).contains(&stored), "{stored} bytes");

    let stop = Invocation::bash("yes; touch gone-on").log_quota(QUOTA, OnLogFull::Stop);
    let result = run(&engine, stop);
    assert_eq!(result.status, Status::HardFailure);
    assert_eq!(result.log_end, Some("quota"));
    assert!(result.error.unwrap().contains("quota"));
    assert!(result.stdout_bytes >= QUOTA);
    assert!(!house.file("gone-on").exists());
}

#[test]
fn a_log_within_its_quota_is_complete() {
    let house = House::new();
    let exact = Invocation::bash("printf 0123456789").log_quota(10, OnLogFull::Stop);
    let result = run(&house.engine(), exact);
    assert_eq!((result.status, result.log_end), (Status::Success, None));
    assert_eq!(result.stdout, "0123456789");
}

#[test]
fn output_just_past_the_quota_is_told_once() {
    let house = House::new();
    let engine = house.engine();
    for keep in [Keep::Head, Keep::Tail, Keep::HeadTail] {
        let invocation = Invocation::bash("printf 0123456789; sleep 0.1; printf abcde")
            .output(OutputLimit::characters(keep, 1000))
            .log_quota(10, OnLogFull::Continue);
        let result = run(&engine, invocation);
        let told = (
            result.stdout.as_str(),
            result.truncated,
            result.stdout_bytes,
        );
        if keep == Keep::Head {
            // Its end is not kept, so five characters are missing.
            let cut = "0123456789\n... (5 characters truncated) ...";
            assert_eq!(told, (cut, true, 15), "{keep:?}");
        } else {
            assert_eq!(told, ("0123456789abcde", false, 15), "{keep:?}");
        }
    }
}

#[test]
fn many_tiny_writes_of_both_streams_do_not_lose_their_order() {
    let house = House::new();
    // The pause makes sure that each is read before the next is written.
    let command = "for i in 1 2 3 4 5; do echo o$i; sleep 0.05; echo e$i >&2; sleep 0.05; done";
    let result = run(&house.engine(), Invocation::bash(command));
    let log = fs::read_to_string(result.output_file.unwrap()).unwrap();
    assert_eq!(log, "o1\ne1\no2\ne2\no3\ne3\no4\ne4\no5\ne5\n");
}

#[test]
fn a_second_copy_of_the_log_goes_where_it_was_asked() {
    let house = House::new();
    let copy = house.path().join("copy.log");
    fs::write(&copy, "older and longer content").unwrap();
    let invocation = Invocation::bash("echo out; sleep 0.1; echo err >&2").log_copy(&copy);
    let result = run(&house.engine(), invocation);
    assert_eq!(fs::read_to_string(&copy).unwrap(), "out\nerr\n");
    assert_eq!(result.output_file.unwrap(), copy);
    assert_eq!(result.log_end, None);
}

#[test]
fn a_copy_on_a_full_disk_is_said_and_the_result_is_whole() {
    let house = House::new();
    let invocation = Invocation::bash("echo text").log_copy("/dev/full");
    let result = run(&house.engine(), invocation);
    assert_eq!(
        (result.status, result.stdout.as_str()),
        (Status::Success, "text\n")
    );
    assert_eq!(result.log_end, Some("write_failed"));
}

#[test]
fn a_log_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let house = House::new();
    let result = run(&house.engine(), Invocation::bash("umask 000; echo x"));
    let log = result.output_file.unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&log), 0o600);
    assert_eq!(mode(log.parent().unwrap()), 0o700);
    for name in ["spec", "state", "index"] {
        assert_eq!(mode(&log.with_file_name(name)), 0o600, "{name}");
    }
}
