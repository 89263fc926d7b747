//! What is told about hosts that lack something.

use bashful_sandbox::Enforcement as Applied;

use super::super::checks;
use super::*;

const FULL: Applied = Applied {
    filesystem: Level::Full,
    network: Level::Full,
    commands: Level::Full,
    processes: Level::Full,
    resources: Level::Full,
    identity: Level::Full,
};

const ALL_OK: &str =
    "processes ok\nfiles ok\nsystem ok\nnetwork ok\nidentity ok\ntmp ok\ncalls ok\n";

fn ran(enforcement: Applied, printed: &str) -> Trial {
    Trial::Ran(Ran {
        enforcement,
        checks: checks::read(printed),
    })
}

fn host() -> Host {
    let directory = tempfile::tempdir().unwrap();
    let mut host = Host::look(directory.path());
    host.landlock = GOOD_LANDLOCK;
    host.id_maps = IdMaps::NotNeeded;
    host
}

/// Whether it is well, and what is missing.
fn verdict(host: &Host, trial: &Trial) -> (bool, Vec<&'static str>) {
    let diagnosis = judge(host, trial);
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
    ] {
        assert!(!judge(&host(), &ran(enforcement, ALL_OK)).ok);
    }
}

#[test]
fn a_sandbox_that_leaks_is_not_well_whatever_it_says() {
    let leaking = ALL_OK.replace("network ok", "network failed");
    let expected = (false, vec!["network"]);
    assert_eq!(verdict(&host(), &ran(FULL, &leaking)), expected);
    let nothing = Trial::Ran(Ran {
        enforcement: FULL,
        checks: Vec::new(),
    });
    assert!(!judge(&host(), &nothing).ok);
}

#[test]
fn no_sandbox_is_told_with_the_reason() {
    let reason = "cannot make namespaces for `clone`".to_owned();
    let trial = Trial::NotBuilt {
        reason: reason.clone(),
    };
    let diagnosis = judge(&host(), &trial);
    assert_eq!((diagnosis.ok, diagnosis.checks.len()), (false, 0));
    assert_eq!(diagnosis.enforcement, Enforcement::NONE);
    assert_eq!(diagnosis.missing.first().unwrap().reason, reason);
}
