//! What a warm run costs, counted and held to `budgets.toml`.
//!
//! `strace` sees the calls of every process that takes part; page faults and wakes are the kernel's
//! counters in runs without it. Root counts for root and for an ordinary user, any other user for
//! themselves. With `--write`, which needs root, the file is written anew.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test starts the executable from outside, may fail, and says why"
)]

mod budget;
mod check;
mod driver;
mod measure;
mod roles;
mod scenario;
mod stage;
mod trace;
mod unwatched;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use budget::{All, Budgets};
use measure::measure;
use scenario::Scenario;
use stage::{Stage, User};

/// A test by its name, and whether it passes.
type Test = (&'static str, fn() -> bool);

const TESTS: [Test; 2] = [
    ("a_log_is_read_and_told", check::a_log_is_read_and_told),
    ("warm_runs_keep_to_their_budgets", keep_to_budgets),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if let ["--drive", scenario, bashful, root] = words[..] {
        let scenario = Scenario::named(scenario).unwrap();
        driver::drive(scenario, Path::new(bashful), Path::new(root));
        return ExitCode::SUCCESS;
    }
    // None is switched off.
    let mut tests = Vec::from(TESTS);
    tests.retain(|_| !words.contains(&"--ignored"));
    if words.contains(&"--list") {
        for (name, _) in tests {
            println!("{name}: test");
        }
        return ExitCode::SUCCESS;
    }
    if words.contains(&"--write") {
        write();
        return ExitCode::SUCCESS;
    }
    let named = |name: &str| words.contains(&name) || !words.contains(&"--exact");
    tests.retain(|(name, _)| named(name));
    let failed = tests.iter().filter(|(_, holds)| !holds()).count();
    ExitCode::from(u8::from(failed > 0))
}

/// Counts every scenario, for both users at the same time.
fn count(scenarios: &[Scenario]) -> All {
    let of_user = |user: User| {
        let stage = Stage::build();
        let counted = scenarios
            .iter()
            .map(|one| ((user, *one), measure(&stage, *one, user)));
        counted.collect::<All>()
    };
    std::thread::scope(|scope| {
        let users = User::all().iter();
        let threads: Vec<_> = users
            .map(|user| scope.spawn(move || of_user(*user)))
            .collect();
        let ended = threads.into_iter().flat_map(|it| it.join().unwrap());
        ended.collect()
    })
}

fn keep_to_budgets() -> bool {
    let text = fs::read_to_string(Budgets::path()).unwrap();
    if !User::all().contains(&User::Root) {
        println!(
            "not counted: runs of root, and databases that the command line opens (only root may \
             read the memory of a process that hides it)"
        );
    }
    let budgets = Budgets::read(&text);
    let mut all = count(&Scenario::ALL);
    // What a busy machine has changed is not the same a second time.
    let again = Scenario::ALL.into_iter().filter(|one| {
        let only = all.iter().filter(|((_, scenario), _)| scenario == one);
        let only = only.map(|(key, measured)| (*key, measured.clone()));
        let differences = budgets.differences(&only.collect());
        !differences.iter().all(|line| budget::is_gain(line))
    });
    let again: Vec<Scenario> = again.collect();
    if !again.is_empty() {
        all.extend(count(&again));
    }
    let differences = budgets.differences(&all);
    for difference in &differences {
        println!("{difference}");
    }
    // Another host may do with less, so that is told and breaks nothing.
    let holds = differences.iter().all(|line| budget::is_gain(line));
    if !holds {
        println!(
            "\nA number in budgets.toml is raised in a commit that says why. \
             `cargo xtask budgets --write` counts anew."
        );
    }
    holds
}

fn write() {
    assert!(
        User::all().contains(&User::Root),
        "only root can count for root and for an ordinary user"
    );
    let text = fs::read_to_string(Budgets::path()).unwrap();
    let written = Budgets::read(&text).rewritten(&count(&Scenario::ALL));
    fs::write(Budgets::path(), written).unwrap();
}
