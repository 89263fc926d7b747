//! Changes of scripts that fail or are interrupted: nothing half done stays, and the trail tells
//! what happened and nothing else.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use bashful_engine::audit::ScriptChange;
use bashful_engine::scripts::{
    Deletion, FileState, ScriptEdit, ScriptError, ScriptView, Seen, VersionOrigin,
};

use crate::scripts::{changes, create, file, folder, witness};
use crate::support::House;

fn said(house: &House) -> Vec<ScriptChange> {
    changes(house)
        .into_iter()
        .map(|(change, _)| change)
        .collect()
}

fn text(content: &str) -> ScriptEdit {
    ScriptEdit {
        content: Some(content.as_bytes().to_vec()),
        ..ScriptEdit::default()
    }
}

/// A hidden file beside a script, as a process leaves it that is ended in the middle.
fn beside(house: &House, view: &ScriptView, ending: &str) -> PathBuf {
    folder(house).join(format!(".{}.0123456789abcdef.{ending}", view.script.id))
}

fn write(path: &Path, content: &str) {
    fs::write(path, content).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

fn names(house: &House) -> usize {
    fs::read_dir(folder(house)).unwrap().count()
}

#[test]
fn what_fails_is_not_told() {
    let house = House::new();
    let engine = house.engine();
    let scripts = engine.scripts();
    let made = create(&engine, "a", "echo one\n");
    scripts.approve("a", Seen::AsItIs, &witness()).unwrap();
    let path = file(&house, &made);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let edited = scripts.edit("a", text("echo two\n"));
    assert!(matches!(edited, Err(ScriptError::Folder(_))), "{edited:?}");
    let restored = scripts.restore("a", None);
    assert!(
        matches!(restored, Err(ScriptError::Folder(_))),
        "{restored:?}"
    );
    let deleted = scripts.delete("a", Deletion::IfUnused);
    assert!(
        matches!(deleted, Err(ScriptError::Folder(_))),
        "{deleted:?}"
    );
    assert_eq!(
        said(&house),
        [ScriptChange::Created, ScriptChange::Approved]
    );
    assert_eq!(names(&house), 1);
    fs::remove_dir(&path).unwrap();
    assert!(scripts.restore("a", None).unwrap().approved);
}

#[test]
fn what_cannot_be_told_is_undone() {
    let house = House::new();
    let engine = house.engine();
    let scripts = engine.scripts();
    let made = create(&engine, "a", "echo one\n");
    let trail = house.state().join("trail.jsonl");
    let away = house.state().join("away");
    fs::rename(&trail, &away).unwrap();
    fs::create_dir(&trail).unwrap();
    assert!(scripts.edit("a", text("echo two\n")).is_err());
    assert!(scripts.delete("a", Deletion::IfUnused).is_err());
    assert!(
        scripts
            .create(crate::scripts::new("b", "echo b\n"))
            .is_err()
    );
    fs::remove_dir(&trail).unwrap();
    fs::rename(&away, &trail).unwrap();
    assert_eq!(
        fs::read_to_string(file(&house, &made)).unwrap(),
        "echo one\n"
    );
    assert_eq!(names(&house), 1);
    assert_eq!(scripts.show("a").unwrap().file, FileState::AsKept);
}

#[test]
fn an_interrupted_edit_is_taken_back_or_was_done() {
    let house = House::new();
    let engine = house.engine();
    let scripts = engine.scripts();
    let made = create(&engine, "a", "echo one\n");
    scripts.approve("a", Seen::AsItIs, &witness()).unwrap();
    let path = file(&house, &made);
    // Before anything was in its place.
    write(&beside(&house, &made, "new"), "echo two\n");
    assert!(scripts.show("a").unwrap().approved);
    assert_eq!(names(&house), 1);
    // The new text is in its place, and does not count.
    fs::hard_link(&path, beside(&house, &made, "old")).unwrap();
    fs::remove_file(&path).unwrap();
    write(&path, "echo two\n");
    let shown = scripts.show("a").unwrap();
    assert_eq!(shown.content.as_deref(), Some("echo one\n"));
    assert_eq!((shown.approved, shown.file), (true, FileState::AsKept));
    assert_eq!(names(&house), 1);
    // It counts already, and only the old text was left.
    write(&beside(&house, &made, "old"), "echo zero\n");
    assert_eq!(
        scripts.show("a").unwrap().content.as_deref(),
        Some("echo one\n")
    );
    assert_eq!(names(&house), 1);
    assert_eq!(
        said(&house),
        [ScriptChange::Created, ScriptChange::Approved]
    );
}

#[test]
fn an_interrupted_creation_leaves_nothing_and_says_so() {
    let house = House::new();
    let engine = house.engine();
    let scripts = engine.scripts();
    // A row that never was: the script is made elsewhere, and its files are brought here.
    let other = House::new();
    let elsewhere = other.engine();
    let made = create(&elsewhere, "a", "echo one\n");
    create(&engine, "b", "echo b\n");
    let path = file(&house, &made);
    write(&path, "echo one\n");
    fs::hard_link(&path, beside(&house, &made, "new")).unwrap();
    assert_eq!(scripts.list().unwrap().foreign, []);
    assert_eq!(names(&house), 1);
    assert_eq!(said(&house), [ScriptChange::Created]);
    // A file that a person put there is left alone.
    write(&path, "echo one\n");
    assert_eq!(scripts.list().unwrap().foreign.len(), 1);
    assert_eq!(names(&house), 2);
}

#[test]
fn what_the_trail_tells_and_did_not_count_is_taken_back_in_it() {
    let house = House::new();
    let made = create(&house.engine(), "a", "echo one\n");
    let path = file(&house, &made);
    let database = house.state().join("bashful.db");
    let before = fs::read(&database).unwrap();
    let edited = house.engine().scripts().edit("a", text("echo two\n"));
    edited.unwrap();
    // An engine that is gone has closed it.
    let engine = house.engine();
    let scripts = engine.scripts();
    // As if the power had failed after the record: the row is the old one.
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(house.state().join(format!("bashful.db{end}")));
    }
    fs::write(&database, before).unwrap();
    write(&beside(&house, &made, "old"), "echo one\n");
    assert_eq!(
        scripts.show("a").unwrap().content.as_deref(),
        Some("echo one\n")
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "echo one\n");
    let expected = [
        ScriptChange::Created,
        ScriptChange::Edited,
        ScriptChange::TakenBack,
    ];
    assert_eq!(said(&house), expected);
    assert_eq!(names(&house), 1);
}

#[test]
fn an_interrupted_deletion_is_finished_and_nothing_of_it_is_approved() {
    let house = House::new();
    let engine = house.engine();
    let scripts = engine.scripts();
    let made = create(&engine, "a", "echo one\n");
    scripts.approve("a", Seen::AsItIs, &witness()).unwrap();
    fs::rename(file(&house, &made), beside(&house, &made, "gone")).unwrap();
    assert!(matches!(
        scripts.show("a"),
        Err(ScriptError::Unknown { .. })
    ));
    assert_eq!(names(&house), 0);
    assert_eq!(said(&house).last(), Some(&ScriptChange::Deleted));
    let restored = scripts.restore("a", None).unwrap();
    assert_eq!((restored.approved, restored.script.approval), (false, None));
}

#[test]
fn a_text_that_does_not_parse_is_shown_looked_at_and_never_lost() {
    let house = House::new();
    let engine = house.engine();
    let scripts = engine.scripts();
    let made = create(&engine, "a", "echo one\n");
    scripts.approve("a", Seen::AsItIs, &witness()).unwrap();
    write(&file(&house, &made), "echo one\nif true\n");
    let shown = scripts.show("a").unwrap();
    assert!(matches!(shown.file, FileState::Unfit { .. }));
    assert!(!shown.approved);
    assert_eq!(shown.content.as_deref(), Some("echo one\nif true\n"));
    let looked = scripts.validate("a").unwrap();
    assert!(!looked.valid);
    assert!(looked.findings.iter().any(|found| found.code == "syntax"));
    let refused = scripts.approve("a", Seen::AsItIs, &witness()).unwrap_err();
    assert!(
        matches!(refused, ScriptError::FileUnfit { .. }),
        "{refused}"
    );
    assert!(refused.to_string().contains("does not parse"), "{refused}");
    assert!(scripts.restore("a", None).unwrap().approved);
    let history = scripts.history("a").unwrap();
    let origins: Vec<VersionOrigin> = history.iter().map(|one| one.origin).collect();
    let expected = [
        VersionOrigin::Created,
        VersionOrigin::ByHand,
        VersionOrigin::Restored,
    ];
    assert_eq!(origins, expected);
    let (_, lost) = scripts.version("a", "2").unwrap();
    assert_eq!(lost, "echo one\nif true\n");
}
