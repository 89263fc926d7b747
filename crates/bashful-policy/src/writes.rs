//! What a text writes, redirect by redirect and program by program.
//!
//! The table says which arguments a program writes, `target.rs` judges each of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::arguments::has_flag;
use crate::classes::Class;
use crate::context::Context;
use crate::decision::Effect;
use crate::facts::{Argument, Call, Facts, RedirectKind};
use crate::finding::{Finding, Standing};
use crate::programs::reads_list;

mod archives;
mod find;
mod finding;
mod formatters;
mod git;
mod links;
mod openable;
mod options;
mod paths;
mod programs;
mod protected;
mod scripts;
mod supplied;
pub(crate) mod system;
mod table;
mod target;
#[cfg(test)]
mod tests;

use find::finds;
use finding::{About, changed, finding, plain, runs_later};
use openable::{Needed, makes_directories};
use programs::{Written, written};
use system::Change;
use table::Surety;
use target::{Target, Verdict, Way};

/// What the redirects of a text write: refusals and asks only, for a good redirect does not make
/// its command good.
pub(crate) fn redirects(facts: &Facts, context: &Context) -> Vec<Finding> {
    const MOST: usize = 4096;
    let first = facts.calls.get(..MOST).unwrap_or(&facts.calls);
    let context = &*links::with_links(first, context);
    let mut owners: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, call) in facts.calls.iter().enumerate() {
        owners.extend(call.redirects.iter().map(|redirect| (*redirect, index)));
    }
    let mut findings = Vec::new();
    for (number, redirect) in facts.redirects.iter().enumerate() {
        let could_be_file = redirect.kind == RedirectKind::Duplicate
            && redirect.target.unknown_from.is_some()
            && matches!(redirect.descriptor, None | Some(1));
        if !redirect.kind.writes() && !could_be_file {
            continue;
        }
        let about = About {
            fact: &redirect.target.text,
            span: redirect.span,
        };
        let owner = owners.get(&number).copied();
        for target in supplied::redirected(facts, owner, &redirect.target) {
            let target = Target::new(target, Way::Write);
            let mut verdict = if redirect.kind == RedirectKind::Write {
                target.emptied(&redirect.directories, context)
            } else {
                target.verdict(&redirect.directories, context)
            };
            if target.passes_a_glob() {
                verdict = verdict.max(Verdict::Unknown);
            }
            let mut found = finding(&verdict, Surety::Whole, &about, context);
            if let (Verdict::Outside(path), Some(found)) = (&verdict, &mut found) {
                let mut needed = Needed::default();
                needed.add(path, target.way, false, context);
                found.directories = needed.all();
            }
            findings.extend(found);
        }
    }
    findings
}

/// What one call writes: refusals, asks, or an allow if all that it does is known and good.
pub(crate) fn judge(facts: &Facts, index: usize, context: &Context) -> Vec<Finding> {
    // A link that was just made leads elsewhere than its name says.
    const NEAR: usize = 64;
    let Some(call) = facts.calls.get(index) else {
        return Vec::new();
    };
    let before = facts.calls.get(index.saturating_sub(NEAR)..index);
    let context = &*links::with_links(before.unwrap_or_default(), context);
    let program = call.program();
    let arguments = supplied::arguments(facts, index);
    let mut findings: Vec<Finding> = Vec::new();
    findings.extend(system::change(program, &arguments).map(|change| changed(change, call)));
    if program == "git" {
        if git::is_for_all(&arguments) {
            findings.push(changed(Change::Settings, call));
        }
        findings.extend(git::running_key(&arguments).map(|key| runs_later(&key, call)));
    }
    let done = if matches!(program, "find" | "gfind") {
        finds(facts, index)
    } else {
        written(program, &arguments)
    };
    if let Some(mut done) = done {
        done.is_open |=
            has_hidden_options(facts, program) || supplied::is_fed_by_shell(facts, index);
        if matches!(program, "tar" | "gtar" | "bsdtar") {
            // What another program finds is not more than it could read itself.
            let lists = archives::lists(&arguments);
            let named = |list: &Argument| list.text != "-" && !list.is_pipe;
            done.is_open |= lists.iter().any(named) || !lists.is_empty() && reads_list(facts, call);
        }
        findings.extend(verdicts(&done, call, context));
    }
    findings
}

fn verdicts(done: &Written, call: &Call, context: &Context) -> Vec<Finding> {
    let directories: Vec<String> = match &done.directory {
        None => call.directories.clone(),
        Some(directory) => seen_from(directory, &call.directories),
    };
    let fact = call.line();
    let mut findings = Vec::new();
    let mut kinds = Vec::new();
    let mut needed = Needed::default();
    let makes = makes_directories(call);
    let mut worst = Verdict::Inside;
    for target in &done.targets {
        // What is moved is not lost: it exists elsewhere.
        let moved = target.way == Way::Delete && call.program() == "mv";
        let mut verdict = if empties(call) && !moved {
            target.emptied(&directories, context)
        } else {
            target.verdict(&directories, context)
        };
        if target.passes_a_glob() && is_everyday(call.program()) {
            verdict = verdict.max(Verdict::Unknown);
        }
        let span = if target.argument.span == (0, 0) {
            call.span
        } else {
            target.argument.span
        };
        let about = About { fact: &fact, span };
        // What a tool of its own kind writes is its business; a person may know better.
        let surety = if is_everyday(call.program()) {
            done.surety
        } else {
            Surety::Guess
        };
        if let Verdict::Outside(path) = &verdict {
            needed.add(path, target.way, makes, context);
        }
        // One finding of each kind is enough, for a call can name thousands of files.
        let kind = std::mem::discriminant(&verdict);
        if !kinds.contains(&kind) {
            kinds.push(kind);
            findings.extend(finding(&verdict, surety, &about, context));
        }
        worst = worst.max(verdict);
    }
    let outside = |finding: &&mut Finding| finding.rule == Class::WriteOutsideRoots.as_str();
    if let Some(finding) = findings.iter_mut().find(outside) {
        finding.directories = needed.all();
    }
    if done.targets.is_empty() || done.surety != Surety::Whole {
        return findings;
    }
    if done.is_open {
        findings.push(Finding {
            effect: Effect::Ask,
            standing: Standing::Unknown,
            rule: Cow::Borrowed("dynamic-write"),
            ..plain(
                "writes, and what else it does is not known before it runs",
                &fact,
                call.span,
            )
        });
    } else if worst <= Verdict::InsideRoot && named_plainly(call) {
        let reason = match worst {
            _ if call.program().ends_with("find") => "writes nothing outside by itself",
            Verdict::Inside => "writes only inside the workspace",
            _ => "writes only where it may",
        };
        findings.push(plain(reason, &fact, call.span));
    }
    findings
}

/// Whether what a program writes loses what was in it.
fn empties(call: &Call) -> bool {
    let appends = || has_flag(call.operands(), 'a', "append");
    match call.program() {
        "tee" | "gtee" | "sponge" => !appends(),
        "cp" | "dd" | "gcp" | "gdd" | "install" | "ln" | "mv" | "truncate" => true,
        _ => false,
    }
}

/// Whether a program is known for what it writes: one that only handles files, or fetches them.
fn is_everyday(program: &str) -> bool {
    const NAMES: &[&str] = &[
        "chattr", "chgrp", "chmod", "chown", "cp", "curl", "dd", "find", "git", "install", "link",
        "ln", "mkdir", "mkfifo", "mknod", "mktemp", "mv", "patch", "rm", "rmdir", "rsync", "sed",
        "setfacl", "shred", "sort", "split", "sponge", "tar", "tee", "touch", "truncate", "unlink",
        "wget",
    ];
    let plain = program.strip_prefix('g').unwrap_or(program);
    NAMES.contains(&program) || NAMES.contains(&plain)
}

/// Whether the call names the system's program.
fn named_plainly(call: &Call) -> bool {
    call.arguments
        .first()
        .is_some_and(Argument::is_system_program)
}

/// Whether the text sets a variable from which this program takes more options.
fn has_hidden_options(facts: &Facts, program: &str) -> bool {
    // A text that a person or an agent wrote does not set this many variables.
    const MOST: usize = 1024;
    let names: &[&str] = match program {
        "tar" | "gtar" | "bsdtar" => &["TAR_OPTIONS", "TAPE", "RSH"],
        "rsync" => &["RSYNC_RSH", "RSYNC_CONNECT_PROG"],
        "zip" | "unzip" => &["ZIPOPT", "UNZIP", "UNZIPOPT", "ZIP"],
        "mktemp" | "sort" => &["TMPDIR", "TMP"],
        "patch" => &["PATCH_GET", "POSIXLY_CORRECT"],
        "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" => {
            &["GZIP", "BZIP2", "XZ_OPT", "XZ_DEFAULTS"]
        }
        _ => &["POSIXLY_CORRECT"],
    };
    let mut first = facts.assignments.iter().take(MOST);
    facts.assignments.len() > MOST
        || first.any(|assignment| names.contains(&assignment.name.as_str()))
}

/// The directories that a change of the directory leads to; none if that is not known.
fn seen_from(directory: &Argument, directories: &[String]) -> Vec<String> {
    if directory.unknown_from.is_some() || directory.glob {
        return Vec::new();
    }
    if directory.text.starts_with('/') {
        return vec![directory.text.clone()];
    }
    let joined = directories
        .iter()
        .map(|from| format!("{from}/{}", directory.text));
    joined.collect()
}
