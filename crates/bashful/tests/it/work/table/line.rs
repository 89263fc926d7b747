//! One line of the table: a command, and how to see that it worked.

use std::fs;
use std::path::PathBuf;

use crate::support::PATH;

/// How far a person has to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Expected {
    /// It works at once.
    Works,
    /// It works after one yes, or after what the first message says.
    Asked,
    /// It does not work yet: the whole table counts it, and no slice takes it.
    Open,
}

#[derive(Debug, Clone)]
pub(super) enum Check {
    /// One of the two streams has this text.
    Prints(String),
    /// This file is there, named from the project.
    File(String),
    Exit(i32),
}

#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) project: String,
    pub(super) expected: Expected,
    pub(super) text: String,
    pub(super) checks: Vec<Check>,
    needs: Vec<String>,
    slow: bool,
}

/// The repository, or the copy of it that an ordinary user can read.
pub(super) fn repository() -> PathBuf {
    let named = std::env::var_os("BASHFUL_TEST_REPO").map(PathBuf::from);
    named.unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../..").into())
}

/// The whole table, project by project.
pub(super) fn table() -> Vec<Line> {
    let folder = repository().join("tests/work/commands");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let lines = files.iter().flat_map(|file| {
        let project = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(file).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let lines = lines.map(|line| Line::read(&project, line));
        lines.collect::<Vec<_>>()
    });
    lines.collect()
}

impl Line {
    fn read(project: &str, line: &str) -> Self {
        let mut parts = line.split("  ## ");
        let (expected, text) = parts.next().unwrap().split_once(' ').unwrap();
        let mut read = Self {
            project: project.to_owned(),
            expected: match expected {
                "works" => Expected::Works,
                "asked" => Expected::Asked,
                "open" => Expected::Open,
                other => panic!("`{other}` is not known: {line}"),
            },
            text: text.trim().replace('␤', "\n"),
            checks: Vec::new(),
            needs: Vec::new(),
            slow: false,
        };
        for part in parts {
            let (kind, value) = part.split_once(' ').unwrap_or((part, ""));
            match kind {
                "prints" => read.checks.push(Check::Prints(value.to_owned())),
                "file" => read.checks.push(Check::File(value.to_owned())),
                "exit" => read.checks.push(Check::Exit(value.parse().unwrap())),
                "needs" => read.needs.push(value.to_owned()),
                "slow" => read.slow = true,
                other => panic!("`{other}` is not known: {line}"),
            }
        }
        read
    }

    /// Whether a slice may take it.
    pub(super) fn is_for_slices(&self) -> bool {
        !self.slow && self.expected != Expected::Open
    }

    /// A program that it needs and that this host does not have.
    pub(super) fn lacking(&self) -> Option<&str> {
        let lacking = self.needs.iter().find(|program| !is_there(program));
        lacking.map(String::as_str)
    }

    pub(super) fn code(&self) -> i32 {
        let mut codes = self.checks.iter().filter_map(|check| match check {
            Check::Exit(code) => Some(*code),
            _ => None,
        });
        codes.next().unwrap_or(0)
    }
}

/// Whether every user of this host may start this program.
pub(super) fn is_there(program: &str) -> bool {
    PATH.split(':')
        .any(|folder| PathBuf::from(folder).join(program).is_file())
}
