//! A trail that stays open between two records.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::{Scene, event};
use crate::model::error::record::AuditError;
use crate::record::audit::Trail;

fn kept(scene: &Scene) -> Trail {
    Trail::kept_open(&scene.state())
}

#[test]
fn it_writes_what_any_other_writes() {
    let scene = Scene::new();
    let trail = kept(&scene);
    let mut open = Vec::new();
    for number in [1, 3, 5] {
        let written = trail.append(&[event(number)]).unwrap();
        written.sync().unwrap();
        open.push(written);
        // Another process comes in between.
        scene.append(&[event(number + 1)]);
    }
    let records = scene.trail().records().unwrap();
    let numbers: Vec<u64> = records.map(|record| record.unwrap().seq).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
    assert!(open.iter().all(|one| one.is_of_same_file(&open[0])));
    assert!(trail.verify(&[]).unwrap().problems.is_empty());
}

#[test]
fn threads_that_share_it_lose_nothing() {
    let scene = Scene::new();
    let trail = kept(&scene);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let trail = trail.clone();
            scope.spawn(move || {
                for number in 0..50 {
                    drop(trail.append(&[event(thread * 50 + number)]).unwrap());
                }
            });
        }
    });
    let verified = trail.verify(&[]).unwrap();
    assert!(verified.problems.is_empty(), "{verified:?}");
    assert_eq!(scene.lines().len(), 200);
}

#[test]
fn files_that_were_moved_away_are_not_written_to() {
    for name in ["trail.jsonl", "trail.head", ""] {
        let scene = Scene::new();
        let trail = kept(&scene);
        drop(trail.append(&[event(1)]).unwrap());
        let path = scene.state().join(name);
        let aside = scene.outside("aside");
        fs::rename(&path, &aside).unwrap();
        let read = |name: &str| fs::read(aside.join(name)).or_else(|_| fs::read(&aside));
        let before = read("trail.jsonl").unwrap();
        drop(trail.append(&[event(2)]).unwrap());
        assert_eq!(read("trail.jsonl").unwrap(), before, "{name}");
        assert!(scene.text().contains("\"seq\":"), "{name}");
    }
}

#[test]
fn a_link_in_its_place_and_a_directory_of_all_are_refused() {
    for name in ["trail.jsonl", "trail.head"] {
        let scene = Scene::new();
        let trail = kept(&scene);
        drop(trail.append(&[event(1)]).unwrap());
        let (path, aside) = (scene.state().join(name), scene.outside("aside"));
        fs::rename(&path, &aside).unwrap();
        symlink(&aside, &path).unwrap();
        assert!(trail.append(&[event(2)]).is_err(), "{name}");
        // And it goes on when that is mended.
        fs::rename(&aside, &path).unwrap();
        drop(trail.append(&[event(2)]).unwrap());
    }
    let scene = Scene::new();
    let trail = kept(&scene);
    drop(trail.append(&[event(1)]).unwrap());
    let open = fs::Permissions::from_mode(0o777);
    fs::set_permissions(scene.state(), open).unwrap();
    let refused = trail.append(&[event(2)]);
    assert!(
        matches!(refused, Err(AuditError::NotPrivate { .. })),
        "{refused:?}"
    );
}
