//! The unified hierarchy: choosing a place, handing controllers down, file names.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::fake::{Fake, directories, find, group, hierarchy, words};
use crate::cgroup::events::Events;
use crate::cgroup::find::{Cgroups, Host};
use crate::cgroup::find::{Offer, Version};
use crate::cgroup::{CgroupError, Offers};
use crate::profile::Resources;

fn own() -> i32 {
    i32::try_from(std::process::id()).unwrap()
}

fn offer(directory: &Path) -> Offer {
    Offer {
        version: Version::Two,
        directory: directory.to_owned(),
    }
}

fn everything_in(directory: &Path) -> Offers {
    Offers {
        memory: Some(offer(directory)),
        processes: Some(offer(directory)),
        cpu_share: Some(offer(directory)),
        cpu_time: Some(offer(directory)),
    }
}

fn time_only_in(directory: &Path) -> Offers {
    Offers {
        cpu_time: Some(offer(directory)),
        ..Offers::default()
    }
}

fn all_limits() -> Resources {
    Resources {
        memory: Some(1 << 20),
        processes: Some(20),
        cpu_time_ms: Some(1000),
        cpu_share: Some(150),
        ..Resources::default()
    }
}

/// A hierarchy with all controllers, and a group of ours with these processes.
fn one_group(processes: &[i32]) -> (tempfile::TempDir, PathBuf) {
    let (temporary, root) = hierarchy("cpu memory pids");
    let mine = root.join("mine");
    group(&mine, processes);
    // The root belongs to another user.
    fs::write(root.join("locked"), "").unwrap();
    (temporary, mine)
}

#[test]
fn the_root_of_everything_may_hold_processes_and_groups() {
    let (temporary, root) = hierarchy("");
    fs::write(root.join("cgroup.procs"), format!("1\n{}\n", own())).unwrap();
    let found = find(temporary.path(), "/", &[]);
    assert_eq!(*found.offers(), everything_in(&root));
    assert!(directories(&root).is_empty());
    assert_eq!(words(&root.join("cgroup.procs")).len(), 2);
}

#[test]
fn a_group_with_our_processes_only_is_emptied_into_a_leaf() {
    let (temporary, mine) = one_group(&[own(), 77]);
    let found = find(temporary.path(), "/mine", &[77]);
    assert_eq!(*found.offers(), everything_in(&mine));
    let leaf = found.owner.unwrap().directory_name("keeper");
    let mut members = words(&mine.join(&leaf).join("cgroup.procs"));
    members.sort();
    let mut expected = vec![own().to_string(), "77".to_owned()];
    expected.sort();
    assert_eq!(members, expected);
    assert!(words(&mine.join("cgroup.procs")).is_empty());

    // A process that looks from the leaf finds the place as it is.
    let again = find(temporary.path(), &format!("/mine/{leaf}"), &[]);
    assert_eq!(*again.offers(), everything_in(&mine));
    assert_eq!(directories(&mine).len(), 1);
}

#[test]
fn a_group_with_a_process_of_somebody_else_stays_as_it_is() {
    for stranger in [77, 0] {
        let (temporary, mine) = one_group(&[own(), stranger]);
        let found = find(temporary.path(), "/mine", &[]);
        assert_eq!(*found.offers(), time_only_in(&mine));
        assert!(directories(&mine).is_empty());
        assert_eq!(words(&mine.join("cgroup.procs")).len(), 2);
    }
}

#[test]
fn a_move_that_leads_to_nothing_is_undone() {
    let (temporary, mine) = one_group(&[own()]);
    fs::write(mine.join("stubborn"), "").unwrap();
    let found = find(temporary.path(), "/mine", &[]);
    assert_eq!(*found.offers(), time_only_in(&mine));
    assert!(directories(&mine).is_empty());
    assert_eq!(words(&mine.join("cgroup.procs")), [own().to_string()]);
}

#[test]
fn a_parent_that_hands_down_already_is_taken_as_it_is() {
    let (temporary, root) = hierarchy("cpu memory pids");
    let slice = root.join("app.slice");
    group(&slice, &[]);
    fs::write(slice.join("cgroup.subtree_control"), "memory pids").unwrap();
    group(&slice.join("my.scope"), &[own(), 77]);
    fs::write(slice.join("my.scope/pids.max"), "1000\n").unwrap();
    fs::write(root.join("locked"), "").unwrap();

    let found = find(temporary.path(), "/app.slice/my.scope", &[]);
    let expected = Offers {
        cpu_share: None,
        ..everything_in(&slice)
    };
    assert_eq!(*found.offers(), expected);
    assert_eq!(directories(&slice).len(), 1);

    // The number of processes keeps to the limit of the group that was left.
    let mut limits = Resources {
        memory: Some(1 << 20),
        ..Resources::default()
    };
    let pids = |name: &str| {
        let name = found.owner.unwrap().directory_name(name);
        fs::read_to_string(slice.join(name).join("pids.max")).unwrap()
    };
    let _unasked = found.create("1", &limits).unwrap();
    limits.processes = Some(5000);
    let _too_many = found.create("2", &limits).unwrap();
    limits.processes = Some(50);
    let _fewer = found.create("3", &limits).unwrap();
    assert_eq!([pids("1"), pids("2"), pids("3")], ["1000", "1000", "50"]);
}

#[test]
fn the_limits_of_the_own_group_are_not_walked_round() {
    for (file, value) in [("memory.max", "1000000\n"), ("cpu.max", "50000 100000\n")] {
        let (temporary, root) = hierarchy("cpu memory pids");
        let mine = root.join("mine");
        group(&mine, &[own(), 77]);
        fs::write(mine.join(file), value).unwrap();
        let found = find(temporary.path(), "/mine", &[]);
        assert_eq!(*found.offers(), time_only_in(&mine), "{file}");
    }
}

#[test]
fn a_threaded_group_is_no_place() {
    let (temporary, root) = hierarchy("");
    let mine = root.join("mine");
    fs::create_dir(&mine).unwrap();
    fs::write(mine.join("cgroup.type"), "threaded\n").unwrap();
    fs::write(root.join("locked"), "").unwrap();
    assert_eq!(
        *find(temporary.path(), "/mine", &[]).offers(),
        Offers::default()
    );
}

#[test]
fn one_directory_holds_all_limits() {
    let (temporary, mine) = one_group(&[own()]);
    let found = find(temporary.path(), "/mine", &[]);
    let mut made = found.create("1", &all_limits()).unwrap();
    let directory = mine.join(found.owner.unwrap().directory_name("1"));
    let text = |file: &str| fs::read_to_string(directory.join(file)).unwrap();
    let texts = || {
        [
            "memory.max",
            "memory.swap.max",
            "memory.oom.group",
            "pids.max",
            "cpu.max",
        ]
        .map(text)
    };
    assert_eq!(texts(), ["1048576", "0", "1", "20", "150000 100000"]);
    assert!(made.join_descriptors().is_empty());
    assert!(made.unified_directory().is_some());
    assert_eq!(
        made.events(),
        Events {
            out_of_memory: 2,
            processes_refused: 3,
            cpu_time: Some(Duration::from_micros(1500)),
        }
    );

    made.set(&Resources::default()).unwrap();
    assert_eq!(texts(), ["max", "max", "1", "max", "max 100000"]);
    made.kill();
    assert_eq!(text("cgroup.kill"), "1");

    fs::write(directory.join("cgroup.procs"), "77\n").unwrap();
    let made = made.remove().unwrap_err();
    fs::write(directory.join("cgroup.procs"), "").unwrap();
    made.remove().unwrap();
    assert!(!directory.exists());
}

#[test]
fn hierarchies_of_both_kinds_work_together() {
    let (temporary, root) = hierarchy("memory");
    fs::write(root.join("cgroup.controllers"), "memory").unwrap();
    let processors = temporary.path().join("cpu,cpuacct");
    fs::create_dir(&processors).unwrap();
    for file in ["tasks", "cgroup.procs", "cpu.cfs_quota_us", "cpuacct.usage"] {
        fs::write(processors.join(file), "").unwrap();
    }
    let found = Cgroups::find_in(&Host {
        groups: b"3:cpu,cpuacct:/\n0::/\n",
        mounts: b"1 0 0:26 / /unified rw - cgroup2 cgroup2 rw\n\
            2 0 0:27 / /cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n",
        root: temporary.path(),
        companions: &[],
        files: &Fake,
    });
    let legacy = Some(Offer {
        version: Version::One,
        directory: processors.clone(),
    });
    let expected = Offers {
        memory: Some(offer(&root)),
        processes: None,
        cpu_share: legacy.clone(),
        cpu_time: legacy,
    };
    assert_eq!(*found.offers(), expected);

    let error = found.create("1", &all_limits()).unwrap_err();
    assert!(matches!(
        error,
        CgroupError::Unavailable { limit: "processes" }
    ));
    assert!(directories(&processors).is_empty() && directories(&root).is_empty());

    let limits = Resources {
        processes: None,
        ..all_limits()
    };
    let made = found.create("1", &limits).unwrap();
    // Two controllers share a hierarchy, hence a directory.
    assert_eq!(made.join_descriptors().len(), 1);
    assert!(made.unified_directory().is_some());
    let name = found.owner.unwrap().directory_name("1");
    let quota = processors.join(name).join("cpu.cfs_quota_us");
    assert_eq!(fs::read_to_string(quota).unwrap(), "150000");
    made.remove().unwrap();
}
