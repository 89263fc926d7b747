//! Work and not only starts: the same jobs plain, in a room, and in a room without a listener.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use bashful_engine::{Engine, Invocation, Places, Reporting};

use crate::table::{print_ratios, ratio, timed_in_turns, took};
use crate::workloads::{Workload, workloads};
use crate::{Outcome, Setting};

/// What both sides search for programs.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

pub(crate) fn bench(setting: &Setting) -> Outcome {
    let root = setting.scratch.join("work");
    let mut met = true;
    for workload in workloads(&root)? {
        met &= measure(setting, &workload)?;
    }
    Ok(met)
}

fn measure(setting: &Setting, workload: &Workload) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let environment = [("PATH", PATH), ("HOME", "/nonexistent")];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
    // A workspace for each job, and an engine for each kind of run: a keeper makes ready what was
    // wanted last.
    let engine = || {
        Engine::builder()
            .workspace(&workload.directory)
            .places(Places::under(&setting.scratch))
            .environment(environment.clone().into())
            .build()
    };
    let engines = (engine()?, engine()?);
    let in_room = |engine: &Engine, reporting: Reporting| -> Duration {
        let place = workload.place();
        took(&mut || {
            let invocation = Invocation::bash(workload.text).cwd(&place);
            let result = runtime.block_on(engine.run(invocation.reporting(reporting)));
            let done = result.as_ref().is_ok_and(|result| result.success);
            assert!(done, "{}: {result:?}", workload.text);
        })
    };
    let mut plain = || {
        let place = workload.place();
        took(&mut || spawn(workload.text, &place))
    };
    let mut room = || in_room(&engines.0, Reporting::Usual);
    let mut silent = || in_room(&engines.1, Reporting::Limits);
    let contestants: &mut [&mut dyn FnMut() -> Duration] =
        &mut [&mut plain, &mut room, &mut silent];
    let times = timed_in_turns(workload.rounds, contestants);
    let names = ["plain", "in a room", "in a room, without a listener"];
    print_ratios(workload.title, &names, &times, &[None; 3]);
    println!();
    let figures = &setting.figures;
    let mut met = figures.tell(workload.figure, ratio(&times[1], &times[0], 0.5))?;
    if let Some(figure) = workload.of_silence {
        met &= figures.tell(figure, ratio(&times[1], &times[2], 0.5))?;
    }
    Ok(met)
}

fn spawn(text: &str, place: &PathBuf) {
    #[expect(clippy::disallowed_methods, reason = "the plain thing to compare with")]
    let mut command = Command::new("bash");
    command
        .args(["--noprofile", "--norc", "-c", text])
        .current_dir(place)
        .env("PATH", PATH)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let status = command.status();
    assert!(status.is_ok_and(|status| status.success()), "{text}");
}
