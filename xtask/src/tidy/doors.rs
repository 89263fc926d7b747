//! Rules: one door to spawn, and libraries neither print nor end the process.

use super::Finding;
use super::source::{Source, group, line_of, occurrences};

/// The binary prints and decides on the exit code; everything else is a library.
const BINARY: &str = "bashful";

/// Files of a library that may end the process all the same, and why.
const MAY_EXIT: &[(&str, &str)] = &[
    (
        "crates/bashful-engine/src/carry.rs",
        "this process stands between a run's git and the person's own programs, and is nothing else",
    ),
    (
        "crates/bashful-gate/src/serve.rs",
        "this process is a gate: the host's code must not run in it",
    ),
    (
        "crates/bashful-keeper/src/guard.rs",
        "this process is a keeper: the host's code must not run in it",
    ),
];

const PRINTS: &[&str] = &["println!", "eprintln!", "print!", "eprint!", "dbg!"];

pub(super) fn check(source: &Source) -> Vec<Finding> {
    let Some(name) = source.shipped_crate() else {
        return Vec::new();
    };
    let mut findings = spawning(source);
    if name != BINARY {
        for print in PRINTS {
            let message = format!("a library does not print, but here is `{print}`");
            findings.extend(each(source, "print", print, &message));
        }
    }
    let may_exit = MAY_EXIT.iter().any(|(path, _)| *path == source.path);
    if name != BINARY && !may_exit {
        let message = "a library does not end the process";
        findings.extend(each(source, "exit", "process::exit", message));
        findings.extend(imported(source, "exit", "exit", message));
    }
    findings
}

fn spawning(source: &Source) -> Vec<Finding> {
    let rule = "spawn";
    let message = "processes start through `bashful_sandbox::Launch` only";
    let mut findings = each(source, rule, "process::Command", message);
    findings.extend(each(source, rule, "Command::new", message));
    findings.extend(imported(source, rule, "Command", message));
    // `std::process::Command::new` matches twice but is one finding.
    findings.sort();
    findings.dedup();
    findings
}

fn each(source: &Source, rule: &'static str, phrase: &str, message: &str) -> Vec<Finding> {
    let offsets = occurrences(&source.shipped, phrase).into_iter();
    offsets
        .map(|offset| source.finding(rule, line_of(&source.shipped, offset), message.to_owned()))
        .collect()
}

/// The same name out of a list: `use std::process::{Command, Stdio}`.
fn imported(source: &Source, rule: &'static str, name: &str, message: &str) -> Vec<Finding> {
    let code = &source.shipped;
    let lists = occurrences(code, "process::{").into_iter();
    lists
        .filter(|offset| {
            let list = group(code, offset + "process::".len()).unwrap_or_default();
            !occurrences(list, name).is_empty()
        })
        .map(|offset| source.finding(rule, line_of(code, offset), message.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<(&'static str, usize)> {
        let findings = check(&Source::new(path, text));
        findings.iter().map(|it| (it.rule, it.line)).collect()
    }

    #[test]
    fn spawning_is_found_in_every_spelling() {
        let text = "use std::process::{self, Command};\nlet a = std::process::Command::new(x);\n\
                    let b = tokio::process::Command::from(a);\nlet c = Command::new(\"sh\");\n\
                    use std::process::{ExitCode, Stdio};\n";
        let expected = [("spawn", 1), ("spawn", 2), ("spawn", 3), ("spawn", 4)];
        assert_eq!(found("crates/bashful/src/main.rs", text), expected);
        assert_eq!(found("crates/bashful/tests/it.rs", text), []);
        assert_eq!(found("xtask/src/main.rs", text), []);
    }

    #[test]
    fn libraries_do_not_print_or_exit() {
        let text = "eprintln!(\"println!\"); // dbg!\nstd::process::exit(1);\n\
                    #[cfg(test)]\nmod tests { fn f() { println!(\"x\"); } }\n\
                    use std::process::{exit};\n";
        let expected = [("print", 1), ("exit", 2), ("exit", 5)];
        assert_eq!(found("crates/bashful-engine/src/lib.rs", text), expected);
        assert_eq!(found("crates/bashful/src/printer.rs", text), []);
    }
}
