//! Links that a run made or changed do not lead the host elsewhere.

use std::fs;

use super::super::{listing, output, told};
use super::{SESSION, WAIT, ended, going};
use crate::support::World;

#[test]
fn every_link_of_a_chain_to_a_protected_file_is_frozen() {
    let world = World::unjudged();
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(target, world.workspace().join(name)).unwrap();
    };
    fs::create_dir(world.workspace().join("real")).unwrap();
    world.write("real/file", "host's\n");
    link("real", "directory");
    link("directory/file", ".envrc");
    link("real/file", "link");
    link("link", ".bashrc");
    world.run(&[
        "rm directory; mv directory d; mkdir directory; echo evil > directory/file; rm link; \
         mv link l; echo evil > link; echo evil > real/file; mv real r; mkdir real; \
         echo evil > real/file",
    ]);
    assert_eq!(world.read(".envrc"), "host's\n");
    assert_eq!(world.read(".bashrc"), "host's\n");
}

#[test]
fn a_log_goes_through_no_link_that_a_run_left() {
    let world = World::unjudged();
    let victim = world.path("victim");
    fs::write(&victim, "victim's\n").unwrap();
    let root = victim.parent().unwrap();
    let links = format!(
        "ln -s {} build.log; ln -s {} way; ln -s {}/made new.log",
        victim.display(),
        root.display(),
        root.display()
    );
    output(&world, &[], &links);
    fs::hard_link(&victim, world.workspace().join("second.log")).unwrap();
    for log in [
        "build.log",
        "way/victim",
        "way/made",
        "new.log",
        "second.log",
    ] {
        let outcome = world.run(&["--log", log, "echo evil"]);
        assert_ne!(outcome.code, 0, "{log}: {outcome:?}");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "victim's\n", "{log}");
        assert!(!root.join("made").exists(), "{log}");
    }
    output(&world, &["--log", "plain.log"], "echo fine");
    assert!(world.read("plain.log").contains("fine"));
}

#[test]
fn nothing_is_touched_behind_a_link_on_the_way_to_a_root() {
    let world = World::unjudged();
    fs::create_dir_all(world.workspace().join("a/b")).unwrap();
    let other = world.path("other");
    fs::create_dir_all(other.join("b/.git/hooks")).unwrap();
    fs::write(other.join("b/.envrc"), "victim's\n").unwrap();
    fs::write(other.join("b/.git/config"), "[core]\n\tfsmonitor = true\n").unwrap();
    fs::write(other.join("b/.git/hooks/pre-commit"), "victim's\n").unwrap();
    let before = listing(&other);
    // The keeper looks about once a second.
    let run = going(&world, &["--write", "a/b"], &format!("{WAIT}; sleep 1.5"));
    let swap = format!("mv a moved && ln -s {} a && touch go", other.display());
    output(&world, &SESSION, &swap);
    let (_, result) = ended(run);
    assert_eq!(listing(&other), before, "{result}");
    assert!(!told(&result).contains("fsmonitor"), "{result}");
}
