//! Unix sockets that are made in a room work in it, with real programs; those of others do not.

use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use super::{kinds, output, printed};
use crate::support::{World, eventually};

/// What is run, and what it prints at its end.
const WORK: &[(&str, &str)] = &[
    (
        "export TMUX_TMPDIR=/tmp SHELL=/bin/bash
        tmux -f /dev/null new-session -d 'echo in a window > out; sleep 9'
        for i in {1..99}; do [ -s out ] && break; sleep .05; done; cat out
        tmux list-sessions -F '#{session_windows}'; tmux kill-server",
        "in a window\n1\n",
    ),
    (
        "export GNUPGHOME=/tmp/keys; mkdir -m 700 /tmp/keys
        gpg --batch --quiet --passphrase '' --quick-gen-key 'A <a@b.c>' default default never 2> log
        git init -q r && cd r && git config user.name A && git config user.email a@b.c
        git commit -q --allow-empty -S -m signed 2>> ../log && git log --format=%G?; gpgconf --kill all",
        "G\n",
    ),
    (
        "dbus-run-session -- dbus-send --session --print-reply=literal \
        --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.freedesktop.DBus",
        "   boolean true\n",
    ),
    (
        "node -e \"const net = require('net'); const s = net.createServer(c => c.end('hello'));
        s.listen('node.sock', () => net.connect('node.sock').on('data', d => {
            console.log(String(d)); s.close() }))\"",
        "hello\n",
    ),
    (
        "cat > manager.py <<'END'
import multiprocessing as m
def work(d, i): d[i] = i * i
if __name__ == '__main__':
    for how in ('fork', 'forkserver', 'spawn'):
        context = m.get_context(how)
        with context.Manager() as manager:
            d = manager.dict()
            tasks = [context.Process(target=work, args=(d, i)) for i in range(3)]
            for task in tasks: task.start()
            for task in tasks: task.join()
            print(how, sorted(d.items()))
END
python3 manager.py",
        "fork [(0, 0), (1, 1), (2, 4)]\nforkserver [(0, 0), (1, 1), (2, 4)]\nspawn [(0, 0), (1, 1), (2, 4)]\n",
    ),
];

#[test]
fn programs_that_talk_to_each_other_by_sockets_work() {
    for (text, expected) in WORK {
        let world = World::unjudged();
        let outcome = world.run(&[text]);
        assert_eq!(outcome.stdout, *expected, "{text}: {outcome:?}");
    }
}

/// For root this is left out: Postgres refuses to be run by a user who seems to be root.
#[test]
fn a_database_listens_where_it_does_by_default() {
    let world = World::unjudged();
    let text = "export PATH=$PATH:$(echo /usr/lib/postgresql/*/bin); initdb -D /tmp/data > log 2>&1
        postgres -D /tmp/data -k /tmp -c listen_addresses= >> log 2>&1 &
        for i in {1..200}; do psql -h /tmp -d postgres -Atc 'select 6 * 7' 2>> log && break; sleep .05; done
        kill %1; wait";
    let seen = printed(&world, &[], text);
    assert_eq!(seen, "42\n", "{}", world.read("log"));
}

/// Lines for Python that every script below begins with.
const BEGIN: &str = "import array, os, socket, struct, sys, threading, time\n\
    unix = lambda: socket.socket(socket.AF_UNIX)\n";

fn python(world: &World, flags: &[&str], lines: &str) -> String {
    world.write("script.py", format!("{BEGIN}{lines}"));
    printed(world, flags, "python3 script.py 2>&1")
}

#[test]
fn every_kind_of_address_and_of_call_behaves_as_it_does_outside() {
    let lines = r#"
def listening(at, backlog=5, kind=socket.SOCK_STREAM):
    server = socket.socket(socket.AF_UNIX, kind); server.bind(at); server.listen(backlog)
    return server
for at in ("/tmp/a", "here", os.path.abspath("there"), "\0name", "sub/../upper"):
    if "/.." in at: os.mkdir("sub")
    server, caller = listening(at), unix(); caller.connect(at)
    end, _ = server.accept()
    file = os.open("/dev/null", os.O_RDONLY); socket.send_fds(caller, [b"x"], [file])
    data, files, _, _ = socket.recv_fds(end, 9, 1)
    user = struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]
    print(repr(at)[:4], data, os.fstat(files[0]).st_rdev == os.fstat(file).st_rdev, user == os.getuid())
    server.close()
packets = listening("packets", kind=socket.SOCK_SEQPACKET)
socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect("packets"); print("packets")
os.symlink("link-2", "link-1"); os.symlink("/tmp/linked", "link-2")
linked = listening("/tmp/linked"); unix().connect("link-1"); print("links")
for at in ("none", "/tmp/a", "script.py", "/etc", "\0none", "a" * 107, ""):
    try: unix().connect(at); print("connected?", at)
    except OSError as error: print(at[:9].encode(), error.errno)
try: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); print("datagrams?")
except PermissionError: print("no datagrams")
full = listening("full", 0); first = unix(); first.connect("full")
waits = unix(); waits.setblocking(False)
try: waits.connect("full")
except BlockingIOError: print("full")
waits.setblocking(True); waits.setsockopt(1, 21, struct.pack("ll", 0, 100_000))
try: waits.connect("full")
except BlockingIOError: print("still full")
threading.Timer(0.2, full.accept).start()
began = time.time(); unix().connect("full"); print("waited", time.time() - began > 0.1)
"#;
    let world = World::unjudged();
    let seen = python(&world, &[], lines);
    let mut seen = seen.lines();
    for _ in 0..5 {
        let line = seen.next().unwrap_or_default();
        assert!(line.ends_with("b'x' True True"), "{line}");
    }
    let rest: Vec<&str> = seen.collect();
    let expected = [
        "packets",
        "links",
        "b'none' 2",
        "b'/tmp/a' 111",
        "b'script.py' 111",
        "b'/etc' 111",
        "b'\\x00none' 111",
        "b'aaaaaaaaa' 2",
        "b'' 22",
        "no datagrams",
        "full",
        "still full",
        "waited True",
    ];
    assert_eq!(rest, expected);
}

const SERVER: &str = "server = unix(); server.bind('/tmp/shared'); server.listen(9)\n\
    open('up', 'w').close()\nwhile True: server.accept()[0].send(b'hello')\n";
const CLIENT: &str = "caller = unix()\n\
    try: caller.connect('/tmp/shared'); print(caller.recv(9))\n\
    except OSError as error: print(error.errno)\n";

/// What a yes opened for one run must not be handed to another: a connection carries open files.
#[test]
fn runs_connect_to_each_other_only_with_the_same_rights() {
    let world = World::unjudged();
    world.write("server.py", format!("{BEGIN}{SERVER}"));
    let more = world.path("more");
    std::fs::create_dir(&more).unwrap();
    let more = more.to_str().unwrap();
    let flags: [&[&str]; 2] = [&["--session", "s"], &["--session", "s", "--read", more]];
    for (of_server, of_client, expected) in [
        (0, 0, "b'hello'\n"),
        (0, 1, "13\n"),
        (1, 0, "13\n"),
        (1, 1, "b'hello'\n"),
    ] {
        let begin = [
            flags[of_server],
            &["rm -f up /tmp/shared; exec python3 server.py"],
        ];
        let task = world.background(&begin.concat());
        assert!(eventually(|| world.workspace().join("up").exists()));
        let seen = python(&world, flags[of_client], CLIENT);
        assert_eq!(seen, expected, "{of_server} {of_client}");
        if expected.starts_with("13") {
            let (_, result) = world.json(&[flags[of_client], &["python3 script.py"]].concat());
            assert_eq!(kinds(&result), ["socket"], "{result}");
        }
        world.call(&["kill", task["task_id"].as_str().unwrap()]);
        assert!(eventually(|| std::fs::remove_file(
            world.workspace().join("up")
        )
        .is_ok()));
    }
}

#[test]
fn a_socket_of_the_host_is_refused_and_told() {
    let world = World::unjudged();
    let path = world.workspace().join("socket");
    let listener = UnixListener::bind(&path).unwrap();
    world.write("script.py", format!("{BEGIN}unix().connect('socket')"));
    for network in ["off", "on"] {
        let (_, result) = world.json(&["--network", network, "python3 script.py"]);
        assert_eq!(kinds(&result), ["socket"], "{result}");
        let told = &result["sandbox_violations"][0];
        assert_eq!(told["path"], path.to_str().unwrap(), "{result}");
        assert_eq!(told["missing"], "", "{result}");
    }
    // One that nobody listens at any more is no wall.
    drop(listener);
    let (_, result) = world.json(&["python3 script.py"]);
    assert!(kinds(&result).is_empty(), "{result}");
}

/// Callers for whom there is no room hold up neither the keeper nor their own end.
#[test]
fn callers_that_wait_hold_up_nobody_else() {
    let world = World::unjudged();
    let hostile = r#"
import fcntl
full = unix(); full.bind("/tmp/full"); full.listen(0); unix().connect("/tmp/full")
def call():
    caller = unix()
    def flip():
        while True:
            try: fcntl.fcntl(caller, 4, os.O_NONBLOCK); fcntl.fcntl(caller, 4, 0)
            except OSError: return
    threading.Thread(target=flip, daemon=True).start()
    while True:
        try: caller.connect("/tmp/full")
        except OSError: pass
for _ in range(40): threading.Thread(target=call, daemon=True).start()
open("up", "w").close(); time.sleep(60)
"#;
    world.write("hostile.py", format!("{BEGIN}{hostile}"));
    let begin = [
        "--session",
        "s",
        "--timeout",
        "40s",
        "exec python3 hostile.py",
    ];
    let task = world.background(&begin);
    assert!(eventually(|| world.workspace().join("up").exists()));
    let began = Instant::now();
    for _ in 0..5 {
        assert_eq!(output(&world, &["--session", "s"], "echo on"), "on\n");
    }
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
    let began = Instant::now();
    world.call(&["kill", task["task_id"].as_str().unwrap()]);
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
}
