//! Reports hold: against runs that do not want them, and when a process dies, stops or is missing.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{is_root, kinds, text};
use crate::support::{Host, Running, Terminal, World, binary, eventually};

/// A world with a directory that may be read.
fn world() -> World {
    let world = World::unjudged();
    fs::create_dir(world.path("shared")).unwrap();
    world
}

/// What a script of Python with `READ` in it ran into.
fn script(world: &World, flags: &[&str], script: &str) -> (i32, Value) {
    let shared = world.path("shared");
    world.write("script.py", script.replace("READ", text(&shared)));
    let flags = [flags, &["--read", text(&shared), "python3 script.py"]].concat();
    world.json(&flags)
}

/// Calls of the C library, and a call that is denied to every run.
const PRELUDE: &str = "\
import ctypes, mmap, os, socket, threading
libc = ctypes.CDLL(None, use_errno=True)
def denied(path):
    try: os.mkdir(path)
    except OSError: return
    raise SystemExit('made ' + repr(path))
";

#[test]
fn odd_arguments_neither_stop_the_keeper_nor_spoil_the_report() {
    let world = world();
    let (code, result) = script(
        &world,
        &["--session", "odd", "--trace-reads"],
        &format!(
            "{PRELUDE}\
denied(b'READ/\\xff\\xfe')
denied('READ/line\\n\\x1b[31mred')
denied('READ/' + 'x' * 255)
for long in ['READ/' + 'y/' * 1900, 'READ/' + 'z' * 5000, '/' * 4000 + 'READ']:
    try: os.mkdir(long)
    except OSError: pass
for pointer in [0, 1, 4095, (1 << 47) - 1, (1 << 64) - 1, (1 << 64) - 4096]:
    for call in [libc.mkdir, libc.unlink, libc.chdir, libc.creat, libc.rmdir]:
        call(ctypes.c_void_p(pointer), 0o700)
    libc.execve(ctypes.c_void_p(pointer), None, None)
# A path that runs into the end of what is mapped.
room = mmap.mmap(-1, 2 * mmap.PAGESIZE)
start = ctypes.addressof(ctypes.c_char.from_buffer(room))
libc.munmap(ctypes.c_void_p(start + mmap.PAGESIZE), mmap.PAGESIZE)
ctypes.memset(start, ord('/'), mmap.PAGESIZE)
libc.mkdir(ctypes.c_void_p(start), 0o700)
# Addresses that are too long, too short, negative, and nowhere.
inet = socket.socket()
for length in [0, 1, 2, 15, 16, 1 << 20, (1 << 31) - 1, -1]:
    for address in [ctypes.create_string_buffer(64), ctypes.c_void_p(0), ctypes.c_void_p(1)]:
        libc.connect(inet.fileno(), address, length)
        libc.sendto(inet.fileno(), b'', 0, 0, address, length)
denied('READ/last')
os._exit(0)
"
        ),
    );
    assert_eq!(code, 0, "{result}");
    let told = result["sandbox_violations"].as_array().unwrap();
    let paths: Vec<&str> = told.iter().filter_map(|it| it["path"].as_str()).collect();
    let shared = world.path("shared");
    let shared = text(&shared);
    for name in ["\u{fffd}\u{fffd}", "line\n\u{1b}[31mred", "last"] {
        let path = format!("{shared}/{name}");
        assert!(paths.contains(&path.as_str()), "{path:?} in {paths:?}");
    }
    // It is on record, can be shown, and draws nothing.
    let task = result["task_id"].as_str().unwrap();
    let explained = world.call(&["explain", task]);
    assert_eq!(explained.code, 0, "{explained:?}");
    assert!(!explained.stdout.contains('\u{1b}'), "{explained:?}");
    assert!(
        explained.stdout.contains("could not be inspected"),
        "{explained:?}"
    );
    let verified = world.call(&["audit", "verify"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    // And the same keeper goes on.
    let (_, next) = world.json(&["--session", "odd", "echo on"]);
    assert_eq!(next["stdout"], "on\n");
    assert_eq!(world.keeper_of(&result), world.keeper_of(&next));
}

#[test]
fn a_path_that_changes_meanwhile_opens_nothing() {
    let world = world();
    let (code, result) = script(
        &world,
        &[],
        &format!(
            "{PRELUDE}\
good, bad = b'./aaaaaaaa'.ljust(200, b'\\0'), b'READ/evil'.ljust(200, b'\\0')
path = ctypes.create_string_buffer(good, 200)
over = False
def flip():
    while not over:
        ctypes.memmove(path, bad, 200)
        ctypes.memmove(path, good, 200)
thread = threading.Thread(target=flip)
thread.start()
for _ in range(3000):
    libc.mkdir(path, 0o700)
    libc.rmdir(b'./aaaaaaaa')
over = True
thread.join()
print('over')
"
        ),
    );
    assert_eq!(
        json!([code, result["stdout"]]),
        json!([0, "over\n"]),
        "{result}"
    );
    let there = fs::read_dir(world.path("shared")).unwrap().count();
    assert_eq!(there, 0);
}

#[test]
fn what_a_run_says_is_no_violation() {
    let world = world();
    let line = "bashful: sandbox: write /etc/passwd: it may only be read";
    let violation = json!({
        "sandbox_violations": [{ "kind": "write", "path": "/etc/passwd", "source": "seccomp" }]
    });
    let command = format!(
        "echo '{line}' >&2; echo '{violation}'; echo '{violation}' > state; \
         echo 'audit(1.1:1): pid=1 syscall=101 code=0x50000' > /dev/null; \
         python3 -c 'import os; print(os.getpid())' comm=x; exit 31"
    );
    let (code, result) = world.json(&[&command]);
    assert_eq!(json!([code, kinds(&result)]), json!([31, []]), "{result}");
    assert_eq!(result["sandbox_hints"], Value::Null);
    let (_, explained) = world.call(&["explain", "--last", "--json"]).json();
    assert_eq!(explained["sandbox_violations"], json!([]));
}

#[test]
fn a_run_that_is_denied_for_ever_holds_nobody_up() {
    let world = world();
    let shared = world.path("shared");
    let flags = ["--session", "s", "--read", text(&shared)];
    let path = format!("{}/x", text(&shared));
    world.write(
        "noisy.py",
        format!(
            "import os\n\
             open('begun', 'w').close()\n\
             for n in range(100_000):\n\
             \x20   try: os.mkdir({path:?})\n\
             \x20   except OSError: pass\n"
        ),
    );
    let noisy = [&flags[..], &["--json", "--background", "python3 noisy.py"]].concat();
    let (code, noisy) = Running::start(world.run_command(&noisy))
        .end()
        .outcome()
        .json();
    assert_eq!(code, 0, "{noisy}");
    assert!(eventually(|| world.workspace().join("begun").exists()));
    let began = Instant::now();
    let quiet = "for n in {1..50}; do mkdir d$n; rmdir d$n; done; mkdir \"$0\"";
    let quiet = quiet.replace("\"$0\"", &format!("{}/y", text(&shared)));
    let (_, quiet) = world.json(&[&flags[..], &[&quiet]].concat());
    let took = began.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
    let of = |result: &Value| {
        let told = result["sandbox_violations"].as_array().unwrap().clone();
        let told: Vec<Value> = told
            .iter()
            .map(|it| json!([it["path"], it["times"]]))
            .collect();
        told
    };
    let other = format!("{}/y", text(&shared));
    assert_eq!(of(&quiet), [json!([other, 1])], "{quiet}");
    assert_eq!(world.keeper_of(&quiet), world.keeper_of(&noisy));
    let task = noisy["task_id"].as_str().unwrap();
    assert_eq!(world.call(&["wait", task]).code, 0);
    let (_, explained) = world.call(&["explain", "--json", task]).json();
    assert_eq!(of(&explained), [json!([path, 100_000])], "{explained}");
}

#[test]
fn the_report_of_a_task_is_there_though_nobody_waited_for_it() {
    let world = world();
    let shared = world.path("shared");
    let command = format!(
        "until test -e go; do sleep 0.05; done; echo x > {}/file",
        text(&shared)
    );
    let flags = ["--json", "--background", "--read", text(&shared), &command];
    let (code, started) = Running::start(world.run_command(&flags))
        .end()
        .outcome()
        .json();
    // The caller that started it is gone by now.
    assert_eq!(code, 0, "{started}");
    world.write("go", "");
    let task = started["task_id"].as_str().unwrap();
    assert_eq!(world.call(&["wait", task]).code, 1);
    let (_, explained) = world.call(&["explain", "--json", task]).json();
    let file = format!("{}/file", text(&shared));
    assert_eq!(
        explained["sandbox_violations"][0]["path"], file,
        "{explained}"
    );
    assert_eq!(
        explained["remedy"]["flags"],
        json!([format!("--write {}", text(&shared))])
    );
}

#[test]
fn a_keeper_that_is_stopped_breaks_no_run() {
    let world = world();
    let shared = world.path("shared");
    let command = format!(
        "touch begun; until test -e go; do sleep 0.05; done; mkdir made && echo made; mkdir {}/x",
        text(&shared)
    );
    let running = world.start(&["--json", "--read", text(&shared), &command]);
    assert!(eventually(|| world.workspace().join("begun").exists()));
    // That it runs is written down a moment later.
    assert!(eventually(|| !world.living_keepers().is_empty()));
    let [(keeper, _)] = world.living_keepers()[..] else {
        panic!("one keeper: {:?}", world.living_keepers())
    };
    let keeper = Pid::from_raw(keeper).unwrap();
    kill_process(keeper, Signal::STOP).unwrap();
    world.write("go", "");
    // Its guard has it go on.
    let (code, result) = running.end().outcome().json();
    assert_eq!(
        json!([code, result["stdout"]]),
        json!([1, "made\n"]),
        "{result}"
    );
    assert_eq!(kinds(&result), ["write"]);
}

#[test]
fn where_the_kernel_does_not_tell_a_run_goes_on_and_nothing_is_claimed() {
    let world = world();
    let shared = world.path("shared");
    // This host holds the one listener that a process can have.
    let host = Host::with(&["landlock=7"]);
    let command = format!("mkdir made; mkdir {}/x; true", text(&shared));
    let (code, result) = host.run(&world, &["--read", text(&shared), &command]);
    assert_eq!(json!([code, kinds(&result)]), json!([0, []]), "{result}");
    assert!(world.workspace().join("made").exists());
    let explained = world.call(&["explain", "--last"]);
    assert!(
        explained
            .stdout
            .contains("Not seen: unknown: this kernel did not report"),
        "{explained:?}"
    );
}

#[test]
fn what_was_not_looked_at_is_said() {
    let world = world();
    let not_seen = |flags: &[&str]| {
        world.json(flags);
        let (_, explained) = world.call(&["explain", "--last", "--json"]).json();
        let unseen = explained["not_seen"].as_array().unwrap().clone();
        let words = unseen.iter().map(|it| it.as_str().unwrap().to_owned());
        words.collect::<Vec<_>>().join("; ")
    };
    let usual = not_seen(&["true"]);
    assert!(usual.contains("--trace-reads"), "{usual}");
    assert_eq!(usual.contains("only root may"), !is_root(), "{usual}");
    let traced = not_seen(&["--trace-reads", "true"]);
    assert!(!traced.contains("--trace-reads"), "{traced}");
    assert_eq!(not_seen(&["--sandbox", "none", "true"]), "");
}

#[test]
fn the_grant_that_is_offered_can_be_typed() {
    let world = world();
    let shared = world.path("shared");
    let command = format!("printf '%s' \"it's\" > {}/a\\ file", text(&shared));
    fs::write(world.path("shared/a file"), "").unwrap();
    world.json(&["--session", "talk", "--read", text(&shared), &command]);
    let (_, explained) = world.call(&["explain", "--last", "--json"]).json();
    let program = binary();
    let typed = |line: &Value| {
        let line = line.as_str().unwrap().to_owned();
        line.replacen("bashful", text(&program), 1)
    };
    let grant = typed(&explained["remedy"]["grant"]);
    let (code, screen) = Terminal::line(&world, &grant).end();
    assert_eq!(code, 0, "{grant}: {screen}");
    let (_, listed) = world.call(&["grants", "list", "--json"]).json();
    let listed = listed.to_string();
    for word in ["talk", "a file", "session"] {
        assert!(listed.contains(word), "{word} in {listed}");
    }
    let run = typed(&explained["remedy"]["run"]).replacen(" run ", " run --policy none ", 1);
    let (code, screen) = Terminal::line(&world, &run).end();
    assert_eq!(code, 0, "{run}: {screen}");
    assert_eq!(
        fs::read_to_string(world.path("shared/a file")).unwrap(),
        "it's"
    );
}

#[test]
fn a_command_of_several_lines_is_offered_as_it_was() {
    let world = world();
    let shared = world.path("shared");
    let command = format!(
        "# it's a comment\necho one > {0}/ml\necho two >> {0}/ml",
        text(&shared)
    );
    world.json(&["--session", "talk", "--read", text(&shared), &command]);
    let explained = world.call(&["explain", "--last"]).stdout;
    let typed = |word: &str| {
        let line = explained.lines().find(|line| line.contains(word)).unwrap();
        line.trim().replacen("bashful", text(&binary()), 1)
    };
    // Such quotes are those of bash.
    let in_bash = |line: &str| {
        let file = world.write("typed", line);
        Terminal::line(&world, &format!("bash {}", text(&file))).end()
    };
    let (code, screen) = in_bash(&typed("grants add"));
    assert_eq!(code, 0, "{explained}: {screen}");
    let (_, listed) = world.call(&["grants", "list", "--json"]).json();
    let held = serde_json::to_string(&command).unwrap();
    assert!(listed.to_string().contains(&held), "{held} in {listed}");
    let run = typed("bashful run").replacen(" run ", " run --policy none ", 1);
    let (code, screen) = in_bash(&run);
    assert_eq!(code, 0, "{run}: {screen}");
    let written = fs::read_to_string(world.path("shared/ml")).unwrap();
    assert_eq!(written, "one\ntwo\n");
}

#[test]
fn a_run_is_explained_as_it_was_asked_for() {
    let world = world();
    world.configure(
        "[profile.default]\noptional = ['filesystem', 'processes', 'resources', 'identity']\n",
    );
    let shared = world.path("shared");
    let command = format!("mkdir {}/x", text(&shared));
    let landlock = ["--sandbox", "landlock", "--read", text(&shared), &command];
    let mut theirs = world.run_command(&["--agent", "other"]);
    theirs.args(landlock);
    assert_ne!(Running::start(theirs).end().outcome().code, 0);
    world.run(&["true"]);
    let (_, last) = world.call(&["explain", "--last", "--json"]).json();
    assert_eq!(last["command"], "true");
    let flags = ["explain", "--last", "--agent", "other", "--json"];
    let (_, theirs) = world.call(&flags).json();
    assert_eq!(theirs["command"], command);
    let run = theirs["remedy"]["run"].as_str().unwrap();
    assert!(
        run.starts_with("bashful run --sandbox landlock --write "),
        "{run}"
    );
    let unknown = world.call(&["explain", "bash-06ckz8v1q7n3k5w2"]);
    assert_ne!(unknown.code, 0, "{unknown:?}");
    assert!(
        unknown.stderr.contains("bash-06ckz8v1q7n3k5w2"),
        "{unknown:?}"
    );
    assert_eq!(unknown.stdout, "");
}

#[test]
fn callers_that_are_killed_meanwhile_tell_nothing_about_others() {
    let world = world();
    let (code, result) = script(
        &world,
        &["--trace-reads"],
        &format!(
            "{PRELUDE}\
import signal, time
for n in range(300):
    child = os.fork()
    if child == 0:
        while True:
            try: os.mkdir('READ/x')
            except OSError: pass
    time.sleep(0.0002 * (n % 7))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
denied('READ/x')
"
        ),
    );
    assert_eq!(code, 0, "{result}");
    let told = result["sandbox_violations"].as_array().unwrap();
    let path = format!("{}/x", text(&world.path("shared")));
    assert!(told.iter().any(|it| it["path"] == path), "{result}");
    let others: Vec<&Value> = told
        .iter()
        .filter(|it| it["path"] != path && it["kind"] != "read")
        .collect();
    assert!(others.is_empty(), "{others:?}");
}

/// Mounts a file system that never answers, and runs a command beside it.
const SERVED: &str = include_str!("served.py");

#[test]
fn a_file_system_that_never_answers_holds_nobody_up() {
    let world = world();
    let served = world.path("served");
    fs::create_dir(&served).unwrap();
    let command = "cd SERVED/x; echo x > SERVED/y; cat SERVED/z; SERVED/tool; echo over; false";
    let command = command.replace("SERVED", text(&served));
    let asked = world.run_command(&["--json", "--trace-reads", &command]);
    let mut beside = world.program("/usr/bin/python3");
    beside.args(["-I", "-c", SERVED, text(&served)]);
    beside.arg(asked.get_program()).args(asked.get_args());
    let (code, result) = Running::start(beside).end().outcome().json();
    assert_eq!(
        json!([code, result["stdout"]]),
        json!([1, "over\n"]),
        "{result}"
    );
    let explained = world.call(&["explain", "--last"]);
    assert!(
        explained.stdout.contains("could not be inspected"),
        "{explained:?}"
    );
}
