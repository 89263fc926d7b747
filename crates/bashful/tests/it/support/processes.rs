//! Processes, told apart by a number that nothing else on the machine has.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::world::binary;

/// How long a condition may take that should be true at once.
pub(crate) const PATIENCE: Duration = Duration::from_secs(40);

/// Whether this becomes true while there is patience.
pub(crate) fn eventually(mut is_true: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if is_true() {
            return true;
        }
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether there is time for everything, as in `cargo xtask soak`.
pub(crate) fn is_long() -> bool {
    let seconds = std::env::var("BASHFUL_SOAK_SECONDS").ok();
    seconds.is_some_and(|text| text.parse::<u64>().unwrap() >= 60)
}

/// A number of seconds to sleep that no other process on the machine sleeps.
#[derive(Debug, Clone)]
pub(crate) struct Marker(String);

impl Marker {
    pub(crate) fn fresh() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let (pid, nanos) = (std::process::id(), now.subsec_nanos());
        Self(format!("98765.{pid:07}{count:03}{nanos:09}"))
    }

    /// A command that sleeps far longer than any test.
    pub(crate) fn sleep(&self) -> String {
        format!("sleep {}", self.0)
    }

    /// The processes that have the number as one of their arguments: the sleepers.
    pub(crate) fn sleepers(&self) -> Vec<i32> {
        with_command_line(|line| {
            line.split(|&byte| byte == 0)
                .any(|argument| argument == self.0.as_bytes())
        })
    }

    /// The processes that have the number anywhere, also shells that are about to
    /// start a sleeper. Not those of `bashful` itself: a keeper that serves its session
    /// further looks like the call that made it.
    pub(crate) fn anybody(&self) -> Vec<String> {
        let (needle, own) = (self.0.as_bytes(), binary());
        let found = with_command_line(|line| {
            !line.starts_with(own.as_os_str().as_encoded_bytes())
                && line.windows(needle.len()).any(|it| it == needle)
        });
        found.into_iter().map(describe).collect()
    }

    /// Waits until this many sleep.
    pub(crate) fn wait_for(&self, count: usize) {
        let there = eventually(|| self.sleepers().len() >= count);
        assert!(there, "not {count} sleepers: {:?}", self.anybody());
    }

    /// No process with the mark is left, now.
    pub(crate) fn assert_gone(&self) {
        assert_eq!(self.anybody(), [] as [String; 0]);
    }

    /// No process with the mark is left soon, although no parent was there to wait for it.
    pub(crate) fn assert_gone_soon(&self) {
        eventually(|| self.anybody().is_empty());
        self.assert_gone();
    }
}

fn with_command_line(is_meant: impl Fn(&[u8]) -> bool) -> Vec<i32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    // One that ended has no command line any more.
    pids.filter(|pid| fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| is_meant(&line)))
        .collect()
}

fn describe(pid: i32) -> String {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let text = String::from_utf8_lossy(&line).replace('\0', " ");
    format!("{pid}: {}", text.chars().take(200).collect::<String>())
}

/// Whether the process that started at this time lives and is no zombie.
pub(crate) fn is_alive(pid: i32, started: u64) -> bool {
    start_of(pid) == Some(started)
}

/// When this process started, in clock ticks since boot; none if it has ended.
pub(crate) fn start_of(pid: i32) -> Option<u64> {
    let fields = stat_of(pid)?;
    if matches!(fields.first().map(String::as_str), Some("Z" | "X")) {
        return None;
    }
    fields.get(19)?.parse().ok()
}

/// The parent of this process.
pub(crate) fn parent_of(pid: i32) -> i32 {
    stat_of(pid).unwrap()[1].parse().unwrap()
}

/// What the kernel tells of this process, from its state on.
fn stat_of(pid: i32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}
