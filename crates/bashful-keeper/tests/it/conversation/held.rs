//! Commands that execute at a word of whoever ordered them, and not before.

use std::os::fd::AsFd;

use bashful_keeper::send_line;
use bashful_sandbox::{Network, Profile, Reporting, Resources, WriteMode, WriteRoot};

use super::*;

impl Talk {
    /// Orders a command that is held; with what is returned it is released.
    fn order_held(&mut self, id: &str, cwd: &Path, command: &str) -> UnixStream {
        self.hold(start(id, cwd, command))
    }

    fn hold(&mut self, mut order: Value) -> UnixStream {
        let (ours, theirs) = UnixStream::pair().unwrap();
        order["start"]["held"] = json!(true);
        let line = format!("{order}\n");
        let sent = send_line(
            self.reader.get_ref().as_fd(),
            line.as_bytes(),
            &[theirs.as_fd()],
        );
        assert_eq!(sent.unwrap(), line.len());
        ours
    }
}

#[test]
fn a_held_command_executes_at_the_word_and_others_go_on_meanwhile() {
    let house = tempfile::tempdir().unwrap();
    let mut talk = Talk::begin();
    talk.greet(house.path(), None);
    let mut release = talk.order_held("bash-held", house.path(), "touch ran; exit 3");
    // Whoever comes later is not kept waiting by a slow disk of somebody else.
    for id in ["bash-one", "bash-two"] {
        talk.say(&start(id, house.path(), "sleep 0.1; exit 4"));
        let finished = talk.hear_of("finished");
        assert_eq!(finished["id"], id);
        assert_eq!(finished["state"]["exit_code"], 4);
    }
    assert!(!house.path().join("ran").exists());
    release.write_all(b"!").unwrap();
    let finished = talk.hear_of("finished");
    assert_eq!(finished["state"]["exit_code"], 3);
    assert!(house.path().join("ran").exists());
}

/// An order for a command that has this directory and the system in view, in the session's room.
fn start_in_a_room(id: &str, workspace: &Path, command: &str) -> Value {
    let profile = Profile {
        workspace: workspace.to_owned(),
        read: vec![workspace.to_owned()],
        write: vec![WriteRoot {
            path: workspace.to_owned(),
            mode: WriteMode::Direct,
            protect: false,
        }],
        hide: Vec::new(),
        empty: Vec::new(),
        network: Network::Off,
        hosts: Vec::new(),
        commands: None,
        resources: Resources::default(),
        optional: Vec::new(),
        reporting: Reporting::Usual,
        links: Vec::new(),
        git_obeys: Vec::new(),
    };
    let mut order = start(id, workspace, command);
    order["start"]["room"] = json!({"profile": profile, "fresh": false});
    order
}

#[test]
fn a_slow_disk_of_one_engine_stalls_no_run_of_another_in_the_same_room() {
    // In /tmp itself: a socket's path has to be short.
    let house = tempfile::tempdir_in("/tmp").unwrap();
    let workspace = house.path().join("workspace");
    fs::create_dir(&workspace).unwrap();
    let socket = house.path().join("k.sock");
    let mut slow = Talk::begin();
    slow.greet(house.path(), Some(&socket));
    let mut other = Talk::over(UnixStream::connect(&socket).unwrap());
    other.greet(house.path(), Some(&socket));
    let held = start_in_a_room("bash-held", &workspace, "touch ran; echo $$; exit 3");
    let mut release = slow.hold(held);
    let directory = house.path().join("tasks/bash-held");
    assert!(eventually(|| directory.exists()));
    for id in ["bash-one", "bash-two", "bash-three"] {
        let order = start_in_a_room(id, &workspace, "test ! -e ran && exit 4");
        other.say(&order);
        let finished = other.hear_of("finished");
        assert_eq!(finished["id"], id);
        assert_eq!(finished["state"]["exit_code"], 4, "{finished}");
    }
    assert!(!workspace.join("ran").exists());
    release.write_all(b"!").unwrap();
    let finished = slow.hear_of("finished");
    assert_eq!(finished["state"]["exit_code"], 3, "{finished}");
    assert!(workspace.join("ran").exists());
}

#[test]
fn a_command_that_is_never_released_leaves_nothing() {
    let house = tempfile::tempdir().unwrap();
    let mut talk = Talk::begin();
    talk.greet(house.path(), None);
    let release = talk.order_held("bash-held", house.path(), "touch ran");
    let directory = house.path().join("tasks/bash-held");
    assert!(eventually(|| directory.exists()));
    drop(release);
    assert_eq!(talk.hear_of("refused")["id"], "bash-held");
    assert!(!directory.exists());
    assert!(!house.path().join("ran").exists());
}

#[test]
fn whoever_goes_away_before_the_word_takes_the_command_along() {
    // In /tmp itself: a socket's path has to be short.
    let house = tempfile::tempdir_in("/tmp").unwrap();
    let socket = house.path().join("k.sock");
    let mut first = Talk::begin();
    first.greet(house.path(), Some(&socket));
    let mut other = Talk::over(UnixStream::connect(&socket).unwrap());
    other.greet(house.path(), Some(&socket));
    let release = other.order_held("bash-held", house.path(), "touch ran");
    let directory = house.path().join("tasks/bash-held");
    assert!(eventually(|| directory.exists()));
    drop((other, release));
    assert!(eventually(|| !directory.exists()));
    assert!(!house.path().join("ran").exists());
}

#[test]
fn its_time_counts_from_its_execution() {
    let house = tempfile::tempdir().unwrap();
    let mut talk = Talk::begin();
    talk.greet(house.path(), None);
    let (mut release, theirs) = UnixStream::pair().unwrap();
    let mut order = start("bash-held", house.path(), "sleep 0.2");
    order["start"]["held"] = json!(true);
    order["start"]["spec"]["timeout_ms"] = json!(600);
    let line = format!("{order}\n");
    send_line(
        talk.reader.get_ref().as_fd(),
        line.as_bytes(),
        &[theirs.as_fd()],
    )
    .unwrap();
    std::thread::sleep(Duration::from_millis(900));
    release.write_all(b"!").unwrap();
    assert_eq!(talk.hear_of("finished")["state"]["ending"], "exited");
}

#[test]
fn a_held_command_can_be_cancelled() {
    let house = tempfile::tempdir().unwrap();
    let mut talk = Talk::begin();
    talk.greet(house.path(), None);
    let _release = talk.order_held("bash-held", house.path(), "touch ran");
    talk.say(&json!({"cancel": {"id": "bash-held", "now": false}}));
    assert_eq!(talk.hear_of("finished")["state"]["ending"], "cancelled");
    assert!(!house.path().join("ran").exists());
}
