//! Five hundred at once.

use std::time::{Duration, Instant};

use bashful_engine::config::Sandbox;
use bashful_engine::{Engine, Invocation, Places};

use crate::memory;
use crate::table::verdict;
use crate::{Outcome, Setting};

const COUNT: usize = 500;

pub(crate) fn bench(setting: &Setting) -> Outcome {
    let engine = Engine::builder()
        .sandbox(Sandbox::None)
        .workspace(&setting.scratch)
        .places(Places::under(&setting.scratch))
        .build()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let (elapsed, done, memory) = runtime.block_on(async {
        let begin = Instant::now();
        let runs: Vec<_> = (0..COUNT)
            .map(|number| {
                let engine = engine.clone();
                tokio::spawn(async move {
                    let result = engine
                        .run(Invocation::bash(format!("sleep 1; echo {number}")))
                        .await;
                    result.is_ok_and(|result| result.stdout == format!("{number}\n"))
                })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(900)).await;
        let memory = memory::ours();
        let mut done = 0;
        for run in runs {
            done += usize::from(run.await.unwrap_or(false));
        }
        (begin.elapsed(), done, memory)
    });
    println!("\n{COUNT} concurrent `sleep 1`");
    let mut met = true;
    let fast = verdict(
        Some(("≤ 4 s".to_owned(), elapsed <= Duration::from_secs(4))),
        &mut met,
    );
    let whole = verdict(Some(("all".to_owned(), done == COUNT)), &mut met);
    let lean = verdict(Some(("< 100 MiB".to_owned(), memory < 100 << 10)), &mut met);
    println!(
        "  all done after {:.2} s ({fast}); {done} complete ({whole}); our processes {} MiB ({lean})",
        elapsed.as_secs_f64(),
        memory >> 10
    );
    Ok(met)
}
