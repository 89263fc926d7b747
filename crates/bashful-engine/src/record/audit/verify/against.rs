//! What else knows of records: the head, and anchors outside.

use std::collections::BTreeMap;

use super::super::anchor::Anchor;
use super::super::head::{Head, Known};
use super::chain::Chain;
use super::{Anchored, CheckedAnchors, Problem, ProblemKind, Snapshot, head_problem};

/// The records that the head or an anchor knows, and what the trail has in their places.
#[derive(Debug)]
pub(super) struct Against<'a> {
    known: Known,
    has_trail: bool,
    anchored: &'a [Anchored],
    met: BTreeMap<u64, Option<Head>>,
}

impl<'a> Against<'a> {
    pub(super) fn new(snapshot: &Snapshot, anchored: &'a [Anchored]) -> Self {
        let anchors = anchored.iter().flat_map(|place| &place.anchors);
        let mut met: BTreeMap<_, _> = anchors.map(|anchor| (anchor.seq, None)).collect();
        if let Known::Head(head) = snapshot.known {
            met.insert(head.seq, None);
        }
        Self {
            known: snapshot.known,
            has_trail: snapshot.length > 0,
            anchored,
            met,
        }
    }

    /// The chain reached this record.
    pub(super) fn meet(&mut self, record: &Head) {
        if let Some(met) = self.met.get_mut(&record.seq) {
            *met = Some(*record);
        }
    }

    /// What the head says about the hash of this record.
    pub(super) fn head_hash(&self, seq: u64) -> Option<super::super::line::Seal> {
        match self.known {
            Known::Head(head) if head.seq == seq => Some(head.hash),
            _ => None,
        }
    }

    /// Compares what the chain has with what is known of it.
    pub(super) fn judge(&self, chain: &mut Chain) {
        let next = chain.last.seq.saturating_add(1);
        let mut found: Vec<Problem> = Vec::new();
        if chain.complete {
            found.extend(self.judge_head(next));
        }
        for place in self.anchored {
            // One of a kind is enough: the first.
            found.extend(self.first_changed(place));
            found.extend(self.first_missing(place, next, chain.complete));
        }
        chain.problems.append(&mut found);
    }

    fn judge_head(&self, next: u64) -> Option<Problem> {
        let problem = |seq, kind, detail| Problem {
            seq,
            line: None,
            kind,
            detail,
        };
        let Known::Head(head) = self.known else {
            let detail = head_problem(self.known).filter(|_| self.has_trail)?;
            return Some(problem(next, ProblemKind::Head, detail.to_owned()));
        };
        if head.seq >= next {
            let detail = format!("the head knows records up to {}", head.seq);
            return Some(problem(next, ProblemKind::CutOff, detail));
        }
        let met = match head.seq {
            0 => Some(Head::NEW),
            seq => self.met.get(&seq).copied().flatten(),
        };
        if met == Some(head) {
            return None;
        }
        if met.is_some_and(|record| record.hash == head.hash) {
            let detail = "the head says that it ends elsewhere".to_owned();
            return Some(problem(head.seq, ProblemKind::Head, detail));
        }
        let detail = "it is not the one that the head knows: it was rewritten, or the head was \
                      changed";
        Some(problem(head.seq, ProblemKind::Changed, detail.to_owned()))
    }

    /// The first record of which a place knows another one, or rather the first after the last on
    /// which they agree: from there on all could have been written anew.
    fn first_changed(&self, place: &Anchored) -> Option<Problem> {
        let is_there = |anchor: &&Anchor| self.met.get(&anchor.seq).is_some_and(Option::is_some);
        let there = place.anchors.iter().filter(is_there);
        let changed = there.filter(|anchor| !self.agrees(anchor));
        let seq = changed.map(|anchor| anchor.seq).min()?;
        let first = self.vouched_before(seq) + 1;
        let place = &place.place;
        let detail = if first == seq {
            format!("it is not the one that was anchored in {place}")
        } else {
            format!(
                "record {seq} is not the one that was anchored in {place}: \
                 one of the records {first} to {seq} was rewritten"
            )
        };
        Some(Problem {
            seq: first,
            line: None,
            kind: ProblemKind::Changed,
            detail,
        })
    }

    /// The first record that a place knows and the trail has not.
    fn first_missing(&self, place: &Anchored, next: u64, complete: bool) -> Option<Problem> {
        // Behind a break nothing was looked at.
        let was_looked_at = |seq: u64| complete || seq < next;
        let missing = place.anchors.iter().filter(|anchor| {
            let met = self.met.get(&anchor.seq).copied().flatten();
            met.is_none() && was_looked_at(anchor.seq)
        });
        let seq = missing.map(|anchor| anchor.seq).min()?;
        let place = &place.place;
        let detail = match self.vouched_before(seq) {
            0 => format!("record {seq} was anchored in {place}; no anchor agrees with the rest"),
            good => format!("record {seq} was anchored in {place}; anchors agree up to {good}"),
        };
        Some(Problem {
            seq: seq.min(next),
            line: None,
            kind: ProblemKind::CutOff,
            detail,
        })
    }

    /// The last record before this one that an anchor agrees with; 0 if there is none.
    fn vouched_before(&self, seq: u64) -> u64 {
        let all = self.anchored.iter().flat_map(|place| &place.anchors);
        let good = all.filter(|anchor| anchor.seq < seq && self.agrees(anchor));
        good.map(|anchor| anchor.seq).max().unwrap_or(0)
    }

    fn agrees(&self, anchor: &Anchor) -> bool {
        let met = self.met.get(&anchor.seq).copied().flatten();
        met.is_some_and(|record| record.hash.as_str() == anchor.hash)
    }

    /// The places of which at least one anchor agrees.
    pub(super) fn agreeing(&self) -> Vec<CheckedAnchors> {
        let checked = self.anchored.iter().filter_map(|anchored| {
            let agreeing = || anchored.anchors.iter().filter(|anchor| self.agrees(anchor));
            Some(CheckedAnchors {
                place: anchored.place.clone(),
                count: agreeing().count(),
                newest: agreeing().max_by_key(|anchor| anchor.seq)?.clone(),
            })
        });
        checked.collect()
    }
}
