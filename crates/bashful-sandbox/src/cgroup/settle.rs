//! A place in the unified hierarchy: a directory of ours that hands controllers
//! down to the groups in it.

use std::fs;
use std::path::{Path, PathBuf};

use super::find::{Host, Version, can_write, has, probe};
use super::limits::Controller;
use super::owner::Owner;
use super::places::Place;

/// A directory that groups of version 2 can be made in.
pub(super) struct Parent {
    pub(super) directory: PathBuf,
    pub(super) controllers: Vec<Controller>,
    pub(super) most_processes: Option<u64>,
}

impl Host<'_> {
    /// The best place for the wanted controllers.
    pub(super) fn unified_parent(
        &self,
        owner: Owner,
        place: &Place,
        wanted: &[Controller],
    ) -> Option<Parent> {
        let own = self.locate(&place.own);
        let mounted = self.locate(&place.mounted);
        let mut best: Option<Parent> = None;
        let mut most_processes = None;
        for directory in own.ancestors() {
            let controllers = self.offered(owner, directory, wanted);
            if controllers.len() > best.as_ref().map_or(0, |best| best.controllers.len()) {
                best = Some(Parent {
                    directory: directory.to_owned(),
                    controllers,
                    most_processes,
                });
            }
            // Going on upwards leaves the limits of this group behind, which an administrator
            // set on purpose. The number of processes alone is limited nearly everywhere by
            // default, so that one is taken along.
            if directory == mounted || is_limited(directory) {
                break;
            }
            let processes = number_in(&directory.join("pids.max"));
            most_processes = most_processes.into_iter().chain(processes).min();
        }
        // What the own group could hand down, but does not.
        let available = words_in(&own.join("cgroup.controllers"));
        let offered = |controller: &&Controller| {
            best.as_ref()
                .is_some_and(|best| best.controllers.contains(controller))
        };
        let missing: Vec<&str> = wanted
            .iter()
            .filter(|controller| !offered(controller))
            .filter_map(|controller| controller.unified_name())
            .filter(|name| available.iter().any(|word| word == name))
            .collect();
        if missing.is_empty() {
            return best;
        }
        self.settle(owner, &own, wanted).or(best)
    }

    /// Which of these controllers a group made here would have.
    fn offered(&self, owner: Owner, directory: &Path, wanted: &[Controller]) -> Vec<Controller> {
        // Moving a process needs this file of the group above both its places.
        if !can_write(&directory.join("cgroup.procs")) {
            return Vec::new();
        }
        let found = probe(self.files, owner, directory, |probe| {
            let kind = fs::read_to_string(probe.join("cgroup.type")).unwrap_or_default();
            let usable = kind.trim() == "domain";
            wanted
                .iter()
                .copied()
                .filter(|&controller| usable && has(controller, probe, Version::Two))
                .collect()
        });
        found.unwrap_or_default()
    }

    /// Has the own group hand down the controllers. It may do so only if no process
    /// is in it, so all of them go into a group below, provided that all are ours.
    fn settle(&self, owner: Owner, own: &Path, wanted: &[Controller]) -> Option<Parent> {
        let leaf = own.join(owner.directory_name("keeper"));
        // The root of everything has no type, and may have processes.
        let is_root = !own.join("cgroup.type").exists();
        if !is_root {
            self.all_are_ours(own).then_some(())?;
            self.files.make(&leaf).ok()?;
        }
        let enabled = self.move_and_enable(own, (!is_root).then_some(&leaf), wanted);
        let controllers = self.offered(owner, own, wanted);
        if !enabled.is_empty() && controllers.iter().any(|one| enabled.contains(one)) {
            return Some(Parent {
                directory: own.to_owned(),
                controllers,
                most_processes: None,
            });
        }
        // As it was before. While controllers are handed down no process can return.
        for name in enabled.iter().filter_map(|one| one.unified_name()) {
            let _ = self.control(own, '-', name);
        }
        if !is_root {
            for pid in numbers_in(&leaf.join("cgroup.procs")) {
                let _ = self.move_to(own, pid);
            }
            let _ = self.files.remove(&leaf);
        }
        None
    }

    /// The controllers that the own group hands down now and did not before.
    fn move_and_enable(
        &self,
        own: &Path,
        leaf: Option<&PathBuf>,
        wanted: &[Controller],
    ) -> Vec<Controller> {
        // A child that one of ours started in the meantime has to be moved as well.
        for _ in 0..MOST_MOVES {
            let members = numbers_in(&own.join("cgroup.procs"));
            let Some(leaf) = leaf.filter(|_| !members.is_empty()) else {
                break;
            };
            let moved = self.all_are_ours(own)
                && members
                    .into_iter()
                    .all(|pid| self.move_to(leaf, pid).is_ok());
            if !moved {
                return Vec::new();
            }
        }
        let before = words_in(&own.join("cgroup.subtree_control"));
        wanted
            .iter()
            .copied()
            .filter(|controller| {
                controller.unified_name().is_some_and(|name| {
                    !before.iter().any(|word| word == name) && self.control(own, '+', name).is_ok()
                })
            })
            .collect()
    }

    /// Whether no process is in this group but the calling one and its companions. One
    /// that is not in our process namespace shows as zero.
    fn all_are_ours(&self, directory: &Path) -> bool {
        let own = i64::from(std::process::id());
        numbers_in(&directory.join("cgroup.procs"))
            .into_iter()
            .all(|pid| {
                let is_companion = |&one: &i32| i64::from(one) == pid;
                pid > 0 && (pid == own || self.companions.iter().any(is_companion))
            })
    }

    fn move_to(&self, directory: &Path, pid: i64) -> std::io::Result<()> {
        let file = directory.join("cgroup.procs");
        self.files.write(&file, &pid.to_string())
    }

    fn control(&self, directory: &Path, sign: char, name: &str) -> std::io::Result<()> {
        let file = directory.join("cgroup.subtree_control");
        self.files.write(&file, &format!("{sign}{name}"))
    }
}

/// Whether memory or processor of this group are limited.
fn is_limited(directory: &Path) -> bool {
    ["memory.max", "memory.high", "memory.swap.max", "cpu.max"]
        .iter()
        .filter_map(|file| fs::read_to_string(directory.join(file)).ok())
        .any(|value| !value.starts_with("max"))
}

fn words_in(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.split_ascii_whitespace().map(str::to_owned).collect()
}

fn number_in(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// Numbers of processes. What is no number counts as one that is not ours.
fn numbers_in(file: &Path) -> Vec<i64> {
    words_in(file)
        .iter()
        .map(|word| word.parse().unwrap_or(0))
        .collect()
}

const MOST_MOVES: usize = 4;
