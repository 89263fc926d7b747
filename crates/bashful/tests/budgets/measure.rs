//! Medians over warm runs, for each role of a scenario.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::roles::{Counts, counts};
use crate::scenario::{Role, Scenario, What};
use crate::stage::{Stage, Tracer, User};
use crate::trace::Trace;
use crate::unwatched::{Counters, Snapshot};

/// How many runs come before those that count.
const WARM_UP: usize = 4;
/// How many count, or fewer where they take long.
const RUNS: usize = 20;
const LEAST_RUNS: usize = 7;
const LONG: Duration = Duration::from_millis(1500);
/// After an answer, until the keeper has made ready what the next run will use.
const REST: Duration = Duration::from_millis(12);

/// What each role did in a typical run.
pub(crate) type Measured = BTreeMap<Role, Counts>;

/// Counts one scenario, traced and then by itself.
pub(crate) fn measure(stage: &Stage, scenario: Scenario, user: User) -> Measured {
    let mut runs = traced(stage, scenario, user);
    // Most runs do the same; the middle of each count is what a typical one does.
    let mut measured = typical(&runs.split_off(WARM_UP));
    for (role, counters) in unwatched(stage, scenario, user) {
        let what = &mut measured.entry(role).or_default().what;
        what.insert(What::Faults, counters.faults);
        what.insert(What::Wakes, counters.wakes);
    }
    measured
}

fn traced(stage: &Stage, scenario: Scenario, user: User) -> Vec<Measured> {
    let mut play = stage.play(scenario, user, Tracer::Strace);
    let begin = Instant::now();
    // One more than is counted: it ends the last one that is.
    for run in 0..=WARM_UP + RUNS {
        play.run();
        play.settle();
        if run >= WARM_UP + LEAST_RUNS && begin.elapsed() > LONG {
            break;
        }
    }
    let keeper = play.keeper();
    let trace = Trace::read(&play.end());
    let runs = counts(&trace, scenario, keeper);
    assert!(runs.len() >= WARM_UP + LEAST_RUNS, "{} runs", runs.len());
    runs
}

fn typical(runs: &[Measured]) -> Measured {
    let mut measured = Measured::new();
    for role in Role::ALL {
        let of_role: Vec<&Counts> = runs.iter().filter_map(|run| run.get(&role)).collect();
        if of_role.len() * 2 < runs.len() {
            continue;
        }
        let counts = measured.entry(role).or_default();
        for what in What::ALL.into_iter().filter(|what| what.is_traced()) {
            let count = |counts: &&Counts| counts.what.get(&what).copied().unwrap_or(0);
            counts.what.insert(what, median(of_role.iter().map(count)));
        }
        let names = of_role.iter().flat_map(|counts| counts.names.keys());
        for name in names {
            let count = |counts: &&Counts| counts.names.get(name).copied().unwrap_or(0);
            let middle = median(of_role.iter().map(count));
            if middle > 0 {
                counts.names.insert(name.clone(), middle);
            }
        }
    }
    measured
}

fn unwatched(stage: &Stage, scenario: Scenario, user: User) -> BTreeMap<Role, Counters> {
    let mut play = stage.play(scenario, user, Tracer::Nobody);
    for _ in 0..WARM_UP {
        play.run();
        std::thread::sleep(REST);
    }
    let keeper = play.keeper();
    let is_called = matches!(scenario, Scenario::CommandLine | Scenario::HandedOver);
    let harness = is_called.then(|| play.process());
    let mut runs: Vec<BTreeMap<Role, Counters>> = Vec::new();
    let mut before = Snapshot::take(&stage.executables(), keeper);
    for _ in 0..RUNS {
        let answer = play.run();
        std::thread::sleep(REST);
        let after = Snapshot::take(&stage.executables(), keeper);
        let mut run = after.since(&before, keeper, harness);
        if let Some(counters) = Counters::from_line(&answer) {
            run.insert(Role::CommandLine, counters);
        }
        runs.push(run);
        before = after;
    }
    let roles = Role::ALL.into_iter();
    let typical = roles.filter_map(|role| {
        let counters = || runs.iter().filter_map(|run| run.get(&role));
        counters().next()?;
        let counters = Counters {
            faults: median(counters().map(|it| it.faults)),
            wakes: median(counters().map(|it| it.wakes)),
        };
        Some((role, counters))
    });
    typical.collect()
}

fn median(counts: impl Iterator<Item = u64>) -> u64 {
    let mut counts: Vec<u64> = counts.collect();
    counts.sort_unstable();
    counts[counts.len() / 2]
}
