//! Ways out that an attacker once found, and that stay closed: covers that are torn off, names that
//! are taken beforehand, limits that hold for one run only.

use std::fs;
use std::time::Duration;

use rustix::fs::Access;
use serde_json::{Value, json};

use super::{is_root, kinds, listing, output, printed, text, told};
use crate::support::{Running, World, binary, eventually};

mod git;
mod links;

const SESSION: [&str; 2] = ["--session", "s"];

/// Waits inside for a file that the test makes, though not for ever.
const WAIT: &str = "for n in $(seq 200); do [ -e go ] && break; sleep 0.05; done";

/// A run of the session that goes on, once its command has begun.
fn going(world: &World, flags: &[&str], command: &str) -> Running {
    let begun = world.workspace().join("begun");
    let command = format!("touch begun; {command}");
    let arguments = [&["--json"], &SESSION[..], flags, &[&command]].concat();
    let run = world.start(&arguments);
    assert!(eventually(|| begun.exists()), "{command}");
    fs::remove_file(begun).unwrap();
    run
}

fn ended(run: Running) -> (i32, Value) {
    run.end().outcome().json()
}

/// What was held back under this name, in order.
fn held(world: &World, name: &str) -> Vec<String> {
    let prefix = format!("{name}.held-");
    let mut contents: Vec<String> = fs::read_dir(world.workspace())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_name().to_str().unwrap().starts_with(&prefix))
        .map(|entry| fs::read_to_string(entry.path()).unwrap())
        .filter(|content| !content.is_empty())
        .collect();
    contents.sort();
    contents
}

fn is_there(world: &World, name: &str) -> bool {
    world.workspace().join(name).symlink_metadata().is_ok()
}

/// Lets its owner in again, so that the test's directory can be removed.
fn open_again(world: &World) {
    let mut chmod = world.program("chmod");
    assert!(chmod.args(["-R", "u+rwX", "."]).status().unwrap().success());
}

#[test]
fn names_for_what_is_held_back_cannot_be_taken_beforehand() {
    let world = World::unjudged();
    let text = "gone() { for n in $(seq 100); do [ -e .envrc ] || break; sleep 0.05; done; }
        for content in one two three; do
            echo $content > .envrc; gone; held=$(ls -d .envrc.held-* | head -n 1)
            for n in $(seq 0 120); do : > $held-$n; : > ${held%-*}-$n; done
        done; echo four > .envrc";
    let (code, result) = world.json(&[text]);
    let found = json!([code, is_there(&world, ".envrc"), held(&world, ".envrc")]);
    let expected = json!([0, false, ["four\n", "one\n", "three\n", "two\n"]]);
    assert_eq!(found, expected, "{result}");
}

#[test]
fn a_directory_that_is_closed_to_its_owner_holds_nothing_live() {
    for mode in ["555", "000", "311"] {
        let world = World::unjudged();
        let text = format!("echo evil > .envrc; chmod {mode} .");
        let (code, result) = world.json(&[&text]);
        open_again(&world);
        let found = json!([code, is_there(&world, ".envrc"), held(&world, ".envrc")]);
        assert_eq!(found, json!([0, false, ["evil\n"]]), "{mode}: {result}");
        assert!(told(&result).contains(".envrc"), "{mode}: {result}");
    }
}

#[test]
fn files_made_anew_between_two_runs_are_covered_again() {
    let world = World::unjudged();
    let names = [".envrc", "secret.txt"];
    let flags = ["--session", "s", "--deny", "secret.txt"];
    // A new file often gets the number of the one that went.
    for round in 0..4 {
        for name in names {
            let _ = fs::remove_file(world.workspace().join(name));
        }
        for name in names {
            world.write(name, format!("host's {round}\n"));
        }
        let seen = printed(
            &world,
            &flags,
            "cat .envrc secret.txt; echo evil >> .envrc; echo evil > secret.txt",
        );
        assert_eq!(seen, format!("host's {round}\n"));
        let found = names.map(|name| world.read(name));
        assert_eq!(found, [seen.as_str(), seen.as_str()], "{round}");
    }
}

#[test]
fn a_run_whose_cover_the_host_tears_off_is_ended_and_told() {
    let world = World::unjudged();
    world.write(".envrc", "old\n");
    let run = going(&world, &[], "sleep 20; echo reached");
    let new = world.write("new", "new\n");
    fs::rename(new, world.workspace().join(".envrc")).unwrap();
    let (code, result) = ended(run);
    assert_ne!(code, 0, "{result}");
    assert_eq!(result["stdout"], "", "{result}");
    assert_eq!(kinds(&result), ["protected"], "{result}");
    let place = world.workspace().join(".envrc");
    assert_eq!(result["sandbox_violations"][0]["path"], text(&place));
    // The user's own is not taken for the run's, and the next run has its cover.
    assert_eq!(world.read(".envrc"), "new\n");
    let seen = printed(&world, &SESSION, "cat .envrc; echo evil > .envrc");
    assert_eq!(
        (seen, world.read(".envrc")),
        ("new\n".into(), "new\n".into())
    );
}

#[test]
fn a_cover_that_is_torn_off_while_a_run_starts_is_noticed() {
    let world = World::unjudged();
    let flags = ["--json", "--session", "s", "--deny", "secret.txt"];
    let run = "for n in $(seq 8); do cat secret.txt; echo evil >> .envrc; sleep 0.03; done \
               2> /dev/null; echo reached";
    let replace = |name: &str| {
        let new = world.write("new", "host's\n");
        fs::rename(new, world.workspace().join(name)).unwrap();
    };
    replace(".envrc");
    replace("secret.txt");
    world.run(&[&flags[..], &["true"]].concat());
    for delay in 0..24 {
        let going = world.start(&[&flags[..], &[run]].concat());
        std::thread::sleep(Duration::from_millis(delay / 2));
        replace([".envrc", "secret.txt"][usize::from(delay % 2 == 0)]);
        let (code, result) = ended(going);
        // Either it was ended, and that is told, or it had a cover over the new one.
        if told(&result).contains("replaced outside") {
            assert_ne!(code, 0, "{delay}: {result}");
            replace(".envrc");
        } else {
            assert_eq!(result["stdout"], "reached\n", "{delay}: {result}");
        }
        // What the user made is not taken for the run's.
        assert_eq!(world.read(".envrc"), "host's\n", "{delay}: {result}");
        assert_eq!(held(&world, ".envrc"), [] as [&str; 0], "{delay}: {result}");
    }
}

/// What is hidden from a run is replaced on the host, as `useradd` does it.
#[test]
fn a_run_whose_hidden_file_was_replaced_ends_and_the_file_is_named() {
    let world = World::unjudged();
    let secret = world.write("secret.txt", "old\n");
    let command = "touch started; cat secret.txt; until test -e go; do sleep 0.05; done; echo on";
    let run = ["--json", "--deny", "secret.txt", command];
    let going = world.start(&run);
    assert!(eventually(|| is_there(&world, "started")));
    let new = world.write("new", "another\n");
    fs::rename(&new, &secret).unwrap();
    let (code, result) = ended(going);
    assert_ne!(code, 0, "{result}");
    assert_eq!(result["stdout"], "", "{result}");
    let violation = &result["sandbox_violations"][0];
    assert_eq!(violation["path"], text(&secret), "{result}");
    // Nothing is asked that the run never tried.
    assert_eq!(result["approval"], serde_json::json!(null), "{result}");
}

#[test]
fn what_two_runs_make_in_one_place_is_held_back_twice() {
    let world = World::unjudged();
    let first = going(&world, &[], &format!("echo first > .envrc; {WAIT}"));
    let second = going(&world, &[], &format!("{WAIT}; echo second > .envrc"));
    let away = eventually(|| held(&world, ".envrc") == ["first\n"]);
    assert!(away, "{:?}", listing(&world.workspace()));
    world.write("go", "");
    for (_, result) in [ended(first), ended(second)] {
        assert!(told(&result).contains(".envrc"), "{result}");
    }
    assert!(!is_there(&world, ".envrc"));
    assert_eq!(held(&world, ".envrc"), ["first\n", "second\n"]);
}

#[test]
fn what_root_makes_or_closes_later_is_hidden_from_one_that_stands_for_root() {
    if !is_root() {
        println!("only root mounts an overlay, and only there somebody stands for root");
        return;
    }
    // In mounts of its own: other tests that stand for root look into `/etc`, too.
    let script = "
        mkdir \"$1/lower\" \"$1/upper\" \"$1/work\"
        mount -t overlay -o \"lowerdir=$1/lower,upperdir=$1/upper,workdir=$1/work\" overlay \"$PWD\"
        cd \"$PWD\"; cp -a /etc \"$1/etc\"; mount --bind \"$1/etc\" /etc
        umask 022; echo secret > /etc/closed-later; echo secret > /etc/linked; mkdir /etc/open
        ln \"$1/etc/linked\" \"$1/linked\"
        run() { \"$2\" run --session s --sandbox \"$3\" \"${@:4}\"; }
        for i in 1 2; do run \"$@\" 'cat /etc/closed-later /etc/linked' >&2; done
        umask 077; echo secret > /etc/made-later; mkdir /etc/later; echo secret > /etc/later/file
        chmod 600 /etc/closed-later \"$1/linked\"
        run \"$@\" --json 'cat /etc/made-later /etc/later/file /etc/closed-later /etc/linked; echo tried'";
    for sandbox in ["native", "bubblewrap"] {
        let world = World::unjudged();
        let root = world.path("");
        let mut command = world.program("unshare");
        command.args(["--mount", "bash", "-ec", script, "bash", text(&root)]);
        command.arg(binary()).arg(sandbox);
        let (code, result) = ended(Running::start(command));
        let found = json!([code, result["stdout"], result["enforcement"]["identity"]]);
        assert_eq!(
            found,
            json!([0, "tried\n", "partial"]),
            "{sandbox}: {result}"
        );
    }
}

#[test]
fn shared_memory_that_runs_leave_has_an_end() {
    let world = World::unjudged();
    if rustix::fs::access("/proc/sys/kernel/shmall", Access::WRITE_OK).is_err() {
        println!("who cannot set the limits of shared memory has none of its own");
        return;
    }
    // Not touched, so it counts and takes nothing.
    let leave = |size: u64| {
        format!(
            "python3 -c \"import ctypes
print(ctypes.CDLL(None).shmget(0, ctypes.c_size_t({size} << 20), 0o1600) >= 0)\""
        )
    };
    assert_eq!(output(&world, &SESSION, &leave(2048)), "False\n");
    let left = [400, 400, 400].map(|size| output(&world, &SESSION, &leave(size)));
    assert_eq!(left, ["True\n", "True\n", "False\n"]);
}
