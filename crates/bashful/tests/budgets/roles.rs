//! Who made which call: a trace becomes counts for each role and run.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::scenario::{DRIVER, Role, Scenario, What};
use crate::trace::{Call, Trace};

/// What one role did in one run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) what: BTreeMap<What, u64>,
    pub(crate) names: BTreeMap<String, u64>,
}

/// The counts of each run, in order.
pub(crate) fn counts(
    trace: &Trace,
    scenario: Scenario,
    keeper: i32,
) -> Vec<BTreeMap<Role, Counts>> {
    let roles = roles(trace, scenario, keeper);
    let ends = trace.begins.iter().skip(1).copied();
    let runs = trace.begins.iter().zip(ends);
    let run = |(&begin, end): (&usize, usize)| {
        let mut counted: BTreeMap<Role, Counts> = BTreeMap::new();
        for (call, role) in trace.calls[begin..end].iter().zip(&roles[begin..end]) {
            let Some(role) = role else { continue };
            add(counted.entry(*role).or_default(), call);
        }
        counted
    };
    runs.map(run).collect()
}

fn add(counts: &mut Counts, call: &Call) {
    let kinds = [
        (What::Calls, true),
        (What::Forks, call.is_fork()),
        (What::Confining, call.is_confining()),
        (What::Fsyncs, call.is_fsync()),
        (What::Notices, call.is_notice()),
        (What::Databases, call.is_database()),
    ];
    for (what, _) in kinds.into_iter().filter(|(_, counts)| *counts) {
        *counts.what.entry(what).or_default() += 1;
    }
    *counts.names.entry(call.name.clone()).or_default() += 1;
}

/// Whose work a thread does at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    Of(Role),
    /// Not Bashful's: bash, `bwrap`, or the process that only starts the command line.
    Foreign,
}

/// The role of each call.
fn roles(trace: &Trace, scenario: Scenario, keeper: i32) -> Vec<Option<Role>> {
    let mut works: HashMap<i32, Work> = HashMap::from([(keeper, Work::Of(Role::Keeper))]);
    if let Some(driver) = trace.driver() {
        let work = match scenario {
            Scenario::CommandLine | Scenario::HandedOver => Work::Foreign,
            _ => Work::Of(Role::Engine),
        };
        works.insert(driver, work);
    }
    let mut roles: Vec<Option<Role>> = Vec::with_capacity(trace.calls.len());
    // Where each thread has begun, or has executed a program.
    let mut since: HashMap<i32, usize> = HashMap::new();
    let mut executed: HashSet<i32> = HashSet::new();
    let is_fixed = |thread| thread == keeper || Some(thread) == trace.driver();
    for (index, call) in trace.calls.iter().enumerate() {
        let thread = call.thread;
        since.entry(thread).or_insert(index);
        // No process on the engine's side made it, so it descends from the keeper. What such a
        // process returns from a clone says nothing: it counts in a namespace of its own.
        let mut work = *works.entry(thread).or_insert(match call.program.as_str() {
            "bash" | "bwrap" => Work::Foreign,
            _ => Work::Of(Role::First),
        });
        if executed.remove(&thread) && !is_fixed(thread) {
            let before = since.insert(thread, index).unwrap_or(index);
            work = match (call.program.as_str(), work) {
                ("bash", _) => {
                    let own = (before..index).filter(|&at| trace.calls[at].thread == thread);
                    let own: Vec<usize> = own.collect();
                    let order = own.iter().rposition(|&at| trace.calls[at].is_order());
                    let ahead = order.map_or(0, |order| order + 1);
                    for (place, at) in own.into_iter().enumerate() {
                        let is_ahead = place < ahead;
                        let role = if is_ahead {
                            Role::Understudy
                        } else {
                            Role::Command
                        };
                        roles[at] = roles[at].map(|_| role);
                    }
                    Work::Foreign
                }
                ("bwrap", _) => Work::Foreign,
                (_, Work::Foreign) => match scenario {
                    Scenario::CommandLine | Scenario::HandedOver => Work::Of(Role::CommandLine),
                    _ => Work::Of(Role::First),
                },
                (_, work) => work,
            };
            works.insert(thread, work);
        }
        if call.is_exec() {
            executed.insert(thread);
        }
        let is_talk = call.name.is_empty();
        roles.push(match work {
            Work::Of(role) if !is_talk => Some(role),
            _ => None,
        });
        adopt(call, work, &mut works);
    }
    roles
}

/// The engine's side owns what it makes: threads go on with its work, processes of a command line
/// are a resident engine.
fn adopt(call: &Call, work: Work, works: &mut HashMap<i32, Work>) {
    let Some(child) = call.result.filter(|_| call.is_fork()) else {
        return;
    };
    let Ok(child) = i32::try_from(child) else {
        return;
    };
    let adopted = match work {
        Work::Of(Role::Engine) => work,
        Work::Of(Role::CommandLine) if call.makes_thread() => work,
        Work::Of(Role::CommandLine) => Work::Of(Role::Engine),
        // The process that only starts the command line.
        Work::Foreign if call.program == DRIVER => work,
        _ => return,
    };
    works.entry(child).or_insert(adopted);
}
