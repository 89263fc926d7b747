//! Configuration: what holds, where it comes from, and what is wrong with it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Outcome, World, ran};

fn failed(stderr: &str) -> Outcome {
    Outcome {
        code: 2,
        stdout: String::new(),
        stderr: stderr.to_owned(),
    }
}

/// The value and the origins of one setting.
fn setting(world: &World, key: &str) -> Value {
    let (code, shown) = world.call(&["config", "show", "--json"]).json();
    assert_eq!((code, &shown["v"]), (0, &json!(1)));
    let settings = shown["settings"].as_array().unwrap();
    let found = settings.iter().find(|setting| setting["key"] == key);
    found
        .unwrap_or_else(|| panic!("no {key} in {shown}"))
        .clone()
}

#[test]
fn path_lists_the_files() {
    let world = World::new();
    world.configure("");
    // Whether this machine has the administrator's is not ours to say.
    let admin = "/etc/bashful/config.toml";
    let told = world.screen(&["config", "path"]);
    assert_snapshot!(told.replace(&format!("{admin}  (absent)"), admin), @"
    exit code 0
    ----- stdout -----
    admin    /etc/bashful/config.toml
    user     [WORLD]/config/bashful/config.toml
    project  [WORLD]/workspace/.bashful.toml  (absent)
    ");
}

#[test]
fn show_tells_values_and_where_they_come_from() {
    let world = World::new();
    world.configure("default_agent = \"ann\"\n\n[limits]\ntimeout = \"90s\"\n");
    let file = world.path("config/bashful/config.toml");
    let outcome = world.call(&["config", "show"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    for line in [
        format!("default_agent = \"ann\"  # user {}:1", file.display()),
        "max_timeout = \"10m\"  # default".to_owned(),
    ] {
        assert!(
            outcome.stdout.contains(&line),
            "{line} in {}",
            outcome.stdout
        );
    }
    let expected = json!({
        "key": "limits.timeout", "value": 90_000,
        "origins": [{ "layer": "user", "path": file, "line": 4 }],
    });
    assert_eq!(setting(&world, "limits.timeout"), expected);
}

#[test]
fn show_default_can_be_used_as_a_file() {
    let world = World::new();
    let shipped = world.call(&["config", "show", "--default"]);
    assert_eq!((shipped.code, shipped.stderr.as_str()), (0, ""));
    let before = world.call(&["config", "show", "--json"]).json().1;
    world.configure(&shipped.stdout);
    let after = world.call(&["config", "show", "--json"]);
    assert_eq!((after.code, after.stderr.as_str()), (0, ""));
    let values = |shown: &Value| -> Vec<Value> {
        let settings = shown["settings"].as_array().unwrap();
        settings
            .iter()
            .map(|setting| setting["value"].clone())
            .collect()
    };
    assert_eq!(values(&after.json().1), values(&before));
}

#[test]
fn an_unknown_key_is_an_error_with_a_suggestion() {
    let world = World::new();
    world.configure("[limits]\ntimout = \"1s\"\n");
    let file = world.path("config/bashful/config.toml");
    let expected = failed(&format!(
        "bashful: error: unknown key `limits.timout` in `{}` line 2: \
         did you mean `limits.timeout`?\n",
        file.display()
    ));
    assert_eq!(world.call(&["config", "show"]), expected);
    assert_eq!(world.run(&["touch ran"]), expected);
    assert!(!world.workspace().join("ran").exists());
}

#[test]
fn an_unknown_key_in_a_project_is_an_error_too() {
    let world = World::new();
    let file = world.write(".bashful.toml", "require_descripton = true\n");
    let expected = failed(&format!(
        "bashful: error: unknown key `require_descripton` in `{}` line 1: \
         did you mean `require_description`?\n",
        file.display()
    ));
    assert_eq!(world.run(&["true"]), expected);
}

#[test]
fn nonsense_is_an_error_that_names_the_place() {
    let world = World::new();
    let mut told = String::new();
    for toml in [
        "[limits\n",
        "[limits]\ntimeout = 5\n",
        "[limits]\ntimeout = \"soon\"\n",
        "[limits]\nkeep = \"middle\"\n",
        "require_description = \"yes\"\n",
        "[limits]\ntimout = \"1s\"\n",
    ] {
        world.configure(toml);
        told += &world.screen(&["run", "true"]);
    }
    assert_snapshot!(told, @r#"
    exit code 2
    ----- stderr -----
    bashful: error: invalid TOML in `[WORLD]/config/bashful/config.toml` line 1 column 8: unclosed table, expected `]`
    exit code 2
    ----- stderr -----
    bashful: error: wrong type for `limits.timeout` in `[WORLD]/config/bashful/config.toml` line 2 column 11: expected a string with a unit, such as `"90s"`, found a bare number
    exit code 2
    ----- stderr -----
    bashful: error: bad value for `limits.timeout` in `[WORLD]/config/bashful/config.toml` line 2 column 11: duration `soon` does not start with a number
    exit code 2
    ----- stderr -----
    bashful: error: bad value for `limits.keep` in `[WORLD]/config/bashful/config.toml` line 2 column 8: `middle` is not one of `head`, `tail`, `head-tail`
    exit code 2
    ----- stderr -----
    bashful: error: wrong type for `require_description` in `[WORLD]/config/bashful/config.toml` line 1 column 23: expected `true` or `false`, found a string
    exit code 2
    ----- stderr -----
    bashful: error: unknown key `limits.timout` in `[WORLD]/config/bashful/config.toml` line 2: did you mean `limits.timeout`?
    "#);
}

#[test]
fn a_file_that_others_can_write_is_not_trusted() {
    let world = World::new();
    world.configure("default_agent = \"ann\"\n");
    let file = world.path("config/bashful/config.toml");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let outcome = world.run(&["true"]);
    assert_snapshot!(world.as_screen(&outcome), @"
    exit code 2
    ----- stderr -----
    bashful: error: configuration file `[WORLD]/config/bashful/config.toml` can be written by others (mode `0666`): run `chmod go-w [WORLD]/config/bashful/config.toml`
    ");
}

#[test]
fn a_project_can_only_narrow() {
    let world = World::new();
    world.write(
        ".bashful.toml",
        "[limits]\ntimeout = \"30s\"\nmax_timeout = \"1h\"\n",
    );
    assert_eq!(setting(&world, "limits.timeout")["value"], 30_000);
    assert_eq!(setting(&world, "limits.max_timeout")["value"], 600_000);
    assert_snapshot!(world.screen(&["run", "true"]), @"
    exit code 0
    ----- stderr -----
    bashful: warning: ignored `limits.max_timeout` in `[WORLD]/workspace/.bashful.toml` line 3: a project file can only narrow, and `1h` is wider than `10m`
    ");
}

#[test]
fn flags_come_after_the_files() {
    let world = World::new();
    world.configure("[limits]\nkeep = \"head\"\nmax_output = 3\n");
    let (_, result) = world.json(&["printf 123456"]);
    assert_eq!(result["stdout"], "123\n... (3 characters truncated) ...");
    let arguments = ["--keep", "tail", "--max-output", "2", "printf 123456"];
    let (_, result) = world.json(&arguments);
    let expected = "[Output truncated: showing last 2 chars of 6 chars]\n56";
    assert_eq!(result["stdout"], expected);
}

#[test]
fn the_agent_comes_from_the_configuration_unless_given() {
    let world = World::new();
    world.configure("default_agent = \"ann\"\n");
    assert_eq!(world.json(&["true"]).1["agent"], "ann");
    assert_eq!(world.json(&["--agent", "bob", "true"]).1["agent"], "bob");
}

#[test]
fn variables_can_be_passed_on_by_configuration() {
    let world = World::new();
    world.configure("[environment]\npass = [\"FOO\"]\n");
    let mut command = world.run_command(&["echo $FOO $BAR"]);
    command.env("FOO", "foo").env("BAR", "bar");
    let outcome = crate::support::Running::start(command).end().outcome();
    assert_eq!(outcome, ran(0, "foo\n", ""));
}

#[test]
fn a_key_is_set_and_the_rest_of_the_file_stays() {
    let world = World::new();
    let file = world.path("config/bashful/config.toml");
    let set = |arguments: &[&str]| world.call(&[&["config", "set"], arguments].concat());
    assert_eq!(set(&["limits.timeout", "90s"]).code, 0);
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "[limits]\ntimeout = \"90s\"\n"
    );
    world.configure("# Mine.\n[limits]\ntimeout = \"1m\" # short\nmax_output = 7\n");
    for arguments in [
        &["limits.timeout", "2m"][..],
        &["limits.max_output", "--unset"],
        &["profile.default.capabilities.paths_write", "[\"/srv/x\"]"],
        &["profile.default.class.sudo.refused", "ask"],
    ] {
        let outcome = set(arguments);
        assert_eq!(outcome.code, 0, "{arguments:?}: {outcome:?}");
    }
    let expected = "# Mine.\n[limits]\ntimeout = \"2m\" # short\n\n\
        [profile.default.capabilities]\npaths_write = [\"/srv/x\"]\n\n\
        [profile.default.class.sudo]\nrefused = \"ask\"\n";
    assert_eq!(fs::read_to_string(&file).unwrap(), expected);
    assert_eq!(setting(&world, "limits.timeout")["value"], 120_000);
    for arguments in [
        &["limits.timeout", "soon"][..],
        &["limits.time", "1m"],
        &["limits", "1"],
        &["a..b", "1"],
        &["profile.default.class.sodu.refused", "ask"],
        &["limits.timeout"],
        &["limits.timeout", "1m", "--unset"],
    ] {
        let outcome = set(arguments);
        assert_eq!(outcome.code, 2, "{arguments:?}: {outcome:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), expected);
    }
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    // A command does not change what bounds it.
    let bashful = crate::support::binary();
    let text = format!("{} config set sandbox none", bashful.display());
    let (code, _) = world.json(&["--sandbox", "none", "--policy", "none", &text]);
    assert_eq!(code, 2);
    assert_eq!(fs::read_to_string(&file).unwrap(), expected);
}

#[test]
fn the_file_is_changed_in_an_editor_if_it_can_be_gone_by() {
    let world = World::new();
    world.configure("# Mine.\n");
    let file = world.path("config/bashful/config.toml");
    let edit = |editor: &str| {
        let bashful = crate::support::binary();
        let call = format!("EDITOR=\"{editor}\" {} config edit", bashful.display());
        crate::support::Terminal::line(&world, &call).end()
    };
    let script = |text: &str| {
        let path = world.path("editor");
        fs::write(&path, format!("printf '%s\\n' '{text}' >> \"$1\"\n")).unwrap();
        format!("sh {}", path.display())
    };
    let (code, screen) = edit(&script("[limits]"));
    assert_eq!(code, 0, "{screen}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "# Mine.\n[limits]\n");
    let (code, screen) = edit(&script("timeout = 5"));
    assert_eq!(code, 2, "{screen}");
    assert!(screen.contains("what you wrote is kept in"), "{screen}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "# Mine.\n[limits]\n");
    assert_eq!(edit("true").0, 0);
    assert_eq!(edit("false").0, 2);
    // Nobody is there to edit it.
    assert_eq!(world.without_a_terminal(&["config", "edit"]).code, 2);
}

#[test]
fn what_bashful_keeps_is_shown_and_removed_and_nothing_else_is() {
    let world = World::new();
    world.configure("[limits]\ntimeout = \"90s\"\n");
    assert_eq!(
        world.run(&["--session", "talk", "echo kept > ~/note"]).code,
        0
    );
    world.json(&["git push origin main"]);
    let state = world.state();
    let kept = state.join("of-somebody-else");
    fs::write(&kept, "").unwrap();
    let elsewhere = world.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("file"), "").unwrap();
    std::os::unix::fs::symlink(&elsewhere, state.join("policies/link")).unwrap();
    let told = world.call(&["uninstall"]);
    assert_eq!(told.code, 0, "{told:?}");
    let whole = format!("{}\n", state.join("tasks").display());
    assert!(told.stdout.contains(&whole), "{told:?}");
    let (_, plan) = world.call(&["uninstall", "--json"]).json();
    let left: Vec<&str> = plan["left"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let config = world.path("config/bashful");
    let expected = [kept.to_str().unwrap(), config.to_str().unwrap()];
    assert_eq!(left[..2], expected, "{plan}");
    assert!(state.join("bashful.db").exists());
    let bashful = crate::support::binary();
    let text = format!("{} uninstall --yes", bashful.display());
    assert_eq!(
        world
            .json(&["--sandbox", "none", "--policy", "none", &text])
            .0,
        2
    );
    let done = world.call(&["uninstall", "--yes"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(world.living_keepers().is_empty());
    let rest: Vec<_> = fs::read_dir(&state)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(rest, [kept]);
    assert!(elsewhere.join("file").exists() && config.join("config.toml").exists());
    assert_eq!(world.call(&["uninstall", "--yes"]).code, 0);
}
