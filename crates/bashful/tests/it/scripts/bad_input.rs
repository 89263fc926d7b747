//! What cannot be a script, a name, an id, a value or a folder: clear errors, nothing half-written.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;

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
    let texts: [&[u8]; 7] = [
        b"",
        b" \n\t\n",
        b"echo \0",
        b"echo \xff\xfe",
        b"if true; then\n",
        b"eval ${a.b}\n",
        long.as_bytes(),
    ];
    let refused = texts.map(|text| world.scripts_with(&["create", "--name", "a", "-"], text));
    assert_snapshot!(world.complaints(&refused), @"
    2  bashful: error: the script is empty
    2  bashful: error: the script is empty
    2  bashful: error: the script is not text: byte 6 is NUL
    2  bashful: error: the script is not text: byte 6 is not UTF-8
    2  bashful: error: the script does not parse, line 2: syntax error: unexpected end of file
    2  bashful: error: a template of the script cannot be bound: line 1, column 6: `${a.b}` would be evaluated by the shell; write the command, and give the value to it as an argument
    2  bashful: error: the script is longer than 1048576 bytes, which is the limit
    ");
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
    let refused = [
        r#"{"N": "many"}"#,
        r#"{"N": 1, "L": "a"}"#,
        r#"{"N": 1, "B": 2}"#,
        r#"{"N": null}"#,
        r#"{"N": 1, "A": "a\u0000b"}"#,
        r#"{"N": {"x": 1}}"#,
        "[]",
        "{",
        "@nothing",
    ]
    .map(|vars| world.scripts(&["run", "v", "--vars", vars]));
    assert_snapshot!(world.complaints(&refused), @"
    2  bashful: error: the variable `N` is of type number, and `many` is not
    2  bashful: error: the variable `L` is of type list, and `a` is not
    2  bashful: error: the script declares no variable `B`
    2  bashful: error: the variable `N` is of type number, and null is not
    2  bashful: error: the value of `A` cannot be used: it has a NUL byte, which no program can be given
    2  bashful: error: the variable `N` is of type number, and an object is not
    2  bashful: error: `--vars` is not a JSON object
    2  bashful: error: `--vars` is not a JSON object: EOF while parsing an object at line 1 column 1
    2  bashful: error: `--vars` cannot read `nothing`: No such file or directory (os error 2)
    ");
    let refused = [
        "--variable=PATH",
        "--variable=1a",
        "--variable=A:word",
        "--variable=A:number=x",
        "--variables=7",
        "--capabilities={\"net\": 1}",
        "--allow=everything",
        r#"--capabilities={"paths_read": ["docs"]}"#,
    ]
    .map(|flag| world.scripts_with(&["create", "--name", "w", flag, "-"], "echo\n"));
    assert_snapshot!(world.complaints(&refused), @"
    2  bashful: error: `PATH` cannot be a variable: it would change how programs start or are found
    2  bashful: error: `1a` cannot be a variable: a name is made of letters, digits and underscores, with full stops between its parts
    2  bashful: error: `word` is not a type of variable: string, number, integer, boolean, list or path
    2  bashful: error: the variable `A` is of type number, and `x` is not
    2  bashful: error: `--variables` is not a list of variables: invalid type: integer `7`, expected a sequence
    2  bashful: error: `--capabilities` is not capabilities: unknown key `net`: did you mean `network`? at line 1 column 6
    2  bashful: error: a script cannot declare this: there is no class `everything`
    2  bashful: error: a script cannot declare this: `docs` does not begin with `/` or `~`; `.` alone is where the script is run
    ");
    let circle = ["--variable", "A=${x.a}", "--variable", "x.a=${x.b}"];
    let more = ["--variable", "x.b=${x.a}"];
    let flags = [&["create", "--name", "circle"], &circle[..], &more, &["-"]].concat();
    let refused = [
        world.scripts(&["run", "v", "--var", "N"]),
        world.scripts_with(&flags, "echo $A ${x.a}\n"),
    ];
    assert_snapshot!(world.complaints(&refused), @"
    2  bashful: error: `--var` is NAME=VALUE, not `N`
    2  bashful: error: the values of `x.a`, `x.b`, `x.a` refer to each other
    ");
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
