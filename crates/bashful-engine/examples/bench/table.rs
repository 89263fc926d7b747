//! Timing in turns, and printing ratios.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The times of one contestant, sorted.
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    pub(crate) fn at(&self, share: f64) -> Duration {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "an index"
        )]
        let index = ((self.0.len() - 1) as f64 * share) as usize;
        self.0[index]
    }
}

/// Set where many short benches are wanted and not one that is long.
pub(crate) static QUICK: AtomicBool = AtomicBool::new(false);

/// How many rounds are made of those that a bench asks for.
pub(crate) fn rounds_of(wanted: usize) -> usize {
    if QUICK.load(Ordering::Relaxed) {
        (wanted / 6).max(wanted.min(5))
    } else {
        wanted
    }
}

/// The pause between two turns.
const REST: Duration = Duration::from_millis(3);

/// Measures contestants in turns, so that what the machine does besides hits all alike.
pub(crate) fn in_turns(rounds: usize, contestants: &mut [&mut dyn FnMut()]) -> Vec<Times> {
    let mut timed: Vec<_> = contestants
        .iter_mut()
        .map(|contestant| || took(&mut **contestant))
        .collect();
    let mut timed: Vec<&mut dyn FnMut() -> Duration> = timed.iter_mut().map(|it| it as _).collect();
    timed_in_turns(rounds, &mut timed)
}

/// How long this takes.
pub(crate) fn took(what: &mut dyn FnMut()) -> Duration {
    let begin = Instant::now();
    what();
    begin.elapsed()
}

/// The same for contestants that know themselves which part of what they do counts.
pub(crate) fn timed_in_turns(
    rounds: usize,
    contestants: &mut [&mut dyn FnMut() -> Duration],
) -> Vec<Times> {
    let rounds = rounds_of(rounds);
    let mut times = vec![Vec::with_capacity(rounds); contestants.len()];
    for round in 0..=rounds + rounds / 10 {
        for (contestant, times) in contestants.iter_mut().zip(&mut times) {
            // What one leaves to be done in the background must not slow the next.
            std::thread::sleep(REST);
            let taken = contestant();
            // The first rounds warm up.
            if round > rounds / 10 {
                times.push(taken);
            }
        }
    }
    times.into_iter().map(Times::of).collect()
}

/// One line of a table of ratios to the first contestant.
pub(crate) fn print_ratios(
    title: &str,
    names: &[&str],
    times: &[Times],
    bars: &[Option<f64>],
) -> bool {
    println!("\n{title}");
    println!(
        "  {:<44} {:>9} {:>9} {:>7} {:>7}  bar",
        "", "median", "p95", "ratio", "p95"
    );
    let mut met = true;
    for ((name, own), bar) in names.iter().zip(times).zip(bars) {
        let ratio = own.at(0.5).as_secs_f64() / times[0].at(0.5).as_secs_f64();
        let tail = own.at(0.95).as_secs_f64() / times[0].at(0.95).as_secs_f64();
        let verdict = verdict(
            bar.map(|bar| (format!("≤ {bar:.2}"), ratio <= bar)),
            &mut met,
        );
        println!(
            "  {name:<44} {:>7.2}ms {:>7.2}ms {ratio:>7.2} {tail:>7.2}  {verdict}",
            millis(own.at(0.5)),
            millis(own.at(0.95))
        );
    }
    met
}

/// What a bar says, and whether it was met.
pub(crate) fn verdict(bar: Option<(String, bool)>, met: &mut bool) -> String {
    match bar {
        None => String::new(),
        Some((bar, true)) => format!("{bar} met"),
        Some((bar, false)) => {
            *met = false;
            format!("{bar} MISSED")
        }
    }
}

pub(crate) fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// Says whether a further bar was met.
pub(crate) fn require(what: &str, value: f64, most: f64) -> bool {
    let mut met = true;
    let verdict = verdict(Some((format!("≤ {most:.2}"), value <= most)), &mut met);
    println!("  {what}: {value:.2}  {verdict}");
    met
}

/// The ratio of two contestants at this share of their times.
pub(crate) fn ratio(own: &Times, other: &Times, share: f64) -> f64 {
    own.at(share).as_secs_f64() / other.at(share).as_secs_f64()
}
