//! Decides about every command of a corpus: how long that takes and what comes out.
//!
//! Run it with `cargo xtask bench policy [--corpus DIR]`.

#![expect(clippy::print_stdout, reason = "a bench prints")]

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use bashful_policy::{Context, Effect, Policy, judge};
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

/// How many rules are shown.
const SHOWN: usize = 30;

fn main() -> Result<()> {
    let directory = directory()?;
    let commands = commands(&directory)?;
    if commands.is_empty() {
        bail!("`{}` holds no command", directory.display());
    }
    let workspace = "/home/u/proj".to_owned();
    let context = Context {
        directory: Some(workspace.clone()),
        workspace: Some(workspace.clone()),
        write_roots: vec![workspace, "/tmp".to_owned()],
        home: Some("/home/u".to_owned()),
        enforced: true,
        ..Context::default()
    };
    println!("{} commands", commands.len());
    for policy in [Policy::careful(), Policy::confined()] {
        measure(&commands, &policy, &context);
    }
    Ok(())
}

/// Where the corpus is: as told, or the cases of the repository.
fn directory() -> Result<PathBuf> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [] => {
            let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
            Ok(xtask.join("../crates/bashful-policy/tests/cases"))
        }
        ["--corpus", directory] => Ok(PathBuf::from(directory)),
        _ => bail!("usage: cargo xtask bench policy [--corpus DIR]"),
    }
}

/// The commands of every `*.jsonl` file: a string on each line, or an object that has one.
fn commands(directory: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(directory)
        .with_context(|| format!("cannot read `{}`", directory.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        files.push(entry?.path());
    }
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "jsonl")
    });
    files.sort();
    let mut commands = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file)
            .with_context(|| format!("cannot read `{}`", file.display()))?;
        for (index, line) in text.lines().enumerate() {
            let place = || format!("line {} of `{}`", index + 1, file.display());
            let value: Value = serde_json::from_str(line).with_context(place)?;
            let command = value
                .as_str()
                .or_else(|| value.get("cmd")?.as_str())
                .or_else(|| value.get("command")?.as_str());
            commands.push(command.with_context(place)?.to_owned());
        }
    }
    Ok(commands)
}

/// Decides about each command and prints what came out.
fn measure(commands: &[String], policy: &Policy, context: &Context) {
    let mut times: Vec<(Duration, &str)> = Vec::new();
    let mut effects: BTreeMap<Effect, usize> = BTreeMap::new();
    let mut rules: BTreeMap<(Effect, String), usize> = BTreeMap::new();
    let mut panics = Vec::new();
    for command in commands {
        let begun = processor_time();
        let outcome = catch_unwind(AssertUnwindSafe(|| judge(command, policy, context)));
        times.push((processor_time().saturating_sub(begun), command));
        let Ok(judgement) = outcome else {
            panics.push(command);
            continue;
        };
        let decision = judgement.decision;
        *effects.entry(decision.effect).or_default() += 1;
        *rules.entry((decision.effect, decision.rule)).or_default() += 1;
    }
    println!("\n{}", policy.profile);
    println!("  panics: {}", panics.len());
    for command in &panics {
        println!("    {command:?}");
    }
    times.sort();
    let at = |share: usize| {
        let index = (times.len() * share / 1000).min(times.len() - 1);
        times.get(index).map_or(0.0, |(time, _)| micros(*time))
    };
    print!("  processor time of one decision: ");
    print!("median {:.1} µs, ", at(500));
    println!("99 % {:.1} µs, longest {:.1} µs", at(990), at(1000));
    for (time, command) in times.iter().rev().take(3) {
        let command: String = command.chars().take(100).collect();
        println!("    {:.1} µs: {command:?}", micros(*time));
    }
    for effect in [Effect::Allow, Effect::Ask, Effect::Deny] {
        let count = effects.get(&effect).copied().unwrap_or_default();
        println!("  {effect}: {}", share(count, commands.len()));
    }
    for effect in [Effect::Ask, Effect::Deny] {
        let mut shown: Vec<(usize, &str)> = rules
            .iter()
            .filter(|((found, _), _)| *found == effect)
            .map(|((_, rule), count)| (*count, rule.as_str()))
            .collect();
        shown.sort_by(|one, other| other.cmp(one));
        println!("  {effect}, by rule");
        for (count, rule) in shown.iter().take(SHOWN) {
            println!("    {rule:28} {}", share(*count, commands.len()));
        }
    }
}

/// What all threads of this process have used: the reader may work on one of its own.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

#[expect(clippy::cast_precision_loss, reason = "counts of commands are small")]
fn share(count: usize, of: usize) -> String {
    format!("{count:6}  {:5.1} %", count as f64 * 100.0 / of as f64)
}
