//! Tests of which files are believed.

use std::os::unix::fs::{chown, symlink};
use std::path::Path;
use std::{fs, time};

use rustix::fs::{CWD, Mode, mkfifoat};

use super::tests::{Bench, chain, mode};
use super::{AdminOwner, Config, ConfigError, Layer, SourceRead};

/// The message of a load that must fail, without the directory.
fn refused(bench: &Bench) -> String {
    let error = bench.load().unwrap_err();
    let directory = bench.path("x");
    let directory = directory.to_str().unwrap().trim_end_matches('x');
    chain(&error).replace(directory, "")
}

#[test]
fn files_that_others_can_write_are_refused() {
    for name in ["admin.toml", "user.toml"] {
        for bits in [0o620, 0o602, 0o666, 0o777] {
            let bench = Bench::new();
            mode(&bench.write(name, "require_description = true"), bits);
            let expected = format!(
                "configuration file `{name}` can be written by others (mode `{bits:04o}`): \
                 run `chmod go-w {name}`"
            );
            assert_eq!(refused(&bench), expected);
        }
        for bits in [0o600, 0o644, 0o400, 0o755] {
            let bench = Bench::new();
            mode(&bench.write(name, "require_description = true"), bits);
            assert!(bench.load().unwrap().config.require_description);
        }
    }
    // The modes of a project file are the repository's business.
    let bench = Bench::new();
    mode(
        &bench.write("project.toml", "require_description = true"),
        0o666,
    );
    assert!(bench.load().unwrap().config.require_description);
}

#[test]
fn an_admin_file_belongs_to_root() {
    let bench = Bench::new();
    let path = bench.write("admin.toml", "");
    let this_user = rustix::process::geteuid().as_raw();
    if this_user == 0 {
        chown(&path, Some(12345), None).unwrap();
    }
    let mut sources = bench.sources();
    sources.admin_owner = AdminOwner::Root;
    let error = Config::load(&sources).unwrap_err();
    let wrong = matches!(error, ConfigError::WrongOwner { owner, expected: 0, .. } if owner != 0);
    assert!(wrong, "{error}");
}

#[test]
fn what_is_no_regular_file_is_refused_without_waiting() {
    for name in ["admin.toml", "user.toml", "project.toml"] {
        let bench = Bench::new();
        mkfifoat(CWD, bench.path(name), Mode::from_raw_mode(0o600)).unwrap();
        let start = time::Instant::now();
        let expected = format!("configuration file `{name}` is a named pipe, not a regular file");
        assert_eq!(refused(&bench), expected);
        assert!(start.elapsed() < time::Duration::from_secs(5));

        let bench = Bench::new();
        fs::create_dir(bench.path(name)).unwrap();
        let expected = format!("configuration file `{name}` is a directory, not a regular file");
        assert_eq!(refused(&bench), expected);

        let bench = Bench::new();
        let _listener = std::os::unix::net::UnixListener::bind(bench.path(name)).unwrap();
        let expected = format!("configuration file `{name}` is a socket, not a regular file");
        assert_eq!(refused(&bench), expected);
    }
    let bench = Bench::new();
    symlink("/dev/zero", bench.path("user.toml")).unwrap();
    assert_eq!(
        refused(&bench),
        "configuration file `user.toml` is a device, not a regular file"
    );
}

#[test]
fn links_lead_to_a_user_file_but_not_to_a_project_file() {
    let bench = Bench::new();
    bench.write("elsewhere.toml", "require_description = true");
    symlink("elsewhere.toml", bench.path("user.toml")).unwrap();
    assert!(bench.load().unwrap().config.require_description);

    // What a link leads to is what must be safe.
    mode(&bench.path("elsewhere.toml"), 0o666);
    assert!(matches!(
        bench.load(),
        Err(ConfigError::WritableByOthers { mode: 0o666, .. })
    ));

    // Nor may everybody put another file there.
    mode(&bench.path("elsewhere.toml"), 0o600);
    mode(bench.path("user.toml").parent().unwrap(), 0o777);
    assert!(matches!(
        bench.load(),
        Err(ConfigError::OpenDirectory { mode: 0o777, .. })
    ));

    for target in ["elsewhere.toml", "/dev/zero", "missing", "project.toml"] {
        let bench = Bench::new();
        bench.write("elsewhere.toml", "require_description = true");
        symlink(target, bench.path("project.toml")).unwrap();
        let expected = "configuration file `project.toml` is a symbolic link, not a regular file";
        assert_eq!(refused(&bench), expected);
    }
}

#[test]
fn unreadable_content_is_refused() {
    let cases: &[(&[u8], &str)] = &[
        (
            b"# one\nagent = \"\xff\"",
            "configuration file `NAME` is not valid UTF-8 in line 2",
        ),
        (
            &vec![b'\n'; 1024 * 1024 + 1],
            "configuration file `NAME` has more than 1048576 bytes",
        ),
    ];
    for name in ["admin.toml", "user.toml", "project.toml"] {
        for (content, expected) in cases {
            let bench = Bench::new();
            bench.write(name, content);
            assert_eq!(refused(&bench), expected.replace("NAME", name));
        }
    }
    let bench = Bench::new();
    bench.write("project.toml", vec![b'\n'; 1024 * 1024]);
    assert_eq!(bench.load().unwrap().config, Config::default());
    // A sparse file must not be read in full before it is refused.
    let bench = Bench::new();
    let file = fs::File::create(bench.path("project.toml")).unwrap();
    file.set_len(1 << 40).unwrap();
    assert!(matches!(bench.load(), Err(ConfigError::TooLarge { .. })));
}

#[test]
fn a_file_that_cannot_be_opened_is_named() {
    let bench = Bench::new();
    symlink("user.toml", bench.path("user.toml")).unwrap();
    assert!(refused(&bench).starts_with("cannot open configuration file `user.toml`: "));

    let mut sources = bench.sources();
    let long = bench.path(&"x".repeat(300));
    sources.user = Some(long.clone());
    let error = Config::load(&sources).unwrap_err();
    assert!(matches!(error, ConfigError::Open { path, .. } if path == long));
}

#[test]
fn missing_files_and_directories_are_fine() {
    let bench = Bench::new();
    let file = bench.write("file", "");
    let mut sources = bench.sources();
    sources.admin = bench.path("no/such/directory/config.toml");
    sources.user = Some(file.join("config.toml"));
    sources.project = None;
    assert_eq!(Config::load(&sources).unwrap().config, Config::default());
}

#[test]
fn what_was_read_is_listed() {
    let bench = Bench::new();
    let read = |layer, path: &Path| SourceRead {
        layer,
        path: path.to_owned(),
    };
    let admin = bench.write("admin.toml", "");
    let project = bench.write("project.toml", "");
    let expected = [read(Layer::Admin, &admin), read(Layer::Project, &project)];
    assert_eq!(bench.load().unwrap().sources_read, expected);
}
