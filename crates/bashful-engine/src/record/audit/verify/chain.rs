//! Following the chain from its first record to the first that does not fit.

use std::fs::File;
use std::io;
use std::path::Path;

use super::super::directory::failed;
use super::super::event::{Event, Mended};
use super::super::head::Head;
use super::super::line::{Line, Seal};
use super::against::Against;
use super::lines::{Lines, Next};
use super::{MOST_REMARKS, Problem, ProblemKind, Remark, said};
use crate::model::error::record::AuditError;

/// How far the chain is good, and what was found.
#[derive(Debug)]
pub(super) struct Chain {
    pub(super) records: u64,
    /// The last good record and where it ends.
    pub(super) last: Head,
    pub(super) at_ms: u64,
    /// Whether it was followed to the end of the file.
    pub(super) complete: bool,
    pub(super) problems: Vec<Problem>,
    pub(super) remarks: Vec<Remark>,
    pub(super) unsaid: usize,
}

impl Default for Chain {
    fn default() -> Self {
        Self {
            records: 0,
            last: Head::NEW,
            at_ms: 0,
            complete: true,
            problems: Vec::new(),
            remarks: Vec::new(),
            unsaid: 0,
        }
    }
}

/// A record that does not follow the one before it.
struct Break {
    line: u64,
    seq: u64,
    hash: Seal,
}

impl Chain {
    pub(super) fn follow(
        &mut self,
        path: &Path,
        file: &File,
        length: u64,
        against: &mut Against<'_>,
    ) -> Result<(), AuditError> {
        let read = failed("read", path);
        let mut lines = Lines::new(file, length).map_err(&read)?;
        loop {
            let number = lines.number + 1;
            let step = match lines.next().map_err(&read)? {
                Next::Line(line) => self.step(line, number),
                Next::Torn(bytes) => {
                    let detail = format!("{bytes} bytes without a line end follow it");
                    self.remark(self.last.seq, detail);
                    return Ok(());
                }
                Next::End => return Ok(()),
            };
            if let Err(found) = step {
                self.complete = false;
                if let Some(found) = found {
                    let problem = self.explain(&found, &mut lines, against).map_err(&read)?;
                    self.problems.push(problem);
                }
                return Ok(());
            }
            self.last.length = lines.offset;
            against.meet(&self.last);
        }
    }

    /// Goes on to the next line; an error says that this is where it ends.
    fn step(&mut self, line: &[u8], number: u64) -> Result<(), Option<Break>> {
        let expected = self.last.seq.saturating_add(1);
        let checked = Line::parse(line).and_then(|line| {
            let envelope = line.check()?;
            Ok((line, envelope))
        });
        let (line, envelope) = match checked {
            Ok(checked) => checked,
            Err(detail) => {
                self.problem(expected, number, ProblemKind::Changed, detail.to_owned());
                return Err(None);
            }
        };
        let mended = match envelope.event.as_ref() {
            "mended" => mended(line.text),
            _ => None,
        };
        if line.seq != expected || line.prev != self.last.hash {
            let Some(cut @ Mended::Cut { last, known }) = &mended else {
                return Err(Some(Break::of(&line, number)));
            };
            let fits = *last == self.last.seq && known.saturating_add(1) == line.seq;
            if !fits || line.prev != self.last.hash {
                return Err(Some(Break::of(&line, number)));
            }
            self.problem(expected, number, ProblemKind::CutOff, said(cut));
        } else if let Some(mended) = &mended {
            self.remark(line.seq, said(mended));
        }
        if line.at_ms < self.at_ms {
            let back = self.at_ms - line.at_ms;
            let detail = format!("its time is {back} ms before that of the record before it");
            self.remark(line.seq, detail);
        }
        self.records += 1;
        self.at_ms = line.at_ms;
        self.last.seq = line.seq;
        self.last.hash = line.hash;
        Ok(())
    }

    /// Looks at the rest of the file to tell what happened at a break.
    fn explain(
        &self,
        found: &Break,
        lines: &mut Lines<'_>,
        against: &Against<'_>,
    ) -> io::Result<Problem> {
        let expected = self.last.seq.saturating_add(1);
        let problem = |seq, kind, detail| Problem {
            seq,
            line: Some(found.line),
            kind,
            detail,
        };
        let at = found.seq;
        if at < expected {
            let detail = format!("it appears again, in the place of record {expected}");
            return Ok(problem(at, ProblemKind::Reordered, detail));
        }
        if at > expected {
            let elsewhere = find(expected, lines)?;
            return Ok(if let Some(line) = elsewhere {
                let detail = format!("it is in line {line}, and record {at} is in its place");
                problem(expected, ProblemKind::Reordered, detail)
            } else {
                let detail = format!("record {at} follows record {}", self.last.seq);
                problem(expected, ProblemKind::Removed, detail)
            });
        }
        // It has the right number but remembers another record before it. If what comes next
        // remembers it as it is, then it is the one before that was written anew.
        let next = match lines.next()? {
            Next::Line(line) => Line::parse(line).ok().map(|line| line.prev),
            Next::Torn(_) | Next::End => None,
        };
        let is_known = next.or_else(|| against.head_hash(at)) == Some(found.hash);
        Ok(if is_known && expected > 1 {
            let before = self.last.seq;
            let detail = format!("record {at} names the hash of a different record {before}");
            let line = Some(found.line.saturating_sub(1));
            Problem {
                line,
                ..problem(before, ProblemKind::Changed, detail)
            }
        } else {
            let detail = "it does not name the hash of the record before it".to_owned();
            problem(at, ProblemKind::Changed, detail)
        })
    }

    pub(super) fn problem(&mut self, seq: u64, line: u64, kind: ProblemKind, detail: String) {
        self.problems.push(Problem {
            seq,
            line: Some(line),
            kind,
            detail,
        });
    }

    fn remark(&mut self, seq: u64, detail: String) {
        if self.remarks.len() < MOST_REMARKS {
            self.remarks.push(Remark { seq, detail });
        } else {
            self.unsaid += 1;
        }
    }
}

impl Break {
    fn of(line: &Line<'_>, number: u64) -> Self {
        Self {
            line: number,
            seq: line.seq,
            hash: line.hash,
        }
    }
}

fn mended(text: &str) -> Option<Mended> {
    match serde_json::from_str(text) {
        Ok(Event::Mended(mended)) => Some(mended),
        _ => None,
    }
}

/// The line in which a record stands, among those that were not read yet.
fn find(seq: u64, lines: &mut Lines<'_>) -> io::Result<Option<u64>> {
    loop {
        let number = lines.number + 1;
        match lines.next()? {
            Next::Line(line) => {
                let is_it = |line: &Line<'_>| line.seq == seq && line.is_sealed();
                if Line::parse(line).is_ok_and(|line| is_it(&line)) {
                    return Ok(Some(number));
                }
            }
            Next::Torn(_) | Next::End => return Ok(None),
        }
    }
}
