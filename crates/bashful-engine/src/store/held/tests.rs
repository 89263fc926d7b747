//! What an engine keeps open, and when it does not any more.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::model::grant::Scope;
use crate::model::places::Places;
use crate::model::script::examples;
use crate::review::repair::repair;
use crate::store::conformance::grant;
use crate::store::{GrantFilter, SavingScript, Store, beside};

/// Longer than any test.
const LONG: Duration = Duration::from_secs(600);

struct Home {
    directory: tempfile::TempDir,
    held: HeldStore,
}

impl Home {
    /// With a database that is kept open.
    fn new(idle: Duration) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let held = HeldStore::closed_after(Some(idle), directory.path());
        // The first use makes it, the second keeps it.
        drop(held.get().unwrap());
        drop(held.get().unwrap());
        Self { directory, held }
    }

    fn database(&self) -> PathBuf {
        self.directory.path().join(DATABASE)
    }

    fn is_open(&self) -> bool {
        self.held.shared.lock().open.is_some()
    }

    fn give(store: &SqliteStore, id: &str) {
        store.add_grant(&grant(id, Scope::User)).unwrap();
    }

    fn grants(store: &SqliteStore) -> Vec<String> {
        let grants = store.grants(&GrantFilter::default()).unwrap();
        grants.into_iter().map(|grant| grant.id).collect()
    }
}

fn eventually(is_so: impl Fn() -> bool) -> bool {
    let until = Instant::now() + Duration::from_secs(20);
    while !is_so() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    is_so()
}

#[test]
fn it_is_opened_once() {
    let home = Home::new(LONG);
    let (one, other) = (home.held.get().unwrap(), home.held.get().unwrap());
    assert!(Arc::ptr_eq(&one, &other));
    // What another process writes is seen all the same.
    Home::give(&SqliteStore::open(&home.database()).unwrap(), "grant-1");
    assert_eq!(Home::grants(&one), ["grant-1"]);
}

#[test]
fn one_that_was_replaced_is_opened_anew_and_its_closing_does_the_new_one_no_harm() {
    let home = Home::new(LONG);
    Home::give(&home.held.get().unwrap(), "grant-old");
    let path = home.database();
    for old in std::iter::once(path.clone()).chain(beside(&path)) {
        let mut away = old.clone().into_os_string();
        away.push(".away");
        fs::rename(&old, away).unwrap();
    }
    // Another process writes to the new one, and has not written its log back.
    let theirs = SqliteStore::open(&path).unwrap();
    Home::give(&theirs, "grant-new");
    let ours = home.held.get().unwrap();
    assert_eq!(Home::grants(&ours), ["grant-new"]);
    for beside in beside(&path) {
        assert!(beside.exists(), "{beside:?}");
    }
    Home::give(&ours, "grant-newer");
    drop(home.held);
    assert_eq!(Home::grants(&theirs), ["grant-new", "grant-newer"]);
}

#[test]
fn one_that_was_removed_is_made_anew() {
    let home = Home::new(LONG);
    Home::give(&home.held.get().unwrap(), "grant-old");
    let path = home.database();
    for old in std::iter::once(path.clone()).chain(beside(&path)) {
        fs::remove_file(old).unwrap();
    }
    assert_eq!(Home::grants(&home.held.get().unwrap()), [] as [&str; 0]);
    assert!(path.exists());
}

#[test]
fn one_that_others_can_write_is_not_used_any_more() {
    let home = Home::new(LONG);
    fs::set_permissions(home.database(), fs::Permissions::from_mode(0o666)).unwrap();
    let refused = home.held.get();
    assert!(
        matches!(refused, Err(StoreError::Unusable { .. })),
        "{refused:?}"
    );
}

#[test]
fn one_that_nobody_uses_is_closed_and_opened_again() {
    let home = Home::new(Duration::from_millis(20));
    for id in ["grant-1", "grant-2"] {
        Home::give(&home.held.get().unwrap(), id);
        assert!(eventually(|| !home.is_open()), "it stays open");
        // Nothing is left in its log.
        let [log, shared] = beside(&home.database());
        assert!(eventually(|| !log.exists() && !shared.exists()));
    }
    assert_eq!(
        Home::grants(&home.held.get().unwrap()),
        ["grant-1", "grant-2"]
    );
}

#[test]
fn one_that_nobody_else_closes_is_closed_before_a_rest() {
    let directory = tempfile::tempdir().unwrap();
    let held = HeldStore::closed_after(None, directory.path());
    Home::give(&held.get().unwrap(), "grant-1");
    Home::give(&held.get().unwrap(), "grant-2");
    let [log, _] = beside(&directory.path().join(DATABASE));
    assert!(log.exists());
    held.rest();
    assert!(!log.exists());
    // With a thread that closes it, it stays until then.
    let home = Home::new(LONG);
    home.held.rest();
    assert!(home.is_open());
}

#[test]
fn one_that_is_damaged_is_let_go_and_can_be_mended() {
    let home = Home::new(LONG);
    let places = Places {
        state: home.directory.path().to_owned(),
        ..Places::under(home.directory.path())
    };
    // Written back, so that all of it is in the one file.
    drop(home.held.shared.lock().open.take());
    let store = home.held.get().unwrap();
    let length = fs::metadata(home.database()).unwrap().len();
    let noise = vec![0x5a; usize::try_from(length).unwrap()];
    fs::write(home.database(), noise).unwrap();
    assert!(store.grants(&GrantFilter::default()).is_err());
    assert!(store.is_damaged());
    drop(store);
    // Now it is not open any more, so that a person can move it away.
    assert!(matches!(home.held.get(), Err(StoreError::Corrupt { .. })));
    assert!(!home.is_open());
    repair(&places).unwrap();
    assert_eq!(Home::grants(&home.held.get().unwrap()), [] as [&str; 0]);
}

/// A script, and what is noted about its last run.
fn noted(store: &SqliteStore, id: ScriptId) -> Option<String> {
    store.script(id).unwrap().unwrap().last_run.unwrap().status
}

#[test]
fn how_a_script_ended_is_noted_whoever_closes_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(DATABASE);
    let script = examples::script("one", "true");
    let began = LastRun {
        task_id: "script-1".to_owned(),
        at_ms: 1_000,
        status: None,
        exit_code: None,
        duration_ms: None,
        content_hash: script.content_hash.clone(),
    };
    let saving = SavingScript {
        script: &script,
        is_new: true,
        lost: None,
        version: None,
        keep: None,
        now_ms: 1_000,
    };
    // Behind the back of who waits, in the end of the engine, and at once.
    for (idle, goes) in [(Some(LONG), false), (Some(LONG), true), (None, false)] {
        let held = HeldStore::closed_after(idle, directory.path());
        drop(held.get().unwrap());
        let store = held.get().unwrap();
        store
            .save_script_recorded(&saving, &mut |_| Ok(()))
            .unwrap();
        store.note_script_run(script.id, &began).unwrap();
        drop(store);
        let ended = LastRun {
            status: Some("completed".to_owned()),
            ..began.clone()
        };
        held.note_end(script.id, ended);
        if goes {
            drop(held);
        }
        let other = SqliteStore::open(&path).unwrap();
        assert!(eventually(|| noted(&other, script.id).is_some()));
        for file in std::iter::once(path.clone()).chain(beside(&path)) {
            let _ = fs::remove_file(file);
        }
    }
}

#[test]
fn nobody_waits_for_one_whose_engine_is_gone() {
    let home = Home::new(LONG);
    let shared = Arc::clone(&home.held.shared);
    drop(home);
    assert!(eventually(|| Arc::strong_count(&shared) == 1));
}
