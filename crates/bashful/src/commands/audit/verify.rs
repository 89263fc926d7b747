//! `bashful audit verify`: whether the records are those that were written.

use std::fmt::Write as _;

use bashful_engine::audit::{Place, Problem, ProblemKind, Trail, Verdict, Verification};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{harmless_json, utc, visible};

pub(super) fn verify(
    trail: &Trail,
    places: &[Place],
    json: bool,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let anchored = places.iter().map(|place| trail.anchored_in(place));
    let anchored = anchored.collect::<Result<Vec<_>, _>>()?;
    let found = trail.verify(&anchored)?;
    if json {
        let line = harmless_json(&object(&found).to_string());
        printer.data(format!("{line}\n").as_bytes())?;
    } else {
        printer.data(words(&found).as_bytes())?;
    }
    Ok(match found.verdict() {
        Verdict::Problem(_) => super::NOT_WELL,
        Verdict::Consistent | Verdict::Unchanged(_) => Exit::Success,
    })
}

/// The verdict and its grounds.
fn words(found: &Verification) -> String {
    let last = found.last.as_ref().map_or(0, |last| last.seq);
    let count = found.records;
    let mut text = match found.verdict() {
        Verdict::Problem(problem) => headline(problem),
        Verdict::Unchanged(place) => {
            let (seq, time) = (place.newest.seq, utc(place.newest.at_ms));
            let place = visible(&place.place);
            format!("unchanged up to record {seq}, as anchored in {place} at {time}\n")
        }
        Verdict::Consistent => "consistent\n".to_owned(),
    };
    // Writing to a string does not fail.
    let _ = match found.verdict() {
        Verdict::Problem(_) => writeln!(text, "  {count} records are good, up to record {last}"),
        Verdict::Unchanged(place) if place.newest.seq < last => writeln!(
            text,
            "  {count} records fit together; those after record {} are consistent",
            place.newest.seq
        ),
        Verdict::Unchanged(_) => writeln!(text, "  {count} records fit together"),
        Verdict::Consistent => writeln!(
            text,
            "  {count} records fit together; no anchor was checked, so a trail that was replaced \
             as a whole would not be noticed"
        ),
    };
    if let Some(last) = &found.last {
        let _ = writeln!(text, "  last: record {}, {}", last.seq, last.hash);
    }
    for problem in found.problems.iter().skip(1) {
        let _ = write!(text, "  also: {}", headline(problem));
    }
    for place in &found.anchors {
        let (name, newest) = (visible(&place.place), &place.newest);
        let (count, seq, time) = (place.count, newest.seq, utc(newest.at_ms));
        let _ = writeln!(
            text,
            "  anchors in {name} that agree: {count}, the newest of record {seq} at {time}"
        );
    }
    for remark in &found.remarks {
        let _ = writeln!(text, "  remark: record {}: {}", remark.seq, remark.detail);
    }
    text
}

fn headline(problem: &Problem) -> String {
    let Problem { seq, line, .. } = problem;
    let happened = match problem.kind {
        ProblemKind::Changed => format!("record {seq} was changed"),
        ProblemKind::Removed => format!("record {seq} was removed"),
        ProblemKind::Reordered => format!("record {seq} is not in its place"),
        ProblemKind::CutOff => format!("the trail was cut off before record {seq}"),
        _ => format!("the head was changed; record {seq} is the first it cannot vouch for"),
    };
    let place = line.map_or_else(String::new, |line| format!(" (line {line})"));
    format!("{happened}{place}: {}\n", visible(&problem.detail))
}

fn object(found: &Verification) -> Value {
    let verdict = match found.verdict() {
        Verdict::Problem(_) => "problem",
        Verdict::Unchanged(_) => "unchanged",
        Verdict::Consistent => "consistent",
    };
    let problems = found.problems.iter().map(|problem| {
        json!({
            "record": problem.seq,
            "line": problem.line,
            "kind": problem.kind.as_str(),
            "detail": problem.detail,
        })
    });
    let remarks = found
        .remarks
        .iter()
        .map(|remark| json!({ "record": remark.seq, "detail": remark.detail }));
    let anchors = found.anchors.iter().map(
        |place| json!({ "place": place.place, "agreeing": place.count, "newest": place.newest }),
    );
    let last = found
        .last
        .as_ref()
        .map(|last| json!({ "seq": last.seq, "hash": last.hash, "at_ms": last.at_ms }));
    json!({
        "v": 1,
        "verdict": verdict,
        "trail": found.trail,
        "records": found.records,
        "last": last,
        "problems": problems.collect::<Vec<_>>(),
        "remarks": remarks.collect::<Vec<_>>(),
        "anchors": anchors.collect::<Vec<_>>(),
    })
}
