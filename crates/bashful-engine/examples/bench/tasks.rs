//! What background tasks cost: their start, a thousand that mostly sleep, and following a log.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bashful_engine::config::{Config, OnLogFull};
use bashful_engine::{Engine, Invocation, Kill, Places, Run, Started, Timeout};

use crate::table::{Times, in_turns, millis, print_ratios, ratio, require, rounds_of};
use crate::{Outcome, Setting};

const ROUNDS: usize = 200;
const CALLS: usize = 40;
const LIVE: usize = 1000;
const LINES: usize = 60;
const LONG_LOG: u64 = 1 << 30;
/// How long idle tasks are watched.
const WATCH: Duration = Duration::from_secs(20);
/// What has just begun is looked after more often.
const SETTLE: Duration = Duration::from_secs(20);

pub(crate) fn bench(setting: &Setting) -> Outcome {
    let starts = starts(setting)?;
    let live = live(setting)?;
    let latency = latency(setting)?;
    let long = long_log(setting)?;
    Ok(starts && live && latency && long)
}

/// An engine whose tasks the executable finds.
fn engine(root: &Path) -> Result<Engine, Box<dyn std::error::Error>> {
    let workspace = root.join("workspace");
    fs::create_dir_all(&workspace)?;
    let mut config = Config::default();
    config.tasks.per_agent = 1 << 20;
    let place = |name: &str| match name {
        "HOME" => Some(root.display().to_string()),
        _ => None,
    };
    Ok(Engine::builder()
        .workspace(workspace)
        .places(Places::from_environment(place)?)
        .config(config)
        .session("bench")
        .build()?)
}

/// The executable, with the tasks of such an engine.
fn executable(setting: &Setting, root: &Path) -> Command {
    #[expect(clippy::disallowed_methods, reason = "a bench looks from outside")]
    let mut command = Command::new(&setting.bashful);
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", root)
        .current_dir(root.join("workspace"))
        .stdin(Stdio::null());
    command
}

fn start(engine: &Engine, invocation: Invocation) -> Result<Run, Box<dyn std::error::Error>> {
    match engine.start(invocation)? {
        Started::Running(run) => Ok(run),
        Started::NotAllowed(result) => Err(format!("not allowed: {:?}", result.decision).into()),
    }
}

/// A run that is waited for against one that is not, from the call to its id.
fn starts(setting: &Setting) -> Outcome {
    let root = setting.scratch.join("tasks-starts");
    let engine = engine(&root)?;
    let background = || Invocation::bash("true").timeout(Timeout::Never).detached();
    let (mut runs, mut others) = (Vec::new(), Vec::new());
    let times = in_turns(
        ROUNDS,
        &mut [
            &mut || runs.extend(start(&engine, Invocation::bash("true"))),
            &mut || others.extend(start(&engine, background())),
        ],
    );
    let count = runs.len().min(others.len());
    if count < rounds_of(ROUNDS) {
        return Err("some did not start".into());
    }
    for run in runs {
        drop(run.wait_until(Some(Instant::now() + Duration::from_secs(10))));
    }
    let names = ["in the foreground", "in the background"];
    let title = "Starting a task, until its id is known";
    let mut met = print_ratios(title, &names, &times, &[None, Some(1.2)]);
    let call = |flags: &[&str]| {
        let mut command = executable(setting, &root);
        command.arg("run").args(flags).arg("true");
        command.stdout(Stdio::null()).stderr(Stdio::null());
        assert!(command.status().is_ok_and(|status| status.success()));
    };
    let mut foreground = Vec::new();
    let mut detached = Vec::new();
    for _ in 0..CALLS {
        for (flags, times) in [
            (&[][..], &mut foreground),
            (&["--background"], &mut detached),
        ] {
            let began = Instant::now();
            call(flags);
            times.push(began.elapsed());
        }
    }
    let (foreground, detached) = (Times::of(foreground), Times::of(detached));
    let of = ratio(&detached, &foreground, 0.5);
    met &= require("`run --background`, of `run` of the same", of, 1.2);
    Ok(met)
}

/// A thousand tasks that mostly sleep.
fn live(setting: &Setting) -> Outcome {
    let root = setting.scratch.join("tasks-live");
    let engine = engine(&root)?;
    let before = free_memory();
    let began = Instant::now();
    let mut ids = Vec::new();
    for _ in 0..LIVE {
        let sleeper = Invocation::bash("while :; do sleep 30; done").timeout(Timeout::Never);
        let run = start(&engine, sleeper.detached())?;
        if !run.has_started(Instant::now() + Duration::from_secs(60))? {
            return Err("a task does not start".into());
        }
        ids.push(run.id().to_owned());
    }
    println!(
        "\n{LIVE} tasks that mostly sleep, started in {:.1} s",
        began.elapsed().as_secs_f64()
    );
    let first = ids.first().ok_or("no task")?;
    let summary = engine.task(first)?.summary()?;
    let directory = summary.output_file.parent().ok_or("no directory")?;
    let keeper = keeper_of(directory).ok_or("no keeper")?;
    let firsts = children(keeper);
    let guard = parent(keeper).into_iter();
    let ours: Vec<i32> = guard
        .chain([keeper])
        .chain(firsts.iter().copied())
        .collect();
    let pss: u64 = ours.iter().filter_map(|pid| proportional(*pid)).sum();
    let each = kib_to_mib(pss) / count(LIVE);
    let keeper_alone = proportional(keeper).map_or(0.0, kib_to_mib);
    println!(
        "  keeper alone: {keeper_alone:.1} MiB; first processes: {}",
        firsts.len()
    );
    let mut met = require("of ours for each task, MiB (PSS)", each, 3.0);
    let system = kib_to_mib(before.saturating_sub(free_memory())) / count(LIVE);
    println!("  all that the system lacks for each, commands and kernel included: {system:.2} MiB");
    std::thread::sleep(SETTLE);
    let used = ticks(&ours);
    std::thread::sleep(WATCH);
    let used = ticks(&ours).saturating_sub(used);
    // A tick is a hundredth of a second.
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let share = used as f64 / WATCH.as_secs_f64();
    met &= require("processor, percent of one in all", share, 2.0);
    let mut times = Vec::new();
    for _ in 0..CALLS / 2 {
        let mut command = executable(setting, &root);
        command.arg("tasks").stdout(Stdio::piped());
        let began = Instant::now();
        let output = command.output()?;
        times.push(began.elapsed());
        let lines = String::from_utf8_lossy(&output.stdout).lines().count();
        if lines <= LIVE {
            return Err(format!("`bashful tasks` shows {lines} lines").into());
        }
    }
    met &= require(
        "`bashful tasks`, ms",
        millis(Times::of(times).at(0.5)),
        100.0,
    );
    // Each on its own would take its time; their keeper ends them all.
    engine.task(first)?.kill(Kill::Now)?;
    bashful_engine::stop(engine.state_directory(), &bashful_engine::StopWhich::All)?;
    Ok(met)
}

/// How soon a line is shown.
fn latency(setting: &Setting) -> Outcome {
    let root = setting.scratch.join("tasks-latency");
    let engine = engine(&root)?;
    let command = format!("for i in $(seq {LINES}); do date +%s%N; sleep 0.05; done");
    let run = start(
        &engine,
        Invocation::bash(command).timeout(Timeout::Never).detached(),
    )?;
    let mut child = follow(setting, &root, run.id())?;
    let stdout = child.stdout.take().ok_or("no stdout")?;
    let mut delays = Vec::new();
    for line in BufReader::new(stdout).lines() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
        let printed = Duration::from_nanos(line?.parse()?);
        delays.push(now.saturating_sub(printed));
    }
    child.wait()?;
    if delays.len() != LINES {
        return Err(format!("{} of {LINES} lines", delays.len()).into());
    }
    println!("\nFollowing a log");
    let median = millis(Times::of(delays).at(0.5));
    Ok(require("a line is shown after, ms", median, 50.0))
}

/// Following a very long log.
fn long_log(setting: &Setting) -> Outcome {
    let root = setting.scratch.join("tasks-long");
    let engine = engine(&root)?;
    let command = format!("yes {:0>99} | head -c {LONG_LOG}", "");
    let invocation = Invocation::bash(command)
        .timeout(Timeout::Never)
        .log_quota(LONG_LOG * 2, OnLogFull::Continue)
        .detached();
    let run = start(&engine, invocation)?;
    let began = Instant::now();
    let mut child = follow(setting, &root, run.id())?;
    let pid = i32::try_from(child.id())?;
    let mut stdout = child.stdout.take().ok_or("no stdout")?;
    let mut buffer = vec![0; 1 << 20];
    let (mut total, mut peak) = (0_u64, 0_u64);
    loop {
        let read = stdout.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        total += read as u64;
        peak = peak.max(field(pid, "status", "VmHWM:").unwrap_or(0));
    }
    child.wait()?;
    if total != LONG_LOG {
        return Err(format!("{total} bytes of {LONG_LOG}").into());
    }
    let seconds = began.elapsed().as_secs_f64();
    println!("  {} MiB in {seconds:.1} s", LONG_LOG >> 20);
    Ok(require(
        "memory of the follower at its peak, MiB",
        kib_to_mib(peak),
        32.0,
    ))
}

fn follow(setting: &Setting, root: &Path, id: &str) -> std::io::Result<Child> {
    executable(setting, root)
        .args(["logs", "-f", id])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
}

fn keeper_of(directory: &Path) -> Option<i32> {
    let text = fs::read_to_string(directory.join("state")).ok()?;
    let record: serde_json::Value = serde_json::from_str(text.lines().next()?).ok()?;
    i32::try_from(record["keeper"]["pid"].as_i64()?).ok()
}

fn children(pid: i32) -> Vec<i32> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let list = list.unwrap_or_default();
    list.split_whitespace()
        .filter_map(|pid| pid.parse().ok())
        .collect()
}

fn parent(pid: i32) -> Option<i32> {
    let pid = field(pid, "status", "PPid:")?;
    i32::try_from(pid).ok()
}

/// The memory of a process in KiB, of shared pages its share; all of it where that is not shown.
fn proportional(pid: i32) -> Option<u64> {
    field(pid, "smaps_rollup", "Pss:").or_else(|| field(pid, "status", "VmRSS:"))
}

fn field(pid: i32, file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/{file}")).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The processor time of these processes, in hundredths of a second.
fn ticks(pids: &[i32]) -> u64 {
    let of = |pid: &i32| {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, fields) = text.rsplit_once(')')?;
        let mut fields = fields.split_whitespace().skip(11);
        let user: u64 = fields.next()?.parse().ok()?;
        let system: u64 = fields.next()?.parse().ok()?;
        Some(user + system)
    };
    pids.iter().filter_map(of).sum()
}

/// What the system could still give away, in KiB.
fn free_memory() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .unwrap_or(0)
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn kib_to_mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn count(number: usize) -> f64 {
    number as f64
}
