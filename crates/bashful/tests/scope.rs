//! A keeper in a scope of systemd: with a real one, which stops what started a task.
//!
//! It is booted in namespaces of its own, with all files but the world's read-only and none of
//! the host's units in sight; see `scope/inside.sh`. Only root can do that, and it is done apart
//! from all other tests: `cargo xtask soak --only scope`.

#![expect(
    clippy::disallowed_methods,
    reason = "tests start the executable from outside, not through the door it has"
)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests may fail the test and say why"
)]

#[expect(dead_code, reason = "this needs a part of it")]
#[path = "it/support/processes.rs"]
mod processes;
#[expect(dead_code, reason = "this needs a part of it")]
#[path = "it/support/records.rs"]
mod records;
#[expect(dead_code, reason = "this needs a part of it")]
#[path = "it/support/running.rs"]
mod running;
#[expect(dead_code, reason = "this needs a part of it")]
#[path = "it/support/world.rs"]
mod world;

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use running::Running;
use world::{PATH, World, binary};

const SCRIPTS: [(&str, &str); 4] = [
    ("boot.sh", include_str!("scope/boot.sh")),
    ("inside.sh", include_str!("scope/inside.sh")),
    ("driver.sh", include_str!("scope/driver.sh")),
    ("starter.sh", include_str!("scope/starter.sh")),
];

/// The finding of this name among what `bashful doctor --json` says is kept.
fn finding<'a>(told: &'a Value, name: &str) -> Option<&'a Value> {
    let kept = told["kept"].as_array().unwrap();
    kept.iter().find(|finding| finding["name"] == name)
}

#[test]
fn a_task_outlives_the_service_that_started_it() {
    assert!(
        rustix::process::geteuid().is_root(),
        "only root boots a systemd; an ordinary user's message is read by a real bus in \
         `a_real_bus_understands_the_order` of the keeper"
    );
    let world = World::unjudged();
    for (name, text) in SCRIPTS {
        fs::write(world.path(name), text).unwrap();
    }
    fs::copy(binary(), world.path("bashful")).unwrap();
    let here = world.path("");
    let here = here.to_str().unwrap().trim_end_matches('/');
    let environment = format!(
        "PATH={PATH}\nHOME={here}/home\nBASHFUL={here}/bashful\nXDG_STATE_HOME={here}/state\n\
         XDG_CACHE_HOME={here}/cache\nXDG_CONFIG_HOME={here}/config\nXDG_RUNTIME_DIR={here}/run\n"
    );
    fs::write(world.path("environment"), environment).unwrap();
    let mut boot = Command::new("bash");
    boot.arg(world.path("boot.sh"))
        .arg(here)
        .env_clear()
        .env("PATH", PATH);
    let booted = Running::start(boot).end().outcome();
    let told = fs::read_to_string(world.path("told")).unwrap_or_default();
    // The units that its keeper, guard and first processes are in, and the command.
    let expected = "\
        free keeper: bashful-keeper-N.scope\n\
        free run: bashful-keeper-N.scope\n\
        free after: bashful-keeper-N.scope\n\
        free end: \n\
        limited keeper: starter@limited.service\n\
        limited run: starter@limited.service\n\
        limited after: \n\
        limited end: \n\
        done\n";
    assert_eq!(told, expected, "{booted:?}");
    let read = |name: &str| -> Value {
        serde_json::from_slice(&fs::read(world.path(name)).unwrap()).unwrap()
    };
    let states = ["after-free", "end-free", "after-limited"].map(|name| {
        let task = &read(name)["task"];
        (task["state"].clone(), task["reason"].clone())
    });
    let stopped = (json!("finished"), json!("its keeper was told to end"));
    assert_eq!(
        states,
        [(json!("running"), Value::Null), stopped.clone(), stopped]
    );
    let doctor = read("doctor");
    let scope = finding(&doctor, "scope").unwrap();
    assert_eq!(scope["state"], "ok", "{scope}");
    assert!(scope["words"].as_str().unwrap().contains("of its own; it"));
    assert_eq!(finding(&doctor, "logout"), None);
}
