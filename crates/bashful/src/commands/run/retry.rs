//! `--retry-on-grant`: runs a command again after a yes to what was stopped.

use bashful_engine::{Engine, Invocation};

use super::{Ended, Show};

/// Every yes opens a little more; this is enough for all that one command needs.
const MOST_RETRIES: usize = 4;

/// Waits for the answer to what a run was stopped at and, on a yes, says so and runs it again.
pub(super) fn after_a_yes(
    show: &Show<'_>,
    engine: &Engine,
    mut ended: Ended,
    again: impl Fn() -> anyhow::Result<Option<Invocation>>,
) -> anyhow::Result<Ended> {
    for _ in 0..MOST_RETRIES {
        let Some(ask) = ended.ask.clone() else { break };
        let Some(invocation) = again()? else {
            show.printer.note(
                "note",
                "it cannot be run again automatically, because its input was already read",
            );
            break;
        };
        if !engine.wait_for_answer(&ask)? {
            break;
        }
        show.printer
            .note("note", "it was allowed, and runs again from the start");
        ended = show.start(engine, invocation, || {})?;
    }
    Ok(ended)
}
