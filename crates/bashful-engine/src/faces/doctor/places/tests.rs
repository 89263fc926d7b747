//! What is said about directories.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;

use super::*;

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// The state of each place, and whether the finding says how to mend it.
fn states(places: &Places) -> Vec<(&'static str, State, bool)> {
    let short = |finding: &Finding| (finding.name, finding.state, !finding.mend.is_empty());
    look(places).iter().map(short).collect()
}

#[test]
fn what_is_not_there_yet_is_fine_where_it_can_be_made() {
    let root = tempfile::tempdir().unwrap();
    let fine = |name| (name, State::Ok, false);
    let expected = ["state", "runtime", "cache", "keepers"].map(fine);
    assert_eq!(states(&Places::under(root.path())), expected);
    let nowhere = Places::under(Path::new("/dev/null/nowhere"));
    let failed = states(&nowhere).into_iter().take(3);
    assert!(
        failed
            .clone()
            .all(|(_, state, mend)| state == State::Failed || !mend)
    );
    assert!(
        failed
            .map(|(_, state, _)| state)
            .all(|state| state == State::Failed)
    );
}

#[test]
fn what_others_can_enter_is_told() {
    let root = tempfile::tempdir().unwrap();
    let places = Places::under(root.path());
    for path in [&places.state, &places.runtime, &places.cache] {
        fs::create_dir(path).unwrap();
        mode(path, 0o755);
    }
    let told = |state| {
        states(&places)
            .into_iter()
            .map(move |row| (row.1, state))
            .next()
    };
    assert_eq!(told(State::Weak), Some((State::Weak, State::Weak)));
    assert_eq!(states(&places)[1], ("runtime", State::Failed, true));
    mode(&places.state, 0o770);
    assert_eq!(states(&places)[0], ("state", State::Failed, true));
    mode(&places.state, 0o700);
    assert_eq!(states(&places)[0], ("state", State::Ok, false));
}

#[test]
fn a_file_is_no_directory() {
    let root = tempfile::tempdir().unwrap();
    let places = Places::under(root.path());
    fs::write(&places.state, "").unwrap();
    assert_eq!(states(&places)[0], ("state", State::Failed, true));
}

#[test]
fn sockets_of_the_dead_are_counted() {
    let root = tempfile::tempdir().unwrap();
    let places = Places::under(root.path());
    fs::create_dir(&places.runtime).unwrap();
    mode(&places.runtime, 0o700);
    let living = UnixListener::bind(places.runtime.join("living.sock")).unwrap();
    assert_eq!(states(&places)[3], ("keepers", State::Ok, false));
    drop(UnixListener::bind(places.runtime.join("dead.sock")).unwrap());
    assert_eq!(states(&places)[3], ("keepers", State::Weak, true));
    drop(living);
}
