//! Which process descends from which, and ending all of them.

use std::os::unix::fs::MetadataExt as _;

use bashful_sandbox::{
    ExitStatus, Process, Reach, Status, children, command_line, descendants, reap, signal_process,
    signal_tree,
};
use rustix::process::Signal;

use crate::support::{directory, eventually, is_alive, process_in, shell, state_of};

#[test]
fn children_and_descendants_are_found() {
    let (_temporary, directory) = directory();
    let script = r"
        bash -c 'echo $$ > child; sleep 1000 & echo $! > grandchild; wait' &
        echo $$ > leader; wait";
    let leader = shell(script).directory(&directory).start().unwrap();
    let names = ["leader", "child", "grandchild"];
    let [first, child, grandchild] = names.map(|name| process_in(&directory.join(name)));
    assert_eq!(first.pid, leader);
    assert_eq!(children(leader), [child.pid]);
    assert_eq!(descendants(&[leader]), [first, child, grandchild]);
    // Named twice, it is still one.
    assert_eq!(
        descendants(&[child.pid, grandchild.pid]),
        [child, grandchild]
    );
    let own = i32::try_from(std::process::id()).unwrap();
    assert!(children(own).contains(&leader));
    assert_eq!(Status::of(child.pid).unwrap().parent, leader);
    // Between its fork and its exec it is still called as its parent.
    assert!(eventually(|| command_line(grandchild.pid) == "sleep 1000"));

    let reached = signal_tree(&[leader], Signal::KILL);
    assert_eq!(reached.len(), 3);
    assert!(reached.iter().all(|(_, reach)| *reach == Reach::Delivered));
    assert_eq!(reap(leader).unwrap().status, ExitStatus::Signal(9));
    assert!(eventually(|| !is_alive(child) && !is_alive(grandchild)));
}

#[test]
fn a_zombie_is_left_out_and_its_children_are_not() {
    let (_temporary, directory) = directory();
    // The leader has become a program that never waits, so its child stays a zombie.
    let script = r"
        sleep 0.5 &
        echo $$ > leader; exec sleep 1000";
    let leader = shell(script).directory(&directory).start().unwrap();
    let first = process_in(&directory.join("leader"));
    let is_zombie = || {
        let list = children(leader);
        list.iter()
            .any(|pid| Status::of(*pid).is_some_and(|status| status.state == b'Z'))
    };
    assert!(eventually(is_zombie));
    assert_eq!(descendants(&[leader]), [first]);
    signal_tree(&[leader], Signal::KILL);
    reap(leader).unwrap();
}

#[test]
fn a_polite_signal_reaches_everybody_also_the_stopped() {
    let (_temporary, directory) = directory();
    let script = r#"
        trap 'echo heard > leader-heard; wait; exit 5' TERM
        bash -c 'trap "echo heard > stopped-heard; exit 0" TERM; echo $$ > stopped; while :; do sleep 0.02; done' &
        bash -c 'trap "" TERM; echo $$ > deaf; while :; do sleep 0.02; done' &
        setsid bash -c 'trap "echo heard > session-heard; exit 0" TERM; echo $$ > session; while :; do sleep 0.02; done' &
        echo $$ > leader
        while :; do sleep 0.02; done"#;
    let leader = shell(script).directory(&directory).start().unwrap();
    let names = ["leader", "stopped", "deaf", "session"];
    let [_, stopped, deaf, session] = names.map(|name| process_in(&directory.join(name)));
    signal_process(stopped, Signal::STOP);
    assert!(eventually(|| state_of(stopped) == b'T'));
    signal_tree(&[leader], Signal::TERM);
    for name in ["leader-heard", "stopped-heard", "session-heard"] {
        assert!(eventually(|| directory.join(name).exists()), "{name}");
    }
    assert!(eventually(|| !is_alive(stopped) && !is_alive(session)));
    assert!(is_alive(deaf), "the control: a deaf process survives it");
    signal_tree(&[leader], Signal::KILL);
    reap(leader).unwrap();
    assert!(eventually(|| !is_alive(deaf)));
}

#[test]
fn a_deadly_signal_ends_stopped_deaf_and_forking_processes() {
    let (_temporary, directory) = directory();
    let script = r#"
        trap '' TERM HUP INT
        bash -c 'echo $$ > stopped; kill -STOP $$' &
        bash -c 'trap "" TERM; echo $$ > deaf; while :; do sleep 0.02; done' &
        bash -c 'echo $$ > forking; while :; do sleep 0.01 & sleep 0.01 & wait; done' &
        echo $$ > leader
        while :; do sleep 0.02; done"#;
    let leader = shell(script).directory(&directory).start().unwrap();
    let names = ["leader", "stopped", "deaf", "forking"];
    let processes = names.map(|name| process_in(&directory.join(name)));
    assert!(eventually(|| state_of(processes[1]) == b'T'));
    signal_tree(&[leader], Signal::KILL);
    assert_eq!(reap(leader).unwrap().status, ExitStatus::Signal(9));
    assert!(eventually(|| processes.iter().all(|it| !is_alive(*it))));
}

#[test]
fn a_number_that_was_reused_is_not_signalled() {
    let pid = shell("sleep 1000").start().unwrap();
    let process = Process::find(pid).unwrap();
    let former = Process {
        pid,
        started: process.started - 1,
    };
    assert_eq!(signal_process(former, Signal::KILL), Reach::Gone);
    assert!(is_alive(process));
    assert_eq!(signal_process(process, Signal::KILL), Reach::Delivered);
    reap(pid).unwrap();
    assert_eq!(signal_process(process, Signal::KILL), Reach::Gone);
    assert_eq!(Process::find(pid).filter(|it| *it == process), None);
}

#[test]
fn a_number_that_is_nobodys_is_not_signalled() {
    // Such numbers may stand in a record that was damaged.
    for pid in [0, i32::MAX, -1, i32::MIN] {
        let nobody = Process { pid, started: 1 };
        assert_eq!(signal_process(nobody, Signal::CONT), Reach::Gone, "{pid}");
    }
}

#[test]
fn another_users_process_is_forbidden() {
    if rustix::process::geteuid().is_root() {
        // Root may signal every process: the control.
        let pid = shell("sleep 1000").start().unwrap();
        let process = Process::find(pid).unwrap();
        assert_eq!(signal_process(process, Signal::KILL), Reach::Delivered);
        reap(pid).unwrap();
    } else {
        // Not SIGCONT, which every process may send within a session, and pid 1 may be in ours.
        let own = rustix::process::geteuid().as_raw();
        let other = std::fs::read_dir("/proc")
            .unwrap()
            .flatten()
            .filter(|entry| entry.metadata().is_ok_and(|about| about.uid() != own))
            .find_map(|entry| Process::find(entry.file_name().to_str()?.parse().ok()?));
        let Some(other) = other else {
            println!("skipped: no process of another user is in sight");
            return;
        };
        assert_eq!(signal_process(other, Signal::URG), Reach::Forbidden);
    }
}

#[test]
fn names_cannot_forge_what_is_read() {
    let (_temporary, directory) = directory();
    let odd = directory.join("a) R 1 1");
    std::fs::copy("/bin/sleep", &odd).unwrap();
    let own = i32::try_from(std::process::id()).unwrap();
    let pid = bashful_sandbox::Launch::new(&odd, "odd\nname\u{1b}[31m")
        .argument("1000")
        .start()
        .unwrap();
    let status = Status::of(pid).unwrap();
    assert_eq!(status.parent, own);
    // A launch returns in the middle of the exec: its arguments come a moment later.
    let shown = eventually(|| command_line(pid).starts_with("odd\u{fffd}name"));
    let line = command_line(pid);
    assert!(shown && !line.contains(['\n', '\u{1b}']), "{line:?}");
    signal_process(Process::find(pid).unwrap(), Signal::KILL);
    reap(pid).unwrap();
}
