//! What is told about hosts that lack what the profile needs.

use bashful_sandbox::{Enforcement as Applied, Protection};

use super::super::checks;
use super::super::trial::Trial;
use super::*;
use crate::config::Sandbox;

const FULL: Applied = Applied {
    backend: bashful_sandbox::Backend::Native,
    filesystem: Level::Full,
    network: Level::Full,
    commands: Level::Full,
    processes: Level::Full,
    resources: Level::Full,
    identity: Level::Full,
};

const ALL_OK: &str =
    "processes ok\nfiles ok\nsystem ok\nnetwork ok\nidentity ok\ntmp ok\ncalls ok\n";

/// A host on which only our own sandbox was tried.
fn only(trial: Trial) -> Trials {
    Trials(vec![(Backend::Native, trial)])
}

fn ran(enforcement: Applied, printed: &str) -> Trials {
    only(Trial::Ran(Ran {
        enforcement,
        checks: checks::read(printed),
    }))
}

/// What is said for the usual profile.
fn judge(host: &Host, trials: &Trials) -> Diagnosis {
    super::judge(host, trials, &Demand::USUAL, trials.used(Sandbox::Auto))
}

fn host() -> Host {
    let directory = tempfile::tempdir().unwrap();
    let mut host = Host::look(directory.path());
    host.landlock = GOOD_LANDLOCK;
    host.id_maps = IdMaps::NotNeeded;
    host
}

/// Whether it is well, and what is missing.
fn verdict(host: &Host, trials: &Trials) -> (bool, Vec<&'static str>) {
    let diagnosis = judge(host, trials);
    let mended = |missing: &Missing| !missing.mend.is_empty() && !missing.reason.is_empty();
    assert!(diagnosis.missing.iter().all(mended), "{diagnosis:?}");
    let missing = diagnosis.missing.iter().map(|missing| missing.what);
    (diagnosis.ok, missing.collect())
}

#[test]
fn all_is_well() {
    assert_eq!(verdict(&host(), &ran(FULL, ALL_OK)), (true, vec![]));
}

#[test]
fn what_the_default_profile_can_do_without_is_told_and_no_more() {
    let partial = Applied {
        resources: Level::Partial,
        identity: Level::Partial,
        ..FULL
    };
    let expected = (true, vec!["resources", "identity"]);
    assert_eq!(verdict(&host(), &ran(partial, ALL_OK)), expected);
    let mut old = host();
    old.landlock = 4;
    assert_eq!(verdict(&old, &ran(FULL, ALL_OK)), (true, vec!["network"]));
}

#[test]
fn what_it_needs_must_be_full() {
    for enforcement in [
        Applied {
            filesystem: Level::Partial,
            ..FULL
        },
        Applied {
            processes: Level::None,
            ..FULL
        },
        Applied {
            identity: Level::None,
            ..FULL
        },
    ] {
        assert!(!judge(&host(), &ran(enforcement, ALL_OK)).ok);
    }
}

#[test]
fn a_sandbox_that_leaks_is_not_well_whatever_it_says() {
    let leaking = ALL_OK.replace("network ok", "network failed");
    let expected = (false, vec!["network"]);
    assert_eq!(verdict(&host(), &ran(FULL, &leaking)), expected);
    let nothing = only(Trial::Ran(Ran {
        enforcement: FULL,
        checks: Vec::new(),
    }));
    assert!(!judge(&host(), &nothing).ok);
}

#[test]
fn no_sandbox_is_told_with_the_reason() {
    let reason = "cannot make namespaces for `clone`".to_owned();
    let trials = only(Trial::NotBuilt {
        reason: reason.clone(),
    });
    let diagnosis = judge(&host(), &trials);
    assert_eq!((diagnosis.ok, diagnosis.checks.len()), (false, 0));
    assert_eq!(diagnosis.enforcement, Enforcement::NONE);
    assert_eq!(diagnosis.missing.first().unwrap().reason, reason);
}

#[test]
fn a_weaker_backend_stands_in_and_what_it_does_not_hold_is_no_surprise() {
    let weak = Applied {
        backend: Backend::Landlock,
        filesystem: Level::Partial,
        processes: Level::Partial,
        identity: Level::Partial,
        ..FULL
    };
    let seen = ALL_OK.replace("processes ok", "processes failed");
    let seen = seen.replace("tmp ok", "tmp failed");
    let mut trials = only(Trial::NotBuilt {
        reason: "no namespaces".to_owned(),
    });
    let ran = |printed: &str| {
        Trial::Ran(Ran {
            enforcement: weak,
            checks: checks::read(printed),
        })
    };
    trials.0.push((Backend::Landlock, ran(&seen)));
    let diagnosis = judge(&host(), &trials);
    assert!(!diagnosis.ok, "the usual profile needs more");
    let states: Vec<State> = diagnosis.checks.iter().map(|check| check.state).collect();
    assert!(states.contains(&State::Weak) && !states.contains(&State::Failed));
    let optional = [
        Protection::Filesystem,
        Protection::Processes,
        Protection::Resources,
    ];
    let lenient = Demand {
        optional: &optional,
        ..Demand::USUAL
    };
    let told = |trials: &Trials| {
        let used = trials.used(Sandbox::Auto);
        super::judge(&host(), trials, &lenient, used).ok
    };
    assert!(told(&trials));
    trials.0[1].1 = ran(&seen.replace("network ok", "network failed"));
    assert!(!told(&trials), "the network is said to be closed in full");
}
