//! Outside: serves one run until its last process is gone. Each request is held to what the person
//! said yes to; ssh gets the streams of who asked, and ends with this process.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bashful_sandbox::{ExitStatus, Fork, fork_leaving_threads, ignore_write_signals, reap};

use rustix::fs::FileType;

use super::channel::{Orders, Outside};
use super::request::{Received, Request, Wish, receive};
use super::{credential, ssh};

/// A run that asks more often is not git.
const MOST_REQUESTS: usize = 200;
/// So many at once.
const MOST_AT_ONCE: usize = 8;
/// So often a credential is told.
const MOST_CREDENTIALS: usize = 16;
/// What ssh ends with when it cannot connect.
const NO_CONNECTION: u8 = 255;

/// Serves the channel at our standard input.
pub(super) fn serve() -> u8 {
    let orders = std::env::args().nth(2);
    let orders = orders.and_then(|orders| serde_json::from_str(&orders).ok());
    let Some(orders) = orders else { return 1 };
    // Who started us waits for us to be gone, and has no child to care for later.
    match fork_leaving_threads() {
        Ok(Fork::Parent(_)) => 0,
        Ok(Fork::Child) => serve_run(orders),
        Err(_) => 1,
    }
}

/// Until the run is gone.
fn serve_run(orders: Orders) -> u8 {
    // Who asks may be gone before the answer.
    ignore_write_signals();
    u8::from(Carrier::new(orders).listen().is_err())
}

struct Carrier {
    orders: Orders,
    environment: BTreeMap<String, String>,
    busy: AtomicUsize,
    credentials: AtomicUsize,
}

impl Carrier {
    fn new(orders: Orders) -> Arc<Self> {
        let lossy = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        let environment = std::env::vars_os().map(|(name, value)| (lossy(name), lossy(value)));
        Arc::new(Self {
            orders,
            environment: environment.collect(),
            busy: AtomicUsize::new(0),
            credentials: AtomicUsize::new(0),
        })
    }

    /// Until the last process of the run is gone: what we started ends with us.
    fn listen(self: Arc<Self>) -> io::Result<()> {
        let channel = io::stdin();
        for _ in 0..MOST_REQUESTS {
            let request = match receive(&channel)? {
                Received::Request(request) => request,
                Received::Nonsense => continue,
                Received::End => return Ok(()),
            };
            if self.busy.fetch_add(1, Ordering::AcqRel) >= MOST_AT_ONCE {
                self.busy.fetch_sub(1, Ordering::AcqRel);
                refuse(request.stderr, request.answer, "too many requests at once");
                continue;
            }
            let carrier = Arc::clone(&self);
            // The kernel ends what is started when the thread that started it does.
            let thread = std::thread::Builder::new().stack_size(256 << 10);
            thread.spawn(move || {
                carrier.answer(*request);
                carrier.busy.fetch_sub(1, Ordering::AcqRel);
            })?;
        }
        // What is under way still gets its time: until the run ends, or git does.
        while !matches!(receive(&channel)?, Received::End) {}
        Ok(())
    }

    fn answer(&self, request: Request) {
        let Request {
            wish,
            stdin,
            stdout,
            stderr,
            answer,
        } = request;
        // Nothing of ours writes to anything else that a run can have open.
        if ![&stdin, &stdout, &answer].into_iter().all(is_pipe) || !is_plain(&stderr) {
            return;
        }
        match wish {
            Wish::Ssh { words, protocol } => {
                let Some(program) = &self.orders.ssh else {
                    return refuse(stderr, answer, "there is no `ssh` outside");
                };
                let launch = self.outside().launch(program, "ssh").dies_with_caller();
                let transfers = &self.orders.transfers;
                match ssh::launch(launch, &words, protocol.as_deref(), transfers) {
                    Err(told) => refuse(stderr, answer, &told),
                    Ok(launch) => {
                        let launch = launch.stdin(stdin).stdout(stdout).stderr(stderr);
                        finish(answer, run(launch));
                    }
                }
            }
            Wish::Credential { about } => {
                if self.credentials.fetch_add(1, Ordering::AcqRel) >= MOST_CREDENTIALS {
                    return refuse(stderr, answer, "the credential was told often enough");
                }
                let git = self.orders.git.as_ref();
                let launch = || Some(self.outside().launch(git?, "git").dies_with_caller());
                match credential::answer(&about, &self.orders.transfers, launch) {
                    Err(told) => refuse(stderr, answer, &told),
                    Ok(lines) => {
                        let written = File::from(stdout).write_all(lines.as_bytes());
                        finish(answer, u8::from(written.is_err()));
                    }
                }
            }
        }
    }

    fn outside(&self) -> Outside<'_> {
        Outside {
            environment: &self.environment,
            foreign: &[],
            executable: Path::new(""),
        }
    }
}

/// Whether bytes only pass through: git gives pipes to what it starts.
fn is_pipe(stream: &OwnedFd) -> bool {
    let kind = rustix::fs::fstat(stream).map(|about| FileType::from_raw_mode(about.st_mode));
    matches!(kind, Ok(FileType::Fifo | FileType::Socket))
}

/// Whether it is where programs complain to: a file by which the kernel is told something is not.
fn is_plain(stream: &OwnedFd) -> bool {
    const OF_THE_KERNEL: [u64; 4] = [0x9fa0, 0x6265_6572, 0x0027_e0eb, 0x6367_7270];
    let kind = rustix::fs::fstatfs(stream).map(|about| u64::try_from(about.f_type));
    matches!(kind, Ok(Ok(kind)) if !OF_THE_KERNEL.contains(&kind))
}

fn run(launch: bashful_sandbox::Launch) -> u8 {
    let ended = launch.start().map_err(io::Error::other).and_then(reap);
    match ended.map(|exit| exit.status) {
        Ok(ExitStatus::Code(code)) => u8::try_from(code).unwrap_or(NO_CONNECTION),
        Ok(ExitStatus::Signal(_)) | Err(_) => NO_CONNECTION,
    }
}

fn refuse(stderr: OwnedFd, answer: OwnedFd, told: &str) {
    let _ = writeln!(File::from(stderr), "bashful: {told}");
    finish(answer, NO_CONNECTION);
}

fn finish(answer: OwnedFd, code: u8) {
    // Who asked may be gone.
    let _ = File::from(answer).write_all(&[code]);
}
