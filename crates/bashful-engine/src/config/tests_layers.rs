//! Tests of who may change what.

use std::fmt::Write as _;

use bashful_sandbox::Backend;

use super::tests::{load, loaded};
use super::{
    Approvals, Choice as _, Config, Keep, Key, Loaded, OnLogFull, Origin, ProjectMay, Sandbox,
    Survivors,
};

/// One line for each value that is not the default, and each warning: `key = value (origin)`.
fn outcome(admin: &str, user: &str, project: &str) -> Vec<String> {
    let (result, directory) = load(admin, user, project);
    let loaded = result.unwrap();
    let mut lines = Vec::new();
    for setting in loaded.settings() {
        let origins: Vec<_> = setting.origins.iter().map(Origin::as_str).collect();
        if origins != ["default"] {
            let value = setting.value.to_toml();
            lines.push(format!("{} = {value} ({})", setting.key, origins.join(" ")));
        }
    }
    let warnings = loaded.warnings.iter();
    lines.extend(warnings.map(|warning| warning.to_string().replace(&directory, "")));
    lines
}

/// What admin, user and project say, and what comes of it.
const CASES: &[([&str; 3], &[&str])] = &[
    (
        ["", "limits.timeout = '5m'", "limits.timeout = '30s'"],
        &["limits.timeout = \"30s\" (project)"],
    ),
    (
        ["", "", "limits.timeout = '3m'"],
        &["ignored `limits.timeout` in `project.toml` line 1: NARROW `3m` is wider than `2m`"],
    ),
    (
        ["", "limits.max_timeout = '1h'", "limits.max_timeout = '2h'"],
        &[
            "limits.max_timeout = \"1h\" (user)",
            "ignored `limits.max_timeout` in `project.toml` line 1: \
                     NARROW `2h` is wider than `1h`",
        ],
    ),
    (
        ["limits.max_timeout = '5m'", "limits.max_timeout = '6m'", ""],
        &[
            "limits.max_timeout = \"5m\" (admin)",
            "scripts.max_timeout = \"5m\" (admin)",
            "ignored `limits.max_timeout` in `user.toml` line 1: \
                 the admin file says `5m`, and `6m` goes beyond it",
        ],
    ),
    (
        [
            "limits.max_timeout = '20m'",
            "limits.max_timeout = '15m'",
            "",
        ],
        &[
            "limits.max_timeout = \"15m\" (user)",
            "scripts.max_timeout = \"15m\" (user)",
        ],
    ),
    (
        ["limits.max_timeout = '20m'", "", ""],
        &[
            "limits.max_timeout = \"20m\" (admin)",
            "scripts.max_timeout = \"20m\" (admin)",
        ],
    ),
    // Scripts follow the layer that bounds all runs, unless it says how long scripts may take.
    (
        [
            "limits.max_timeout = '5m'\nscripts.max_timeout = '1h'",
            "scripts.max_timeout = '2h'",
            "scripts.max_timeout = '20m'",
        ],
        &[
            "limits.max_timeout = \"5m\" (admin)",
            "scripts.max_timeout = \"20m\" (project)",
            "ignored `scripts.max_timeout` in `user.toml` line 1: \
                 the admin file says `1h`, and `2h` goes beyond it",
        ],
    ),
    (
        [
            "limits.max_timeout = '5m'",
            "scripts.max_timeout = '10m'",
            "",
        ],
        &[
            "limits.max_timeout = \"5m\" (admin)",
            "scripts.max_timeout = \"5m\" (admin)",
            "ignored `scripts.max_timeout` in `user.toml` line 1: \
                 the admin file says `5m`, and `10m` goes beyond it",
        ],
    ),
    // The timeout follows its maximum; the author who could have known is told.
    (
        ["limits.max_timeout = '1m'", "", ""],
        &[
            "limits.timeout = \"1m\" (admin)",
            "limits.max_timeout = \"1m\" (admin)",
            "scripts.max_timeout = \"1m\" (admin)",
        ],
    ),
    (
        ["", "limits.timeout = '20m'", ""],
        &["ignored `limits.timeout` in `user.toml` line 1: \
                 `20m` is above `limits.max_timeout`, which is `10m`"],
    ),
    (
        ["", "limits.timeout = '5m'", "limits.max_timeout = '1m'"],
        &[
            "limits.timeout = \"1m\" (project)",
            "limits.max_timeout = \"1m\" (project)",
            "scripts.max_timeout = \"1m\" (project)",
        ],
    ),
    (
        ["", "", "limits.max_output = 30001"],
        &["ignored `limits.max_output` in `project.toml` line 1: \
                 NARROW `30001` is wider than `30000`"],
    ),
    (
        ["", "", "limits.log_quota = '2G'"],
        &["ignored `limits.log_quota` in `project.toml` line 1: NARROW `2G` is wider than `1G`"],
    ),
    (
        ["", "", "limits.log_quota = '1M'"],
        &["limits.log_quota = \"1M\" (project)"],
    ),
    (
        ["", "", "limits.on_log_full = 'continue'"],
        &["ignored `limits.on_log_full` in `project.toml` line 1: \
                 NARROW `continue` is wider than `auto`"],
    ),
    (
        ["", "", "limits.on_log_full = 'stop'"],
        &["limits.on_log_full = \"stop\" (project)"],
    ),
    (
        [
            "limits.on_log_full = 'stop'",
            "limits.on_log_full = 'continue'",
            "",
        ],
        &[
            "limits.on_log_full = \"stop\" (admin)",
            "ignored `limits.on_log_full` in `user.toml` line 1: \
                 the admin file says `stop`, and `continue` goes beyond it",
        ],
    ),
    (
        ["", "", "limits.survivors = 'adopt'"],
        &["ignored `limits.survivors` in `project.toml` line 1: \
                 NARROW `adopt` is wider than `kill`"],
    ),
    (
        [
            "",
            "limits.survivors = 'adopt'",
            "limits.survivors = 'kill'",
        ],
        &["limits.survivors = \"kill\" (project)"],
    ),
    (
        ["", "", "limits.keep = 'tail'"],
        &["limits.keep = \"tail\" (project)"],
    ),
    (
        [
            "limits.keep = 'head'",
            "limits.keep = 'tail'",
            "limits.keep = 'head'",
        ],
        &[
            "limits.keep = \"head\" (project)",
            "ignored `limits.keep` in `user.toml` line 1: \
                 the admin file says `head`, and `tail` goes beyond it",
        ],
    ),
    (
        [
            "require_description = true",
            "require_description = false",
            "",
        ],
        &[
            "require_description = true (admin)",
            "ignored `require_description` in `user.toml` line 1: \
                 the admin file says `true`, and `false` goes beyond it",
        ],
    ),
    (
        [
            "require_description = false",
            "",
            "require_description = true",
        ],
        &["require_description = true (project)"],
    ),
    (
        [
            "",
            "require_description = true",
            "require_description = false",
        ],
        &[
            "require_description = true (user)",
            "ignored `require_description` in `project.toml` line 1: \
                     NARROW `false` is wider than `true`",
        ],
    ),
    (
        [
            "blocked_commands = ['a', 'b']",
            "blocked_commands = []",
            "blocked_commands = ['b', 'c']",
        ],
        &["blocked_commands = [\"a\", \"b\", \"c\"] (admin user project)"],
    ),
    (
        [
            "secrets.names = ['A']",
            "secrets.names = ['B']",
            "secrets.names = ['C']",
        ],
        &[
            "secrets.names = [\"A\", \"B\"] (admin user)",
            "ignored `secrets.names` in `project.toml` line 1: a project file cannot set it",
        ],
    ),
    (
        ["", "environment.pass = ['B', 'B']", "environment.pass = []"],
        &[
            "environment.pass = [\"B\"] (user)",
            "ignored `environment.pass` in `project.toml` line 1: a project file cannot set it",
        ],
    ),
    (
        [
            "environment.pass = ['A', 'C']",
            "environment.pass = ['A', 'B', 'D']",
            "",
        ],
        &[
            "environment.pass = [\"A\"] (user)",
            "ignored `environment.pass` in `user.toml` line 1: \
                 the admin file does not list `B`, `D`",
        ],
    ),
    (
        [
            "default_agent = 'a'",
            "default_agent = 'b'",
            "default_agent = 'c'",
        ],
        &[
            "default_agent = \"a\" (admin)",
            "ignored `default_agent` in `user.toml` line 1: \
                 the admin file says `a`, and `b` goes beyond it",
            "ignored `default_agent` in `project.toml` line 1: a project file cannot set it",
        ],
    ),
    (
        [
            "keeper.idle = '1m'",
            "keeper.idle = '30s'",
            "keeper.idle = '1s'",
        ],
        &[
            "keeper.idle = \"30s\" (user)",
            "ignored `keeper.idle` in `project.toml` line 1: a project file cannot set it",
        ],
    ),
    (
        [
            "approvals.wait = '1m'",
            "approvals.wait = '2m'",
            "approvals.wait = '0s'",
        ],
        &[
            "approvals.wait = \"1m\" (admin)",
            "ignored `approvals.wait` in `user.toml` line 1: \
                 the admin file says `1m`, and `2m` goes beyond it",
            "ignored `approvals.wait` in `project.toml` line 1: a project file cannot set it",
        ],
    ),
    (
        ["approvals.wait = '1m'", "approvals.wait = '0s'", ""],
        &["approvals.wait = \"0s\" (user)"],
    ),
    (
        ["", "", "approvals.notify_command = 'touch /tmp/x'"],
        &[
            "ignored `approvals.notify_command` in `project.toml` line 1: \
                 a project file cannot set it",
        ],
    ),
    (
        [
            "approvals.notify_command = ''",
            "approvals.notify_command = 'x'",
            "",
        ],
        &[
            "approvals.notify_command = \"\" (admin)",
            "ignored `approvals.notify_command` in `user.toml` line 1: \
                 the admin file says ``, and `x` goes beyond it",
        ],
    ),
    (
        [
            "audit.anchors = ['file:/a']",
            "audit.anchors = ['journald', 'file:/a']",
            "audit.anchors = ['command:x']",
        ],
        &[
            "audit.anchors = [\"file:/a\", \"journald\"] (admin user)",
            "ignored `audit.anchors` in `project.toml` line 1: a project file cannot set it",
        ],
    ),
    (
        ["", "", "sandbox = 'none'"],
        &["ignored `sandbox` in `project.toml` line 1: NARROW `none` is wider than `auto`"],
    ),
    (
        ["sandbox = 'native'", "sandbox = 'none'", ""],
        &[
            "sandbox = \"native\" (admin)",
            "ignored `sandbox` in `user.toml` line 1: \
                 the admin file says `native`, and `none` goes beyond it",
        ],
    ),
    (
        ["", "sandbox = 'none'", "sandbox = 'native'"],
        &["sandbox = \"native\" (project)"],
    ),
];

#[test]
fn narrowing() {
    let narrow = "a project file can only narrow, and";
    for ([admin, user, project], expected) in CASES {
        let expected: Vec<_> = expected
            .iter()
            .map(|line| line.replace("NARROW", narrow))
            .collect();
        assert_eq!(
            outcome(admin, user, project),
            expected,
            "{admin} | {user} | {project}"
        );
    }
}

#[test]
fn ceilings_are_what_the_admin_set() {
    let loaded = loaded(
        "environment.pass = ['A']\n[limits]\nmax_output = 5\nsurvivors = 'kill'",
        "limits.max_output = 4",
        "",
    );
    let expected = super::Ceilings {
        max_output: Some(5),
        survivors: Some(Survivors::Kill),
        environment_pass: Some(vec!["A".to_owned()]),
        ..Default::default()
    };
    assert_eq!(loaded.ceilings, expected);
}

/// Everything in which `with` gives more than `without`.
fn wider(without: &Config, with: &Config) -> Vec<Key> {
    let (old, new) = (&without.limits, &with.limits);
    let stop = |limits: &super::Limits| limits.on_log_full == OnLogFull::Stop;
    let kill = |limits: &super::Limits| limits.survivors == Survivors::Kill;
    let checks = [
        (
            Key::RequireDescription,
            without.require_description && !with.require_description,
        ),
        (
            Key::BlockedCommands,
            !all_in(&without.blocked_commands, &with.blocked_commands),
        ),
        (Key::Agent, with.agent != without.agent),
        (Key::Timeout, new.timeout > old.timeout),
        (Key::MaxTimeout, new.max_timeout > old.max_timeout),
        (
            Key::ScriptsMaxTimeout,
            with.scripts.max_timeout > without.scripts.max_timeout,
        ),
        (Key::MaxOutput, new.max_output > old.max_output),
        (Key::LogQuota, new.log_quota > old.log_quota),
        (Key::OnLogFull, stop(old) && !stop(new)),
        (Key::Survivors, kill(old) && !kill(new)),
        (Key::TermGrace, new.term_grace > old.term_grace),
        (
            Key::SecretValues,
            with.secrets.values != without.secrets.values,
        ),
        (
            Key::SecretNames,
            with.secrets.names != without.secrets.names,
        ),
        (
            Key::EnvironmentPass,
            with.environment != without.environment,
        ),
        (Key::KeeperIdle, with.keeper != without.keeper),
        (Key::TasksPerAgent, with.tasks != without.tasks),
        (
            Key::ApprovalsWait,
            Approvals {
                out_of_band: without.approvals.out_of_band.clone(),
                ..with.approvals.clone()
            } != without.approvals,
        ),
        (
            Key::ApprovalsOutOfBand,
            !all_in(&without.approvals.out_of_band, &with.approvals.out_of_band),
        ),
        (Key::AuditAnchors, with.audit != without.audit),
        (
            Key::Sandbox,
            (with.sandbox, without.sandbox) == (Sandbox::None, Sandbox::Auto),
        ),
        (Key::AgentProfile, with.agents != without.agents),
    ];
    checks
        .into_iter()
        .filter_map(|(key, wide)| wide.then_some(key))
        .collect()
}

/// A file made of a number: each key is absent or has one of a few values.
fn generate(mut seed: u64) -> String {
    let choices: [(Key, &[&str]); 27] = [
        (Key::RequireDescription, &["true", "false"]),
        (Key::BlockedCommands, &["[]", "['a']", "['b', 'c']"]),
        (Key::Agent, &["'x'", "'y'"]),
        (Key::Timeout, &["'1ms'", "'90s'", "'10m'", "'8760h'"]),
        (Key::MaxTimeout, &["'1ms'", "'90s'", "'10m'", "'8760h'"]),
        (Key::MaxOutput, &["1", "30000", "1073741824"]),
        (Key::Keep, &["'head'", "'tail'", "'head-tail'"]),
        (Key::LogQuota, &["'1B'", "'1G'", "'8388607T'"]),
        (Key::OnLogFull, &["'auto'", "'continue'", "'stop'"]),
        (Key::Survivors, &["'kill'", "'adopt'"]),
        (Key::TermGrace, &["'1ms'", "'1h'"]),
        (Key::SecretValues, &["[]", "['longenough']"]),
        (Key::SecretNames, &["[]", "['PATH']"]),
        (
            Key::EnvironmentPass,
            &["[]", "['A']", "['A', 'LD_PRELOAD']"],
        ),
        (Key::KeeperIdle, &["'1s'", "'8760h'"]),
        (Key::TasksPerAgent, &["1", "64", "4294967295"]),
        (Key::TasksTotalLog, &["'1B'", "'10G'", "'8388607T'"]),
        (Key::TasksKeep, &["1", "1000"]),
        (Key::TasksMaxAge, &["'1s'", "'30d'", "'365d'"]),
        (Key::ApprovalsExpire, &["'1s'", "'8760h'"]),
        (Key::ApprovalsWait, &["'0s'", "'1s'", "'8760h'"]),
        (Key::ApprovalsMostPending, &["1", "4294967295"]),
        (Key::ApprovalsNotifyDesktop, &["true", "false"]),
        (Key::ApprovalsNotifyCommand, &["''", "'x'", "'y'"]),
        (Key::ApprovalsOutOfBand, &["[]", "['network']", "['sudo']"]),
        (Key::AuditAnchors, &["[]", "['journald']", "['file:/a']"]),
        (Key::Sandbox, &["'native'", "'none'"]),
    ];
    let mut text = String::new();
    for (key, values) in choices {
        // A linear congruential generator: the same files on every run.
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let pick = usize::try_from(seed >> 40).unwrap() % (values.len() + 1);
        if let Some(value) = values.get(pick) {
            writeln!(text, "{key} = {value}").unwrap();
        }
    }
    text
}

#[test]
fn no_project_file_widens() {
    for seed in 0..600 {
        // Every third round has no admin file, every fifth no user file.
        let admin = if seed % 3 == 0 {
            String::new()
        } else {
            generate(seed + 10_000)
        };
        let user = if seed % 5 == 0 {
            String::new()
        } else {
            generate(seed + 20_000)
        };
        let project = generate(seed);
        let without = loaded(&admin, &user, "");
        let with = loaded(&admin, &user, &project);
        let wider = wider(&without.config, &with.config);
        assert_eq!(
            wider,
            [],
            "admin:\n{admin}\nuser:\n{user}\nproject:\n{project}"
        );
        assert!(with.config.limits.timeout <= with.config.limits.max_timeout);
        assert_eq!(with.ceilings, without.ceilings);
        assert_mute_keys(&with);
    }
}

/// Nothing that a project cannot set claims to come from one.
fn assert_mute_keys(loaded: &Loaded) {
    for key in Key::ALL {
        let from_project = loaded
            .origins
            .of(key)
            .iter()
            .any(|from| from.as_str() == "project");
        assert!(
            !from_project || key.project_may() == ProjectMay::Set,
            "{key}"
        );
    }
}

#[test]
fn no_file_passes_the_admin_file() {
    fn at_most<T: PartialOrd + Copy>(ceiling: Option<T>, value: T) -> bool {
        ceiling.is_none_or(|ceiling| value <= ceiling)
    }
    for seed in 0..300 {
        let (admin, user) = (generate(seed), generate(seed + 30_000));
        let alone = loaded(&admin, "", "").config;
        let Loaded {
            config, ceilings, ..
        } = loaded(&admin, &user, &generate(seed + 40_000));
        let limits = &config.limits;
        let checks = [
            at_most(ceilings.timeout, limits.timeout),
            at_most(ceilings.max_timeout, limits.max_timeout),
            config.scripts.max_timeout <= alone.scripts.max_timeout
                || ceilings.max_timeout.is_none(),
            at_most(ceilings.max_output, limits.max_output),
            at_most(ceilings.log_quota, limits.log_quota),
            at_most(ceilings.term_grace, limits.term_grace),
            at_most(ceilings.keeper_idle, config.keeper.idle),
            at_most(ceilings.approvals_expire, config.approvals.expire),
            at_most(ceilings.approvals_wait, config.approvals.wait),
            at_most(
                ceilings.approvals_most_pending,
                config.approvals.most_pending,
            ),
            all_in(&alone.audit.anchors, &config.audit.anchors),
            all_in(&alone.approvals.out_of_band, &config.approvals.out_of_band),
            ceilings.require_description != Some(true) || config.require_description,
            ceilings.on_log_full != Some(OnLogFull::Stop) || limits.on_log_full == OnLogFull::Stop,
            ceilings.survivors != Some(Survivors::Kill) || limits.survivors == Survivors::Kill,
            ceilings.sandbox != Some(Sandbox::By(Backend::Native))
                || config.sandbox == Sandbox::By(Backend::Native),
            ceilings.keep.is_none_or(|keep| limits.keep == keep),
            ceilings.agent.is_none_or(|agent| config.agent == agent),
            ceilings
                .environment_pass
                .is_none_or(|names| all_in(&config.environment.pass, &names)),
            all_in(&alone.blocked_commands, &config.blocked_commands),
            all_in(&alone.secrets.names, &config.secrets.names),
            all_in(&alone.secrets.values, &config.secrets.values),
        ];
        assert_eq!(checks, [true; 22], "admin:\n{admin}\nuser:\n{user}");
    }
}

fn all_in<T: PartialEq>(items: &[T], list: &[T]) -> bool {
    items.iter().all(|item| list.contains(item))
}

#[test]
fn words_of_choices_read_back() {
    for (word, keep) in Keep::ALL {
        assert_eq!((keep.as_str(), word.parse()), (*word, Ok(*keep)));
    }
    for (word, choice) in OnLogFull::ALL {
        assert_eq!((choice.as_str(), word.parse()), (*word, Ok(*choice)));
    }
    for (word, choice) in Survivors::ALL {
        assert_eq!((choice.as_str(), word.parse()), (*word, Ok(*choice)));
    }
    for (word, choice) in Sandbox::ALL {
        assert_eq!((choice.as_str(), word.parse()), (*word, Ok(*choice)));
    }
    assert!("Kill".parse::<Survivors>().is_err());
}
