//! Variables that the caller sets for a run: `--env`.

use serde_json::json;

use crate::support::{World, ran};

#[test]
fn are_set() {
    let world = World::new();
    let outcome = world.run(&[
        "--env",
        "A=one",
        "-e",
        "_B2=two words",
        "--env",
        "C=",
        "--env",
        "D=x=y",
        "--env",
        "HOME=/elsewhere",
        "echo \"$A|$_B2|${C-unset}|$D|$HOME\"",
    ]);
    assert_eq!(outcome, ran(0, "one|two words||x=y|/elsewhere\n", ""));
}

#[test]
fn with_a_bad_name_are_refused() {
    let world = World::new();
    for variable in ["1A=x", "A-B=x", "A B=x", "=x", "Ä=x", "A.B=x"] {
        let (code, error) = world.json(&["--env", variable, "touch ran"]);
        let found = json!([code, error["error"]["kind"]]);
        assert_eq!(found, json!([2, "variable_name"]), "{variable}");
    }
    assert_eq!(world.run(&["--env", "NAME", "touch ran"]).code, 2);
    assert!(!world.workspace().join("ran").exists());
}

#[test]
fn that_change_how_programs_start_are_refused() {
    let world = World::new();
    for name in [
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "BASH_ENV",
        "ENV",
        "PROMPT_COMMAND",
        "IFS",
        "GIT_PAGER",
        "GIT_SSH_COMMAND",
        "GIT_EXTERNAL_DIFF",
        "PYTHONSTARTUP",
        "NODE_OPTIONS",
        "PERL5OPT",
        "PAGER",
        "SHELLOPTS",
        "PS4",
    ] {
        let (code, error) = world.json(&["--env", &format!("{name}=x"), "touch ran"]);
        let found = json!([code, error["error"]["kind"]]);
        assert_eq!(found, json!([2, "startup_variable"]), "{name}");
    }
    assert!(!world.workspace().join("ran").exists());
}

#[test]
fn that_change_how_programs_start_can_be_allowed() {
    let world = World::new();
    world.write("startup", "echo from the start");
    let outcome = world.run(&[
        "--allow-startup-env",
        "--env",
        "BASH_ENV=startup",
        "--env",
        "NODE_OPTIONS=--x",
        "echo $NODE_OPTIONS",
    ]);
    assert_eq!(outcome, ran(0, "from the start\n--x\n", ""));
}
