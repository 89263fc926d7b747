//! Whichever process dies, and whenever: every task gets a truthful end, and no process is left.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{Marker, Running, World, eventually, is_alive, is_long};
use crate::tasks::id;

/// Numbers that differ from run to run, and can be read off a failure.
struct Dice(u64);

impl Dice {
    fn new() -> Self {
        let seed = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_nanos();
        let seed = u64::try_from(seed % u128::from(u64::MAX)).unwrap() | 1;
        eprintln!("seed {seed}");
        Self(seed)
    }

    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }

    fn pause(&mut self, most_ms: u64) {
        std::thread::sleep(Duration::from_micros(self.below(most_ms * 1000)));
    }
}

/// Starts a task, and kills its starter, a keeper or a reader at a random moment.
fn round(world: &World, dice: &mut Dice, number: u64, marker: &Marker) {
    let command = match dice.below(3) {
        0 => format!("echo begun; {}", marker.sleep()),
        1 => "for i in $(seq 1 200); do echo $i; done; exit 3".to_owned(),
        _ => format!("trap '' TERM; echo begun; {} & wait", marker.sleep()),
    };
    let session = format!("s{}", number % 4);
    let starter = world.start(&["--background", "--session", &session, &command]);
    match number % 3 {
        // The starter.
        0 => {
            dice.pause(120);
            // It may have ended by itself.
            starter.signal(Signal::KILL);
            starter.end();
        }
        // A keeper: whichever there is.
        1 => {
            dice.pause(200);
            let keepers = world.living_keepers();
            if let Some((pid, started)) = keepers.first()
                && is_alive(*pid, *started)
            {
                let _ = kill_process(Pid::from_raw(*pid).unwrap(), Signal::KILL);
            }
            starter.end();
        }
        // A reader.
        _ => {
            let ended = starter.end().outcome();
            if let Some(task) = ended.stdout.lines().next() {
                let reader = Running::start(world.bashful(&["logs", "-f", task]));
                dice.pause(100);
                reader.signal(Signal::KILL);
                reader.end();
            }
        }
    }
}

#[test]
fn heavy_whoever_is_killed_every_task_has_a_truthful_end() {
    let rounds = if is_long() { 200 } else { 20 };
    let mut dice = Dice::new();
    let world = World::new();
    world.configure("[tasks]\nper_agent = 1000\n[limits]\nterm_grace = \"100ms\"\n");
    let marker = Marker::fresh();
    for number in 0..rounds {
        round(&world, &mut dice, number, &marker);
    }
    // What runs now has a keeper, and can be ended.
    let running = world.tasks(&[]);
    let ids: Vec<&str> = running.iter().map(id).collect();
    if !ids.is_empty() {
        let killed = world.call(&[&["kill"], &ids[..]].concat());
        assert_eq!(killed.code, 0, "{killed:?}");
    }
    let over = |task: &Value| ["finished", "lost"].contains(&task["state"].as_str().unwrap());
    // A start that was cut off counts as none only after half a minute.
    assert!(
        eventually(|| world.tasks(&["--all"]).iter().all(over)),
        "{:?}",
        world.tasks(&[])
    );
    for task in world.tasks(&["--all"]) {
        let ended_by_itself = task["exit_code"] == 3;
        let told = task["reason"].is_string();
        assert!(
            ended_by_itself || told || task["signal"].is_string(),
            "{task}"
        );
    }
    marker.assert_gone_soon();
    let verified = world.call(&["audit", "verify"]);
    assert_eq!(verified.code, 0, "{verified:?}");
}
