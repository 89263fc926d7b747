//! `bashful doctor`: what this host offers, tried and remembered.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::World;

fn doctor(world: &World, arguments: &[&str]) -> (i32, Value) {
    let whole = [&["doctor", "--json"], arguments].concat();
    world.call(&whole).json()
}

fn memory(world: &World) -> PathBuf {
    world.path("cache/bashful/doctor.json")
}

#[test]
fn this_host_is_well() {
    let world = World::new();
    let (code, told) = doctor(&world, &[]);
    assert_eq!(
        (code, &told["ok"], &told["v"]),
        (0, &json!(true), &json!(1)),
        "{told}"
    );
    let checks: Vec<(&str, &str)> = told["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| {
            let text = |key: &str| check[key].as_str().unwrap();
            (text("name"), text("state"))
        })
        .collect();
    let names = [
        "processes",
        "files",
        "system",
        "network",
        "identity",
        "tmp",
        "calls",
    ];
    assert_eq!(checks, names.map(|name| (name, "ok")));
    // The workspace of this world lies where the doctor's does.
    let (_, result) = world.json(&["true"]);
    assert_eq!(told["enforcement"], result["enforcement"]);
}

#[test]
fn nothing_is_left_but_the_memory() {
    let world = World::new();
    doctor(&world, &[]);
    let mut left: Vec<String> = fs::read_dir(world.path("cache/bashful"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    // A run here would have its home and its caches in the others.
    assert_eq!(left, ["doctor.json", "homes", "projects"]);
    let mode = fs::metadata(memory(&world)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(world.records(), Vec::<Value>::new());
}

#[test]
fn a_trial_is_remembered_until_asked_again() {
    let world = World::new();
    let remembered = |arguments: &[&str]| doctor(&world, arguments).1["remembered"].clone();
    assert_eq!(remembered(&[]), json!(false));
    assert_eq!(remembered(&[]), json!(true));
    assert_eq!(remembered(&["--again"]), json!(false));
    assert_eq!(remembered(&[]), json!(true));
    // All else is the same.
    let without = |arguments: &[&str]| {
        let (code, mut told) = doctor(&world, arguments);
        told["remembered"] = Value::Null;
        (code, told)
    };
    assert_eq!(without(&[]), without(&["--again"]));
}

#[test]
fn a_memory_that_is_not_right_is_ignored() {
    let world = World::new();
    doctor(&world, &[]);
    let good = fs::read_to_string(memory(&world)).unwrap();
    let changed = |pointer: &str, value: Value| {
        let mut record: Value = serde_json::from_str(&good).unwrap();
        *record.pointer_mut(pointer).unwrap() = value;
        record.to_string()
    };
    let wrong = [
        String::new(),
        "\u{0}\u{1}".to_owned(),
        good.get(..good.len() / 2).unwrap().to_owned(),
        format!("{good}{}", " ".repeat(1 << 17)),
        changed("/v", json!(1)),
        changed("/key/surroundings/0", json!("0.0.0")),
        changed("/key/surroundings/1", json!("another boot")),
        changed("/key/surroundings/2", json!("2.4")),
        changed("/key/surroundings/3", json!("12345")),
        changed("/key/surroundings/4", json!("user:[1]")),
        changed("/key/wrappers/0", json!("another program")),
        changed("/key/groups", json!("0::/elsewhere\n")),
        changed("/trials/0/1/ran/checks/0/held", json!(false)),
        changed("/trials/0/1/ran/checks", json!([])),
        changed("/trials/0/1/ran/checks/0/name", json!("other")),
        changed("/trials/0/0", json!("landlock")),
    ];
    for text in wrong {
        fs::write(memory(&world), &text).unwrap();
        let (code, told) = doctor(&world, &[]);
        assert_eq!((code, &told["remembered"]), (0, &json!(false)), "{text}");
        assert_eq!(fs::read_to_string(memory(&world)).unwrap(), good);
    }
}

#[test]
fn a_memory_of_somebody_else_is_ignored() {
    let world = World::new();
    doctor(&world, &[]);
    let remembered = || doctor(&world, &[]).1["remembered"].clone();
    let open = fs::Permissions::from_mode(0o644);
    fs::set_permissions(memory(&world), open).unwrap();
    assert_eq!(remembered(), json!(false), "others can read it");
    let aside = world.path("cache/bashful/aside");
    fs::rename(memory(&world), &aside).unwrap();
    symlink(&aside, memory(&world)).unwrap();
    assert_eq!(remembered(), json!(false), "it is a link");
    fs::remove_file(memory(&world)).unwrap();
    fs::hard_link(&aside, memory(&world)).unwrap();
    assert_eq!(remembered(), json!(false), "it has another name");
    fs::remove_file(memory(&world)).unwrap();
    fs::create_dir(memory(&world)).unwrap();
    assert_eq!(remembered(), json!(false), "it is a directory");
}

#[test]
fn configuration_has_a_say_in_what_is_used_and_none_in_what_works() {
    let world = World::new();
    world.configure("sandbox = \"none\"\n");
    let (code, told) = doctor(&world, &["--again"]);
    assert_eq!((code, &told["enforcement"]["backend"]), (0, &json!("none")));
    let native = &told["backends"][0];
    assert_eq!(
        (&native["name"], &native["state"]),
        (&json!("native"), &json!("ok"))
    );
}

#[test]
fn people_get_a_table_that_fits() {
    let world = World::new();
    let told = world.call(&["doctor"]);
    assert_eq!((told.code, told.stderr.as_str()), (0, ""));
    let headings: Vec<&str> = told
        .stdout
        .lines()
        .filter(|line| !line.starts_with(' ') && !line.is_empty())
        // Whether there are any depends on what is installed.
        .filter(|line| *line != "Clients")
        .collect();
    let expected = [
        "This host",
        "Programs",
        "A run in a sandbox",
        "What will be enforced",
        "What will be used",
        "What each backend would enforce",
        "Directories and keepers",
        "What is kept",
        "✓ Everything that the profile needs is enforced",
    ];
    assert_eq!(headings, expected, "{}", told.stdout);
    assert!(told.stdout.contains("  ✓ sees only its own processes\n"));
    let long = told.stdout.lines().find(|line| line.chars().count() > 79);
    assert_eq!(long, None);
    // What is missing comes with what mends it.
    let (_, json) = doctor(&world, &[]);
    for missing in json["missing"].as_array().unwrap() {
        assert!(!missing["mend"].as_array().unwrap().is_empty(), "{missing}");
    }
}

#[test]
fn no_place_for_the_trial_is_a_failure_of_ours() {
    let world = World::new();
    let mut command = world.bashful(&["doctor", "--again"]);
    command.env("XDG_CACHE_HOME", "/dev/null/cache");
    let ended = crate::support::Running::start(command).end().outcome();
    assert_eq!((ended.code, ended.stdout.as_str()), (125, ""));
    assert!(ended.stderr.contains("/dev/null/cache"), "{}", ended.stderr);
}
