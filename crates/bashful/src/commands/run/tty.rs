//! A run at whose terminal a person sits.

use std::time::{Duration, Instant};

use bashful_engine::{Engine, EngineError, LONGEST_START, Run};

use super::{Ended, Show, finish};
use crate::commands::attach::{self, Left};
use crate::exit::Exit;

/// How long after the end of its output the keeper may take to say how it ended.
const ENDING: Duration = Duration::from_secs(30);

/// Sits the person down; one who leaves by the key leaves it running.
pub(super) fn sit_down(run: Run, engine: &Engine, show: &Show<'_>) -> anyhow::Result<Ended> {
    if !run.has_started(Instant::now() + LONGEST_START)? {
        return Err(EngineError::KeeperGone.into());
    }
    let task = engine.task(run.id())?;
    let ended = |exit| Ended {
        exit,
        json: None,
        ask: None,
    };
    let left = attach::sit_down(&task, show.interrupts, show.printer)?;
    if left == Left::Leaving {
        run.detach();
        attach::say_left(&task, show.printer);
        return Ok(ended(Exit::Success));
    }
    if left == Left::Interrupted {
        run.cancel();
    }
    match run.wait_until(Some(Instant::now() + ENDING)) {
        Ok(result) => {
            let result = result?;
            finish::remarks(&result, show.printer);
            Ok(ended(Exit::of(&result)))
        }
        Err(_) => Err(EngineError::KeeperGone.into()),
    }
}
