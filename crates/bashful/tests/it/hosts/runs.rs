//! What a run is on a host with parts missing: in a sandbox that holds, or refused with a way out.

use serde_json::{Value, json};

use super::is_root;
use crate::support::{Host, World, binary};

/// What becomes of a run of the default profile.
#[derive(Debug, Clone, Copy)]
pub(super) enum Run {
    /// It runs in the native sandbox, with these of its protections not in full.
    Native(&'static [(&'static str, &'static str)]),
    /// This backend is the strongest that works, and does not give these in full. So it does
    /// not run, unless the profile can do without them.
    Short(&'static str, &'static [&'static str]),
    /// It does not run: nothing confines it.
    Refused,
}

use Run::{Native, Refused, Short};

/// A host, and what becomes of a run of root and of an ordinary user on it.
struct Row {
    host: &'static [&'static str],
    root: Run,
    user: Run,
}

const fn row(host: &'static [&'static str], root: Run, user: Run) -> Row {
    Row { host, root, user }
}

const NO_LIMITS: &[(&str, &str)] = &[("resources", "partial")];
const STANDS_FOR_ROOT: &[(&str, &str)] = &[("identity", "partial")];

/// Root's workspace is root's, which only a user namespace can make another's.
const ROOT_BY_BUBBLEWRAP: Run = Short("bubblewrap", &["identity"]);
pub(super) const ROOT_BY_FIREJAIL: Run = Short("firejail", &["filesystem", "identity"]);
const ROOT_BY_LANDLOCK: Run = Short("landlock", &["filesystem", "processes", "identity"]);
pub(super) const USER_BY_LANDLOCK: Run = Short("landlock", &["filesystem", "processes"]);

pub(super) const NO_BWRAP: &str = "no-program=/usr/bin/bwrap";
pub(super) const NO_FIREJAIL: &str = "no-program=/usr/bin/firejail";

/// Root mounts `/proc` whatever is masked. For files of root it needs a user namespace, if only to
/// show them as another user's; `bwrap` needs none as root. For an ordinary user on a host with
/// mounts of its own, no program is root's.
const ROWS: [Row; 19] = [
    row(&[], Native(&[]), Native(&[])),
    row(
        &["no-user-namespaces"],
        ROOT_BY_BUBBLEWRAP,
        USER_BY_LANDLOCK,
    ),
    row(
        &["no-user-namespaces=ENOSPC"],
        ROOT_BY_BUBBLEWRAP,
        USER_BY_LANDLOCK,
    ),
    row(
        &["no-user-namespaces", NO_BWRAP],
        ROOT_BY_FIREJAIL,
        USER_BY_LANDLOCK,
    ),
    row(
        &["no-user-namespaces", NO_BWRAP, NO_FIREJAIL],
        ROOT_BY_LANDLOCK,
        USER_BY_LANDLOCK,
    ),
    row(&["no-namespaces"], ROOT_BY_LANDLOCK, USER_BY_LANDLOCK),
    row(&["no-mounts"], ROOT_BY_LANDLOCK, USER_BY_LANDLOCK),
    row(&["no-mounts=ENOSYS"], ROOT_BY_LANDLOCK, USER_BY_LANDLOCK),
    row(&["no-landlock"], Native(&[]), Native(&[])),
    row(&["no-landlock=EOPNOTSUPP"], Native(&[]), Native(&[])),
    row(&["landlock=1"], Native(&[]), Native(&[])),
    row(&["no-filters"], Refused, Refused),
    row(&["no-cgroups"], Native(NO_LIMITS), Native(NO_LIMITS)),
    row(&["read-only-cgroups"], Native(NO_LIMITS), Native(NO_LIMITS)),
    row(&["masked-proc"], Native(&[]), USER_BY_LANDLOCK),
    row(&["overlay-root"], Native(STANDS_FOR_ROOT), Native(&[])),
    row(&["ubuntu"], ROOT_BY_LANDLOCK, USER_BY_LANDLOCK),
    row(
        &["docker", "landlock=3"],
        ROOT_BY_LANDLOCK,
        USER_BY_LANDLOCK,
    ),
    row(&["docker", "no-landlock"], Refused, Refused),
];

#[test]
fn each_host_has_its_backend_or_refuses_with_the_way_out() {
    for row in &ROWS {
        check(row.host, if is_root() { row.root } else { row.user });
    }
}

/// Looks whether that becomes of a run.
pub(super) fn check<S: AsRef<str> + std::fmt::Debug>(features: &[S], expected: Run) {
    let world = World::new();
    let host = Host::with(features);
    let (code, told) = host.run(&world, &["echo ran"]);
    match expected {
        Native(less) => {
            let ran = (code, &told["stdout"]);
            assert_eq!(ran, (0, &json!("ran\n")), "{features:?}: {told}");
            assert_eq!(told["enforcement"]["backend"], "native", "{features:?}");
            check_levels(features, &told["enforcement"], less);
        }
        Short(backend, short) => {
            let kind = (code, &told["error"]["kind"]);
            assert_eq!(kind, (125, &json!("unenforceable")), "{features:?}: {told}");
            let message = told["error"]["message"].as_str().unwrap();
            assert!(
                message.contains(&format!("backend {backend} ")),
                "{features:?}: {told}"
            );
            let hint = told["error"]["hint"].as_str().unwrap();
            assert!(hint.contains("bashful doctor"), "{features:?}: {told}");
            let words: Vec<String> = short.iter().map(|word| format!("`{word}`")).collect();
            let advice = format!("add {} to `optional`", words.join(", "));
            assert!(hint.contains(&advice), "{features:?}: {told}");
            // A caller that follows the advice can run, and is told what is not enforced.
            let list = [short, &["resources"]].concat().join("', '");
            world.configure(&format!("[profile.default]\noptional = ['{list}']\n"));
            let (code, told) = host.run(&world, &["--policy", "none", "echo ran"]);
            let ran = (code, &told["stdout"]);
            assert_eq!(ran, (0, &json!("ran\n")), "{features:?}: {told}");
            assert_eq!(told["enforcement"]["backend"], backend, "{features:?}");
            for word in short {
                assert_ne!(told["enforcement"][*word], "full", "{features:?}: {told}");
            }
            assert_eq!(
                told["enforcement"]["network"], "full",
                "{features:?}: {told}"
            );
        }
        Refused => {
            let kind = (code, &told["error"]["kind"]);
            assert_eq!(kind, (125, &json!("sandbox")), "{features:?}: {told}");
            let hint = told["error"]["hint"].as_str().unwrap_or_default();
            assert!(hint.contains("bashful doctor"), "{features:?}: {told}");
        }
    }
}

/// All is enforced in full but this. A user without control groups has none anywhere.
fn check_levels<S: std::fmt::Debug>(host: &[S], enforcement: &Value, less: &[(&str, &str)]) {
    for name in [
        "filesystem",
        "network",
        "processes",
        "resources",
        "identity",
    ] {
        let exception = less.iter().find(|(other, _)| *other == name);
        let told = enforcement[name].as_str().unwrap();
        let allowed = match exception {
            Some((_, level)) => told == *level,
            None => told == "full" || (name == "resources" && !is_root()),
        };
        assert!(allowed, "{host:?}: {name} is {told}");
    }
}

#[test]
fn inside_another_sandbox_of_ours_a_run_is_refused_with_the_way_out() {
    let world = World::unjudged();
    let program = binary();
    let readable = program.to_str().unwrap();
    let inner = |arguments: &str| {
        let text = format!(
            "mkdir -p inner && cd inner && {} {arguments}",
            program.display()
        );
        let (code, told) = world.json(&["--read", readable, &text]);
        let printed = told["stdout"].as_str().unwrap().to_owned();
        let printed: Value = serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{told}"));
        (code, printed)
    };
    let (code, refused) = inner("run --json 'echo ran'");
    assert_eq!(
        (code, &refused["error"]["kind"]),
        (125, &json!("sandbox")),
        "{refused}"
    );
    let (code, told) = inner("doctor --json");
    assert_eq!((code, &told["ok"]), (1, &json!(false)));
    let missing = &told["missing"][0];
    assert_eq!(missing["what"], "sandbox", "{told}");
    let mend = missing["mend"][0].as_str().unwrap();
    assert!(mend.contains("outside"), "{mend}");
}

#[test]
fn a_list_of_commands_needs_landlock() {
    let list = ["--command", "true", "true"];
    let world = World::new();
    assert_eq!(Host::with::<&str>(&[]).run(&world, &list).0, 0);
    let (code, told) = Host::with(&["no-landlock"]).run(&world, &list);
    assert_eq!(
        (code, &told["error"]["kind"]),
        (125, &json!("unenforceable")),
        "{told}"
    );
}

#[test]
fn the_network_is_not_in_full_with_an_old_landlock() {
    let list = ["--network", "on", "true"];
    let world = World::unjudged();
    assert_eq!(Host::with(&["landlock=6"]).run(&world, &list).0, 0);
    let (code, told) = Host::with(&["landlock=5"]).run(&world, &list);
    assert_eq!(
        (code, &told["error"]["kind"]),
        (125, &json!("unenforceable")),
        "{told}"
    );
}

#[test]
fn a_run_works_where_nothing_executes() {
    let world = World::unjudged();
    let place = |name: &str| format!("noexec={}", world.path(name).display());
    let host = Host::with(&[
        place("home"),
        place("state"),
        place("cache"),
        place("workspace"),
    ]);
    let (code, told) = host.run(&world, &["cp /bin/true ours && echo ran && ./ours"]);
    assert_eq!((code, &told["stdout"]), (126, &json!("ran\n")), "{told}");
    assert_eq!(told["enforcement"]["backend"], "native");
}

#[test]
fn what_was_asked_for_without_a_sandbox_runs_everywhere() {
    let world = World::without_walls();
    for host in ["docker", "ubuntu", "no-namespaces"] {
        let (code, told) = Host::with(&[host]).run(&world, &["echo ran"]);
        assert_eq!(
            (code, &told["stdout"]),
            (0, &json!("ran\n")),
            "{host}: {told}"
        );
        assert_eq!(told["enforcement"]["filesystem"], "none", "{host}: {told}");
    }
}
