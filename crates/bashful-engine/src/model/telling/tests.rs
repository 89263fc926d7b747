//! Tests of what is worth a line.

use std::path::PathBuf;
use std::time::Duration;

use bashful_sandbox::Violation;

use crate::model::result::{ExecutionResult, RequestInfo};

fn violation(kind: &str, about: &str, flag: Option<&str>) -> Violation {
    let is_path = about.starts_with('/');
    Violation {
        kind: kind.to_owned(),
        path: is_path.then(|| PathBuf::from(about)),
        address: (!is_path).then(|| about.to_owned()),
        missing: flag.map_or("", |_| "something").to_owned(),
        source: "seccomp".to_owned(),
        flag: flag.map(str::to_owned),
        ..Violation::default()
    }
}

fn result(command: &str, code: i32, complained: bool, stopped: Vec<Violation>) -> ExecutionResult {
    let info = RequestInfo::bare("agent".to_owned(), "session".to_owned());
    let mut result = ExecutionResult::lost(info, "bash-x".to_owned(), "/log".into());
    result.command = command.to_owned();
    result.success = code == 0;
    result.exit_code = Some(code);
    result.stderr_bytes = u64::from(complained);
    result.sandbox_violations = stopped;
    result.duration = Duration::ZERO;
    result
}

/// Which of everything is told, by its kind.
fn told(command: &str, code: i32, complained: bool) -> Vec<String> {
    let all = vec![
        violation("network", "192.0.2.1:53", Some("--network on")),
        violation("write", "/srv/data/x", Some("--write /srv/data")),
        violation(
            "write",
            "/opt/lib/__pycache__/a.pyc",
            Some("--write /opt/lib"),
        ),
        violation("write", "/proc/7/mem", None),
        violation("socket", "/run/nscd/socket", None),
        violation("read", "/srv/other", Some("--read /srv/other")),
    ];
    let result = result(command, code, complained, all);
    let told = result.worth_telling().map(|one| one.kind.clone());
    told.collect()
}

#[test]
fn a_success_tells_what_was_not_done_and_leaves_out_what_was_done_without() {
    assert_eq!(told("make", 0, false), ["write"]);
    for (command, complained) in [("make | tail", false), ("a; b", false), ("make", true)] {
        assert_eq!(
            told(command, 0, complained),
            ["network", "write", "read"],
            "{command}"
        );
    }
    // Of a failure all is told but what no program fails for.
    assert_eq!(
        told("make", 1, false),
        ["network", "write", "write", "read"]
    );
}

#[test]
fn nothing_is_asked_about_a_success() {
    let stopped = vec![violation("write", "/srv/x", Some("--write /srv/x"))];
    let failed = result("a | b", 1, true, stopped.clone());
    assert_eq!(failed.worth_asking().count(), 1);
    let done = result("a | b", 0, true, stopped);
    assert_eq!(
        (done.worth_asking().count(), done.worth_telling().count()),
        (0, 1)
    );
}

#[test]
fn three_lines_at_most_the_nearest_remedy_first() {
    let mut all = vec![violation("network", "192.0.2.1:443", Some("--network on"))];
    for name in 0..9 {
        let path = format!("/srv/data/{name}");
        all.push(violation("write", &path, Some("--write /srv/data")));
    }
    all.push(violation("socket", "/run/x", None));
    all.push(violation("read", "/srv/y", Some("--read /srv/y")));
    let result = result("make", 1, true, all);
    let told = result.told();
    let kinds: Vec<(&str, usize)> = told
        .stopped
        .iter()
        .map(|(one, others)| (one.kind.as_str(), *others))
        .collect();
    assert_eq!(kinds, [("write", 8), ("network", 0)]);
    assert_eq!(told.flags, ["--write /srv/data", "--network on"]);
    assert_eq!(told.left, 2);
}
