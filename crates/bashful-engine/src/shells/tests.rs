//! Tests of shells with a real bash: one call after another, as a run makes them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Seek};
use std::os::fd::OwnedFd;
use std::path::Path;

use bashful_sandbox::Launch;

use super::call::{arm, written};
use super::carry::carry;
use super::dump::{self, Left};
use super::script::Given;
use crate::model::shell_state::ShellState;

mod depends;
mod differential;
mod hostile;
mod law;
mod round_trips;

/// What became of one call.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
    /// The state after it, or why there is none.
    state: Result<ShellState, String>,
}

/// The environment of every call here.
fn environment() -> BTreeMap<String, String> {
    let path = std::env::var("PATH").unwrap_or_else(|_| "/usr/bin:/bin".to_owned());
    BTreeMap::from([
        ("PATH".to_owned(), path),
        ("HOME".to_owned(), "/tmp".to_owned()),
        ("LANG".to_owned(), "C.UTF-8".to_owned()),
    ])
}

/// A bash that lasts, in a directory.
struct Lasting<'a> {
    directory: &'a Path,
    state: ShellState,
}

impl<'a> Lasting<'a> {
    fn new(directory: &'a Path) -> Self {
        Self {
            directory,
            state: ShellState::default(),
        }
    }

    /// One call; its state is kept if there is one.
    fn call(&mut self, text: &str) -> Ended {
        let directory = self.state.directory.as_ref().and_then(|path| path.text());
        let directory = directory.map_or(self.directory, Path::new);
        let ended = call(&self.state, directory, text);
        if let Ok(state) = &ended.state {
            self.state = state.clone();
        }
        ended
    }
}

/// Runs a text in a bash that loads this state.
fn call(state: &ShellState, directory: &Path, text: &str) -> Ended {
    let environment = environment();
    let mut arms = arm(state, &environment, BTreeSet::new()).unwrap();
    let [stdout, stderr] = [output(), output()];
    let mut launch = Launch::new(bash(), "bash")
        .argument("--noprofile")
        .argument("--norc")
        .argument(super::FLAGS[0])
        .argument(super::FLAGS[1])
        .argument("-c")
        .argument(&arms.wrapper)
        .argument("bash")
        .argument(text)
        .directory(directory)
        .stdout(stdout.try_clone().unwrap())
        .stderr(stderr.try_clone().unwrap());
    for (name, value) in &environment {
        launch = launch.variable(name, value);
    }
    for (name, value) in &arms.functions {
        launch = launch.variable(name, value);
    }
    for descriptor in arms.descriptors.drain(..) {
        launch = launch.inherit(descriptor);
    }
    let status = wait(launch.start().unwrap());
    let left = dump::read(&written(arms.armed.saves).unwrap());
    let given = Given {
        environment: &environment,
        injected: &BTreeSet::new(),
    };
    let state = match left {
        Left::Saved(dump) => carry(*dump, &given, state),
        other => Err(format!("{other:?}")),
    };
    Ended {
        code: status.exit_status(),
        stdout: text_of(stdout),
        stderr: text_of(stderr),
        state,
    }
}

fn output() -> OwnedFd {
    let flags = rustix::fs::MemfdFlags::CLOEXEC;
    rustix::fs::memfd_create("output", flags).unwrap()
}

fn text_of(output: OwnedFd) -> String {
    let mut file = File::from(output);
    file.rewind().unwrap();
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn bash() -> &'static Path {
    let places = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"].map(Path::new);
    places.into_iter().find(|path| path.exists()).unwrap()
}

fn wait(pid: i32) -> rustix::process::WaitStatus {
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    let options = rustix::process::WaitOptions::empty();
    rustix::process::waitpid(Some(pid), options)
        .unwrap()
        .unwrap()
        .1
}
