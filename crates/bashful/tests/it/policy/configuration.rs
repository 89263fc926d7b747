//! Rules and profiles in configuration files: read, layered, bounded.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;
use serde_json::json;

use super::{decided, policy, rule};
use crate::support::{World, ran};

#[test]
fn the_rules_of_a_file_count() {
    let world = World::new();
    let mut file = rule("default", "no-frob", "deny", "[\"frobnicate\", \"…\"]");
    file += &rule("default", "ask-ls", "ask", "[\"ls\", \"…\"]");
    file += &rule("careful", "may-frob", "allow", "[\"twiddle\", \"on\"]");
    world.configure(&file);
    for (arguments, expected) in [
        (&["frobnicate x"][..], (120, "deny no-frob user")),
        (&["sudo -u me frobnicate"], (120, "deny sudo builtin")),
        (&["env A=1 frobnicate"], (120, "deny no-frob user")),
        (&["ls"], (121, "ask ask-ls user")),
        (
            &["--profile", "careful", "twiddle on"],
            (0, "allow may-frob user"),
        ),
        (
            &["--profile", "careful", "twiddle off"],
            (121, "ask unknown-command builtin"),
        ),
    ] {
        let (code, found) = decided(&world, arguments);
        assert_eq!((code, found.as_str()), expected, "{arguments:?}");
    }
}

#[test]
fn a_mistake_in_a_rule_is_an_error_with_its_line() {
    let world = World::new();
    let mut told = String::new();
    for text in [
        "[[profile.default.rule]]\nid = \"x\"\neffect = \"ask\"\nreason = \"y\"\n\
         command = [\"ls\"]\ncomand = [\"ls\"]\n",
        &(rule("default", "x", "deny", "[\"ls\", \"…\"]") + "match = [\"cat\"]\n"),
        "[profile.default]\ndefault = \"allow\"\n",
        "[profile.default.capabilities]\nclasses = [\"delete-rot\"]\n",
    ] {
        world.configure(text);
        told += &world.screen(&["run", "true"]);
    }
    assert_snapshot!(told, @"
    exit code 2
    ----- stderr -----
    bashful: error: `[WORLD]/config/bashful/config.toml` line 6: rule `x`: has an unknown field `comand`: did you mean `command`?
    exit code 2
    ----- stderr -----
    bashful: error: `[WORLD]/config/bashful/config.toml` line 1: rule `x`: does not match its example `cat`: change the rule, or remove it from `match`
    exit code 2
    ----- stderr -----
    bashful: error: bad value for `profile.default.default` in `[WORLD]/config/bashful/config.toml` line 2 column 11: `allow` is not one of `confined`, `ask`, `deny`
    exit code 2
    ----- stderr -----
    bashful: error: there is no class `delete-rot`, named in `[WORLD]/config/bashful/config.toml` line 2: did you mean `delete-root`?
    ");
}

#[test]
fn a_class_that_a_rule_names_can_be_opened() {
    let world = World::new();
    let mut file = rule("default", "deploys", "refuse", "[\"deploy\", \"…\"]");
    file += "capability = \"deploying\"\n";
    world.configure(&file);
    assert_eq!(decided(&world, &["deploy"]).0, 120);
    assert_eq!(decided(&world, &["--allow", "deploying", "deploy"]).0, 0);
    assert_eq!(
        policy(&world, &["check", "--allow", "deploing", "deploy"]).code,
        2
    );
}

#[test]
fn a_file_that_others_can_write_is_refused() {
    let world = World::new();
    world.configure(&rule("default", "all", "allow", "[\"frobnicate\"]"));
    let file = world.path("config/bashful/config.toml");
    for mode in [0o660, 0o606] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let outcome = policy(&world, &["check", "ls"]);
        let expected = format!(
            "bashful: error: configuration file `{0}` can be written by others \
             (mode `0{mode:o}`): run `chmod go-w {0}`\n",
            file.display()
        );
        assert_eq!(outcome, ran(2, "", &expected));
    }
}

#[test]
fn a_project_can_only_narrow() {
    let world = World::new();
    world.configure("[profile.default]\ndefault = \"ask\"\n");
    let mut file = "[profile.default]\ndefault = \"confined\"\n".to_owned();
    file += &rule("default", "open", "allow", "[\"frobnicate\", \"…\"]");
    file += &rule("default", "closed", "deny", "[\"ls\", \"…\"]");
    let path = world.write(".bashful.toml", file);
    let path = path.display();
    let outcome = policy(&world, &["check", "--json", "frobnicate"]);
    let (code, told) = outcome.json();
    assert_eq!((code, &told["decision"]["effect"]), (121, &json!("ask")));
    let expected = format!(
        "bashful: warning: ignored `profile.default.default` in `{path}` line 2: a project file \
         can only narrow, and `confined` is wider than `ask`\n\
         bashful: warning: ignored `profile.default.rule` in `{path}` line 3: a project file \
         can only narrow, and rule `open` allows\n"
    );
    assert_eq!(outcome.stderr, expected);
    let (code, found) = decided(&world, &["ls"]);
    assert_eq!((code, found.as_str()), (120, "deny closed project"));
}

#[test]
fn config_shows_rules_and_defaults() {
    let world = World::new();
    world.configure(&rule("default", "frob", "ask", "[\"frobnicate\", \"…\"]"));
    let shown = world.call(&["config", "show"]).stdout;
    let path = world.path("config/bashful/config.toml");
    for line in [
        "default = \"confined\"  # default".to_owned(),
        format!(
            "rule = [{{ command = [\"frobnicate\", \"…\"], effect = \"ask\", id = \"frob\", \
             reason = \"is for a test\" }}]  # user {}:1",
            path.display()
        ),
    ] {
        assert!(shown.lines().any(|one| one == line), "{line} in {shown}");
    }
}
