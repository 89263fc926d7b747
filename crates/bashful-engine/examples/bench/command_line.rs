//! `bashful run true` against `bash -c true`.

use std::process::{Command, Stdio};

use crate::table::{in_turns, print_ratios};
use crate::{Outcome, Setting};

const ROUNDS: usize = 300;

pub(crate) fn bench(setting: &Setting) -> Outcome {
    let scratch = setting.scratch.as_path();
    let run = |program: &str, arguments: &[&str]| {
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
            .env_remove("BASHFUL_SESSION")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let status = command.status();
        assert!(status.is_ok_and(|status| status.success()));
    };
    let in_session = |bashful: &str| {
        let arguments = ["run", "--sandbox", "none", "--session", "bench", "true"];
        run(bashful, &arguments);
    };
    let bashful = setting
        .bashful
        .to_str()
        .ok_or("the path of bashful is not UTF-8")?;
    let times = in_turns(
        ROUNDS,
        &mut [
            &mut || run("bash", &["-c", "true"]),
            &mut || run(bashful, &["run", "--sandbox", "none", "true"]),
            &mut || in_session(bashful),
        ],
    );
    let names = [
        "bash -c true",
        "bashful run true, its keeper started for it",
        "bashful run true, its keeper already up",
    ];
    Ok(print_ratios(
        "The command line, end to end",
        &names,
        &times,
        &[None, Some(2.5), Some(2.0)],
    ))
}
