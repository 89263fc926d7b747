//! Ending all that is in a control group.

use std::collections::HashSet;
use std::fs;
use std::time::Duration;

use rustix::process::Signal;

use super::find::Version;
use super::group::{Cgroup, Node};
use crate::tree::{Process, signal_process};

impl Cgroup {
    /// Kills every process in it and removes it, if that works within a moment.
    pub(crate) fn kill_and_remove(self) {
        self.kill();
        let mut group = Some(self);
        for _ in 0..50 {
            match group.take().map(Self::remove) {
                Some(Err(busy)) => group = Some(busy),
                _ => break,
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Kills every process in it. They may need a moment to be gone.
    pub(crate) fn kill(&self) {
        for node in &self.nodes {
            let at_once =
                node.version == Version::Two && self.write(node, "cgroup.kill", "1").is_ok();
            if !at_once {
                node.kill_one_by_one();
            }
        }
    }
}

impl Node {
    /// A process that is killed forks no more, so that a round that finds no new one is the
    /// last. What forks faster than this kills is left to the next call.
    fn kill_one_by_one(&self) {
        let mut seen: HashSet<Process> = HashSet::new();
        for _ in 0..MOST_ROUNDS {
            let found: Vec<Process> = self
                .members()
                .into_iter()
                .filter_map(Process::find)
                .collect();
            // A number may have passed to a stranger before its start time was read.
            // A stranger is not in the second list.
            let still: HashSet<i32> = self.members().into_iter().collect();
            let mut anybody_new = false;
            for process in found {
                if still.contains(&process.pid) && seen.insert(process) {
                    anybody_new = true;
                    signal_process(process, Signal::KILL);
                }
            }
            if !anybody_new {
                return;
            }
        }
    }

    /// The processes in it; `tasks` would list threads, which have no handle.
    pub(super) fn members(&self) -> Vec<i32> {
        let text = fs::read_to_string(self.directory.join("cgroup.procs")).unwrap_or_default();
        text.split_ascii_whitespace()
            .filter_map(|pid| pid.parse().ok())
            .filter(|&pid| pid > 0)
            .collect()
    }
}

const MOST_ROUNDS: usize = 64;
