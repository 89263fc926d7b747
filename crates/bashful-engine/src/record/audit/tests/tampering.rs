//! Changes, drops, swaps and cuts, one by one: each is found, and the right record is named.

use std::fs;

use super::{Scene, event, hash_of, seal_anew};
use crate::record::audit::verify::ProblemKind::{Changed, CutOff, Head, Removed, Reordered};
use crate::record::audit::{Anchor, Anchored, Trail, Verdict};

const RECORDS: usize = 12;

fn scene() -> Scene {
    Scene::with_records(RECORDS as u64)
}

/// The number of the record in this line.
fn record(index: usize) -> u64 {
    index as u64 + 1
}

/// An anchor of each record, as if every one had been anchored.
fn anchors(scene: &Scene) -> Anchored {
    let lines = scene.lines();
    let each = lines.iter().enumerate().map(|(index, line)| Anchor {
        v: 1,
        seq: record(index),
        hash: hash_of(line),
        at_ms: 1000 + record(index),
        trail: "anything".to_owned(),
    });
    Anchored {
        place: "a safe place".to_owned(),
        anchors: each.collect(),
    }
}

#[test]
fn what_nobody_changed_is_consistent_and_with_an_anchor_unchanged() {
    let scene = scene();
    let found = scene.verify();
    assert_eq!(found.verdict(), Verdict::Consistent);
    assert_eq!((found.records, found.remarks.len()), (12, 0));
    assert_eq!(
        found.last.unwrap().hash,
        hash_of(scene.lines().last().unwrap())
    );
    let mut anchored = anchors(&scene);
    anchored.anchors.truncate(7);
    let found = scene.trail().verify(&[anchored.clone()]).unwrap();
    let Verdict::Unchanged(place) = found.verdict() else {
        panic!("{found:?}");
    };
    assert_eq!((place.newest.seq, place.count), (7, 7));
    assert_eq!(place.newest, anchored.anchors[6]);
}

#[test]
fn nothing_at_all_is_consistent() {
    let scene = Scene::new();
    assert_eq!(scene.verify().verdict(), Verdict::Consistent);
    let nowhere = Trail::at(&scene.outside("nowhere")).verify(&[]).unwrap();
    assert_eq!(
        (nowhere.verdict(), nowhere.records),
        (Verdict::Consistent, 0)
    );
}

#[test]
fn a_changed_byte_is_found_in_every_field_of_every_record() {
    let scene = scene();
    let lines = scene.lines();
    for (index, line) in lines.iter().enumerate() {
        // Every byte of a line: its version, number, time, event and all of its fields, and both
        // hashes.
        for at in 0..line.len() {
            let mut bytes = line.clone().into_bytes();
            bytes[at] = if bytes[at] == b'1' { b'2' } else { b'1' };
            let mut text = lines[..index].join("\n").into_bytes();
            if index > 0 {
                text.push(b'\n');
            }
            text.extend(&bytes);
            text.push(b'\n');
            for rest in &lines[index + 1..] {
                text.extend(rest.as_bytes());
                text.push(b'\n');
            }
            scene.set_text(&text);
            let found = scene.problem();
            assert_eq!(found, Some((record(index), Changed)), "{index} {at}");
        }
    }
}

#[test]
fn a_line_end_in_the_middle_and_a_missing_one_are_found() {
    for index in 0..RECORDS {
        let scene = scene();
        let lines = scene.lines();
        let mut split = lines.clone();
        split[index].insert(50, '\n');
        scene.set_lines(&split);
        assert_eq!(scene.problem(), Some((record(index), Changed)));
        let mut blank = lines.clone();
        blank.insert(index, String::new());
        scene.set_lines(&blank);
        assert_eq!(scene.problem(), Some((record(index), Changed)));
        if index + 1 < RECORDS {
            let mut joined = lines;
            let next = joined.remove(index + 1);
            joined[index].push_str(&next);
            scene.set_lines(&joined);
            assert_eq!(scene.problem(), Some((record(index), Changed)));
        }
    }
}

#[test]
fn a_record_that_was_sealed_anew_is_found_where_the_next_remembers_the_old_one() {
    for index in 0..RECORDS {
        let scene = scene();
        let mut lines = scene.lines();
        lines[index] = lines[index].replace("task-", "tosk-");
        seal_anew(&mut lines[..=index], index);
        scene.set_lines(&lines);
        assert_eq!(scene.problem(), Some((record(index), Changed)));
    }
}

#[test]
fn a_record_that_names_another_before_it_is_found() {
    for index in 0..RECORDS - 1 {
        let scene = scene();
        let mut lines = scene.lines();
        let prev = lines[index].len() - 75 - 10;
        let digit = lines[index].get(prev..=prev).unwrap();
        let other = if digit == "1" { "2" } else { "1" };
        lines[index].replace_range(prev..=prev, other);
        let body = lines[index].get(..lines[index].len() - 75).unwrap();
        let hash = crate::record::audit::line::Seal::over(&[body.as_bytes(), b"}"]);
        lines[index] = format!("{body},\"hash\":\"{}\"}}", hash.as_str());
        scene.set_lines(&lines);
        assert_eq!(scene.problem(), Some((record(index), Changed)), "{index}");
    }
}

#[test]
fn a_trail_written_anew_from_some_record_on_is_found_by_an_anchor() {
    for index in 0..RECORDS {
        let scene = scene();
        let anchored = anchors(&scene);
        let mut lines = scene.lines();
        lines[index] = lines[index].replace("task-", "tosk-");
        seal_anew(&mut lines, index);
        scene.set_lines(&lines);
        // The head remembers the last record.
        assert_eq!(scene.problem(), Some((12, Changed)));
        scene.fit_head();
        // Without an anchor no reader can tell; that is why the word is not "untampered".
        assert_eq!(scene.problem(), None);
        let found = scene.problem_against(&anchored);
        assert_eq!(found, Some((record(index), Changed)));
        // With fewer anchors, the first that cannot be trusted is the one after the last good.
        let mut few = anchored.clone();
        few.anchors.retain(|anchor| anchor.seq % 4 == 0);
        let first = (record(index) - 1) / 4 * 4 + 1;
        assert_eq!(scene.problem_against(&few), Some((first, Changed)));
    }
}

#[test]
fn a_record_that_was_dropped_is_found() {
    for index in 0..RECORDS {
        let scene = scene();
        let anchored = anchors(&scene);
        let mut lines = scene.lines();
        lines.remove(index);
        scene.set_lines(&lines);
        let kind = if index == RECORDS - 1 {
            CutOff
        } else {
            Removed
        };
        assert_eq!(scene.problem(), Some((record(index), kind)));
        assert_eq!(
            scene.problem_against(&anchored),
            Some((record(index), kind))
        );
    }
}

#[test]
fn records_that_changed_places_are_found() {
    for index in 0..RECORDS - 1 {
        let scene = scene();
        let mut lines = scene.lines();
        lines.swap(index, index + 1);
        scene.set_lines(&lines);
        assert_eq!(scene.problem(), Some((record(index), Reordered)));
    }
}

#[test]
fn a_record_that_stands_twice_is_found() {
    for index in 0..RECORDS {
        for place in index + 1..=RECORDS {
            let scene = scene();
            let mut lines = scene.lines();
            lines.insert(place, lines[index].clone());
            scene.set_lines(&lines);
            assert_eq!(scene.problem(), Some((record(index), Reordered)));
        }
    }
}

#[test]
fn a_trail_that_was_cut_off_is_found() {
    let whole = scene();
    let anchored = anchors(&whole);
    let lines = whole.lines();
    for index in 0..RECORDS {
        for middle in [0, 1, lines[index].len() / 2, lines[index].len()] {
            let scene = ground_of(&whole);
            let mut text = lines[..index].join("\n");
            if index > 0 {
                text.push('\n');
            }
            let mut text = text.into_bytes();
            text.extend(lines[index].bytes().take(middle));
            scene.set_text(&text);
            assert_eq!(scene.problem(), Some((record(index), CutOff)), "{middle}");
            // It stays found when an engine wrote since: the records are lost for good.
            scene.append(&[event(99)]);
            assert_eq!(scene.problem(), Some((record(index), CutOff)), "{middle}");
            let found = scene.problem_against(&anchored);
            assert_eq!(found, Some((record(index), CutOff)), "{middle}");
            let after = scene.kinds().last().unwrap().0;
            assert_eq!(after, if middle == 0 { 14 } else { 15 });
        }
    }
}

/// A copy with the same trail and head.
fn ground_of(other: &Scene) -> Scene {
    let scene = Scene::new();
    for name in ["trail.jsonl", "trail.head"] {
        fs::copy(other.state().join(name), scene.state().join(name)).unwrap();
    }
    scene
}

#[test]
fn a_cut_with_a_fitting_head_is_found_by_an_anchor_only() {
    for index in 1..RECORDS {
        let scene = scene();
        let anchored = anchors(&scene);
        scene.set_lines(&scene.lines()[..index]);
        scene.fit_head();
        assert_eq!(scene.problem(), None);
        let found = scene.problem_against(&anchored);
        assert_eq!(found, Some((record(index), CutOff)));
    }
}

#[test]
fn a_changed_head_is_found() {
    let scene = scene();
    let head = fs::read_to_string(scene.head()).unwrap();
    let length = scene.text().len();
    let hash = hash_of(scene.lines().last().unwrap());
    let other = hash.replace(|c: char| c != 'f', "f");
    for (from, to, problem) in [
        ("\"seq\":12", "\"seq\":13", (13, CutOff)),
        ("\"seq\":12", "\"seq\":11", (11, Changed)),
        (hash.as_str(), other.as_str(), (12, Changed)),
        (&length.to_string(), "7777", (12, Head)),
        ("\"v\":1", "\"v\":7", (13, Head)),
        (head.as_str(), "", (13, Head)),
        (head.as_str(), "nonsense", (13, Head)),
    ] {
        let changed = head.replacen(from, to, 1);
        assert_ne!(changed, head);
        fs::write(scene.head(), changed).unwrap();
        assert_eq!(scene.problem(), Some(problem), "{from} {to}");
    }
    fs::remove_file(scene.head()).unwrap();
    assert_eq!(scene.problem(), Some((13, Head)));
    fs::write(scene.head(), head).unwrap();
    assert_eq!(scene.problem(), None);
}

#[test]
fn a_field_that_stands_twice_is_no_record() {
    let scene = scene();
    let mut lines = scene.lines();
    lines[4] = lines[4].replace(",\"prev\"", ",\"seq\":9,\"prev\"");
    seal_anew(&mut lines, 4);
    scene.set_lines(&lines);
    scene.fit_head();
    assert_eq!(scene.problem(), Some((5, Changed)));
}

#[test]
fn a_crash_leaves_a_remark_and_no_problem() {
    let scene = scene();
    scene.set_text(scene.text() + "{\"v\":1,\"seq\":13");
    let found = scene.verify();
    assert_eq!(
        (found.verdict(), found.remarks[0].seq),
        (Verdict::Consistent, 12)
    );
    scene.append(&[event(14)]);
    let found = scene.verify();
    assert_eq!(
        (found.verdict(), found.remarks[0].seq),
        (Verdict::Consistent, 13)
    );
    assert_eq!(found.records, 14);
}

#[test]
fn a_clock_that_goes_back_is_remarked() {
    let scene = Scene::new();
    for at_ms in [5000, 6000, 1000, 7000] {
        let written = scene.trail().append_at(&[event(1)], || at_ms);
        drop(written.unwrap());
    }
    let found = scene.verify();
    assert_eq!(found.verdict(), Verdict::Consistent);
    let remarks: Vec<_> = found.remarks.iter().map(|remark| remark.seq).collect();
    assert_eq!(remarks, [3]);
    assert!(found.remarks[0].detail.contains("5000 ms"));
}

#[test]
fn an_event_of_a_newer_version_is_read_and_verified() {
    let scene = scene();
    let mut lines = scene.lines();
    lines[3] = lines[3].replace("\"event\":\"start\"", "\"event\":\"teleport\"");
    lines[5] = lines[5].replace("\"agent\":", "\"mood\":[1,2],\"agent\":");
    seal_anew(&mut lines, 3);
    scene.set_lines(&lines);
    scene.fit_head();
    assert_eq!(scene.problem(), None);
    let records: Vec<_> = scene
        .trail()
        .records()
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(
        (records[3].kind.as_str(), &records[3].event),
        ("teleport", &None)
    );
    assert_eq!(records[3].json()["task"], "task-4");
    assert_eq!(records[5].event, Some(event(6)));
    scene.append(&[event(13)]);
    assert_eq!(scene.problem(), None);
}
