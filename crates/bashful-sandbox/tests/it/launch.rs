//! What a process gets through the door, and how a failed launch is reported.

use std::fs;
use std::io::{ErrorKind, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;

use bashful_sandbox::{ExitStatus, Launch, Stage, Status, children, reap};

use crate::support::{directory, eventually, output, shell};

#[test]
fn it_begins_with_nothing() {
    let launch = Launch::new("/usr/bin/env", "env").variable("ONLY", "this one");
    let (text, exit) = output(launch);
    assert_eq!(text, "ONLY=this one\n");
    assert_eq!(exit.status, ExitStatus::Code(0));
    let (text, _) = output(Launch::new("/usr/bin/env", "env"));
    assert_eq!(text, "");
}

#[test]
fn descriptors_of_ours_do_not_pass() {
    // Without close-on-exec, low and high.
    let file = tempfile::tempfile().unwrap();
    let low = rustix::io::dup(&file).unwrap();
    let high = rustix::io::fcntl_dupfd_cloexec(&file, 500).unwrap();
    rustix::io::fcntl_setfd(&high, rustix::io::FdFlags::empty()).unwrap();
    assert!(high.as_raw_fd() >= 500);
    // The control: this process has them, ready to be inherited.
    for fd in [&low, &high] {
        assert!(rustix::io::fcntl_getfd(fd).unwrap().is_empty());
    }
    // Descriptor 3 is the directory that `ls` itself reads.
    let (text, _) = output(Launch::new("/bin/ls", "ls").argument("/proc/self/fd"));
    assert_eq!(text, "0\n1\n2\n3\n");
}

#[test]
fn the_standard_streams_are_what_was_given_or_nothing() {
    let script = "for fd in 0 1 2; do readlink /proc/$$/fd/$fd; done > \"$0\"";
    let (_temporary, directory) = directory();
    let seen = directory.join("seen");
    let pid = shell(script).argument(&seen).start().unwrap();
    assert_eq!(reap(pid).unwrap().status, ExitStatus::Code(0));
    let text = fs::read_to_string(&seen).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines[2]), ("/dev/null", "/dev/null"));

    let mut input = tempfile::tempfile().unwrap();
    input.write_all(b"given").unwrap();
    input.rewind().unwrap();
    let (text, _) = output(shell("cat; cat <&0").stdin(input.into()));
    assert_eq!(text, "given");
    let (ours, theirs) = std::io::pipe().unwrap();
    let pid = shell("echo oops >&2")
        .stderr(theirs.into())
        .start()
        .unwrap();
    assert_eq!(std::io::read_to_string(ours).unwrap(), "oops\n");
    reap(pid).unwrap();
}

#[test]
fn it_starts_in_its_directory() {
    let (_temporary, directory) = directory();
    let (text, _) = output(shell("pwd").directory(&directory));
    assert_eq!(text.trim_end(), directory.to_str().unwrap());
    let (text, _) = output(shell("pwd"));
    assert_eq!(text, "/\n");
}

#[test]
fn arguments_arrive_as_they_are() {
    let launch = Launch::new("/bin/bash", "my name")
        .argument("-c")
        .argument("printf '%s|' \"$0\" \"$@\"")
        .argument("zero")
        .argument("")
        .argument("a b")
        .argument("ü\n");
    assert_eq!(output(launch).0, "zero||a b|ü\n|");
    let launch = Launch::new("/bin/cat", "odd name").argument("/proc/self/cmdline");
    assert_eq!(output(launch).0, "odd name\0/proc/self/cmdline\0");
}

#[test]
fn signals_are_as_in_a_new_process() {
    // Signals 32 and 33 belong to the C library, which lets no program set them.
    const LIBRARY: u64 = 3 << 31;
    // Rust programs ignore SIGPIPE; a child must not.
    let (text, _) = output(shell("grep -E '^Sig(Blk|Ign)' /proc/self/status"));
    assert_eq!(text.lines().count(), 2);
    for line in text.lines() {
        let mask = line.split_whitespace().nth(1).unwrap();
        let mask = u64::from_str_radix(mask, 16).unwrap();
        assert_eq!(mask & !LIBRARY, 0, "{line}");
    }
}

#[test]
fn a_new_session_is_one_of_its_own() {
    let script = "read -r _ _ _ _ group session _ < /proc/self/stat; echo $$ $session";
    let numbers = |text: String| -> Vec<i32> {
        text.split_whitespace()
            .map(|number| number.parse().unwrap())
            .collect()
    };
    let alone = numbers(output(shell(script).new_session()).0);
    assert_eq!(alone[0], alone[1]);
    let ours = numbers(output(shell(script)).0);
    let own = Status::of(i32::try_from(std::process::id()).unwrap()).unwrap();
    assert_eq!(ours[1], own.session);
}

#[test]
fn exit_and_usage_are_told() {
    let (_, exit) = output(shell("exit 42"));
    assert_eq!(exit.status, ExitStatus::Code(42));
    assert!(exit.usage.max_rss_kib > 500);
    let (_, exit) = output(shell("kill -SEGV $$"));
    assert_eq!(exit.status, ExitStatus::Signal(11));
    let (_, exit) = output(shell("for ((i = 0; i < 200000; i++)); do :; done"));
    assert!(exit.usage.cpu.as_millis() > 20, "{exit:?}");
}

#[test]
fn a_failed_launch_names_its_stage_and_leaves_nothing() {
    let (_temporary, directory) = directory();
    let plain = directory.join("plain");
    fs::write(&plain, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&plain, fs::Permissions::from_mode(0o644)).unwrap();
    let no_interpreter = directory.join("script");
    fs::write(&no_interpreter, "#!/nonexistent/interpreter\n").unwrap();
    fs::set_permissions(&no_interpreter, fs::Permissions::from_mode(0o755)).unwrap();
    let usual = || Launch::new("/bin/true", "true");
    let cases = [
        (
            Launch::new("/nonexistent/program", "x"),
            Stage::Execute,
            ErrorKind::NotFound,
        ),
        (
            Launch::new(&plain, "x"),
            Stage::Execute,
            ErrorKind::PermissionDenied,
        ),
        (
            Launch::new(&directory, "x"),
            Stage::Execute,
            ErrorKind::PermissionDenied,
        ),
        (
            Launch::new(&no_interpreter, "x"),
            Stage::Execute,
            ErrorKind::NotFound,
        ),
        (
            usual().directory("/nonexistent"),
            Stage::Directory,
            ErrorKind::NotFound,
        ),
        (
            usual().directory(&plain),
            Stage::Directory,
            ErrorKind::NotADirectory,
        ),
        (
            usual().argument("a\0b"),
            Stage::Strings,
            ErrorKind::InvalidInput,
        ),
        (
            usual().variable("A", "b\0"),
            Stage::Strings,
            ErrorKind::InvalidInput,
        ),
        (
            usual().argument("x".repeat(200_000)),
            Stage::Execute,
            ErrorKind::ArgumentListTooLong,
        ),
    ];
    for (number, (launch, stage, kind)) in cases.into_iter().enumerate() {
        let error = launch.start().unwrap_err();
        assert_eq!(
            (error.stage, error.source.kind()),
            (stage, kind),
            "{number}"
        );
        assert!(error.to_string().contains('`'), "{error}");
    }
}

#[test]
fn a_directory_that_may_not_be_entered_is_its_own_stage() {
    let (_temporary, directory) = directory();
    let closed = directory.join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let started = shell("true").directory(&closed).start();
    if rustix::process::geteuid().is_root() {
        reap(started.unwrap()).unwrap();
    } else {
        let error = started.unwrap_err();
        assert_eq!(
            (error.stage, error.source.kind()),
            (Stage::Directory, ErrorKind::PermissionDenied)
        );
    }
}

#[test]
fn a_failed_launch_leaves_no_zombie() {
    let before = children(own_pid()).len();
    for _ in 0..20 {
        Launch::new("/nonexistent", "x").start().unwrap_err();
    }
    // Other tests of this process may have children of their own for a moment.
    assert!(eventually(|| children(own_pid()).len() <= before.max(2)));
}

fn own_pid() -> i32 {
    i32::try_from(std::process::id()).unwrap()
}

#[test]
fn it_dies_with_the_thread_that_started_it() {
    let thread = std::thread::spawn(|| {
        let pid = shell("sleep 1000").dies_with_caller().start().unwrap();
        assert!(bashful_sandbox::Process::find(pid).is_some());
        pid
    });
    let pid = thread.join().unwrap();
    assert_eq!(reap(pid).unwrap().status, ExitStatus::Signal(9));
}

#[test]
fn many_threads_launch_at_once() {
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                for turn in 0..10 {
                    let text = format!("{thread}-{turn}");
                    let (heard, exit) = output(shell(&format!("echo {text}")));
                    assert_eq!(heard.trim_end(), text);
                    assert_eq!(exit.status, ExitStatus::Code(0));
                }
            });
        }
    });
}
