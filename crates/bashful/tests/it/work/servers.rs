//! What calls of one session leave for the next, and what other sessions see of it.

use serde_json::{Value, json};

use super::{attempt, work_with};
use crate::support::World;

const SERVER: &str = "mkdir -p site && echo page > site/page && cd site && \
                      python3 -m http.server 8077 --bind 127.0.0.1 > /tmp/server.log 2>&1 & \
                      echo started";

/// Asks until the server answers, at most ten seconds.
const CLIENT: &str = "for turn in $(seq 100); do \
                      curl -sf http://127.0.0.1:8077/page && exit; sleep 0.1; done; exit 1";

#[test]
fn a_server_of_one_call_answers_the_next() {
    let world = World::new();
    let session = ["--session", "s"];
    let started = attempt(&world, &["--session", "s", "--survivors", "adopt"], SERVER);
    assert_eq!((started.code, started.stdout.as_str()), (0, "started\n"));
    assert_eq!(work_with(&world, &session, CLIENT), "page\n");
    let python = "import urllib.request as r; \
                  print(r.urlopen('http://localhost:8077/page').read().decode(), end='')";
    let text = format!("python3 -c \"{python}\"");
    assert_eq!(work_with(&world, &session, &text), "page\n");
    // Its log is in the same place for both.
    let log = work_with(&world, &session, "grep -c 'GET /page' /tmp/server.log");
    assert_eq!(log, "2\n");

    // No other process reaches it: not another session, not the host.
    let quick = "curl -sf -m 2 http://127.0.0.1:8077/page";
    assert_eq!(attempt(&world, &["--session", "other"], quick).code, 7);
    let outside = world
        .program("curl")
        .args(["-sf", "-m", "2", "http://127.0.0.1:8077/page"])
        .output();
    assert_ne!(outside.unwrap().stdout, b"page\n");

    let stopped = world.call(&["stop", "--all"]);
    assert_eq!((stopped.code, stopped.stdout.as_str()), (0, "Stopped 1.\n"));
    assert_eq!(world.status(), [] as [Value; 0]);
    assert_eq!(attempt(&world, &session, quick).code, 7);
}

#[test]
fn two_sessions_never_meet() {
    let world = World::new();
    let one = ["--session", "one"];
    let other = ["--session", "other"];
    work_with(
        &world,
        &one,
        "echo one > /tmp/mark; echo one > /dev/shm/mark",
    );
    let names = work_with(
        &world,
        &other,
        "ls /tmp/mark /dev/shm/mark 2> /dev/null; echo looked",
    );
    assert_eq!(names, "looked\n");
    work_with(&world, &other, "echo other > /tmp/mark");
    assert_eq!(
        work_with(&world, &one, "cat /tmp/mark /dev/shm/mark"),
        "one\none\n"
    );
    // Both have the workspace.
    work_with(&world, &one, "echo shared > file");
    assert_eq!(work_with(&world, &other, "cat file"), "shared\n");
    // And both can listen on the same port.
    let listen = "python3 -c \"import socket, time; s = socket.socket(); \
                  s.bind(('127.0.0.1', 8078)); s.listen(); print('listens', flush=True); \
                  time.sleep(60)\" & sleep 0.5; true";
    for session in ["one", "other"] {
        let flags = ["--session", session, "--survivors", "adopt"];
        let outcome = attempt(&world, &flags, listen);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (0, "listens\n"),
            "{outcome:?}"
        );
    }
    assert_eq!(world.status().len(), 2);
    assert_eq!(world.call(&["stop", "--all"]).code, 0);
}

#[test]
fn system_v_objects_stay_in_their_room() {
    let world = World::new();
    let make = "ipcmk -M 4096 > /dev/null; ipcs -m | grep -c 4096";
    assert_eq!(work_with(&world, &["--session", "one"], make), "1\n");
    let look = "ipcs -m | grep -c 4096; true";
    assert_eq!(work_with(&world, &["--session", "one"], look), "1\n");
    assert_eq!(work_with(&world, &["--session", "other"], look), "0\n");
}

#[test]
fn processes_of_one_session_see_only_their_own_run() {
    let world = World::new();
    let flags = ["--session", "s", "--survivors", "adopt"];
    let outcome = attempt(&world, &flags, "sleep 543 & echo started");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let seen = work_with(
        &world,
        &["--session", "s"],
        "ps -eo args | grep -c '[s]leep 543'; true",
    );
    let running = world.status().len();
    assert_eq!(json!([seen, running]), json!(["0\n", 1]));
    assert_eq!(world.call(&["stop", "--all"]).code, 0);
}
