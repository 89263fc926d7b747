//! What every test needs: a house of its own, the keeper, and questions about processes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bashful_engine::primitive::PrimitiveContext;
use bashful_engine::{Engine, EngineBuilder, ExecutionResult, Invocation, Places, Run, Started};
use bashful_keeper::{State, TaskDirectory, TaskId};
use bashful_sandbox::{Process, Status};

/// Far more than anything takes that works; a busy machine is no bug.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// The `bashful` executable that serves as keeper.
pub(crate) fn helper() -> PathBuf {
    let beside = || {
        let this = std::env::current_exe().unwrap();
        this.ancestors().nth(2).unwrap().join("bashful")
    };
    let path = std::env::var_os("BASHFUL_TEST_BINARY").map_or_else(beside, PathBuf::from);
    assert!(
        path.is_file(),
        "there is no keeper at `{}`: run `cargo build -p bashful` first, with the same target directory",
        path.display()
    );
    path
}

/// A place where a test lives: nothing outside of it is touched.
pub(crate) struct House {
    directory: tempfile::TempDir,
}

impl House {
    pub(crate) fn new() -> Self {
        // In /tmp itself: a socket's path has to be short.
        let directory = tempfile::Builder::new()
            .prefix("bf")
            .tempdir_in("/tmp")
            .unwrap();
        let house = Self { directory };
        fs::create_dir(house.workspace()).unwrap();
        fs::create_dir(house.path().join("home")).unwrap();
        house
    }

    /// The real path of the house.
    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap()
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.path().join("workspace")
    }

    /// A file in the workspace.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.workspace().join(name)
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.path().join("state")
    }

    /// A caller's environment without secrets.
    pub(crate) fn environment(&self) -> BTreeMap<String, String> {
        let home = self.path().join("home").display().to_string();
        let path = std::env::var("PATH").unwrap_or_else(|_| "/usr/bin:/bin".to_owned());
        BTreeMap::from([
            ("PATH".to_owned(), path),
            ("HOME".to_owned(), home),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
        ])
    }

    pub(crate) fn builder(&self) -> EngineBuilder {
        Engine::builder()
            .helper(helper())
            .places(Places::under(&self.path()))
            .workspace(self.workspace())
            .environment(self.environment())
    }

    pub(crate) fn engine(&self) -> Engine {
        self.builder().build().unwrap()
    }

    /// A primitive context in the workspace.
    pub(crate) fn context(&self) -> PrimitiveContext {
        PrimitiveContext::new(self.workspace()).with_engine(self.engine())
    }

    /// What the task directory says of a task.
    pub(crate) fn record(&self, id: &str) -> Option<State> {
        let id = TaskId::parse(id).unwrap();
        TaskDirectory::of(&self.state(), &id).read_state().unwrap()
    }

    /// The same for a task that was only just begun.
    pub(crate) fn begun(&self, id: &str) -> State {
        assert!(eventually(LONG, || self.record(id).is_some()));
        self.record(id).unwrap()
    }

    /// The process whose id and PID namespace a command wrote into this file of the
    /// workspace, by `echo $$ $(readlink /proc/self/ns/pid)`.
    pub(crate) fn process(&self, name: &str) -> Process {
        let path = self.file(name);
        let read = || {
            let text = fs::read_to_string(&path).ok()?;
            let (pid, namespace) = text.strip_suffix('\n')?.split_once(' ')?;
            Some((pid.to_owned(), namespace.to_owned()))
        };
        assert!(eventually(LONG, || read().is_some()), "no pid in `{name}`");
        let (pid, namespace) = read().unwrap();
        seen_from_here(&pid, &namespace).unwrap_or_else(|| panic!("`{name}` has gone already"))
    }

    /// What the trail says was refused.
    pub(crate) fn refusals(&self) -> Vec<serde_json::Value> {
        let text = fs::read_to_string(self.state().join("trail.jsonl")).unwrap_or_default();
        let records = text.lines().map(|line| serde_json::from_str(line).unwrap());
        records
            .filter(|record: &serde_json::Value| record["event"] == "refusal")
            .collect()
    }

    /// How many tasks ever were started here: those that have a spec.
    pub(crate) fn tasks(&self) -> usize {
        let Ok(entries) = fs::read_dir(self.state().join("tasks")) else {
            return 0;
        };
        // What begins with a dot is the keeper's own preparation.
        let is_task = |entry: &fs::DirEntry| {
            !entry.file_name().to_string_lossy().starts_with('.')
                && entry.path().join("spec").exists()
        };
        entries.flatten().filter(is_task).count()
    }
}

pub(crate) fn started(engine: &Engine, invocation: Invocation) -> Run {
    match engine.start(invocation).unwrap() {
        Started::Running(run) => run,
        Started::NotAllowed(result) => panic!("not allowed: {result:?}"),
    }
}

/// Runs on this thread.
pub(crate) fn run(engine: &Engine, invocation: Invocation) -> ExecutionResult {
    let until = Instant::now() + LONG * 2;
    match started(engine, invocation).wait_until(Some(until)) {
        Ok(result) => result.unwrap(),
        Err(run) => panic!("{} does not end", run.id()),
    }
}

/// Numbered lines of a word, as a loop in a shell would print them.
pub(crate) fn numbered(word: &str, last: usize) -> String {
    let mut text = String::new();
    for number in 1..=last {
        text.push_str(word);
        text.push_str(&number.to_string());
        text.push('\n');
    }
    text
}

/// Whether a condition becomes true in this time.
pub(crate) fn eventually(patience: Duration, mut question: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + patience;
    loop {
        if question() {
            return true;
        }
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The process that has this id in this PID namespace.
fn seen_from_here(pid: &str, namespace: &str) -> Option<Process> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let is_meant = |number: &i32| {
        let status = fs::read_to_string(format!("/proc/{number}/status")).unwrap_or_default();
        let ids = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
        // The last one is its id in its own namespace.
        ids.and_then(|ids| ids.split_whitespace().next_back()) == Some(pid)
            && fs::read_link(format!("/proc/{number}/ns/pid"))
                .is_ok_and(|link| link == Path::new(namespace))
    };
    numbers.filter(is_meant).find_map(Process::find)
}

pub(crate) fn is_alive(process: Process) -> bool {
    Status::of(process.pid).is_some_and(|status| {
        status.started == process.started && !matches!(status.state, b'Z' | b'X')
    })
}

/// Fails unless all these processes end soon; names them if not.
pub(crate) fn assert_gone(processes: &[Process]) {
    let alive = || -> Vec<String> {
        let left = processes.iter().filter(|process| is_alive(**process));
        left.map(|process| bashful_sandbox::command_line(process.pid))
            .collect()
    };
    let gone = eventually(LONG, || alive().is_empty());
    assert!(gone, "still alive: {:?}", alive());
}

/// A keeper and its guard.
pub(crate) fn keeper_pair(state: &State) -> [Process; 2] {
    let keeper = Process::find(state.keeper.pid);
    let keeper = keeper.unwrap_or_else(|| panic!("the keeper has gone: {state:?}"));
    assert_eq!(keeper.started, state.keeper.started);
    let guard = Status::of(keeper.pid).unwrap().parent;
    [keeper, Process::find(guard).unwrap()]
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// An executable script.
pub(crate) fn script(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A plain command, for what tests do around Bashful.
#[expect(
    clippy::disallowed_methods,
    reason = "a test needs programs that Bashful does not start"
)]
pub(crate) fn outside(program: impl AsRef<std::ffi::OsStr>) -> std::process::Command {
    std::process::Command::new(program)
}
