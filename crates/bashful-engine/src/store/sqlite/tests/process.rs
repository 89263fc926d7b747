//! Another process that uses the store: this test binary again, in a part.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::{DATABASE, SqliteStore};
use crate::model::grant::Scope;
use crate::store::conformance::{NOON, PLENTY, allow, ask, grant};
use crate::store::{Settlement, Store};

/// What the other process does.
const PART: &str = "BASHFUL_TEST_PART";
/// The test that plays it.
const THIS: &str = "store::sqlite::tests::process::another_process_plays_a_part";
const STATE: &str = "BASHFUL_TEST_STATE";
/// How its lines begin, among those of the test runner.
const TELLS: &str = "tells: ";

/// Another process that plays a part. It is killed when this goes.
pub(crate) struct Other {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Other {
    pub(crate) fn play(part: &str, state: &Path) -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "a test needs a process that Bashful does not start"
        )]
        let mut command = Command::new(std::env::current_exe().unwrap());
        let mut child = command
            .args(["--exact", THIS, "--nocapture", "--test-threads=1"])
            .env(PART, part)
            .env(STATE, state)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    /// The next thing that it tells; none when it has ended.
    pub(crate) fn tells(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            // The first comes on the line on which the test runner names the test.
            if let Some((_, told)) = line.split_once(TELLS) {
                return Some(told.trim_end().to_owned());
            }
        }
    }

    /// Lets it go on.
    pub(crate) fn go(&mut self) {
        self.input.as_mut().unwrap().write_all(b"go\n").unwrap();
    }

    /// `kill -9`, and all that it had told before.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::iter::from_fn(|| self.tells()).collect()
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn another_process_plays_a_part() {
    // This is the other process too.
    if let Ok(part) = std::env::var(PART) {
        play(&part, &PathBuf::from(std::env::var_os(STATE).unwrap()));
        return;
    }
    let directory = super::directory();
    let mut other = Other::play("opens it", directory.0.path());
    assert_eq!(other.tells().as_deref(), Some("ready"));
    other.go();
    let told = other.tells().unwrap();
    assert!(told.starts_with("New("), "{told}");
    assert_eq!(other.tells(), None);
}

fn play(part: &str, state: &Path) {
    let path = state.join(DATABASE);
    let open = || SqliteStore::open(&path).unwrap();
    match part {
        "opens it" => {
            tell("ready");
            wait();
            let id = format!("ask-{}", std::process::id());
            let opened = open().open_ask(&ask(&id), PLENTY).unwrap();
            tell(&format!("{opened:?}"));
        }
        "has it open" => {
            let store = open();
            store.check().unwrap();
            tell("ready");
            wait();
        }
        "locks it" => {
            let connection = Connection::open(&path).unwrap();
            let lock = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE";
            connection.execute_batch(lock).unwrap();
            tell("ready");
            wait();
        }
        "writes for long" => {
            let connection = Connection::open(&path).unwrap();
            connection.execute_batch("BEGIN IMMEDIATE").unwrap();
            tell("ready");
            wait();
        }
        "answers" => race(&open(), |store, round| {
            let grant = grant(
                &format!("grant-{round}-{}", std::process::id()),
                Scope::Call,
            );
            let answer = allow(store, &format!("ask-{round}"), &grant);
            matches!(answer, Settlement::Done { .. })
        }),
        "consumes" => race(&open(), |store, round| {
            let task = format!("task-{}", std::process::id());
            store.claim(&format!("grant-{round}"), &task, NOON).unwrap()
        }),
        "is stopped in the middle" => {
            let connection = Connection::open(&path).unwrap();
            // So much that it goes to the log before it is committed.
            connection.pragma_update(None, "cache_size", 5).unwrap();
            let transaction =
                Transaction::new_unchecked(&connection, TransactionBehavior::Immediate).unwrap();
            for number in 0..500 {
                let id = format!("ask-{number}");
                super::super::asks::put(&transaction, &ask(&id)).unwrap();
            }
            tell("ready");
            wait();
        }
        "writes and writes" => {
            let store = open();
            for number in 0..1_000_000 {
                let id = format!("grant-{number}");
                store.add_grant(&grant(&id, Scope::Call)).unwrap();
                tell(&format!("added {id}"));
                assert!(store.claim(&id, "task-1", NOON).unwrap());
                tell(&format!("claimed {id}"));
            }
        }
        part => panic!("nobody plays `{part}`"),
    }
}

/// Acts once for each line that comes in.
fn race(store: &SqliteStore, act: impl Fn(&SqliteStore, usize) -> bool) {
    tell("ready");
    for round in 0..1000 {
        if wait() == 0 {
            return;
        }
        tell(if act(store, round) { "won" } else { "lost" });
    }
}

fn tell(what: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{TELLS}{what}").unwrap();
    out.flush().unwrap();
}

fn wait() -> usize {
    // It does not wait for ever: the test that started this process is gone then.
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_secs(120));
        std::process::abort();
    });
    std::io::stdin().read_line(&mut String::new()).unwrap()
}
