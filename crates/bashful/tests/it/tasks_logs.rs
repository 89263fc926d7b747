//! `bashful logs`: what a task printed, and what it prints.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Marker, Running, Terminal, World, eventually, seq};
use crate::tasks::id;

#[test]
fn all_of_it_or_some() {
    let world = World::new();
    let command =
        "echo out; sleep 0.1; echo err >&2; sleep 0.1; printf 'caf\\303\\251 \\377\\nend'";
    let (_, told) = world.json(&[command]);
    let logs = |arguments: &[&str]| {
        let ended =
            Running::start(world.bashful(&[&["logs", id(&told)], arguments].concat())).end();
        assert_eq!(ended.code, 0, "{:?}", ended.outcome());
        ended.stdout
    };
    assert_eq!(logs(&[]), b"out\nerr\ncaf\xc3\xa9 \xff\nend");
    assert_eq!(logs(&["-f"]), b"out\nerr\ncaf\xc3\xa9 \xff\nend");
    assert_eq!(logs(&["--stream", "stderr"]), b"err\n");
    assert_eq!(logs(&["--stream", "stdout"]), b"out\ncaf\xc3\xa9 \xff\nend");
    assert_eq!(logs(&["--since", "4"]), b"err\ncaf\xc3\xa9 \xff\nend");
    assert_eq!(logs(&["--tail", "1"]), b"end");
    assert_eq!(logs(&["--tail", "0"]), b"");
    assert_eq!(logs(&["-f", "--tail", "0"]), b"");
    let pieces: Vec<Value> = String::from_utf8(logs(&["--json"]))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        pieces,
        [
            json!({ "v": 1, "stream": "stdout", "offset": 0, "next": 4, "text": "out\n" }),
            json!({ "v": 1, "stream": "stderr", "offset": 4, "next": 8, "text": "err\n" }),
            json!({
                "v": 1, "stream": "stdout", "offset": 8, "next": 19, "text": "caf\u{e9} \u{fffd}\nend",
            }),
        ]
    );
    assert_eq!(logs(&["--tail", "2"]), b"caf\xc3\xa9 \xff\nend");
    assert_eq!(logs(&["--grep", "^(out|end)$"]), b"out\nend\n");
    assert_eq!(logs(&["--grep", "r", "--stream", "stdout"]), b"");
    let wrong = world.call(&["logs", id(&told), "--grep", "("]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
    let past = world.call(&["logs", id(&told), "--since", "4000"]);
    assert_eq!(past.code, 2, "{past:?}");
    assert!(past.stderr.contains("--since 19"), "{past:?}");
    assert!(!past.stderr.contains("`next`"), "{past:?}");
}

#[test]
fn following_shows_each_line_soon_and_ends_with_the_task() {
    let world = World::new();
    let command = "for i in $(seq 1 20); do date +%s%N; sleep 0.05; done; exit 9";
    let told = world.background(&[command]);
    let mut child = world
        .bashful(&["logs", "-f", id(&told)])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut delays = Vec::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap();
        let printed: u64 = line.unwrap().parse().unwrap();
        delays.push(now.saturating_sub(Duration::from_nanos(printed)));
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(delays.len(), 20);
    delays.sort_unstable();
    // The bar is 50 ms; a busy machine gets more.
    assert!(delays[10] < Duration::from_millis(250), "{delays:?}");
}

#[test]
fn an_interrupt_ends_the_following_and_not_the_task() {
    let world = World::new();
    let marker = Marker::fresh();
    let told = world.background(&[&format!("echo x; {}", marker.sleep())]);
    marker.wait_for(1);
    let following = Running::start(world.bashful(&["logs", "-f", id(&told)]));
    std::thread::sleep(Duration::from_millis(500));
    following.signal(Signal::INT);
    let ended = following.end().outcome();
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "x\n"));
    assert_eq!(world.task(id(&told))["state"], "running");
    assert_eq!(world.call(&["kill", id(&told)]).code, 0);
    marker.assert_gone();
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let world = World::new();
    let (_, told) = world.json(&["seq 1 200000"]);
    let mut child = world
        .bashful(&["logs", id(&told)])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut some = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut some).unwrap();
    let mut talk = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut talk)
        .unwrap();
    child.wait().unwrap();
    assert_eq!(talk, "");
    // Also while there is nothing to write.
    let told = world.background(&["echo x; sleep 60"]);
    let mut child = world
        .bashful(&["logs", "-f", id(&told)])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut some[..2]).unwrap();
    drop(stdout);
    let over = eventually(|| child.try_wait().unwrap().is_some());
    if !over {
        kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    }
    assert!(over);
    assert_eq!(world.call(&["kill", "--now", id(&told)]).code, 0);
}

#[test]
fn a_reader_that_crashed_reads_on_where_it_was() {
    let world = World::new();
    let (_, told) = world.json(&["seq 1 1000"]);
    let whole = seq(1, 1000);
    let half = whole.len() / 2;
    let rest = world.call(&["logs", id(&told), "--since", &half.to_string()]);
    assert_eq!(Some(rest.stdout.as_str()), whole.get(half..));
}

#[test]
fn escapes_do_not_act_on_a_terminal_unless_wanted() {
    let world = World::new();
    let (_, told) = world.json(&["printf 'a\\033]0;title\\007\\033[2Jb\\033[31mred\\033[0m\\n'"]);
    let piped = Running::start(world.bashful(&["logs", id(&told)])).end();
    assert_eq!(
        piped.stdout,
        b"a\x1b]0;title\x07\x1b[2Jb\x1b[31mred\x1b[0m\n"
    );
    let (code, screen) = Terminal::bashful(&world, &["logs", id(&told)]).end();
    assert_eq!(code, 0);
    assert!(!screen.contains("\u{1b}]0;") && !screen.contains("\u{1b}[2J"));
    assert!(screen.contains("title"), "{screen:?}");
    let (_, raw) = Terminal::bashful(&world, &["logs", "--raw", id(&told)]).end();
    assert!(raw.contains("\u{1b}]0;title"), "{raw:?}");
}

#[test]
fn many_followers_see_every_line() {
    let world = World::new();
    let told = world.background(&["for i in $(seq 1 2000); do echo $i; done; sleep 0.3; echo end"]);
    let began = Instant::now();
    let followers: Vec<Running> = (0..6)
        .map(|_| Running::start(world.bashful(&["logs", "-f", id(&told)])))
        .collect();
    for follower in followers {
        let ended = follower.end().outcome();
        assert_eq!((ended.code, ended.stdout), (0, seq(1, 2000) + "end\n"));
    }
    assert!(began.elapsed() < Duration::from_secs(60));
}
