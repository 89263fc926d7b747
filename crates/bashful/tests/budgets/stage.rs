//! Where a scenario is played: copies of the executables that its user may run, its directories,
//! and the driver, with a tracer or without.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::driver::furnish;
use crate::scenario::{DRIVER, PATH, Scenario};

/// The user with this number has no rights, whether or not there is a name for it.
const NOBODY: u32 = 65534;
/// No run takes longer, however slow the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

/// Whose runs are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum User {
    Root,
    Ordinary,
}

impl User {
    /// Root counts for both; any other user for themselves.
    pub(crate) fn all() -> &'static [Self] {
        if rustix::process::geteuid().is_root() {
            &[Self::Root, Self::Ordinary]
        } else {
            &[Self::Ordinary]
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Ordinary => "ordinary user",
        }
    }
}

/// The executables, where every user may run them and no other process does.
pub(crate) struct Stage {
    place: TempDir,
}

impl Stage {
    pub(crate) fn build() -> Self {
        // In /tmp itself: the path of a socket has to be short.
        let place = tempfile::Builder::new().prefix("bf").tempdir_in("/tmp");
        let stage = Self {
            place: place.unwrap(),
        };
        let open = fs::Permissions::from_mode(0o755);
        fs::set_permissions(stage.place.path(), open.clone()).unwrap();
        fs::create_dir(stage.executables()).unwrap();
        fs::set_permissions(stage.executables(), open.clone()).unwrap();
        let named = std::env::var_os("BASHFUL_TEST_BINARY");
        let bashful = named.map_or_else(|| env!("CARGO_BIN_EXE_bashful").into(), PathBuf::from);
        let driver = std::env::current_exe().unwrap();
        for (from, name) in [(bashful, "bashful"), (driver, DRIVER)] {
            let copy = stage.executables().join(name);
            fs::copy(from, &copy).unwrap();
            fs::set_permissions(copy, open.clone()).unwrap();
        }
        stage
    }

    pub(crate) fn executables(&self) -> PathBuf {
        self.place.path().join("x")
    }

    /// A driver that has done its first runs, and waits.
    pub(crate) fn play(&self, scenario: Scenario, user: User, tracer: Tracer) -> Play {
        let name = format!("{}-{user:?}-{tracer:?}", scenario.name());
        let root = self.place.path().join(name);
        furnish(&root);
        let log = root.join("log");
        let mut words: Vec<String> = Vec::new();
        if tracer == Tracer::Strace {
            let strace = "strace -f -qq -Y -s 80 -e signal=none -o";
            words.extend(strace.split(' ').map(str::to_owned));
            words.push(log.display().to_string());
        }
        if user == User::Ordinary && rustix::process::geteuid().is_root() {
            for path in fs::read_dir(&root).unwrap().flatten().map(|it| it.path()) {
                chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
            }
            chown(&root, Some(NOBODY), Some(NOBODY)).unwrap();
            let drop = format!("setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups");
            words.extend(drop.split(' ').map(str::to_owned));
        }
        let place = |path: PathBuf| path.display().to_string();
        let executables = self.executables();
        words.push(place(executables.join(DRIVER)));
        words.extend(["--drive".to_owned(), scenario.name().to_owned()]);
        words.push(place(executables.join("bashful")));
        words.push(place(root.clone()));
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .env_clear()
            .env("PATH", PATH)
            .env("HOME", &root)
            .current_dir(&root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Play {
            orders: child.stdin.take(),
            answers: BufReader::new(child.stdout.take().unwrap()),
            child,
            root,
            log,
            runs: 0,
        }
    }
}

/// Waits until `look` finds what it looks for.
fn eventually<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < PATIENCE, "nothing after {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Whether this tracer and all threads that it traces are asleep.
fn is_asleep(tracer: i32) -> bool {
    let traced = format!("TracerPid:\t{tracer}\n");
    let awake = |status: &str| !status.contains("State:\tS") && !status.contains("State:\tZ");
    let read = |path: PathBuf| fs::read_to_string(path.join("status")).unwrap_or_default();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let threads = |process: PathBuf| fs::read_dir(process.join("task")).into_iter().flatten();
    let own = read(PathBuf::from(format!("/proc/{tracer}")));
    !awake(&own)
        && processes
            .map(|process| process.path())
            .filter(|process| read(process.clone()).contains(&traced))
            .flat_map(threads)
            .flatten()
            .all(|thread| !awake(&read(thread.path())))
}

/// Whether a tracer watches the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tracer {
    Strace,
    Nobody,
}

/// A driver that goes on. Whatever happens, neither it nor its keeper outlives this.
pub(crate) struct Play {
    child: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    root: PathBuf,
    log: PathBuf,
    runs: usize,
}

impl Play {
    /// The process that was started: the driver, unless there is a tracer.
    pub(crate) fn process(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap()
    }

    /// Lets the driver do one run, and waits for its end on record; what the driver answers.
    pub(crate) fn run(&mut self) -> String {
        let order = self.orders.as_mut().unwrap().write_all(b"\n");
        let mut answer = String::new();
        let read = self.answers.read_line(&mut answer);
        let answered = order.is_ok() && read.is_ok_and(|count| count > 0);
        assert!(answered, "the driver has ended in {}", self.root.display());
        let is_over = |state: &str| {
            let last = state.lines().last().unwrap_or_default();
            last.contains(r#""phase":"finished""#)
        };
        self.runs += 1;
        let over = || self.states().iter().filter(|state| is_over(state)).count();
        eventually(|| (over() >= self.runs).then_some(()));
        answer
    }

    /// Waits until no process makes calls any more: what was begun ahead for the next run is done.
    /// A process that only waits for a processor is not quiet yet.
    pub(crate) fn settle(&self) {
        let length = || fs::metadata(&self.log).map_or(0, |it| it.len());
        let tracer = self.process();
        eventually(|| {
            let before = length();
            let sleep = is_asleep(tracer) && {
                std::thread::sleep(Duration::from_millis(3));
                is_asleep(tracer)
            };
            (sleep && before == length()).then_some(())
        });
    }

    /// What each task has on record.
    fn states(&self) -> Vec<String> {
        let state = self.root.join("state");
        // The library is told the place itself, the command line the one above.
        let places = [state.join("tasks"), state.join("bashful/tasks")];
        let tasks = places.iter().flat_map(fs::read_dir).flatten().flatten();
        let state = |task: fs::DirEntry| fs::read_to_string(task.path().join("state")).ok();
        tasks.filter_map(state).collect()
    }

    /// The keeper that the records name, once there is one.
    pub(crate) fn keeper(&self) -> i32 {
        eventually(|| self.known_keeper())
    }

    fn known_keeper(&self) -> Option<i32> {
        let states = self.states();
        let lines = states.iter().flat_map(|state| state.lines());
        let mut records = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        records.find_map(|record| i32::try_from(record["keeper"]["pid"].as_i64()?).ok())
    }

    /// Ends the driver and its keeper; the log of the tracer.
    pub(crate) fn end(mut self) -> String {
        self.close();
        String::from_utf8_lossy(&fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    fn close(&mut self) {
        let keeper = self.known_keeper();
        drop(self.orders.take());
        if let Some(keeper) = keeper.and_then(Pid::from_raw) {
            let _ = kill_process(keeper, Signal::TERM);
        }
        let begin = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            if begin.elapsed() > PATIENCE {
                let _ = self.child.kill();
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Play {
    fn drop(&mut self) {
        self.close();
    }
}
