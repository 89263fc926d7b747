//! What an engine finds out once.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn bash_is_the_first_on_the_path_for_as_long_as_it_is_there() {
    let temporary = tempfile::tempdir().unwrap();
    let place = |name: &str| temporary.path().join(name).join("bash");
    let put = |name: &str| {
        fs::create_dir_all(temporary.path().join(name)).unwrap();
        fs::write(place(name), "").unwrap();
        fs::set_permissions(place(name), fs::Permissions::from_mode(0o755)).unwrap();
    };
    let path = format!("{0}/one:{0}/two", temporary.path().display());
    let engine = Engine::builder()
        .places(Places::under(&temporary.path().join("own")))
        .environment(BTreeMap::from([("PATH".to_owned(), path)]))
        .build()
        .unwrap();
    let settings = engine.settings();
    assert!(matches!(settings.bash(), Err(EngineError::NoBash { .. })));
    put("two");
    assert_eq!(settings.bash().unwrap(), place("two"));
    // An agent that can write there does not choose the shell of the next command.
    put("one");
    assert_eq!(settings.bash().unwrap(), place("two"));
    fs::remove_file(place("two")).unwrap();
    assert_eq!(settings.bash().unwrap(), place("one"));
}
