//! Fault rounds: `kill -9` of the caller and of the keeper at random moments.
//!
//! After each round nothing of the run is alive, and what the caller was told and what
//! is on record agree. Each test works for `BASHFUL_SOAK_SECONDS`, or a few seconds; every
//! other round is one without a sandbox.

#![expect(
    clippy::disallowed_methods,
    reason = "tests start the executable from outside, not through the door it has"
)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests may fail the test and say why"
)]

#[expect(dead_code, reason = "the rounds need a part of it")]
#[path = "it/support/processes.rs"]
mod processes;
#[expect(dead_code, reason = "the rounds need a part of it")]
#[path = "it/support/records.rs"]
mod records;
#[expect(dead_code, reason = "the rounds need a part of it")]
#[path = "it/support/running.rs"]
mod running;
#[expect(dead_code, reason = "the rounds need a part of it")]
#[path = "it/support/world.rs"]
mod world;

use std::fs;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use processes::{Marker, eventually, is_alive};
use running::{Outcome, Running};
use world::World;

/// Works in rounds until the time is over, with numbers that a failure can name.
#[expect(clippy::print_stdout, reason = "a failed round shows how to repeat it")]
fn rounds(mut round: impl FnMut(&World, &mut Random)) {
    let seconds = std::env::var("BASHFUL_SOAK_SECONDS").ok();
    let seconds = seconds.map_or(3, |text| text.parse().unwrap());
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let mut random = Random::new();
    let worlds: Vec<World> = World::both().collect();
    let mut count = 0;
    for world in worlds.iter().cycle() {
        if count >= 4 && Instant::now() >= deadline {
            break;
        }
        count += 1;
        let walls = world.walls();
        println!("round {count}, {walls:?}, random state {:#x}", random.0);
        round(world, &mut random);
    }
}

/// xorshift64: enough to choose moments.
struct Random(u64);

impl Random {
    fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let seed = u64::from(now.subsec_nanos()) << 20 ^ u64::from(std::process::id());
        Self(seed | 1)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// Waits for less than this, most often for much less.
    fn pause(&mut self, longest: Duration) {
        let longest = u64::try_from(longest.as_micros()).unwrap();
        let most = (longest >> self.below(6)).max(1);
        std::thread::sleep(Duration::from_micros(self.below(most)));
    }
}

/// A command that leaves a daemon, prints, and exits with 3 after a moment.
fn short(marker: &Marker) -> String {
    let sleep = marker.sleep();
    format!("setsid {sleep} & echo start; sleep 0.15; echo end; exit 3")
}

/// A command that is hard to end and does not end by itself.
fn endless(marker: &Marker) -> String {
    let sleep = marker.sleep();
    format!(
        "setsid {sleep} & (trap '' TERM; exec {sleep}) & env -i {sleep} & yes {sleep} >/dev/null"
    )
}

/// The keeper of the session that the rounds share.
fn keeper(world: &World) -> i32 {
    let (code, result) = world.json(&["--session", "faults", "true"]);
    assert_eq!(code, 0, "{result}");
    world.keeper_of(&result).0
}

fn kill(pid: i32) {
    assert!(pid > 1, "{pid} is nobody's keeper");
    // A keeper that is gone already needs no killing.
    let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
}

/// Whether a task says how it ended, or that it ran under a keeper that is dead.
fn is_truthful(record: &Value) -> bool {
    let keeper = &record["keeper"];
    let pid = i32::try_from(keeper["pid"].as_i64().unwrap()).unwrap();
    match record["phase"].as_str() {
        Some("finished") => record["ending"].is_string(),
        Some("running") => !is_alive(pid, keeper["started"].as_u64().unwrap()),
        _ => panic!("{record}"),
    }
}

/// Soon nothing of the run is alive and all records are true, and that stays so: what
/// a dead caller had asked for may only just be about to start.
fn assert_over(world: &World, marker: &Marker) {
    let lies = || -> Vec<Value> {
        let mut records = world.records();
        records.retain(|record| !is_truthful(record));
        records
    };
    let is_over = || marker.anybody().is_empty() && lies().is_empty();
    for _ in 0..2 {
        eventually(is_over);
        std::thread::sleep(Duration::from_millis(50));
    }
    eventually(is_over);
    marker.assert_gone();
    assert_eq!(lies(), [] as [Value; 0]);
    assert_eq!(world.status(), [] as [Value; 0]);
}

/// What a caller was told of a [`short`] command: its own answer and the record of it,
/// or that the keeper died, and no record of another ending.
fn assert_agrees(outcome: &Outcome, earlier: &[Value], records: &[Value]) {
    let new: Vec<&Value> = records.iter().filter(|it| !earlier.contains(it)).collect();
    assert!(new.len() <= 1, "{new:?}");
    let finished = new.iter().find(|record| record["phase"] == "finished");
    match outcome.code {
        3 => {
            assert_eq!(outcome.stdout, "start\nend\n", "{outcome:?}");
            let record = finished.unwrap_or_else(|| panic!("{outcome:?} but {new:?}"));
            assert_eq!(
                (&record["ending"], &record["exit_code"]),
                (&"exited".into(), &3.into())
            );
        }
        125 => {
            assert!(outcome.stderr.contains("keeper"), "{outcome:?}");
            assert!("start\nend\n".starts_with(&outcome.stdout), "{outcome:?}");
            assert!(finished.is_none(), "{outcome:?} but {new:?}");
        }
        _ => panic!("{outcome:?}"),
    }
}

#[test]
fn killing_the_caller_at_any_moment() {
    rounds(|world, random| {
        let marker = Marker::fresh();
        let text = match random.below(2) {
            0 => short(&marker),
            _ => endless(&marker),
        };
        let session: &[&str] = match random.below(2) {
            0 => &[],
            _ => &["--session", "faults"],
        };
        let earlier = world.records();
        let running = world.start(&[session, &[text.as_str()]].concat());
        random.pause(Duration::from_millis(400));
        running.signal(Signal::KILL);
        let code = running.end().code;
        assert_over(world, &marker);
        for record in world.records().iter().filter(|it| !earlier.contains(it)) {
            // The keeper lives, so it has the last word.
            assert_eq!(record["phase"], "finished", "{record}");
            match record["ending"].as_str() {
                Some("caller_gone") => assert_eq!(code, 137),
                Some("exited") => assert_eq!(record["exit_code"], 3, "{record}"),
                _ => panic!("{record}"),
            }
        }
    });
}

#[test]
fn killing_the_keeper_of_a_running_command() {
    rounds(|world, random| {
        let marker = Marker::fresh();
        let earlier = world.keepers();
        let running = world.start(&[endless(&marker)]);
        let mut fresh = Vec::new();
        assert!(eventually(|| {
            fresh = world.keepers();
            fresh.retain(|keeper| !earlier.contains(keeper));
            !fresh.is_empty()
        }));
        random.pause(Duration::from_millis(200));
        kill(fresh[0].0);
        let outcome = running.end().outcome();
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (125, ""),
            "{outcome:?}"
        );
        assert!(outcome.stderr.contains("keeper"), "{outcome:?}");
        assert_over(world, &marker);
    });
}

#[test]
fn killing_the_keeper_of_a_session_at_any_moment() {
    rounds(|world, random| {
        let keeper = keeper(world);
        let earlier = world.records();
        let marker = Marker::fresh();
        let running = world.start(&["--session", "faults", &short(&marker)]);
        random.pause(Duration::from_millis(500));
        kill(keeper);
        let outcome = running.end().outcome();
        assert_over(world, &marker);
        assert_agrees(&outcome, &earlier, &world.records());
    });
}

#[test]
fn killing_both_at_any_moment() {
    rounds(|world, random| {
        let keeper = keeper(world);
        let marker = Marker::fresh();
        let running = world.start(&["--session", "faults", &endless(&marker)]);
        random.pause(Duration::from_millis(200));
        let caller_first = random.below(2) == 0;
        if caller_first {
            running.signal(Signal::KILL);
        }
        random.pause(Duration::from_millis(20));
        kill(keeper);
        if !caller_first {
            random.pause(Duration::from_millis(20));
            running.signal(Signal::KILL);
        }
        running.end();
        assert_over(world, &marker);
    });
}

#[test]
fn killing_a_keeper_with_several_runs() {
    rounds(|world, random| {
        let keeper = keeper(world);
        let runs: Vec<(Marker, Running)> = (0..4)
            .map(|_| {
                let marker = Marker::fresh();
                let running = world.start(&["--session", "faults", &short(&marker)]);
                (marker, running)
            })
            .collect();
        random.pause(Duration::from_millis(500));
        kill(keeper);
        for (marker, running) in runs {
            let outcome = running.end().outcome();
            let told = outcome.code == 3 || outcome.stderr.contains("keeper");
            assert!(matches!(outcome.code, 3 | 125) && told, "{outcome:?}");
            assert_over(world, &marker);
        }
        // Nothing of a dead keeper stays in the way of the next.
        let directory = world.path("run/bashful");
        let sockets = fs::read_dir(directory).unwrap().count();
        assert!(sockets <= 2, "{sockets} files");
    });
}
