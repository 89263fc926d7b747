//! `--command`: only the named programs run, and the shell's built-ins stay.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::{output, printed};
use crate::support::World;

#[test]
fn listed_programs_run_and_others_do_not() {
    let world = World::unjudged();
    world.write("file", "content\n");
    let flags = ["--command", "ls", "--command", "cat"];
    assert_eq!(output(&world, &flags, "ls; cat file"), "file\ncontent\n");
    for text in [
        "id",
        "/usr/bin/id",
        "python3 -c 1",
        "sh -c true",
        "env cat file",
        "/bin/rm file",
    ] {
        let outcome = world.run(&[&flags[..], &[text]].concat());
        let failed = outcome.code == 126 || outcome.code == 127;
        assert!(failed, "{text}: {outcome:?}");
        assert_eq!(outcome.stdout, "", "{text}");
    }
    assert_eq!(world.read("file"), "content\n");
}

#[test]
fn built_ins_stay() {
    let world = World::unjudged();
    let text = "cd /tmp && pwd && [ 1 -lt 2 ] && printf '%s\\n' text > f && read -r line < f && \
                echo $line && for n in 1 2; do :; done && test -e f && type -t ls; (echo sub); \
                echo piped | { read -r it; echo $it; }";
    assert_eq!(
        output(&world, &["--command", ""], text),
        "/tmp\ntext\nsub\npiped\n"
    );
    let outcome = world.run(&["--command", "", "ls"]);
    assert!([126, 127].contains(&outcome.code), "{outcome:?}");
}

#[test]
fn ways_round_the_list_are_closed() {
    let world = World::unjudged();
    let copy = world.workspace().join("copy");
    fs::copy("/usr/bin/id", &copy).unwrap();
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
    let script = world.write("script", "#!/bin/bash\necho ran\n");
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
    let attempts = [
        "./copy",
        "exec ./copy",
        "./script",
        "/lib64/ld-linux-x86-64.so.2 ./copy",
        "/lib64/ld-linux-x86-64.so.2 /usr/bin/id",
        "/proc/self/root/usr/bin/id",
        "cat copy > /tmp/copy; chmod 755 /tmp/copy; /tmp/copy",
        "cat ./copy > /dev/shm/copy; chmod 755 /dev/shm/copy; /dev/shm/copy",
        "/usr/lib/git-core/git --version",
    ];
    for text in attempts {
        let flags = ["--command", "cat", "--command", "chmod"];
        let seen = printed(&world, &flags, text);
        assert_eq!(seen, "", "{text}");
    }
    // The copy is a program all the same.
    assert_ne!(output(&world, &[], "./copy"), "");
}

#[test]
fn a_list_holds_for_paths_and_without_a_shell() {
    // One world for all of it: the first list of a world is slow, the next are remembered.
    let world = World::unjudged();
    let flags = ["--command", "/usr/bin/sort"];
    assert_eq!(output(&world, &flags, "printf 'b\\na\\n' | sort"), "a\nb\n");
    let allowed = world.run(&["--command", "echo", "--", "echo", "hi"]);
    assert_eq!(
        (allowed.code, allowed.stdout.as_str()),
        (0, "hi\n"),
        "{allowed:?}"
    );
    let other = world.run(&["--command", "echo", "--", "id"]);
    assert_ne!(other.code, 0, "{other:?}");
    assert_eq!(other.stdout, "");
    let (code, result) = world.json(&["--command", "ls", "ls"]);
    let found = json!([code, result["enforcement"]["commands"]]);
    assert_eq!(found, json!([0, "full"]));
}

#[test]
fn programs_with_helpers_and_libraries_work() {
    let world = World::unjudged();
    let flags = [
        "--command",
        "git",
        "--command",
        "python3",
        "--command",
        "tr",
    ];
    let text = "git init -q repository && git -C repository status -s -b | tr '#' '=' && \
                python3 -c 'import json, ssl, sqlite3; print(json.dumps([1]))'";
    let seen = output(&world, &flags, text);
    assert!(seen.starts_with("== No commits yet"), "{seen}");
    assert!(seen.ends_with("[1]\n"), "{seen}");
}

#[test]
fn runs_of_one_session_may_differ() {
    let world = World::unjudged();
    let session = ["--session", "s"];
    let listed = ["--session", "s", "--command", "ls"];
    assert_eq!(
        output(&world, &session, "echo x > /tmp/shared; cat /tmp/shared"),
        "x\n"
    );
    assert_eq!(output(&world, &listed, "ls /tmp/shared"), "/tmp/shared\n");
    assert_ne!(
        world
            .run(&[&listed[..], &["cat /tmp/shared"]].concat())
            .code,
        0
    );
    assert_eq!(output(&world, &session, "cat /tmp/shared"), "x\n");
}
