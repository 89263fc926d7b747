//! Bad places: what stands where the files belong.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{Scene, event};
use crate::model::error::record::AuditError;

fn is_refused<T: std::fmt::Debug>(outcome: Result<T, AuditError>, name: &str) {
    match outcome {
        Err(AuditError::Failed { path, .. }) => assert!(path.ends_with(name), "{path:?}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_link_a_pipe_and_a_directory_are_refused_and_nothing_waits() {
    for name in ["trail.jsonl", "trail.head"] {
        for kind in ["link", "broken link", "pipe", "directory"] {
            let scene = Scene::with_records(2);
            let path = scene.state().join(name);
            let aside = scene.outside("aside");
            fs::rename(&path, &aside).unwrap();
            let before = fs::read(&aside).unwrap();
            match kind {
                "link" => symlink(&aside, &path).unwrap(),
                "broken link" => symlink(scene.outside("none"), &path).unwrap(),
                "pipe" => mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap(),
                _ => fs::create_dir(&path).unwrap(),
            }
            is_refused(scene.trail().append(&[event(3)]), name);
            is_refused(scene.trail().verify(&[]), name);
            if name == "trail.jsonl" {
                is_refused(scene.trail().records(), name);
            }
            assert_eq!(fs::read(&aside).unwrap(), before, "{name} {kind}");
            assert!(!scene.outside("none").exists());
        }
    }
}

#[test]
fn a_state_directory_that_is_a_file_is_refused() {
    let scene = Scene::new();
    fs::remove_dir(scene.state()).unwrap();
    fs::write(scene.state(), "").unwrap();
    is_refused(scene.trail().append(&[event(1)]), "state");
    is_refused(scene.trail().records(), "state");
}

#[test]
fn whoever_holds_the_lock_for_too_long_is_not_waited_for() {
    let scene = Scene::with_records(1);
    let file = fs::File::open(scene.head()).unwrap();
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let began = std::time::Instant::now();
    match scene.trail().append(&[event(2)]) {
        Err(AuditError::Failed {
            doing: "lock",
            source,
            ..
        }) => {
            assert_eq!(source.kind(), ErrorKind::TimedOut);
        }
        other => panic!("{other:?}"),
    }
    assert!(began.elapsed().as_secs() < 60);
    drop(file);
    scene.append(&[event(2)]);
    assert_eq!(scene.kinds().len(), 2);
}

#[test]
fn a_line_that_is_too_long_is_an_error() {
    let scene = Scene::with_records(1);
    let before = scene.text();
    scene.set_text(before.clone() + &"x".repeat(9 << 20) + "\n");
    assert!(matches!(
        scene.trail().append(&[event(2)]),
        Err(AuditError::Damaged { at: 2, .. })
    ));
    let records: Vec<_> = scene.trail().records().unwrap().collect();
    assert_eq!(records.len(), 2);
    assert!(matches!(records[1], Err(AuditError::Damaged { at: 2, .. })));
    assert_eq!(scene.problem().unwrap().0, 2);
}

#[test]
fn no_bytes_make_us_panic() {
    let scene = Scene::with_records(3);
    let (trail, head) = (
        fs::read(scene.trail().path()).unwrap(),
        fs::read(scene.head()).unwrap(),
    );
    let mut seed = 7_u64;
    for _ in 0..400 {
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(seed >> 33).unwrap()
        };
        let (mut trail, mut head) = (trail.clone(), head.clone());
        for bytes in [&mut trail, &mut head] {
            for _ in 0..next() % 4 {
                let at = next() % bytes.len();
                bytes[at] = u8::try_from(next() % 256).unwrap();
            }
            bytes.truncate(bytes.len() - next() % 3 * (next() % bytes.len()) / 2);
        }
        fs::write(scene.trail().path(), &trail).unwrap();
        fs::write(scene.head(), &head).unwrap();
        let _ = scene.verify();
        scene.trail().records().unwrap().for_each(drop);
        let _ = scene.trail().newest_anchor();
        let _ = scene.trail().append(&[event(4)]);
        let _ = scene.verify();
    }
}
