//! Bounds are used again only while they would be found the same.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use proptest::prelude::*;

use super::Fingerprint;
use super::tests_support::World;

/// What bounds of a plain run depend on, and names that they do not depend on.
const NAMES: [&str; 14] = [
    "home/.gitconfig",
    "home/.config/git/config",
    "home/more",
    "home/.config",
    "home/.config/bashful",
    "home/project/.git",
    "home/project/sub",
    "home/.git/config",
    "home/elsewhere/config.worktree",
    "home/.cache/bashful/sandbox",
    "home/.cache/bashful",
    "home/.local/state/bashful",
    "run/bashful",
    "home",
];

const TEXTS: [&str; 4] = [
    "[core]\n\thooksPath = .hooks\n",
    "[include]\n\tpath = ~/more\n",
    "[include]\n\tpath = ../more\n[core]\n\thooksPath = sub/hooks\n",
    "gitdir: ../elsewhere\n",
];

#[derive(Debug, Clone)]
enum Change {
    Write(&'static str),
    Directory,
    Link(&'static str),
    Remove,
    MoveAway,
    MoveBack,
}

fn change() -> impl Strategy<Value = (&'static str, Change)> {
    let targets = vec!["project", "project/sub", "..", "/nowhere/at/all", "moved"];
    let change = prop_oneof![
        3 => prop::sample::select(TEXTS.to_vec()).prop_map(Change::Write),
        1 => Just(Change::Directory),
        2 => prop::sample::select(targets).prop_map(Change::Link),
        1 => Just(Change::Remove),
        1 => Just(Change::MoveAway),
        1 => Just(Change::MoveBack),
    ];
    (prop::sample::select(NAMES.to_vec()), change)
}

/// Makes a change, if that can be done. `number` makes every text and target another length, for
/// two changes can fall into one tick of the clock.
fn apply(world: &World, name: &str, change: &Change, number: usize) {
    let path = world.base.join(name);
    let away = world.base.join("moved").join(name.replace('/', "-"));
    let remove = || {
        let _ = fs::remove_file(&path);
        let _ = fs::remove_dir(&path);
    };
    match change {
        Change::Write(text) => {
            let _ = fs::write(&path, format!("{text}{}\n", "#".repeat(number)));
        }
        Change::Directory => {
            remove();
            let _ = fs::create_dir_all(&path);
        }
        Change::Link(target) => {
            remove();
            let _ = symlink(format!("{}{target}", "./".repeat(number)), &path);
        }
        Change::Remove => remove(),
        Change::MoveAway => {
            let _ = fs::rename(&path, &away);
        }
        Change::MoveBack => {
            let _ = fs::rename(&away, &path);
        }
    }
}

fn world() -> World {
    let world = World::new();
    for name in ["moved", "home/.git", "home/elsewhere", "home/.config/git"] {
        world.directory(name);
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// While a fingerprint says that nothing changed, the same bounds are found.
    #[test]
    fn what_stands_is_found_the_same(
        before in prop::collection::vec(change(), 0..6),
        after in prop::collection::vec(change(), 1..3),
    ) {
        let world = world();
        for (number, (name, change)) in before.iter().enumerate() {
            apply(&world, name, change, number);
        }
        let Ok(names) = world.confine("{}") else {
            return Ok(());
        };
        let Some(names) = names.looked_at else {
            return Ok(());
        };
        let fingerprint = Fingerprint::of(names.clone());
        // What a fingerprint is for, if it is asked about the same names.
        let Ok(found) = world.confine("{}") else {
            return Ok(());
        };
        prop_assert_eq!(Some(&names), found.looked_at.as_ref());
        for (number, (name, change)) in after.iter().enumerate() {
            apply(&world, name, change, 10 + number);
        }
        if fingerprint.files_stand() && fingerprint.places_stand() {
            match world.confine("{}") {
                Ok(anew) => prop_assert_eq!(anew, found),
                Err(error) => prop_assert!(false, "{error}"),
            }
        }
    }
}

#[test]
fn what_people_change_shows_at_once_and_the_rest_is_seen_too() {
    let world = world();
    let text = "[include]\n\tpath = ~/more\n";
    fs::write(world.home.join(".gitconfig"), text).unwrap();
    fs::write(world.home.join("more"), "[core]\n").unwrap();
    symlink("home/.cache", world.base.join("link")).unwrap();
    let stand = |changed: &dyn Fn()| {
        let names = world.confine("{}").unwrap().looked_at.unwrap();
        let fingerprint = Fingerprint::of(names.clone());
        let before = fingerprint.files_stand() && fingerprint.places_stand();
        assert!(before, "{fingerprint:?}");
        changed();
        (fingerprint.files_stand(), fingerprint.places_stand())
    };
    let at = |name: &str| -> PathBuf { world.base.join(name) };
    let nothing = stand(&|| fs::write(at("home/project/file"), "x").unwrap());
    assert_eq!(nothing, (true, true));
    let at_once: [(&str, &dyn Fn()); 5] = [
        ("a configuration", &|| {
            fs::write(at("home/.gitconfig"), format!("{text}\n")).unwrap();
        }),
        ("what it includes", &|| {
            fs::write(at("home/more"), "[core]hooksPath = x\n").unwrap();
        }),
        ("another configuration", &|| {
            fs::write(at("home/.config/git/config"), "[core]\n").unwrap();
        }),
        ("a link instead", &|| {
            fs::rename(at("home/.gitconfig"), at("home/moved")).unwrap();
            symlink("more", at("home/.gitconfig")).unwrap();
        }),
        ("a worktree", &|| {
            fs::write(at("home/project/.git"), "gitdir: x\n").unwrap();
        }),
    ];
    for (what, changed) in at_once {
        assert!(!stand(changed).0, "{what}");
    }
    let in_a_while: [(&str, &dyn Fn()); 3] = [
        ("a repository around it", &|| {
            fs::write(at("home/.git/config"), "[core]hooksPath = x\n").unwrap();
        }),
        ("its own configuration", &|| {
            fs::create_dir(at("home/.config/bashful")).unwrap();
        }),
        ("a directory that leads elsewhere", &|| {
            fs::rename(at("home/.cache"), at("moved/cache")).unwrap();
            symlink("../moved/cache", at("home/.cache")).unwrap();
        }),
    ];
    for (what, changed) in in_a_while {
        assert!(!stand(changed).1, "{what}");
    }
}

#[test]
fn a_change_among_the_programs_on_path_is_seen() {
    let mut world = world();
    world.path = format!("{}:/usr/bin", world.base.join("home/.local/bin").display());
    world.program("home/.local/bin/mine");
    let venv = world.file("home/.local/pipx/venvs/x/pyvenv.cfg");
    let tool = world.program("home/.local/pipx/venvs/x/bin/x");
    world.program("other/bin/other");
    let changes: [(&str, &dyn Fn()); 6] = [
        ("a program", &|| drop(world.program("home/.local/bin/new"))),
        ("a link", &|| world.link(&tool, "home/.local/bin/x")),
        ("an interpreter", &|| {
            fs::write(&venv, "home = /other\n").unwrap();
        }),
        ("a toolchain", &|| drop(world.directory("home/.pyenv"))),
        ("a secret of one", &|| {
            drop(world.file("home/.pyenv/.npmrc"));
        }),
        ("a directory in the place of another", &|| {
            fs::rename(
                world.base.join("home/.local/bin"),
                world.base.join("moved/bin"),
            )
            .unwrap();
            world.link(world.base.join("other/bin"), "home/.local/bin");
        }),
    ];
    for (what, change) in changes {
        let names = world.confine("{}").unwrap().looked_at.unwrap();
        let fingerprint = Fingerprint::of(names);
        assert!(
            fingerprint.files_stand() && fingerprint.places_stand(),
            "{what}"
        );
        // Longer than a tick of the clock that stamps directories.
        std::thread::sleep(std::time::Duration::from_millis(20));
        change();
        assert!(!fingerprint.places_stand(), "{what}");
    }
}

#[test]
fn what_was_searched_for_secrets_is_not_vouched_for() {
    let mut world = world();
    world.workspace = world.home.clone();
    assert_eq!(world.confine("{}").unwrap().looked_at, None);
    let world = self::world();
    let elsewhere = world.directory("other");
    let wider = format!(r#"{{"paths_read": [".", {elsewhere:?}]}}"#);
    assert_eq!(world.confine(&wider).unwrap().looked_at, None);
}
