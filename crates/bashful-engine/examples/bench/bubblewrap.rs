//! The bubblewrap backend against `bwrap` with the same flags.

use std::rc::Rc;

use bashful_engine::config::Sandbox;
use bashful_engine::{Engine, Invocation, Places};
use bashful_sandbox::{Backend, Plan, Survey, Wrapped};
use rustix::process::{Pid, WaitOptions, waitpid};

use crate::table::{in_turns, print_ratios, ratio};
use crate::{Outcome, Setting};

const ROUNDS: usize = 300;
const SHELL: [&str; 5] = ["/usr/bin/bash", "--noprofile", "--norc", "-c", "true"];

pub(crate) fn bench(setting: &Setting) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let engine = Engine::builder()
        .workspace(&setting.scratch)
        .places(Places::under(&setting.scratch))
        .sandbox(Sandbox::By(Backend::Bubblewrap))
        .build()?;
    let mut ours = || {
        let result = runtime.block_on(engine.run(Invocation::bash("true")));
        assert!(result.is_ok_and(|result| result.success));
    };
    ours();
    // The plan that the keeper makes, in the words of the program.
    let room = engine.room_for(Invocation::bash("true"))?;
    let room = room.ok_or("a run without a sandbox")?;
    let survey = Survey::look(&room.profile, room.cache.as_deref(), room.backend)?;
    let plan = Rc::new(Plan::compile(&room.profile, &survey)?);
    let wrapped = Wrapped::open(&plan, &setting.scratch.join("plain"))?;
    let mut plain = || {
        let launch = wrapped.plain(&plan, &SHELL).ok();
        let pid = launch.and_then(|launch| launch.start().ok());
        let pid = pid.and_then(Pid::from_raw);
        let ended = waitpid(pid, WaitOptions::empty()).ok().flatten();
        let status = ended.and_then(|(_, status)| status.exit_status());
        assert!(pid.is_some() && status == Some(0));
    };
    let times = in_turns(ROUNDS, &mut [&mut plain, &mut ours]);
    let names = ["bwrap with the same flags", "Engine::run by bubblewrap"];
    print_ratios(
        "A no-op by the bubblewrap backend",
        &names,
        &times,
        &[None; 2],
    );
    println!();
    let of_plain = ratio(&times[1], &times[0], 0.5);
    setting.figures.tell("bubblewrap", of_plain)
}
