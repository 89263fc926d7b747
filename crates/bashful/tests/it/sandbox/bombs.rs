//! Bombs, inside limits: each ends with the right word, and others hardly notice.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{kinds, printed};
use crate::support::{Running, World};

/// How long a quiet call of another session takes, by the middle one of five.
fn pace(world: &World) -> Duration {
    let mut times: Vec<Duration> = (0..5)
        .map(|_| {
            let began = Instant::now();
            let outcome = world.run(&["--session", "other", "true"]);
            assert_eq!(outcome.code, 0, "{outcome:?}");
            began.elapsed()
        })
        .collect();
    times.sort();
    times[2]
}

/// Lets a bomb go while another session works, and returns its result. Whether the limit holds at
/// all is tried with a harmless command first.
fn bomb(world: &World, flags: &[&str], text: &str) -> serde_json::Value {
    pace(world);
    let before = pace(world);
    let began = Instant::now();
    let mut command = world.run_command(&["--json", "--session", "bomb"]);
    command.args(flags).arg(text);
    let run = Running::start(command);
    let during = pace(world);
    let ended = run.end();
    let took = began.elapsed();
    let (_, result) = ended.outcome().json();
    assert!(took < Duration::from_secs(15), "{took:?}");
    let bound = before * 2 + Duration::from_millis(50);
    assert!(during <= bound, "{during:?} while {before:?} is usual");
    assert_eq!(
        world.run(&["--session", "bomb", "echo alive"]).stdout,
        "alive\n"
    );
    result
}

/// Whether the host limits all processes of a run together; otherwise each by itself.
fn has_groups(world: &World) -> bool {
    let (_, result) = world.json(&["true"]);
    result["enforcement"]["resources"] == "full"
}

#[test]
fn heavy_a_fork_bomb() {
    let world = World::unjudged();
    // Does the limit hold? Thirty sleepers against a limit of twenty.
    let text = "python3 -c \"
import os, time
made = 0
try:
    while made < 30:
        if os.fork() == 0: time.sleep(5); os._exit(0)
        made += 1
except OSError: pass
print('held' if made < 20 else 'not held')\"";
    let flags = ["--processes", "20", "--allow", "fork-bomb"];
    assert_eq!(printed(&world, &flags, text), "held\n");
    world.write(
        "bomb.py",
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n",
    );
    let flags = ["--processes", "200", "--timeout", "3s"];
    let result = bomb(&world, &flags, "python3 bomb.py");
    assert_eq!(result["status"], "timed_out", "{result}");
    if has_groups(&world) {
        assert_eq!(kinds(&result), ["processes"], "{result}");
    }
}

#[test]
fn heavy_a_memory_bomb() {
    let world = World::unjudged();
    let held = "python3 -c \"block = bytearray(150 << 20); print('not held')\"";
    let seen = printed(&world, &["--memory", "100M"], held);
    assert_eq!(seen, "");
    let text = "python3 -c \"
blocks = []
while True: blocks.append(bytearray(8 << 20))\"";
    let result = bomb(&world, &["--memory", "200M", "--timeout", "10s"], text);
    assert_eq!(result["success"], false, "{result}");
    // A group counts it, or the keeper does.
    assert_eq!(kinds(&result), ["memory"], "{result}");
}

#[test]
fn heavy_a_disk_filler() {
    let world = World::unjudged();
    let held = "head -c 8M /dev/zero > /tmp/fill || echo held";
    assert_eq!(printed(&world, &["--tmp-size", "4M"], held), "held\n");
    let text = "cat /dev/zero > /tmp/fill";
    let flags = [
        "--tmp-size",
        "256M",
        "--timeout",
        "10s",
        "--allow",
        "disk-fill",
    ];
    let result = bomb(&world, &flags, text);
    assert_eq!(
        json!([result["exit_code"], kinds(&result)]),
        json!([1, ["disk"]]),
        "{result}"
    );
}
