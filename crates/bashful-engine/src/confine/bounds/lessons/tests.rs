//! What one process tells serves another, in the very same call, for as long as it is right.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::super::remembered::tests::{engine_with, hooks};
use super::*;

/// A new engine makes a call, and tells of it: the mark, and the lesson.
fn call(root: &Path, more: &[(&str, &str)]) -> (String, Vec<u8>) {
    hooks(&engine_with(root, more));
    let told = told().unwrap();
    let lesson: Lesson = serde_json::from_slice(&told).unwrap();
    (lesson.mark, told)
}

fn places(temporary: &tempfile::TempDir) -> PathBuf {
    let root = temporary.path().canonicalize().unwrap();
    for name in ["home", "work", "other"] {
        fs::create_dir(root.join(name)).unwrap();
    }
    open();
    root
}

#[test]
fn a_lesson_is_for_calls_with_the_same_variables() {
    let temporary = tempfile::tempdir().unwrap();
    let root = places(&temporary);
    let (mark, told) = call(&root, &[("SERVICE_TOKEN", "supersecretvalue")]);
    // What is told has no value in it.
    assert!(
        !String::from_utf8(told)
            .unwrap()
            .contains("supersecretvalue")
    );
    assert_eq!(
        call(&root, &[("SERVICE_TOKEN", "supersecretvalue")]).0,
        mark
    );
    let home = root.join("other");
    for other in [
        ("SERVICE_TOKEN", "another"),
        ("HOME", home.to_str().unwrap()),
        ("PATH", "/bin"),
        ("CARGO_HOME", "/opt/cargo"),
    ] {
        let variables = [("SERVICE_TOKEN", "supersecretvalue"), other];
        assert_ne!(call(&root, &variables).0, mark, "{other:?}");
    }
    // And where the user's own configuration is, and where Bashful keeps things, by the place.
    let other = tempfile::tempdir().unwrap();
    assert_ne!(
        call(&places(&other), &[("SERVICE_TOKEN", "supersecretvalue")]).0,
        mark
    );
}

#[test]
fn a_lesson_counts_for_as_long_as_it_is_right() {
    let temporary = tempfile::tempdir().unwrap();
    let root = places(&temporary);
    let configuration = root.join("home/.gitconfig");
    fs::write(&configuration, "[core]\n\thooksPath = .first\n").unwrap();
    // What was just written cannot be vouched for.
    std::thread::sleep(Duration::from_millis(3_100));
    let (mark, names) = call(&root, &[]);
    assert!(matches!(find(Some(&mark)), Err(None)));
    hear(&names);
    // The first call tells what to look at, the second what was there.
    assert!(matches!(find(Some(&mark)), Err(Some(_))));
    hear(&call(&root, &[]).1);
    let known = find(Some(&mark)).unwrap();
    assert_eq!(known.profile.git_obeys, [PathBuf::from(".first")]);
    assert!(find(Some("of another call")).is_err() && find(None).is_err());
    // A third learns nothing: it goes by what it was told.
    *LEARNT.lock().unwrap() = None;
    assert_eq!(hooks(&engine_with(&root, &[])), [PathBuf::from(".first")]);
    assert!(told().is_none());
    fs::write(&configuration, "[core]\n\thooksPath = .second\n").unwrap();
    assert!(find(Some(&mark)).is_err());
    assert_eq!(hooks(&engine_with(&root, &[])), [PathBuf::from(".second")]);
}

#[test]
fn what_is_no_lesson_is_not_heard() {
    let before = HEARD.lock().unwrap().len();
    for told in [&b""[..], b"{}", b"nonsense", b"{\"mark\":\"x\"}"] {
        hear(told);
    }
    assert_eq!(HEARD.lock().unwrap().len(), before);
}
