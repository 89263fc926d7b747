//! A no-op through the library against a plain spawn of the same bash.

use std::hint::black_box;

use bashful_engine::config::Sandbox;
use bashful_engine::{Engine, Invocation, Places};

use crate::table::{in_turns, print_ratios, ratio};
use crate::{Outcome, Setting};

const ROUNDS: usize = 400;
const HEAP: usize = 1 << 30;

pub(crate) fn bench(setting: &Setting) -> Outcome {
    let (small, ratio) = round(setting, "A no-op through the library")?;
    let kept = setting.figures.tell("no-sandbox", ratio)?;
    let mut heap = vec![0_u8; HEAP];
    for page in heap.chunks_mut(4096) {
        page[0] = 1;
    }
    let (large, _) = round(setting, "The same, the host having 1 GiB of touched heap")?;
    black_box(&heap);
    Ok(small && kept && large)
}

/// Whether it holds the bar of this bench, and its ratio to the plain thing.
fn round(setting: &Setting, title: &str) -> Result<(bool, f64), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let engine = Engine::builder()
        .sandbox(Sandbox::None)
        .workspace(&setting.scratch)
        .places(Places::under(&setting.scratch))
        .build()?;
    let mut plain = || {
        #[expect(clippy::disallowed_methods, reason = "the plain thing to compare with")]
        let mut command = std::process::Command::new("bash");
        command
            .args(["--noprofile", "--norc", "-c", "true"])
            .stdin(std::process::Stdio::null());
        let status = command.status();
        assert!(status.is_ok_and(|status| status.success()));
    };
    let mut ours = || {
        let result = runtime.block_on(engine.run(Invocation::bash("true")));
        assert!(result.is_ok_and(|result| result.success));
    };
    let times = in_turns(ROUNDS, &mut [&mut plain, &mut ours]);
    let names = ["posix_spawn and wait", "Engine::run"];
    let met = print_ratios(title, &names, &times, &[None, Some(1.3)]);
    Ok((met, ratio(&times[1], &times[0], 0.5)))
}
