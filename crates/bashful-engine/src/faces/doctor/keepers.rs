//! The keepers that live: who they are, of which version, and for how long.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::path::Path;
use std::time::Duration;

use bashful_keeper::{Hello, Reply, Request, VERSION, Welcome, connect};

use super::kept::REPAIR;
use super::{Finding, State};
use crate::launch::sockets::is_dead;
use crate::launch::sockets::sockets;
use crate::model::places::Places;
use crate::tasks::running;

/// A keeper that answers later than this is busy.
const PATIENCE: Duration = Duration::from_millis(500);
/// How many keepers are asked who they are.
const MOST_ASKED: usize = 8;
/// How many ticks a second the kernel counts for programs, on all machines that we run on.
const TICKS: u64 = 100;
/// No welcome is longer.
const MOST_BYTES: u64 = 4096;

/// Which keepers live, and which left a socket behind.
pub(super) fn look(places: &Places) -> Finding {
    let tasks = running(&places.state).map_or(0, |tasks| tasks.len());
    let all = sockets(&places.runtime);
    let (dead, alive): (Vec<_>, Vec<_>) = all.iter().partition(|socket| is_dead(socket));
    let mut words = format!("keepers with a socket: {}", alive.len());
    let known: Vec<String> = alive
        .iter()
        .take(MOST_ASKED)
        .filter_map(|socket| ask(socket))
        .map(|welcome| describe(&welcome))
        .collect();
    if !known.is_empty() {
        let _ = write!(words, " ({})", known.join("; "));
    }
    let _ = write!(words, ", running tasks: {tasks}");
    if dead.is_empty() {
        return Finding::new("keepers", State::Ok, words);
    }
    let _ = write!(words, "; sockets where no keeper answers: {}", dead.len());
    Finding::new("keepers", State::Weak, words).mended_by([REPAIR])
}

/// The keeper that serves at a socket. The request names a protocol that no keeper knows, so the
/// keeper only says so and starts nothing for it.
fn ask(socket: &Path) -> Option<Welcome> {
    let mut stream = connect(socket).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    let hello = Request::Hello(Hello {
        version: VERSION.to_owned(),
        protocol: 0,
        ..Hello::default()
    });
    let mut line = serde_json::to_vec(&hello).ok()?;
    line.push(b'\n');
    stream.write_all(&line).ok()?;
    let mut answer = String::new();
    let mut reader = BufReader::new(stream.take(MOST_BYTES));
    reader.read_line(&mut answer).ok()?;
    match serde_json::from_str(&answer).ok()? {
        Reply::Hello(welcome) | Reply::Mismatch(welcome) => Some(welcome),
        _ => None,
    }
}

fn describe(welcome: &Welcome) -> String {
    let version: String = welcome
        .version
        .chars()
        .filter(char::is_ascii_graphic)
        .take(32)
        .collect();
    let age = age(welcome.pid).map_or_else(String::new, |age| format!(", {}", in_words(age)));
    format!("process {}, version {version}{age}", welcome.pid)
}

/// For how long a process has lived.
fn age(pid: u32) -> Option<Duration> {
    let about = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Its name comes second, in brackets, and may have anything in it.
    let (_, rest) = about.rsplit_once(')')?;
    let started: u64 = rest.split_whitespace().nth(19)?.parse().ok()?;
    let started = started / TICKS;
    let uptime = fs::read_to_string("/proc/uptime").ok()?;
    let uptime: u64 = uptime.split('.').next()?.parse().ok()?;
    Some(Duration::from_secs(uptime.saturating_sub(started)))
}

fn in_words(age: Duration) -> String {
    match age.as_secs() {
        seconds @ 0..120 => format!("{seconds} s old"),
        seconds @ 120..7200 => format!("{} min old", seconds / 60),
        seconds => format!("{} h old", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_an_age() {
        assert!(age(std::process::id()).unwrap() < Duration::from_secs(24 * 3600));
        assert_eq!(age(u32::MAX), None);
        assert_eq!(in_words(Duration::from_secs(7)), "7 s old");
        assert_eq!(in_words(Duration::from_secs(600)), "10 min old");
        assert_eq!(in_words(Duration::from_secs(7200)), "2 h old");
    }
}
