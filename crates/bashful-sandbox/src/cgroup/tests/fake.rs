//! A hierarchy in an ordinary directory that keeps the kernel's rules.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use crate::cgroup::files::Files;
use crate::cgroup::find::{Cgroups, Host};

#[derive(Debug)]
pub(super) struct Fake;

impl Files for Fake {
    fn make(&self, directory: &Path) -> io::Result<()> {
        let parent = directory.parent().unwrap();
        if parent.join("locked").exists() {
            return Err(Errno::ACCESS.into());
        }
        fs::create_dir(directory)?;
        if parent.join("tasks").exists() {
            // In version 1 a child has the files that its parent has.
            for entry in fs::read_dir(parent)?.flatten() {
                if entry.file_type()?.is_file() {
                    fs::write(directory.join(entry.file_name()), "")?;
                }
            }
            return Ok(());
        }
        populate(directory, &words(&parent.join("cgroup.subtree_control")));
        Ok(())
    }

    fn remove(&self, directory: &Path) -> io::Result<()> {
        let procs = fs::read_to_string(directory.join("cgroup.procs")).unwrap_or_default();
        if !procs.is_empty() {
            return Err(Errno::BUSY.into());
        }
        fs::metadata(directory)?;
        fs::remove_dir_all(directory)
    }

    fn write(&self, path: &Path, value: &str) -> io::Result<()> {
        fs::metadata(path)?;
        let directory = path.parent().unwrap();
        match path.file_name().and_then(|name| name.to_str()) {
            Some("cgroup.subtree_control") => control(directory, value),
            Some("cgroup.procs") => join(directory, value),
            _ => fs::write(path, value),
        }
    }
}

/// Finds what a process in `group` of the unified hierarchy in `root` is offered.
pub(super) fn find(root: &Path, group: &str, companions: &[i32]) -> Cgroups {
    Cgroups::find_in(&Host {
        groups: format!("0::{group}\n").as_bytes(),
        mounts: b"1 0 0:26 / /unified rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n",
        root,
        companions,
        files: &Fake,
    })
}

/// An empty unified hierarchy whose root hands these controllers down.
pub(super) fn hierarchy(controllers: &str) -> (tempfile::TempDir, PathBuf) {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path().join("unified");
    fs::create_dir(&root).unwrap();
    for (file, text) in [
        ("cgroup.controllers", "cpuset cpu io memory pids"),
        ("cgroup.subtree_control", controllers),
        ("cgroup.procs", ""),
        ("cpu.stat", "usage_usec 9\n"),
    ] {
        fs::write(root.join(file), text).unwrap();
    }
    (temporary, root)
}

/// Makes a group with these processes in it.
pub(super) fn group(directory: &Path, processes: &[i32]) {
    Fake.make(directory).unwrap();
    let lines: Vec<String> = processes.iter().map(i32::to_string).collect();
    fs::write(directory.join("cgroup.procs"), lines.join("\n")).unwrap();
}

pub(super) fn words(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

/// The names of the directories in this one.
pub(super) fn directories(directory: &Path) -> BTreeSet<String> {
    fs::read_dir(directory)
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_type().unwrap().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect()
}

fn populate(directory: &Path, controllers: &[String]) {
    let mut files = vec![
        ("cgroup.type", "domain\n"),
        ("cgroup.procs", ""),
        ("cgroup.subtree_control", ""),
        ("cgroup.kill", ""),
        ("cpu.stat", "usage_usec 1500\nuser_usec 1000\n"),
    ];
    for controller in controllers {
        files.extend(match controller.as_str() {
            "memory" => vec![
                ("memory.max", "max\n"),
                ("memory.high", "max\n"),
                ("memory.swap.max", "max\n"),
                ("memory.oom.group", "0\n"),
                ("memory.peak", "4096\n"),
                (
                    "memory.events",
                    "low 0\nhigh 0\nmax 5\noom 1\noom_kill 2\noom_group_kill 1\n",
                ),
            ],
            "pids" => vec![("pids.max", "max\n"), ("pids.events", "max 3\n")],
            "cpu" => vec![("cpu.max", "max 100000\n")],
            _ => vec![],
        });
    }
    let text = controllers.join(" ");
    files.push(("cgroup.controllers", &text));
    for (file, text) in files {
        fs::write(directory.join(file), text).unwrap();
    }
}

/// Hands a controller down, unless a process is in the way.
fn control(directory: &Path, value: &str) -> io::Result<()> {
    let (sign, name) = value.split_at(1);
    let file = directory.join("cgroup.subtree_control");
    let mut enabled = words(&file);
    enabled.retain(|word| word != name);
    if sign == "+" {
        if !words(&directory.join("cgroup.controllers")).contains(&name.to_owned()) {
            return Err(Errno::NOENT.into());
        }
        let is_root = !directory.join("cgroup.type").exists();
        if !is_root && !words(&directory.join("cgroup.procs")).is_empty() {
            return Err(Errno::BUSY.into());
        }
        if directory.join("stubborn").exists() {
            return Err(Errno::ACCESS.into());
        }
        enabled.push(name.to_owned());
    }
    fs::write(file, enabled.join(" "))
}

/// Moves a process here, unless controllers are in the way.
fn join(directory: &Path, pid: &str) -> io::Result<()> {
    if !words(&directory.join("cgroup.subtree_control")).is_empty() {
        return Err(Errno::BUSY.into());
    }
    let has_processes = |it: &&Path| it.join("cgroup.procs").exists();
    let root = directory.ancestors().take_while(has_processes).last();
    leave(root.unwrap(), pid);
    let file = directory.join("cgroup.procs");
    let there = fs::read_to_string(&file)?;
    fs::write(file, format!("{there}{pid}\n"))
}

fn leave(directory: &Path, pid: &str) {
    let file = directory.join("cgroup.procs");
    let others = words(&file).into_iter().filter(|word| word != pid);
    let text: String = others.map(|word| word + "\n").collect();
    fs::write(file, text).unwrap();
    for name in directories(directory) {
        leave(&directory.join(name), pid);
    }
}
