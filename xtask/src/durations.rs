//! How long tests take: read from what nextest prints, which passes through unchanged.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::process::describe;

/// How many of the slowest tests the end of a run shows.
const SHOWN: usize = 20;

/// What the tests of a run took, by the user that ran them and their names.
#[derive(Debug, Default)]
pub(crate) struct Durations(BTreeMap<String, Duration>);

impl Durations {
    /// Runs nextest to its end with our own streams, and notes what each test took.
    pub(crate) fn run(&mut self, user: &str, nextest: &mut Command) -> Result<()> {
        let what = describe(nextest);
        if std::io::stderr().is_terminal() {
            nextest.arg("--color=always");
        }
        let mut child = nextest
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start `{what}`"))?;
        if let Some(lines) = child.stderr.take() {
            let mut lines = BufReader::new(lines);
            let mut line = Vec::new();
            while lines.read_until(b'\n', &mut line)? > 0 {
                std::io::stderr().write_all(&line)?;
                if let Some((name, duration)) = read(&String::from_utf8_lossy(&line)) {
                    self.0.insert(format!("{user}: {name}"), duration);
                }
                line.clear();
            }
        }
        let status = child.wait()?;
        if !status.success() {
            bail!("`{what}` ended with {status}");
        }
        Ok(())
    }

    /// A line for each of the slowest tests, the slowest first.
    pub(crate) fn slowest(&self) -> Vec<String> {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_by_key(|(_, duration)| std::cmp::Reverse(**duration));
        let line = |(name, duration): (&String, &Duration)| {
            format!("{:7.1} s  {name}", duration.as_secs_f64())
        };
        all.into_iter().take(SHOWN).map(line).collect()
    }
}

/// The test that a line of nextest reports as ended, and what it took.
fn read(line: &str) -> Option<(String, Duration)> {
    let plain = without_colours(line);
    let (word, rest) = plain.split_once('[')?;
    let is_end = |word: &str| {
        ["PASS", "FAIL", "LEAK", "TIMEOUT", "FLAKY"].contains(&word) || word.starts_with("SIG")
    };
    if !word.split_whitespace().any(is_end) {
        return None;
    }
    let (seconds, rest) = rest.split_once("s]")?;
    let duration = Duration::try_from_secs_f64(seconds.trim().parse().ok()?).ok()?;
    let name = match rest.trim_start().strip_prefix('(') {
        Some(rest) => rest.split_once(')')?.1,
        None => rest,
    };
    let name = name.trim();
    (!name.is_empty()).then(|| (name.to_owned(), duration))
}

fn without_colours(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_tests_are_read_and_nothing_else() {
        let found = |line: &str| read(line).map(|(name, time)| (name, time.as_millis()));
        let test = |millis| Some(("bashful::it basics::one".to_owned(), millis));
        assert_eq!(
            found("        PASS [   1.005s] (28/2899) bashful::it basics::one\n"),
            test(1005)
        );
        assert_eq!(
            found(
                "\u{1b}[32;1m        PASS\u{1b}[0m [   0.020s] \u{1b}[35mbashful::it\u{1b}[0m basics::one"
            ),
            test(20)
        );
        assert_eq!(
            found("  TRY 1 FAIL [  24.449s] (────) bashful::it basics::one"),
            test(24449)
        );
        assert_eq!(
            found("     SIGABRT [   2.000s] (3/9) bashful::it basics::one"),
            test(2000)
        );
        assert_eq!(
            found("        SLOW [> 60.000s] (───) bashful::it basics::one"),
            None
        );
        assert_eq!(found("     Summary [ 900.1s] 9 tests run: 9 passed"), None);
        assert_eq!(found("a test prints [12s] PASS"), None);
    }

    #[test]
    fn the_slowest_come_first() {
        let seconds = [("user: b", 2), ("root: b", 3), ("user: a", 1)];
        let all = seconds.map(|(name, time)| (name.to_owned(), Duration::from_secs(time)));
        let lines = Durations(BTreeMap::from(all)).slowest();
        assert_eq!(lines[0], "    3.0 s  root: b");
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn a_run_passes_its_lines_on_and_tells_of_a_failure() {
        let mut durations = Durations::default();
        let script = "echo '  PASS [ 0.5s] (1/1) it one' >&2; exit 3";
        let mut command = Command::new("sh");
        let error = durations
            .run("root", command.args(["-c", script]))
            .unwrap_err();
        assert!(
            error.to_string().ends_with("ended with exit status: 3"),
            "{error}"
        );
        assert_eq!(durations.slowest(), ["    0.5 s  root: it one"]);
    }
}
