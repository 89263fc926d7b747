//! `bashful run true` against `bash -c true`.

use std::process::{Command, ExitStatus, Stdio};

use crate::table::{in_turns, print_ratios, ratio};
use crate::{Outcome, Setting};

const ROUNDS: usize = 300;

/// Whether an executable begins at a front; one of an older commit does not.
fn has_front(setting: &Setting) -> bool {
    let name = b"__bashful-resident";
    let program = std::fs::read(&setting.bashful).unwrap_or_default();
    program.windows(name.len()).any(|part| part == name)
}

pub(crate) fn bench(setting: &Setting) -> Outcome {
    let scratch = setting.scratch.as_path();
    let call = |program: &str, arguments: &[&str], alone: &str| {
        #[expect(
            clippy::disallowed_methods,
            reason = "the outside of the command line is measured"
        )]
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(scratch)
            .env("XDG_STATE_HOME", scratch.join("state"))
            .env("XDG_CACHE_HOME", scratch.join("cache"))
            .env("BASHFUL_ALONE", alone)
            .env_remove("BASHFUL_SESSION")
            .env_remove("XDG_RUNTIME_DIR")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let status = command.status();
        let succeeded = status.as_ref().is_ok_and(ExitStatus::success);
        assert!(succeeded, "{command:?} ended with {status:?}");
    };
    let run = |program: &str, arguments: &[&str]| call(program, arguments, "1");
    // A call in a session that was used before is handed to a resident engine. One of older
    // commits, which know of none, is not.
    let in_session = |bashful: &str, sandbox: &str| {
        let arguments = ["run", "--sandbox", sandbox, "--session", sandbox, "true"];
        call(bashful, &arguments, "");
    };
    let wrapped = crate::sandbox::bubblewrap(scratch, &["bash", "-c", "true"]);
    let wrapped: Vec<&str> = wrapped.iter().map(String::as_str).collect();
    let bashful = setting
        .bashful
        .to_str()
        .ok_or("the path of bashful is not UTF-8")?;
    let times = in_turns(
        ROUNDS,
        &mut [
            &mut || run("bash", &["-c", "true"]),
            &mut || run(bashful, &["run", "--sandbox", "none", "true"]),
            &mut || in_session(bashful, "none"),
            &mut || run("bwrap", &wrapped),
            &mut || run(bashful, &["run", "true"]),
            &mut || in_session(bashful, "native"),
        ],
    );
    let resident = scratch.join("state/bashful/run/resident.sock");
    if cfg!(target_arch = "x86_64") && has_front(setting) && !resident.exists() {
        return Err("no resident engine was there: the live room was measured without it".into());
    }
    let names = [
        "bash -c true",
        "no sandbox, its keeper started for it",
        "no sandbox, its keeper already up",
        "bwrap with typical flags",
        "sandbox, its keeper and room made for it",
        "sandbox, its room already there",
    ];
    let bars = [None, Some(2.5), Some(2.0), None, None, None];
    let met = print_ratios("The command line, end to end", &names, &times, &bars);
    println!();
    let of_bubblewrap = |index: usize| ratio(&times[index], &times[3], 0.5);
    let live = setting
        .figures
        .tell("command-line-live", of_bubblewrap(5))?;
    let cold = setting
        .figures
        .tell("command-line-cold", of_bubblewrap(4))?;
    Ok(met && live && cold)
}
