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

use crate::support::context;
mod inputs;
use crate::support::whole;

use std::sync::mpsc;
use std::time::{Duration, Instant};

use bashful_policy::{Context, Effect, Policy, ShellMemory, functions_of, judge, read_template};

/// The time that any text may take, in a debug build.
const LIMIT: Duration = Duration::from_secs(4);

/// After this time the test no longer waits for a text.
const PATIENCE: Duration = Duration::from_secs(20);

/// A text that does not end keeps a processor, so not many are tried.
const HANGING: usize = 2;

/// The stack of a thread whose creator chose no size.
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

/// A short text is read on the caller's stack, whatever it is read as: a command, what a shell
/// remembers, a function, a script with templates.
#[test]
fn heavy_short_texts_need_no_stack_of_their_own() {
    let short = |text: &String| text.len() <= 512;
    let depths = [4, 8, 16, 40, 80, 160, 240];
    let texts = depths.map(|depth| [inputs::deep(depth), inputs::open(depth)].concat());
    let texts: Vec<String> = texts.concat().into_iter().map(|(_, text)| text).collect();
    let work = move || {
        for text in texts.iter().filter(|text| short(text)) {
            let calls = format!("f; {text}");
            let context = Context {
                shell: Some(ShellMemory {
                    functions: format!("f () {{ f; {text}; }}"),
                    ..ShellMemory::default()
                }),
                ..context::context()
            };
            for command in ["f", &calls] {
                let decided = judge(command, &Policy::careful(), &context).decision;
                assert_ne!(decided.effect, Effect::Allow, "{command}");
            }
            let _ = functions_of(text);
            let _ = functions_of(&format!("f () {{ {text}; }}"));
            let _ = read_template(text);
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    thread.unwrap().join().unwrap();
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
