//! Looking at rules: `policy show`, `test`, `explain`, `lint` and `import`.

use insta::assert_snapshot;
use serde_json::json;

use super::{policy, rule};
use crate::support::{World, ran};

#[test]
fn the_shipped_rules_are_shown_as_they_are() {
    let world = World::new();
    let shown = policy(&world, &["show"]);
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""));
    assert!(shown.stdout.contains("\n[[rule]]\nid = \"git-push\"\n"));
    // They pass their own tests, and can be used as a file.
    let file = world.write("rules.toml", &shown.stdout);
    let tested = policy(&world, &["test", file.to_str().unwrap()]);
    assert_eq!((tested.code, tested.stderr.as_str()), (0, ""), "{tested:?}");
    assert!(tested.stdout.lines().all(|line| line.starts_with("ok ")));
}

#[test]
fn all_rules_of_a_profile_are_listed() {
    let world = World::new();
    world.configure(&rule("default", "frob", "deny", "[\"frobnicate\"]"));
    let (code, shown) = policy(&world, &["show", "--json"]).json();
    assert_eq!((code, &shown["profile"]), (0, &json!("default")));
    let rules = shown["rules"].as_array().unwrap();
    let frob = rules.iter().find(|rule| rule["id"] == "frob").unwrap();
    let place = format!("{}:1", world.path("config/bashful/config.toml").display());
    let expected = json!({
        "id": "frob", "effect": "deny", "layer": "user", "place": place,
        "reason": "is for a test", "match": [], "not_match": [],
    });
    assert_eq!(frob, &expected);
    assert!(rules.iter().any(|rule| rule["layer"] == "builtin"));
    let shown = policy(&world, &["show", "careful"]);
    assert!(shown.stdout.ends_with("\nWhat no rule knows: ask\n"));
    assert!(!shown.stdout.contains("frob"));
    assert_eq!(policy(&world, &["show", "nobodys"]).code, 2);
}

#[test]
fn a_file_of_rules_is_tested() {
    let world = World::new();
    world.write(
        "rules.toml",
        "[[rule]]\nid = \"good\"\neffect = \"ask\"\nreason = \"x\"\n\
         command = [\"git\", \"push\", \"…\"]\nmatch = [\"git push\"]\nnot_match = [\"git pull\"]\n\
         \n[[rule]]\nid = \"bad\"\neffect = \"deny\"\nreason = \"x\"\n\
         command = [\"ls\"]\nmatch = [\"cat\"]\n",
    );
    assert_snapshot!(world.screen(&["policy", "test", "rules.toml"]), @"
    exit code 1
    ----- stdout -----
    ok      rules.toml:1 good (2 examples)
    failed  rules.toml:9 bad does not match its example `cat`: change the rule, or remove it from `match`
    ");
    let (code, told) = policy(&world, &["test", "--json", "rules.toml"]).json();
    assert_eq!((code, &told["ok"]), (1, &json!(false)));
    let rules = &told["rules"];
    assert_eq!(
        json!([rules[0]["ok"], rules[1]["ok"]]),
        json!([true, false])
    );
}

#[test]
fn a_configuration_file_is_tested() {
    let world = World::new();
    world.write("good.toml", rule("mine", "frob", "ask", "[\"frobnicate\"]"));
    let found = policy(&world, &["test", "good.toml"]);
    assert_eq!(
        found,
        ran(0, "ok      good.toml:1 frob (no examples)\n", "")
    );
    world.write("bad.toml", "[limits]\ntimout = \"1s\"\n");
    let found = policy(&world, &["test", "bad.toml"]);
    let expected = "failed  unknown key `limits.timout` in `bad.toml` line 2: \
                    did you mean `limits.timeout`?\n";
    assert_eq!(found, ran(1, expected, ""));
    world.write("none.toml", "not toml");
    assert_eq!(policy(&world, &["test", "none.toml"]).code, 1);
    assert_eq!(policy(&world, &["test", "absent.toml"]).code, 2);
}

#[test]
fn rules_classes_and_checks_are_explained() {
    let world = World::new();
    assert_snapshot!(world.screen(&["policy", "explain", "sudo"]), @"
    exit code 0
    ----- stdout -----
    Class       sudo
    Does        refuses what runs with the rights of another user
    Instead     run it as yourself, or tell the person which command needs more
                rights
    Opened by   --allow sudo, or `sudo` in `capabilities.classes` of a profile
    ");
    assert_snapshot!(world.screen(&["policy", "explain", "git-push"]), @"
    exit code 0
    ----- stdout -----
    Rule        git-push
    Does        ask
    Why         publishes commits
    From        builtin builtin.toml:[LINE]
    Matches     git push
    Matches     git -C sub push origin main
    Matches     /usr/bin/git --no-pager push
    Matches     git push -o --dry-run
    Not         git pull
    Not         git push --dry-run
    Not         git push --force --dry-run
    Not         git stash push
    ");
    for name in [
        "read-only",
        "write-outside-roots",
        "dynamic-name",
        "unknown-command",
    ] {
        let found = policy(&world, &["explain", name]);
        assert_eq!((found.code, found.stderr.as_str()), (0, ""), "{name}");
        assert!(found.stdout.contains("Does "), "{found:?}");
        assert_eq!(policy(&world, &["explain", "--json", name]).json().0, 0);
    }
    assert_snapshot!(world.screen(&["policy", "explain", "git-pusch"]), @"
    exit code 2
    ----- stderr -----
    bashful: error: there is no rule, class or check `git-pusch`: did you mean `git-push`?
    ");
}

/// Every name that a decision can have has an explanation.
#[test]
fn every_rule_that_decides_is_explained() {
    let world = World::new();
    for command in [
        "ls",
        "x=1",
        "touch file",
        "$x",
        "./frobnicate",
        "timeout 5 ls",
        "sudo ls",
        "git push",
        "cd sub",
        "eval \"$x\"",
        "bash script.sh",
        "f() { ls; }; f",
        "python3 -c 'print(1)'",
        "echo x > .git/config",
        "PATH=/x ls",
        "curl https://example.org",
        "kill -9 -1",
        "if",
        "echo \u{200b}",
    ] {
        let (_, told) = super::checked(&world, &["--profile", "careful", command]);
        for finding in told["findings"].as_array().unwrap() {
            let name = finding["rule"].as_str().unwrap();
            let found = policy(&world, &["explain", name]);
            assert_eq!(found.code, 0, "{command}: {found:?}");
        }
    }
}

#[test]
fn odd_rules_are_pointed_out() {
    let world = World::new();
    assert_snapshot!(world.screen(&["policy", "lint"]), @"
    exit code 0
    ----- stdout -----
    Nothing odd was found in these rules.
    ");
    world.write(
        "rules.toml",
        rule("default", "wide", "allow", "[\"bash\", \"…\"]"),
    );
    assert_snapshot!(world.screen(&["policy", "lint", "rules.toml"]), @r#"
    exit code 1
    ----- stdout -----
    `rules.toml` line 1: rule `wide`: allows too much: `bash` can do anything; name what it may do, as in `["bash", "…word…", "…"]`
    "#);
    let (code, told) = policy(&world, &["lint", "--json", "rules.toml"]).json();
    assert_eq!((code, &told["lints"][0]["rule"]), (1, &json!("wide")));
}

#[test]
fn permissions_of_other_tools_become_rules() {
    let world = World::new();
    world.write(
        "settings.json",
        r#"{ "permissions": { "allow": ["Bash(npm run lint)"], "deny": ["Bash(git push:*)", "WebFetch"] } }"#,
    );
    let found = policy(&world, &["import", "claude", "settings.json"]);
    assert_snapshot!(world.as_screen(&found), @r#"
    exit code 0
    ----- stdout -----
    [[profile.default.rule]]
    id = "claude-deny-1"
    effect = "deny"
    reason = "is denied by `Bash(git push:*)`, imported from Claude Code"
    command = ["git", "push", "…"]

    [[profile.default.rule]]
    id = "claude-allow-1"
    effect = "allow"
    reason = "is allowed by `Bash(npm run lint)`, imported from Claude Code"
    command = ["npm", "run", "lint"]
    ----- stderr -----
    bashful: note: `WebFetch`: hosts are closed unless a profile's `network` names them
    "#);
    world.write("imported.toml", &found.stdout);
    assert_eq!(policy(&world, &["test", "imported.toml"]).code, 0);
    let written = policy(
        &world,
        &["import", "claude", "settings.json", "-o", "new.toml"],
    );
    assert_eq!((written.code, written.stdout.as_str()), (0, ""));
    assert_eq!(world.read("new.toml"), found.stdout);
    // Rules that are there are not overwritten.
    let again = policy(
        &world,
        &["import", "claude", "settings.json", "-o", "new.toml"],
    );
    assert_eq!(again.code, 2);
    world.write("broken.json", "{");
    assert_eq!(policy(&world, &["import", "claude", "broken.json"]).code, 2);
}
