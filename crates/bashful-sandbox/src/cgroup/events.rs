//! What happened in a control group.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::time::Duration;

use super::find::Version;
use super::group::{Cgroup, Node};
use super::limits::Controller;

/// What the kernel counted. What the group has no directory for stays zero or absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Events {
    /// Processes killed because memory had run out.
    pub(crate) out_of_memory: u64,
    /// New processes and threads that were refused.
    pub(crate) processes_refused: u64,
    /// Processor time of all processes together.
    pub(crate) cpu_time: Option<Duration>,
}

impl Cgroup {
    /// What happened in it so far.
    pub(crate) fn events(&self) -> Events {
        let mut events = Events::default();
        if let Some(node) = self.node(Controller::Memory) {
            node.count_memory(&mut events);
        }
        // On version 2 it is there whether or not a limit was asked for.
        let processes = self.node(Controller::Processes).or(self.unified_node());
        if let Some(node) = processes {
            events.processes_refused = node.entry(PROCESSES, "max").unwrap_or(0);
        }
        let time = self.node(Controller::CpuTime).or(self.unified_node());
        events.cpu_time = time.and_then(Node::cpu_time);
        events
    }

    fn unified_node(&self) -> Option<&Node> {
        self.nodes.iter().find(|node| node.version == Version::Two)
    }
}

const PROCESSES: &str = "pids.events";

impl Node {
    /// Opens what is read at the end of every run. What cannot be opened is tried again then.
    pub(super) fn keep_open(&mut self) {
        for name in [self.memory_file(), PROCESSES] {
            let file = File::open(self.directory.join(name));
            self.kept.extend(file.ok().map(|file| (name, file)));
        }
    }

    fn memory_file(&self) -> &'static str {
        match self.version {
            Version::One => "memory.oom_control",
            Version::Two => "memory.events",
        }
    }

    fn count_memory(&self, events: &mut Events) {
        let killed = self.entry(self.memory_file(), "oom_kill");
        events.out_of_memory = killed.unwrap_or(0);
    }

    fn cpu_time(&self) -> Option<Duration> {
        match self.version {
            Version::One => self.number("cpuacct.usage").map(Duration::from_nanos),
            Version::Two => self
                .entry("cpu.stat", "usage_usec")
                .map(Duration::from_micros),
        }
    }

    fn number(&self, file: &str) -> Option<u64> {
        self.text(file)?.trim().parse().ok()
    }

    /// The number behind this word at the beginning of a line.
    fn entry(&self, file: &str, word: &str) -> Option<u64> {
        self.text(file)?.lines().find_map(|line| {
            let mut words = line.split_ascii_whitespace();
            words.next().filter(|first| *first == word)?;
            words.next()?.parse().ok()
        })
    }

    fn text(&self, name: &str) -> Option<String> {
        // They are short, and the kernel gives them whole.
        const MOST: usize = 1024;
        let Some((_, kept)) = self.kept.iter().find(|(kept, _)| *kept == name) else {
            return fs::read_to_string(self.directory.join(name)).ok();
        };
        let mut bytes = [0; MOST];
        let length = kept.read_at(&mut bytes, 0).ok()?;
        String::from_utf8(bytes.get(..length)?.to_vec()).ok()
    }
}
