//! What a run was denied is told: of what kind, where, and what would permit it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::{is_root, text};
use crate::support::World;

mod flags;

/// One way to be denied.
#[derive(Clone, Copy)]
struct Way {
    flags: &'static [&'static str],
    /// `READ` is a directory that may be read, `HIDDEN` one that is not there for the run.
    command: &'static str,
    kind: &'static str,
    /// The path or the address.
    about: &'static str,
    missing: &'static str,
    told: Told,
}

/// Whom the kernel tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Everybody,
    /// An ordinary user learns nothing, or is not denied it by the sandbox.
    Root,
}

const fn way(
    command: &'static str,
    kind: &'static str,
    about: &'static str,
    missing: &'static str,
) -> Way {
    Way {
        flags: &[],
        command,
        kind,
        about,
        missing,
        told: Told::Everybody,
    }
}

const fn with(flags: &'static [&'static str], way: Way) -> Way {
    Way { flags, ..way }
}

const fn by_root(way: Way) -> Way {
    Way {
        told: Told::Root,
        ..way
    }
}

const WAYS: &[Way] = &[
    way("echo x > READ/file", "write", "READ/file", "paths_write"),
    way("echo x >> READ/file", "write", "READ/file", "paths_write"),
    way("echo x > READ/new", "write", "READ/new", "paths_write"),
    way("mkdir READ/sub", "write", "READ/sub", "paths_write"),
    way("rm -f READ/file", "write", "READ/file", "paths_write"),
    way("rmdir READ/empty", "write", "READ/empty", "paths_write"),
    way(
        "mv READ/file READ/other",
        "write",
        "READ/file",
        "paths_write",
    ),
    way(
        "touch a; mv a READ/moved",
        "write",
        "READ/moved",
        "paths_write",
    ),
    way("ln -s x READ/link", "write", "READ/link", "paths_write"),
    way("chmod 600 READ/file", "write", "READ/file", "paths_write"),
    way(
        "python3 -c 'import os; os.truncate(\"READ/file\", 0)'",
        "write",
        "READ/file",
        "paths_write",
    ),
    way(
        "ln -s READ/file here; echo x > here",
        "write",
        "READ/file",
        "paths_write",
    ),
    way(
        "cd READ/empty && echo x > ../file",
        "write",
        "READ/file",
        "paths_write",
    ),
    way("mkfifo READ/pipe", "write", "READ/pipe", "paths_write"),
    way("echo x > HIDDEN/new", "write", "HIDDEN/new", "paths_write"),
    way(
        "echo x > .git/hooks/pre-commit",
        "protected",
        "WORK/.git/hooks/pre-commit",
        "",
    ),
    way(
        "python3 -c 'import os; os.unlink(\"HIDDEN/tool\")'",
        "write",
        "HIDDEN/tool",
        "paths_write",
    ),
    by_root(way(
        "echo x > HIDDEN/closed/new",
        "write",
        "HIDDEN/closed/new",
        "paths_write",
    )),
    way(
        "ln -s HIDDEN cache; echo x > cache/new",
        "write",
        "HIDDEN/new",
        "paths_write",
    ),
    way(
        "ln -s HIDDEN cache; echo x >> cache/tool",
        "write",
        "HIDDEN/tool",
        "paths_write",
    ),
    way(
        "ln -s HIDDEN/sub cache; echo x > cache/../new",
        "write",
        "HIDDEN/new",
        "paths_write",
    ),
    way(
        "ln -s HIDDEN/none cache; echo x > cache",
        "write",
        "HIDDEN/none",
        "paths_write",
    ),
    way(
        "ln -s HIDDEN cache; cd cache",
        "read",
        "HIDDEN",
        "paths_read",
    ),
    way("HIDDEN/tool", "execute", "HIDDEN/tool", "paths_read"),
    way("cd HIDDEN", "read", "HIDDEN", "paths_read"),
    with(
        &["--command", "env"],
        way("env cat /dev/null", "command", "/usr/bin/cat", "commands"),
    ),
    way(
        "python3 -c 'import socket as s; s.socket().connect((\"192.0.2.7\", 443))'",
        "network",
        "192.0.2.7:443",
        "network",
    ),
    way(
        "python3 -c 'import socket as s; s.socket(s.AF_INET6).connect((\"2001:db8::1\", 80))'",
        "network",
        "[2001:db8::1]:80",
        "network",
    ),
    way(
        "python3 -c 'import socket as s; \
         s.socket(s.AF_INET, s.SOCK_DGRAM).sendto(b\"x\", (\"192.0.2.7\", 9))'",
        "network",
        "192.0.2.7:9",
        "network",
    ),
    with(
        &["--trace-reads"],
        way("cat HIDDEN/tool", "read", "HIDDEN/tool", "paths_read"),
    ),
    with(
        &["--trace-reads"],
        way(
            "ln -s HIDDEN cache; cat cache/tool",
            "read",
            "HIDDEN/tool",
            "paths_read",
        ),
    ),
    with(
        &["--trace-reads"],
        way("test -e HIDDEN/tool", "read", "HIDDEN/tool", "paths_read"),
    ),
    with(
        &["--trace-reads"],
        way("ls -d HIDDEN/sub", "read", "HIDDEN/sub", "paths_read"),
    ),
    with(
        &["--trace-reads"],
        way("cp HIDDEN/tool .", "read", "HIDDEN/tool", "paths_read"),
    ),
    with(
        &["--trace-reads"],
        way("find HIDDEN", "read", "HIDDEN", "paths_read"),
    ),
    with(
        &["--trace-reads", "--deny", "secret"],
        way("cat secret", "read", "WORK/secret", "paths_read"),
    ),
    way("unshare -U true", "syscall", "unshare", ""),
    way(
        "python3 -c 'import ctypes; ctypes.CDLL(None).setns(0, 0); exit(1)'",
        "syscall",
        "setns",
        "",
    ),
    way(
        "python3 -c 'import socket as s; s.socket(s.AF_UNIX, s.SOCK_DGRAM)'",
        "syscall",
        "socket",
        "",
    ),
    way(
        "python3 -c 'import socket as s; s.socket(s.AF_VSOCK, s.SOCK_STREAM)'",
        "syscall",
        "socket",
        "",
    ),
    with(
        &["--command", "strace", "--command", "true"],
        way("strace -o /dev/null true", "syscall", "ptrace", ""),
    ),
    by_root(with(
        &["--processes", "8"],
        way(
            "for n in {1..20}; do sleep 1 & done; wait",
            "processes",
            "",
            "resources.processes",
        ),
    )),
];

/// What lets a run go on with a backend that keeps less.
const WEAKER: &str =
    "[profile.default]\noptional = ['filesystem', 'processes', 'resources', 'identity']\n";

/// The backends that keep less. A user whom firejail does not let in cannot use it.
fn weaker() -> Vec<&'static str> {
    let mut backends = vec!["bubblewrap", "landlock"];
    if is_root() {
        backends.push("firejail");
    }
    backends
}

/// A world with files and directories that a run is denied.
fn world() -> World {
    let world = World::unjudged();
    for name in [
        "shared",
        "shared/empty",
        "hidden",
        "hidden/sub",
        "hidden/closed",
    ] {
        fs::create_dir(world.path(name)).unwrap();
    }
    let closed = fs::Permissions::from_mode(0o555);
    fs::set_permissions(world.path("hidden/closed"), closed).unwrap();
    fs::write(world.path("shared/file"), "as it was\n").unwrap();
    let tool = world.path("hidden/tool");
    fs::write(&tool, "#!/bin/sh\necho ran\n").unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    world.write("secret", "secret\n");
    fs::create_dir_all(world.workspace().join(".git/hooks")).unwrap();
    world
}

fn filled(words: &str, world: &World) -> String {
    words
        .replace("READ", text(&world.path("shared")))
        .replace("HIDDEN", text(&world.path("hidden")))
        .replace("WORK", text(&world.workspace()))
}

fn violations(result: &Value) -> Vec<Value> {
    let told = result["sandbox_violations"].as_array();
    told.cloned().unwrap_or_default()
}

/// Of a violation, what the table says.
fn essence(violation: &Value) -> Value {
    let path = &violation["path"];
    let all = [path, &violation["address"], &violation["syscall"]];
    let about = all.iter().find_map(|about| about.as_str());
    json!([
        violation["kind"],
        about.unwrap_or_default(),
        violation["missing"]
    ])
}

#[test]
fn each_way_to_be_denied_is_told() {
    assert!(WAYS.len() >= 20);
    let mut wrong = Vec::new();
    for way in WAYS {
        let world = world();
        let shared = world.path("shared");
        let mut flags = vec!["--read", text(&shared)];
        flags.extend(way.flags);
        let command = filled(way.command, &world);
        flags.push(&command);
        let (code, result) = world.json(&flags);
        let told: Vec<Value> = violations(&result).iter().map(essence).collect();
        let expected = match way.told {
            Told::Root if !is_root() => Vec::new(),
            _ => vec![json!([way.kind, filled(way.about, &world), way.missing])],
        };
        let untouched = fs::read(world.path("shared/file")).unwrap() == b"as it was\n";
        if told != expected || !untouched {
            wrong.push(format!(
                "{}: exit {code}, told {told:?}, expected {expected:?}; {}",
                way.command, result["stderr"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a way is also tried with another backend: some of each kind.
const ELSEWHERE: &[&str] = &[
    "echo x > READ/file",
    "mkdir READ/sub",
    "rm -f READ/file",
    "touch a; mv a READ/moved",
    "ln -s READ/file here; echo x > here",
    "echo x > HIDDEN/new",
    "HIDDEN/tool",
    "cat HIDDEN/tool",
];

#[test]
fn ways_to_be_denied_are_told_whoever_denies() {
    let mut wrong = Vec::new();
    for backend in weaker() {
        let chosen = WAYS.iter().filter(|way| ELSEWHERE.contains(&way.command));
        let network = WAYS.iter().filter(|way| way.kind == "network");
        // Without a network of its own a run gets no socket at all, and no notice tells of it.
        let network = network.take(usize::from(backend != "landlock"));
        for way in chosen.chain(network) {
            let world = world();
            world.configure(WEAKER);
            let shared = world.path("shared");
            let mut flags = vec!["--sandbox", backend, "--read", text(&shared)];
            flags.extend(way.flags);
            let command = filled(way.command, &world);
            flags.push(&command);
            let (code, result) = world.json(&flags);
            let told: Vec<Value> = violations(&result).iter().map(essence).collect();
            let expected = json!([way.kind, filled(way.about, &world), way.missing]);
            // Landlock's own record may have more, for root.
            let is_told = match backend {
                "bubblewrap" => told == [expected.clone()],
                _ => told.contains(&expected),
            };
            let untouched = fs::read(world.path("shared/file")).unwrap() == b"as it was\n";
            if !is_told || !untouched || result["enforcement"]["backend"] != backend {
                wrong.push(format!(
                    "{backend}: {}: exit {code}, told {told:?}, expected {expected}; {result}",
                    way.command
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn without_a_tree_of_its_own_what_is_allowed_is_no_violation_either() {
    let world = world();
    world.configure(WEAKER);
    let shared = world.path("shared");
    let command = filled(
        "cat READ/file > copy; mkdir -p a/b; mv copy a/b; ln -s a/b c; rm -r a c; \
         f=$(mktemp) && echo x > \"$f\" && rm \"$f\"; echo x > /dev/null; chmod 600 secret; \
         chmod 644 READ/file; cd HIDDEN; true",
        &world,
    );
    let flags = ["--sandbox", "landlock", "--read", text(&shared), &command];
    let (code, result) = world.json(&flags);
    let told = violations(&result);
    let ours: Vec<&Value> = told.iter().filter(|it| it["source"] == "seccomp").collect();
    assert_eq!(json!([code, ours]), json!([0, []]), "{result}");
}

#[test]
fn what_is_allowed_is_no_violation() {
    let world = world();
    let shared = world.path("shared");
    let command = filled(
        "cat READ/file > copy; mkdir -p a/b; mv copy a/b; ln -s a/b c; rm -r a c; \
         echo x > /tmp/x; rm /tmp/x; echo x > /dev/null; chmod 600 secret; cat READ/none; \
         cat /nowhere/at/all; mkdir -p READ/empty; no-such-program; true",
        &world,
    );
    let (code, result) = world.json(&["--trace-reads", "--read", text(&shared), &command]);
    assert_eq!(
        json!([code, violations(&result)]),
        json!([0, []]),
        "{result}"
    );
}

#[test]
fn a_run_that_is_denied_a_lot_still_ends_with_a_short_answer() {
    let world = world();
    let shared = world.path("shared");
    let script = filled(
        "import os\n\
         for n in range(20000):\n\
         \x20   try: os.mkdir('READ/%d' % n)\n\
         \x20   except OSError: pass\n\
         print('over')",
        &world,
    );
    world.write("script.py", script);
    let (code, result) = world.json(&["--read", text(&shared), "python3 script.py"]);
    assert_eq!(
        json!([code, result["stdout"]]),
        json!([0, "over\n"]),
        "{result}"
    );
    let told = violations(&result);
    assert_eq!(told.len(), 101);
    assert_eq!(told[100]["kind"], "unlisted");
}

#[test]
fn the_last_run_is_explained() {
    let world = world();
    let shared = world.path("shared");
    let command = filled("echo x > READ/file", &world);
    let outcome = world.run(&["--read", text(&shared), &command]);
    let file = filled("READ/file", &world);
    let line = format!("bashful: sandbox: write {file}: it may only be read");
    assert!(outcome.stderr.contains(&line), "{outcome:?}");
    let explained = world.call(&["explain", "--last"]);
    let run = format!("bashful run --write {file} '{command}'");
    let grant = format!("bashful grants add --scope session --exact '{command}' --write {file}");
    for expected in [run, grant, format!("write {file}: it may only be read")] {
        assert!(explained.stdout.contains(&expected), "{explained:?}");
    }
    let (code, last) = world.call(&["explain", "--last", "--json"]).json();
    assert_eq!(code, 0);
    let task = last["task_id"].as_str().unwrap();
    let (_, named) = world.call(&["explain", "--json", task]).json();
    assert_eq!(last, named);
    assert_eq!(last["remedy"]["flags"], json!([format!("--write {file}")]));
    // The flag is what was missing.
    let flags = ["--read", text(&shared), "--write", &file, &command];
    assert_eq!(world.run(&flags).code, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), "x\n");
}
