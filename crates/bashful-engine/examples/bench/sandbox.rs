//! A sandboxed no-op against a plain spawn, bubblewrap and firejail.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use bashful_engine::{Engine, Invocation, Places};

use crate::memory;
use crate::table::{Times, in_turns, print_ratios, ratio, require, timed_in_turns, took};
use crate::{Outcome, Setting};

const ROUNDS: usize = 300;
const FIRST_RUNS: usize = 60;
/// Long enough for a keeper to make a room ahead.
const PAUSE: Duration = Duration::from_millis(50);
const HEAP: usize = 1 << 30;

pub(crate) fn bench(setting: &Setting) -> Outcome {
    let small = round(setting, "A sandboxed no-op through the library")?;
    let mut heap = vec![0_u8; HEAP];
    for page in heap.chunks_mut(4096) {
        page[0] = 1;
    }
    let large = round(setting, "The same, the host having 1 GiB of touched heap")?;
    black_box(&heap);
    let (plain, live, fresh, bubblewrap) = (&small[0], &small[1], &small[2], &small[3]);
    let mut met = true;
    println!();
    met &= setting.figures.tell("live-room", ratio(live, plain, 0.5))?;
    met &= require("a live room, p95", ratio(live, plain, 0.95), 2.5);
    met &= require("the same, to bwrap", ratio(fresh, bubblewrap, 0.5), 1.0);
    // Each to the plain spawn of its own round: the machine's mood changes.
    let grown =
        |index: usize| ratio(&large[index], &large[0], 0.5) / ratio(&small[index], &small[0], 0.5);
    met &= require("a live room, with 1 GiB to without", grown(1), 1.3);
    met &= require("a first run, with 1 GiB to without", grown(2), 1.3);
    met &= first_runs(setting)?;
    Ok(met)
}

/// The first run of a room twice: where none was made ahead, and where there was time for it.
fn first_runs(setting: &Setting) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let engine = || {
        Engine::builder()
            .workspace(&setting.scratch)
            .places(Places::under(&setting.scratch))
            .build()
    };
    let run = |engine: &Engine, invocation: Invocation| {
        let result = runtime.block_on(engine.run(invocation));
        assert!(result.is_ok_and(|result| result.success));
    };
    let fresh = || Invocation::bash("true").fresh();
    let before = memory::keepers();
    let used = engine()?;
    run(&used, fresh());
    std::thread::sleep(PAUSE * 4);
    print_idle_memory(&before);
    let shell = ["--noprofile", "--norc", "-c", "true"];
    // As long a rest before each: a processor that slept for long is slower for a while.
    let mut plain = || {
        std::thread::sleep(PAUSE);
        took(&mut || spawn("bash", &shell))
    };
    // A keeper that is up, and of which no run has wanted a fresh room so far.
    let mut without = || {
        let engine = engine();
        assert!(engine.is_ok(), "no engine");
        engine.map_or(PAUSE, |engine| {
            run(&engine, Invocation::bash("true"));
            std::thread::sleep(PAUSE);
            took(&mut || run(&engine, fresh()))
        })
    };
    let mut with = || {
        std::thread::sleep(PAUSE);
        took(&mut || run(&used, fresh()))
    };
    let times = timed_in_turns(FIRST_RUNS, &mut [&mut plain, &mut without, &mut with]);
    let names = [
        "posix_spawn and wait",
        "Engine::run, the first in a fresh room",
        "Engine::run, one of many in fresh rooms",
    ];
    print_ratios("The first run of a room", &names, &times, &[None; 3]);
    println!();
    let of = |index: usize| ratio(&times[index], &times[0], 0.5);
    let without = setting.figures.tell("first-run", of(1))?;
    let with = setting.figures.tell("first-run-spare", of(2))?;
    Ok(without && with)
}

/// What a spare room takes while it waits: it is all that the new keeper has.
fn print_idle_memory(before: &BTreeSet<String>) {
    for keeper in memory::keepers().difference(before) {
        match memory::of_children(keeper) {
            Some(memory) => println!("\n  a spare room while it waits: {memory} KiB"),
            None => println!("\n  not measured: a spare room's memory, which only root may see"),
        }
    }
}

fn round(setting: &Setting, title: &str) -> Result<Vec<Times>, Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let engine = Engine::builder()
        .workspace(&setting.scratch)
        .places(Places::under(&setting.scratch))
        .build()?;
    let shell = ["bash", "--noprofile", "--norc", "-c", "true"];
    let mut live = || {
        let result = runtime.block_on(engine.run(Invocation::bash("true")));
        assert!(result.is_ok_and(|result| result.success));
    };
    let mut fresh = || {
        let result = runtime.block_on(engine.run(Invocation::bash("true").fresh()));
        assert!(result.is_ok_and(|result| result.success));
    };
    let wrapped = bubblewrap(&setting.scratch, &shell);
    let wrapped: Vec<&str> = wrapped.iter().map(String::as_str).collect();
    let mut jailed = vec!["--quiet", "--noprofile", "--net=none", "--private-dev"];
    jailed.extend(shell);
    let (mut plain, mut wrap) = (|| spawn("bash", &shell[1..]), || spawn("bwrap", &wrapped));
    let mut jail = || spawn("firejail", &jailed);
    let mut contestants: Vec<&mut dyn FnMut()> = vec![&mut plain, &mut live, &mut fresh, &mut wrap];
    // It is only for the users that are named in a file of its own.
    if succeeds("firejail", &jailed) {
        contestants.push(&mut jail);
    } else {
        println!("\nnot measured: firejail, which does not run for this user");
    }
    let times = in_turns(ROUNDS, &mut contestants);
    let names = [
        "posix_spawn and wait",
        "Engine::run in a live room",
        "Engine::run, the first of its room",
        "bwrap with equivalent flags",
        "firejail --net=none --private-dev",
    ];
    print_ratios(title, &names, &times, &[None; 5]);
    Ok(times)
}

/// The arguments of bubblewrap for about what a room gives.
pub(crate) fn bubblewrap(workspace: &Path, command: &[&str]) -> Vec<String> {
    let workspace = workspace.to_string_lossy();
    let mut arguments: Vec<&str> = vec![
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        "--ro-bind",
        "/usr",
        "/usr",
        "--symlink",
        "usr/bin",
        "/bin",
        "--symlink",
        "usr/lib",
        "/lib",
        "--symlink",
        "usr/lib64",
        "/lib64",
        "--ro-bind",
        "/etc",
        "/etc",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--tmpfs",
        "/tmp",
        "--bind",
        &workspace,
        &workspace,
        "--chdir",
        &workspace,
        "--clearenv",
        "--setenv",
        "PATH",
        "/usr/bin:/bin",
    ];
    arguments.extend(command);
    arguments.into_iter().map(str::to_owned).collect()
}

fn spawn(program: &str, arguments: &[&str]) {
    assert!(succeeds(program, arguments), "{program}");
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    #[expect(clippy::disallowed_methods, reason = "the plain thing to compare with")]
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
