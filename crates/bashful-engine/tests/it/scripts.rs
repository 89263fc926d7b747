//! Managed scripts as embedders meet them: what is kept, what a hand changed, what is refused.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;

use bashful_engine::Engine;
use bashful_engine::approvals::{AnsweredBy, Channel};
use bashful_engine::audit::{Event, ScriptChange, Trail};
use bashful_engine::scripts::{
    CreatedBy, Deletion, FileState, NewScript, ScriptEdit, ScriptError, ScriptId, ScriptView, Seen,
    UnfitBody, VersionOrigin, content_hash,
};

use crate::support::House;

pub(crate) fn witness() -> AnsweredBy {
    AnsweredBy::outside(Channel::Callback).unwrap()
}

pub(crate) fn new(name: &str, content: &str) -> NewScript {
    NewScript {
        name: name.parse().unwrap(),
        description: "for a test".to_owned(),
        content: content.as_bytes().to_vec(),
        capabilities: bashful_engine::Capabilities::default(),
        variables: Vec::new(),
        created_by: CreatedBy::User,
    }
}

pub(crate) fn create(engine: &Engine, name: &str, content: &str) -> ScriptView {
    engine.scripts().create(new(name, content)).unwrap()
}

pub(crate) fn folder(house: &House) -> PathBuf {
    house.path().join("home/.config/bashful/scripts")
}

pub(crate) fn file(house: &House, view: &ScriptView) -> PathBuf {
    folder(house).join(format!("{}.sh", view.script.id))
}

/// What is on record about scripts, in order.
pub(crate) fn changes(house: &House) -> Vec<(ScriptChange, String)> {
    let records = Trail::at(&house.state()).records().unwrap();
    let scripts = records.filter_map(|record| match record.unwrap().event {
        Some(Event::Script(change)) => Some((change.change, change.content_hash)),
        _ => None,
    });
    scripts.collect()
}

#[test]
fn a_script_is_a_private_file_and_a_row() {
    let house = House::new();
    let engine = house.engine();
    let made = create(&engine, "hello", "echo hello\n");
    let path = file(&house, &made);
    assert_eq!(fs::read_to_string(&path).unwrap(), "echo hello\n");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
    assert_eq!(fs::metadata(folder(&house)).unwrap().mode() & 0o7777, 0o700);
    assert_eq!(made.script.content_hash, content_hash(b"echo hello\n"));
    assert_eq!((made.approved, &made.file), (false, &FileState::AsKept));
    let scripts = engine.scripts();
    for which in ["hello", &made.script.id.to_string()] {
        assert_eq!(scripts.show(which).unwrap(), made);
    }
    let json = serde_json::to_value(&made).unwrap();
    for key in [
        "id",
        "name",
        "description",
        "created_at",
        "created_by",
        "content_hash",
        "automation_ids",
    ] {
        assert!(json.get(key).is_some(), "{key}: {json}");
    }
    assert_eq!(
        changes(&house),
        [(ScriptChange::Created, made.script.content_hash.clone())]
    );
}

#[test]
fn bad_input_leaves_nothing_behind() {
    let house = House::new();
    let engine = house.engine();
    let scripts = engine.scripts();
    create(&engine, "taken", "true");
    let before = fs::read_dir(folder(&house)).unwrap().count();
    let long = "#".repeat((1 << 20) + 1);
    for content in ["", " \n", "echo \0", "if true\n", "echo $(", "for", &long] {
        let refused = scripts.create(new("bad", content));
        assert!(matches!(refused, Err(ScriptError::Body(_))), "{refused:?}");
    }
    let binary = NewScript {
        content: vec![0xff, 0xfe, b'a'],
        ..new("bad", "")
    };
    assert!(matches!(
        scripts.create(binary),
        Err(ScriptError::Body(UnfitBody::Binary { .. }))
    ));
    let taken = scripts.create(new("taken", "false")).unwrap_err();
    assert_eq!(taken.to_string(), "there is another script `taken`");
    let syntax = scripts
        .create(new("bad", "echo a\nif true\nfi\n"))
        .unwrap_err();
    assert!(
        syntax
            .to_string()
            .starts_with("the script does not parse, line 3: "),
        "{syntax}"
    );
    let mut outside = new("bad", "true");
    outside.capabilities.paths_read = vec!["../x".to_owned()];
    assert!(matches!(
        scripts.create(outside),
        Err(ScriptError::Capabilities { .. })
    ));
    let mut unknown = new("bad", "true");
    unknown.capabilities.classes = vec!["sudoo".to_owned()];
    assert!(matches!(
        scripts.create(unknown),
        Err(ScriptError::Capabilities { .. })
    ));
    let mut variable = new("bad", "true");
    variable.variables = serde_json::from_str(r#"[{"name": "PATH"}]"#).unwrap();
    assert!(matches!(
        scripts.create(variable),
        Err(ScriptError::Variables(_))
    ));
    assert_eq!(fs::read_dir(folder(&house)).unwrap().count(), before);
    assert_eq!(scripts.list().unwrap().scripts.len(), 1);
    for which in ["../../etc/passwd", "no such", "", "a/b", "9b2e5c1a"] {
        let refused = scripts.show(which);
        assert!(
            matches!(refused, Err(ScriptError::Unknown { .. })),
            "{which}"
        );
    }
}

#[test]
fn the_largest_script_is_kept() {
    let house = House::new();
    let engine = house.engine();
    let line = "# a line of a long script\n";
    let text = line.repeat((1 << 20) / line.len());
    let made = create(&engine, "long", &text);
    assert_eq!(engine.scripts().show("long").unwrap().content, Some(text));
    assert!(!made.approved);
}

#[test]
fn a_folder_that_others_can_write_is_refused() {
    let house = House::new();
    let engine = house.engine();
    create(&engine, "a", "true");
    fs::set_permissions(folder(&house), fs::Permissions::from_mode(0o777)).unwrap();
    let scripts = engine.scripts();
    for refused in [
        scripts.create(new("b", "true")).unwrap_err(),
        scripts.show("a").unwrap_err(),
        scripts.list().unwrap_err(),
        scripts.approve("a", Seen::AsItIs, &witness()).unwrap_err(),
    ] {
        assert!(
            refused.to_string().contains("others can write to it"),
            "{refused}"
        );
    }
    fs::set_permissions(folder(&house), fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(scripts.list().unwrap().scripts.len(), 1);
}

#[test]
fn what_a_hand_changed_is_noticed_and_not_approved() {
    let house = House::new();
    let engine = house.engine();
    let scripts = engine.scripts();
    let made = create(&engine, "a", "echo one\n");
    assert!(
        scripts
            .approve("a", Seen::AsItIs, &witness())
            .unwrap()
            .approved
    );
    fs::write(file(&house, &made), "echo two\n").unwrap();
    let found = scripts.show("a").unwrap();
    assert_eq!(found.file, FileState::ChangedByHand);
    assert_eq!(
        (found.approved, found.content.as_deref()),
        (false, Some("echo two\n"))
    );
    // It is said once; then it is a version like any other.
    assert_eq!(scripts.show("a").unwrap().file, FileState::AsKept);
    let versions = scripts.history("a").unwrap();
    let origins: Vec<_> = versions.iter().map(|version| version.origin).collect();
    assert_eq!(origins, [VersionOrigin::Created, VersionOrigin::ByHand]);
    let two = scripts.diff("a", None, None).unwrap();
    assert_eq!(
        (two.old.as_str(), two.new.as_str()),
        ("echo one\n", "echo two\n")
    );
    let last = changes(&house).pop().unwrap();
    assert_eq!(
        last,
        (ScriptChange::ChangedByHand, content_hash(b"echo two\n"))
    );
    // Exactly what was approved is approved.
    fs::write(file(&house, &made), "echo one\n").unwrap();
    assert!(scripts.show("a").unwrap().approved);
    fs::write(file(&house, &made), "if").unwrap();
    let broken = scripts.show("a").unwrap();
    assert!(matches!(broken.file, FileState::Unfit { .. }) && !broken.approved);
    assert!(scripts.approve("a", Seen::AsItIs, &witness()).is_err());
    fs::remove_file(file(&house, &made)).unwrap();
    let missing = scripts.show("a").unwrap();
    assert_eq!(
        (missing.file, missing.approved),
        (FileState::Missing, false)
    );
    assert!(scripts.export("a").is_err());
    let back = scripts.restore("a", None).unwrap();
    assert_eq!(back.content.as_deref(), Some("echo one\n"));
    assert!(back.approved);
}

#[test]
fn a_foreign_file_is_reported_and_can_be_adopted() {
    let house = House::new();
    let engine = house.engine();
    let scripts = engine.scripts();
    create(&engine, "a", "true");
    let id: ScriptId = "9b2e5c1a-4f0d-4c3e-8a51-0d6f2b7c9e10".parse().unwrap();
    fs::write(folder(&house).join(format!("{id}.sh")), "echo foreign\n").unwrap();
    fs::write(folder(&house).join("notes.txt"), "mine").unwrap();
    let list = scripts.list().unwrap();
    let foreign: Vec<_> = list
        .foreign
        .iter()
        .map(|one| (one.file.as_str(), one.id))
        .collect();
    let name = format!("{id}.sh");
    assert_eq!(foreign, [(name.as_str(), Some(id)), ("notes.txt", None)]);
    assert!(matches!(
        scripts.show(&id.to_string()),
        Err(ScriptError::Unknown { .. })
    ));
    let adopted = scripts.adopt(id, new("foreign", "ignored")).unwrap();
    assert_eq!(adopted.content.as_deref(), Some("echo foreign\n"));
    assert_eq!((adopted.script.id, adopted.approved), (id, false));
    assert_eq!(scripts.list().unwrap().foreign.len(), 1);
    assert!(scripts.adopt(id, new("again", "ignored")).is_err());
}

#[test]
fn edits_are_versions_and_take_an_approval_away() {
    let house = House::new();
    let engine = house.engine();
    let scripts = engine.scripts();
    create(&engine, "a", "echo one\n");
    scripts.approve("a", Seen::AsItIs, &witness()).unwrap();
    let described = ScriptEdit {
        description: Some("other words".to_owned()),
        ..ScriptEdit::default()
    };
    assert!(scripts.edit("a", described).unwrap().approved);
    assert!(scripts.rename("a", &"b".parse().unwrap()).unwrap().approved);
    let text = |text: &str| ScriptEdit {
        content: Some(text.as_bytes().to_vec()),
        ..ScriptEdit::default()
    };
    assert!(!scripts.edit("b", text("echo two\n")).unwrap().approved);
    assert!(scripts.edit("b", text("if")).is_err());
    assert_eq!(
        scripts.show("b").unwrap().content.as_deref(),
        Some("echo two\n")
    );
    let wider = ScriptEdit {
        capabilities: Some(serde_json::from_str(r#"{"network": true}"#).unwrap()),
        ..ScriptEdit::default()
    };
    scripts.approve("b", Seen::AsItIs, &witness()).unwrap();
    assert!(!scripts.edit("b", wider).unwrap().approved);
    let hash = content_hash(b"echo one\n");
    let restored = scripts.restore("b", hash.get(..12)).unwrap();
    assert_eq!(restored.content.as_deref(), Some("echo one\n"));
    let numbers: Vec<u64> = scripts
        .history("b")
        .unwrap()
        .iter()
        .map(|version| version.number)
        .collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert!(matches!(
        scripts.restore("b", Some("17")),
        Err(ScriptError::NoVersion { .. })
    ));
}

#[test]
fn a_yes_is_to_what_was_seen() {
    let house = House::new();
    let engine = house.engine();
    let scripts = engine.scripts();
    let seen = create(&engine, "a", "echo one\n");
    fs::write(file(&house, &seen), "echo two\n").unwrap();
    let refused = scripts.approve("a", Seen::Digest(&seen.digest), &witness());
    assert!(matches!(refused, Err(ScriptError::NotAsSeen { .. })));
    let now = scripts.show("a").unwrap();
    let approved = scripts
        .approve("a", Seen::Digest(&now.digest), &witness())
        .unwrap();
    let approval = approved.script.approval.unwrap();
    assert_eq!(approval.approved_hash, content_hash(b"echo two\n"));
    assert_eq!(approval.by, witness());
    assert!(!scripts.revoke("a", &witness()).unwrap().approved);
    // What is not approved stays so, and nothing is told.
    let before = changes(&house).len();
    assert!(!scripts.revoke("a", &witness()).unwrap().approved);
    assert_eq!(changes(&house).len(), before);
}

#[test]
fn what_is_deleted_comes_back_without_its_approval() {
    let house = House::new();
    let engine = house.engine();
    let scripts = engine.scripts();
    let made = create(&engine, "a", "echo one\n");
    scripts.approve("a", Seen::AsItIs, &witness()).unwrap();
    scripts
        .set_automations("a", &["nightly".to_owned()])
        .unwrap();
    let used = scripts.delete("a", Deletion::IfUnused).unwrap_err();
    assert_eq!(used.to_string(), "the script `a` is used by nightly");
    scripts.delete("a", Deletion::Forced).unwrap();
    assert!(!file(&house, &made).exists());
    assert!(scripts.show("a").is_err());
    assert_eq!(scripts.list().unwrap().deleted.len(), 1);
    // The name is free, and the history is still there.
    let other = create(&engine, "a", "echo other\n");
    assert!(matches!(
        scripts.restore(&made.script.id.to_string(), None),
        Err(ScriptError::NameTaken { .. })
    ));
    assert_eq!(
        scripts.history(&made.script.id.to_string()).unwrap().len(),
        1
    );
    scripts.rename("a", &"b".parse().unwrap()).unwrap();
    let back = scripts.restore("a", None).unwrap();
    assert_eq!(back.script.id, made.script.id);
    assert_eq!(
        (back.approved, back.content.as_deref()),
        (false, Some("echo one\n"))
    );
    assert_ne!(other.script.id, made.script.id);
}

#[test]
fn a_document_carries_a_script_but_no_approval() {
    let (here, there) = (House::new(), House::new());
    let (engine, elsewhere) = (here.engine(), there.engine());
    let mut script = new("a", "echo one\n");
    script.created_by = CreatedBy::Llm;
    script.capabilities.paths_read = vec!["/etc".to_owned()];
    script.variables = serde_json::from_str(r#"[{"name": "X", "default": "y"}]"#).unwrap();
    let made = engine.scripts().create(script).unwrap();
    engine
        .scripts()
        .approve("a", Seen::AsItIs, &witness())
        .unwrap();
    let document = engine.scripts().export("a").unwrap();
    let text = serde_json::to_string(&document).unwrap();
    let read = serde_json::from_str(&text).unwrap();
    let imported = elsewhere.scripts().import(read).unwrap();
    assert_eq!(imported.script.id, made.script.id);
    assert_eq!((imported.approved, &imported.digest), (false, &made.digest));
    assert_eq!(imported.script.created_by, CreatedBy::Llm);
    assert!(matches!(
        elsewhere.scripts().import(document.clone()),
        Err(ScriptError::NameTaken { .. })
    ));
    let mut twin = document.clone();
    twin.name = "b".parse().unwrap();
    let twin = elsewhere.scripts().import(twin).unwrap();
    assert_ne!(twin.script.id, made.script.id);
    let mut forged = document;
    forged.content.push('#');
    assert!(matches!(
        engine.scripts().import(forged),
        Err(ScriptError::Document { .. })
    ));
}
