//! The executable while it runs, and how it ended.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// No call takes longer than this, however slow the machine is.
const BOUND: Duration = Duration::from_secs(100);

/// How a call ended, whole.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Its exit code, or 128 and the signal.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// The code and the one JSON object on standard output.
    pub(crate) fn json(&self) -> (i32, Value) {
        let object = serde_json::from_str(&self.stdout);
        let object = object.unwrap_or_else(|error| panic!("{error} in {self:?}"));
        (self.code, object)
    }
}

/// The same with bytes, and the time it took.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) took: Duration,
}

impl Ended {
    pub(crate) fn outcome(&self) -> Outcome {
        Outcome {
            code: self.code,
            stdout: String::from_utf8_lossy(&self.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&self.stderr).into_owned(),
        }
    }
}

/// A call that goes on. Whatever happens, it does not outlive the test.
pub(crate) struct Running {
    child: Child,
    began: Instant,
    stdout: Option<JoinHandle<Vec<u8>>>,
    stderr: Option<JoinHandle<Vec<u8>>>,
}

impl Running {
    /// Starts it; both streams are read while it goes on.
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let began = Instant::now();
        let mut child = command.spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let stderr = child.stderr.take().unwrap();
        Self {
            child,
            began,
            stdout: Some(drain(stdout)),
            stderr: Some(drain(stderr)),
        }
    }

    /// Starts it with this on its standard input.
    pub(crate) fn start_with_input(mut command: Command, input: &[u8]) -> Self {
        command.stdin(Stdio::piped());
        let mut running = Self::start(command);
        running.write(input);
        drop(running.child.stdin.take());
        running
    }

    /// Types this on its standard input, which must be a pipe.
    pub(crate) fn write(&mut self, input: &[u8]) {
        // One that has ended already does not read it.
        let _ = self.child.stdin.as_mut().unwrap().write_all(input);
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn is_over(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for its end and for the end of both streams.
    pub(crate) fn end(mut self) -> Ended {
        let is_silent =
            |reader: &Option<JoinHandle<_>>| reader.as_ref().is_some_and(JoinHandle::is_finished);
        let mut status = None;
        while status.is_none() || !is_silent(&self.stdout) || !is_silent(&self.stderr) {
            status = self.child.try_wait().unwrap();
            assert!(
                self.began.elapsed() < BOUND,
                "no end after {BOUND:?}; exit {status:?}"
            );
            std::thread::sleep(Duration::from_millis(2));
        }
        let status = status.unwrap();
        let read = |reader: &mut Option<JoinHandle<Vec<u8>>>| reader.take().unwrap().join();
        Ended {
            code: status
                .code()
                .unwrap_or_else(|| 128 + status.signal().unwrap()),
            stdout: read(&mut self.stdout).unwrap(),
            stderr: read(&mut self.stderr).unwrap(),
            took: self.began.elapsed(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Its keeper ends what it ran.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn drain(mut stream: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        bytes
    })
}
