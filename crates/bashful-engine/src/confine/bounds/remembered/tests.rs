//! Bounds are remembered for as long as they are right.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::*;
use crate::config::Sandbox;
use crate::engine::Engine;
use crate::model::places::Places;
use crate::request::invocation::Invocation;

fn engine(root: &Path) -> Engine {
    for name in ["home", "work", "more"] {
        fs::create_dir(root.join(name)).unwrap();
    }
    engine_with(root, &[])
}

/// An engine where all is there, with more variables.
pub(in super::super) fn engine_with(root: &Path, more: &[(&str, &str)]) -> Engine {
    let text = |name: &str| root.join(name).to_str().unwrap().to_owned();
    let mut environment = BTreeMap::from([
        ("HOME".to_owned(), text("home")),
        ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
        ("GIT_CONFIG_SYSTEM".to_owned(), text("none")),
    ]);
    let more = more.iter().copied();
    environment.extend(more.map(|(name, value)| (name.to_owned(), value.to_owned())));
    Engine::builder()
        .sandbox(Sandbox::By(bashful_sandbox::Backend::Native))
        .workspace(root.join("work"))
        .places(Places::under(&root.join("own")))
        .environment(environment)
        .build()
        .unwrap()
}

/// Where git looks for hooks, by the bounds of a run.
pub(in super::super) fn hooks(engine: &Engine) -> Vec<PathBuf> {
    let room = engine.room_for(Invocation::bash("true")).unwrap();
    room.unwrap().profile.git_obeys
}

/// The bounds that are remembered, and whether they are for long.
fn remembered(engine: &Engine) -> (Arc<Bounds>, bool) {
    let remembered = engine.settings().kept.of::<Remembered>();
    let all = remembered.0.lock().unwrap();
    let lasts = matches!(&all[0].known, Known::Seen(witness) if witness.sees_all);
    (Arc::clone(&all[0].bounds), lasts)
}

#[test]
fn bounds_last_longer_than_a_second_and_no_longer_than_they_are_right() {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path().canonicalize().unwrap();
    let engine = engine(&root);
    let configuration = root.join("home/.gitconfig");
    fs::write(&configuration, "[core]\n\thooksPath = .first\n").unwrap();
    assert_eq!(hooks(&engine), [PathBuf::from(".first")]);
    let first = remembered(&engine);
    hooks(&engine);
    // A file that was just written cannot be vouched for.
    let second = remembered(&engine);
    assert!(!Arc::ptr_eq(&first.0, &second.0) && !second.1);
    std::thread::sleep(Duration::from_millis(3_100));
    hooks(&engine);
    let third = remembered(&engine);
    assert!(!Arc::ptr_eq(&second.0, &third.0) && third.1);
    std::thread::sleep(FRESH);
    hooks(&engine);
    assert!(Arc::ptr_eq(&third.0, &remembered(&engine).0));
    // The next run sees it, no matter what the engine remembers.
    for name in [".second", ".the-third", ".another"] {
        fs::write(&configuration, format!("[core]\n\thooksPath = {name}\n")).unwrap();
        assert_eq!(hooks(&engine), [PathBuf::from(name)]);
    }
    fs::remove_file(&configuration).unwrap();
    assert!(hooks(&engine).is_empty());
}

#[test]
fn bounds_for_another_purpose_are_others() {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path().canonicalize().unwrap();
    let engine = engine(&root);
    let workspace = |invocation: Invocation| {
        let room = engine.room_for(invocation).unwrap().unwrap();
        room.profile.workspace
    };
    for _ in 0..3 {
        assert_eq!(workspace(Invocation::bash("true")), root.join("work"));
        let elsewhere = Invocation::bash("true").workspace(root.join("more"));
        assert_eq!(workspace(elsewhere), root.join("more"));
    }
}
