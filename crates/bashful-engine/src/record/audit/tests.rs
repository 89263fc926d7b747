//! The trail as its writers and readers see it, and as an attacker sees it who changes it.

mod anchoring;
mod appending;
mod kept;
mod places;
mod tampering;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::event::{Decided, Event, Starting};
use super::line::Seal;
use super::trail::Trail;
use super::verify::{Anchored, ProblemKind, Verification};

/// A state directory with a trail.
struct Scene {
    temp: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir(temp.path().join("state")).unwrap();
        let private = fs::Permissions::from_mode(0o700);
        fs::set_permissions(temp.path().join("state"), private).unwrap();
        Self { temp }
    }

    /// One with records 1 to this.
    fn with_records(last: u64) -> Self {
        let scene = Self::new();
        for number in 1..=last {
            scene.append(&[event(number)]);
        }
        scene
    }

    fn state(&self) -> PathBuf {
        self.temp.path().join("state")
    }

    /// A path outside the state directory.
    fn outside(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    fn trail(&self) -> Trail {
        Trail::at(&self.state())
    }

    fn append(&self, events: &[Event]) {
        drop(self.trail().append(events).unwrap());
    }

    fn text(&self) -> String {
        fs::read_to_string(self.trail().path()).unwrap()
    }

    fn lines(&self) -> Vec<String> {
        self.text().lines().map(str::to_owned).collect()
    }

    fn set_text(&self, text: impl AsRef<[u8]>) {
        fs::write(self.trail().path(), text).unwrap();
    }

    fn head(&self) -> PathBuf {
        self.state().join("trail.head")
    }

    fn set_lines(&self, lines: &[String]) {
        self.set_text(
            lines
                .iter()
                .fold(String::new(), |text, line| text + line + "\n"),
        );
    }

    fn verify(&self) -> Verification {
        self.trail().verify(&[]).unwrap()
    }

    /// The first problem: which record, and what happened to it.
    fn problem(&self) -> Option<(u64, ProblemKind)> {
        first_problem(&self.verify())
    }

    /// The same, with an anchor.
    fn problem_against(&self, anchored: &Anchored) -> Option<(u64, ProblemKind)> {
        let anchored = std::slice::from_ref(anchored);
        first_problem(&self.trail().verify(anchored).unwrap())
    }

    /// Makes a head that fits to the trail, as an attacker would who covers their tracks.
    fn fit_head(&self) {
        let lines = self.lines();
        let last = lines.last().cloned().unwrap_or_default();
        let record = super::line::Line::parse(last.as_bytes()).unwrap();
        let head = super::head::Head {
            seq: record.seq,
            hash: record.hash,
            length: self.text().len() as u64,
        };
        let file = fs::File::options().write(true).open(self.head()).unwrap();
        head.write(&file).unwrap();
    }

    /// The numbers of the records, and what happened.
    fn kinds(&self) -> Vec<(u64, String)> {
        let records = self.trail().records().unwrap();
        let each = records.map(|record| record.unwrap());
        each.map(|record| (record.seq, record.kind)).collect()
    }
}

fn first_problem(found: &Verification) -> Option<(u64, ProblemKind)> {
    let first = found.problems.first();
    first.map(|problem| (problem.seq, problem.kind))
}

/// Seals lines anew from this one on, so that each fits to the one before it.
fn seal_anew(lines: &mut [String], from: usize) {
    let mut prev = match from {
        0 => "0".repeat(64),
        _ => hash_of(&lines[from - 1]),
    };
    for line in &mut lines[from..] {
        let body = line.get(..line.len() - 75 - 65).unwrap();
        let body = format!("{body}{prev}\"");
        let hash = Seal::over(&[body.as_bytes(), b"}"]);
        *line = format!("{body},\"hash\":\"{}\"}}", hash.as_str());
        prev = hash.as_str().to_owned();
    }
}

fn hash_of(line: &str) -> String {
    line.get(line.len() - 66..line.len() - 2)
        .unwrap()
        .to_owned()
}

/// An event that can be told from others.
fn event(number: u64) -> Event {
    if number.is_multiple_of(2) {
        return Event::Start(Starting {
            task: format!("task-{number}"),
            agent: "coder".to_owned(),
            session: "s1".to_owned(),
            claimed: None,
        });
    }
    Event::Decision(Decided {
        task: format!("task-{number}"),
        effect: "allow".to_owned(),
        rule: "readonly".to_owned(),
        layer: "built-in".to_owned(),
        reason: "it only \"reads\" \u{202e} \\ \n".to_owned(),
        capability: None,
        grants: Vec::new(),
    })
}
