//! Runs programs in real bash and returns which markers were executed.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The name of the program that writes down its arguments.
pub(crate) const MARKER: &str = "marker_7f3a";

/// No program takes longer, unless it waits for input or a signal that never comes.
const LIMIT: Duration = Duration::from_secs(4);

/// What a program in the background gets before the log is read.
const GRACE: Duration = Duration::from_millis(500);

/// A directory with the marker, its log, and a place for each worker to run programs in.
pub(crate) struct Bash {
    root: PathBuf,
}

impl Bash {
    /// Prepares a directory of this name; none where there is no bash.
    pub(crate) fn new(name: &str) -> Option<Self> {
        let works = Command::new("bash").args(["-c", ":"]).status();
        if !works.is_ok_and(|status| status.success()) {
            return None;
        }
        let root =
            std::env::temp_dir().join(format!("bashful-hiding-{name}-{}", std::process::id()));
        fs::create_dir(&root).unwrap();
        fs::create_dir(root.join("bin")).unwrap();
        let marker = root.join("bin").join(MARKER);
        let log = root.join("log");
        let text = format!("#!/bin/sh\necho \"$@\" >> '{}'\n", log.display());
        fs::write(&marker, text).unwrap();
        fs::set_permissions(&marker, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(&log, "").unwrap();
        Some(Self { root })
    }

    /// Runs all programs, several at a time, and returns the numbers that were written down.
    pub(crate) fn run(&self, programs: &[&str]) -> BTreeSet<String> {
        let next = AtomicUsize::new(0);
        let workers = std::thread::available_parallelism().map_or(2, usize::from);
        std::thread::scope(|scope| {
            for worker in 0..workers {
                let next = &next;
                scope.spawn(move || {
                    let directory = self.root.join(format!("work-{worker}"));
                    while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        self.run_one(program, &directory);
                    }
                });
            }
        });
        std::thread::sleep(GRACE);
        let log = fs::read(self.root.join("log")).unwrap();
        String::from_utf8_lossy(&log)
            .split_whitespace()
            .map(str::to_owned)
            .collect()
    }

    fn run_one(&self, program: &str, directory: &Path) {
        fs::create_dir(directory).unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", self.root.join("bin").display());
        let mut child = Command::new("bash")
            .args(["--norc", "--noprofile", "-c", program])
            .env_clear()
            .env("PATH", path)
            .env("HOME", directory)
            .current_dir(directory)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let end = Instant::now() + LIMIT;
        let mut pause = Duration::from_micros(500);
        while child.try_wait().unwrap().is_none() {
            if Instant::now() > end {
                // The group has the number of its leader, which is not reaped yet.
                let group = format!("-{}", child.id());
                let kill = ["-c", "kill -KILL \"$1\"", "kill", &group];
                let _ = Command::new("bash").args(kill).status();
                let _ = child.kill();
                let _ = child.wait();
                break;
            }
            std::thread::sleep(pause);
            pause = (pause * 5 / 4).min(Duration::from_millis(20));
        }
        // A process in the background can still write, which a second try is enough for.
        if fs::remove_dir_all(directory).is_err() {
            std::thread::sleep(GRACE);
            fs::remove_dir_all(directory).unwrap();
        }
    }
}

impl Drop for Bash {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}
