//! What a run does to the process that asked for it: no memory, no descriptor, no child.
//!
//! These tests look at the whole process, so they take turns.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests may fail the test"
)]

use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bashful_engine::config::{Keep, OnLogFull};
use bashful_engine::{Invocation, OutputLimit, Status, Timeout};
use bashful_sandbox::children;

use support::{House, LONG, eventually, helper, outside, run, started};

#[path = "../it/support.rs"]
#[expect(dead_code, reason = "the other tests need more of it")]
mod support;

fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn own_pid() -> i32 {
    i32::try_from(std::process::id()).unwrap()
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

fn threads() -> usize {
    fs::read_dir("/proc/self/task").unwrap().count()
}

/// A number in kB out of `/proc/PID/status`.
fn memory_kib(pid: i32, field: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    let number = line.split_whitespace().nth(1).unwrap();
    number.parse().unwrap()
}

#[test]
fn heavy_two_hundred_runs_leave_no_child_descriptor_or_thread() {
    let _turn = turn();
    let house = House::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let engine = house.engine();
    let once = |number: usize| {
        let command = format!("echo {number}; echo e >&2");
        let invocation = Invocation::bash(command)
            .stdin(bashful_engine::Stdin::Bytes(vec![b'x'; 100]))
            .log_copy(house.path().join("copy"));
        let result = runtime.block_on(engine.run(invocation)).unwrap();
        assert_eq!(result.stdout, format!("{number}\n"));
    };
    once(0);
    let before = (descriptors(), threads());
    for number in 1..=200 {
        once(number);
        assert!(children(own_pid()).is_empty(), "a child of the host");
    }
    let after = (descriptors(), threads());
    assert!(
        after.0 <= before.0 + 2 && after.1 <= before.1 + 1,
        "descriptors and threads: {before:?}, then {after:?}"
    );
}

#[test]
fn engines_that_come_and_go_leave_nothing_in_the_host() {
    let _turn = turn();
    let house = House::new();
    let once = || {
        let engine = house.engine();
        run(&engine, Invocation::bash("true"));
        drop(started(&engine, Invocation::bash("sleep 1000")));
        let refused = engine.start(Invocation::bash("rm -rf /")).unwrap();
        drop(refused);
    };
    once();
    let quiet = eventually(LONG, || children(own_pid()).is_empty());
    assert!(quiet, "children: {:?}", children(own_pid()));
    let before = (descriptors(), threads());
    for _ in 0..15 {
        once();
    }
    // A thread that was woken to end may take a moment.
    let settled = || descriptors() <= before.0 + 2 && threads() <= before.1 + 1;
    assert!(
        eventually(LONG, settled),
        "descriptors and threads: {before:?}, then {:?}",
        (descriptors(), threads())
    );
    assert!(children(own_pid()).is_empty());
}

#[test]
fn a_helper_that_fails_leaves_no_zombie() {
    let _turn = turn();
    let house = House::new();
    for path in ["/bin/true", "/nonexistent", "/bin/cat"] {
        let before = descriptors();
        let engine = house.builder().helper(path).build().unwrap();
        engine.start(Invocation::bash("true")).unwrap_err();
        assert!(children(own_pid()).is_empty(), "{path}");
        // Its record stays open as long as the engine is there.
        drop(engine);
        assert!(descriptors() <= before, "{path}");
    }
}

/// Runs a command that prints a lot and says how much memory it took: by how much ours grew, and
/// the most that the keeper ever had, in KiB.
fn memory_of(house: &House, invocation: Invocation) -> (bashful_engine::ExecutionResult, u64, u64) {
    let engine = house.engine();
    run(&engine, Invocation::bash("echo warm"));
    let before = memory_kib(own_pid(), "VmHWM");
    let running = started(&engine, invocation);
    let id = running.id().to_owned();
    let keeper = house.begun(&id).keeper.pid;
    let result = running.wait_until(Some(Instant::now() + LONG * 3));
    let result = result.expect("it ends in time").unwrap();
    // The engine is still there, and so is its keeper.
    let peak = memory_kib(keeper, "VmHWM");
    let grown = memory_kib(own_pid(), "VmHWM") - before;
    (result, grown, peak)
}

#[test]
fn heavy_four_gib_of_output_take_no_memory() {
    const TOTAL: u64 = 4 << 30;
    let _turn = turn();
    let house = House::new();
    let invocation = Invocation::bash(format!("head -c {TOTAL} /dev/zero; printf END"))
        .log_quota(1 << 20, OnLogFull::Continue)
        .output(OutputLimit::characters(Keep::Tail, 50_000))
        .timeout(Timeout::After(Duration::from_secs(170)));
    let (result, grown, peak) = memory_of(&house, invocation);
    assert_eq!(result.status, Status::Success);
    assert_eq!(result.stdout_bytes, TOTAL + 3);
    let marker = format!("showing last 50000 chars of {} chars]\n", TOTAL + 3);
    assert!(result.stdout.contains(&marker) && result.stdout.ends_with("\0END"));
    assert!(grown < 16 << 10, "the host grew by {grown} KiB");
    assert!(peak < 48 << 10, "the keeper had {peak} KiB");
    let log = fs::metadata(result.output_file.unwrap()).unwrap().len();
    assert!(log < 2 << 20, "the log has {log} bytes");
}

#[test]
fn heavy_a_line_of_200_mib_takes_no_memory() {
    const TOTAL: u64 = 200 << 20;
    let _turn = turn();
    let house = House::new();
    let invocation = Invocation::bash(format!("head -c {TOTAL} /dev/zero | tr '\\0' a"))
        .timeout(Timeout::After(Duration::from_secs(170)));
    let (result, grown, peak) = memory_of(&house, invocation);
    assert_eq!(result.status, Status::Success);
    let half = "a".repeat(15_000);
    let hidden = TOTAL - 30_000;
    assert_eq!(
        result.stdout,
        format!("{half}\n... ({hidden} characters truncated) ...\n{half}")
    );
    let log = fs::metadata(result.output_file.unwrap()).unwrap().len();
    assert_eq!(log, TOTAL, "the log is complete");
    assert!(grown < 16 << 10, "the host grew by {grown} KiB");
    assert!(peak < 48 << 10, "the keeper had {peak} KiB");
}

#[test]
fn heavy_endless_masked_output_takes_no_memory() {
    let _turn = turn();
    let house = House::new();
    let mut environment = house.environment();
    environment.insert("A_TOKEN".into(), "aaaaaaaaaaaaaaaa".into());
    let engine = house.builder().environment(environment).build().unwrap();
    // Every byte of it may begin a secret.
    let invocation = Invocation::bash("head -c 20000000 /dev/zero | tr '\\0' a; echo b")
        .timeout(Timeout::After(Duration::from_secs(170)));
    let running = started(&engine, invocation);
    let id = running.id().to_owned();
    let keeper = house.begun(&id).keeper.pid;
    let result = running.wait_until(None).unwrap().unwrap();
    assert!(memory_kib(keeper, "VmHWM") < 48 << 10);
    assert_eq!(result.status, Status::Success);
    assert!(result.stdout.ends_with("[masked]\nb\n") || result.stdout.ends_with("[masked]b\n"));
    let log = fs::read(result.output_file.unwrap()).unwrap();
    assert!(!String::from_utf8(log).unwrap().contains("aaaaaaaa"));
}

#[test]
fn a_host_without_standard_streams_works() {
    let _turn = turn();
    let house = House::new();
    let log = house.path().join("copy.log");
    // Each of the three, and all of them.
    for closed in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
        let _ = fs::remove_file(&log);
        let script = format!(
            r#""$0" run --workspace "$1" --log "$2" 'echo out; echo err >&2; exit 5' {closed}"#
        );
        let status = outside("bash")
            .args(["-c", &script])
            .arg(helper())
            .arg(house.workspace())
            .arg(&log)
            .env_clear()
            .envs(house.environment())
            .env("XDG_STATE_HOME", house.state())
            .env("XDG_RUNTIME_DIR", house.path())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(5), "{closed}");
        let text = fs::read_to_string(&log).unwrap();
        assert!(
            text.contains("out\n") && text.contains("err\n"),
            "{closed}: {text}"
        );
    }
}
