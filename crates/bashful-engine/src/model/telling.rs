//! Which of the things that stopped a run are worth a line, and in which order: the same choice for
//! a person's terminal and for a model.

use std::path::Path;

use bashful_sandbox::{Hint, Violation};

use crate::model::result::ExecutionResult;

/// How many lines are spent on what was stopped, the one that says what to do among them.
const MOST_LINES: usize = 3;

/// What is told about a run that was stopped from something.
#[derive(Debug, Default)]
pub struct Told<'a> {
    /// What was stopped, what matters most first, each with the number of others like it.
    pub stopped: Vec<(&'a Violation, usize)>,
    /// What is only guessed.
    pub hints: Vec<&'a Hint>,
    /// The flags that would permit what is told, the narrowest that there are.
    pub flags: Vec<&'a str>,
    /// What to do where no flag helps.
    pub advice: Option<&'a str>,
    /// Of how many there is no line.
    pub left: usize,
}

impl ExecutionResult {
    /// What was stopped and matters, whatever the exit code: that of a pipe is its last command's.
    ///
    /// Programs try many a thing and do well without it. So of a run that succeeded, what only
    /// reads or reaches out is left out if it is one plain command that complained of nothing, and
    /// what programs do in passing is left out always.
    pub fn worth_telling(&self) -> impl Iterator<Item = &Violation> {
        let success = self.success;
        let is_quiet = success && self.stderr_bytes == 0 && !is_compound(&self.command);
        self.sandbox_violations.iter().filter(move |violation| {
            let is_act = ["write", "protected", "execute", "command"];
            !is_attempt(violation)
                || !is_in_passing(violation)
                    && match success {
                        false => true,
                        true if is_act.contains(&violation.kind.as_str()) => !is_own(violation),
                        true => !is_quiet,
                    }
        })
    }

    /// What a person is asked about: what a run may have failed at. One that succeeded did without.
    pub(crate) fn worth_asking(&self) -> impl Iterator<Item = &Violation> {
        let success = self.success;
        self.worth_telling()
            .filter(move |violation| !success || !is_attempt(violation))
    }

    /// What is told in a few lines; `bashful explain` has the rest.
    pub fn told(&self) -> Told<'_> {
        let mut groups: Vec<(&Violation, usize)> = Vec::new();
        for violation in self.worth_telling() {
            match groups.iter_mut().find(|(one, _)| are_alike(one, violation)) {
                Some((_, others)) => *others += 1,
                None => groups.push((violation, 0)),
            }
        }
        groups.sort_by_key(|(violation, _)| rank(violation));
        let hints = &self.sandbox_hints;
        let all = groups.len() + hints.len();
        let has_way = groups
            .iter()
            .any(|(one, _)| one.flag.is_some() || one.advice.is_some());
        let has_last = has_way || self.approval.is_some() || all > MOST_LINES;
        let room = MOST_LINES - usize::from(has_last);
        let left: usize = groups.iter().skip(room).map(|(_, others)| others + 1).sum();
        groups.truncate(room);
        let hints: Vec<&Hint> = hints.iter().take(room - groups.len()).collect();
        let mut flags: Vec<&str> = Vec::new();
        for flag in groups.iter().filter_map(|(one, _)| one.flag.as_deref()) {
            if !flags.contains(&flag) {
                flags.push(flag);
            }
        }
        let advice = groups.iter().find_map(|(one, _)| one.advice.as_deref());
        Told {
            stopped: groups,
            hints,
            flags,
            advice,
            left,
        }
    }
}

/// Whether it is something that a program tried, and may have done without.
fn is_attempt(violation: &Violation) -> bool {
    ["seccomp", "landlock", "audit", "gate"].contains(&violation.source.as_str())
}

/// Whether it is about a part of the sandbox itself, which nothing opens.
fn is_own(violation: &Violation) -> bool {
    let path = violation.path.as_deref().unwrap_or(Path::new(""));
    violation.missing.is_empty()
        && ["/proc", "/sys", "/dev"]
            .iter()
            .any(|own| path.starts_with(own))
}

/// Whether more than one command may stand in a text: then its exit code is not that of each.
fn is_compound(command: &str) -> bool {
    command.contains(['|', ';', '&', '\n'])
}

/// What programs and libraries do in passing, wherever they run, and never fail for: python keeps
/// what it compiled beside its libraries, and libraries ask services for the names of users.
fn is_in_passing(violation: &Violation) -> bool {
    const ASKED: [&str; 4] = [
        "/run/nscd",
        "/var/run/nscd",
        "/run/systemd/userdb",
        "/var/lib/sss/pipes",
    ];
    let Some(path) = violation.path.as_deref() else {
        return false;
    };
    let is_compiled = || {
        let mut parts = path.components();
        parts.any(|part| part.as_os_str() == "__pycache__")
            || path.extension().is_some_and(|it| it == "pyc")
    };
    match violation.kind.as_str() {
        "write" => is_compiled(),
        "socket" => ASKED.iter().any(|asked| path.starts_with(asked)),
        _ => false,
    }
}

/// Whether the same answer helps with both.
fn are_alike(one: &Violation, other: &Violation) -> bool {
    let beside = |one: &Violation, other: &Violation| {
        let parent = |it: &Violation| {
            it.path
                .as_deref()
                .and_then(Path::parent)
                .map(Path::to_owned)
        };
        parent(one).is_some() && parent(one) == parent(other)
    };
    one.kind == other.kind
        && one.source == other.source
        && is_attempt(one)
        && ((one.flag.is_some() && one.flag == other.flag) || beside(one, other))
}

/// What comes first: what ended the run, then what it could not do, then what it could not see.
fn rank(violation: &Violation) -> u8 {
    match violation.kind.as_str() {
        _ if !is_attempt(violation) => 0,
        _ if is_own(violation) => 4,
        "write" | "protected" | "execute" | "command" => 1,
        "socket" | "syscall" | "network" => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests;
