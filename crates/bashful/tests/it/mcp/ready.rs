//! Made ahead: when a client has said hello, its first command finds a room.

use std::time::Duration;

use super::client::{Client, Manner, text_of};
use crate::support::World;

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
    assert!(
        age(&mut client) > 30,
        "its first process was made only when it came"
    );
    client.end();
}

/// On a machine on which nothing was ever run, the directories of tasks are not there yet. That these
/// cannot be made ahead keeps nobody from the rest: what is left is tidied, and rooms are made.
#[test]
fn later_commands_too_where_nothing_was_ever_run() {
    let world = World::unjudged();
    let mut client = Client::greeted(&world, &["--policy", "none"], Manner::plain());
    std::thread::sleep(PAUSE);
    for _ in 0..2 {
        client.run("true");
        std::thread::sleep(PAUSE);
        assert!(
            age(&mut client) > 30,
            "its first process was made only when it came"
        );
    }
    client.end();
}

/// How old the first process of a run is, in hundredths of a second.
fn age(client: &mut Client) -> u64 {
    let text = text_of(&client.run(AGE));
    let age = text.lines().find_map(|line| line.strip_prefix("age "));
    age.unwrap_or_else(|| panic!("{text}")).parse().unwrap()
}
