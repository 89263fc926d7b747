//! Tables of commands that each class finds, and of near misses.

use super::*;
use crate::context::testing::in_project;
use crate::facts::testing::call;
use crate::facts::{Argument, Function, Input, RedirectKind};

/// Facts of programs in a pipe, with their words split at blanks; `~` is the home.
fn pipeline(text: &str) -> Facts {
    let text = text.replace('~', "/home/u");
    let mut facts = Facts::default();
    let stages: Vec<&str> = text.split(" | ").collect();
    for (index, stage) in stages.iter().enumerate() {
        let mut call = call(stage);
        if index > 0 {
            call.input = Input::Pipe(0..index);
        }
        call.captured = index + 1 < stages.len();
        facts.calls.push(call);
    }
    facts
}

/// The classes found in a text.
fn found(text: &str) -> Vec<String> {
    found_in(&pipeline(text))
}

fn found_in(facts: &Facts) -> Vec<String> {
    let findings = check(facts, &in_project());
    findings
        .iter()
        .filter_map(|(_, finding)| finding.capability.as_deref().map(str::to_owned))
        .collect()
}

/// For each class at least 25 commands that are of it (`+`) and 15 near misses (`-`), as words of a
/// pipe without any quotes.
#[test]
fn each_class_finds_its_commands_and_no_others() {
    let rows: Vec<Vec<&str>> = include_str!("tests/words.txt")
        .lines()
        .map(|line| line.splitn(3, '\t').collect())
        .collect();
    for class in Class::ALL {
        // One is judged with the writes, and one by what functions do.
        if matches!(class, Class::WriteOutsideRoots | Class::ForkBomb) {
            continue;
        }
        let of = |wanted: &str| -> Vec<&str> {
            let rows = rows.iter();
            rows.filter_map(|row| match row.as_slice() {
                [name, sign, text] if *name == class.as_str() && *sign == wanted => Some(*text),
                _ => None,
            })
            .collect()
        };
        let (hits, misses) = (of("+"), of("-"));
        assert!(hits.len() >= 25 && misses.len() >= 15, "{class}: too few");
        let has = |text: &&&str| found(text).iter().any(|name| name == class.as_str());
        let missed: Vec<&&str> = hits.iter().filter(|text| !has(text)).collect();
        let wrong: Vec<&&str> = misses.iter().filter(has).collect();
        assert!(
            missed.is_empty() && wrong.is_empty(),
            "{class}: missed {missed:#?}, wrongly found {wrong:#?}"
        );
    }
}

/// A redirect of a call that does nothing.
fn redirect(kind: RedirectKind, target: &str) -> Facts {
    Facts {
        redirects: vec![Redirect {
            span: (0, 0),
            kind,
            descriptor: None,
            target: Argument::literal(target, (0, 0)),
            directories: vec!["/home/u/proj".to_owned()],
        }],
        ..Facts::default()
    }
}

#[test]
fn redirects_are_judged_by_their_targets() {
    let rows = [
        (RedirectKind::Write, "/dev/sda", "device-write"),
        (RedirectKind::Append, "/dev/nvme0n1p1", "device-write"),
        (RedirectKind::ReadWrite, "../../../dev/vda", "device-write"),
        (RedirectKind::Read, "/dev/mapper/root", "device-write"),
        (RedirectKind::Write, "/proc/sysrq-trigger", "device-write"),
        (RedirectKind::Write, "/dev/tcp/1.2.3.4/99", "reverse-shell"),
        (
            RedirectKind::ReadWrite,
            "/dev/udp/1.2.3.4/99",
            "reverse-shell",
        ),
        (RedirectKind::Read, "/dev/tcp/h/80", "reverse-shell"),
        (RedirectKind::Read, "/home/u/.ssh/id_rsa", "secret-read"),
        (RedirectKind::Read, "../.netrc", "secret-read"),
        (RedirectKind::Read, "/etc/shadow", "secret-read"),
    ];
    for (kind, target, class) in rows {
        assert_eq!(found_in(&redirect(kind, target)), [class], "{target}");
    }
    let free = [
        (RedirectKind::Write, "/dev/null"),
        (RedirectKind::Write, "/dev/stderr"),
        (RedirectKind::Write, "/dev/fd/3"),
        (RedirectKind::Append, "/dev/tty"),
        (RedirectKind::Read, "/dev/urandom"),
        (RedirectKind::Read, "input.txt"),
        (RedirectKind::Read, "/home/u/.ssh/id_rsa.pub"),
        (RedirectKind::Write, "out"),
        (RedirectKind::Text, "/dev/sda"),
        (RedirectKind::Duplicate, "1"),
    ];
    for (kind, target) in free {
        assert!(found_in(&redirect(kind, target)).is_empty(), "{target}");
    }
}

#[test]
fn what_matched_is_shown_but_never_at_length() {
    let long = format!("sudo {}", "é".repeat(500));
    let findings = check(&pipeline(&long), &in_project());
    let (at, first) = findings.first().unwrap();
    assert_eq!(*at, Some(0));
    assert_eq!(first.fact.chars().count(), SHOWN);
    assert_eq!(first.capability.as_deref(), Some("sudo"));
    assert_eq!(
        (first.effect, first.standing),
        (Effect::Deny, Standing::Rule)
    );
    assert!(first.advice.is_some());
}

/// A function with this body; every call of the body can be in a pipe or beside the others.
fn function(name: &str, body: &[(&str, Option<usize>, bool)]) -> Facts {
    let mut facts = Facts::default();
    for (line, piped_from, background) in body {
        let mut call = call(line);
        if let Some(from) = piped_from {
            call.input = Input::Pipe(*from..from + 1);
        }
        call.background = *background;
        facts.calls.push(call);
    }
    facts.functions.push(Function {
        span: (0, 1),
        name: name.to_owned(),
        body: 0..facts.calls.len(),
    });
    facts
}

#[test]
fn functions_that_multiply_are_bombs() {
    let bombs = [
        function(":", &[(":", None, false), (":", Some(0), true)]),
        function("b", &[("b", None, true), ("b", None, true)]),
        function("b", &[("b", None, true)]),
        function("b", &[("b", None, false), ("b", Some(0), false)]),
        function("b", &[("b", None, false), ("b", None, false)]),
        function("b", &[("b x", None, false), ("b x", Some(0), false)]),
    ];
    for facts in &bombs {
        assert_eq!(found_in(facts), ["fork-bomb"]);
    }
    let fine = [
        function("f", &[("f x", None, false)]),
        function(
            "walk",
            &[("ls x", None, false), ("read d", Some(0), false), ("walk d", Some(0), false)],
        ),
        function(
            "fib",
            &[("[ 1 ]", None, false), ("fib 1", None, false), ("fib 2", None, false)],
        ),
        function("f", &[("g", None, true), ("g", None, true)]),
        function(
            "f",
            &[("return", None, false), ("f", None, false), ("f", None, false)],
        ),
    ];
    for facts in &fine {
        assert!(found_in(facts).is_empty());
    }
    let mut mutual = function("a", &[("b", None, true)]);
    mutual.calls.push(call("a"));
    mutual.functions.push(Function {
        span: (0, 1),
        name: "b".to_owned(),
        body: 1..2,
    });
    assert!(found_in(&mutual).contains(&"fork-bomb".to_owned()));
}

#[test]
fn substitutions_carry_where_a_text_comes_from() {
    let run = |outer: &str, inner: &str| {
        let mut facts = pipeline(inner);
        let inside = 0..facts.calls.len();
        let mut outer = call(outer);
        for word in outer
            .arguments
            .iter_mut()
            .filter(|word| word.text.contains('$'))
        {
            word.sources = vec![inside.clone()];
        }
        facts.calls.push(outer);
        found_in(&facts)
    };
    for outer in
        ["bash -c $x", "eval $x", "sh -ec $x", "python3 -c $x", "node -e $x", "$x", "source $x"]
    {
        assert!(
            run(outer, "curl https://x").contains(&"pipe-to-shell".to_owned()),
            "{outer}"
        );
        assert!(
            run(outer, "echo abc | base64 -d").contains(&"decode-to-shell".to_owned()),
            "{outer}"
        );
        assert!(run(outer, "ssh-agent -s").is_empty(), "{outer}");
    }
    for outer in ["echo $x", "bash script.sh $x", "python3 a.py $x", "bash -c true _ $x"] {
        assert!(run(outer, "curl https://x").is_empty(), "{outer}");
    }
}

#[test]
fn a_repl_that_reads_something_else_waits_for_nobody() {
    for line in ["bash", "python3", "node", "psql db", "sqlite3 x.db", "bc", "sftp h", "gdb a"] {
        assert_eq!(found(line), ["interactive"], "{line}");
        let mut facts = pipeline(line);
        let text = Argument::literal("x", (0, 0));
        facts.calls.first_mut().unwrap().input = Input::Text(text);
        assert!(found_in(&facts).is_empty(), "{line}");
    }
}

/// The tables of whole texts: a class and a command on each line.
fn rows(table: &str) -> Vec<(&str, &str)> {
    let rows: Vec<(&str, &str)> = table
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .collect();
    assert!(!rows.is_empty());
    rows
}

#[test]
fn whole_texts_are_refused() {
    for (class, text) in rows(include_str!("tests/refused.txt")) {
        let found = found_in(&crate::read::read(text, &in_project()));
        assert!(
            found.iter().any(|name| name == class),
            "{class}: {text}: {found:?}"
        );
    }
}

#[test]
fn near_misses_are_not_refused() {
    for (class, text) in rows(include_str!("tests/near.txt")) {
        let found = found_in(&crate::read::read(text, &in_project()));
        assert!(found.is_empty(), "{class}: {text}: {found:?}");
    }
}

#[test]
fn inline_programs_that_fork_without_end_are_bombs() {
    for text in ["perl -e fork_while_fork", "perl -e while(1){fork}"] {
        let text = text
            .replace('_', " ")
            .replace("perl -e ", "perl\u{1}-e\u{1}");
        let mut facts = pipeline("perl -e x");
        let words: Vec<&str> = text.split('\u{1}').collect();
        let call = facts.calls.first_mut().unwrap();
        call.arguments = words
            .iter()
            .map(|word| Argument::literal(*word, (0, 0)))
            .collect();
        assert_eq!(found_in(&facts), ["fork-bomb"], "{text}");
    }
    for text in ["perl -e print(1)", "python3 fork.py", "git fork"] {
        assert!(found(text).is_empty(), "{text}");
    }
}
