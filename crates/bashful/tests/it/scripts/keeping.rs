//! What may be kept and taken away: names, first lines, odd files, and what others depend on.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;

use bashful_engine::{Engine, Places};
use insta::assert_snapshot;
use serde_json::json;

use crate::support::{World, eventually};

#[test]
fn a_script_that_an_automation_uses_is_deleted_by_force_only() {
    let world = World::new();
    world.keeps("a", "echo one\n", &[]);
    let variables = [
        ("HOME", "home"),
        ("XDG_STATE_HOME", "state"),
        ("XDG_CONFIG_HOME", "config"),
    ];
    let mut environment = BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]);
    for (name, place) in variables {
        let place = world.path(place).display().to_string();
        environment.insert(name.to_owned(), place);
    }
    let places = Places::from_environment(|name| environment.get(name).cloned()).unwrap();
    let engine = Engine::builder().places(places).environment(environment);
    let engine = engine.workspace(world.workspace()).build().unwrap();
    let used = engine
        .scripts()
        .set_automations("a", &["nightly".to_owned()]);
    assert_eq!(used.unwrap().script.automation_ids, ["nightly"]);
    let shown = world.scripts(&["show", "a"]);
    assert!(shown.stdout.contains("nightly"), "{shown:?}");
    assert_snapshot!(world.screen(&["scripts", "delete", "a"]), @"
    exit code 2
    ----- stderr -----
    bashful: error: the script `a` is used by nightly
    bashful: hint: `--force` deletes it anyway; `restore` brings it back
    ");
    let (code, told) = world.scripts(&["delete", "a", "--json"]).json();
    assert_eq!(
        (code, &told["error"]["kind"]),
        (2, &json!("in_use")),
        "{told}"
    );
    world.told(&["delete", "a", "--force"]);
    let restored = world.told(&["restore", "a"]);
    assert_eq!(
        restored["script"]["automation_ids"],
        json!(["nightly"]),
        "{restored}"
    );
}

#[test]
fn a_name_that_looks_like_another_is_taken() {
    let world = World::new();
    world.keeps("Backup", "echo one\n", &[]);
    let names = [
        "backup",
        "BACKUP",
        "Backup",
        "a\u{3164}",
        "a\u{2800}",
        "\u{115f}",
    ];
    let refused =
        names.map(|name| world.scripts_with(&["create", "--name", name, "-"], "echo two\n"));
    assert_snapshot!(world.complaints(&refused), @r"
    2  bashful: error: there is another script `Backup`
    2  bashful: error: there is another script `Backup`
    2  bashful: error: there is another script `Backup`
    2  bashful: error: `a\u{3164}` cannot be the name of a script: it has characters that cannot be seen
    2  bashful: error: `a\u{2800}` cannot be the name of a script: it has characters that cannot be seen
    2  bashful: error: `\u{115f}` cannot be the name of a script: it has characters that cannot be seen
    ");
    // The same script may be spelled otherwise.
    world.told(&["rename", "Backup", "backup"]);
}

#[test]
fn what_is_not_for_bash_is_refused() {
    let world = World::new();
    let python = "#!/usr/bin/env python3\nimport os\n";
    let long = "#".repeat(1_100_000);
    let texts = [python, "\u{feff}echo hi\n", &long];
    let refused = texts.map(|text| world.scripts_with(&["create", "--name", "a", "-"], text));
    assert_snapshot!(world.complaints(&refused), @"
    2  bashful: error: the script is for `python3`, and scripts are run by bash
    2  bashful: error: the script begins with a byte order mark, which bash cannot read: save it without one
    2  bashful: error: the script is longer than 1048576 bytes, which is the limit
    ");
    let looked = world.scripts_with(&["validate", "--file", "-"], python);
    assert_snapshot!(world.as_screen(&looked), @"
    exit code 1
    ----- stdout -----
    ╭─ ✗ It cannot be used like this
    │ Found        │ error: the script is for `python3`, and scripts are run by
    │              │ bash (bashful unfit)
    │              │ nothing else was checked, because it cannot be read
    ├─ It declares
    │ May read     │ the system only
    │ May write    │ its own scratch only
    │ Network      │ off
    │ May run      │ any program it sees
    ╰───────────────────────────────────────
    ");
    let looked = world.scripts_with(&["validate", "--file", "-"], "\u{feff}echo hi\n");
    assert_snapshot!(world.as_screen(&looked), @"
    exit code 1
    ----- stdout -----
    ╭─ ✗ It cannot be used like this
    │ Found        │ error: the script begins with a byte order mark, which bash
    │              │ cannot read: save it without one (bashful unfit)
    │              │ nothing else was checked, because it cannot be read
    ├─ It declares
    │ May read     │ the system only
    │ May write    │ its own scratch only
    │ Network      │ off
    │ May run      │ any program it sees
    ╰───────────────────────────────────────
    ");
    world.write("plain.sh", "echo hi\n");
    assert_snapshot!(world.screen(&["scripts", "import", "plain.sh"]), @"
    exit code 2
    ----- stderr -----
    bashful: error: cannot use `plain.sh`: it is not an exported script: expected value at line 1 column 1; to make a script from a plain file, use `bashful scripts create --name NAME FILE`
    ");
}

#[test]
fn one_odd_file_does_not_take_the_list_away() {
    let world = World::new();
    let odd = world.keeps("odd", "echo one\n", &[]);
    world.keeps("well", "echo two\n", &[]);
    let file = world.script_file(&odd);
    fs::remove_file(&file).unwrap();
    // A path that is short enough for a socket.
    let short = tempfile::Builder::new()
        .prefix("bf")
        .tempdir_in("/tmp")
        .unwrap();
    let socket = short.path().join("s");
    let _listener = UnixListener::bind(&socket).unwrap();
    fs::rename(&socket, &file).unwrap();
    let told = world.told(&["list"]);
    let states = [0, 1].map(|at| told["scripts"][at]["file"]["state"].clone());
    assert_eq!(json!(states), json!(["not_ours", "as_kept"]), "{told}");
    fs::remove_file(&file).unwrap();
    fs::write(&file, "echo one\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    assert_eq!(
        world.told(&["list"])["scripts"].as_array().unwrap().len(),
        2
    );
}

#[test]
fn a_folder_below_one_that_everybody_writes_is_refused() {
    let world = World::new();
    world.keeps("a", "echo one\n", &[]);
    let config = world.path("config");
    fs::set_permissions(&config, fs::Permissions::from_mode(0o777)).unwrap();
    let refused = world.scripts(&["show", "a"]);
    assert_eq!(refused.code, 125, "{refused:?}");
    assert!(
        refused.stderr.contains("every user can write to it"),
        "{refused:?}"
    );
    // A relative place is none, so the usual one counts.
    let mut command = world.bashful(&["scripts", "list"]);
    command.env("XDG_CONFIG_HOME", "config");
    let outcome = crate::support::Running::start(command).end().outcome();
    assert_eq!(outcome.code, 0, "{outcome:?}");
}

#[test]
fn no_value_is_on_record() {
    let world = World::new();
    world.keeps_approved("a", "echo \"$N\"\n", &["--variable", "N:number"]);
    let refused = world.scripts(&["run", "a", "--var", "N=SECRETNUM"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    let told = world.call(&["audit", "list", "--json"]);
    assert!(
        told.stdout.contains("not run: the variable `N`"),
        "{told:?}"
    );
    assert!(!told.stdout.contains("SECRETNUM"), "{told:?}");
}

#[test]
fn a_model_deletes_only_its_own() {
    let world = World::new();
    let call = |name: &str| {
        let arguments = json!({ "script_name": name }).to_string();
        world.call(&["tools", "call", "script_delete", &arguments])
    };
    let create = |name: &str| {
        let arguments = json!({ "name": name, "content": "echo one\n" }).to_string();
        let outcome = world.call(&["tools", "call", "script_create", &arguments]);
        assert_eq!(outcome.code, 0, "{outcome:?}");
    };
    world.keeps("mine", "echo one\n", &[]);
    create("approved");
    world.told(&["approve", "approved", "--yes"]);
    create("its");
    let refused = call("mine");
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(
        refused.stderr.contains("bashful scripts delete"),
        "{refused:?}"
    );
    world.told(&["delete", "mine"]);
    for name in ["its", "approved"] {
        let deleted = call(name);
        assert_eq!(deleted.code, 0, "{deleted:?}");
        world.told(&["restore", name]);
        // A yes does not come back with it.
        assert_eq!(world.scripts(&["run", name]).code, 121);
    }
}

#[test]
fn the_end_of_a_run_whose_client_was_killed_is_told() {
    let world = World::new();
    world.keeps_approved("a", "sleep 60\n", &[]);
    let client = crate::support::Running::start(world.bashful(&["scripts", "run", "a"]));
    let last = || world.told(&["show", "a"])["script"]["last_run"].clone();
    assert!(eventually(|| last()["task_id"].is_string()));
    client.signal(rustix::process::Signal::KILL);
    drop(client);
    assert!(eventually(|| last()["status"].is_string()), "{}", last());
    let shown = world.scripts(&["show", "a"]);
    assert!(!shown.stdout.contains("not recorded"), "{shown:?}");
}
