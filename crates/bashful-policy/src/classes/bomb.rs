//! Fork bombs: functions and programs that start themselves without end.

use super::View;
use super::shell;
use crate::facts::{Call, Facts, Function, Input, Place, Span};

/// Up to this many functions the calls between them are followed; beyond, each is seen alone.
const FOLLOWED: usize = 64;
/// What can end a function that calls itself.
const GUARDS: &[&str] =
    &["[", "[[", "test", "((", "let", "return", "exit", "read", "break", "shift"];

/// Whether a call starts its own script again in the background, or forks in an endless loop.
pub(super) fn check(view: &View) -> bool {
    let call = view.call;
    let own = call.arguments.iter().any(|word| {
        word.unknown_from.is_some()
            && ["$0", "${0}", "$BASH_SOURCE", "${BASH_SOURCE"]
                .iter()
                .any(|name| word.text.trim_start_matches("./").starts_with(name))
    });
    let runs = call.arguments.first().is_some_and(|word| !word.is_known())
        || shell::is_shell(view.name)
        || matches!(view.name, "exec" | "source" | ".");
    let starts_itself = own && runs && (call.background || matches!(call.input, Input::Pipe(_)));
    starts_itself || forks_without_end(call) || in_endless_loop(call)
}

/// Whether a loop that never pauses puts one process after another beside it. What a function
/// does in between is not followed that far.
fn in_endless_loop(call: &Call) -> bool {
    call.endless && call.background && call.place != Place::Function
}

/// Whether an inline program forks in a loop.
fn forks_without_end(call: &Call) -> bool {
    if shell::interpreter_named(call.program()).is_none() {
        return false;
    }
    shell::inline_text(call).is_some_and(|text| {
        let text = text.text.as_str();
        let forks = text.contains("fork") || text.contains("child_process");
        let has_word = |wanted: &str| {
            text.split(|letter: char| !letter.is_ascii_alphanumeric())
                .any(|word| word == wanted)
        };
        let loops = ["while", "until", "loop", "for", "forever", "setInterval"];
        forks && loops.into_iter().any(has_word)
    })
}

/// The functions that start more and more copies of themselves.
pub(super) fn functions(facts: &Facts) -> Vec<&Function> {
    let reach = reach(facts);
    let aliases = Aliases::of(facts);
    let bombs = facts.functions.iter().enumerate();
    let bombs = bombs.filter(|(index, function)| {
        is_bomb(facts, *index, function, &reach) && !aliases.hold(function.span)
    });
    bombs.map(|(_, function)| function).collect()
}

/// Where aliases are set, which are not expanded again inside themselves.
struct Aliases {
    /// The starts of all of them in order, each with the farthest end so far.
    spans: Vec<Span>,
}

impl Aliases {
    fn of(facts: &Facts) -> Self {
        let calls = facts.calls.iter().filter(|call| call.program() == "alias");
        let mut spans: Vec<Span> = calls.map(|call| call.span).collect();
        spans.sort_unstable();
        let mut farthest = 0;
        for (_, end) in &mut spans {
            farthest = farthest.max(*end);
            *end = farthest;
        }
        Self { spans }
    }

    fn hold(&self, (start, end): Span) -> bool {
        let before = self.spans.partition_point(|span| span.0 <= start);
        let last = before.checked_sub(1).and_then(|last| self.spans.get(last));
        last.is_some_and(|(_, farthest)| end <= *farthest)
    }
}

fn body<'a>(facts: &'a Facts, function: &Function) -> &'a [Call] {
    facts.calls.get(function.body.clone()).unwrap_or_default()
}

/// The word that names what a call starts, also where it is a function.
fn started(call: &Call) -> &str {
    let first = call.arguments.first();
    first
        .filter(|word| word.is_known())
        .map_or("", |word| word.text.as_str())
}

/// For each function the functions it can come to, as bits; empty when there are too many.
fn reach(facts: &Facts) -> Vec<u64> {
    let functions = &facts.functions;
    if functions.len() > FOLLOWED {
        return Vec::new();
    }
    let direct = |function: &Function| {
        let calls = body(facts, function).iter().map(started);
        calls.fold(0u64, |bits, name| {
            let called = functions.iter().enumerate();
            let called = called.filter(|(_, function)| function.name == name);
            called.fold(bits, |bits, (index, _)| bits | 1 << index)
        })
    };
    let mut reach: Vec<u64> = functions.iter().map(direct).collect();
    for middle in 0..reach.len() {
        let through = reach.get(middle).copied().unwrap_or_default();
        for bits in &mut reach {
            if *bits & (1 << middle) != 0 {
                *bits |= through;
            }
        }
    }
    reach
}

fn is_bomb(facts: &Facts, index: usize, function: &Function, reach: &[u64]) -> bool {
    let returns = |call: &Call| {
        let name = started(call);
        let mut others = facts.functions.iter().zip(reach);
        name == function.name
            || others.any(|(other, bits)| {
                other.name == name && index < FOLLOWED && bits & (1 << index) != 0
            })
    };
    let calls = body(facts, function);
    let own: Vec<&Call> = calls.iter().filter(|call| returns(call)).collect();
    // Without new arguments a function can end only by a test.
    let guarded = calls.iter().any(|call| GUARDS.contains(&call.program()));
    let endless = |call: &&&Call| !guarded && call.operands().is_empty();
    let beside = own.iter().any(|call| {
        let from_itself = match &call.input {
            Input::Pipe(range) => {
                let before = facts.calls.get(range.clone()).unwrap_or_default();
                before.iter().any(returns)
            }
            _ => false,
        };
        call.background || from_itself
    });
    beside
        || own.iter().filter(endless).count() > 1
        || own.iter().filter(endless).any(|call| call.captured)
}
