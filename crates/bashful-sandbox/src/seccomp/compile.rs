//! From rules to a program.
//!
//! The number of a call is found by a binary search over ranges of numbers that are
//! answered alike. The kernel runs the program once for each number when it is installed
//! and never again for those that it always allows, hence only calls that are refused, or
//! whose arguments are examined, cost anything later.

use std::collections::BTreeMap;

use super::assembler::{Assembler, Condition, Instruction, Label};
use super::numbers::{
    SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO, SECCOMP_RET_KILL_PROCESS, THIS_ARCHITECTURE,
};
use super::rule::{Answer, Argument, Named, Rule, Test};

/// Offsets in the kernel's `struct seccomp_data`.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

/// From this number on x86-64 has the calls of its x32 variant.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;
#[cfg(target_arch = "x86_64")]
const X32_ERROR: Named<u32> = super::table::NO_SUCH_CALL;

/// Calls that are refused before anything is known about them but their kind.
pub(super) struct ForeignCalls {
    pub(super) calls: &'static str,
    pub(super) answer: &'static str,
    pub(super) reason: &'static str,
}

pub(super) const FOREIGN_CALLS: &[ForeignCalls] = &[
    ForeignCalls {
        calls: "all calls of another architecture",
        answer: "SIGSYS",
        reason: "their numbers mean other calls",
    },
    #[cfg(target_arch = "x86_64")]
    ForeignCalls {
        calls: "all calls of x32",
        answer: X32_ERROR.name,
        reason: "a second door to every call",
    },
];

/// What happens to a call, as far as its number decides.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Allow,
    /// The kernel answers this.
    Answer(u32),
    /// These clauses are tried in turn; the call is allowed if none applies.
    Examine(Vec<Clause>),
}

/// The tests of one rule, and the answer if all of them are true.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Clause {
    when: &'static [Test],
    answer: u32,
}

/// The calls from this number to where the next range starts.
struct Range {
    start: u32,
    outcome: Outcome,
}

/// The program for these rules.
pub(super) fn compile(rules: &[&'static Rule]) -> Vec<Instruction> {
    compile_as(rules, Answer::value)
}

/// The same, with what the kernel answers by a rule.
pub(super) fn compile_as(rules: &[&'static Rule], value: fn(Answer) -> u32) -> Vec<Instruction> {
    let mut program = Program::default();
    let allow = program.outcome(&Outcome::Allow);
    let starts: Vec<(u32, Label)> = ranges(rules, value)
        .iter()
        .map(|range| (range.start, program.outcome(&range.outcome)))
        .collect();
    let search = program.search(allow, &starts);
    let mut assembler = program.assembler;
    let kill = assembler.answer(SECCOMP_RET_KILL_PROCESS);
    let numbered = assembler.load(NUMBER, search);
    let checked = assembler.branch(Condition::Equal, THIS_ARCHITECTURE, numbered, kill);
    assembler.load(ARCHITECTURE, checked);
    assembler.finish()
}

/// Where the outcome changes, in the order of the numbers. Calls below the first are allowed.
fn ranges(rules: &[&'static Rule], value: fn(Answer) -> u32) -> Vec<Range> {
    let mut ranges: Vec<Range> = Vec::new();
    for (number, outcome) in outcomes(rules, value) {
        // The call before ended its range here.
        ranges.pop_if(|last| last.start == number);
        ranges.push(Range {
            start: number,
            outcome,
        });
        ranges.push(Range {
            start: number + 1,
            outcome: Outcome::Allow,
        });
    }
    #[cfg(target_arch = "x86_64")]
    ranges.push(Range {
        start: X32,
        outcome: Outcome::Answer(SECCOMP_RET_ERRNO | X32_ERROR.value),
    });
    ranges.dedup_by(|later, earlier| later.outcome == earlier.outcome);
    ranges
}

/// What happens to each call that a rule names.
fn outcomes(rules: &[&'static Rule], value: fn(Answer) -> u32) -> BTreeMap<u32, Outcome> {
    let mut outcomes = BTreeMap::new();
    for rule in rules {
        let clause = Clause {
            when: rule.when,
            answer: value(rule.answer),
        };
        for (_, number) in rule.present_calls() {
            let outcome = outcomes
                .entry(number)
                .or_insert_with(|| Outcome::Examine(Vec::new()));
            if let Outcome::Examine(clauses) = outcome {
                if rule.when.is_empty() && clauses.is_empty() {
                    *outcome = Outcome::Answer(clause.answer);
                } else {
                    clauses.push(clause.clone());
                }
            }
        }
    }
    outcomes
}

/// The program as far as it is written, and where it deals with which outcome.
#[derive(Default)]
struct Program {
    assembler: Assembler,
    written: Vec<(Outcome, Label)>,
}

impl Program {
    /// Where this outcome is dealt with, the same for all calls that share it.
    fn outcome(&mut self, outcome: &Outcome) -> Label {
        if let Some((_, label)) = self.written.iter().find(|(written, _)| written == outcome) {
            return *label;
        }
        let label = match outcome {
            Outcome::Allow => self.assembler.answer(SECCOMP_RET_ALLOW),
            Outcome::Answer(answer) => self.assembler.answer(*answer),
            Outcome::Examine(clauses) => self.examine(clauses),
        };
        self.written.push((outcome.clone(), label));
        label
    }

    fn examine(&mut self, clauses: &[Clause]) -> Label {
        let allow = self.outcome(&Outcome::Allow);
        // From the last to the first, as everything is written backwards.
        clauses.iter().rev().fold(allow, |otherwise, clause| {
            let refuse = self.outcome(&Outcome::Answer(clause.answer));
            clause
                .when
                .iter()
                .rev()
                .fold(refuse, |met, test| self.test(test, met, otherwise))
        })
    }

    fn test(&mut self, test: &Test, met: Label, otherwise: Label) -> Label {
        match test {
            Test::Is(argument, values) => self.compare(*argument, values, met, otherwise),
            Test::IsNot(argument, values) => self.compare(*argument, values, otherwise, met),
            Test::HasAny(argument, bits) => {
                let bits = bits.iter().fold(0, |all, bit| all | bit.value);
                let branch = self
                    .assembler
                    .branch(Condition::HasAny, bits, met, otherwise);
                self.argument(*argument, branch)
            }
        }
    }

    fn compare(
        &mut self,
        argument: Argument,
        values: &[Named<u32>],
        equal: Label,
        different: Label,
    ) -> Label {
        let compared = values.iter().rev().fold(different, |next, value| {
            self.assembler
                .branch(Condition::Equal, value.value, equal, next)
        });
        self.argument(argument, compared)
    }

    /// Loads a half of an argument, then goes on there.
    fn argument(&mut self, argument: Argument, then: Label) -> Label {
        let then = if argument.mask == u32::MAX {
            then
        } else {
            self.assembler.and(argument.mask, then)
        };
        // Little-endian: the low half comes first.
        let half = if argument.is_upper { 4 } else { 0 };
        self.assembler
            .load(ARGUMENTS + 8 * argument.index + half, then)
    }

    /// Finds what happens to the number in the accumulator: `below` if it is below all
    /// of these starts, else what belongs to the last start that it reaches.
    fn search(&mut self, below: Label, starts: &[(u32, Label)]) -> Label {
        if let [(number, label), (next, after)] = starts
            && *after == below
            && *next == number + 1
        {
            // A single number among others that are dealt with alike.
            return self
                .assembler
                .branch(Condition::Equal, *number, *label, below);
        }
        let (left, right) = starts.split_at(starts.len() / 2);
        let Some(((start, label), right)) = right.split_first() else {
            return below;
        };
        let right = self.search(*label, right);
        let left = self.search(below, left);
        self.assembler
            .branch(Condition::AtLeast, *start, right, left)
    }
}
