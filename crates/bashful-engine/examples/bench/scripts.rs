//! An approved script against the same text as a plain run, and what binding its values costs.

use std::fmt::Write as _;
use std::hint::black_box;
use std::process::{Command, Stdio};

use bashful_engine::approvals::{AnsweredBy, Channel};
use bashful_engine::scripts::{
    BashRun, CreatedBy, MissingValues, NewScript, Seen, StartedScript, content_hash,
};
use bashful_engine::{Capabilities, Engine, Invocation, Places, Started};
use bashful_policy::{Missing, Value, read_template};

use crate::table::{Times, in_turns, millis, print_ratios, require};
use crate::{Outcome, Setting};

const ROUNDS: usize = 300;

pub(crate) fn bench(setting: &Setting) -> Outcome {
    let root = setting.scratch.join("scripts");
    let workspace = root.join("workspace");
    std::fs::create_dir_all(&workspace)?;
    let mut environment: std::collections::BTreeMap<_, _> = std::env::vars().collect();
    environment.insert("HOME".to_owned(), root.display().to_string());
    environment.remove("XDG_CONFIG_HOME");
    let engine = Engine::builder()
        .workspace(&workspace)
        .places(Places::under(&root))
        .environment(environment)
        .build()?;
    let scripts = engine.scripts();
    scripts.create(NewScript {
        name: "bench".parse()?,
        description: String::new(),
        content: b"true\n".to_vec(),
        capabilities: Capabilities {
            paths_write: vec![".".to_owned()],
            ..Capabilities::default()
        },
        variables: Vec::new(),
        created_by: CreatedBy::User,
    })?;
    scripts.approve(
        "bench",
        Seen::AsItIs,
        &AnsweredBy::outside(Channel::Callback)?,
    )?;
    let mut here = BashRun::of("bench");
    here.working_directory = Some(workspace.display().to_string());
    let scratch = BashRun::of("bench");
    let script = |action: &BashRun| {
        let started = scripts.start(action, MissingValues::Refuse);
        let ended = match started {
            Ok(StartedScript::Running(run)) => run.wait_here().ok(),
            _ => None,
        };
        assert!(ended.is_some_and(|result| result.success));
    };
    let mut plain = || {
        #[expect(clippy::disallowed_methods, reason = "the plain thing to compare with")]
        let status = Command::new("bash")
            .args(["--noprofile", "--norc", "-c", "true"])
            .stdin(Stdio::null())
            .status();
        assert!(status.is_ok_and(|status| status.success()));
    };
    let mut direct = || {
        let ended = match engine.start(Invocation::bash("true\n")) {
            Ok(Started::Running(run)) => run.wait_until(None).ok(),
            _ => None,
        };
        assert!(ended.is_some_and(|result| result.is_ok_and(|result| result.success)));
    };
    let times = in_turns(
        ROUNDS,
        &mut [
            &mut plain,
            &mut direct,
            &mut || {
                script(&here);
            },
            &mut || {
                script(&scratch);
            },
        ],
    );
    let names = [
        "plain `bash -c true`",
        "the text as a run",
        "the approved script, in the workspace",
        "the approved script, in scratch",
    ];
    print_ratios("An approved script", &names, &times, &[None; 4]);
    println!();
    let added = |own: &Times| {
        (own.at(0.5).as_secs_f64() - times[1].at(0.5).as_secs_f64())
            / times[0].at(0.5).as_secs_f64()
    };
    let mut met = setting.figures.tell("script-adds", added(&times[2]))?;
    println!("  in scratch: {:.2}", added(&times[3]));
    met &= binding()?;
    Ok(met)
}

/// Reading, hashing and binding 100 KiB with a hundred templates, on one thread.
fn binding() -> Outcome {
    let mut text = String::new();
    for number in 0..100 {
        writeln!(text, "printf '%s\\n' \"${{trigger.value_{number}}}\"")?;
    }
    while text.len() < 100 << 10 {
        text.push_str("if test -f \"$HOME/file\"; then echo \"a line of a script\"; fi\n");
    }
    let value = |_: &_| Some(Value::Text("it's a value".to_owned()));
    let mut bind = || {
        let hash = content_hash(text.as_bytes());
        let bound = read_template(&text).and_then(|read| read.bind(&value, Missing::Refuse));
        let text = bound.map(|bound| bound.text(&[]));
        assert!(text.is_ok());
        black_box((hash, text.ok()));
    };
    let times = in_turns(50, &mut [&mut bind]);
    let taken = millis(times[0].at(0.5));
    Ok(require(
        "milliseconds for 100 KiB and 100 values",
        taken,
        5.0,
    ))
}
