//! The audit trail: records a second, one and many writers, and the time to verify.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bashful_engine::audit::{Event, Requested, Trail, Verdict};
use serde_json::json;

use crate::table::verdict;
use crate::{Outcome, Setting};

/// Tells this executable that it is one of many writers, and where.
const WRITER: &str = "BASHFUL_BENCH_AUDIT_WRITER";

const MANY: u64 = 100_000;
const WRITERS: u64 = 64;
const EACH: u64 = 500;

pub(crate) fn bench(setting: &Setting) -> Outcome {
    println!("\nThe audit trail, with records of a usual size");
    let mut met = true;
    let state = setting.scratch.join("audit");
    let trail = Trail::at(&state);
    let events = [event(), event(), event()];

    let (rounds, batch) = (10_000, 3);
    let took = timed(|| (0..rounds).try_for_each(|_| trail.append(&events).map(drop)))?;
    let each = took.as_secs_f64() * 1e6 / f64::from(rounds);
    row(
        "append of three, not synced",
        &format!("{each:.1} µs"),
        Some(("≤ 100 µs", each <= 100.0)),
        &mut met,
    );
    let rate = f64::from(rounds * batch) / took.as_secs_f64();
    row(
        "batched records a second",
        &format!("{rate:.0}"),
        Some(("≥ 1000", rate >= 1000.0)),
        &mut met,
    );

    met &= syncing(&trail, &setting.scratch.join("plain"))?;
    met &= verifying(&setting.scratch.join("audit-many"))?;
    met &= many_writers(&setting.scratch.join("audit-writers"))?;
    Ok(met)
}

/// How many can be put on disk is up to the disk, so the plain thing is measured in turns with it.
fn syncing(trail: &Trail, plain: &Path) -> Outcome {
    let line = [b'x'; 700];
    let mut file = File::options().create(true).append(true).open(plain)?;
    let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
    let rounds = 500;
    for _ in 0..rounds {
        ours += timed(|| trail.append_synced(&[event()]))?;
        theirs += timed(|| file.write_all(&line).and_then(|()| file.sync_data()))?;
    }
    let rate = |took: Duration| f64::from(rounds) / took.as_secs_f64();
    let mut met = true;
    let plain = format!("{:.0}", rate(theirs));
    row("plain lines a second, each synced", &plain, None, &mut met);
    let rate = rate(ours);
    let bar = Some(("≥ 300", rate >= 300.0));
    row(
        "synced records a second",
        &format!("{rate:.0}"),
        bar,
        &mut met,
    );
    Ok(met)
}

fn verifying(state: &Path) -> Outcome {
    let trail = Trail::at(state);
    let events: Vec<Event> = (0..100).map(|_| event()).collect();
    for _ in 0..MANY / 100 {
        drop(trail.append(&events)?);
    }
    let size = std::fs::metadata(trail.path())?.len() >> 20;
    let begin = Instant::now();
    let found = trail.verify(&[])?;
    let seconds = begin.elapsed().as_secs_f64();
    let good = found.verdict() == Verdict::Consistent && found.records == MANY;
    let mut met = true;
    let name = format!("verify {MANY} records ({size} MiB)");
    row(
        &name,
        &format!("{seconds:.2} s"),
        Some(("≤ 2 s", good && seconds <= 2.0)),
        &mut met,
    );
    let begin = Instant::now();
    let read = trail.records()?.map_while(Result::ok).count();
    let seconds = begin.elapsed().as_secs_f64();
    row(
        &format!("read {read} records"),
        &format!("{seconds:.2} s"),
        None,
        &mut met,
    );
    Ok(met)
}

/// As many processes at once; every record has to be there.
fn many_writers(state: &Path) -> Outcome {
    let here = std::env::current_exe()?;
    let begin = Instant::now();
    let start = || {
        #[expect(clippy::disallowed_methods, reason = "writers of the bench's own")]
        let mut command = Command::new(&here);
        command.env(WRITER, state).stdin(Stdio::null()).spawn()
    };
    let writers: Vec<Child> = (0..WRITERS).map(|_| start()).collect::<Result<_, _>>()?;
    for mut writer in writers {
        if !writer.wait()?.success() {
            return Err("a writer failed".into());
        }
    }
    let took = begin.elapsed().as_secs_f64();
    let found = Trail::at(state).verify(&[])?;
    let good = found.verdict() == Verdict::Consistent && found.records == WRITERS * EACH;
    let mut met = true;
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let rate = (WRITERS * EACH) as f64 / took;
    let name = format!("{WRITERS} processes, {EACH} records each: a second");
    row(
        &name,
        &format!("{rate:.0}"),
        Some(("none lost", good)),
        &mut met,
    );
    Ok(met)
}

/// Whether this process is a writer of the bench; then it has written when this returns.
pub(crate) fn is_writer() -> Result<bool, Box<dyn std::error::Error>> {
    let Some(state) = std::env::var_os(WRITER) else {
        return Ok(false);
    };
    let trail = Trail::at(Path::new(&state));
    for _ in 0..EACH {
        drop(trail.append(&[event()])?);
    }
    Ok(true)
}

fn timed<E>(work: impl FnOnce() -> Result<(), E>) -> Result<Duration, E> {
    let begin = Instant::now();
    work()?;
    Ok(begin.elapsed())
}

fn row(name: &str, value: &str, bar: Option<(&str, bool)>, met: &mut bool) {
    let bar = bar.map(|(bar, is_met)| (bar.to_owned(), is_met));
    println!("  {name:<50} {value:>12}  {}", verdict(bar, met));
}

fn event() -> Event {
    Event::Request(Box::new(Requested {
        task: "bash-1m7gdv3t39xnrx67".to_owned(),
        agent: "coder".to_owned(),
        session: "session-1m7gdv3t31h2t6g9".to_owned(),
        operation_id: None,
        workspace: "/home/somebody/projects/something".into(),
        cwd: "/home/somebody/projects/something/crates".into(),
        project: "/home/somebody/projects/something".into(),
        command: "cargo test --workspace --all-features 2>&1 | tail -40".to_owned(),
        digest: "0".repeat(64),
        variables: Vec::new(),
        description: Some("Run all the tests and show the end of what they say".to_owned()),
        profile: "default".to_owned(),
        policy: "dbe8b3692cd96ad2".to_owned(),
        rights: json!({ "preset": "workspace", "home": "workspace", "capabilities": {} }),
        sandbox: "native".to_owned(),
    }))
}
