//! Anchors in every kind of place.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::net::UnixDatagram;

use super::{Scene, event};
use crate::record::audit::{Anchor, AnchorError, Place, Verdict};

fn checked(scene: &Scene, place: &Place) -> (u64, usize) {
    let anchored = scene.trail().anchored_in(place).unwrap();
    let found = scene.trail().verify(&[anchored]).unwrap();
    match found.verdict() {
        Verdict::Unchanged(place) => (place.newest.seq, place.count),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_keeps_anchors() {
    let scene = Scene::with_records(3);
    let path = scene.outside("anchors");
    let place = Place::File(path.clone());
    let anchor = scene.trail().anchor(std::slice::from_ref(&place)).unwrap();
    assert_eq!(anchor.seq, 3);
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    scene.append(&[event(4)]);
    assert_eq!(checked(&scene, &place), (3, 1));
    scene.trail().anchor(std::slice::from_ref(&place)).unwrap();
    assert_eq!(checked(&scene, &place), (4, 2));
    // All of them are checked, also the older ones.
    let forged = fs::read_to_string(&path).unwrap();
    let first = forged.find("\"hash\":\"").unwrap() + 8;
    let mut forged = forged;
    let digit = forged.get(first..=first).unwrap() == "0";
    forged.replace_range(first..=first, if digit { "1" } else { "0" });
    fs::write(&path, forged).unwrap();
    let anchored = scene.trail().anchored_in(&place).unwrap();
    assert_eq!(scene.problem_against(&anchored).unwrap().0, 1);
}

#[test]
fn a_file_in_the_state_directory_is_refused() {
    let scene = Scene::with_records(1);
    fs::create_dir(scene.state().join("deep")).unwrap();
    symlink(scene.state().join("deep"), scene.outside("link")).unwrap();
    for path in [
        scene.state().join("anchors"),
        scene.state().join("deep/anchors"),
        scene.state().join("deep/../anchors"),
        scene.outside("link/anchors"),
    ] {
        let refused = scene.trail().anchor(&[Place::File(path.clone())]);
        assert!(
            matches!(refused, Err(AnchorError::Inside { .. })),
            "{path:?}"
        );
        assert!(!path.exists());
    }
}

#[test]
fn a_place_that_cannot_serve_is_an_error() {
    let scene = Scene::with_records(1);
    let path = scene.outside("anchors");
    let place = Place::File(path.clone());
    let read = || scene.trail().anchored_in(&place);
    assert!(matches!(read(), Err(AnchorError::Failed { .. })));
    fs::write(&path, "").unwrap();
    assert!(matches!(read(), Err(AnchorError::Unknown { .. })));
    fs::write(&path, "\n{}\n").unwrap();
    assert!(matches!(read(), Err(AnchorError::NoAnchor { line: 2, .. })));
    // The anchor of another trail says nothing about this one.
    let other = Scene::with_records(1);
    fs::write(&path, "").unwrap();
    other.trail().anchor(std::slice::from_ref(&place)).unwrap();
    assert!(matches!(read(), Err(AnchorError::Unknown { .. })));
    let nothing = Scene::new().trail().anchor(std::slice::from_ref(&place));
    assert!(matches!(nothing, Err(AnchorError::Empty)));
}

#[test]
fn a_write_of_an_anchor_that_was_cut_off_does_not_spoil_the_next() {
    let scene = Scene::with_records(1);
    let path = scene.outside("anchors");
    fs::write(&path, "{\"v\":1,").unwrap();
    scene.trail().anchor(&[Place::File(path.clone())]).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(serde_json::from_str::<Anchor>(text.lines().nth(1).unwrap()).is_ok());
}

#[test]
fn a_trail_shorter_than_its_head_is_not_anchored() {
    let scene = Scene::with_records(3);
    scene.set_lines(&scene.lines()[..2]);
    let place = Place::File(scene.outside("anchors"));
    let refused = scene.trail().anchor(&[place]);
    assert!(matches!(refused, Err(AnchorError::Trail(_))), "{refused:?}");
}

#[test]
fn a_command_keeps_anchors() {
    let scene = Scene::with_records(2);
    let path = scene.outside("kept");
    let command = format!(
        "case $BASHFUL_ANCHOR in write) cat >> '{0}';; read) cat '{0}';; esac",
        path.display()
    );
    let place = Place::Command(command);
    scene.trail().anchor(std::slice::from_ref(&place)).unwrap();
    scene.append(&[event(3)]);
    scene.trail().anchor(std::slice::from_ref(&place)).unwrap();
    assert_eq!(checked(&scene, &place), (3, 2));
}

#[test]
fn a_command_that_fails_says_why() {
    let scene = Scene::with_records(1);
    for (command, said) in [
        ("echo no room >&2; exit 3", "it exits with 3: no room"),
        ("kill -9 $$", "signal 9 ended it"),
    ] {
        let place = Place::Command(command.to_owned());
        match scene.trail().anchor(&[place]) {
            Err(AnchorError::Failed { source, .. }) => assert_eq!(source.to_string(), said),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_command_that_does_not_end_is_ended() {
    let scene = Scene::with_records(1);
    let began = std::time::Instant::now();
    let place = Place::Command("sleep 600 & wait".to_owned());
    let refused = scene.trail().anchor(&[place]);
    assert!(matches!(refused, Err(AnchorError::Failed { .. })));
    let took = began.elapsed().as_secs();
    assert!((9..60).contains(&took), "{took}");
    // What it leaves behind and who holds its streams does not keep us.
    let began = std::time::Instant::now();
    let place = Place::Command("sleep 60 & cat > /dev/null".to_owned());
    scene.trail().anchor(&[place]).unwrap();
    assert!(began.elapsed().as_secs() < 9);
}

/// The fields of a datagram in the protocol of the journal.
fn fields(mut datagram: &[u8]) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    while !datagram.is_empty() {
        let end = datagram.iter().position(|byte| *byte == b'\n').unwrap();
        let name = String::from_utf8(datagram[..end].to_vec()).unwrap();
        let (length, rest) = datagram[end + 1..].split_at(8);
        let length = usize::try_from(u64::from_le_bytes(length.try_into().unwrap())).unwrap();
        let value = String::from_utf8(rest[..length].to_vec()).unwrap();
        assert_eq!(rest[length], b'\n');
        datagram = &rest[length + 1..];
        fields.push((name, value));
    }
    fields
}

#[test]
fn a_journal_gets_what_its_protocol_asks_for() {
    let scene = Scene::with_records(2);
    let socket = scene.outside("socket");
    let listener = UnixDatagram::bind(&socket).unwrap();
    let journal = super::super::anchor::Journal {
        socket,
        reader: "/nowhere".into(),
        arguments: Vec::new(),
    };
    let anchor = scene.trail().newest_anchor().unwrap();
    journal.write(&anchor).unwrap();
    let mut buffer = [0; 4096];
    let count = listener.recv(&mut buffer).unwrap();
    let fields = fields(&buffer[..count]);
    let value = |name: &str| {
        let found = fields.iter().find(|(known, _)| known == name);
        found.unwrap().1.clone()
    };
    assert_eq!(value("SYSLOG_IDENTIFIER"), "bashful-audit");
    assert_eq!(value("PRIORITY"), "5");
    assert_eq!(value("BASHFUL_SEQ"), "2");
    assert_eq!(value("BASHFUL_HASH"), anchor.hash);
    assert_eq!(value("BASHFUL_TRAIL"), anchor.trail);
    assert!(matches!(journal.read(), Err(AnchorError::Failed { .. })));
}
