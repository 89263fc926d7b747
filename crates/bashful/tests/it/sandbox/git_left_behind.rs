//! What runs leave behind: the person's next git commands, anywhere in the workspace, execute
//! nothing of it and contact no address, and what was held back is told.
//!
//! The cases are tables of shell scripts. Each is first done without any sandbox, where what
//! was planted must be executed: a case that shows nothing then is worth nothing.

use std::fs;

use serde_json::{Value, json};

use self::case::Case;
use self::host::Place;
use super::told;
use crate::support::eventually;

mod case;
mod host;
mod reads;

/// What a run says that could not do what it wanted: it needs no further telling.
const REFUSALS: [&str; 4] = [
    "Read-only file system",
    "Operation not permitted",
    "Permission denied",
    "Device or resource busy",
];

const LAYOUT: &str = include_str!("git_left_behind/layout.sh");
const DOT_GIT: &str = include_str!("git_left_behind/dot_git.sh");
const STATE: &str = include_str!("git_left_behind/state.sh");
const ADDRESSES: &str = include_str!("git_left_behind/addresses.sh");
const HIDING: &str = include_str!("git_left_behind/hiding.sh");
const PERSON_OWN: &str = include_str!("git_left_behind/person_own.sh");
const ORDINARY: &str = include_str!("git_left_behind/ordinary.sh");
const ELSEWHERE: &str = include_str!("git_left_behind/elsewhere.sh");
const FRESH: &str = include_str!("git_left_behind/fresh.sh");
const COMMON: &str = include_str!("git_left_behind/common.sh");

#[test]
fn repositories_that_a_run_makes_or_moves() {
    hold(&case::read(LAYOUT), &[]);
}

#[test]
fn what_is_named_as_a_repository_and_what_it_leads_to() {
    hold(&case::read(DOT_GIT), &[]);
}

#[test]
fn what_worktrees_share_with_their_repository() {
    hold(&case::read(COMMON), &[]);
}

#[test]
fn what_was_found_by_looking_again() {
    hold(&case::read(FRESH), &[]);
}

#[test]
fn what_git_keeps_besides_configuration() {
    hold(&case::read(STATE), &[]);
}

#[test]
fn where_git_goes() {
    hold(&case::read(ADDRESSES), &[]);
}

#[test]
fn what_is_hard_to_find() {
    hold(&case::read(HIDING), &[]);
}

#[test]
fn what_the_person_has_already() {
    hold(&case::read(PERSON_OWN), &[]);
}

#[test]
fn a_worktree_of_a_repository_elsewhere() {
    hold(&case::read(ELSEWHERE), &[]);
}

#[test]
fn the_same_in_a_session() {
    hold(&core(), &["--session", "s"]);
}

#[test]
fn the_same_in_bubblewrap() {
    hold(&core(), &["--sandbox", "bubblewrap"]);
}

#[test]
fn what_comes_from_a_process_that_was_adopted() {
    let furnished = Place::furnished();
    let failures = all(&core(), |case| {
        let place = furnished.prepared(case);
        let script = case.runs.join("\ncd \"$WORKSPACE\"\n");
        let script = format!("(sleep 0.2\n{script}\ntouch \"$WORKSPACE/finished\") &> /dev/null &");
        let script = place.script(&script);
        let arguments = ["--session", "s", "--survivors", "adopt", &script];
        let mut command = place.world.bashful(&["run", "--policy", "none"]);
        let outcome = command.args(arguments).output().unwrap();
        assert!(outcome.status.success(), "{outcome:?}");
        let finished = place.world.workspace().join("finished");
        assert!(eventually(|| finished.exists()), "{}", case.name);
        assert_eq!(place.world.call(&["stop", "--all"]).code, 0);
        place.executed(case).map_or(Ok(()), Err)
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// One case of each kind.
fn core() -> Vec<Case> {
    let tables = [LAYOUT, DOT_GIT, STATE, ADDRESSES, COMMON].into_iter();
    let cases: Vec<Case> = tables
        .flat_map(case::read)
        .filter(|case| case.is_core)
        .collect();
    assert!(cases.len() > 10, "{}", cases.len());
    cases
}

#[test]
fn ordinary_work_goes_on() {
    let furnished = Place::furnished();
    let failures = all(&case::read(ORDINARY), |case| {
        for is_confined in [false, true] {
            let place = furnished.prepared(case);
            let answers = if is_confined {
                run_confined(&place, case, &[])
            } else {
                run_freely(&place, case);
                Vec::new()
            };
            let person = case.person.expect("the person goes on");
            let output = place.shell(&format!("set -e\n{person}"));
            if !output.status.success() {
                let log = String::from_utf8_lossy(&output.stderr);
                return Err(format!(
                    "confined: {is_confined}: {log}{}",
                    summary(&answers)
                ));
            }
            let is_told = answers.iter().any(was_told);
            if is_confined && is_told != case.is_told {
                return Err(format!("told: {is_told}: {}", summary(&answers)));
            }
        }
        Ok(())
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Each attack works without a sandbox, and is held and told with one.
fn hold(cases: &[Case], flags: &[&str]) {
    let furnished = Place::furnished();
    let failures = all(cases, |case| {
        // The cases that are held in another way again were shown to work the first time.
        if flags.is_empty() {
            let free = furnished.prepared(case);
            run_freely(&free, case);
            if free.executed(case).is_none() {
                return Err("a control that shows nothing".to_owned());
            }
        }
        let place = furnished.prepared(case);
        let answers = run_confined(&place, case, flags);
        if let Some(found) = place.executed(case) {
            return Err(format!("{found}; told: {}", answers.iter().any(was_told)));
        }
        let is_refused = |answer: &Value| {
            let stderr = answer["stderr"].as_str().unwrap_or_default();
            REFUSALS.iter().any(|refusal| stderr.contains(refusal))
        };
        if !answers.iter().any(|one| was_told(one) || is_refused(one)) {
            return Err(format!("nothing was told: {}", summary(&answers)));
        }
        Ok(())
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What went wrong in which case.
fn all(cases: &[Case], check: impl Fn(&Case) -> Result<(), String>) -> Vec<String> {
    // For a person who looks into a single case.
    let only = std::env::var("BASHFUL_TEST_CASE").unwrap_or_default();
    let chosen = cases.iter().filter(|case| case.name.contains(&only));
    assert_ne!(
        chosen.clone().count(),
        0,
        "no case here has `{only}` in its name"
    );
    chosen
        .filter_map(|case| {
            let failure = check(case).err()?;
            Some(format!("{}: {failure}", case.name))
        })
        .collect()
}

/// The runs of a case with all the rights of the person.
fn run_freely(place: &Place, case: &Case) {
    for run in &case.runs {
        let mut bash = place.world.program("bash");
        bash.arg("-c").arg(place.script(run));
        let _ = bash.output().unwrap();
    }
}

/// The runs of a case as an agent has them: unasked, in the sandbox. What each answered.
fn run_confined(place: &Place, case: &Case, flags: &[&str]) -> Vec<Value> {
    let script = place.world.workspace().join("attack.sh");
    let answers = case.runs.iter().map(|run| {
        fs::write(&script, place.script(run)).unwrap();
        let (_, answer) = place.world.json(&[flags, &["bash attack.sh"]].concat());
        let how = json!([
            answer["decision"]["effect"],
            answer["exit_code"].is_number()
        ]);
        assert_eq!(how, json!(["allow", true]), "{answer}");
        answer
    });
    let answers = answers.collect();
    fs::remove_file(script).unwrap();
    answers
}

fn was_told(answer: &Value) -> bool {
    !matches!(told(answer).as_str(), "null" | "[]")
}

/// What of the answers helps to find out what went wrong.
fn summary(answers: &[Value]) -> String {
    let each = answers.iter().map(|answer| {
        let keys = ["exit_code", "stdout", "stderr", "sandbox_violations"];
        json!(keys.map(|key| &answer[key])).to_string()
    });
    each.collect::<Vec<_>>().join("\n")
}
