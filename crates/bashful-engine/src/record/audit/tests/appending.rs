//! Appending: what is written, what survives, what is refused.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use serde_json::{Value, json};

use super::{Scene, event};
use crate::model::error::record::AuditError;
use crate::record::audit::event::{Event, Mended};
use crate::record::audit::line::Seal;
use crate::record::audit::{Record, Trail};

fn all(scene: &Scene) -> Vec<Record> {
    let records = scene.trail().records().unwrap();
    records.map(Result::unwrap).collect()
}

#[test]
fn a_record_is_read_back_as_it_was_written() {
    let scene = Scene::new();
    scene.append(&[event(1), event(2)]);
    scene.trail().append_synced(&[event(3)]).unwrap();
    let records = all(&scene);
    let events: Vec<_> = records.iter().map(|record| record.event.clone()).collect();
    assert_eq!(events, [Some(event(1)), Some(event(2)), Some(event(3))]);
    let numbers: Vec<_> = records.iter().map(|record| record.seq).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert_eq!(records[0].prev, "0".repeat(64));
    assert_eq!(records[1].prev, records[0].hash);
    assert_eq!(records[2].prev, records[1].hash);
    for name in ["trail.jsonl", "trail.head"] {
        let mode = fs::metadata(scene.state().join(name)).unwrap().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn the_hash_can_be_checked_without_us() {
    let scene = Scene::with_records(1);
    let line = scene.lines().remove(0);
    let hash = line.len() - 75;
    let body = format!("{}}}", line.get(..hash).unwrap());
    let sealed: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(sealed["hash"], Seal::over(&[body.as_bytes()]).as_str());
    let mut unsealed = sealed;
    unsealed.as_object_mut().unwrap().remove("hash");
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), unsealed);
}

#[test]
fn every_event_comes_back() {
    let torn = Event::Mended(Mended::Torn {
        bytes: 7,
        sha256: "aa".to_owned(),
    });
    let cut = Event::Mended(Mended::Cut { last: 1, known: 1 });
    let scene = Scene::new();
    scene.append(&[torn.clone(), cut.clone()]);
    let events: Vec<_> = all(&scene).into_iter().map(|record| record.event).collect();
    assert_eq!(events, [Some(torn), Some(cut)]);
}

#[test]
fn a_state_directory_is_made_for_nobody_else() {
    let scene = Scene::new();
    let state = scene.outside("a/b");
    Trail::at(&state).append_synced(&[event(1)]).unwrap();
    assert_eq!(fs::metadata(&state).unwrap().mode() & 0o777, 0o700);
}

#[test]
fn a_state_directory_that_others_can_write_is_refused() {
    for mode in [0o770, 0o702, 0o777, 0o1777] {
        let scene = Scene::with_records(1);
        let before = scene.text();
        fs::set_permissions(scene.state(), fs::Permissions::from_mode(mode)).unwrap();
        let refused = scene.trail().append(&[event(2)]);
        assert!(
            matches!(refused, Err(AuditError::NotPrivate { .. })),
            "{mode:o}: {refused:?}"
        );
        assert!(scene.trail().records().is_err());
        assert_eq!(scene.text(), before);
    }
}

#[test]
fn a_torn_line_is_taken_away_and_that_is_on_record() {
    let scene = Scene::with_records(2);
    let whole = scene.text();
    let torn = "{\"v\":1,\"seq\":3,\"at";
    scene.set_text(format!("{whole}{torn}"));
    scene.append(&[event(3)]);
    let records = all(&scene);
    let mended = Event::Mended(Mended::Torn {
        bytes: 18,
        sha256: Seal::over(&[torn.as_bytes()]).as_str().to_owned(),
    });
    assert_eq!(records[2].event, Some(mended));
    assert_eq!((records[3].seq, &records[3].event), (4, &Some(event(3))));
    assert!(scene.text().starts_with(&whole));
}

#[test]
fn a_trail_that_was_cut_off_says_so_and_no_number_comes_again() {
    let scene = Scene::with_records(5);
    let lines = scene.lines();
    scene.set_text(format!("{}\n{}\n", lines[0], lines[1]));
    scene.append(&[event(6)]);
    let records = all(&scene);
    let cut = Event::Mended(Mended::Cut { last: 2, known: 5 });
    assert_eq!((records[2].seq, &records[2].event), (6, &Some(cut)));
    assert_eq!(records[2].prev, records[1].hash);
    assert_eq!((records[3].seq, &records[3].event), (7, &Some(event(6))));
}

#[test]
fn a_trail_that_has_gone_says_so() {
    let scene = Scene::with_records(3);
    fs::remove_file(scene.trail().path()).unwrap();
    scene.append(&[event(4)]);
    let records = all(&scene);
    let cut = Event::Mended(Mended::Cut { last: 0, known: 3 });
    assert_eq!((records[0].seq, &records[0].event), (4, &Some(cut)));
    assert_eq!(records[0].prev, "0".repeat(64));
    assert_eq!(records[1].seq, 5);
}

#[test]
fn records_without_their_head_are_taken_over() {
    let scene = Scene::with_records(2);
    let old_head = fs::read(scene.head()).unwrap();
    scene.append(&[event(3), event(4)]);
    // The engine that wrote them was killed before it wrote the head.
    fs::write(scene.head(), old_head).unwrap();
    scene.append(&[event(5)]);
    let numbers: Vec<_> = scene.kinds().into_iter().map(|(seq, _)| seq).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
}

#[test]
fn a_head_that_is_gone_or_garbage_is_made_anew_and_that_is_on_record() {
    let long = "x".repeat(10_000);
    let wrong = format!("{:<191}\n", json!({"v": 1, "seq": 2, "length": 3}));
    for garbage in [None, Some(""), Some("\0\0"), Some(&long), Some(&wrong)] {
        let scene = Scene::with_records(2);
        match garbage {
            None => fs::remove_file(scene.head()).unwrap(),
            Some(garbage) => fs::write(scene.head(), garbage).unwrap(),
        }
        scene.append(&[event(3)]);
        scene.append(&[event(4)]);
        let records = all(&scene);
        let mended = Event::Mended(Mended::NoHead { last: 2 });
        assert_eq!(records[2].event, Some(mended), "{garbage:?}");
        assert_eq!((records[4].seq, records.len()), (5, 5));
    }
}

#[test]
fn nothing_is_appended_to_what_is_no_record() {
    for tail in ["hello\n", "{}\n", "\n", "\u{0}\n", "{\"v\":1}\n"] {
        for head in [true, false] {
            let scene = Scene::with_records(2);
            let damaged = scene.text() + tail;
            scene.set_text(&damaged);
            if !head {
                fs::remove_file(scene.head()).unwrap();
            }
            let refused = scene.trail().append(&[event(3)]);
            assert!(
                matches!(refused, Err(AuditError::Damaged { .. })),
                "{tail:?}: {refused:?}"
            );
            assert_eq!(scene.text(), damaged);
        }
    }
}
