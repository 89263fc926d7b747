//! Changing the workspace from one room while another is being built over it.

use std::time::{Duration, Instant};

use bashful_sandbox::{Profile, Reporting, WriteMode, WriteRoot};

use crate::case::{Act, Case, Control};
use crate::owner::Owner;
use crate::process::{Ground, Helper, perform};
use crate::room;
use crate::scene::Scene;

const CLASS: &str = "races";

/// This many rooms are to be built against the swapping, in this much time at most.
const ROOMS: usize = 12;
const PATIENCE: Duration = Duration::from_secs(12);

/// Swaps a directory for a link to the host, and back, until it is told to stop.
const SWAP: &str = r#"
    import select
    os.symlink(E["HOST"], W + "/evil")
    print("ready", flush=True)
    swapped, evil = text(W + "/" + E["SWAPPED"]), text(W + "/evil")
    while not select.select([sys.stdin], [], [], 0)[0]:
        for _ in range(100):
            try: call("renameat2", -100, swapped, -100, evil, 2)
            except OSError: pass
            os.sched_yield()"#;

const NO_CONTROL: Control = Control::Never("without a sandbox there is nothing to be built");

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::python(
            CLASS,
            "write_root_swapped",
            r#"
            write(W + "/plain/planted", flags=O_WRONLY | os.O_CREAT)
            blocked("landed where it belongs")"#,
        )
        .control(NO_CONTROL)
        .attack(|case, owner| race(case, owner, Grant::Write)),
        Case::python(
            CLASS,
            "read_root_swapped",
            r#"
            try: found = E["SECRET"].encode() in read(W + "/plain/file")
            except OSError: found = False
            if not found: blocked("no secret")"#,
        )
        .control(NO_CONTROL)
        .attack(|case, owner| race(case, owner, Grant::Read)),
        Case::python(
            CLASS,
            "hidden_path_swapped",
            r#"
            # What is mounted over must not be something of the host.
            try: found = E["SECRET"].encode() in read(W + "/plain/file")
            except OSError: found = False
            if not found: blocked("no secret")"#,
        )
        .control(NO_CONTROL)
        .attack(|case, owner| race(case, owner, Grant::Hide)),
        Case::python(
            CLASS,
            "protected_path_swapped",
            r#"
            try: found = E["SECRET"].encode() in read(W + "/.vscode/tasks.json")
            except OSError: found = False
            if not found: blocked("no secret")"#,
        )
        .control(NO_CONTROL)
        .attack(|case, owner| race(case, owner, Grant::Protected)),
    ]
}

/// How the second room comes by the directory that is being swapped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grant {
    Write,
    Read,
    Hide,
    /// Not by its profile: there is a protected name in it.
    Protected,
}

fn race(case: &Case, owner: Owner, grant: Grant) -> Result<String, String> {
    let mut scene = Scene::new(owner);
    let name = match grant {
        Grant::Protected => ".vscode",
        Grant::Write | Grant::Read | Grant::Hide => "plain",
    };
    let swapped = scene.workspace.join(name);
    scene.tell("SWAPPED", name);
    scene.file(&scene.host.join("tasks.json"), &scene.secret);
    scene.set();
    // What is protected appears after the first room was made, which can move it hence.
    // No thread attends to it while others are built.
    let mut first = room::open(&Profile {
        reporting: Reporting::Limits,
        links: Vec::new(),
        git_obeys: Vec::new(),
        ..scene.profile()
    })?;
    scene.file(&swapped.join("tasks.json"), "{}");
    scene.set();
    let helper = Helper::start(Act::Python(SWAP), &mut scene, &mut Ground::Room(&mut first))?;
    let mut profile = scene.profile();
    match grant {
        Grant::Write => {
            profile.write = vec![WriteRoot {
                path: swapped,
                mode: WriteMode::Direct,
                protect: true,
            }];
        }
        Grant::Read => {
            profile.write.clear();
            profile.read.push(swapped);
        }
        Grant::Hide => profile.hide.push(swapped),
        Grant::Protected => {}
    }
    let outcome = build_and_act(case, &mut scene, &profile);
    helper.kill()?;
    outcome
}

/// Builds one room after the other and acts in each. None of them may lead to the host.
fn build_and_act(case: &Case, scene: &mut Scene, profile: &Profile) -> Result<String, String> {
    let until = Instant::now() + PATIENCE;
    let (mut built, mut last) = (0, String::new());
    while built < ROOMS && Instant::now() < until {
        // A room that is not built is one that no act escapes from.
        let attempt = room::open(profile)
            .and_then(|mut room| perform(case.act, scene, &mut Ground::Room(&mut room)));
        let ended = match attempt {
            Ok(ended) => ended,
            Err(error) => {
                last = error;
                continue;
            }
        };
        built += 1;
        let felt = scene.felt();
        if !felt.is_empty() || ended.output.contains("reached:") {
            return Err(format!(
                "ESCAPED, the host felt: {}; {ended:?}",
                felt.join("; ")
            ));
        }
    }
    if built == 0 {
        return Err(format!("no room could be built: {last}"));
    }
    Ok("every time".to_owned())
}
