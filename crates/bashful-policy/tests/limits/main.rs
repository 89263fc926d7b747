//! Limits: no length, depth or count breaks the reader, slows it down, or weakens a decision.
//!
//! Each text ends with a command that is always denied, so whatever the analysis gives up on, the
//! decision must not become an allow.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests measure time; the crate itself reads no clock and no file"
)]

#[path = "../support/context.rs"]
mod context;
mod inputs;
#[path = "../support/whole.rs"]
mod whole;

use std::sync::mpsc;
use std::time::{Duration, Instant};

use bashful_policy::{Context, Effect, Policy, judge};

/// What any text may take, in a debug build.
const LIMIT: Duration = Duration::from_secs(4);

/// After this time nobody waits for a text any more.
const PATIENCE: Duration = Duration::from_secs(20);

/// A text that does not end keeps a processor, so not many are tried.
const HANGING: usize = 2;

/// The stack of a thread that nobody has chosen a size for.
const STACK: usize = 2 * 1024 * 1024;

#[test]
fn heavy_deep_texts_end_soon() {
    check(inputs::deep(size(1_000, 10_000)));
}

#[test]
fn heavy_open_texts_end_soon() {
    check(inputs::open(size(1_000, 10_000)));
}

#[test]
fn heavy_long_texts_end_soon() {
    check(inputs::long(size(60_000, 1_000_000)));
}

#[test]
fn heavy_many_commands_end_soon() {
    check(inputs::many(size(10_000, 50_000)));
}

#[test]
fn heavy_texts_that_grow_end_soon() {
    check(inputs::growing());
}

/// A slice of the size in a test run, all of it in a soak.
fn size(slice: usize, whole: usize) -> usize {
    if whole::is_whole() { whole } else { slice }
}

/// Each text is decided in time, on a small stack, and not allowed.
fn check(texts: Vec<(String, String)>) {
    let mut wrong = Vec::new();
    let mut hanging = 0;
    for (name, text) in texts {
        let Some((effects, took)) = decided(text) else {
            wrong.push(format!("{name}: did not end, or broke"));
            hanging += 1;
            if hanging == HANGING {
                break;
            }
            continue;
        };
        eprintln!("{:8} ms {effects:?} {name}", took.as_millis());
        if took > LIMIT {
            wrong.push(format!("{name}: took {took:?}"));
        }
        if effects.contains(&Effect::Allow) {
            wrong.push(format!("{name}: {effects:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The decisions of a careful and of a confined profile, and how long the first took.
fn decided(text: String) -> Option<([Effect; 2], Duration)> {
    let (sender, receiver) = mpsc::channel();
    let work = move || {
        let begun = (Instant::now(), processor_time());
        let careful = judge(&text, &Policy::careful(), &context::context());
        // Other processes can take the processor, and other tests can use time of this one.
        let took = begun
            .0
            .elapsed()
            .min(processor_time().saturating_sub(begun.1));
        let confined = judge(&text, &Policy::confined(), &enforced());
        let effects = [careful, confined].map(|judgement| judgement.decision.effect);
        let _ = sender.send((effects, took));
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    thread.unwrap();
    receiver.recv_timeout(PATIENCE).ok()
}

/// The same while the kernel holds files and network.
fn enforced() -> Context {
    Context {
        enforced: true,
        ..context::context()
    }
}

/// What all threads of this process have used.
fn processor_time() -> Duration {
    const TICK: Duration = Duration::from_millis(10);
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    // After the name, which can hold anything, these are the 12th and 13th numbers.
    let (_, numbers) = text.rsplit_once(')').unwrap();
    let ticks = numbers.split_whitespace().skip(11).take(2);
    let ticks: u32 = ticks.map(|number| number.parse::<u32>().unwrap()).sum();
    TICK * ticks
}
