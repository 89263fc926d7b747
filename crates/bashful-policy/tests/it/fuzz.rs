//! Random shell text: the reader neither panics nor takes long, and says the same twice.
//!
//! Three kinds: pieces in any order, the cases with some bytes changed, and programs that follow
//! the grammar, where each command is known and has to be found.
#![expect(
    clippy::disallowed_types,
    reason = "a fuzz job reads how long it may work; the crate itself reads no clock"
)]
#![expect(
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests may fail the test and say why"
)]

use crate::support::context;
use crate::support::soak;

use std::time::{Duration, Instant};

use bashful_policy::{
    CommandValidator, Context, Facts, PermissionProfile, Policy, Unknown, UnknownKind, decide, read,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;

/// How long the test of one kind works in a test run.
const SLICE: Duration = Duration::from_secs(1);

/// Pieces that grammar bugs are made of.
const PIECES: &[&str] = &[
    " ", "\n", "\t", ";", "&", "&&", "||", "|", "|&", "(", ")", "{", "}", "((", "))", "[[", "]]",
    "$(", "`", "<(", ">(", "${", "$((", "\"", "'", "$'", "\\", "#", "!", "*", "?", "[", "]", "~",
    "=", "<", ">", ">>", "<<", "<<-", "<<<", "&>", "2>&1", "if", "then", "else", "fi", "for", "in",
    "do", "done", "while", "case", "esac", "function", "time", "coproc", "rm", "-rf", "/", "sudo",
    "env", "bash", "-c", "eval", "xargs", "find", "-exec", "EOF", "'EOF'", "a", "x=1", "é",
    "\u{202e}", "\u{0}", "\r", "mkfs", "dd", "of=/dev/sda", ":(){ :|:& };:",
];

/// A small generator, so that a failure can be repeated from its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap_or(0)
    }

    fn text(&mut self) -> String {
        let pieces = 1 + self.below(60);
        (0..pieces)
            .map(|_| PIECES[self.below(PIECES.len())])
            .collect()
    }

    /// A text with some bytes lost, doubled, changed or replaced by a piece.
    fn mutation(&mut self, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=self.below(6) {
            let at = self.below(bytes.len() + 1);
            let end = (at + 1 + self.below(8)).min(bytes.len());
            match self.below(5) {
                0 => drop(bytes.drain(at.min(end)..end)),
                1 => {
                    let copy = bytes[at.min(end)..end].to_vec();
                    bytes.splice(at..at, copy);
                }
                2 => bytes.truncate(at.max(1)),
                3 => {
                    let byte = u8::try_from(self.below(256)).unwrap_or(0);
                    bytes.insert(at, byte);
                }
                _ => {
                    let piece = PIECES[self.below(PIECES.len())];
                    bytes.splice(at..at, piece.bytes());
                }
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[test]
fn fuzz_random_shell_text_is_read_in_bounded_time() {
    let validator = CommandValidator::default();
    let profile = PermissionProfile::new("fuzz")
        .deny("tool:bash:rm *")
        .build()
        .unwrap();
    let count = for_a_while(0x9e37_79b9_7f4a_7c15, |random, seed| {
        let text = random.text();
        let decision = validator.check(&text);
        let effect = profile.decide(&text).effect;
        assert_eq!(validator.check(&text), decision, "seed {seed}: {text:?}");
        let again = profile.decide(&text).effect;
        assert_eq!(again, effect, "seed {seed}: {text:?}");
        check(&text, seed);
    });
    assert!(count > 100, "only {count} texts were tried");
}

#[test]
fn fuzz_changed_cases_are_read_in_bounded_time() {
    let cases = cases();
    let count = for_a_while(0xd1b5_4a32_d192_ed03, |random, seed| {
        let case = &cases[random.below(cases.len())];
        let other = &cases[random.below(cases.len())];
        let joint = ["; ", "\n", " | ", " && ", "$(", "`", "\"", "'"][random.below(8)];
        let text = match random.below(3) {
            0 => random.mutation(&format!("{case}{joint}{other}")),
            _ => random.mutation(case),
        };
        check(&text, seed);
    });
    assert!(count > 100, "only {count} texts were tried");
}

/// Calls `work` with a generator of its own and its seed until the time is over.
fn for_a_while(first: u64, mut work: impl FnMut(&mut Random, u64)) -> u64 {
    let end = Instant::now() + soak::time().unwrap_or(SLICE);
    let mut seed = first;
    let mut count = 0;
    while Instant::now() < end {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let begun = Instant::now();
        work(&mut Random(seed | 1), seed);
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(5), "seed {seed}: {took:?}");
        count += 1;
    }
    println!("{count} texts from seed {first} on, the last from {seed}");
    count
}

/// What holds for every text.
fn check(text: &str, seed: u64) {
    let context = context::context();
    let facts = read(text, &context);
    assert_eq!(read(text, &context), facts, "seed {seed}: {text:?}");
    is_sound(&facts, text).unwrap_or_else(|error| panic!("seed {seed}: {text:?}: {error}"));
    let careful = decide(&facts, &Policy::careful(), &context);
    let loose = decide(&facts, &Policy::confined(), &enforced());
    let again = decide(&facts, &Policy::careful(), &context);
    assert_eq!(again, careful, "seed {seed}: {text:?}");
    assert!(
        loose.decision.effect <= careful.decision.effect,
        "seed {seed}: {text:?}: {loose:?}"
    );
}

/// The same while the kernel holds files and network.
fn enforced() -> Context {
    Context {
        enforced: true,
        ..context::context()
    }
}

/// Whether every number in the facts fits the text.
fn is_sound(facts: &Facts, text: &str) -> Result<(), String> {
    let spans = facts.calls.iter().map(|call| call.span);
    let spans = spans.chain(facts.redirects.iter().map(|redirect| redirect.span));
    let spans = spans.chain(facts.assignments.iter().map(|assignment| assignment.span));
    let spans = spans.chain(facts.functions.iter().map(|function| function.span));
    let spans = spans.chain(facts.unknowns.iter().map(|unknown| unknown.span));
    for (start, end) in spans {
        if text.get(start..end).is_none() {
            return Err(format!("no text at {start}..{end}"));
        }
    }
    for call in &facts.calls {
        let redirects = call
            .redirects
            .iter()
            .all(|index| *index < facts.redirects.len());
        let assignments = call
            .assignments
            .iter()
            .all(|index| *index < facts.assignments.len());
        if call.arguments.is_empty() || !redirects || !assignments {
            return Err(format!("{call:?}"));
        }
        for argument in &call.arguments {
            let known = argument.unknown_from.unwrap_or(0);
            if !argument.text.is_char_boundary(known) {
                return Err(format!("{argument:?}"));
            }
        }
    }
    let bodies = facts.functions.iter().map(|function| &function.body);
    for body in bodies {
        if facts.calls.get(body.clone()).is_none() {
            return Err(format!("no calls at {body:?}"));
        }
    }
    Ok(())
}

/// The commands of the case set.
fn cases() -> Vec<String> {
    let lines = include_str!("../cases/policy-cases.jsonl").lines();
    let command = |line| {
        serde_json::from_str::<Value>(line).ok()?["cmd"]
            .as_str()
            .map(str::to_owned)
    };
    lines.filter_map(command).collect()
}

/// A program that follows the grammar, and the names of the commands in it.
#[derive(Debug, Clone)]
struct Program {
    text: String,
    names: Vec<String>,
}

#[test]
fn fuzz_every_command_of_a_valid_program_is_a_call() {
    let seed = [7; 32];
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::default(), random);
    let strategy = program();
    let end = Instant::now() + soak::time().unwrap_or(SLICE);
    let (mut count, mut rejected) = (0, 0);
    while Instant::now() < end {
        count += 1;
        let mut tree = strategy.new_tree(&mut runner).unwrap();
        let mut error = match all_are_found(&tree.current()) {
            Ok(Reading::Whole) => continue,
            Ok(Reading::Rejected) => {
                rejected += 1;
                continue;
            }
            Err(error) => error,
        };
        // The smallest program that fails is the one to look at.
        let mut goes_on = tree.simplify();
        while goes_on {
            goes_on = match all_are_found(&tree.current()) {
                Ok(_) => tree.complicate(),
                Err(smaller) => {
                    error = smaller;
                    tree.simplify()
                }
            };
        }
        panic!("program {count} of seed {seed:?}: {error}");
    }
    println!("{count} programs from seed {seed:?} on, {rejected} rejected");
    // The parser gives up on some rare nestings, such as a `case` in an arithmetic expression, and
    // says so. One in twenty pairs is like that, and more of the deeper ones.
    assert!(rejected * 4 <= count, "{rejected} of {count} are rejected");
}

/// How a valid program was read.
enum Reading {
    /// Every command was found.
    Whole,
    /// It was taken for invalid.
    Rejected,
}

/// Reads a program: every command is found, or the facts say that it was not understood.
fn all_are_found(program: &Program) -> Result<Reading, String> {
    let text = &program.text;
    let facts = read(text, &context::context());
    is_sound(&facts, text).map_err(|error| format!("{error} in:\n{text}"))?;
    let is_syntax = |unknown: &Unknown| unknown.kind == UnknownKind::Syntax;
    if facts.unknowns.iter().any(is_syntax) {
        return Ok(Reading::Rejected);
    }
    for name in &program.names {
        if !facts.calls.iter().any(|call| call.program() == name) {
            return Err(format!("no `{name}` in:\n{text}"));
        }
    }
    Ok(Reading::Whole)
}

/// Shapes with two programs in them, where the control characters 1 and 2 stand for them,
/// and 3 for a number that no program inside has.
const SHAPES: &[&str] = &[
    "\u{1}\n\u{2}",
    "{\n\u{1}\n} && {\n\u{2}\n}",
    "{\n\u{1}\n} || {\n\u{2}\n}",
    "{\n\u{1}\n} | (\n\u{2}\n)",
    "(\n\u{1}\n) & {\n\u{2}\n} >x 2>&1",
    "if\n\u{1}\nthen\n\u{2}\nfi",
    "if :; then\n\u{1}\nelse\n\u{2}\nfi",
    "while\n\u{1}\ndo\n\u{2}\ndone <x",
    "for x in a \"$(\n\u{1}\n)\"; do\n\u{2}\ndone",
    "case $(\n\u{1}\n) in a|b)\n\u{2}\n;; esac",
    "case a in a)\n\u{1}\n;& (b)\n\u{2}\n;;& esac",
    "f() {\n\u{1}\n}\n\u{2}",
    "x=$(\n\u{1}\n) y=(a $(\n\u{2}\n))",
    ": \"${x:-$(\n\u{1}\n)}\" <(\n\u{2}\n)",
    "[[ -n $(\n\u{1}\n) && a == $(\n\u{2}\n)* ]]",
    "(( 1 + $(\n\u{1}\n) ? 1 : $(\n\u{2}\n) ))",
    ": $(( $(\n\u{1}\n) + 1 )) ${x/$(\n\u{2}\n)/b}",
    "cat <<-A\u{3} <<'B\u{3}'\n$(\n\u{1}\n)\nA\u{3}\n$(\nB\u{3}\n\u{2}",
    "! time {\n\u{1}\n}\ncoproc {\n\u{2}\n}",
    ": a{b,$(\n\u{1}\n)} >\"$(\n\u{2}\n)\"",
];

fn program() -> impl Strategy<Value = Program> {
    let word = prop_oneof![
        Just("a"),
        Just("'b c'"),
        Just("\"d $x\""),
        Just("$x"),
        Just("*.c"),
        Just("{e,f}"),
        Just("--g=h"),
        Just("$'\\n'"),
        Just("\\;"),
        Just("~/i"),
        Just("2>&1"),
        Just("<j"),
        Just("$((1+2))"),
        Just("\"${k[@]}\""),
        Just("é"),
        Just("# comment"),
        Just("l\\\nm"),
    ];
    let command = ("[a-z]{3}", proptest::collection::vec(word, 0..4)).prop_map(|(name, words)| {
        // No word of the language begins like this.
        let name = format!("zz{name}");
        let text = format!("{name} {}", words.join(" "));
        Program {
            text,
            names: vec![name],
        }
    });
    command.prop_recursive(3, 12, 2, |inner| {
        let shape = proptest::sample::select(SHAPES);
        (shape, inner.clone(), inner).prop_map(|(shape, first, second)| {
            let names = [first.names, second.names].concat();
            let text = shape
                .replace('\u{3}', &names.len().to_string())
                .replace('\u{1}', &first.text)
                .replace('\u{2}', &second.text);
            Program { text, names }
        })
    })
}
