//! `bashful explain`: it tells what a run then is, and runs nothing.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::World;

fn explain(world: &World, arguments: &[&str]) -> (i32, Value) {
    let whole = [&["explain", "--json"], arguments].concat();
    world.call(&whole).json()
}

/// A workspace with things that are protected, copied and hidden.
fn furnished() -> World {
    let world = World::new();
    world.write(".envrc", "echo hello\n");
    world.write("secret.txt", "x\n");
    fs::create_dir_all(world.workspace().join(".git/hooks")).unwrap();
    world.write(".git/HEAD", "ref: refs/heads/main\n");
    world.write(".git/config", "[core]\n\tbare = false\n");
    world
}

/// Flags whose plans differ from each other.
const FLAGS: &[&[&str]] = &[
    &[],
    &["--network", "on"],
    &["--preset", "read-only"],
    &["--preset", "build", "--home", "private"],
    &["--command", "ls", "--deny", "secret.txt"],
    &["--memory", "1G", "--cpu-share", "50", "--processes", "64"],
    &["--sandbox", "none", "--policy", "none"],
];

#[test]
fn a_run_enforces_what_was_explained() {
    let world = furnished();
    for flags in FLAGS {
        let arguments = [flags, &["true"][..]].concat();
        let (code, told) = explain(&world, &arguments);
        let (ran, result) = world.json(&arguments);
        assert_eq!((code, ran), (0, 0), "{flags:?}: {told} {result}");
        assert_eq!(told["enforcement"], result["enforcement"], "{flags:?}");
        let short: Vec<&Value> = told["shortfalls"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["protection"])
            .collect();
        let levels = told["enforcement"].as_object().unwrap();
        let expected = levels
            .iter()
            .filter(|(name, level)| *name != "backend" && *level != "full")
            .count();
        assert_eq!(short.len(), expected, "{told}");
    }
}

/// Root becomes the owner of the workspace; any other user stays who they are.
#[test]
fn the_identity_is_that_of_the_run() {
    let world = World::new();
    let identity = || explain(&world, &["true"]).1["identity"].clone();
    let user = || world.json(&["echo $UID"]).1["stdout"].clone();
    if !rustix::process::geteuid().is_root() {
        let own = rustix::process::geteuid().as_raw();
        assert_eq!(
            (&identity()["kind"], &identity()["user"]),
            (&json!("own"), &json!(own))
        );
        assert_eq!(user(), json!(format!("{own}\n")));
        return;
    }
    // A number that is known only when the room is built is not told before.
    let of_root = identity();
    let kinds = [json!("mapped"), json!("single_id")];
    assert!(
        kinds.contains(&of_root["kind"]) && of_root.get("user").is_none(),
        "{of_root}"
    );
    std::os::unix::fs::chown(world.workspace(), Some(12345), Some(12346)).unwrap();
    let owner = identity();
    assert_eq!(
        (&owner["kind"], &owner["user"]),
        (&json!("owner"), &json!(12345))
    );
    assert_eq!(user(), json!("12345\n"));
}

#[test]
fn every_path_of_the_view_is_there() {
    let world = furnished();
    for flags in FLAGS.iter().take(FLAGS.len() - 1) {
        let arguments = [flags, &["true"][..]].concat();
        let (_, told) = explain(&world, &arguments);
        let view = told["view"].as_array().unwrap();
        assert!(view.len() > 20, "{told}");
        let own = ["private", "link", "generated", "empty directory"];
        for seen in view {
            let (path, what) = (seen["path"].as_str().unwrap(), &seen["what"]);
            let of_host = !own.iter().any(|one| what == one);
            assert!(
                !of_host || fs::symlink_metadata(path).is_ok(),
                "{seen} of {flags:?} is not on the host"
            );
        }
        // Inside, all of them are: asked of a run with the same flags.
        let words: Vec<String> = view
            .iter()
            .map(|seen| format!("'{}'", seen["path"].as_str().unwrap()))
            .collect();
        let command = format!(
            "for path in {}; do [[ -e $path || -L $path ]] || echo \"$path\"; done",
            words.join(" ")
        );
        let (code, result) = world.json(&[flags, &[command.as_str()][..]].concat());
        assert_eq!((code, &result["stdout"]), (0, &json!("")), "{flags:?}");
    }
}

#[test]
fn the_view_says_what_is_what() {
    let world = furnished();
    let flags = ["--deny", "secret.txt", "true"];
    let (_, told) = explain(&world, &flags);
    let what = |path: &Path| -> Vec<String> {
        let view = told["view"].as_array().unwrap();
        let found = view
            .iter()
            .filter(|seen| seen["path"] == path.to_str().unwrap());
        found
            .map(|seen| seen["what"].as_str().unwrap().to_owned())
            .collect()
    };
    let workspace = world.workspace();
    let found = [
        what(Path::new("/usr")),
        what(&workspace),
        what(&workspace.join(".envrc")),
        what(&workspace.join(".git")),
        what(&workspace.join(".git/hooks")),
        what(&workspace.join(".git/config")),
        what(&workspace.join("secret.txt")),
        what(Path::new("/dev/null")),
    ];
    let expected = [
        "read-only",
        "writable (direct)",
        "protected",
        "pinned",
        "protected",
        "private copy",
        "hidden",
        "device",
    ];
    assert_eq!(found, expected.map(|word| vec![word.to_owned()]));
    let watched = told["watched"].as_array().unwrap();
    let mcp = json!({ "path": workspace.join(".mcp.json"), "then": "held back" });
    assert!(watched.contains(&mcp), "{watched:?}");
}

#[test]
fn nothing_runs_and_nothing_is_left() {
    let world = furnished();
    let log = world.write("log", "precious\n");
    for flags in FLAGS {
        let arguments = [flags, &["touch made; echo >> log"][..]].concat();
        let (code, _) = explain(&world, &arguments);
        assert_eq!(code, 0, "{flags:?}");
    }
    let (code, told) = explain(&world, &["--", "touch", "made"]);
    assert_eq!((code, &told["command"]), (0, &json!("touch made")));
    assert!(!world.workspace().join("made").exists());
    assert_eq!(fs::read_to_string(log).unwrap(), "precious\n");
    assert_eq!(world.records(), Vec::<Value>::new());
    assert!(!world.state().join("tasks").exists());
}

#[test]
fn a_refused_command_is_told_as_such() {
    let world = World::new();
    let outcome = world.call(&["explain", "--json", "rm -rf /"]);
    let (code, told) = outcome.json();
    assert_eq!(code, 120);
    assert_eq!(told["decision"]["effect"], "deny");
    assert_eq!(told["v"], 1);
    assert_eq!(told.get("view"), None);
    assert!(outcome.stderr.contains("✗ Refused"), "{}", outcome.stderr);
    // It was only a question.
    assert!(!world.state().join("trail.jsonl").exists());
}

#[test]
fn errors_are_those_of_a_run() {
    let world = furnished();
    let wrong: &[&[&str]] = &[
        &["--read", "/nowhere/at/all", "true"],
        &["--deny", "/", "true"],
        &["--write", "/", "--preset", "workspace", "true"],
        &["--memory", "0", "true"],
        &["--command", "no-such-program", "true"],
        &["--workspace", "missing", "true"],
        &["--cwd", "/usr", "--workspace", ".", "true"],
        &["--env", "LD_PRELOAD=x", "true"],
        &["--", "no-such-program"],
        &[""],
    ];
    for arguments in wrong {
        let told = world.call(&[&["explain"], *arguments].concat());
        let ran = world.run(arguments);
        assert_eq!(
            (told.code, &told.stderr),
            (ran.code, &ran.stderr),
            "{arguments:?}"
        );
        assert_ne!(told.code, 0, "{arguments:?}");
    }
    assert_eq!(world.call(&["explain"]).code, 2);
    assert_eq!(world.call(&["explain", "--network"]).code, 2);
}

#[test]
fn variables_have_names_and_no_values() {
    let world = World::new();
    let arguments = ["--env", "GREETING=hunter2-hunter2", "true"];
    for form in [&["explain", "--json"][..], &["explain", "--all"]] {
        let told = world.call(&[form, &arguments[..]].concat());
        assert!(told.stdout.contains("GREETING"), "{}", told.stdout);
        assert!(!told.stdout.contains("hunter2"), "{}", told.stdout);
    }
}

#[test]
fn limits_say_who_holds_them() {
    let world = World::new();
    let (_, told) = explain(&world, &["--memory", "64M", "--open-files", "99", "true"]);
    let limits = told["limits"].as_array().unwrap();
    let limit = |what: &str| limits.iter().find(|limit| limit["what"] == what).unwrap();
    let files = json!({ "what": "open_files", "value": 99, "unit": "count", "held_by": "rlimit" });
    assert_eq!(*limit("open_files"), files);
    let memory = limit("memory");
    assert_eq!(
        (&memory["value"], &memory["unit"]),
        (&json!(64 << 20), &json!("bytes"))
    );
    // Held by a group exactly where that makes the protection full.
    let by_group = memory["held_by"] == "cgroup";
    assert!(by_group || memory["held_by"] == "keeper", "{memory}");
    if told["enforcement"]["resources"] == "full" {
        assert!(by_group, "{told}");
    }
}

#[test]
fn without_a_sandbox_it_says_so() {
    let world = World::new();
    let told = world.call(&["explain", "--sandbox", "none", "--policy", "none", "true"]);
    assert_eq!(told.code, 0);
    let first = told.stdout.lines().next().unwrap();
    assert!(first.starts_with("! Nothing is enforced"), "{first}");
    assert!(
        told.stdout.contains("✗ nothing: no sandbox"),
        "{}",
        told.stdout
    );
}

#[test]
fn people_get_a_page_that_fits() {
    let world = furnished();
    let short = world.call(&["explain", "--deny", "secret.txt", "make\x1b[2J all"]);
    assert_eq!((short.code, short.stderr.as_str()), (0, ""));
    let names: Vec<&str> = short
        .stdout
        .lines()
        .filter(|line| !line.starts_with(' ') && !line.is_empty())
        .map(|line| line.get(..12).unwrap_or(line).trim())
        .collect();
    let expected = [
        "Command",
        "Decision",
        "In",
        "Runs as",
        "Can read",
        "Can write",
        "Can reach",
        "Can run",
        "May use",
        "Hidden",
        "Protected",
        "Copied",
        "Held back",
        "Refused",
        "Variables",
        "Enforced",
    ];
    let first: Vec<&str> = names.into_iter().filter(|name| *name != "Not so").collect();
    assert_eq!(first, expected, "{}", short.stdout);
    let all = world.call(&["explain", "--all", "true"]);
    assert!(all.stdout.contains("kcmp"), "{}", all.stdout);
    for outcome in [&short, &all] {
        assert!(!outcome.stdout.contains('\x1b'), "{}", outcome.stdout);
        let long = outcome
            .stdout
            .lines()
            .find(|line| line.chars().count() > 79);
        assert_eq!(long, None);
    }
}
