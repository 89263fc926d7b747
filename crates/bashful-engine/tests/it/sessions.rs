//! Sessions: who shares a keeper, how long it stays, who may speak to it.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::time::Duration;

use bashful_engine::config::Config;
use bashful_engine::{Engine, Invocation};
use bashful_keeper::State;

use crate::support::{
    House, LONG, assert_gone, eventually, is_alive, is_root, keeper_pair, outside, run,
};

fn sharing(house: &House, idle: Duration) -> Engine {
    let mut config = Config::default();
    config.keeper.idle = idle;
    let builder = house.builder().session("shared").config(config);
    builder.build().unwrap()
}

/// The record of a run that told its keeper's name.
fn one_run(house: &House, engine: &Engine) -> State {
    let result = run(engine, Invocation::bash("true"));
    house.record(&result.task_id.unwrap()).unwrap()
}

fn socket(house: &House) -> PathBuf {
    let sockets: Vec<PathBuf> = fs::read_dir(house.path().join("run"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "sock"))
        .collect();
    let [socket] = sockets.as_slice() else {
        panic!("{sockets:?}")
    };
    socket.clone()
}

#[test]
fn two_engines_of_a_session_share_a_keeper() {
    let house = House::new();
    let (one, other) = (sharing(&house, LONG), sharing(&house, LONG));
    let first = one_run(&house, &one);
    assert_eq!(first.keeper, one_run(&house, &other).keeper);
    // It outlives both, and a third finds it.
    drop((one, other));
    let third = sharing(&house, LONG);
    assert_eq!(first.keeper, one_run(&house, &third).keeper);
    drop(third);
    end(&first);
}

/// Asks a keeper to end, as `stop` would.
fn end(state: &State) {
    let pair = keeper_pair(state);
    bashful_sandbox::signal_process(pair[0], rustix::process::Signal::TERM);
    assert_gone(&pair);
}

#[test]
fn engines_that_begin_together_end_up_with_one_keeper() {
    let house = House::new();
    let begun = std::time::Instant::now();
    let keepers: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6)
            .map(|_| {
                scope.spawn(|| {
                    let engine = sharing(&house, LONG);
                    one_run(&house, &engine)
                })
            })
            .collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    assert!(keepers.iter().all(|it| it.keeper == keepers[0].keeper));
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(30), "six answers took {took:?}");
    end(&keepers[0]);
}

#[test]
fn sessions_agents_and_workspaces_have_keepers_of_their_own() {
    let house = House::new();
    let engine = house.engine();
    let keeper = |invocation: Invocation| {
        let result = run(&engine, invocation);
        house.record(&result.task_id.unwrap()).unwrap().keeper
    };
    let usual = keeper(Invocation::bash("true"));
    assert_eq!(usual, keeper(Invocation::bash("true")));
    assert_ne!(usual, keeper(Invocation::bash("true").agent("other")));
    let elsewhere = Invocation::bash("true").workspace(house.path().join("home"));
    assert_ne!(usual, keeper(elsewhere));
    let another = house.engine();
    assert_ne!(usual, one_run(&house, &another).keeper);
}

#[test]
fn a_keeper_without_work_ends_and_leaves_nothing() {
    let house = House::new();
    let engine = sharing(&house, Duration::from_millis(200));
    let state = one_run(&house, &engine);
    let pair = keeper_pair(&state);
    let socket = socket(&house);
    drop(engine);
    assert_gone(&pair);
    assert!(eventually(LONG, || !socket.exists()), "the socket is left");
}

#[test]
fn an_engine_goes_on_after_its_keeper_ended() {
    let house = House::new();
    let engine = sharing(&house, LONG);
    for _ in 0..3 {
        end(&one_run(&house, &engine));
    }
    end(&one_run(&house, &engine));
}

#[test]
fn the_keeper_of_a_private_session_ends_with_its_engine() {
    let house = House::new();
    let engine = house.engine();
    let pair = keeper_pair(&one_run(&house, &engine));
    std::thread::sleep(Duration::from_millis(300));
    assert!(is_alive(pair[0]), "it stays while the engine does");
    drop(engine);
    assert_gone(&pair);
    let sockets = std::fs::read_dir(house.path().join("run/bashful"));
    let left = sockets.into_iter().flatten().flatten().count();
    assert_eq!(left, 0, "its socket goes with it");
}

#[test]
fn a_stale_socket_is_replaced() {
    let house = House::new();
    let engine = sharing(&house, LONG);
    let state = one_run(&house, &engine);
    let path = socket(&house);
    let pair = keeper_pair(&state);
    bashful_sandbox::signal_process(pair[0], rustix::process::Signal::KILL);
    assert_gone(&pair);
    assert!(path.exists(), "a killed keeper cannot tidy up");
    let state = one_run(&house, &engine);
    assert_ne!(state.keeper.pid, pair[0].pid);
    end(&state);
}

#[test]
fn only_the_owner_can_speak_to_a_keeper() {
    let house = House::new();
    let engine = sharing(&house, LONG);
    let state = one_run(&house, &engine);
    let path = socket(&house);
    let directory = path.parent().unwrap();
    let metadata = fs::metadata(directory).unwrap();
    assert_eq!(metadata.mode() & 0o777, 0o700);
    assert_eq!(metadata.uid(), rustix::process::geteuid().as_raw());
    if is_root() {
        // Another user, for whom all doors of the file system are open.
        for (path, mode) in [
            (house.path(), 0o755),
            (directory.to_owned(), 0o755),
            (path.clone(), 0o777),
        ] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
        let talk = r#"
import json, socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(20)
s.connect(sys.argv[1])
hello = {"hello": {"version": sys.argv[2], "protocol": int(sys.argv[3]), "state": "/tmp", "listen": None, "idle_ms": 0, "more_to_come": False}}
try:
    s.sendall((json.dumps(hello) + "\n").encode())
    answer = s.recv(100)
except (ConnectionResetError, BrokenPipeError):
    answer = b""
print("answer", len(answer))
"#;
        let speak = |uid: u32| {
            let output = outside("setpriv")
                .args([format!("--reuid={uid}"), format!("--regid={uid}")])
                .args(["--clear-groups", "/usr/bin/python3", "-c", talk])
                .arg(&path)
                .arg(bashful_engine::VERSION)
                .arg(bashful_keeper::PROTOCOL.to_string())
                .output()
                .unwrap();
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{errors}");
            String::from_utf8(output.stdout).unwrap()
        };
        assert_eq!(speak(65534), "answer 0\n");
        assert_ne!(speak(0), "answer 0\n", "the control: the owner is answered");
    }
    end(&state);
}

#[test]
fn a_runtime_directory_that_others_can_enter_is_refused() {
    let house = House::new();
    let directory = house.path().join("run");
    fs::create_dir(&directory).unwrap();
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
    let engine = sharing(&house, LONG);
    match engine.start(Invocation::bash("touch never")) {
        Err(bashful_engine::EngineError::NotPrivate { path }) => assert_eq!(path, directory),
        other => panic!("{other:?}"),
    }
    assert!(!house.file("never").exists());
}
