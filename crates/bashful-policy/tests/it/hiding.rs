//! Hiding places: whatever real bash executes is in the facts, or the facts say that they do not
//! know.
//!
//! A marker stands in every construct of the grammar, and in every construct inside another. Real
//! bash runs each program and the marker writes down its number. A test run takes a choice of the
//! pairs, always the same; `cargo xtask soak` goes on while it has time, or to the end.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests compare with real bash; the crate itself starts nothing and reads no clock"
)]

mod bash;
use crate::support::context;
mod evaluated;
mod leaves;
mod odd;
mod place;
mod plan;
mod scripts;
use crate::support::soak;
mod structure;
mod words;

use std::time::Instant;

use bashful_policy::{Effect, Facts, Policy, decide, read};

use bash::{Bash, MARKER};
use place::Kind;
use plan::Program;

/// How many programs are run before their log is read; a test run takes this many.
const BATCH: usize = 3_600;

#[test]
fn heavy_what_bash_executes_is_found_or_flagged() {
    let Some(bash) = Bash::new("places") else {
        eprintln!("skipped: bash is not installed");
        return;
    };
    let end = Instant::now() + soak::time().unwrap_or_default();
    let mut count = Count::default();
    let mut programs = plan::programs();
    loop {
        let batch: Vec<Program> = programs.by_ref().take(BATCH).collect();
        count.batch(&batch, &bash);
        if Instant::now() >= end || batch.len() < BATCH {
            break;
        }
    }
    eprintln!("{count}; {} programs are left", programs.count());
    assert!(
        count.missed.is_empty(),
        "missed:\n{}",
        count.missed.join("\n")
    );
    assert!(
        count.executed * 10 >= count.programs * 8,
        "too few programs were executed"
    );
    assert!(
        count.literal_found * 10 >= count.literal * 9,
        "flagging is not finding"
    );
}

#[test]
fn there_are_many_places_with_names_of_their_own() {
    let places = plan::places();
    let names: std::collections::BTreeSet<&str> = places.iter().map(|place| place.name).collect();
    assert_eq!(names.len(), places.len());
    assert!(places.len() >= 150, "only {} places", places.len());
}

#[derive(Default)]
struct Count {
    programs: usize,
    executed: usize,
    found: usize,
    flagged: usize,
    literal: usize,
    literal_found: usize,
    missed: Vec<String>,
}

impl Count {
    fn batch(&mut self, programs: &[Program], bash: &Bash) {
        let texts: Vec<&str> = programs.iter().map(|it| it.text.as_str()).collect();
        let log = bash.run(&texts);
        for program in programs {
            self.programs += 1;
            if log.contains(&program.number) {
                self.executed(program);
            } else if program.is_alone {
                eprintln!("not executed: {:?}", program.text);
            }
        }
    }

    fn executed(&mut self, program: &Program) {
        self.executed += 1;
        let literal = program.kind == Kind::Literal;
        self.literal += usize::from(literal);
        let reading = std::panic::catch_unwind(|| read(&program.text, &context::context()));
        let Ok(facts) = reading else {
            self.missed.push(format!("panicked: {}\n", program.text));
            return;
        };
        if is_found(&facts, &program.number) {
            self.found += 1;
            self.literal_found += usize::from(literal);
        } else if is_flagged(&facts, program.kind) {
            self.flagged += 1;
            if literal && program.is_alone {
                eprintln!("literal, but flagged only: {:?}", program.text);
            }
        } else {
            let missed = format!("{}:\n{}\n", program.name, program.text);
            eprintln!("missed: {missed}");
            self.missed.push(missed);
        }
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (programs, executed, found) = (self.programs, self.executed, self.found);
        write!(formatter, "{programs} programs: {executed} executed, ")?;
        write!(
            formatter,
            "{found} found as calls, {} flagged only, ",
            self.flagged
        )?;
        let (literal, literal_found) = (self.literal, self.literal_found);
        write!(formatter, "{} missed; ", self.missed.len())?;
        write!(formatter, "of {literal} literal ones {literal_found} found")
    }
}

/// Whether the facts have the marker with this number, or with numbers that come at run time.
fn is_found(facts: &Facts, number: &str) -> bool {
    facts.calls.iter().any(|call| {
        call.program() == MARKER
            && (call.open_ended || call.operands().iter().any(|operand| operand.text == number))
    })
}

/// Whether the facts say that they do not know, or the decision does where that is all one can ask.
fn is_flagged(facts: &Facts, kind: Kind) -> bool {
    let judgement = || decide(facts, &Policy::careful(), &context::context());
    !facts.unknowns.is_empty()
        || kind == Kind::Judged && judgement().decision.effect != Effect::Allow
}
