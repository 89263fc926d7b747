//! Bashful inside a program of your own: run a command, hear of it as it happens.
//!
//! ```text
//! cargo run -p bashful-engine --example embed -- 'for i in 1 2 3; do echo $i; sleep 1; done'
//! ```
//!
//! The program is its own keeper, because `main` begins with `init()`: nothing else
//! has to be installed. What it keeps on disk goes to a directory that is removed
//! at the end; leave `places` out to use the usual one.

#![expect(clippy::print_stdout, reason = "an example prints")]

use bashful_engine::{Engine, Event, Invocation, Places, Started, Timeout};
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // First of all: when this program is started as a keeper, this never returns.
    bashful_engine::init();

    let usual = "echo hello from $PWD; echo to stderr >&2; exit 3";
    let command = std::env::args().nth(1).unwrap_or_else(|| usual.to_owned());

    let directory = tempfile::tempdir()?;
    let engine = Engine::builder()
        .agent("embed")
        .workspace(directory.path())
        .places(Places::under(directory.path()))
        .build()?;
    let invocation = Invocation::bash(command)
        .description("what the example was asked to run")
        .warn_after(Duration::from_secs(5))
        .timeout(Timeout::After(Duration::from_secs(60)));

    // Any executor will do; this one needs no threads of its own.
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(async {
        let run = match engine.start(invocation)? {
            Started::Running(run) => run,
            // Blocked commands are a result, not an error: nothing has run.
            Started::NotAllowed(result) => {
                println!("not allowed: {:?}", result.decision);
                return Ok(());
            }
        };
        let mut events = run.events();
        while let Some(event) = events.next().await {
            match event {
                Event::Started { task_id, pid } => println!("started {task_id} as process {pid}"),
                Event::Output { stream, bytes, .. } => {
                    print!("{stream:?}: {}", String::from_utf8_lossy(&bytes));
                }
                Event::Gap { bytes, .. } => println!("skipped {bytes} bytes, see the log"),
                Event::SoftTimeout { elapsed } => println!("still running after {elapsed:?}"),
                Event::Survivors(left) => println!("it left {} processes behind", left.len()),
                Event::Finished(result) => {
                    let result = (*result)?;
                    println!("{:?} after {:?}", result.status, result.duration);
                }
                _ => {}
            }
        }
        Ok(())
    })
}
