//! A command in a shell that lasts against the same command as a plain run in the live room.

use bashful_engine::{Engine, Invocation, Places};

use crate::table::{in_turns, print_ratios, ratio, require};
use crate::{Outcome, Setting};

const ROUNDS: usize = 300;

/// What a shell remembers after an hour of work.
const USED: &str = "export CI=1 VERBOSE=yes; root=$PWD; files=(a b c d e f); \
    t() { cargo test \"$@\"; }; say() { printf '%s\\n' \"$@\"; }; set -o pipefail; shopt -s nullglob";

pub(crate) fn bench(setting: &Setting) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let engine = Engine::builder()
        .workspace(&setting.scratch)
        .places(Places::under(&setting.scratch))
        .build()?;
    let run = |command: &str, shell: Option<&str>| {
        let mut invocation = Invocation::bash(command);
        if let Some(shell) = shell {
            invocation = invocation.shell(shell);
        }
        let result = runtime.block_on(engine.run(invocation));
        assert!(result.is_ok_and(|result| result.success), "{command}");
    };
    run(USED, Some("used"));
    let times = in_turns(
        ROUNDS,
        &mut [
            &mut || run("true", None),
            &mut || run("true", Some("new")),
            &mut || run("true", Some("used")),
            &mut || run("ls >/dev/null; ls >/dev/null", None),
            &mut || run("ls >/dev/null; ls >/dev/null", Some("used")),
        ],
    );
    let names = [
        "`true`, a plain run",
        "`true` in a new shell",
        "`true` in a used shell",
        "two programs, a plain run",
        "two programs in a used shell",
    ];
    print_ratios(
        "A command in a shell that lasts",
        &names,
        &times,
        &[None; 5],
    );
    println!();
    let mut met = true;
    met &= require("a new shell", ratio(&times[1], &times[0], 0.5), 1.4);
    let used = ratio(&times[2], &times[0], 0.5);
    met &= setting.figures.tell("shell-call", used)?;
    met &= require("programs in a shell", ratio(&times[4], &times[3], 0.5), 1.4);
    Ok(met)
}
