//! When what runs leave is looked for: quickly, also after a keeper was killed, and never what
//! is the person's.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::{is_root, kinds};
use crate::support::{Running, World, binary, eventually, is_alive};

const EVIL: &str = "git init -q a/b/c/d && git -C a/b/c/d config core.fsmonitor ./evil && \
                    echo evil > a/b/c/d/.git/hooks/pre-commit && echo evil > .envrc";

/// What of that would execute.
fn left(world: &World) -> [bool; 3] {
    let workspace = world.workspace();
    let repository = workspace.join("a/b/c/d/.git");
    let config = fs::read_to_string(repository.join("config")).unwrap_or_default();
    [
        config.contains("evil"),
        repository.join("hooks/pre-commit").exists(),
        workspace.join(".envrc").exists(),
    ]
}

#[test]
fn after_a_killed_keeper_the_next_run_holds_back_first() {
    for flags in [&[][..], &["--sandbox", "bubblewrap"]] {
        next_after_a_killed_keeper(flags);
    }
}

fn next_after_a_killed_keeper(flags: &[&str]) {
    let world = World::unjudged();
    fs::create_dir(world.workspace().join("mine")).unwrap();
    world.write("mine/.envrc", "mine\n");
    let text = format!("{EVIL}; touch made; sleep 60");
    let task = world.background(&[flags, &["--session", "s", &text]].concat());
    let made = world.workspace().join("made");
    assert!(eventually(|| made.exists()), "{task}");
    let [(keeper, started)] = world.living_keepers()[..] else {
        panic!("one keeper: {:?}", world.living_keepers())
    };
    kill_process(Pid::from_raw(keeper).unwrap(), Signal::KILL).unwrap();
    assert!(eventually(|| !is_alive(keeper, started)));
    // The control: no keeper looked after it.
    assert_eq!(left(&world)[..2], [true, true]);
    let (code, result) = world.json(&[flags, &["cat mine/.envrc"]].concat());
    assert_eq!((code, left(&world)), (0, [false; 3]), "{result}");
    let found = kinds(&result);
    assert!(found.contains(&"protected"), "{result}");
    assert_eq!(world.read("mine/.envrc"), "mine\n");
    // Once.
    let (_, result) = world.json(&[flags, &["true"]].concat());
    assert_eq!(kinds(&result), [""; 0], "{result}");
}

#[test]
fn after_a_killed_keeper_another_session_holds_back_first() {
    let world = World::unjudged();
    let (_, result) = world.json(&["--session", "b", "touch x"]);
    assert_eq!(kinds(&result), [""; 0], "{result}");
    let before = world.living_keepers();
    world.background(&["--session", "a", &format!("{EVIL}; touch made; sleep 60")]);
    let made = world.workspace().join("made");
    assert!(eventually(|| made.exists()));
    let keepers = world.living_keepers();
    let Some((keeper, started)) = keepers.iter().find(|one| !before.contains(one)) else {
        panic!("another keeper: {keepers:?}")
    };
    // The other session knows of this run while its keeper lives.
    let (_, result) = world.json(&["--session", "b", "true"]);
    assert_eq!(result["exit_code"], 0, "{result}");
    kill_process(Pid::from_raw(*keeper).unwrap(), Signal::KILL).unwrap();
    assert!(eventually(|| !is_alive(*keeper, *started)));
    // The control: no keeper looked after it. What is at the top was seen in a second, perhaps.
    fs::write(world.workspace().join(".envrc"), "evil\n").unwrap();
    assert_eq!(left(&world), [true; 3]);
    let (code, result) = world.json(&["--session", "b", "cat .envrc"]);
    assert_eq!((code, left(&world)), (1, [false; 3]), "{result}");
    assert!(kinds(&result).contains(&"protected"), "{result}");
    let (_, result) = world.json(&["--session", "b", "true"]);
    assert_eq!(kinds(&result), [""; 0], "{result}");
}

#[test]
fn what_the_person_makes_while_a_task_sleeps_is_the_persons() {
    let world = World::unjudged();
    world.background(&["--session", "s", "touch made; sleep 60"]);
    let made = world.workspace().join("made");
    assert!(eventually(|| made.exists()));
    // It did nothing at two looks in a row: that is known after the third.
    std::thread::sleep(Duration::from_secs(8));
    fs::create_dir(world.workspace().join(".vscode")).unwrap();
    world.write(".vscode/settings.json", "{}\n");
    std::thread::sleep(Duration::from_secs(9));
    let (_, result) = world.json(&["--session", "s", "true"]);
    assert_eq!(kinds(&result), [""; 0], "{result}");
    assert_eq!(world.read(".vscode/settings.json"), "{}\n");
    // What the next run does is not.
    let (_, result) = world.json(&["--session", "s", "echo evil > .envrc"]);
    assert_eq!(kinds(&result), ["protected"], "{result}");
    assert_eq!(world.call(&["stop", "--all"]).code, 0);
    assert_eq!(world.read(".vscode/settings.json"), "{}\n");
}

#[test]
fn what_the_person_changes_between_runs_is_the_persons() {
    let world = World::unjudged();
    let deep = "one/two/three/four/five";
    let repository = world.workspace().join(deep);
    fs::create_dir_all(&repository).unwrap();
    let git = |arguments: &[&str]| {
        let mut git = world.program("git");
        git.args(["-c", "user.name=Host", "-c", "user.email=h@example.org"]);
        let status = git
            .args(arguments)
            .current_dir(&repository)
            .status()
            .unwrap();
        assert!(status.success(), "{arguments:?}");
    };
    let (_, result) = world.json(&["--session", "s", "touch x"]);
    assert_eq!(kinds(&result), [""; 0], "{result}");
    std::thread::sleep(Duration::from_millis(200));
    git(&["init", "-q"]);
    git(&["config", "alias.st", "!echo mine"]);
    git(&["remote", "add", "origin", "https://example.org/x"]);
    fs::write(repository.join(".git/hooks/pre-commit"), "#!/bin/sh\n").unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let work = format!(
        "cd {deep} && echo x > x && git add x && git -c user.name=A -c user.email=a@b commit -qm x"
    );
    let (code, result) = world.json(&["--session", "s", &work]);
    assert_eq!((code, kinds(&result).len()), (0, 0), "{result}");
    let config = world.read(&format!("{deep}/.git/config"));
    assert!(
        config.contains("!echo mine") && config.contains("example.org"),
        "{config}"
    );
    assert!(repository.join(".git/hooks/pre-commit").exists());
}

/// Whose it is cannot be known while a run changes files: it counts as the run's, and is told.
#[test]
fn what_the_person_makes_while_a_task_is_busy_is_renamed_and_told() {
    let world = World::unjudged();
    let busy = "while sleep 0.05; do echo x >> log; done";
    let task = world.background(&["--session", "s", busy]);
    let task = task["task_id"].as_str().unwrap();
    assert!(eventually(|| world.workspace().join("log").exists()));
    fs::create_dir(world.workspace().join(".vscode")).unwrap();
    world.write(".vscode/settings.json", "{\"mine\": 1}\n");
    let held = world
        .workspace()
        .join(format!(".vscode/settings.json.held-{task}"));
    assert!(eventually(|| held.exists()));
    assert_eq!(fs::read_to_string(held).unwrap(), "{\"mine\": 1}\n");
    assert_eq!(world.call(&["kill", task]).code, 0);
    let (_, result) = world.json(&["--session", "s", "true"]);
    assert_eq!(kinds(&result), [""; 0], "{result}");
    let told = world.call(&["explain", task]);
    assert!(told.stdout.contains("settings.json.held-"), "{told:?}");
}

/// In one root what executes, in another what makes it a repository: neither alone is one.
#[test]
fn what_was_begun_in_a_root_above_or_below_is_known() {
    let begin = "mkdir -p n/g/objects n/g/hooks; echo evil > n/g/hooks/pre-commit; \
                 printf '[core]\\n\\tfsmonitor = ./evil\\n' > n/g/config";
    let complete = "mkdir n/g/refs && echo 'ref: refs/heads/main' > n/g/HEAD && mv n/g n/.git";
    for below_first in [true, false] {
        let world = World::unjudged();
        let project = world.workspace().join("pkg/a/b");
        fs::create_dir_all(&project).unwrap();
        let inner = project.to_str().unwrap();
        let outer = world.workspace();
        let outer = outer.to_str().unwrap();
        let [first, second] = if below_first {
            [inner, outer]
        } else {
            [outer, inner]
        };
        let run = |workspace: &str, text: &str| {
            world.json(&["--workspace", workspace, "-C", inner, text]).1
        };
        let result = run(first, begin);
        assert_eq!(kinds(&result), [""; 0], "{result}");
        let result = run(second, complete);
        let repository = project.join("n/.git");
        let config = fs::read_to_string(repository.join("config")).unwrap();
        assert!(!config.contains("evil"), "{below_first}: {result}");
        assert!(!repository.join("hooks/pre-commit").exists(), "{result}");
        let mut found = kinds(&result);
        found.sort_unstable();
        assert_eq!(found, ["git_config", "protected"], "{result}");
    }
}

/// How long a run took, and what it said.
fn timed(world: &World, arguments: &[&str]) -> (Duration, Value) {
    let began = Instant::now();
    let (_, result) = world.json(arguments);
    (began.elapsed(), result)
}

#[test]
fn heavy_a_large_workspace_delays_no_run_and_no_limit() {
    const DIRECTORIES: usize = 30_000;
    let world = World::unjudged();
    for number in 0..DIRECTORIES {
        fs::create_dir(world.workspace().join(format!("d{number}"))).unwrap();
    }
    let (first, result) = timed(&world, &["--session", "s", "true"]);
    assert!(first < Duration::from_secs(2), "{first:?}: {result}");
    let (limited, result) = timed(
        &world,
        &["--session", "s", "--timeout", "1s", "touch x; sleep 30"],
    );
    assert_eq!(result["status"], "timed_out", "{result}");
    assert!(limited < Duration::from_secs(4), "{limited:?}: {result}");
    // Other runs go on while a large root is searched, and what is there is found.
    let evil = "git init -q d29999 && git -C d29999 config core.fsmonitor ./evil";
    let (_, result) = timed(&world, &["--session", "s", evil]);
    assert!(!kinds(&result).is_empty(), "{result}");
    let config = || world.read("d29999/.git/config");
    assert!(eventually(|| !config().contains("evil")), "{}", config());
}

/// How long a limit of a second takes in a session in which another run has just ended.
fn limit_beside(world: &World, other: &str) -> Duration {
    let other = world.background(&["--session", "s", other]);
    let (limited, result) = timed(world, &["--session", "s", "--timeout", "1s", "sleep 30"]);
    assert_eq!(result["status"], "timed_out", "{other}: {result}");
    limited
}

#[test]
fn heavy_what_a_run_leaves_to_be_looked_at_delays_no_limit_of_another() {
    for (name, text) in [
        (
            "sparse indexes",
            "for n in $(seq 60); do mkdir -p d$n/.git; done; for n in $(seq 60); do truncate -s 1G d$n/.git/index; done; sleep 0.3",
        ),
        (
            "long sparse indexes",
            "printf 'DIRC\\0\\0\\0\\002\\377\\377\\377\\377' > i; for n in $(seq 100); do mkdir -p d$n/.git; \
             cp i d$n/.git/index; truncate -s 1G d$n/.git/index; done; sleep 0.3",
        ),
        (
            "many directories",
            "seq 30000 | sed s,$,/.git, | xargs mkdir -p; sleep 0.3",
        ),
        (
            "a large directory",
            "mkdir x && cd x && seq 200000 | xargs touch; sleep 0.3",
        ),
        (
            "many files of a repository",
            "git init -q r && mkdir -p r/.git/logs/x && cd r/.git/logs/x && seq 100000 | xargs touch; sleep 0.3",
        ),
        (
            "a large configuration",
            "git init -q r && yes '[user]name=x' | head -c 4000000 >> r/.git/config; sleep 0.3",
        ),
        (
            "many hooks",
            "git init -q r && cd r/.git/hooks && seq 15000 | xargs touch; sleep 0.3",
        ),
    ] {
        let world = World::unjudged();
        let (_, result) = world.json(&["--session", "s", "true"]);
        assert_eq!(result["exit_code"], 0, "{result}");
        let limited = limit_beside(&world, text);
        assert!(limited < Duration::from_millis(2500), "{name}: {limited:?}");
    }
}

/// A disk of a mebibyte, on which only the run's own doings are: mounted as `disk.rs` does it.
#[test]
fn a_full_disk_does_not_tear_the_configuration() {
    let world = World::unjudged();
    let keys = "for key in user.name user.email author.name author.email committer.name; do \
                git config $key $(head -c 3000 /dev/zero | tr '\\0' x); done; \
                head -c 2M /dev/zero > fill; true";
    let script = "mount -t tmpfs -o size=1M,mode=777 none \"$WORK\" || exit 99
        cd \"$WORK\" && git init -q . && cp .git/config \"$LEFT.before\"
        \"$1\" run --json --policy none \"$2\"
        cp .git/config \"$LEFT.after\"";
    let mut command = world.program("unshare");
    if is_root() {
        command.arg("-m");
    } else {
        command.args(["-U", "-r", "-m"]);
    }
    command.args(["bash", "-c", script, "bash"]).arg(binary());
    command.arg(keys).env("WORK", world.workspace());
    command.env("LEFT", world.path("left"));
    let outcome = Running::start(command).end().outcome();
    let [before, after] = ["before", "after"].map(|when| {
        let file = world.path(&format!("left.{when}"));
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
    });
    assert!(before.contains("repositoryformatversion"), "{before}");
    assert_eq!(before, after, "{outcome:?}");
    assert!(outcome.stdout.contains("stays in the room"), "{outcome:?}");
}
