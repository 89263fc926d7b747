//! `--read` and `--write`: files, directories, patterns, links and `~`.

use std::fs;
use std::os::unix::fs::symlink;

use super::{output, printed, text};
use crate::support::World;

/// A world with a directory beside the workspace.
pub(super) fn world() -> World {
    let world = World::unjudged();
    let outside = world.path("outside");
    fs::create_dir_all(outside.join("deep")).unwrap();
    fs::write(outside.join("one.txt"), "one\n").unwrap();
    fs::write(outside.join("two.txt"), "two\n").unwrap();
    fs::write(outside.join("deep/three.md"), "three\n").unwrap();
    symlink(outside.join("one.txt"), world.path("link")).unwrap();
    symlink(&outside, world.path("door")).unwrap();
    world
}

#[test]
fn what_is_not_declared_is_not_there() {
    let world = world();
    let outside = world.path("outside");
    let look = format!(
        "ls {0} {1} /root /var/log; cat {0}/one.txt {1} /etc/shadow; test -e {0} && echo there",
        outside.display(),
        world.path("link").display()
    );
    assert_eq!(printed(&world, &[], &look), "");
    let write = format!(
        "echo x > {}/new; echo x > /etc/new; mkdir /new",
        outside.display()
    );
    printed(&world, &[], &write);
    assert!(!outside.join("new").exists());
}

#[test]
fn a_file_to_read() {
    let world = world();
    let file = world.path("outside/one.txt");
    let (file, look) = (
        text(&file),
        format!(
            "cat {0}; ls -A {0}/..",
            world.path("outside/one.txt").display()
        ),
    );
    let seen = printed(&world, &["--read", file], &look);
    assert_eq!(seen, "one\n");
    let seen = output(&world, &["--read", file], "ls ../outside");
    assert_eq!(seen, "one.txt\n");
    let change = format!("echo x > {file}; rm -f {file}; mv {file} here; chmod 777 {file}");
    printed(&world, &["--read", file], &change);
    assert_eq!(fs::read_to_string(file).unwrap(), "one\n");
}

#[test]
fn a_directory_to_read() {
    let world = world();
    let outside = world.path("outside");
    let flags = ["--read", text(&outside)];
    let seen = output(
        &world,
        &flags,
        "cd ../outside && cat one.txt two.txt deep/three.md",
    );
    assert_eq!(seen, "one\ntwo\nthree\n");
    let before = super::listing(&outside);
    printed(
        &world,
        &flags,
        "cd ../outside; echo x > new; echo x >> one.txt; rm -rf deep; mv two.txt t; ln one.txt l",
    );
    assert_eq!(super::listing(&outside), before);
}

#[test]
fn a_relative_path_begins_in_the_workspace() {
    let world = world();
    let seen = output(
        &world,
        &["--read", "../outside/deep"],
        "cat ../outside/deep/three.md",
    );
    assert_eq!(seen, "three\n");
}

#[test]
fn a_pattern_means_what_matches() {
    let world = world();
    let pattern = format!("{}/*.txt", world.path("outside").display());
    let seen = output(
        &world,
        &["--read", &pattern],
        "cd ../outside && ls && cat *",
    );
    assert_eq!(seen, "one.txt\ntwo.txt\none\ntwo\n");
}

#[test]
fn a_link_means_what_it_leads_to() {
    let world = world();
    let (link, door) = (world.path("link"), world.path("door"));
    let seen = output(&world, &["--read", text(&link)], "cat ../outside/one.txt");
    assert_eq!(seen, "one\n");
    let look = "cat ../outside/two.txt; ls ../outside";
    let seen = output(&world, &["--read", text(&door)], look);
    assert_eq!(seen, "two\ndeep\none.txt\ntwo.txt\n");
    // Nothing else comes with it.
    let seen = printed(&world, &["--read", text(&link)], "cat ../outside/two.txt");
    assert_eq!(seen, "");
}

#[test]
fn a_tilde_is_the_real_home() {
    let world = world();
    fs::create_dir(world.path("home/notes")).unwrap();
    fs::write(world.path("home/notes/a"), "note\n").unwrap();
    let look = format!("cat {}", world.path("home/notes/a").display());
    assert_eq!(output(&world, &["--read", "~/notes"], &look), "note\n");
    assert_eq!(output(&world, &["--read", "~/notes/*"], &look), "note\n");
    let denied = ["--read", "~/notes", "--deny", "~/notes/a"];
    assert_eq!(printed(&world, &denied, &look), "");
    let write = format!("echo more >> {}", world.path("home/notes/a").display());
    output(&world, &["--write", "~/notes"], &write);
    assert_eq!(
        fs::read_to_string(world.path("home/notes/a")).unwrap(),
        "note\nmore\n"
    );
}

#[test]
fn a_directory_to_write() {
    let world = world();
    let outside = world.path("outside");
    let flags = ["--write", text(&outside)];
    output(
        &world,
        &flags,
        "cd ../outside && echo new > new && rm one.txt && mv two.txt deep/ && mkdir made",
    );
    let names: Vec<String> = super::listing(&outside)
        .iter()
        .filter_map(|line| line.strip_prefix(text(&outside)))
        .filter_map(|line| line.split(' ').next())
        .map(str::to_owned)
        .collect();
    assert_eq!(
        names,
        ["/deep", "/deep/three.md", "/deep/two.txt", "/made", "/new"]
    );
}

#[test]
fn a_file_to_write() {
    let world = world();
    let file = world.path("outside/one.txt");
    let flags = ["--write", text(&file)];
    output(&world, &flags, "echo changed > ../outside/one.txt");
    printed(
        &world,
        &flags,
        "echo x > ../outside/two.txt; echo x > ../outside/new",
    );
    assert_eq!(
        [
            fs::read_to_string(&file).unwrap(),
            fs::read_to_string(world.path("outside/two.txt")).unwrap(),
            world.path("outside/new").exists().to_string(),
        ],
        ["changed\n", "two\n", "false"]
    );
}

#[test]
fn declared_paths_show_below_the_rooms_tmp() {
    // The whole world of a test lies in a temporary directory, and the room has its own.
    let world = world();
    let outside = world.path("outside");
    let look = format!("cat {}/one.txt; ls /tmp | wc -l", outside.display());
    let seen = output(&world, &["--read", text(&outside)], &look);
    assert!(seen == "one\n1\n" || seen == "one\n0\n", "{seen}");
}

#[test]
fn names_that_are_hard_to_spell_work() {
    let world = World::unjudged();
    for name in [
        "with space",
        "quote'd",
        "dollar$HOME",
        "-dash",
        "é",
        "star*",
        "back\\slash",
    ] {
        let directory = world.path("odd").join(name);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("file"), "odd\n").unwrap();
    }
    // A pattern character in a name of its own is a pattern, and matches the name too.
    for name in [
        "with space",
        "quote'd",
        "dollar$HOME",
        "-dash",
        "é",
        "star*",
    ] {
        let flag = format!("--read={}", world.path("odd").join(name).display());
        let seen = output(&world, &[&flag], "cat ../odd/*/file");
        assert_eq!(seen, "odd\n", "{name}");
    }
}

#[test]
fn roots_may_lie_in_each_other() {
    let world = world();
    let outside = world.path("outside");
    let deep = outside.join("deep");
    let flags = ["--read", text(&outside), "--write", text(&deep)];
    output(
        &world,
        &flags,
        "echo x > ../outside/deep/new; cat ../outside/one.txt",
    );
    printed(&world, &flags, "echo x > ../outside/new");
    assert!(deep.join("new").exists() && !outside.join("new").exists());
    // The order of flags does not matter.
    let flags = ["--write", text(&deep), "--read", text(&outside)];
    output(&world, &flags, "echo y > ../outside/deep/newer");
    printed(&world, &flags, "echo y > ../outside/newer");
    assert!(deep.join("newer").exists() && !outside.join("newer").exists());
}
