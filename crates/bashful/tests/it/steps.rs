//! `kill -9` between every two steps of ask, answer, claim, start and end.
//!
//! `strace` kills the executable on its way into one call that changes a file or tells another
//! process, and each such call has its turn. Then the real executable is asked what it knows, and
//! what it says must be true: nothing ran without a record before it, no yes was used twice, and
//! the next command works as if nothing had happened.
//!
//! A test run takes every sixth step, each time from another one on; `cargo xtask soak` takes all.

mod calls;
mod truth;

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use calls::{Step, Whom, steps_of};
use truth::Truth;

use crate::support::{Outcome, Running, Terminal, World, binary, eventually, is_long};

/// Each run of it leaves one line, and each needs a yes.
const COMMAND: &str = "echo x | tee -a lines";

/// A world in which `tee` needs a yes.
fn world() -> World {
    let world = World::new();
    world.configure(
        "[approvals]\nmost_pending = 100\n\
         [[profile.default.rule]]\nid = \"ask-tee\"\neffect = \"ask\"\n\
         command = [\"tee\", \"…\"]\nreason = \"writes a line\"\n",
    );
    world
}

/// Asks about the command; the id of the ask.
fn ask(world: &World) -> String {
    let (code, result) = world.json(&[COMMAND]);
    assert_eq!(code, 121, "{result}");
    result["approval"]["id"].as_str().unwrap().to_owned()
}

/// Says yes to one run.
fn allow(world: &World, id: &str) {
    let (code, screen) = Terminal::bashful(world, &["approvals", "allow", id]).end();
    assert_eq!(code, 0, "{screen}");
}

/// Where a call leaves files.
const PLACES: [&str; 2] = ["state", "cache"];

/// What was there before a call, to begin from again.
struct Before<'w> {
    world: &'w World,
    saved: std::path::PathBuf,
}

impl<'w> Before<'w> {
    fn save(world: &'w World) -> Self {
        let saved = world.path("saved");
        fs::create_dir(&saved).unwrap();
        let before = Self { world, saved };
        for place in PLACES {
            before.copy(place, &before.saved);
        }
        before
    }

    fn restore(&self) {
        let gone = eventually(|| self.world.living_keepers().is_empty());
        assert!(gone, "{:?}", self.world.living_keepers());
        for place in PLACES {
            fs::remove_dir_all(self.world.path(place)).unwrap();
            self.copy(&format!("saved/{place}"), &self.world.path(place));
        }
        let _ = fs::remove_file(self.world.workspace().join("lines"));
    }

    fn copy(&self, from: &str, to: &std::path::Path) {
        let mut command = self.world.program("cp");
        command.arg("-a").arg(self.world.path(from)).arg(to);
        assert!(command.status().unwrap().success());
    }
}

/// How many worlds share the steps of one call: most of the time is spent waiting.
const WORLDS: usize = 4;

/// Of so many steps a test run takes one.
const SLICE: usize = 6;

/// Every step, or those that this test run takes.
fn chosen(steps: &[Step]) -> Vec<&Step> {
    if is_long() {
        return steps.iter().collect();
    }
    // A step that fails is named, so that no run has to be the same again.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let first = usize::try_from(now.subsec_nanos()).unwrap() / 1000 % SLICE;
    steps.iter().skip(first).step_by(SLICE).collect()
}

/// Kills a call of `bashful` at each of its steps, and looks at what is true afterwards. `prepare`
/// makes what is there before, and tells the arguments.
fn sweep(given: Given, whom: Whom, prepare: impl Fn(&World) -> Vec<String> + Sync) {
    let part = &|share: usize| {
        let world = world();
        let arguments = prepare(&world);
        let before = Before::save(&world);
        let call = |tracer: &[String]| call(&world, tracer, &arguments, given);
        let steps = steps_of(&world, whom, call);
        assert!(steps.len() > 5, "{steps:?}");
        let (mut tried, mut killed) = (0, 0);
        for step in chosen(&steps).into_iter().skip(share).step_by(WORLDS) {
            tried += 1;
            before.restore();
            killed += usize::from(call(&step.tracer(whom)) == 137);
            Truth::after(&world, given.before + given.in_it).check(step);
        }
        (tried, killed)
    };
    let (tried, killed) = std::thread::scope(|scope| {
        let parts: Vec<_> = (0..WORLDS)
            .map(|share| scope.spawn(move || part(share)))
            .collect();
        let told = parts.into_iter().map(|part| part.join().unwrap());
        told.fold((0, 0), |(all, sum), (tried, killed)| {
            (all + tried, sum + killed)
        })
    });
    // A call can take another way than the one that was watched, but seldom does. Of many
    // processes the one that was called may be none of those that get so far.
    let least = match whom {
        Whom::Caller => tried - tried / 10 - usize::from(!is_long()),
        Whom::Everybody => tried / 4,
    };
    assert!(killed >= least.max(1), "{killed} of {tried}");
}

/// What persons said before a call and in it.
#[derive(Debug, Clone, Copy)]
struct Given {
    before: usize,
    in_it: usize,
    on_a_terminal: bool,
}

impl Given {
    const NOTHING: Self = Self::runs(0);

    /// This many yeses, and then a call that runs a command.
    const fn runs(before: usize) -> Self {
        Self {
            before,
            in_it: 0,
            on_a_terminal: false,
        }
    }

    /// A call by a person, who says yes this often.
    const fn person(before: usize, in_it: usize) -> Self {
        Self {
            before,
            in_it,
            on_a_terminal: true,
        }
    }
}

/// `bashful` under the tracer, to its end; its exit code.
fn call(world: &World, tracer: &[String], arguments: &[String], given: Given) -> i32 {
    let program = binary();
    if !given.on_a_terminal {
        let mut command = world.program("strace");
        command.args(tracer).arg(program).args(arguments);
        let outcome: Outcome = Running::start(command).end().outcome();
        return outcome.code;
    }
    let words = tracer.iter().map(String::as_str);
    let words = words.chain([program.to_str().unwrap()]);
    let words: Vec<&str> = words.chain(arguments.iter().map(String::as_str)).collect();
    // A shell tells of a signal by the same number as we do.
    let line = format!("strace '{}'", words.join("' '"));
    Terminal::line(world, &line).end().0
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// A yes for one run, which no run has used.
fn one_yes(world: &World) {
    let id = ask(world);
    allow(world, &id);
}

#[test]
fn a_run_that_asks() {
    sweep(Given::NOTHING, Whom::Caller, |_| words(&["run", COMMAND]));
}

#[test]
fn an_answer_that_allows() {
    sweep(Given::person(0, 1), Whom::Caller, |world| {
        words(&["approvals", "allow", &ask(world)])
    });
}

#[test]
fn an_answer_that_denies() {
    sweep(Given::person(0, 0), Whom::Caller, |world| {
        words(&["approvals", "deny", &ask(world)])
    });
}

#[test]
fn a_run_that_claims_a_grant() {
    sweep(Given::runs(1), Whom::Caller, |world| {
        one_yes(world);
        words(&["run", COMMAND])
    });
}

#[test]
fn everybody_in_a_run_that_claims_a_grant() {
    sweep(Given::runs(1), Whom::Everybody, |world| {
        one_yes(world);
        words(&["run", COMMAND])
    });
}

#[test]
fn a_grant_that_is_given() {
    sweep(Given::person(0, 1), Whom::Caller, |_| {
        words(&["grants", "add", "--exact", COMMAND, "--scope", "call"])
    });
}

#[test]
fn a_grant_that_is_taken_back() {
    sweep(Given::person(1, 0), Whom::Caller, |world| {
        one_yes(world);
        let (_, listed) = world.call(&["grants", "list", "--json"]).json();
        words(&[
            "grants",
            "revoke",
            listed["grants"][0]["id"].as_str().unwrap(),
        ])
    });
}

#[test]
fn a_run_that_needs_no_yes() {
    sweep(Given::NOTHING, Whom::Caller, |_| words(&["run", "true"]));
}
