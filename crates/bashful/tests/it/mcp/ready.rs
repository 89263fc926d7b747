//! Made ahead: when a client has said hello, its first command finds a room.

use std::time::Duration;

use super::client::{Client, Manner, text_of};
use crate::support::{World, eventually};

/// Long enough for a keeper to start and to build a room, also on a busy machine.
const PAUSE: Duration = Duration::from_secs(3);

/// Prints how old the first process of the run is, in hundredths of a second.
const AGE: &str = "read -r up _ < /proc/uptime; read -r -a stat < /proc/1/stat
    echo \"age $((${up/./} - ${stat[21]}))\"";

#[test]
fn the_first_command_gets_into_what_was_made_before_it_came() {
    let world = World::unjudged();
    let mut client = Client::greeted(&world, &["--policy", "none"], Manner::plain());
    std::thread::sleep(PAUSE);
    // Nothing was run, and nothing is on record.
    assert!(world.records().is_empty(), "{:?}", world.records());
    let text = text_of(&client.run(AGE));
    let age = text.lines().find_map(|line| line.strip_prefix("age "));
    let age: u64 = age.unwrap_or_else(|| panic!("{text}")).parse().unwrap();
    assert!(age > 30, "its first process was made only now: {age}");
    client.end();
}

/// A machine on which nothing was ever run: the directories of tasks are not there yet.
#[test]
fn a_keeper_that_was_ready_first_keeps_nothing_of_ended_runs() {
    let world = World::unjudged();
    let mut client = Client::greeted(&world, &["--policy", "none"], Manner::plain());
    std::thread::sleep(PAUSE);
    for _ in 0..20 {
        let text = text_of(&client.run("true"));
        assert!(text.contains("exit code 0"), "{text}");
    }
    let few = || {
        let counts = descriptors_of_keepers(&world);
        !counts.is_empty() && counts.iter().all(|count| *count < 70)
    };
    assert!(eventually(few), "{:?}", descriptors_of_keepers(&world));
    client.end();
}

/// How many files each process has open that has one of this world.
fn descriptors_of_keepers(world: &World) -> Vec<usize> {
    let root = world.path("");
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let open = processes.filter_map(|process| {
        let open = std::fs::read_dir(process.path().join("fd")).ok()?;
        let open = open.flatten().map(|open| std::fs::read_link(open.path()));
        let open: Vec<_> = open.flatten().collect();
        let is_ours = open.iter().any(|path| path.starts_with(&root));
        is_ours.then_some(open.len())
    });
    open.collect()
}
