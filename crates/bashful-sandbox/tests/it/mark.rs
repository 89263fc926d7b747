//! A mark stays with a process and its descendants, whatever they do.

use bashful_sandbox::{Mark, reap, signal_process};
use rustix::process::Signal;

use crate::support::{directory, eventually, is_alive, process_in, shell};

#[test]
fn marks_are_different() {
    let (one, other) = (Mark::fresh().unwrap(), Mark::fresh().unwrap());
    assert_ne!(one, other);
    let own = i32::try_from(std::process::id()).unwrap();
    assert_ne!(Mark::of(own), Some(one));
    assert_eq!(Mark::of(i32::MAX), None);
}

#[test]
fn a_mark_survives_a_new_session_an_empty_environment_and_a_double_fork() {
    let (_temporary, directory) = directory();
    let mark = Mark::fresh().unwrap();
    let script = r"
        PATH=/usr/bin:/bin
        sleep 1000 & echo $! > plain
        setsid bash -c 'echo $$ > session; exec sleep 1000' &
        (env -i setsid bash -c 'echo $$ > orphan; exec /bin/sleep 1000' &)
        (ulimit -n 64; ulimit -c 0; exec nice bash -c 'echo $$ > limited; exec sleep 1000') &
        echo $$ > leader
        wait";
    let leader = shell(script)
        .directory(&directory)
        .mark(mark)
        .start()
        .unwrap();
    let names = ["plain", "session", "orphan", "limited", "leader"];
    let processes = names.map(|name| process_in(&directory.join(name)));
    for (name, process) in names.into_iter().zip(processes) {
        assert_eq!(Mark::of(process.pid), Some(mark), "{name}");
        assert!(mark.is_set());
    }
    for process in processes {
        signal_process(process, Signal::KILL);
    }
    // It has ended and is not reaped: its mark can still be read.
    assert!(eventually(|| !is_alive(processes[4])));
    assert_eq!(Mark::of(leader), Some(mark));
    reap(leader).unwrap();
    assert!(eventually(|| processes.iter().all(|it| !is_alive(*it))));
}

#[test]
fn a_marked_run_inside_a_marked_run_has_a_mark_of_its_own() {
    // Marks are lowered, never raised, so that ordinary users may set them.
    let (_temporary, directory) = directory();
    let outer = Mark::fresh().unwrap();
    let script = "ulimit -H -R > limit 2> /dev/null; echo $$ > outer; sleep 1000";
    let pid = shell(script)
        .directory(&directory)
        .mark(outer)
        .start()
        .unwrap();
    let process = process_in(&directory.join("outer"));
    assert_eq!(Mark::of(process.pid), Some(outer));
    signal_process(process, Signal::KILL);
    reap(pid).unwrap();
}
