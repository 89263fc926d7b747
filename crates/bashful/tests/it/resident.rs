//! Calls that a front hands to a resident engine: they look from outside as if the program had done
//! all of it, and who must not be served is not.

mod at_a_terminal;
mod kills;

use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{
    Marker, Outcome, Running, World, binary, eventually, parent_of, ran, start_of,
};

/// A world in which one session was used twice, so that a resident waits.
struct House {
    world: World,
    resident: i32,
}

impl House {
    fn new() -> Self {
        Self::in_world(World::unjudged())
    }

    fn in_world(world: World) -> Self {
        let resident = Self::moved_in(&world);
        let house = Self { world, resident };
        house.rest();
        house
    }

    /// Calls until a resident is there.
    fn moved_in(world: &World) -> i32 {
        for _ in 0..2 {
            assert_eq!(Running::start(call(world, &["true"])).end().code, 0);
        }
        // What made it has the same words for a moment, and no children.
        let is_ready = |pid| of_residents(world).iter().any(|one| parent_of(*one) == pid);
        assert!(eventually(|| resident(world).is_some_and(is_ready)));
        resident(world).unwrap()
    }

    /// The same after a resident may have died.
    fn restore(&mut self) {
        self.resident = Self::moved_in(&self.world);
        self.rest();
    }

    /// Waits until both stand-ins are ready.
    fn rest(&self) {
        assert!(eventually(|| self.waiting().len() == 2));
    }

    /// The stand-ins, with or without a call.
    fn waiting(&self) -> Vec<i32> {
        let mut own = of_residents(&self.world);
        own.retain(|pid| start_of(*pid).is_some() && parent_of(*pid) == self.resident);
        own
    }

    /// Whether the resident was used by this.
    fn serves<T>(&self, act: impl FnOnce() -> T) -> (bool, T) {
        self.rest();
        let before = self.waiting();
        let outcome = act();
        std::thread::sleep(Duration::from_millis(50));
        (self.waiting() != before, outcome)
    }

    /// The outcome of a call that was handed over.
    fn served(&self, arguments: &[&str]) -> Outcome {
        let call = call(&self.world, arguments);
        let (served, outcome) = self.serves(|| Running::start(call).end().outcome());
        assert!(served, "{arguments:?} was not served: {outcome:?}");
        outcome
    }

    /// The outcome of a command that must not be served.
    fn not_served(&self, command: Command) -> Outcome {
        let what = format!("{command:?}");
        let (served, outcome) = self.serves(|| Running::start(command).end().outcome());
        assert!(!served, "{what} was served: {outcome:?}");
        outcome
    }

    fn signal_all(&self, signal: Signal) {
        let all = self.waiting().into_iter().chain([self.resident]);
        for pid in all {
            let _ = kill_process(Pid::from_raw(pid).unwrap(), signal);
        }
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.signal_all(Signal::KILL);
    }
}

/// `bashful run` in the session, as a call that may be handed over: without a terminal.
fn call(world: &World, arguments: &[&str]) -> Command {
    let mut run = vec!["--session", "house"];
    run.extend(arguments);
    outside(world, &world.run_command(&run))
}

/// The same command in a session of processes without a terminal.
fn outside(world: &World, command: &Command) -> Command {
    let mut outside = world.program("setsid");
    outside.arg(command.get_program());
    outside.args(command.get_args());
    outside.env_remove("BASHFUL_ALONE");
    outside
}

/// Residents and their stand-ins in this world.
fn of_residents(world: &World) -> Vec<i32> {
    let directory = world.path("run/bashful");
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let is_one = |pid: &i32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let mut words = line.split(|&byte| byte == 0).skip(1);
        words.next() == Some(&b"__bashful-resident"[..])
            && words.next() == Some(directory.as_os_str().as_bytes())
    };
    pids.filter(is_one).collect()
}

fn resident(world: &World) -> Option<i32> {
    let all = of_residents(world);
    let mut first = all
        .iter()
        .filter(|pid| start_of(**pid).is_some() && !all.contains(&parent_of(**pid)));
    first.next().copied()
}

#[test]
fn a_call_looks_the_same_from_outside() {
    let house = House::new();
    let world = &house.world;
    let notice = world.notice();
    for (code, stdout, stderr, command) in [
        (0, "out\n", "", "echo out"),
        (3, "", "err\n", "echo err >&2; exit 3"),
        (137, "", "", "kill -KILL $$"),
        (
            127,
            "",
            "bash: line 1: no-such-program: command not found\n",
            "no-such-program",
        ),
    ] {
        let alone = world.run(&["--session", "house", command]);
        let outcome = house.served(&[command]);
        assert_eq!(outcome, alone, "{command}");
        assert_eq!(outcome.code, code, "{command}");
        assert_eq!(outcome.stdout, stdout);
        assert!(
            outcome.stderr.starts_with(&format!("{notice}{stderr}")),
            "{outcome:?}"
        );
    }
}

#[test]
fn mistakes_in_flags_look_the_same() {
    let house = House::new();
    let alone = house
        .world
        .run(&["--session", "house", "--no-such-flag", "true"]);
    assert_eq!(house.served(&["--no-such-flag", "true"]), alone);
    assert_eq!(alone.code, 2);
}

#[test]
fn input_directory_and_variables_come_from_the_front() {
    let house = House::new();
    let world = &house.world;
    fs::create_dir(world.path("workspace/below")).unwrap();
    let text = "read -r line; echo \"$line in $PWD\"; echo \"$LANG\"";
    let mut call = call(world, &["--stdin"]);
    call.arg(text)
        .current_dir(world.path("workspace/below"))
        .env("LANG", "C.UTF-8");
    let (served, outcome) =
        house.serves(|| Running::start_with_input(call, b"typed\n").end().outcome());
    assert!(served, "{outcome:?}");
    let below = world.workspace().join("below");
    assert_eq!(
        outcome.stdout,
        format!("typed in {}\nC.UTF-8\n", below.display())
    );
}

#[test]
fn what_the_front_has_for_secret_is_masked() {
    let house = House::new();
    let mut call = call(&house.world, &["echo supersecretvalue"]);
    call.env("SERVICE_TOKEN", "supersecretvalue");
    let (served, outcome) = house.serves(|| Running::start(call).end().outcome());
    assert!(served, "{outcome:?}");
    assert!(!outcome.stdout.contains("supersecretvalue"), "{outcome:?}");
    assert_eq!(outcome.code, 0);
}

#[test]
fn nothing_of_one_front_is_left_for_the_next() {
    let house = House::new();
    let told = |secret: Option<&str>| {
        let mut call = call(&house.world, &["echo supersecretvalue"]);
        call.envs(secret.map(|secret| ("SERVICE_TOKEN", secret)));
        let (served, outcome) = house.serves(|| Running::start(call).end().outcome());
        assert!(served, "{outcome:?}");
        outcome.stdout
    };
    for _ in 0..4 {
        assert!(!told(Some("supersecretvalue")).contains("supersecretvalue"));
        assert_eq!(told(None), "supersecretvalue\n");
    }
}

#[test]
fn what_earlier_calls_found_out_counts_only_while_it_is_right() {
    let house = House::new();
    let git = |words: &[&str]| {
        let mut git = house.world.program("git");
        git.current_dir(house.world.workspace()).args(words);
        assert!(git.output().unwrap().status.success(), "{words:?}");
    };
    git(&["init", "--quiet"]);
    let hook = "mkdir -p later && echo new > later/pre-commit";
    // What was just made cannot be vouched for.
    std::thread::sleep(Duration::from_millis(3_100));
    for _ in 0..6 {
        let outcome = house.served(&[hook]);
        assert_eq!(outcome.code, 0, "{outcome:?}");
    }
    git(&["config", "core.hooksPath", "later"]);
    let alone = house.world.run(&["--session", "house", hook]);
    let outcome = house.served(&[hook]);
    assert_eq!(outcome, alone);
    assert_ne!(outcome.code, 0, "{outcome:?}");
}

#[test]
fn what_is_recorded_is_the_same() {
    let house = House::new();
    let result = |outcome: Outcome| {
        let (code, result) = outcome.json();
        assert_eq!(code, 0, "{result}");
        result
    };
    let alone = result(house.world.run(&["--session", "house", "--json", "echo a"]));
    let served = result(house.served(&["--json", "echo a"]));
    let keys = |result: &Value| {
        result
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(keys(&served), keys(&alone));
    for key in ["agent", "session", "stdout", "enforcement", "decision"] {
        assert_eq!(served[key], alone[key], "{key}");
    }
    let (code, verified) = house.world.call(&["audit", "verify", "--json"]).json();
    assert_eq!(code, 0, "{verified}");
}

#[test]
fn signals_end_the_command_and_the_front_as_they_end_the_whole_program() {
    let house = House::new();
    for signal in [
        Signal::INT,
        Signal::TERM,
        Signal::HUP,
        Signal::QUIT,
        Signal::KILL,
    ] {
        let end = |command: Command, marker: &Marker| {
            let running = Running::start(command);
            marker.wait_for(1);
            running.signal(signal);
            let code = running.end().code;
            marker.assert_gone_soon();
            code
        };
        let marker = Marker::fresh();
        let command = house
            .world
            .run_command(&["--session", "house", &marker.sleep()]);
        let alone = end(command, &marker);
        let marker = Marker::fresh();
        let command = call(&house.world, &[&marker.sleep()]);
        let (served, code) = house.serves(|| end(command, &marker));
        assert!(served);
        assert_eq!(code, alone, "{signal:?}");
    }
}

#[test]
fn a_front_that_is_stopped_stops_and_goes_on() {
    let house = House::new();
    let running = Running::start(call(
        &house.world,
        &["echo on > began; read -t 2 <> <(:); echo end"],
    ));
    assert!(eventually(|| house.world.path("workspace/began").exists()));
    running.signal(Signal::TSTP);
    std::thread::sleep(Duration::from_millis(100));
    running.signal(Signal::CONT);
    let outcome = running.end().outcome();
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (0, "end\n"),
        "{outcome:?}"
    );
}

#[test]
fn a_stand_in_that_is_killed_is_told_and_leaves_nothing() {
    let house = House::new();
    house.rest();
    let ready = house.waiting();
    let marker = Marker::fresh();
    let running = Running::start(call(&house.world, &[&marker.sleep()]));
    marker.wait_for(1);
    for pid in ready {
        kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    }
    let outcome = running.end().outcome();
    assert_eq!(outcome.code, 125, "{outcome:?}");
    assert!(
        outcome.stderr.contains("bashful tasks --all"),
        "{outcome:?}"
    );
    marker.assert_gone_soon();
}

#[test]
fn a_resident_that_is_stuck_holds_nobody_up_for_long() {
    let house = House::new();
    house.signal_all(Signal::STOP);
    let ended = Running::start(call(&house.world, &["echo alone"])).end();
    assert_eq!(ended.outcome().stdout, "alone\n");
    assert!(ended.took < Duration::from_secs(30), "{:?}", ended.took);
    house.signal_all(Signal::CONT);
    // The stand-in that slept does not run the same once more.
    let (_, told) = house.world.call(&["tasks", "--all", "--json"]).json();
    let ran = told.to_string().matches("echo alone").count();
    assert_eq!(ran, 1, "{told}");
}

/// A program that takes the place of a resident: it never answers, answers and then says nothing, says
/// nonsense, hangs up, or takes the ticket and goes away.
const IMPOSTOR: &str = r#"
import array, os, socket, sys, time
path, how = sys.argv[1:]
os.unlink(path)
listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind(path)
listener.listen()
print(flush=True)
line, _ = listener.accept()
if how == "deaf": time.sleep(6)
line.send(b"R\0")
_, fds, _, _ = socket.recv_fds(line, 1 << 20, 8)
if how == "mute": time.sleep(6)
if how == "nonsense": line.send(b"XYZ")
if how == "thief": os.read(fds[4], 1)
"#;

#[test]
fn whatever_sits_at_the_socket_the_call_ends_with_an_answer() {
    for (how, code) in [
        ("mute", 0),
        ("nonsense", 0),
        ("deaf", 0),
        ("hang-up", 0),
        ("thief", 125),
    ] {
        let house = House::new();
        let socket = house.world.path("run/bashful/resident.sock");
        let mut impostor = house.world.program("python3");
        impostor.args(["-c", IMPOSTOR, socket.to_str().unwrap(), how]);
        let mut impostor = impostor
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = [0];
        impostor
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut told)
            .unwrap();
        let outcome = Running::start(call(&house.world, &["echo ran >> ran"]))
            .end()
            .outcome();
        impostor.kill().unwrap();
        impostor.wait().unwrap();
        assert_eq!(outcome.code, code, "{how}: {outcome:?}");
        let ran = fs::read_to_string(house.world.path("workspace/ran")).unwrap_or_default();
        assert_eq!(ran, if code == 0 { "ran\n" } else { "" }, "{how}");
    }
}

#[test]
fn a_run_without_a_sandbox_is_not_served() {
    let house = House::in_world(World::without_walls());
    let world = &house.world;
    let inner = call(world, &["echo inner"]);
    let words = inner
        .get_args()
        .map(|word| format!("'{}'", word.to_str().unwrap()));
    let words: Vec<String> = words.collect();
    let places = [
        "HOME=home",
        "XDG_STATE_HOME=state",
        "XDG_CONFIG_HOME=config",
        "XDG_RUNTIME_DIR=run",
    ];
    let places = places.map(|one| {
        let (name, place) = one.split_once('=').unwrap();
        format!("{name}={}", world.path(place).display())
    });
    let text = format!("env {} setsid {}", places.join(" "), words.join(" "));
    let outer = world.run_command(&[&text]);
    let outcome = house.not_served(outer);
    // The control: the same call from outside, with the same words, is.
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stdout.ends_with("inner\n"), "{outcome:?}");
    assert_eq!(house.served(&["echo inner"]).stdout, "inner\n");
}

#[test]
fn a_front_with_other_rights_is_not_served() {
    let house = House::new();
    let mut weaker = house.world.program("setpriv");
    weaker.arg("--no-new-privs");
    let like = call(&house.world, &["true"]);
    weaker
        .arg(like.get_program())
        .args(like.get_args())
        .env_remove("BASHFUL_ALONE");
    assert_eq!(house.not_served(weaker).code, 0);
    house.served(&["true"]);
}

#[test]
fn what_names_a_descriptor_or_wants_to_be_alone_is_not_handed_over() {
    let house = House::new();
    let outcome = house.not_served(call(&house.world, &["cat /dev/fd/0"]));
    assert_eq!(outcome, house.world.ran(0, "", ""));
    let mut alone = call(&house.world, &["true"]);
    alone.env("BASHFUL_ALONE", "1");
    assert_eq!(house.not_served(alone).code, 0);
}

#[test]
fn another_version_has_a_resident_of_its_own() {
    let house = House::new();
    let world = &house.world;
    let copy = world.path("bashful");
    fs::copy(binary(), &copy).unwrap();
    let another = || {
        let mut command = world.program("setsid");
        command.env_remove("BASHFUL_ALONE").arg(&copy);
        command.args([
            "run",
            "--session",
            "house",
            "--policy",
            "none",
            "echo other",
        ]);
        Running::start(command).end().outcome()
    };
    assert_eq!(another(), ran(0, "other\n", world.notice()));
    assert!(eventually(|| resident(world) != Some(house.resident)));
    assert_eq!(another(), ran(0, "other\n", world.notice()));
    assert!(eventually(|| resident(world).is_some()));
    let now = resident(world).unwrap();
    let program = fs::read_link(format!("/proc/{now}/exe")).unwrap();
    kill_process(Pid::from_raw(now).unwrap(), Signal::KILL).unwrap();
    assert_eq!(program, copy);
}

#[test]
fn stopping_all_ends_the_resident() {
    let house = House::new();
    assert_eq!(house.world.call(&["stop", "--all"]).code, 0);
    assert!(eventually(|| of_residents(&house.world).is_empty()));
    assert!(!house.world.path("run/bashful/resident.sock").exists());
}
