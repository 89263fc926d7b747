//! What cannot be a script, a name, an id, a value or a folder: clear errors, nothing half-written.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::World;

/// Nothing was kept and no file is left behind.
fn is_empty(world: &World) -> bool {
    let told = world.told(&["list", "--all"]);
    let files = fs::read_dir(world.path("config/bashful/scripts"));
    let files = files.map_or(0, Iterator::count);
    told["scripts"].as_array().unwrap().is_empty() && files == 0
}

#[test]
fn texts_that_are_no_scripts_are_refused_at_creation() {
    let world = World::new();
    let long = format!("#{}\n", "x".repeat(1 << 20));
    let cases: [(&[u8], &str); 7] = [
        (b"", "the script is empty"),
        (b" \n\t\n", "the script is empty"),
        (b"echo \0", "byte 6 is NUL"),
        (b"echo \xff\xfe", "is not UTF-8"),
        (b"if true; then\n", "does not parse"),
        (b"eval ${a.b}\n", "cannot be bound"),
        (long.as_bytes(), "longer than 1048576 bytes"),
    ];
    for (text, said) in cases {
        let outcome = world.scripts_with(&["create", "--name", "a", "-"], text);
        assert_eq!(outcome.code, 2, "{said}: {outcome:?}");
        assert!(outcome.stderr.contains(said), "{said}: {outcome:?}");
    }
    assert!(is_empty(&world));
}

#[test]
fn names_and_ids_are_checked() {
    let world = World::new();
    let long = "x".repeat(101);
    for name in [
        "",
        "a/b",
        "../x",
        "a\nb",
        "a\u{1b}b",
        "a\u{202e}b",
        ".",
        &long,
    ] {
        let outcome = world.scripts_with(&["create", "--name", name, "-"], "echo\n");
        assert_eq!(outcome.code, 2, "{name:?}: {outcome:?}");
        assert!(
            outcome.stderr.contains("cannot be the name of a script"),
            "{outcome:?}"
        );
        assert!(!outcome.stderr.contains('\u{1b}'), "{outcome:?}");
    }
    assert!(is_empty(&world));
    world.keeps("a", "echo one\n", &[]);
    let twice = world.scripts_with(&["create", "--name", "a", "-"], "echo two\n");
    assert_eq!(twice.code, 2, "{twice:?}");
    assert!(
        twice.stderr.contains("there is another script `a`"),
        "{twice:?}"
    );
    for which in [
        "b",
        "../a",
        "9b2e5c1a-4f0d-4c3e-8a51-0d6f2b7c9e10",
        "\u{1b}[2J",
    ] {
        for command in ["show", "run", "delete", "history", "export", "validate"] {
            let outcome = world.scripts(&[command, which]);
            assert_eq!(outcome.code, 2, "{command} {which:?}: {outcome:?}");
            assert!(!outcome.stderr.contains('\u{1b}'), "{outcome:?}");
        }
    }
    let (code, told) = world.scripts(&["show", "b", "--json"]).json();
    assert_eq!(
        (code, &told["error"]["kind"]),
        (2, &"unknown_script".into())
    );
}

#[test]
fn values_have_names_types_and_no_circles() {
    let world = World::new();
    world.keeps_approved(
        "v",
        "echo $N $A $L\n",
        &[
            "--variable",
            "N:number",
            "--variable",
            "A=x",
            "--variable",
            "L:list=[]",
        ],
    );
    for (vars, said) in [
        (r#"{"N": "many"}"#, "of type number"),
        (r#"{"N": 1, "L": "a"}"#, "of type list"),
        (r#"{"N": 1, "B": 2}"#, "declares no variable `B`"),
        (r#"{"N": null}"#, "null"),
        (r#"{"N": 1, "A": "a\u0000b"}"#, "NUL"),
        (r#"{"N": {"x": 1}}"#, "of type number"),
        ("[]", "is not a JSON object"),
        ("{", "is not a JSON object"),
        ("@nothing", "cannot read `nothing`"),
    ] {
        let outcome = world.scripts(&["run", "v", "--vars", vars]);
        assert_eq!(outcome.code, 2, "{vars}: {outcome:?}");
        assert!(outcome.stderr.contains(said), "{vars}: {outcome:?}");
    }
    let outcome = world.scripts(&["run", "v", "--var", "N"]);
    assert!(outcome.stderr.contains("NAME=VALUE"), "{outcome:?}");
    for (flag, said) in [
        ("--variable=PATH", "cannot be a variable"),
        ("--variable=1a", "cannot be a variable"),
        ("--variable=A:word", "is not a type"),
        ("--variable=A:number=x", "of type number"),
        ("--variables=7", "is not a list of variables"),
        ("--capabilities={\"net\": 1}", "is not capabilities"),
        ("--allow=everything", "everything"),
        (
            r#"--capabilities={"paths_read": ["docs"]}"#,
            "does not begin with",
        ),
    ] {
        let outcome = world.scripts_with(&["create", "--name", "w", flag, "-"], "echo\n");
        assert_eq!(outcome.code, 2, "{flag}: {outcome:?}");
        assert!(outcome.stderr.contains(said), "{flag}: {outcome:?}");
    }
    let circle = ["--variable", "A=${x.a}", "--variable", "x.a=${x.b}"];
    let more = ["--variable", "x.b=${x.a}"];
    let flags = [&["create", "--name", "circle"], &circle[..], &more, &["-"]].concat();
    let outcome = world.scripts_with(&flags, "echo $A ${x.a}\n");
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(
        outcome.stderr.contains("refer to each other"),
        "{outcome:?}"
    );
}

#[test]
fn a_folder_that_others_can_write_is_not_used() {
    let world = World::new();
    let folder = world.path("config/bashful/scripts");
    fs::create_dir_all(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    let outcome = world.scripts_with(&["create", "--name", "a", "-"], "echo\n");
    assert_eq!(outcome.code, 125, "{outcome:?}");
    assert!(
        outcome.stderr.contains("others can write to it"),
        "{outcome:?}"
    );
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    let script = world.keeps("a", "echo\n", &[]);
    let mode = fs::metadata(world.script_file(&script))
        .unwrap()
        .permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
    fs::remove_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(world.workspace(), &folder).unwrap();
    let outcome = world.scripts(&["list"]);
    assert_eq!(outcome.code, 125, "{outcome:?}");
    assert!(outcome.stderr.contains("it is a link"), "{outcome:?}");
}
