//! When a keeper moves, what it says, and what it makes of the answers.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use super::facts::{Place, is_limited};
use super::*;

const BEST: Facts = Facts {
    systemd: true,
    is_root: false,
    place: Place::UserManager,
    limited: false,
    lingers: true,
    kills: false,
};

/// In words: where it lives, and whether a logout ends it.
fn told(facts: Facts) -> (&'static str, bool) {
    let outlook = facts.outlook();
    let scope = match outlook.scope {
        Scope::Own => "own",
        Scope::Starter(Ground::NoSystemd) => "no systemd",
        Scope::Starter(Ground::NoUnit) => "no unit",
        Scope::Starter(Ground::OfKeeper) => "of a keeper",
        Scope::Starter(Ground::Limited) => "limited",
        Scope::Starter(Ground::Spared) => "spared",
        Scope::Starter(Ground::Outlasts) => "outlasts",
        Scope::Starter(Ground::Mute(_)) => "mute",
    };
    (scope, outlook.ends_at_logout)
}

#[test]
fn it_moves_where_that_is_a_gain() {
    use Place::{Elsewhere, Keeper, Service, Session, UserManager};
    // Place, lingers, logind kills: for a user, for root.
    let table = [
        (UserManager, true, false, ("own", false), ("own", false)),
        (UserManager, false, false, ("own", true), ("own", false)),
        (UserManager, false, true, ("own", true), ("own", false)),
        (Session, true, false, ("own", false), ("own", false)),
        (Session, true, true, ("own", false), ("own", false)),
        (Session, false, true, ("own", true), ("own", false)),
        // The manager ends with the last session, which is spared here.
        (Session, false, false, ("spared", false), ("own", false)),
        (Service, true, false, ("own", false), ("own", false)),
        (Service, false, true, ("outlasts", false), ("own", false)),
        (
            Keeper,
            true,
            true,
            ("of a keeper", false),
            ("of a keeper", false),
        ),
        (
            Elsewhere,
            true,
            true,
            ("no unit", false),
            ("no unit", false),
        ),
    ];
    for (place, lingers, kills, user, root) in table {
        let facts = Facts {
            place,
            lingers,
            kills,
            ..BEST
        };
        assert_eq!(told(facts), user, "{facts:?}");
        let facts = Facts {
            is_root: true,
            ..facts
        };
        assert_eq!(told(facts), root, "{facts:?}");
    }
    let limited = Facts {
        limited: true,
        ..BEST
    };
    assert_eq!(told(limited), ("limited", false));
    let without = Facts {
        systemd: false,
        ..limited
    };
    assert_eq!(told(without), ("no systemd", false));
    let killed = Facts {
        place: Session,
        kills: true,
        ..without
    };
    assert_eq!(told(killed), ("no systemd", true));
    assert!(
        killed
            .without_answer("said nothing".to_owned())
            .ends_at_logout
    );
}

#[test]
fn places_are_known_by_the_hierarchy_of_systemd() {
    let user = "/user.slice/user-1000.slice";
    let table = [
        (format!("0::{user}/session-3.scope\n"), Place::Session),
        (
            format!("0::{user}/user@1000.service/app.slice/vte-spawn-1.scope\n"),
            Place::UserManager,
        ),
        (
            format!("0::{user}/user@1000.service/app.slice/bashful-keeper-7-8.scope/run\n"),
            Place::Keeper,
        ),
        (
            "0::/system.slice/bashful-keeper-7-8.scope\n".to_owned(),
            Place::Keeper,
        ),
        ("0::/system.slice/cron.service\n".to_owned(), Place::Service),
        ("0::/init.scope\n".to_owned(), Place::Elsewhere),
        ("0::/\n".to_owned(), Place::Elsewhere),
        ("0::/../cron.service\n".to_owned(), Place::Elsewhere),
        (String::new(), Place::Elsewhere),
        // With both versions it is the named hierarchy that counts.
        (
            "4:memory:/x.service\n1:name=systemd:/user.slice/session-3.scope\n0::/\n".to_owned(),
            Place::Session,
        ),
        ("4:memory:/x.service\n0::/\n".to_owned(), Place::Elsewhere),
    ];
    for (groups, place) in table {
        assert_eq!(Place::of(&groups), place, "{groups}");
    }
}

#[test]
fn limits_that_would_be_left_behind_are_seen() {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, value: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, value).unwrap();
    };
    let is_limited = |groups: &str, user| is_limited(groups, root.path(), user);
    write("system.slice/free.service/memory.max", "max\n");
    write("system.slice/tight.service/memory.max", "1048576\n");
    write("memory/old.service/memory.limit_in_bytes", "4096\n");
    write("system.slice/cpu.max", "1000 100000\n");
    assert!(is_limited("0::/system.slice/tight.service\n", 0));
    assert!(is_limited("0::/system.slice/tight.service/below\n", 0));
    assert!(is_limited("1:name=systemd:/old.service\n", 0));
    // The slice's limit holds for its other units too, but not for a user's.
    assert!(!is_limited("0::/system.slice/free.service\n", 0));
    assert!(is_limited("0::/system.slice/free.service\n", 1000));
    let scope = "user.slice/user-7.slice/user@7.service/app.slice/a.scope";
    write("user.slice/user-7.slice/memory.max", "4096\n");
    assert!(!is_limited(&format!("0::/{scope}\n"), 7));
    write(&format!("{scope}/memory.high"), "4096\n");
    assert!(is_limited(&format!("0::/{scope}\n"), 7));
}

#[test]
fn logind_is_understood() {
    let killed = |text: &str, root| logind::are_killed(&[text.to_owned()], root);
    assert!(killed("[Login]\nKillUserProcesses=yes\n", false));
    assert!(!killed("#KillUserProcesses=yes", false));
    assert!(!killed(
        "KillUserProcesses=yes\nKillUserProcesses = no",
        false
    ));
    assert!(!killed("KillUserProcesses=yes", true));
    assert!(killed("KillUserProcesses=yes\nKillExcludeUsers=", true));
    assert!(!killed("", false));
    let users = "root:x:0:0::/root:/bin/sh\nbad\na:x:7:7::/:/bin/sh\n";
    assert_eq!(logind::name_of(users, 7), Some("a"));
    assert_eq!(logind::name_of(users, 8), None);
}

/// A manager that answers like this, once it has heard a message.
fn stand_in(path: &Path, answer: &'static [u8]) -> thread::JoinHandle<Vec<u8>> {
    let listener = UnixListener::bind(path).unwrap();
    thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut heard = vec![0; 4096];
        let count = socket.read(&mut heard).unwrap();
        heard.truncate(count);
        socket.write_all(answer).unwrap();
        // Until the other side has had enough.
        let _ = socket.read_to_end(&mut heard);
        heard
    })
}

fn asked(path: &Path) -> Asked {
    let mut manager = Manager::reach(path).unwrap();
    manager.send(&message::ping()).unwrap();
    Asked {
        manager,
        name: "bashful-keeper-nobody.scope".to_owned(),
        companions: Vec::new(),
        until: Instant::now() + PATIENCE,
    }
}

#[test]
fn whatever_a_manager_answers_a_keeper_goes_on() {
    const OK: &[u8] = b"OK 0123456789abcdef0123456789abcdef\r\n";
    let table: [(&str, &'static [u8], Moved); 6] = [
        ("silent", b"", Moved::NotYet),
        ("greets", OK, Moved::NotYet),
        ("rejects", b"REJECTED EXTERNAL\r\n", Moved::No),
        (
            "refuses",
            b"OK 00\r\nl\x03\x01\x01\0\0\0\0\x01\0\0\0\0\0\0\0",
            Moved::No,
        ),
        // A manager that only claims to have moved the keeper has not moved it.
        (
            "lies",
            b"OK 00\r\nl\x02\x01\x01\0\0\0\0\x01\0\0\0\0\0\0\0",
            Moved::NotYet,
        ),
        (
            "floods",
            b"OK 00\r\nl\x02\x01\x01\xff\xff\xff\xff\x01\0\0\0\0\0\0\0",
            Moved::No,
        ),
    ];
    let directory = tempfile::tempdir().unwrap();
    for (name, answer, expected) in table {
        let path = directory.path().join(name);
        let manager = stand_in(&path, answer);
        let mut asked = asked(&path);
        if expected == Moved::No {
            // What is said late on a busy machine is heard all the same.
            asked.until += Duration::from_secs(10);
        }
        let begun = Instant::now();
        assert_eq!(asked.settle(), expected, "{name}");
        if expected == Moved::NotYet {
            assert!(begun.elapsed() < PATIENCE + Duration::from_secs(2));
        }
        // Once that time has passed the keeper does not wait again.
        let begun = Instant::now();
        if expected == Moved::NotYet {
            assert_eq!(asked.settle(), expected, "{name}");
            assert!(begun.elapsed() < PATIENCE, "{name}");
        }
        drop(asked);
        assert!(manager.join().unwrap().starts_with(b"\0AUTH EXTERNAL "));
    }
    assert!(Manager::reach(&directory.path().join("nowhere")).is_err());
}

/// A bus of ours alone. It ends when this does.
struct Bus(Child);

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test starts a real bus without the door that would confine it"
)]
fn program(name: &str) -> Command {
    Command::new(name)
}

/// A real bus reads the bytes, and hangs up on a client that sends it nonsense; its monitor tells
/// what it read.
#[test]
fn a_real_bus_understands_the_order() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bus");
    let address = format!("unix:path={}", path.display());
    let bus = program("dbus-daemon")
        .args(["--session", "--nofork", "--print-address"])
        .arg(format!("--address={address}"))
        .stdout(Stdio::piped())
        .spawn();
    let mut bus = Bus(bus.expect("`dbus-daemon` is there: `cargo xtask test setup`"));
    let mut line = String::new();
    let mut printed = BufReader::new(bus.0.stdout.take().unwrap());
    printed.read_line(&mut line).unwrap();
    let monitor = program("dbus-monitor")
        .args(["--address", &address, "member='StartTransientUnit'"])
        .stdout(Stdio::piped())
        .spawn();
    let mut monitor = Bus(monitor.expect("`dbus-monitor` is there: `cargo xtask test setup`"));
    let mut told = BufReader::new(monitor.0.stdout.take().unwrap());
    // It begins by telling of itself.
    told.read_line(&mut line).unwrap();

    let order = message::StartScope {
        name: "bashful-keeper-12-345.scope",
        processes: &[12, 11],
        slice: Some("app.slice"),
    };
    let mut manager = Manager::reach(&path).unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    assert_eq!(manager.listen(until).unwrap(), Heard::Greeting);
    manager.send(&hello()).unwrap();
    assert_eq!(manager.listen(until).unwrap(), Heard::Return);
    // A manager reads 256 bytes while it does not know us, and goes on when there are more.
    assert!(order.encode().len() > 256);
    manager.send(&order.encode()).unwrap();
    // No service here has that name, and the bus says so.
    while manager.listen(until).unwrap() != Heard::Refused {
        assert!(Instant::now() < until);
    }
    let mut lines = told.lines().map(Result::unwrap);
    let first = lines.find(|line| line.contains("member=StartTransientUnit"));
    let first = first.unwrap();
    for part in [
        "destination=org.freedesktop.systemd1 ",
        "path=/org/freedesktop/systemd1;",
        "interface=org.freedesktop.systemd1.Manager;",
    ] {
        assert!(first.contains(part), "{first}");
    }
    let words = ["string ", "uint32 ", "boolean "];
    let values: Vec<String> = lines
        .map(|line| line.trim().trim_start_matches("variant").trim().to_owned())
        .filter(|line| words.iter().any(|word| line.starts_with(word)))
        .take(13)
        .collect();
    let expected = [
        "string \"bashful-keeper-12-345.scope\"",
        "string \"fail\"",
        "string \"Description\"",
        "string \"Bashful: commands of an agent\"",
        "string \"PIDs\"",
        "uint32 12",
        "uint32 11",
        "string \"Delegate\"",
        "boolean true",
        "string \"CollectMode\"",
        "string \"inactive-or-failed\"",
        "string \"Slice\"",
        "string \"app.slice\"",
    ];
    assert_eq!(values, expected);
}

/// What a bus wants to hear first; a manager does without.
fn hello() -> Vec<u8> {
    let mut bytes = b"l\x01\x00\x01\0\0\0\0\x09\0\0\0\x6d\0\0\0".to_vec();
    let fields: [(u8, u8, &str); 4] = [
        (1, b'o', "/org/freedesktop/DBus"),
        (2, b's', "org.freedesktop.DBus"),
        (3, b's', "Hello"),
        (6, b's', "org.freedesktop.DBus"),
    ];
    for (code, kind, value) in fields {
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes.extend([code, 1, kind, 0]);
        bytes.extend(u32::try_from(value.len()).unwrap().to_le_bytes());
        bytes.extend(value.as_bytes());
        bytes.push(0);
    }
    let length = u32::try_from(bytes.len() - 16).unwrap();
    bytes[12..16].copy_from_slice(&length.to_le_bytes());
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}
