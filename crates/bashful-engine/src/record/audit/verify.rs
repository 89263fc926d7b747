//! Checking the whole trail: which record was changed, removed, reordered or cut off first.
//!
//! A chain shows that its records fit together, and nothing about who wrote them: a process that
//! may write the trail may write all of it anew. So a trail that was checked against nothing else
//! is called consistent. An anchor outside shows that it is unchanged up to the anchored record.

use std::path::PathBuf;

use super::anchor::Anchor;
use super::event::Mended;
use super::head::Known;
use super::trail::Trail;
use crate::model::error::record::AuditError;
use against::Against;
use chain::Chain;
pub(super) use snapshot::Snapshot;

mod against;
mod chain;
mod lines;
mod snapshot;

/// More remarks than these are counted only.
const MOST_REMARKS: usize = 100;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verification {
    /// The path of the trail that was checked.
    pub trail: PathBuf,
    /// How many records are good, from the first one up to the first that is not.
    pub records: u64,
    /// The last good one; absent if there is none.
    pub last: Option<LastRecord>,
    /// What is wrong, the first record first.
    pub problems: Vec<Problem>,
    /// What is odd and no proof of anything.
    pub remarks: Vec<Remark>,
    /// The places that agree, with what they know of this trail.
    pub anchors: Vec<CheckedAnchors>,
}

impl Verification {
    /// What all of it comes to: the first problem, if there is one.
    pub fn verdict(&self) -> Verdict<'_> {
        if let Some(problem) = self.problems.first() {
            return Verdict::Problem(problem);
        }
        let newest = self.anchors.iter().max_by_key(|place| place.newest.seq);
        newest.map_or(Verdict::Consistent, Verdict::Unchanged)
    }
}

/// What a verification comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict<'a> {
    /// The records fit together. Nothing outside says that they are the ones that were written.
    Consistent,
    /// The records fit together, and up to the newest anchor of this place they are the ones that
    /// were anchored there.
    Unchanged(&'a CheckedAnchors),
    /// The trail is damaged or was changed, here first.
    Problem(&'a Problem),
}

/// The end of what is good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastRecord {
    /// Its number, counted from 1.
    pub seq: u64,
    /// Its hash, which an anchor keeps.
    pub hash: String,
    /// When it was written.
    pub at_ms: u64,
}

/// What is wrong with the trail, and at which record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The number of the record, or of the one that should stand there.
    pub seq: u64,
    /// Where it is or should be in the file, counted from 1; absent if the line says nothing.
    pub line: Option<u64>,
    /// What happened to it.
    pub kind: ProblemKind,
    /// More about it.
    pub detail: String,
}

/// What can happen to a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// It is not what was written.
    Changed,
    /// It is missing between others.
    Removed,
    /// It stands at the wrong place.
    Reordered,
    /// It was the next one, and the trail ends before it.
    CutOff,
    /// The head of the trail is not what was written.
    Head,
}

impl ProblemKind {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Reordered => "reordered",
            Self::CutOff => "cut_off",
            Self::Head => "head",
        }
    }
}

/// An oddity that makes no record wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The number of the record that it is about.
    pub seq: u64,
    /// What is odd about it.
    pub detail: String,
}

/// The anchors of one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchored {
    /// The place, in words.
    pub place: String,
    /// All that it knows of this trail.
    pub anchors: Vec<Anchor>,
}

/// A place whose anchors agree with the trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedAnchors {
    /// The place, in words.
    pub place: String,
    /// How many anchors agree.
    pub count: usize,
    /// The one that reaches furthest.
    pub newest: Anchor,
}

impl Trail {
    /// Checks every record, the head, and these anchors.
    pub fn verify(&self, anchored: &[Anchored]) -> Result<Verification, AuditError> {
        let snapshot = Snapshot::take(self)?;
        let mut against = Against::new(&snapshot, anchored);
        let mut chain = Chain::default();
        if let Some(file) = &snapshot.file {
            chain.follow(&self.path(), file, snapshot.length, &mut against)?;
        }
        against.judge(&mut chain);
        chain.problems.sort_by_key(|problem| problem.seq);
        if chain.unsaid > 0 {
            let detail = format!("there are {} more remarks", chain.unsaid);
            let seq = chain.last.seq;
            chain.remarks.push(Remark { seq, detail });
        }
        let anchors = against.agreeing();
        let last = (chain.records > 0).then(|| LastRecord {
            seq: chain.last.seq,
            hash: chain.last.hash.as_str().to_owned(),
            at_ms: chain.at_ms,
        });
        Ok(Verification {
            trail: self.path(),
            records: chain.records,
            last,
            problems: chain.problems,
            remarks: chain.remarks,
            anchors,
        })
    }
}

/// What a record that tells of a mending means.
fn said(mended: &Mended) -> String {
    match mended {
        Mended::Torn { bytes, .. } => {
            format!("before it, {bytes} bytes of a write that was cut off were removed")
        }
        Mended::Cut { last, known } => {
            let first = last.saturating_add(1);
            format!("records {first} to {known} were gone when record {known} had been written")
        }
        Mended::NoHead { .. } => "before it, the head was missing or could not be read".to_owned(),
    }
}

/// What is wrong with a head that should hold the last record.
fn head_problem(known: Known) -> Option<&'static str> {
    match known {
        Known::Nothing => Some("there is no head, so records may have been cut off"),
        Known::Garbage => Some("the head cannot be read, so records may have been cut off"),
        Known::Head(_) => None,
    }
}
