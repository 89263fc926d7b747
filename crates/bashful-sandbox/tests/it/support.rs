//! Starting shells through the door, and asking about processes.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bashful_sandbox::{Exit, Launch, Process, Status, reap};

pub(crate) const LONG: Duration = Duration::from_secs(60);

/// A launch of this script by bash, with a search path and nothing else.
pub(crate) fn shell(script: &str) -> Launch {
    Launch::new("/bin/bash", "bash")
        .argument("--norc")
        .argument("-c")
        .argument(script)
        .variable("PATH", "/usr/bin:/bin")
}

/// What it prints, and how it ends.
pub(crate) fn output(launch: Launch) -> (String, Exit) {
    let (ours, theirs) = std::io::pipe().unwrap();
    let pid = launch.stdout(theirs.into()).start().unwrap();
    let mut text = String::new();
    File::from(std::os::fd::OwnedFd::from(ours))
        .read_to_string(&mut text)
        .unwrap();
    (text, reap(pid).unwrap())
}

pub(crate) fn eventually(mut question: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + LONG;
    while !question() {
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// The process whose number a script wrote, or will write, into this file.
pub(crate) fn process_in(path: &Path) -> Process {
    let read = || {
        let text = std::fs::read_to_string(path).ok()?;
        text.trim().parse::<i32>().ok()
    };
    assert!(eventually(|| read().is_some()), "{}", path.display());
    Process::find(read().unwrap()).unwrap()
}

pub(crate) fn is_alive(process: Process) -> bool {
    Status::of(process.pid).is_some_and(|status| {
        status.started == process.started && !matches!(status.state, b'Z' | b'X')
    })
}

pub(crate) fn state_of(process: Process) -> u8 {
    Status::of(process.pid).map_or(b'X', |status| status.state)
}

/// A directory with a short name that goes away.
pub(crate) fn directory() -> (tempfile::TempDir, PathBuf) {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().canonicalize().unwrap();
    (temporary, path)
}
