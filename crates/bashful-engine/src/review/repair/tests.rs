//! A database that is damaged, gone, in use or fine.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::{RepairError, Repaired, RepairedDatabase, Restored, repair};
use crate::model::error::store::StoreError;
use crate::model::grant::Scope;
use crate::model::places::{Places, make_private};
use crate::record::audit::{Event, GrantChange, GrantChanged, Trail};
use crate::record::index::Reconciled;
use crate::store::Other;
use crate::store::conformance::{NOON, ask, grant, put};
use crate::store::{AskFilter, DATABASE, GrantFilter, SqliteStore, Store, beside, may_have_grants};

struct Home {
    places: Places,
    database: PathBuf,
    _directory: tempfile::TempDir,
}

impl Home {
    /// With a database, and one grant that is on record.
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let places = Places::under(directory.path());
        make_private(&places.state).unwrap();
        let home = Self {
            database: places.state.join(DATABASE),
            places,
            _directory: directory,
        };
        let given = grant("grant-1", Scope::User);
        let event = Event::Grant(Box::new(GrantChanged {
            change: GrantChange::Given,
            grant: given.clone(),
        }));
        Trail::at(&home.places.state)
            .append_synced(&[event])
            .unwrap();
        let store = home.store();
        store.add_grant(&given).unwrap();
        put(&store, &ask("not on record"));
        store.close().unwrap();
        home
    }

    fn store(&self) -> SqliteStore {
        SqliteStore::open(&self.database).unwrap()
    }

    fn grants(&self) -> Vec<String> {
        let grants = self.store().grants(&GrantFilter::default()).unwrap();
        grants.into_iter().map(|grant| grant.id).collect()
    }

    /// What lies in the state directory, without what the names end with.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&self.places.state)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .map(|name| {
                name.trim_end_matches(|c: char| c.is_ascii_digit())
                    .to_owned()
            })
            .filter(|name| name.starts_with(DATABASE))
            .collect();
        names.sort();
        names
    }
}

const ONE_GRANT: Restored = Restored {
    asks: 0,
    grants: 1,
    records: 1,
    broken: None,
};

#[test]
fn what_is_fine_stays() {
    let home = Home::new();
    let repaired = repair(&home.places).unwrap();
    let expected = Repaired {
        v: 1,
        database: RepairedDatabase::Fine,
        restored: None,
        moved_tasks: Vec::new(),
        closed: Vec::new(),
        removed_sockets: Vec::new(),
        // Those are the machine's.
        removed_groups: repaired.removed_groups.clone(),
        index: Reconciled::default(),
    };
    assert_eq!(repaired, expected);
    assert_eq!(
        home.store().asks(&AskFilter::default()).unwrap(),
        [ask("not on record")]
    );
}

#[test]
fn a_marker_that_was_taken_away_comes_back() {
    let home = Home::new();
    let mut endless = grant("endless", Scope::User);
    endless.expires_at_ms = None;
    home.store().add_grant(&endless).unwrap();
    fs::remove_file(home.places.state.join("grants.some")).unwrap();
    repair(&home.places).unwrap();
    assert!(may_have_grants(&home.places.state));
}

#[test]
fn what_was_never_finished_is_removed() {
    let home = Home::new();
    let hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    for (name, old) in [
        ("bashful.db.new-1", true),
        ("bashful.db.mended-1", true),
        ("bashful.db.new-young", false),
        ("bashful.db.damaged-1", true),
    ] {
        let file = fs::File::create(home.places.state.join(name)).unwrap();
        if old {
            file.set_modified(hour_ago).unwrap();
        }
    }
    repair(&home.places).unwrap();
    home.store().close().unwrap();
    let left = [DATABASE, "bashful.db.damaged-", "bashful.db.new-young"];
    assert_eq!(home.names(), left);
}

#[test]
fn a_damaged_database_is_moved_and_made_anew() {
    let home = Home::new();
    let whole = fs::read(&home.database).unwrap();
    for content in [&b"no database"[..], b"", &whole[..whole.len() / 2]] {
        fs::write(&home.database, content).unwrap();
        let repaired = repair(&home.places).unwrap();
        let RepairedDatabase::Damaged { moved_to, .. } = &repaired.database else {
            panic!("{repaired:?}");
        };
        // Not a byte is lost.
        assert_eq!(fs::read(moved_to).unwrap(), content);
        fs::remove_file(moved_to).unwrap();
        for file in beside(moved_to) {
            let _ = fs::remove_file(file);
        }
        assert_eq!(repaired.restored, Some(ONE_GRANT));
        assert_eq!(home.grants(), ["grant-1"]);
        assert!(may_have_grants(&home.places.state));
        home.store().close().unwrap();
        assert_eq!(home.names(), [DATABASE]);
    }
}

#[test]
fn what_lies_beside_it_moves_with_it() {
    let home = Home::new();
    fs::write(&home.database, "no database").unwrap();
    let [log, shared] = beside(&home.database);
    fs::write(log, "its log").unwrap();
    fs::write(shared, "its memory").unwrap();
    let repaired = repair(&home.places).unwrap();
    let RepairedDatabase::Damaged { moved_to, .. } = repaired.database else {
        panic!("{repaired:?}");
    };
    let [log, shared] = beside(&moved_to);
    assert_eq!(fs::read_to_string(log).unwrap(), "its log");
    // This one SQLite makes anew whenever it looks.
    assert!(shared.exists());
    assert_eq!(home.grants(), ["grant-1"]);
}

#[test]
fn a_row_that_cannot_be_read_is_damage_too() {
    let home = Home::new();
    let connection = rusqlite::Connection::open(&home.database).unwrap();
    connection
        .execute_batch("UPDATE ask SET body = '?'")
        .unwrap();
    drop(connection);
    let repaired = repair(&home.places).unwrap();
    let RepairedDatabase::Damaged { detail, .. } = &repaired.database else {
        panic!("{repaired:?}");
    };
    assert!(detail.contains("not on record"), "{detail}");
    assert_eq!(home.store().asks(&AskFilter::default()).unwrap(), []);
}

#[test]
fn what_stands_in_its_place_is_moved() {
    let home = Home::new();
    let elsewhere = home.places.state.join("elsewhere");
    fs::rename(&home.database, &elsewhere).unwrap();
    symlink(&elsewhere, &home.database).unwrap();
    let before = fs::read(&elsewhere).unwrap();
    repair(&home.places).unwrap();
    assert_eq!(fs::read(&elsewhere).unwrap(), before);
    assert!(fs::symlink_metadata(&home.database).unwrap().is_file());
    fs::remove_file(&home.database).unwrap();
    for file in beside(&home.database) {
        let _ = fs::remove_file(file);
    }
    fs::create_dir(&home.database).unwrap();
    repair(&home.places).unwrap();
    assert_eq!(home.grants(), ["grant-1"]);
}

#[test]
fn a_database_that_is_gone_comes_back() {
    let home = Home::new();
    fs::remove_file(&home.database).unwrap();
    let repaired = repair(&home.places).unwrap();
    assert_eq!(repaired.database, RepairedDatabase::Absent);
    assert_eq!(repaired.restored, Some(ONE_GRANT));
    assert_eq!(home.grants(), ["grant-1"]);
    // And without anything at all there is an empty one afterwards.
    let empty = tempfile::tempdir().unwrap();
    let places = Places::under(empty.path());
    let repaired = repair(&places).unwrap();
    assert_eq!(repaired.database, RepairedDatabase::Absent);
    assert!(!may_have_grants(&places.state));
}

#[test]
fn a_used_grant_does_not_come_back_to_life() {
    let home = Home::new();
    let mut revoked = grant("grant-1", Scope::User);
    revoked.revoked_at_ms = Some(NOON);
    let event = Event::Grant(Box::new(GrantChanged {
        change: GrantChange::Revoked,
        grant: revoked.clone(),
    }));
    Trail::at(&home.places.state)
        .append_synced(&[event])
        .unwrap();
    fs::write(&home.database, "no database").unwrap();
    repair(&home.places).unwrap();
    assert_eq!(home.store().grant("grant-1").unwrap(), Some(revoked));
}

#[test]
fn a_broken_trail_is_told() {
    let home = Home::new();
    let trail = Trail::at(&home.places.state).path();
    let mut text = fs::read_to_string(&trail).unwrap();
    text.insert_str(0, "hello\n");
    fs::write(&trail, text).unwrap();
    fs::write(&home.database, "no database").unwrap();
    let restored = repair(&home.places).unwrap().restored.unwrap();
    assert_eq!((restored.grants, restored.records), (0, 0));
    assert_eq!(restored.broken.unwrap().at, 1);
    assert_eq!(home.grants(), Vec::<String>::new());
}

#[test]
fn a_database_that_others_use_is_left_alone() {
    let home = Home::new();
    let mut other = Other::play("has it open", &home.places.state);
    assert_eq!(other.tells().as_deref(), Some("ready"));
    // Its header is destroyed while the other one has it open.
    let mut content = fs::read(&home.database).unwrap();
    content[..4096].fill(b'x');
    overwrite(&home.database, &content);
    let refused = repair(&home.places);
    assert!(
        matches!(refused, Err(RepairError::Store(StoreError::Locked { .. }))),
        "{refused:?}"
    );
    assert_eq!(fs::read(&home.database).unwrap(), content);
    drop(other);
    repair(&home.places).unwrap();
    assert_eq!(home.grants(), ["grant-1"]);
}

/// Writes into the same file, as a broken disk would.
fn overwrite(path: &std::path::Path, content: &[u8]) {
    use std::os::unix::fs::FileExt;
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(content, 0).unwrap();
}

#[test]
fn what_was_repaired_is_told_as_json() {
    let repaired = Repaired {
        v: 1,
        database: RepairedDatabase::Damaged {
            detail: "gone".to_owned(),
            moved_to: PathBuf::from("/s/bashful.db.damaged-1"),
        },
        restored: Some(ONE_GRANT),
        moved_tasks: Vec::new(),
        closed: Vec::new(),
        removed_sockets: Vec::new(),
        removed_groups: Vec::new(),
        index: Reconciled::default(),
    };
    let expected = serde_json::json!({
        "v": 1,
        "database": { "was": "damaged", "detail": "gone", "moved_to": "/s/bashful.db.damaged-1" },
        "restored": { "asks": 0, "grants": 1, "records": 1 },
        "index": { "running": 0, "finished": 0, "lost": 0, "unreadable": [] },
    });
    assert_eq!(serde_json::to_value(repaired).unwrap(), expected);
}
