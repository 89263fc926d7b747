//! Records that were damaged: what runs is still told and ended, and nothing hangs.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use crate::support::{Marker, World, eventually};
use crate::tasks::id;

/// The directory of a task.
fn directory(world: &World, task: &str) -> PathBuf {
    world.state().join("tasks").join(task)
}

/// A task that runs, in a session of its own.
fn started(world: &World, marker: &Marker) -> String {
    let told = world.background(&[&marker.sleep()]);
    marker.wait_for(1);
    id(&told).to_owned()
}

/// A task that has printed on both streams and ended.
fn ended(world: &World) -> String {
    let told = world.background(&["echo out; echo err >&2"]);
    assert_eq!(world.call(&["wait", id(&told)]).code, 0);
    id(&told).to_owned()
}

#[test]
fn a_line_of_rubbish_hides_no_task() {
    let world = World::new();
    let marker = Marker::fresh();
    let task = started(&world, &marker);
    let state = directory(&world, &task).join("state");
    let mut file = fs::OpenOptions::new().append(true).open(state).unwrap();
    file.write_all(b"rubbish\nand half a line").unwrap();
    let found = json!([world.tasks(&[])[0]["task_id"], world.status()[0]["task_id"]]);
    assert_eq!(found, json!([task, task]));
    let killed = world.call(&["kill", &task]);
    assert_eq!(killed.code, 0, "{killed:?}");
    marker.assert_gone();
    assert_eq!(world.task(&task)["status"], "cancelled");
}

#[test]
fn a_task_whose_record_is_damaged_is_told_and_ended() {
    for (file, way) in [
        ("spec", "kill"),
        ("spec", "stop"),
        ("state", "kill"),
        ("state", "stop"),
    ] {
        let world = World::new();
        let marker = Marker::fresh();
        let task = started(&world, &marker);
        fs::write(directory(&world, &task).join(file), "rubbish\n").unwrap();
        let listed = world.call(&["tasks"]);
        assert!(listed.stderr.contains(&task), "{listed:?}");
        assert!(
            listed.stderr.contains("its record is damaged"),
            "{listed:?}"
        );
        assert!(!listed.stdout.contains("Nothing is running"), "{listed:?}");
        let status = world.call(&["status"]);
        assert!(status.stdout.contains(&task), "{status:?}");
        assert!(status.stdout.contains("damaged"), "{status:?}");
        let doctor = world.call(&["doctor", "--json"]).json().1;
        let kept = doctor["kept"].as_array().unwrap();
        let records = kept.iter().find(|finding| finding["name"] == "records");
        assert_eq!(records.unwrap()["state"], "failed");
        let ended = match way {
            "kill" => world.call(&["kill", &task]),
            _ => world.call(&["stop", "--all"]),
        };
        assert_eq!(ended.code, 0, "{file} {way}: {ended:?}");
        marker.assert_gone();
        assert!(eventually(|| world.living_keepers().is_empty()));
    }
}

#[test]
fn what_is_damaged_and_does_not_run_is_moved_aside() {
    let world = World::new();
    let task = ended(&world);
    fs::write(directory(&world, &task).join("spec"), "rubbish").unwrap();
    let (code, told) = world.call(&["tasks", "--all", "--json"]).json();
    assert_eq!(
        json!([code, told["damaged"][0]["running"]]),
        json!([0, false])
    );
    let mended = world.call(&["doctor", "--repair", "--json"]);
    let (code, told) = mended.json();
    assert_eq!(code, 0, "{mended:?}");
    let moved = PathBuf::from(told["moved_tasks"][0].as_str().unwrap());
    assert_eq!(
        fs::read_to_string(moved.join("out.log")).unwrap(),
        "out\nerr\n"
    );
    let (_, told) = world.call(&["tasks", "--all", "--json"]).json();
    assert_eq!(told["damaged"], Value::Null);
}

#[test]
fn tasks_that_cannot_be_listed_are_not_none() {
    let world = World::new();
    fs::create_dir_all(world.state()).unwrap();
    fs::write(world.state().join("tasks"), "not a directory").unwrap();
    for call in [
        &["tasks"][..],
        &["status"],
        &["stop", "--all"],
        &["tasks", "--all"],
    ] {
        let told = world.call(call);
        assert_eq!((told.code, told.stdout.as_str()), (125, ""), "{told:?}");
        assert!(
            told.stderr.contains("cannot read which tasks there are"),
            "{told:?}"
        );
    }
}

#[test]
fn a_task_whose_directory_was_removed_ends() {
    World::in_both(|world| {
        let marker = Marker::fresh();
        let task = started(world, &marker);
        fs::remove_dir_all(directory(world, &task)).unwrap();
        // It is looked after a second after its start, and two after that.
        marker.assert_gone_soon();
    });
}

#[test]
fn what_is_no_file_is_neither_waited_for_nor_followed() {
    let world = World::new();
    let secret = world.write("secret", "the secret\n");
    for name in ["spec", "state", "out.log", "index"] {
        let task = ended(&world);
        let path = directory(&world, &task).join(name);
        fs::remove_file(&path).unwrap();
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let calls = [
            &["tasks", "--all"][..],
            &["status"],
            &["logs", &task],
            &["tasks", "show", &task],
            &["tasks", "clean", "--all", "--dry-run"],
        ];
        for call in calls {
            let told = world.call(call);
            assert!([0, 2, 125].contains(&told.code), "{call:?}: {told:?}");
        }
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(&secret, &path).unwrap();
        let told = world.call(&["logs", &task]);
        assert!(!told.stdout.contains("the secret"), "{told:?}");
        fs::remove_dir_all(directory(&world, &task)).unwrap();
    }
}

#[test]
fn a_log_is_shown_without_its_index() {
    let world = World::new();
    let damage: [fn(PathBuf); 3] = [
        |index| fs::remove_file(index).unwrap(),
        |index| fs::write(index, "").unwrap(),
        |index| fs::write(index, [0; 48]).unwrap(),
    ];
    for damage in damage {
        let task = ended(&world);
        damage(directory(&world, &task).join("index"));
        let told = world.call(&["logs", &task]);
        let mut lines: Vec<&str> = told.stdout.lines().collect();
        lines.sort_unstable();
        assert_eq!((told.code, lines), (0, vec!["err", "out"]), "{told:?}");
        assert!(told.stderr.contains("index"), "{told:?}");
    }
}

#[test]
fn lists_show_the_command_and_not_what_it_is_said_to_be() {
    let world = World::new();
    let marker = Marker::fresh();
    let command = format!("{}; true harmful", marker.sleep());
    let told = world.background(&["--description", "npm test", &command]);
    marker.wait_for(1);
    for call in ["tasks", "status"] {
        let listed = world.call(&[call]);
        assert!(!listed.stdout.contains("npm test"), "{listed:?}");
        assert!(listed.stdout.contains("sleep"), "{listed:?}");
    }
    let shown = world.call(&["tasks", "show", id(&told)]);
    assert!(shown.stdout.contains("npm test"), "{shown:?}");
    assert_eq!(world.call(&["kill", id(&told)]).code, 0);
}

#[test]
fn a_keeper_leaves_no_lock_behind() {
    let world = World::new();
    let told = world.background(&["--session", "one", "true"]);
    assert_eq!(world.call(&["wait", id(&told)]).code, 0);
    world.call(&["stop", "--all"]);
    let locks = || -> Vec<PathBuf> {
        let runtime = fs::read_dir(world.path("run").join("bashful")).unwrap();
        let paths = runtime.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| path.extension().is_some_and(|it| it == "lock"))
            .collect()
    };
    for (pid, _) in world.living_keepers() {
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
    assert!(eventually(|| locks().is_empty()), "{:?}", locks());
}
