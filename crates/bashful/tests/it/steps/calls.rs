//! The calls of a program that change files, and how to kill it at one of them.

use std::collections::BTreeMap;
use std::fs;

use crate::support::World;

/// What changes files, or lets other processes do it.
const CHANGING: &str = "write,pwrite64,fdatasync,fsync,ftruncate,rename,renameat,renameat2,\
    link,linkat,symlinkat,unlink,unlinkat,mkdir,mkdirat,openat,sendmsg,flock";

/// Who is killed at a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whom {
    /// The process that was called.
    Caller,
    /// Every process that gets to the step: the caller, its keeper, what runs.
    Everybody,
}

/// One call of a program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Step {
    call: String,
    /// Which of the calls of this name, from 1.
    nth: usize,
}

impl Step {
    /// The arguments of `strace` that kill on the way into this call.
    pub(super) fn tracer(&self, whom: Whom) -> Vec<String> {
        let Self { call, nth } = self;
        let mut words = tracer(whom, call, "/dev/null");
        words.extend([
            "-e".to_owned(),
            format!("inject={call}:signal=SIGKILL:when={nth}"),
        ]);
        words
    }
}

fn tracer(whom: Whom, calls: &str, log: &str) -> Vec<String> {
    let trace = format!("trace={calls}");
    let words = ["-qq", "-o", log, "-e", &trace];
    let follow = (whom == Whom::Everybody).then_some("-f");
    words.into_iter().chain(follow).map(str::to_owned).collect()
}

/// The steps of a call that is not killed, as they come.
pub(super) fn steps_of(
    world: &World,
    whom: Whom,
    call: impl FnOnce(&[String]) -> i32,
) -> Vec<Step> {
    let log = world.path("calls");
    let code = call(&tracer(whom, CHANGING, log.to_str().unwrap()));
    assert!(matches!(code, 0 | 121), "{code}");
    let text = fs::read(&log).unwrap();
    changing(&String::from_utf8_lossy(&text), whom)
}

/// The calls in a log that change files or let others do it.
fn changing(text: &str, whom: Whom) -> Vec<Step> {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut steps = Vec::new();
    for line in text.lines() {
        // With `-f` the number of the process stands first.
        let (process, rest) = match whom {
            Whom::Caller => ("", line),
            Whom::Everybody => line.split_once(' ').unwrap(),
        };
        let Some((call, arguments)) = rest.trim_start().split_once('(') else {
            continue;
        };
        let nth = counts.entry((process, call)).or_default();
        *nth += 1;
        let step = Step {
            call: call.to_owned(),
            nth: *nth,
        };
        let changes = call != "openat" || arguments.contains("O_CREAT");
        // Several processes get to a step of the same name and number.
        if changes && !steps.contains(&step) {
            steps.push(step);
        }
    }
    steps
}
