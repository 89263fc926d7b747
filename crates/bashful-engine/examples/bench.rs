//! Measures Bashful against the plain thing, side by side in one run.
//!
//! Run it with `cargo xtask bench [NAME…]`. Absolute times mean little on a busy
//! machine, so every table shows ratios of measurements that were taken in turn.

#![expect(clippy::print_stdout, reason = "a bench prints")]

use std::path::{Path, PathBuf};

#[path = "bench/approvals.rs"]
mod approvals;
#[path = "bench/audit.rs"]
mod audit;
#[path = "bench/bubblewrap.rs"]
mod bubblewrap;
#[path = "bench/command_line.rs"]
mod command_line;
#[path = "bench/concurrency.rs"]
mod concurrency;
#[path = "bench/figures.rs"]
mod figures;
#[path = "bench/mcp.rs"]
mod mcp;
#[path = "bench/memory.rs"]
mod memory;
#[path = "bench/no_op.rs"]
mod no_op;
#[path = "bench/output.rs"]
mod output;
#[path = "bench/sandbox.rs"]
mod sandbox;
#[path = "bench/scripts.rs"]
mod scripts;
#[path = "bench/shells.rs"]
mod shells;
#[path = "bench/table.rs"]
mod table;
#[path = "bench/tasks.rs"]
mod tasks;
#[path = "bench/violations.rs"]
mod violations;
#[path = "bench/work.rs"]
mod work;
#[path = "bench/workloads.rs"]
mod workloads;

/// What every bench gets.
struct Setting {
    /// The `bashful` executable.
    bashful: PathBuf,
    /// A directory of our own beside the build output.
    scratch: PathBuf,
    figures: figures::Figures,
}

type Outcome = Result<bool, Box<dyn std::error::Error>>;
type Bench = fn(&Setting) -> Outcome;

const BENCHES: [(&str, Bench); 14] = [
    ("sandbox", sandbox::bench),
    ("no-op", no_op::bench),
    ("command-line", command_line::bench),
    ("output", output::bench),
    ("concurrency", concurrency::bench),
    ("audit", audit::bench),
    ("approvals", approvals::bench),
    ("mcp", mcp::bench),
    ("tasks", tasks::bench),
    ("shells", shells::bench),
    ("violations", violations::bench),
    ("bubblewrap", bubblewrap::bench),
    ("scripts", scripts::bench),
    ("work", work::bench),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    bashful_engine::init();
    if audit::is_writer()? {
        return Ok(());
    }
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let bashful = path(&mut arguments, "--bashful").ok_or("--bashful PATH is missing")?;
    let figures = path(&mut arguments, "--figures").ok_or("--figures PATH is missing")?;
    let hand_over = path(&mut arguments, "--hand-over");
    let quick = flag(&mut arguments, "--quick");
    table::QUICK.store(quick, std::sync::atomic::Ordering::Relaxed);
    let setting = Setting {
        bashful,
        scratch: new_scratch()?,
        figures: figures::Figures::read(&figures, hand_over.as_deref())?,
    };
    let known = BENCHES.map(|(name, _)| name);
    if let Some(unknown) = arguments
        .iter()
        .find(|name| !known.contains(&name.as_str()))
    {
        return Err(format!(
            "no bench is called `{unknown}`; there are {}",
            known.join(", ")
        )
        .into());
    }
    let mut met = true;
    for (name, bench) in BENCHES {
        if arguments.is_empty() || arguments.iter().any(|argument| argument == name) {
            met &= bench(&setting)?;
        }
    }
    setting.figures.summary()?;
    println!(
        "{}",
        if met {
            "All bars are met."
        } else {
            "Some bars are NOT met, see above."
        }
    );
    Ok(())
}

/// Takes a flag out of the arguments; whether it was there.
fn flag(arguments: &mut Vec<String>, flag: &str) -> bool {
    let before = arguments.len();
    arguments.retain(|argument| argument != flag);
    arguments.len() < before
}

/// Takes a flag and the path behind it out of the arguments.
fn path(arguments: &mut Vec<String>, flag: &str) -> Option<PathBuf> {
    let position = arguments.iter().position(|argument| argument == flag)?;
    arguments.remove(position);
    (position < arguments.len()).then(|| PathBuf::from(arguments.remove(position)))
}

/// Names where to work: a variable, as it was an option of no earlier bench.
const SCRATCH: &str = "BASHFUL_BENCH_SCRATCH";

/// The longest path of a socket, and what a bench and a name add at most to the scratch directory.
const LONGEST_SOCKET: usize = 107;
const LONGEST_BELOW: usize = 64;

/// A new directory in the one that we are given.
fn new_scratch() -> Result<PathBuf, String> {
    let given = std::env::var_os(SCRATCH).ok_or(format!("{SCRATCH} is not set"))?;
    let scratch = Path::new(&given).join(std::process::id().to_string());
    if scratch.as_os_str().len() + LONGEST_BELOW > LONGEST_SOCKET {
        let most = LONGEST_SOCKET - LONGEST_BELOW;
        let scratch = scratch.display();
        return Err(format!(
            "the sockets below `{scratch}` would have too long a path: it may have {most} bytes"
        ));
    }
    let failed = |error| format!("cannot create `{}`: {error}", scratch.display());
    std::fs::create_dir_all(&scratch).map_err(failed)?;
    Ok(scratch)
}
