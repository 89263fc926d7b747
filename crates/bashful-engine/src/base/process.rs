//! A program outside of any sandbox: started, fed, heard, and ended when it takes too long.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use bashful_sandbox::{ExitStatus, Launch, reap, reap_if_ended, signal_tree};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::Signal;

/// Who says nothing else ends a program that takes longer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// How long one look at its streams may last: its end is noticed no later than this.
const GLANCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 20_000_000,
};
/// A program that prints more is ended.
const MAX_OUTPUT: usize = 64 << 20;
/// What is kept of its complaints.
const MAX_COMPLAINT: usize = 2000;

/// Runs a program to its end with this input, which must fit into a pipe. What it prints is
/// returned if it succeeds within this time.
pub(crate) fn run(launch: Launch, input: &[u8], patience: Duration) -> io::Result<Vec<u8>> {
    let until = Instant::now() + patience;
    let (stdin, feed) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    // Before it starts: it cannot hang up meanwhile.
    File::from(feed).write_all(input)?;
    let (mut stdout, stdout_end) = Stream::new()?;
    let (mut stderr, stderr_end) = Stream::new()?;
    let launch = launch
        .stdin(stdin)
        .stdout(stdout_end)
        .stderr(stderr_end)
        .new_session();
    let pid = launch.start().map_err(io::Error::other)?;
    let ended = loop {
        if let Some(exit) = reap_if_ended(pid)? {
            break Ok(exit.status);
        }
        if Instant::now() > until {
            break Err(io::Error::new(io::ErrorKind::TimedOut, "it takes too long"));
        }
        if let Err(error) = hear(&mut stdout, &mut stderr) {
            break Err(error);
        }
    };
    let status = match ended {
        Ok(status) => status,
        Err(error) => {
            signal_tree(&[pid], Signal::KILL);
            let _ = reap(pid);
            return Err(error);
        }
    };
    // What it said before it ended may still be in the pipes.
    stdout.drain()?;
    stderr.drain()?;
    match status {
        ExitStatus::Code(0) => Ok(stdout.text),
        ExitStatus::Code(code) => Err(stderr.complaint(&format!("it exits with {code}"))),
        ExitStatus::Signal(signal) => Err(stderr.complaint(&format!("signal {signal} ended it"))),
    }
}

/// Waits a moment for more, and takes it.
fn hear(stdout: &mut Stream, stderr: &mut Stream) -> io::Result<()> {
    let open = |stream: &Stream| !stream.closed;
    let mut fds: Vec<PollFd<'_>> = [&*stdout, &*stderr]
        .into_iter()
        .filter(|stream| open(stream))
        .map(|stream| PollFd::new(&stream.end, PollFlags::IN))
        .collect();
    match poll(&mut fds, Some(&GLANCE)) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    drop(fds);
    stdout.drain()?;
    stderr.drain()
}

/// One stream of the program.
struct Stream {
    end: File,
    text: Vec<u8>,
    closed: bool,
}

impl Stream {
    /// Our end, which never waits, and the program's.
    fn new() -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        rustix::io::ioctl_fionbio(&ours, true)?;
        let stream = Self {
            end: File::from(ours),
            text: Vec::new(),
            closed: false,
        };
        Ok((stream, theirs))
    }

    /// Takes what there is.
    fn drain(&mut self) -> io::Result<()> {
        let mut buffer = [0; 16 << 10];
        while !self.closed {
            match self.end.read(&mut buffer) {
                Ok(0) => self.closed = true,
                Ok(count) => self.text.extend(buffer.iter().take(count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if self.text.len() > MAX_OUTPUT {
                return Err(io::Error::other("it prints too much"));
            }
        }
        Ok(())
    }

    /// What it says about its failure.
    fn complaint(&self, failure: &str) -> io::Error {
        let kept = self.text.get(..MAX_COMPLAINT).unwrap_or(&self.text);
        let said = String::from_utf8_lossy(kept);
        io::Error::other(match said.trim() {
            "" => failure.to_owned(),
            said => format!("{failure}: {said}"),
        })
    }
}
