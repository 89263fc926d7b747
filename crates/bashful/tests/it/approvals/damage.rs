//! Bad places for approvals: damaged, locked, full or shared state, and clocks that jump.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::geteuid;
use serde_json::{Value, json};

use super::{ask_about, asking, grants, made, on_a_terminal, pending};
use crate::support::{Outcome, Running, Terminal, World, binary, eventually, shifted};

/// `bashful` at another time, to its end.
fn at(world: &World, seconds: i64, arguments: &[&str]) -> Outcome {
    let mut command = world.bashful(arguments);
    shifted(world, &mut command, seconds);
    Running::start(command).end().outcome()
}

/// The same on a terminal.
fn person_at(world: &World, seconds: i64, arguments: &[&str]) -> (i32, String) {
    let mut command = world.program("true");
    shifted(world, &mut command, seconds);
    let variables = command.get_envs().filter_map(|(name, value)| {
        let (name, value) = (name.to_str()?, value?.to_str()?);
        let ours = ["LD_PRELOAD", "TEST_CLOCK_SHIFT"].contains(&name);
        ours.then(|| format!("{name}='{value}'"))
    });
    let set = variables.collect::<Vec<_>>().join(" ");
    let program = binary();
    let line = format!("{set} '{}' '{}'", program.display(), arguments.join("' '"));
    Terminal::line(world, &line).end()
}

const HOUR: i64 = 3600;

fn allow(world: &World, id: &str) {
    let (code, screen) = on_a_terminal(world, &["approvals", "allow", id]);
    assert_eq!(code, 0, "{screen}");
}

#[test]
fn an_answer_after_the_time_leaves_nothing() {
    let world = asking();
    let id = ask_about(&world, "touch made");
    let (code, screen) = person_at(&world, HOUR, &["approvals", "allow", &id]);
    assert_eq!(code, 1, "{screen}");
    assert!(screen.contains("expired"), "{screen}");
    assert_eq!((pending(&world), grants(&world)), (vec![], vec![]));
    let (code, answers) = world.call(&["approvals", "show", "--json", &id]).json();
    let found = json!([code, answers["ask"]["state"]["is"]]);
    assert_eq!(found, json!([0, "expired"]));
    // That it expired is on record.
    let listed = world.call(&["audit", "list", "--json", "--event", "answer"]);
    assert!(listed.stdout.contains("\"is\":\"expired\""), "{listed:?}");
    // The next one asks anew.
    assert_ne!(ask_about(&world, "touch made"), id);
}

#[test]
fn an_ask_that_ran_out_is_on_record_when_the_next_one_is_put() {
    let world = asking();
    let id = ask_about(&world, "touch made");
    let outcome = at(&world, HOUR, &["run", "--json", "touch made"]);
    assert_eq!(outcome.code, 121, "{outcome:?}");
    assert_ne!(outcome.json().1["approval"]["id"], *id);
    let listed = world.call(&["audit", "list", "--json", "--event", "answer"]);
    let answer: Value = serde_json::from_str(listed.stdout.trim()).unwrap();
    let found = json!([answer["ask"], answer["state"]["is"]]);
    assert_eq!(found, json!([id, "expired"]));
}

#[test]
fn an_id_that_could_be_two_is_none() {
    let world = asking();
    for name in ["one", "two"] {
        ask_about(&world, &format!("touch {name}"));
    }
    for verb in ["show", "allow", "deny"] {
        let (code, screen) = on_a_terminal(&world, &["approvals", verb, "ask-"]);
        assert_eq!(code, 2, "{screen}");
        assert!(screen.contains("is the beginning of 2 ids"), "{screen}");
    }
    assert_eq!(pending(&world).len(), 2);
}

#[test]
fn a_clock_that_jumps_back_revives_nothing() {
    let world = asking();
    let run = ["run", "--json", "touch made"];
    let add = [
        "grants",
        "add",
        "--exact",
        "touch made",
        "--scope",
        "project",
    ];
    let with_end = [&add[..], &["--expires", "1h"]].concat();
    assert_eq!(on_a_terminal(&world, &with_end).0, 0);
    // Before it was given and after its end it says nothing.
    assert_eq!(at(&world, -2 * HOUR, &run).code, 121);
    assert_eq!(at(&world, 2 * HOUR, &run).code, 121);
    assert_eq!(at(&world, 0, &run).code, 0);
    // What was used up or taken back stays so.
    let (code, screen) = on_a_terminal(&world, &["grants", "revoke", "--all"]);
    assert_eq!(code, 0, "{screen}");
    assert_eq!(on_a_terminal(&world, &[&add[..5], &["call"]].concat()).0, 0);
    assert_eq!(at(&world, 0, &run).code, 0);
    for seconds in [-2 * HOUR, -1, 0] {
        assert_eq!(at(&world, seconds, &run).code, 121, "{seconds}");
    }
    // One that is answered earlier than it was put is answered all the same, and once.
    let id = ask_about(&world, "touch other");
    assert_eq!(
        person_at(&world, -2 * HOUR, &["approvals", "allow", &id]).0,
        0
    );
    assert_eq!(
        person_at(&world, -2 * HOUR, &["approvals", "allow", &id]).0,
        1
    );
    let (code, verified) = world.call(&["audit", "verify", "--json"]).json();
    let found = json!([code, verified["verdict"]]);
    assert_eq!(found, json!([0, "consistent"]), "{verified}");
}

#[test]
fn a_damaged_database_takes_no_answers_and_is_mended() {
    let world = asking();
    let id = ask_about(&world, "touch made");
    let once = ask_about(&world, "touch once");
    allow(&world, &once);
    let database = world.state().join("bashful.db");
    let whole = fs::read(&database).unwrap();
    fs::write(&database, [&[0; 4096], &whole[4096..]].concat()).unwrap();
    for arguments in [
        &["approvals", "list"][..],
        &["approvals", "allow", &id],
        &["grants", "list"],
        &["run", "touch made"],
        // A person said yes to this one, but the engine cannot tell.
        &["run", "touch once"],
    ] {
        let (code, screen) = on_a_terminal(&world, arguments);
        assert_eq!(code, 125, "{arguments:?}: {screen}");
        assert!(screen.contains("is damaged"), "{arguments:?}: {screen}");
        assert!(
            screen.contains("doctor --repair"),
            "{arguments:?}: {screen}"
        );
    }
    // What needs no yes runs, and says why none was looked for.
    let (code, result) = world.json(&["true"]);
    assert_eq!(code, 0, "{result}");
    let reason = result["decision"]["reason"].as_str().unwrap();
    let told = "what was granted before cannot be read: the database";
    assert!(reason.contains(told), "{result}");
    let (code, result) = world.json(&["sudo true"]);
    let reason = result["decision"]["reason"].as_str().unwrap();
    assert!(code == 120 && reason.contains(told), "{result}");
    let (code, screen) = on_a_terminal(&world, &["doctor", "--repair"]);
    assert_eq!(code, 0, "{screen}");
    assert_eq!(world.json(&["touch once"]).0, 0);
    allow(&world, &id);
    assert_eq!(world.json(&["touch made"]).0, 0);
}

#[test]
fn with_a_damaged_trail_nothing_runs() {
    let world = asking();
    let id = ask_about(&world, "touch made");
    let trail = world.state().join("trail.jsonl");
    let whole = fs::read(&trail).unwrap();
    fs::write(&trail, [&whole[..], b"no record\n"].concat()).unwrap();
    for arguments in [
        &["run", "touch ran"][..],
        &["run", "true"],
        &["approvals", "allow", &id],
        &["grants", "add", "--exact", "touch made", "--scope", "call"],
    ] {
        let (code, screen) = on_a_terminal(&world, arguments);
        assert_eq!(code, 125, "{arguments:?}: {screen}");
        assert!(
            screen.contains("the audit trail"),
            "{arguments:?}: {screen}"
        );
        assert!(
            screen.contains("is damaged at record"),
            "{arguments:?}: {screen}"
        );
        assert!(screen.contains("trail.jsonl"), "{arguments:?}: {screen}");
        let way_out = "move the trail aside";
        assert!(screen.contains(way_out), "{arguments:?}: {screen}");
    }
    assert_eq!(grants(&world), [] as [Value; 0]);
    assert_eq!(pending(&world).len(), 1);
    // The way out: it is kept elsewhere, and the next record says that it is missing.
    fs::rename(&trail, world.state().join("trail.damaged")).unwrap();
    assert_eq!(world.json(&["true"]).0, 0);
    allow(&world, &id);
    assert_eq!(world.json(&["touch made"]).0, 0);
    let (_, verified) = world.call(&["audit", "verify", "--json"]).json();
    let text = verified.to_string();
    assert!(
        text.contains("cut") || text.contains("missing"),
        "{verified}"
    );
}

#[test]
fn on_a_full_disk_nothing_is_half_answered() {
    let world = asking();
    // The state lies on a disk of its own, in a mount namespace; `$1` is the executable.
    let script = "mount -t tmpfs -o size=1M none \"$STATE\" || exit 99
        \"$1\" run --json 'touch made' >asked
        id=$(grep -o 'ask-[0-9a-z]*' asked | head -1)
        head -c 2M /dev/zero >\"$STATE/fill\" 2>/dev/null
        script -qec \"'$1' approvals allow $id\" /dev/null >full; echo $? >codes
        script -qec \"'$1' grants add --exact 'touch made' --scope call\" /dev/null >>full; echo $? >>codes
        \"$1\" run 'touch other' 2>>full; echo $? >>codes
        \"$1\" run 'true' 2>>full; echo $? >>codes
        rm \"$STATE/fill\"
        \"$1\" grants list --all --json >grants
        script -qec \"'$1' approvals allow $id\" /dev/null >allowed; echo $? >>codes
        \"$1\" run 'touch made' >ran 2>&1; echo $? >>codes
        \"$1\" audit verify >verified 2>&1; echo $? >>codes";
    let mut command = world.program("unshare");
    if geteuid().is_root() {
        command.arg("-m");
    } else {
        command.args(["-U", "-r", "-m"]);
    }
    command.args(["bash", "-c", script, "bash"]).arg(binary());
    command.env("STATE", world.path("state"));
    let outcome = Running::start(command).end().outcome();
    let full = world.read("full");
    let codes = world.read("codes");
    let told = format!("{outcome:?} {full} {}", world.read("verified"));
    assert_eq!(codes, "125\n125\n125\n125\n0\n0\n0\n", "{told}");
    let reasons = ["the disk is full", "no space is left"];
    let count: usize = reasons
        .iter()
        .map(|reason| full.matches(reason).count())
        .sum();
    assert_eq!(count, 4, "{told}");
    assert_eq!(full.matches("free some space").count(), 4, "{told}");
    let left: Value = serde_json::from_str(&world.read("grants")).unwrap();
    assert_eq!(left["grants"], json!([]));
    assert!(made(&world, "made") && !made(&world, "other"));
}

/// All that a person can do with what is kept.
const VERBS: [&[&str]; 17] = [
    &["run", "touch made"],
    &["run", "true"],
    &["approvals", "list"],
    &["approvals", "show", "ask-1"],
    &["approvals", "allow", "ask-1"],
    &["approvals", "deny", "ask-1"],
    &["approvals", "watch"],
    &["grants", "list"],
    &["grants", "show", "grant-1"],
    &["grants", "add", "--exact", "touch made", "--scope", "call"],
    &["grants", "revoke", "--all"],
    &["grants", "clean"],
    &["audit", "list"],
    &["audit", "commands"],
    &["audit", "verify"],
    &["audit", "export"],
    &["doctor", "--repair"],
];

#[test]
fn a_state_directory_that_others_can_write_is_refused() {
    let world = asking();
    ask_about(&world, "touch made");
    for mode in [0o777, 0o720, 0o702] {
        fs::set_permissions(world.state(), fs::Permissions::from_mode(mode)).unwrap();
        for arguments in VERBS {
            let (code, screen) = on_a_terminal(&world, arguments);
            assert_eq!(code, 125, "{mode:o} {arguments:?}: {screen}");
            assert!(
                screen.contains("others can write"),
                "{arguments:?}: {screen}"
            );
        }
    }
    fs::set_permissions(world.state(), fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(world.json(&["true"]).0, 0);
    assert!(!made(&world, "made"));
    assert_eq!(pending(&world).len(), 1);
}

#[test]
fn a_state_directory_of_somebody_else_is_refused() {
    let world = asking();
    ask_about(&world, "touch made");
    let program = binary();
    let program = program.display();
    let state = world.state();
    for arguments in VERBS {
        let call = format!("'{program}' '{}'", arguments.join("' '"));
        let (code, screen) = if geteuid().is_root() {
            chown(&state, Some(12345), None).unwrap();
            let told = Terminal::line(&world, &call).end();
            chown(&state, Some(0), None).unwrap();
            told
        } else {
            // What belongs to root belongs to `nobody` in a user namespace of our own.
            let inner = format!("mount --bind /etc '{}' && {call}", state.display());
            world.write("inner.sh", inner);
            Terminal::line(&world, "unshare -U -r -m sh inner.sh").end()
        };
        assert_eq!(code, 125, "{arguments:?}: {screen}");
        let told = ["others can write", "another user"];
        let is_told = told.iter().any(|words| screen.contains(words));
        assert!(is_told, "{arguments:?}: {screen}");
    }
    assert!(!made(&world, "made"));
}

/// Another process that holds the whole database until this goes.
fn locked(world: &World) -> Running {
    let mut command = world.program("sqlite3");
    command.arg(world.state().join("bashful.db"));
    command.stdin(Stdio::piped());
    let mut holder = Running::start(command);
    holder.write(
        b"PRAGMA locking_mode = EXCLUSIVE;\nBEGIN EXCLUSIVE;\nSELECT count(*) FROM ask;\n\
          .shell touch held\n",
    );
    assert!(eventually(|| made(world, "held")));
    holder
}

#[test]
fn a_locked_database_harms_no_run_and_is_told_in_time() {
    let world = asking();
    let id = ask_about(&world, "touch once");
    let holder = locked(&world);
    // No grant was given yet, so the engine does not look.
    let began = Instant::now();
    assert_eq!(world.json(&["true"]).0, 0);
    assert!(
        began.elapsed() < Duration::from_secs(2),
        "{:?}",
        began.elapsed()
    );
    let refused = |arguments: &[&str]| {
        let began = Instant::now();
        let (code, screen) = on_a_terminal(&world, arguments);
        let took = began.elapsed();
        assert_eq!(code, 125, "{arguments:?}: {screen}");
        assert!(took < Duration::from_secs(3), "{arguments:?}: {took:?}");
        assert!(screen.contains("is locked by another process"), "{screen}");
        assert!(screen.contains("try again"), "{screen}");
    };
    refused(&["run", "touch made"]);
    refused(&["approvals", "allow", &id]);
    drop(holder);
    allow(&world, &id);
    fs::remove_file(world.workspace().join("held")).unwrap();
    let holder = locked(&world);
    let (code, result) = world.json(&["true"]);
    let reason = result["decision"]["reason"].as_str().unwrap();
    assert_eq!(code, 0, "{result}");
    assert!(reason.contains("is locked by another process"), "{result}");
    // A person said yes to this, but the engine cannot see it now.
    refused(&["run", "touch once"]);
    refused(&["run", "touch made"]);
    drop(holder);
    assert_eq!(world.json(&["touch once"]).0, 0);
    assert!(made(&world, "once") && !made(&world, "made"));
}
