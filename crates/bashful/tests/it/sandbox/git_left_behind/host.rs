//! The person's side of a case: a repository, a listener, and git outside of any sandbox.

use std::fs;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use super::case::Case;
use crate::support::World;

const PRELUDE: &str = include_str!("prelude.sh");
const PERSON: &str = include_str!("person.sh");

/// A world with the person's repository in its workspace.
pub(super) struct Place {
    pub(super) world: World,
    listener: Listener,
}

impl Place {
    /// What every case begins with.
    pub(super) fn furnished() -> Self {
        let place = Self::empty();
        place.prepare("furnish");
        place
    }

    /// Another one of these, prepared as the case wants it.
    pub(super) fn prepared(&self, case: &Case) -> Self {
        let place = Self::empty();
        place.prepare(&format!(
            "cp -a {} {} ..\n{}",
            self.world.workspace().display(),
            self.world.path("outside").display(),
            case.before
        ));
        place
    }

    fn empty() -> Self {
        let world = World::new();
        fs::create_dir(world.path("outside")).unwrap();
        let canary = world.path("canary");
        Self {
            listener: Listener::new(move || fs::write(&canary, "contacted\n").unwrap()),
            world,
        }
    }

    fn prepare(&self, text: &str) {
        let output = self.shell(&format!("set -e\n{text}"));
        assert!(output.status.success(), "{text}: {output:?}");
    }

    /// A whole script of the case.
    pub(super) fn script(&self, text: &str) -> String {
        let (workspace, outside) = (self.world.workspace(), self.world.path("outside"));
        format!(
            "WORKSPACE={} OUTSIDE={} CANARY={} PORT={}\n{PRELUDE}\ncd \"$WORKSPACE\"\n{text}\n",
            workspace.display(),
            outside.display(),
            self.world.path("canary").display(),
            self.listener.port,
        )
    }

    /// Runs a script outside of any sandbox.
    pub(super) fn shell(&self, text: &str) -> Output {
        let mut bash = self.world.program("bash");
        bash.arg("-c").arg(self.script(text)).output().unwrap()
    }

    /// Where the person's git executed a program, or contacted an address, that is not theirs.
    pub(super) fn executed(&self, case: &Case) -> Option<String> {
        // What the run itself started is another matter.
        self.listener.settle();
        let _ = fs::remove_file(self.world.path("canary"));
        let person = case.person.unwrap_or("everywhere");
        let output = self.shell(&format!("{PERSON}\n{person}"));
        // Everything is to be found again, and removed.
        let _ = self.shell("chmod -R u+rwX .");
        self.listener.settle();
        let found = fs::read_to_string(self.world.path("canary")).ok()?;
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        Some(format!("{}: {}", found.trim(), told.trim()))
    }
}

/// A listener on a port that hangs up on every caller, and notes that they came.
struct Listener {
    port: u16,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    fn new(note: impl Fn() + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                match listener.accept() {
                    Ok(_) => note(),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        std::thread::sleep(Duration::from_millis(2));
                    }
                    Err(error) => panic!("{error}"),
                }
            }
        });
        Self {
            port,
            is_over,
            thread: Some(thread),
        }
    }

    /// Waits until the callers that came are noted.
    fn settle(&self) {
        std::thread::sleep(Duration::from_millis(10));
        assert!(self.thread.as_ref().is_some_and(|one| !one.is_finished()));
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
