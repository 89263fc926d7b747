//! Walks over trees that real ones and hostile ones look like.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

/// The shortest file that is a program: nothing but the start of a header.
pub(in super::super) const PROGRAM: &[u8] = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0";

fn programs(root: &Path) -> Vec<PathBuf> {
    scan(root, Limits::default()).unwrap()
}

fn fifo(path: &Path) {
    let mode = Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, path, FileType::Fifo, mode, 0).unwrap();
}

#[test]
fn programs_are_found_whatever_they_are_called_and_nothing_else_is() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let hostile = root.join(OsStr::from_bytes(b"new\nline\xff\x1b[31m"));
    fs::create_dir_all(hostile.join("sub")).unwrap();
    fs::write(hostile.join("sub/prog"), PROGRAM).unwrap();
    fs::write(hostile.join(OsStr::from_bytes(b"\n\xfe")), PROGRAM).unwrap();
    fs::write(root.join("not-executable"), PROGRAM).unwrap();
    fs::set_permissions(
        root.join("not-executable"),
        fs::Permissions::from_mode(0o400),
    )
    .unwrap();
    fs::hard_link(root.join("not-executable"), root.join("other-name")).unwrap();
    fs::write(root.join("script"), "#!/bin/sh\n").unwrap();
    fs::write(root.join("text"), "\x7fEL").unwrap();
    fs::write(root.join("empty"), "").unwrap();
    fifo(&root.join("fifo"));
    symlink("not-executable", root.join("link")).unwrap();
    symlink("..", hostile.join("up")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    symlink("/", root.join("everything")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();

    let mut expected = vec![
        hostile.join("sub/prog"),
        hostile.join(OsStr::from_bytes(b"\n\xfe")),
        root.join("not-executable"),
        root.join("other-name"),
    ];
    expected.sort();
    assert_eq!(programs(root), expected);
}

#[test]
fn what_we_may_not_read_is_left_out() {
    let root = tempfile::tempdir().unwrap();
    let closed = root.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::write(closed.join("inside"), PROGRAM).unwrap();
    fs::write(root.path().join("secret"), PROGRAM).unwrap();
    fs::write(root.path().join("open"), PROGRAM).unwrap();
    for path in [&closed, &root.path().join("secret")] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
    }
    let found = programs(root.path());
    // Root reads everything, so for root everything is a program.
    let may_read_all = fs::read_dir(&closed).is_ok();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    let expected = if may_read_all {
        vec![
            closed.join("inside"),
            root.path().join("open"),
            root.path().join("secret"),
        ]
    } else {
        vec![root.path().join("open")]
    };
    assert_eq!(found, expected);
}

#[test]
fn two_hundred_levels_are_walked_and_three_hundred_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let mut deep = root.path().to_owned();
    deep.extend(std::iter::repeat_n("d", 200));
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("prog"), PROGRAM).unwrap();
    assert_eq!(programs(root.path()), [deep.join("prog")]);
    deep.extend(std::iter::repeat_n("d", 100));
    fs::create_dir_all(&deep).unwrap();
    let result = scan(root.path(), Limits::default());
    assert!(
        matches!(result, Err(ScanError::TooDeep { .. })),
        "{result:?}"
    );
}

#[test]
fn more_entries_than_allowed_are_an_error_not_a_short_list() {
    let root = tempfile::tempdir().unwrap();
    for number in 0..11 {
        fs::write(root.path().join(number.to_string()), PROGRAM).unwrap();
    }
    let limits = |entries| Limits { entries, depth: 1 };
    let result = scan(root.path(), limits(10));
    assert!(
        matches!(result, Err(ScanError::TooMany { entries: 10, .. })),
        "{result:?}"
    );
    assert_eq!(scan(root.path(), limits(11)).unwrap().len(), 11);
}

#[test]
fn only_an_absolute_path_of_a_real_directory_is_a_root() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    symlink("/usr", root.join("link")).unwrap();
    fs::write(root.join("file"), PROGRAM).unwrap();
    fifo(&root.join("fifo"));
    for name in ["link", "file", "fifo"] {
        let result = scan(&root.join(name), Limits::default());
        assert!(
            matches!(result, Err(ScanError::NotADirectory { .. })),
            "{name}: {result:?}"
        );
    }
    assert_eq!(programs(&root.join("absent")), Vec::<PathBuf>::new());
    let result = scan(Path::new("usr"), Limits::default());
    assert!(
        matches!(result, Err(ScanError::NotAbsolute { .. })),
        "{result:?}"
    );
}

#[test]
fn every_directory_of_a_wide_tree_is_noted() {
    let root = tempfile::tempdir().unwrap();
    for outer in 0..30 {
        for inner in 0..30 {
            fs::create_dir_all(root.path().join(format!("{outer}/{inner}/x"))).unwrap();
        }
    }
    let found = walk(root.path(), Limits::default()).unwrap();
    assert_eq!(found.directories.len(), 1 + 30 + 2 * 900);
    assert_eq!(found.programs, Vec::<PathBuf>::new());
}
