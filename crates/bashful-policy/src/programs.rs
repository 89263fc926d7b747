//! What is known about programs: which of their forms only read, which work in the workspace
//! alone, and which run code that no table can judge.

use crate::context::Context;
use crate::decision::Layer;
use crate::facts::{Argument, Call, Facts};
use crate::finding::Finding;

mod anything;
mod awk;
mod builtins;
mod elsewhere;
mod find;
mod git;
mod interpreters;
mod kill;
mod readonly;
mod sed;
mod shape;
mod sinks;
mod verdict;

#[cfg(test)]
mod tests;

pub(crate) use anything::DOES_ANYTHING;
pub use git::{
    GitAddress, GitRemote, GitScheme, GitTransfer, git_address, git_path, git_transfers,
};
pub(crate) use git::{config_executes, names_program};
pub(crate) use interpreters::interpreter;
pub(crate) use readonly::reads_list;
pub(crate) use sinks::{code_words, runs_commands};
use verdict::Verdict;

/// What the tables say about one call; none if they do not know its program.
pub(crate) fn judge(facts: &Facts, index: usize, context: &Context) -> Option<Finding> {
    let call = facts.calls.get(index)?;
    let verdict = verdict(facts, call, context)?;
    Some(Finding {
        needs: None,
        directories: Vec::new(),
        effect: verdict.effect,
        standing: verdict.standing,
        rule: verdict.rule.into(),
        layer: Layer::Builtin,
        reason: verdict.reason.into(),
        advice: verdict.advice.map(Into::into),
        capability: None,
        fact: call.line(),
        span: call.span,
    })
}

/// The strictest verdict that is known. What executes comes before what only reads, because one
/// program can do both in one call.
fn verdict(facts: &Facts, call: &Call, context: &Context) -> Option<Verdict> {
    let word = call.arguments.first()?;
    // A bracket alone is the test command, and finds no file.
    let is_test = word.is_known() && word.text == "[";
    if !is_test && (!word.is_literal() || word.text.is_empty()) {
        return None;
    }
    if !word.is_system_program() {
        return outside_program(word).or_else(|| elsewhere::judge(call, context));
    }
    let name = if is_test { "[" } else { call.program() };
    sinks::judge(call, name)
        .or_else(|| interpreters::judge(call, name))
        .or_else(|| elsewhere::judge(call, context))
        .or_else(|| wraps(call, name).then_some(Verdict::WRAPS))
        .or_else(|| match name {
            "git" => git::judge(call, context),
            "find" => find::judge(call),
            "awk" | "gawk" | "mawk" | "nawk" | "original-awk" => awk::judge(call),
            "sed" | "gsed" => sed::judge(call),
            "kill" | "pkill" | "killall" | "killall5" | "skill" | "xkill" => {
                Some(kill::judge(call, name))
            }
            _ => None,
        })
        .or_else(|| builtins::judge(call, name))
        .or_else(|| readonly::judge(facts, call, name))
}

/// Whether all that a call does is what the calls it starts do.
fn wraps(call: &Call, name: &str) -> bool {
    let has_options = || {
        let mut words = call.operands().iter().map(Argument::known);
        words.next().is_some_and(|word| word.starts_with('-'))
    };
    call.transparent
        && match name {
            // Rights are a class of their own.
            "sudo" | "doas" | "pkexec" | "su" | "run0" | "gosu" | "su-exec" | "runuser" | "sg" => {
                false
            }
            // Their options write files and load libraries.
            "time" | "fakeroot" => !has_options(),
            _ => true,
        }
}

/// Places below a project where its own build tools are installed: rules know those by name.
const TOOL_DIRECTORIES: &[&str] = &["node_modules/.bin", "vendor/bin", "venv/bin", ".venv/bin"];

/// A program that the project or the user brings along.
fn outside_program(word: &Argument) -> Option<Verdict> {
    let (directory, name) = word.text.rsplit_once('/')?;
    if name.starts_with("ld-linux") || name.starts_with("ld-musl") || name.starts_with("ld.so") {
        return Some(Verdict::asks(
            "exec-sink",
            "has the dynamic loader start a program",
            Some("start the program itself"),
        ));
    }
    // These are build tools under their usual names, which the rules for build tools cover.
    if matches!(name, "gradlew" | "mvnw" | "configure")
        || TOOL_DIRECTORIES.iter().any(|end| directory.ends_with(end))
    {
        return None;
    }
    Some(Verdict::asks(
        "script-file",
        "runs a file whose content is not known here",
        None,
    ))
}
