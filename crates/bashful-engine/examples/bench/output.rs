//! Much output: speed against `cat`, and memory.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bashful_engine::config::Sandbox;
use bashful_engine::{Engine, Invocation, Places};

use crate::memory;
use crate::table::verdict;
use crate::{Outcome, Setting};

const GIB: u64 = 1 << 30;
const ROUNDS: usize = 5;

pub(crate) fn bench(setting: &Setting) -> Outcome {
    println!("\nMuch output: our speed as a share of `cat`, and how much our memory grew");
    println!(
        "  {:<44} {:>9} {:>9} {:>7} {:>9}  bar",
        "", "cat", "ours", "share", "growth"
    );
    let mut met = true;
    let cases = [
        (
            "1 GiB of lines",
            format!("yes 0123456789012345678901234567890123456789 | head -c {GIB}"),
            GIB,
        ),
        (
            "200 MiB in a single line",
            format!("head -c {} /dev/zero | tr '\\0' x", 200 << 20),
            200 << 20,
        ),
    ];
    for (name, command, bytes) in cases {
        met &= case(setting, name, &command, bytes)?;
    }
    Ok(met)
}

fn case(setting: &Setting, name: &str, command: &str, bytes: u64) -> Outcome {
    let mut shares = Vec::new();
    let mut growths = Vec::new();
    let (mut cat_best, mut our_best) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        let cat = copy_with_cat(setting, command)?;
        let (ours, growth) = run(setting, command, bytes)?;
        shares.push(cat.as_secs_f64() / ours.as_secs_f64());
        growths.push(growth);
        cat_best = cat_best.min(cat);
        our_best = our_best.min(ours);
    }
    shares.sort_by(f64::total_cmp);
    let share = shares[shares.len() / 2];
    let growth = growths.into_iter().max().unwrap_or(0);
    let mut met = true;
    let fast = verdict(Some(("≥ 0.60".to_owned(), share >= 0.6)), &mut met);
    let lean = verdict(Some(("≤ 16 MiB".to_owned(), growth <= 16 << 10)), &mut met);
    println!(
        "  {name:<44} {:>8.2}s {:>8.2}s {share:>7.2} {:>5} KiB  {fast}, {lean}",
        cat_best.as_secs_f64(),
        our_best.as_secs_f64(),
        growth,
    );
    Ok(met)
}

fn copy_with_cat(setting: &Setting, command: &str) -> Result<Duration, Box<dyn std::error::Error>> {
    let target = setting.scratch.join("copy");
    #[expect(clippy::disallowed_methods, reason = "the plain thing to compare with")]
    let mut shell = Command::new("bash");
    shell
        .arg("-c")
        .arg(format!("{command} | cat > \"$0\""))
        .arg(&target)
        .stdin(Stdio::null());
    let begin = Instant::now();
    let status = shell.status()?;
    let elapsed = begin.elapsed();
    assert!(status.success());
    std::fs::remove_file(target)?;
    Ok(elapsed)
}

fn run(
    setting: &Setting,
    command: &str,
    bytes: u64,
) -> Result<(Duration, u64), Box<dyn std::error::Error>> {
    let place = tempfile::tempdir_in(&setting.scratch)?;
    let engine = Engine::builder()
        .sandbox(Sandbox::None)
        .workspace(place.path())
        .places(Places::under(place.path()))
        .build()?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    // So that the keeper is up and counted before.
    runtime.block_on(engine.run(Invocation::bash("true")))?;
    let before = memory::ours();
    let peak = Arc::new(AtomicU64::new(before));
    let watching = Arc::new(AtomicBool::new(true));
    let watcher = std::thread::spawn({
        let (peak, watching) = (Arc::clone(&peak), Arc::clone(&watching));
        move || {
            while watching.load(Ordering::Relaxed) {
                peak.fetch_max(memory::ours(), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    });
    let begin = Instant::now();
    let result = runtime.block_on(engine.run(Invocation::bash(command)))?;
    let elapsed = begin.elapsed();
    watching.store(false, Ordering::Relaxed);
    let _ = watcher.join();
    assert!(result.success, "{result:?}");
    assert_eq!(result.stdout_bytes, bytes);
    Ok((elapsed, peak.load(Ordering::Relaxed).saturating_sub(before)))
}
