//! A room that was made ahead of time serves the next run that wants one of its own, and no run that
//! it was not made for.

use std::fs;
use std::process::Command;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::{is_root, text};
use crate::support::{Marker, World, eventually, parent_of};

/// A session of which a run has wanted a room of its own.
struct Wanted {
    world: World,
}

impl Wanted {
    fn new() -> Self {
        let wanted = Self {
            world: World::unjudged(),
        };
        wanted.run(&[], "true");
        wanted
    }

    fn run(&self, flags: &[&str], command: &str) -> String {
        let fresh = [&["--session", "s", "--fresh"], flags].concat();
        super::output(&self.world, &fresh, command)
    }

    /// What waits in the spare room, while no run goes on: the only child of the keeper, with what
    /// will become the command below it.
    fn ahead(&self) -> i32 {
        let [(keeper, _)] = self.world.living_keepers()[..] else {
            panic!("not one keeper: {:?}", self.world.living_keepers())
        };
        let waiting = || match children(keeper)[..] {
            [first] if children(first).len() == 1 => Some(first),
            _ => None,
        };
        let mut found = None;
        let rests = || {
            found = waiting();
            std::thread::sleep(Duration::from_millis(100));
            found.is_some() && found == waiting()
        };
        assert!(eventually(rests));
        found.unwrap()
    }

    /// Whether a run in a fresh room with these flags is in the room that was made ahead. Another
    /// test that mounts something makes it be refused once.
    fn is_used_for(&self, flags: &[&str]) -> bool {
        eventually(|| self.is_used_after(|| {}, flags))
    }

    /// Whether the next such run is, where this happens before.
    fn is_used_after(&self, act: impl FnOnce(), flags: &[&str]) -> bool {
        let ahead = self.ahead();
        act();
        let marker = Marker::fresh();
        let sleep = marker.sleep();
        let words = [&["--session", "s", "--fresh"], flags, &[&sleep]].concat();
        let running = self.world.start(&words);
        marker.wait_for(1);
        let sleeper = marker.sleepers()[0];
        let ancestors = std::iter::successors(Some(sleeper), |pid| Some(parent_of(*pid)));
        let is_used = ancestors.take_while(|pid| *pid > 1).any(|pid| pid == ahead);
        kill_process(Pid::from_raw(sleeper).unwrap(), Signal::TERM).unwrap();
        running.end();
        is_used
    }
}

fn children(of: i32) -> Vec<i32> {
    // One that has ended has none.
    let list = fs::read_to_string(format!("/proc/{of}/task/{of}/children")).unwrap_or_default();
    list.split_whitespace()
        .map(|pid| pid.parse().unwrap())
        .collect()
}

#[test]
fn the_next_run_in_a_fresh_room_has_it_and_finds_nothing_in_it() {
    let wanted = Wanted::new();
    for _ in 0..2 {
        assert!(wanted.is_used_for(&[]));
    }
    wanted.ahead();
    let found = wanted.run(&[], "ls -A /tmp; echo x > /tmp/left");
    assert_eq!(found, wanted.run(&[], "ls -A /tmp"));
}

#[test]
fn a_run_with_other_bounds_does_not_have_it() {
    let wanted = Wanted::new();
    for flags in [
        &["--preset", "read-only"][..],
        &["--network", "on"],
        &["--read", "/var/log"],
    ] {
        assert!(!wanted.is_used_after(|| {}, flags), "{flags:?}");
        // The next one was made for these.
        assert!(wanted.is_used_for(flags), "{flags:?}");
    }
}

#[test]
fn what_changed_on_the_host_since_then_is_not_missed() {
    let wanted = Wanted::new();
    let world = &wanted.world;
    let appears = || drop(world.write(".envrc", "the person's\n"));
    assert!(!wanted.is_used_after(appears, &[]));
    world.run(&["--session", "s", "--fresh", "echo evil > .envrc; true"]);
    assert_eq!(world.read(".envrc"), "the person's\n");
    let workspace = world.workspace();
    let replace = || {
        fs::rename(&workspace, world.path("moved")).unwrap();
        fs::create_dir(&workspace).unwrap();
        world.write("new", "the new one\n");
    };
    assert!(!wanted.is_used_after(replace, &[]));
    assert_eq!(wanted.run(&[], "cat new"), "the new one\n");
}

#[test]
fn a_mount_that_appeared_is_in_the_next_room() {
    if !is_root() {
        println!("not tried: only root mounts");
        return;
    }
    let wanted = Wanted::new();
    let place = wanted.world.workspace().join("mounted");
    fs::create_dir(&place).unwrap();
    wanted.run(&[], "true");
    let mount = || {
        let arguments = ["-t", "tmpfs", "-o", "mode=755", "tmpfs", text(&place)];
        let mounted = Command::new("mount").args(arguments).status();
        assert!(mounted.unwrap().success());
        fs::write(place.join("file"), "on it\n").unwrap();
    };
    let is_used = wanted.is_used_after(mount, &[]);
    let seen = wanted
        .world
        .run(&["--session", "s", "--fresh", "cat mounted/file"]);
    let unmounted = Command::new("umount").arg("--lazy").arg(&place).status();
    assert!(unmounted.unwrap().success());
    assert_eq!((is_used, seen.stdout.as_str()), (false, "on it\n"));
}
