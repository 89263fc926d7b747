//! Tests of profiles: who may change them, and what a call gets.

use bashful_policy::{Capabilities, CapabilityChanges, NetworkCapability, Preset, ResourceLimits};
use bashful_sandbox::Protection;

use super::tests::{chain, load, loaded};
use super::{Config, Granted, HomeMode, Key, Origin, Wish};

/// One line for each value of a profile or agent that a file set, and each warning.
fn outcome(admin: &str, user: &str, project: &str) -> Vec<String> {
    let (result, directory) = load(admin, user, project);
    let loaded = result.unwrap();
    let mut lines = Vec::new();
    for setting in loaded.settings() {
        let origins: Vec<_> = setting.origins.iter().map(Origin::as_str).collect();
        if origins != ["default"] {
            let value = setting.value.to_toml();
            let key = setting.key.to_string();
            let key = key
                .replace("capabilities.", "C.")
                .replace("resources.", "R.");
            lines.push(format!("{key} = {value} ({})", origins.join(" ")));
        }
    }
    let warnings = loaded.warnings.iter().map(ToString::to_string);
    lines.extend(warnings.map(|warning| {
        let warning = warning.replace(&directory, "");
        let warning = warning
            .replace("capabilities.", "C.")
            .replace("resources.", "R.");
        warning.replace("a project file can only narrow, and", "NARROW")
    }));
    lines
}

const CASES: &[([&str; 3], &[&str])] = &[
    (
        ["", "profile.default.preset = 'build'", ""],
        &["profile.default.preset = \"build\" (user)"],
    ),
    (
        ["", "", "profile.default.preset = 'read-only'"],
        &["profile.default.preset = \"read-only\" (project)"],
    ),
    (
        ["", "", "profile.default.preset = 'full'"],
        &[
            "ignored `profile.default.preset` in `project.toml` line 1: \
           NARROW `full` is wider than `workspace`",
        ],
    ),
    (
        [
            "profile.default.preset = 'workspace'",
            "profile.default.preset = 'build'",
            "",
        ],
        &[
            "profile.default.preset = \"workspace\" (admin)",
            "ignored `profile.default.preset` in `user.toml` line 1: \
             the admin file says `workspace`, and `build` goes beyond it",
        ],
    ),
    (
        [
            "profile.default.default = 'ask'",
            "profile.default.default = 'confined'",
            "profile.default.default = 'deny'",
        ],
        &[
            "profile.default.default = \"deny\" (project)",
            "ignored `profile.default.default` in `user.toml` line 1: \
             the admin file says `ask`, and `confined` goes beyond it",
        ],
    ),
    (
        ["", "profile.careful.home = 'private'", ""],
        &["profile.careful.home = \"private\" (user)"],
    ),
    // A new name does not get round what the admin said about the default.
    (
        [
            "profile.default.preset = 'workspace'",
            "profile.mine.preset = 'full'\nagent.coder.profile = 'mine'",
            "",
        ],
        &[
            "profile.default.preset = \"workspace\" (admin)",
            "profile.mine.preset = \"workspace\" (admin)",
            "agent.coder.profile = \"mine\" (user)",
            "ignored `profile.mine.preset` in `user.toml` line 1: \
             the admin file says `workspace`, and `full` goes beyond it",
        ],
    ),
    (
        ["", "", "profile.new.preset = 'read-only'"],
        &["ignored `profile.new.preset` in `project.toml` line 1: \
           a project file cannot add a profile"],
    ),
    (
        ["", "", "agent.coder.profile = 'default'"],
        &["ignored `agent.coder.profile` in `project.toml` line 1: a project file cannot set it"],
    ),
    (
        [
            "agent.a.profile = 'default'",
            "[profile.x]\n[agent.a]\nprofile = 'x'",
            "",
        ],
        &[
            "agent.a.profile = \"default\" (admin)",
            "ignored `agent.a.profile` in `user.toml` line 3: \
             the admin file says `default`, and `x` goes beyond it",
        ],
    ),
    (
        ["", "", "profile.default.capabilities.network = true"],
        &[
            "ignored `profile.default.C.network` in `project.toml` line 1: \
           NARROW `on` is wider than `off`",
        ],
    ),
    (
        [
            "",
            "profile.default.preset = 'full'",
            "profile.default.capabilities.network = 'off'",
        ],
        &[
            "profile.default.preset = \"full\" (user)",
            "profile.default.C.network = \"off\" (project)",
        ],
    ),
    (
        [
            "",
            "profile.default.capabilities.network = { hosts = ['a.example', 'b.example'] }",
            "profile.default.capabilities.network = { hosts = ['b.example'] }",
        ],
        &["profile.default.C.network = { hosts = [\"b.example\"] } (project)"],
    ),
    (
        [
            "",
            "profile.default.capabilities.paths_read = ['a', 'b']",
            "profile.default.capabilities.paths_read = ['b', 'c']",
        ],
        &[
            "profile.default.C.paths_read = [\"b\"] (project)",
            "ignored `profile.default.C.paths_read` in `project.toml` line 1: \
             NARROW `c` was not granted",
        ],
    ),
    (
        ["", "", "profile.default.capabilities.paths_write = ['/']"],
        &[
            "ignored `profile.default.C.paths_write` in `project.toml` line 1: \
           NARROW `/` was not granted",
        ],
    ),
    (
        [
            "profile.default.capabilities.paths_deny = ['a']",
            "profile.default.capabilities.paths_deny = []",
            "profile.default.capabilities.paths_deny = ['b']",
        ],
        &["profile.default.C.paths_deny = [\"a\", \"b\"] (admin user project)"],
    ),
    (
        [
            "profile.default.capabilities.commands = ['git', 'ls']",
            "profile.default.capabilities.commands = ['git', 'curl']",
            "profile.default.capabilities.commands = []",
        ],
        &[
            "profile.default.C.commands = [] (project)",
            "ignored `profile.default.C.commands` in `user.toml` line 1: \
             the admin file does not list `curl`",
        ],
    ),
    (
        ["", "", "profile.default.capabilities.commands = ['git']"],
        &["profile.default.C.commands = [\"git\"] (project)"],
    ),
    (
        [
            "",
            "",
            "profile.default.optional = ['resources', 'filesystem']",
        ],
        &[
            "profile.default.optional = [\"resources\"] (project)",
            "ignored `profile.default.optional` in `project.toml` line 1: \
             NARROW `filesystem` was not granted",
        ],
    ),
    (
        ["", "profile.default.optional = []", ""],
        &["profile.default.optional = [] (user)"],
    ),
    (
        [
            "",
            "profile.default.home = 'private'",
            "profile.default.home = 'real-masked'",
        ],
        &[
            "profile.default.home = \"private\" (user)",
            "ignored `profile.default.home` in `project.toml` line 1: \
             NARROW `real-masked` is wider than `private`",
        ],
    ),
    (
        [
            "",
            "profile.default.capabilities.resources.memory = '2M'",
            "[profile.default.capabilities.resources]\nmemory = '3M'\nprocesses = 4097\n\
             cpu_time = '5s'\nopen_files = 9\nfile_size = '1K'",
        ],
        &[
            "profile.default.C.R.memory = \"2M\" (user)",
            "profile.default.C.R.cpu_time = \"5s\" (project)",
            "profile.default.C.R.open_files = 9 (project)",
            "profile.default.C.R.file_size = \"1K\" (project)",
            "ignored `profile.default.C.R.memory` in `project.toml` line 2: \
             NARROW `3M` is wider than `2M`",
            "ignored `profile.default.C.R.processes` in `project.toml` line 3: \
             NARROW `4097` is wider than `4096`",
        ],
    ),
];

#[test]
fn layers_of_profiles() {
    for ([admin, user, project], expected) in CASES {
        assert_eq!(
            outcome(admin, user, project),
            *expected,
            "{admin} | {user} | {project}"
        );
    }
}

/// Every key of a profile is read: none is parsed and then forgotten.
#[test]
fn all_keys_are_read() {
    let user = "
        [profile.mine]
        preset = 'build'
        default = 'ask'
        home = 'private'
        optional = ['identity', 'resources']
        [[profile.mine.rule]]
        id = 'push'
        effect = 'ask'
        command = ['git', ['push', 'send-email'], '…']
        reason = 'is \"for\" people'
        redirects = false
        match = ['git push']
        [profile.mine.class.sudo]
        refused = 'ask'
        [profile.mine.class.git-destructive]
        refused = 'deny'
        [profile.mine.capabilities]
        paths_read = ['r']
        paths_write = ['w']
        paths_deny = ['d']
        network = 'on'
        commands = ['c']
        classes = ['sudo']
        [profile.mine.capabilities.resources]
        memory = '1M'
        processes = 2
        cpu_time = '3s'
        cpu_share = 4
        open_files = 5
        file_size = '6K'
        tmp_size = '7M'
        disk_size = '8G'
        [agent.coder]
        profile = 'mine'";
    let loaded = loaded("", user, "");
    let expected = Granted {
        preset: Preset::Build,
        capabilities: Capabilities {
            paths_read: vec!["r".to_owned()],
            paths_write: vec![".".to_owned(), "w".to_owned()],
            paths_deny: vec!["d".to_owned()],
            network: NetworkCapability::On,
            commands: Some(vec!["c".to_owned()]),
            resources: ResourceLimits {
                memory: Some(1 << 20),
                processes: Some(2),
                cpu_time: Some(3000),
                cpu_share: Some(4),
                open_files: Some(5),
                file_size: Some(6 << 10),
                tmp_size: Some(7 << 20),
                disk_size: Some(8 << 30),
            },
            classes: vec!["sudo".to_owned()],
        },
        optional: vec![Protection::Identity, Protection::Resources],
        home: HomeMode::Private,
    };
    let config = &loaded.config;
    let profile = config.profile_for("coder");
    assert_eq!(profile.grant(&Wish::default()).unwrap(), expected);
    assert_eq!(config.profile_name("coder"), "mine");
    // Every other agent has the default.
    assert_eq!(config.profile_name("else"), "default");
    assert_eq!(
        config.profile_for("else").grant(&Wish::default()).unwrap(),
        Granted {
            preset: Preset::Workspace,
            capabilities: Preset::Workspace.capabilities(),
            optional: vec![Protection::Resources],
            home: HomeMode::Project,
        }
    );
    // What is shown reads back as the same.
    let shown = loaded.to_toml_with_origins();
    assert_eq!(self::loaded("", &shown, "").config, *config, "{shown}");
    for key in Key::ALL {
        let set = loaded
            .settings()
            .into_iter()
            .any(|setting| setting.key.key == key);
        assert!(set, "{key}");
    }
}

#[test]
fn flags_add_within_what_the_admin_set() {
    let changes = |json: &str| serde_json::from_str::<CapabilityChanges>(json).unwrap();
    let admin = "
        profile.default.preset = 'build'
        profile.default.home = 'private'
        [profile.default.capabilities]
        paths_read = ['/data']
        network = 'off'
        commands = ['git']
        resources.memory = '1K'";
    let config = loaded(admin, "", "").config;
    let profile = config.profile_for("x");
    let cases = [
        (None, None, "{}", ""),
        (Some(Preset::ReadOnly), Some(HomeMode::Workspace), "{}", ""),
        (
            Some(Preset::Full),
            None,
            "{}",
            "says `build` for `preset`, and `full` goes",
        ),
        (
            None,
            Some(HomeMode::RealMasked),
            "{}",
            "says `private` for `home`",
        ),
        (
            None,
            None,
            r#"{"paths_read": ["/data"], "paths_deny": ["x"]}"#,
            "",
        ),
        (
            None,
            None,
            r#"{"paths_read": ["/data/x"]}"#,
            "says `/data` for `capabilities.paths_read`, and `/data/x` goes",
        ),
        (None, None, r#"{"paths_write": ["/x"]}"#, ""),
        (
            None,
            None,
            r#"{"network": true}"#,
            "says `off` for `capabilities.network`",
        ),
        (None, None, r#"{"commands": []}"#, ""),
        (
            None,
            None,
            r#"{"commands": ["curl"]}"#,
            "says `git` for `capabilities.commands`",
        ),
        (None, None, r#"{"resources": {"memory": 1024}}"#, ""),
        (
            None,
            None,
            r#"{"resources": {"memory": 1025}}"#,
            "says `1024` for `capabilities.resources.memory`, and `1025` goes",
        ),
    ];
    for (preset, home, json, expected) in cases {
        let wish = Wish {
            preset,
            home,
            changes: changes(json),
        };
        let said = profile.grant(&wish).err().map(|error| error.to_string());
        let said = said.unwrap_or_default();
        assert_eq!(said.is_empty(), expected.is_empty(), "{json}: {said}");
        assert!(said.contains(expected), "{json}: {said}");
    }
    // Who lists paths does not mean everything.
    let config = loaded("profile.default.capabilities.paths_write = ['/x']", "", "").config;
    let wish = Wish {
        preset: Some(Preset::Full),
        ..Wish::default()
    };
    assert!(config.profile_for("x").grant(&wish).is_err());
    // The admin's network holds against a preset that brings its own.
    let config = loaded("profile.default.capabilities.network = 'off'", "", "").config;
    let granted = config.profile_for("x").grant(&wish).unwrap();
    assert_eq!(granted.capabilities.network, NetworkCapability::Off);
}

#[test]
fn a_profile_of_the_project_is_no_profile() {
    let (result, directory) = load(
        "",
        "agent.coder.profile = 'strict'",
        "profile.strict.preset = 'read-only'",
    );
    assert_eq!(
        chain(&result.unwrap_err()).replace(&directory, ""),
        "there is no profile `strict`, named in `user.toml` line 1"
    );
    assert_eq!(Config::default().profiles.len(), 0);
}
