//! Real groups, where this host lets us make some; else the refusal.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::cgroup::files::Kernel;
use crate::cgroup::find::{Cgroups, Host, Version};
use crate::cgroup::group::Node;
use crate::cgroup::owner::Owner;
use crate::cgroup::places::{controlled, unified};
use crate::cgroup::{Cgroup, CgroupError, Offers};
use crate::profile::Resources;
use crate::tree::Process;
use crate::{Launch, reap};

const MEMORY: Resources = Resources {
    memory: Some(64 << 20),
    ..NONE
};
const PROCESSES: Resources = Resources {
    processes: Some(20),
    ..NONE
};
const NONE: Resources = Resources {
    memory: None,
    processes: None,
    cpu_time_ms: None,
    cpu_share: None,
    open_files: None,
    file_size: None,
    tmp_size: None,
    disk_size: None,
};

/// A group with these limits; if the host offers none, the refusal was checked.
fn group(host: &Cgroups, name: &str, limits: &Resources) -> Option<Cgroup> {
    match host.create(name, limits) {
        Ok(group) => Some(group),
        Err(error) => {
            assert!(matches!(error, CgroupError::Unavailable { .. }), "{error}");
            let offers = host.offers();
            assert!(
                (limits.memory.is_some() && offers.memory.is_none())
                    || (limits.processes.is_some() && offers.processes.is_none())
                    || (limits.cpu_share.is_some() && offers.cpu_share.is_none())
                    || (limits.cpu_time_ms.is_some() && offers.cpu_time.is_none())
            );
            assert_eq!(io::Error::from(error).kind(), io::ErrorKind::Unsupported);
            None
        }
    }
}

/// Starts a script in this group and returns its process.
fn start(group: &Cgroup, script: &str) -> i32 {
    let join = |node: &Node| {
        let file = match node.version {
            Version::One => "tasks",
            Version::Two => "cgroup.procs",
        };
        let directory = node.directory.display();
        format!("echo 0 > '{directory}/{file}' || exit 99")
    };
    let mut lines: Vec<String> = group.nodes.iter().map(join).collect();
    lines.push(script.to_owned());
    Launch::new("/bin/bash", "bash")
        .argument("--norc")
        .argument("-c")
        .argument(lines.join("\n"))
        .variable("PATH", "/usr/bin:/bin")
        .start()
        .unwrap()
}

fn eventually(mut question: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + Duration::from_secs(30);
    while !question() {
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// Removes it as a keeper does: again and again until the last process is gone.
fn remove(group: Cgroup) {
    let directories: Vec<PathBuf> = group.nodes.iter().map(|it| it.directory.clone()).collect();
    let mut left = Some(group);
    assert!(eventually(|| {
        left = left.take().and_then(|group| group.remove().err());
        left.is_none()
    }));
    assert!(directories.iter().all(|it| !it.exists()));
}

#[test]
fn a_fork_loop_meets_the_limit_and_is_killed() {
    let host = Cgroups::find(&[]);
    let Some(group) = group(&host, "forks", &PROCESSES) else {
        return;
    };
    let limit = fs::read_to_string(group.nodes[0].directory.join("pids.max")).unwrap();
    assert_eq!(limit, "20\n");
    let pid = start(&group, "for ((i = 0; i < 50; i++)); do sleep 60 & done");
    assert!(eventually(|| group.events().processes_refused > 0));
    assert!(group.nodes[0].members().len() <= 20);
    let group = group.remove().unwrap_err();
    group.kill();
    reap(pid).unwrap();
    assert!(eventually(|| group.nodes[0].members().is_empty()));
    remove(group);
}

#[test]
fn whoever_takes_more_memory_than_there_is_gets_killed() {
    let host = Cgroups::find(&[]);
    let Some(group) = group(&host, "memory", &MEMORY) else {
        return;
    };
    let file = match group.nodes[0].version {
        Version::One => "memory.limit_in_bytes",
        Version::Two => "memory.max",
    };
    let limit = fs::read_to_string(group.nodes[0].directory.join(file)).unwrap();
    assert_eq!(limit, format!("{}\n", 64 << 20));
    // Without a line's end `tail` must keep all of it.
    let pid = start(&group, "head -c 200M /dev/zero | tail >/dev/null; exit 0");
    reap(pid).unwrap();
    let events = group.events();
    assert!(events.out_of_memory > 0, "{events:?}");
    remove(group);
}

#[test]
fn processor_time_is_counted() {
    let host = Cgroups::find(&[]);
    let limits = Resources {
        cpu_time_ms: Some(1000),
        cpu_share: Some(50),
        ..NONE
    };
    let Some(group) = group(&host, "time", &limits) else {
        return;
    };
    let pid = start(&group, "for ((i = 0; i < 20000; i++)); do :; done");
    reap(pid).unwrap();
    assert!(group.events().cpu_time > Some(Duration::from_millis(1)));
    remove(group);
}

#[test]
fn the_unified_hierarchy_counts_time_and_kills_at_once() {
    // As if there were no other; time is counted there without a controller.
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let mounts: Vec<&str> = mounts
        .lines()
        .filter(|line| line.contains(" - cgroup2 "))
        .collect();
    let host = Cgroups::find_in(&Host {
        groups: &fs::read("/proc/self/cgroup").unwrap(),
        mounts: mounts.join("\n").as_bytes(),
        root: Path::new("/"),
        companions: &[],
        files: &Kernel,
    });
    let limits = Resources {
        cpu_time_ms: Some(1000),
        ..NONE
    };
    let Some(group) = group(&host, "unified", &limits) else {
        return;
    };
    assert!(group.unified_directory().is_some() && group.join_descriptors().is_empty());
    let pid = start(&group, "while :; do :; done & while :; do :; done");
    let enough = Some(Duration::from_millis(20));
    assert!(eventually(|| group.events().cpu_time > enough));
    let group = group.remove().unwrap_err();
    group.kill();
    reap(pid).unwrap();
    remove(group);
}

#[test]
fn a_spare_group_can_be_given_other_limits() {
    let host = Cgroups::find(&[]);
    let both = Resources {
        memory: MEMORY.memory,
        ..PROCESSES
    };
    let Some(mut group) = group(&host, "spare", &both) else {
        return;
    };
    // Up and down and away: each needs another order of writing.
    for memory in [Some(128 << 20), Some(32 << 20), None, Some(96 << 20)] {
        let limits = Resources {
            memory,
            ..PROCESSES
        };
        group.set(&limits).unwrap();
    }
    let share = Resources {
        cpu_share: Some(50),
        ..both
    };
    let before = group.nodes[0].version;
    let answer = group.set(&share);
    if before == Version::One {
        assert!(matches!(
            answer,
            Err(CgroupError::Unavailable { limit: "cpu_share" })
        ));
    }
    remove(group);
}

#[test]
fn an_absurd_value_is_an_error_that_names_the_file() {
    let host = Cgroups::find(&[]);
    for (limits, file) in [
        (
            Resources {
                memory: Some(u64::MAX),
                ..NONE
            },
            "memory.",
        ),
        (
            Resources {
                processes: Some(u64::MAX),
                ..NONE
            },
            "pids.max",
        ),
        (
            Resources {
                cpu_share: Some(0),
                ..NONE
            },
            "cpu.",
        ),
    ] {
        let error = match host.create("absurd", &limits) {
            Err(CgroupError::Unavailable { .. }) => continue,
            other => other.map(drop).unwrap_err(),
        };
        let CgroupError::Set {
            path,
            value,
            source,
        } = &error
        else {
            panic!("{error}");
        };
        assert!(path.to_str().unwrap().contains(file), "{error}");
        assert!(!value.is_empty() && source.raw_os_error().is_some());
        // Nothing is left of it.
        assert!(!path.parent().unwrap().exists());
    }
}

#[test]
fn a_group_that_is_there_already_is_not_touched() {
    let host = Cgroups::find(&[]);
    let Some(first) = group(&host, "twice", &MEMORY) else {
        return;
    };
    let other = Resources {
        memory: Some(1 << 20),
        ..NONE
    };
    let error = host.create("twice", &other).map(drop).unwrap_err();
    assert!(matches!(error, CgroupError::Make { .. }), "{error}");
    assert!(first.nodes[0].directory.exists());
    remove(first);
    for name in ["", "../x", "a/b"] {
        let error = host.create(name, &MEMORY).map(drop).unwrap_err();
        assert!(matches!(error, CgroupError::Name { .. }), "{error}");
    }
}

#[test]
fn groups_of_dead_keepers_go_and_those_of_living_ones_stay() {
    let host = Cgroups::find(&[]);
    let Some(ours) = group(&host, "living", &PROCESSES) else {
        assert_eq!(host.remove_abandoned(), 0);
        return;
    };
    let parent = ours.nodes[0].directory.parent().unwrap();
    let own = Owner::current().unwrap();
    let with = |process: Process| Owner { process, ..own };
    let Process { pid, started } = own.process;
    let make = |owner: Owner, name: &str| {
        let path = parent.join(owner.directory_name(name));
        fs::create_dir(&path).unwrap();
        path
    };
    // A number that is in use again, and one that never is.
    let reused = make(
        with(Process {
            pid,
            started: started + 1,
        }),
        "dead",
    );
    let gone = make(
        with(Process {
            pid: i32::MAX,
            started,
        }),
        "dead",
    );
    let elsewhere = make(
        Owner {
            namespace: 1,
            ..with(Process {
                pid: i32::MAX,
                started,
            })
        },
        "far",
    );
    assert!(host.remove_abandoned() >= 2);
    let left = [&reused, &gone, &elsewhere, &ours.nodes[0].directory].map(|path| path.exists());
    fs::remove_dir(&elsewhere).unwrap();
    assert_eq!(left, [false, false, true, true]);
    remove(ours);
}

#[test]
fn without_limits_there_is_nothing_to_make() {
    let group = Cgroups::find(&[]).create("nothing", &NONE).unwrap();
    assert!(group.join_descriptors().is_empty() && group.unified_directory().is_none());
    group.kill();
    group.remove().unwrap();
}

#[test]
fn where_nothing_is_ours_nothing_is_offered() {
    let groups = fs::read("/proc/self/cgroup").unwrap();
    let mounts = fs::read("/proc/self/mountinfo").unwrap();
    let legacy = ["memory", "pids", "cpu", "cpuacct"];
    let legacy = legacy.map(|name| controlled(name, &groups, &mounts));
    let writable = legacy
        .into_iter()
        .flatten()
        .chain(unified(&groups, &mounts))
        .flat_map(|place| place.own.ancestors().map(PathBuf::from).collect::<Vec<_>>())
        .any(|path| rustix::fs::access(&path, rustix::fs::Access::WRITE_OK).is_ok());
    let host = Cgroups::find(&[]);
    if writable {
        // Some of it is ours; the other tests try that.
        for limits in [MEMORY, PROCESSES] {
            if let Some(group) = group(&host, "ours", &limits) {
                remove(group);
            }
        }
        return;
    }
    assert_eq!(*host.offers(), Offers::default());
    for limits in [MEMORY, PROCESSES] {
        let error = host.create("refused", &limits).map(drop).unwrap_err();
        assert!(matches!(error, CgroupError::Unavailable { .. }), "{error}");
    }
}
