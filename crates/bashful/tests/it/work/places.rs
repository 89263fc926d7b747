//! Where work is done: from a folder deep in a project, the whole project is there.

use std::fs;

use super::untroubled;
use crate::support::{Running, World};

/// A run that starts in this directory of the world.
fn from(world: &World, directory: &str, arguments: &[&str]) -> crate::support::Outcome {
    let mut command = world.run_command(arguments);
    command.current_dir(world.path(directory));
    Running::start(command).end().outcome()
}

#[test]
fn from_a_folder_of_a_repository_all_of_it_is_there() {
    let world = World::new();
    let git = |arguments: &[&str]| {
        let mut command = world.program("git");
        let output = command.args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    fs::create_dir_all(world.workspace().join("src/deep")).unwrap();
    world.write("Makefile", "all:\n\techo made > made\n");
    world.write("src/deep/file", "text\n");
    let text = "pwd; git status --short; cat ../../Makefile | wc -l; make -s -C ../.. && ls ../..";
    let printed = untroubled(from(&world, "workspace/src/deep", &[text]), text);
    let here = world.workspace().join("src/deep");
    let status = "?? ../../Makefile\n?? ../\n";
    let expected = format!("{}\n{status}2\nMakefile\nmade\nsrc\n", here.display());
    assert_eq!(printed, expected);
    // Who wants less says so.
    let narrow = from(
        &world,
        "workspace/src",
        &["--workspace", ".", "ls .. ; pwd"],
    );
    let here = world.workspace().join("src");
    assert!(
        narrow.stdout.ends_with(&format!("{}\n", here.display())),
        "{narrow:?}"
    );
    assert!(!narrow.stdout.contains("Makefile"), "{narrow:?}");
}

#[test]
fn without_a_repository_the_nearest_manifest_counts_and_a_home_never_does() {
    let world = World::new();
    for folder in ["home/project/src", "home/notes"] {
        fs::create_dir_all(world.path(folder)).unwrap();
    }
    fs::create_dir_all(world.path("home/.git")).unwrap();
    for file in ["home/.git/HEAD", "home/Makefile", "home/project/go.mod"] {
        fs::write(world.path(file), "").unwrap();
    }
    for (directory, text, printed) in [
        (
            "home/project/src",
            "touch ../new && ls ..",
            "go.mod\nnew\nsrc\n",
        ),
        ("home/notes", "ls ..", "notes\n"),
    ] {
        let outcome = from(&world, directory, &[text]);
        assert_eq!(outcome.stdout, printed, "{directory}: {outcome:?}");
    }
    let outcome = from(&world, "home", &["true"]);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(!world.path("home/new").exists());
}

#[test]
fn the_settings_of_a_project_hold_in_all_its_folders() {
    let world = World::new();
    fs::create_dir(world.workspace().join("src")).unwrap();
    world.write("Makefile", "");
    world.write(
        ".bashful.toml",
        "[profile.default]\npreset = \"read-only\"\n",
    );
    let outcome = from(&world, "workspace/src", &["touch file"]);
    assert_ne!(outcome.code, 0, "{outcome:?}");
    assert!(!world.workspace().join("src/file").exists());
}
