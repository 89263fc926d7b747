//! The executable on a terminal of its own, with a person at the keyboard.
//!
//! `script` opens the terminal, makes it the controlling one, and types what we give it.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::processes::eventually;
use super::world::{World, binary};

/// No call takes longer than this, however slow the machine is.
const BOUND: Duration = Duration::from_secs(100);
/// Between two keys of a person who types.
const BETWEEN_KEYS: Duration = Duration::from_millis(90);
/// After a question was drawn, before a person has read it.
const READING: Duration = Duration::from_millis(450);

/// What the prompt asks with.
const QUESTION: &str = "ENTER is no] ";

/// A terminal, and a program on it.
pub(crate) struct Terminal {
    child: Child,
    keys: Option<ChildStdin>,
    screen: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    /// `bashful` with these arguments on a terminal of 100 columns. The modes of the terminal are
    /// compared before and after.
    pub(crate) fn bashful(world: &World, arguments: &[&str]) -> Self {
        let words = arguments.iter().map(|word| quoted(word));
        let program = quoted(binary().to_str().unwrap());
        let call = format!("{program} {}", words.collect::<Vec<_>>().join(" "));
        Self::line(world, &call)
    }

    /// A line of shell on a terminal of 100 columns. Ctrl-C is for what runs, not for the shell.
    pub(crate) fn line(world: &World, call: &str) -> Self {
        let line = format!(
            "trap : INT; stty cols 100 rows 40; before=$(stty -g); {call}; code=$?; \
             test \"$before\" = \"$(stty -g)\" || {{ echo MODES CHANGED; exit 99; }}; exit $code"
        );
        let mut command = world.program("script");
        command
            .args(["-qec", &line, "/dev/null"])
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .env("LANG", "C.UTF-8")
            .env("SHELL", "/bin/sh");
        Self::start(command)
    }

    fn start(mut command: Command) -> Self {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let keys = child.stdin.take();
        let mut stream = child.stdout.take().unwrap();
        let screen = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                seen.lock().unwrap().extend(&buffer[..count]);
            }
        });
        Self {
            child,
            keys,
            screen,
        }
    }

    /// What was drawn so far.
    pub(crate) fn seen(&self) -> String {
        let bytes = self.screen.lock().unwrap().clone();
        String::from_utf8_lossy(&bytes).replace("\r\n", "\n")
    }

    /// Waits until this was drawn this often.
    pub(crate) fn look_for(&self, text: &str, times: usize) {
        let there = eventually(|| self.seen().matches(text).count() >= times);
        assert!(there, "not {times} times {text:?} in:\n{}", self.seen());
    }

    /// Waits until a person would have read the question for the `times`th time.
    pub(crate) fn asked(&self, times: usize) {
        self.look_for(QUESTION, times);
        std::thread::sleep(READING);
    }

    /// Whether it has asked.
    pub(crate) fn has_asked(&self) -> bool {
        self.seen().contains(QUESTION)
    }

    /// Presses keys, one after another.
    pub(crate) fn press(&mut self, keys: &[u8]) {
        for key in keys {
            self.paste(&[*key]);
            std::thread::sleep(BETWEEN_KEYS);
        }
    }

    /// Sends all of this at once.
    pub(crate) fn paste(&mut self, bytes: &[u8]) {
        let keys = self.keys.as_mut().unwrap();
        // One that has ended already does not read it.
        let _ = keys.write_all(bytes).and_then(|()| keys.flush());
    }

    /// Sends a signal to the process with this number.
    pub(crate) fn signal(pid: i32, signal: Signal) {
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    /// The exit code, and all that was drawn.
    pub(crate) fn end(mut self) -> (i32, String) {
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(began.elapsed() < BOUND, "no end after:\n{}", self.seen());
            std::thread::sleep(Duration::from_millis(5));
        };
        // The reader may be behind by a little.
        std::thread::sleep(Duration::from_millis(50));
        let seen = self.seen();
        assert!(!seen.contains("MODES CHANGED"), "{seen}");
        (status.code().unwrap(), seen)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
