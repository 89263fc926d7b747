//! What a call looks like to the person who made it: one text, the same on every machine.
//!
//! Tests compare it with `insta::assert_snapshot!` and keep what they expect beside the call. A test
//! run writes nothing; `cargo insta test --review` shows what has changed, and writes what is accepted.

use std::ffi::OsStr;
use std::fmt::Write as _;

use regex_lite::Regex;

use super::running::{Outcome, Running};
use super::world::{World, binary};

/// What differs from run to run or from machine to machine, and what stands for it. In this order.
const FILTERS: &[(&str, &str)] = &[
    (r"\b(bash|ask|grant)-[0-9a-z]{16}\b", "$1-[ID]"),
    (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "[ID]"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?", "[TIME]"),
    (r"\b\d+(\.\d+)?(ms|s) ago\b", "[SOON] ago"),
    (r"\bbuiltin\.toml:\d+", "builtin.toml:[LINE]"),
    (r"\b[0-9a-f]{64}\b", "[DIGEST]"),
    // Blanks at the end of a line, which no one sees.
    (r"(?m) +$", ""),
];

impl World {
    /// `bashful` with these arguments, by a caller that has no terminal: how it ended and what it
    /// printed.
    pub(crate) fn screen(&self, arguments: &[&str]) -> String {
        self.as_screen(&self.without_a_terminal(arguments))
    }

    /// The outcome of such a call.
    pub(crate) fn without_a_terminal<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Outcome {
        let mut command = self.program("setsid");
        command.arg("--wait").arg(binary()).args(arguments);
        Running::start(command).end().outcome()
    }

    /// What a call prints that shows a table. How wide its columns are and how many digits its times
    /// have depends on this run: every gap gets two blanks, and no time and no short id is kept.
    pub(crate) fn table(&self, arguments: &[&str]) -> String {
        let mut text = self.screen(arguments);
        for (pattern, stands_for) in [
            (r"(?m)^\d[0-9a-z]{3,16} ", "[ID] "),
            (r"\b\d+(\.\d+)?(ms|s)\b", "[DURATION]"),
            (" {2,}", "  "),
        ] {
            text = replaced(&text, pattern, stands_for);
        }
        text
    }

    /// What `screen` would give for a call that has ended.
    pub(crate) fn as_screen(&self, outcome: &Outcome) -> String {
        let Outcome {
            code,
            stdout,
            stderr,
        } = outcome;
        let mut text = format!("exit code {code}\n");
        for (name, stream) in [("stdout", stdout), ("stderr", stderr)] {
            if !stream.is_empty() {
                let _ = write!(text, "----- {name} -----\n{stream}");
            }
        }
        self.filtered(&text)
    }

    /// How each of these calls ended and the first line of what it said on stderr, one below the other.
    pub(crate) fn complaints(&self, outcomes: &[Outcome]) -> String {
        let told = |outcome: &Outcome| {
            assert_eq!(outcome.stdout, "", "{outcome:?}");
            let first = outcome.stderr.lines().next().unwrap_or_default();
            format!("{}  {first}\n", outcome.code)
        };
        self.filtered(&outcomes.iter().map(told).collect::<String>())
    }

    fn filtered(&self, text: &str) -> String {
        let root = self.path("");
        let root = root.to_str().unwrap().trim_end_matches('/');
        let mut text = text
            .replace(root, "[WORLD]")
            .replace(env!("CARGO_PKG_VERSION"), "[VERSION]");
        for (pattern, stands_for) in FILTERS {
            text = replaced(&text, pattern, stands_for);
        }
        text
    }
}

/// A card whose rows are whole, for one with a path in it: how many lines that needs depends on the
/// machine.
pub(crate) fn with_whole_rows(mut card: Outcome) -> Outcome {
    // In a card of two columns, the border between them comes again.
    let broken = r"\n│ {2,}(│ )?";
    card.stdout = replaced(&card.stdout, broken, "");
    card.stderr = replaced(&card.stderr, broken, "");
    card
}

fn replaced(text: &str, pattern: &str, stands_for: &str) -> String {
    let pattern = Regex::new(pattern).unwrap();
    pattern.replace_all(text, stands_for).into_owned()
}
