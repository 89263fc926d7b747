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
    let saves = flag(&mut arguments, "--save");
    let quick = flag(&mut arguments, "--quick");
    table::QUICK.store(quick, std::sync::atomic::Ordering::Relaxed);
    let setting = Setting {
        bashful,
        scratch: new_scratch()?,
        figures: figures::Figures::read(&figures)?,
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
    if saves {
        setting.figures.save()?;
    }
    if let Some(place) = hand_over {
        setting.figures.hand_over(&place)?;
    }
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

/// A new directory beside the build output, on a real disk. It stays until `cargo clean`: a
/// file system that has just deleted thousands of files makes new ones slowly (ext4 avoids
/// their inodes for some minutes), and so one bench would spoil the next.
fn new_scratch() -> std::io::Result<PathBuf> {
    let here = std::env::current_exe()?;
    let target = here.ancestors().nth(3).unwrap_or(Path::new("/tmp"));
    let scratch = target
        .join("bench-scratch")
        .join(std::process::id().to_string());
    std::fs::create_dir_all(&scratch)?;
    Ok(scratch)
}
