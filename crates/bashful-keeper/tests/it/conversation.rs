//! The keeper process, spoken to line by line.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bashful_keeper::{
    KEEPER_ARGUMENT, PROTOCOL, Phase, TASK_FORMAT, TaskDirectory, TaskId, VERSION,
};
use bashful_sandbox::{Launch, Process, Reach, Status, reap, signal_process};
use rustix::process::Signal;
use serde_json::{Value, json};

mod held;

const LONG: Duration = Duration::from_secs(60);

/// The `bashful` executable.
fn helper() -> PathBuf {
    let beside = || {
        let this = std::env::current_exe().unwrap();
        this.ancestors().nth(2).unwrap().join("bashful")
    };
    let path = std::env::var_os("BASHFUL_TEST_BINARY").map_or_else(beside, PathBuf::from);
    assert!(
        path.is_file(),
        "there is no keeper at `{}`: run `cargo build -p bashful` first, with the same target directory",
        path.display()
    );
    path
}

fn eventually(mut question: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + LONG;
    while !question() {
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

/// A connection to a keeper.
struct Talk {
    reader: BufReader<UnixStream>,
}

impl Talk {
    /// A keeper that was just started.
    fn begin() -> Self {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let pid = Launch::new(helper(), "bashful-keeper")
            .argument(KEEPER_ARGUMENT)
            .stdin(theirs.into())
            .start()
            .unwrap();
        // It leaves the keeper to itself at once.
        reap(pid).unwrap();
        Self::over(ours)
    }

    fn over(socket: UnixStream) -> Self {
        socket.set_read_timeout(Some(LONG)).unwrap();
        Self {
            reader: BufReader::new(socket),
        }
    }

    fn say(&mut self, line: &Value) {
        self.say_raw(format!("{line}\n").as_bytes());
    }

    fn say_raw(&mut self, bytes: &[u8]) {
        self.reader.get_mut().write_all(bytes).unwrap();
    }

    /// The next line; none when the keeper hung up.
    fn hear(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(serde_json::from_str(&line).unwrap()),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
            Err(error) => panic!("{error}"),
        }
    }

    /// Skips lines until one has this key; its value.
    fn hear_of(&mut self, key: &str) -> Value {
        loop {
            let line = self.hear().unwrap_or_else(|| panic!("no `{key}`"));
            if let Some(value) = line.get(key) {
                return value.clone();
            }
            // Nothing more follows a refusal.
            assert!(line.get("refused").is_none(), "no `{key}`: {line}");
        }
    }

    /// Greets and says which process the keeper is.
    fn greet(&mut self, state: &Path, listen: Option<&Path>) -> Process {
        self.say(&hello(state, listen));
        let pid = self.hear_of("hello")["pid"].as_i64().unwrap();
        Process::find(i32::try_from(pid).unwrap()).unwrap()
    }
}

fn hello(state: &Path, listen: Option<&Path>) -> Value {
    json!({"hello": {
        "version": VERSION, "protocol": PROTOCOL, "state": state, "listen": listen,
        "idle_ms": 0, "more_to_come": false,
    }})
}

fn start(id: &str, cwd: &Path, command: &str) -> Value {
    json!({"start": {
        "spec": {
            "v": TASK_FORMAT, "id": id, "command": command, "agent": "test", "session": "test",
            "workspace": cwd, "cwd": cwd, "variables": ["PATH"], "timeout_ms": 100_000,
            "term_grace_ms": 2000, "log_quota": 1 << 20, "on_log_full": "continue",
            "keep_tail": 1000, "adopt_survivors": false, "created_at_ms": 1,
        },
        "program": "/bin/bash",
        "arguments": ["bash", "--noprofile", "--norc", "-c", command],
        "environment": [["PATH", "/usr/bin:/bin"]],
        "mask": [], "stdin": false, "log_copy": false, "detached": false,
    }})
}

fn is_gone(process: Process) -> bool {
    Status::of(process.pid).is_none_or(|status| {
        status.started != process.started || matches!(status.state, b'Z' | b'X')
    })
}

#[test]
fn a_run_from_its_start_to_its_record() {
    let house = tempfile::tempdir().unwrap();
    let mut talk = Talk::begin();
    // Both at once, as an engine in a hurry does.
    let command = "echo out; echo err >&2; exit 4";
    let both = [
        hello(house.path(), None),
        start("bash-one", house.path(), command),
    ];
    talk.say_raw(format!("{}\n{}\n", both[0], both[1]).as_bytes());
    assert_eq!(talk.hear().unwrap()["hello"]["version"], VERSION);
    let started = talk.hear_of("started");
    assert_eq!(started["id"], "bash-one");
    let finished = talk.hear_of("finished");
    assert_eq!(finished["state"]["exit_code"], 4);
    assert_eq!(finished["state"]["pid"], started["pid"]);
    let id = TaskId::parse("bash-one").unwrap();
    let directory = TaskDirectory::of(house.path(), &id);
    let record = directory.read_state().unwrap().unwrap();
    assert_eq!((record.phase, record.exit_code), (Phase::Finished, Some(4)));
    assert_eq!(
        serde_json::to_value(&record).unwrap(),
        finished["state"],
        "the record and the message are the same"
    );
    assert_eq!(fs::read(directory.log()).unwrap().len(), 8);
    assert!(eventually(|| !directory.is_owned()));
}

#[test]
fn nothing_is_done_for_somebody_who_did_not_greet() {
    let house = tempfile::tempdir().unwrap();
    let mut talk = Talk::begin();
    talk.say(&start("bash-one", house.path(), "touch never"));
    let keeper = talk.greet(house.path(), None);
    talk.say(&start("bash-two", house.path(), "touch proof"));
    assert_eq!(talk.hear_of("finished")["id"], "bash-two");
    assert!(house.path().join("proof").exists());
    assert!(!house.path().join("never").exists());
    drop(talk);
    assert!(eventually(|| is_gone(keeper)));
}

#[test]
fn another_version_is_refused_and_its_order_is_not_looked_at() {
    let house = tempfile::tempdir().unwrap();
    for (name, value) in [("version", json!("0.0.0-other")), ("protocol", json!(999))] {
        let mut talk = Talk::begin();
        let mut greeting = hello(house.path(), None);
        greeting["hello"][name] = value;
        talk.say(&greeting);
        talk.say(&start("bash-one", house.path(), "touch never"));
        let answer = talk.hear().unwrap();
        assert_eq!(answer["mismatch"]["version"], VERSION, "{answer}");
        assert_eq!(answer["mismatch"]["protocol"], PROTOCOL);
        let socket = talk.reader.get_mut();
        socket.shutdown(std::net::Shutdown::Write).unwrap();
        assert_eq!(talk.hear(), None);
        assert!(!house.path().join("never").exists());
        assert!(!house.path().join("tasks/bash-one").exists());
    }
}

#[test]
fn nonsense_ends_the_conversation_and_its_runs() {
    let house = tempfile::tempdir().unwrap();
    for nonsense in [
        "{\"start\":{}}\n",
        "\n",
        "GET / HTTP/1.1\n",
        "{\"cancel\":{\"id\":\"../../x\",\"now\":true}}\n",
        "{\"unknown\":1}\n",
    ] {
        let mut talk = Talk::begin();
        let keeper = talk.greet(house.path(), None);
        let id = TaskId::fresh("bash");
        talk.say(&start(id.as_str(), house.path(), "sleep 1000"));
        let pid = talk.hear_of("started")["pid"].as_i64().unwrap();
        let leader = Process::find(i32::try_from(pid).unwrap()).unwrap();
        talk.say_raw(nonsense.as_bytes());
        while talk.hear().is_some() {}
        assert!(eventually(|| is_gone(leader)), "{nonsense:?}");
        assert!(eventually(|| is_gone(keeper)), "{nonsense:?}");
    }
}

#[test]
fn half_a_line_starts_nothing() {
    let house = tempfile::tempdir().unwrap();
    let mut talk = Talk::begin();
    let keeper = talk.greet(house.path(), None);
    let line = start("bash-one", house.path(), "touch never").to_string();
    talk.say_raw(line.as_bytes());
    drop(talk);
    assert!(eventually(|| is_gone(keeper)));
    assert!(!house.path().join("never").exists());
}

#[test]
fn an_order_whose_descriptor_is_missing_is_refused() {
    let house = tempfile::tempdir().unwrap();
    let mut talk = Talk::begin();
    talk.greet(house.path(), None);
    for name in ["stdin", "log_copy"] {
        let mut order = start("bash-one", house.path(), "touch never");
        order["start"][name] = json!(true);
        talk.say(&order);
        let refused = talk.hear_of("refused");
        assert_eq!(refused["id"], "bash-one");
        assert_eq!(refused["fault"]["kind"], "malformed");
    }
    // And the keeper goes on.
    talk.say(&start("bash-two", house.path(), "true"));
    assert_eq!(talk.hear_of("finished")["state"]["exit_code"], 0);
    assert!(!house.path().join("never").exists());
}

#[test]
fn an_order_that_cannot_be_carried_out_leaves_no_record() {
    let house = tempfile::tempdir().unwrap();
    let mut talk = Talk::begin();
    talk.greet(house.path(), None);
    let usual = || start("bash-one", house.path(), "true");
    let mut no_program = usual();
    no_program["start"]["program"] = json!("/nonexistent");
    let mut no_directory = usual();
    no_directory["start"]["spec"]["cwd"] = json!("/nonexistent");
    let mut nul = usual();
    nul["start"]["arguments"] = json!(["bash", "a\0b"]);
    for (order, kind) in [
        (no_program, "execute"),
        (no_directory, "working_directory"),
        (nul, "malformed"),
    ] {
        talk.say(&order);
        assert_eq!(talk.hear_of("refused")["fault"]["kind"], kind);
        assert!(!house.path().join("tasks/bash-one").exists(), "{kind}");
    }
}

#[test]
fn the_same_id_twice_is_refused_and_the_first_goes_on() {
    let house = tempfile::tempdir().unwrap();
    let mut talk = Talk::begin();
    talk.greet(house.path(), None);
    let command = "until [ -e go ]; do sleep 0.02; done; echo first";
    talk.say(&start("bash-one", house.path(), command));
    talk.hear_of("started");
    talk.say(&start("bash-one", house.path(), "touch never"));
    assert_eq!(talk.hear_of("refused")["fault"]["kind"], "task_directory");
    fs::write(house.path().join("go"), "").unwrap();
    assert_eq!(talk.hear_of("finished")["state"]["exit_code"], 0);
    let log = house.path().join("tasks/bash-one/out.log");
    assert_eq!(fs::read_to_string(log).unwrap(), "first\n");
    assert!(!house.path().join("never").exists());
}

#[test]
fn a_shutdown_ends_every_run_and_the_keeper() {
    let house = tempfile::tempdir().unwrap();
    let mut talk = Talk::begin();
    let keeper = talk.greet(house.path(), None);
    for id in ["bash-one", "bash-two"] {
        talk.say(&start(
            id,
            house.path(),
            "trap '' TERM; sleep 1000 & wait; wait",
        ));
        talk.hear_of("started");
    }
    talk.say(&json!({"shutdown": {"now": true}}));
    for _ in 0..2 {
        let finished = talk.hear_of("finished");
        assert_eq!(finished["state"]["ending"], "keeper_stopped");
        assert_eq!(finished["state"]["signal"], 9);
    }
    assert!(eventually(|| is_gone(keeper)));
}

#[test]
fn a_client_that_does_not_read_keeps_nobody_waiting() {
    // In /tmp itself: a socket's path has to be short.
    let house = tempfile::tempdir_in("/tmp").unwrap();
    let socket = house.path().join("k.sock");
    let mut deaf = Talk::begin();
    let keeper = deaf.greet(house.path(), Some(&socket));
    // Many runs, none of whose messages is ever read.
    for number in 0..150 {
        let command = "for i in 1 2 3; do echo $i; sleep 0.01; done";
        deaf.say(&start(&format!("bash-deaf{number}"), house.path(), command));
    }
    let mut other = Talk::over(UnixStream::connect(&socket).unwrap());
    assert_eq!(other.greet(house.path(), Some(&socket)), keeper);
    other.say(&start("bash-heard", house.path(), "echo fine"));
    let finished = other.hear_of("finished");
    assert_eq!(finished["state"]["exit_code"], 0);
    let all_done = || {
        (0..150).all(|number| {
            let id = TaskId::parse(&format!("bash-deaf{number}")).unwrap();
            let state = TaskDirectory::of(house.path(), &id).read_state();
            state.is_ok_and(|state| state.is_some_and(|it| it.phase == Phase::Finished))
        })
    };
    assert!(eventually(all_done));
    // What was not read was kept.
    let mut count = 0;
    while count < 150 {
        deaf.hear_of("finished");
        count += 1;
    }
    drop((deaf, other));
    assert!(eventually(|| is_gone(keeper)));
    assert!(!socket.exists());
}

#[test]
fn a_keeper_whose_first_caller_vanishes_ends() {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let pid = Launch::new(helper(), "bashful-keeper")
        .argument(KEEPER_ARGUMENT)
        .stdin(theirs.into())
        .start()
        .unwrap();
    reap(pid).unwrap();
    ours.shutdown(std::net::Shutdown::Write).unwrap();
    ours.set_read_timeout(Some(LONG)).unwrap();
    // The end of the keeper is the end of its side.
    let mut rest = Vec::new();
    ours.read_to_end(&mut rest).unwrap();
    assert!(rest.is_empty());
}

#[test]
fn what_is_asked_of_a_command_is_answered() {
    let house = tempfile::tempdir().unwrap();
    let mut talk = Talk::begin();
    talk.greet(house.path(), None);
    let id = TaskId::fresh("bash");
    let mut order = start(
        id.as_str(),
        house.path(),
        "read -r line; printf '%s' \"$line\"",
    );
    order["start"]["spec"]["terminal"] = json!({ "rows": 24, "columns": 80 });
    talk.say(&order);
    talk.hear_of("started");
    let mut ask = |kind: &str, number: u64, more: Value| {
        let mut request = more;
        request["id"] = json!(id);
        request["number"] = json!(number);
        talk.say(&json!({ kind: request }));
        let answer = talk.hear_of("answer");
        assert_eq!(answer["number"], number);
        answer["answer"].clone()
    };
    let size = json!({ "size": { "rows": 10, "columns": 20 } });
    assert_eq!(ask("resize", 1, size), "done");
    let none = json!({ "size": { "rows": 0, "columns": 20 } });
    assert_eq!(ask("resize", 2, none)["failed"]["errno"], 22);
    assert_eq!(
        ask("signal", 3, json!({ "signal": 0 }))["failed"]["errno"],
        22
    );
    let much = "x".repeat((1 << 20) + 1);
    let full = ask("send", 4, json!({ "bytes": much, "end": false }));
    assert_eq!(full["full"], json!({ "waiting": 0, "most": 1 << 20 }));
    // Every byte is one character of the text.
    let sent = json!({ "bytes": "\u{c3}\u{a9}\r", "end": false });
    assert_eq!(ask("send", 5, sent), "done");
    let state = talk.hear_of("finished")["state"].clone();
    assert_eq!(state["terminal"], json!({ "rows": 10, "columns": 20 }));
    assert_eq!(state["exit_code"], 0);
    let log = fs::read(TaskDirectory::of(house.path(), &id).log()).unwrap();
    assert_eq!(String::from_utf8(log).unwrap(), "é\r\né");
    // It is gone now.
    let late = json!({ "send": { "id": id, "number": 6, "bytes": "x", "end": false } });
    talk.say(&late);
    assert_eq!(talk.hear_of("answer")["answer"], "not_running");
}

/// How many callers come at once; the keeper looks at as many in one round.
const CROWD: usize = 48;

#[test]
fn who_comes_is_greeted_at_once_and_commands_wait_in_line() {
    // In /tmp itself: a socket's path has to be short.
    let house = tempfile::tempdir_in("/tmp").unwrap();
    let socket = house.path().join("k.sock");
    let mut first = Talk::begin();
    let keeper = first.greet(house.path(), Some(&socket));
    // Its guard would have it go on at once.
    let guard = Process::find(Status::of(keeper.pid).unwrap().parent).unwrap();
    assert_eq!(signal_process(guard, Signal::STOP), Reach::Delivered);
    assert_eq!(signal_process(keeper, Signal::STOP), Reach::Delivered);
    // Greeting and order in the same breath, while it looks elsewhere.
    let id = |number: usize| TaskId::parse(&format!("bash-{number}")).unwrap();
    let mut crowd: Vec<Talk> = (0..CROWD)
        .map(|number| {
            let mut talk = Talk::over(UnixStream::connect(&socket).unwrap());
            talk.say(&hello(house.path(), Some(&socket)));
            talk.say(&start(id(number).as_str(), house.path(), "exit 7"));
            talk
        })
        .collect();
    let begun = || {
        let is_begun = |number: &usize| {
            TaskDirectory::of(house.path(), &id(*number))
                .path()
                .exists()
        };
        (0..CROWD).filter(is_begun).count()
    };
    assert_eq!(begun(), 0);
    signal_process(keeper, Signal::CONT);
    // Stopped again with the first start, it has greeted every caller.
    while begun() == 0 {
        std::hint::spin_loop();
    }
    signal_process(keeper, Signal::STOP);
    for talk in &mut crowd {
        talk.reader
            .get_ref()
            .set_read_timeout(Some(Duration::from_secs(5)))
            .unwrap();
        assert!(talk.hear().unwrap().get("hello").is_some());
    }
    // One that leaves while its command waits gets nothing started; one that is cancelled hears
    // of its end.
    let waiting: Vec<usize> = (0..CROWD)
        .filter(|number| {
            !TaskDirectory::of(house.path(), &id(*number))
                .path()
                .exists()
        })
        .collect();
    let [.., cancelled, left] = waiting.as_slice() else {
        panic!("all {CROWD} were started at once");
    };
    crowd[*cancelled].say(&json!({"cancel": {"id": id(*cancelled), "now": true}}));
    crowd[*left] = Talk::over(UnixStream::pair().unwrap().0);
    signal_process(keeper, Signal::CONT);
    signal_process(guard, Signal::CONT);
    for (number, talk) in crowd.iter_mut().enumerate().filter(|(it, _)| it != left) {
        talk.reader.get_ref().set_read_timeout(Some(LONG)).unwrap();
        let state = talk.hear_of("finished")["state"].clone();
        if number == *cancelled {
            assert_eq!(state["ending"], "cancelled");
        } else {
            assert_eq!(state["exit_code"], 7);
        }
    }
    assert!(!TaskDirectory::of(house.path(), &id(*left)).path().exists());
}

#[test]
fn an_end_that_the_disk_does_not_take_is_told_and_tried_again() {
    let house = tempfile::tempdir().unwrap();
    let mut talk = Talk::begin();
    let keeper = talk.greet(house.path(), None);
    let id = TaskId::fresh("bash");
    let gate = house.path().join("gate");
    let command = "until [ -e gate ]; do sleep 0.02; done; exit 4";
    talk.say(&start(id.as_str(), house.path(), command));
    talk.hear_of("started");
    // The keeper cannot write any more.
    let limit = |most| {
        let process = rustix::process::Pid::from_raw(keeper.pid);
        let limit = rustix::process::Rlimit {
            current: most,
            maximum: None,
        };
        rustix::process::prlimit(process, rustix::process::Resource::Fsize, limit).unwrap();
    };
    limit(Some(0));
    fs::write(gate, "").unwrap();
    let state = talk.hear_of("finished")["state"].clone();
    let told = json!([state["exit_code"], state["unrecorded"]]);
    assert_eq!(told, json!([4, true]));
    let directory = TaskDirectory::of(house.path(), &id);
    assert_eq!(
        directory.read_state().unwrap().unwrap().phase,
        Phase::Running
    );
    limit(None);
    let recorded = || {
        let state = directory.read_state().unwrap().unwrap();
        state.phase == Phase::Finished && state.exit_code == Some(4) && !state.unrecorded
    };
    assert!(eventually(recorded));
}
