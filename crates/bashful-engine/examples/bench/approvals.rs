//! What asking and granting cost: the release of a run that waits, and runs that lean on a grant.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bashful_engine::approvals::{
    Answer, AnsweredBy, ApprovalQueue, Channel, GrantWish, Opening, Scope, SubjectWish, WhichAsks,
    version_of_policy,
};
use bashful_engine::config::{Config, Sandbox};
use bashful_engine::{Engine, Invocation, Places};

use crate::table::{in_turns, millis, print_ratios, ratio, require};
use crate::{Outcome, Setting};

const ROUNDS: usize = 200;
const RELEASES: usize = 40;

/// It is asked about, and does nothing.
const ASKED: &str = "true || git push origin main";
const ALLOWED: &str = "true || git status";

pub(crate) fn bench(setting: &Setting) -> Outcome {
    let paths = paths(setting)?;
    let released = releases(setting)?;
    Ok(paths && released)
}

/// Runs that are allowed, that lean on a lasting grant, and that use one up.
fn paths(setting: &Setting) -> Outcome {
    let root = setting.scratch.join("paths");
    std::fs::create_dir_all(&root)?;
    let places = Places::under(&root);
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let engine = |agent: &str| {
        Engine::builder()
            .sandbox(Sandbox::None)
            .workspace(&root)
            .places(places.clone())
            .agent(agent)
            .build()
    };
    let (plain, lasting, once) = (engine("plain")?, engine("lasting")?, engine("once")?);
    let desk = ApprovalQueue::open(&places)?;
    let witness = AnsweredBy::outside(Channel::Callback)?;
    let give = |agent: &str, scope: Scope| -> Result<(), Box<dyn std::error::Error>> {
        let wish = GrantWish {
            scope,
            subject: SubjectWish::Command(ASKED.to_owned()),
            opens: Opening::default(),
            agent: agent.to_owned(),
            session: None,
            workspace: root.clone(),
            policy: version_of_policy(&Config::default(), agent, None)?,
            expires: None,
        };
        desk.give(&wish, &witness)?;
        Ok(())
    };
    give("lasting", Scope::User)?;
    let run = |engine: &Engine, command: &str| {
        let result = runtime.block_on(engine.run(Invocation::bash(command)));
        assert!(result.is_ok_and(|result| result.success));
    };
    let bash = || {
        #[expect(clippy::disallowed_methods, reason = "the plain thing to compare with")]
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc", "-c", ALLOWED]);
        let status = command.stdin(Stdio::null()).status();
        assert!(status.is_ok_and(|status| status.success()));
    };
    let times = in_turns(
        ROUNDS,
        &mut [
            &mut || bash(),
            &mut || run(&plain, ALLOWED),
            &mut || run(&lasting, ASKED),
            // A person says yes, which is not part of the run.
            &mut || assert!(give("once", Scope::Call).is_ok()),
            &mut || run(&once, ASKED),
        ],
    );
    let names = [
        "bash -c",
        "allowed by the policy",
        "allowed by a lasting grant",
        "saying yes for one call",
        "allowed by a yes for one call",
    ];
    let mut met = print_ratios("What leaning on a grant costs", &names, &times, &[None; 5]);
    let of = |index: usize| ratio(&times[index], &times[0], 0.5);
    met &= require("a lasting grant adds", of(2) - of(1), 0.3);
    met &= setting.figures.tell("yes-adds", of(4) - of(1))?;
    Ok(met)
}

/// From an answer elsewhere to the end of the run that waited for it.
fn releases(setting: &Setting) -> Outcome {
    let root = setting.scratch.join("releases");
    std::fs::create_dir_all(&root)?;
    let mut places = Places::under(&root);
    places.state = root.join("bashful");
    let desk = ApprovalQueue::open(&places)?;
    let witness = AnsweredBy::outside(Channel::Callback)?;
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..RELEASES {
        let mut waiting = Waiting(waiting_run(setting, &root)?);
        let until = Instant::now() + Duration::from_secs(20);
        let id = loop {
            if let Some(ask) = desk.asks(WhichAsks::Pending)?.first() {
                break ask.id.clone();
            }
            if Instant::now() > until {
                return Err("nobody asked".into());
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        // It has to be waiting, not only about to.
        std::thread::sleep(Duration::from_millis(20));
        let answer = Answer::Allow {
            scope: Scope::Call,
            expires: None,
        };
        desk.answer(&id, &answer, &witness)?;
        let answered = Instant::now();
        if !waiting.0.wait()?.success() {
            return Err("the run that waited did not run".into());
        }
        times.push(answered.elapsed());
    }
    times.sort_unstable();
    let median = millis(times[times.len() / 2]);
    println!("\nAn ask that is answered elsewhere");
    Ok(require(
        "from the answer to the end of the run, ms",
        median,
        100.0,
    ))
}

fn waiting_run(
    setting: &Setting,
    root: &std::path::Path,
) -> Result<Child, Box<dyn std::error::Error>> {
    #[expect(clippy::disallowed_methods, reason = "the outside is measured")]
    let mut command = Command::new(&setting.bashful);
    command
        .args(["run", "--sandbox", "none", "--wait", "30s", ASKED])
        .current_dir(root)
        .env("XDG_STATE_HOME", root)
        .env("XDG_CACHE_HOME", root.join("cache"))
        .env_remove("BASHFUL_SESSION")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok(command.spawn()?)
}

/// A run that does not outlive the bench.
struct Waiting(Child);

impl Drop for Waiting {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
