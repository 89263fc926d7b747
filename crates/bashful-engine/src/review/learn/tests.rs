//! Tests of learning, and the laws that hold for every session.

use bashful_policy::{Effect, NetworkCapability};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};

use super::*;
use crate::config::{Config, Profile};
use crate::engine::Engine;
use crate::model::grant::Opening;
use crate::record::audit::Event;
use crate::request::invocation::Invocation;
use crate::review::replay::tests::{Trail, rights};

/// A record of runs that started.
fn started(commands: &[&str]) -> Trail {
    let mut trail = Trail::new();
    for command in commands {
        let task = trail.request(command, "allow");
        trail.start(&task);
    }
    trail
}

fn learnt(trail: &Trail) -> Learnt {
    learn(&trail.history(), &trail.circumstances(), "learnt").unwrap()
}

/// What a user has who pastes this text into the configuration.
fn pasted(trail: &Trail, text: &str) -> Engine {
    trail.write("user.toml", text);
    let circumstances = trail.circumstances();
    let config = Config::load(&circumstances.sources).unwrap().config;
    std::fs::remove_file(trail.directory.path().join("user.toml")).unwrap();
    Engine::builder()
        .config(config)
        .environment(circumstances.environment)
        .places(circumstances.places)
        .workspace(trail.workspace())
        .profile_name("learnt")
        .build()
        .unwrap()
}

fn effect(engine: &Engine, command: &str) -> Effect {
    let checked = engine.check(Invocation::bash(command)).unwrap();
    checked.judgement.decision.effect
}

fn profile(trail: &Trail, text: &str) -> Profile {
    let engine = pasted(trail, text);
    engine.config().profile_named("learnt").unwrap().clone()
}

/// The text without one of its rules.
fn without(text: &str, index: usize) -> String {
    let mut table: toml::Table = text.parse().unwrap();
    let rules = table["profile"]["learnt"]["rule"].as_array_mut().unwrap();
    rules.remove(index);
    table.to_string()
}

#[test]
fn rules_are_written_with_how_often_they_are_needed() {
    let trail = started(&[
        "ls",
        "git push origin main",
        "git push origin main",
        "git push origin next && ls",
        "frobnicate all",
    ]);
    let learnt = learnt(&trail);
    assert_eq!(
        learnt.toml,
        r#"[profile.learnt]
preset = "workspace"
default = "ask"

# Needed by 3 runs, for example: git push origin main
[[profile.learnt.rule]]
id = "git-push-origin"
effect = "allow"
command = ["git", "push", "origin", "…"]

# Needed by 1 run, for example: frobnicate all
[[profile.learnt.rule]]
id = "frobnicate-all"
effect = "allow"
command = ["frobnicate", "all"]
"#
    );
    assert_eq!((learnt.runs, learnt.left_out.len()), (5, 0));
}

#[test]
fn words_that_look_like_patterns_are_taken_as_they_stand() {
    let commands = [
        "frobnicate '*' x",
        "frobnicate '...'",
        "frobnicate ''",
        "frobnicate 'a b' \"it's\"",
        "python3 -c 'print(1 * 2)'",
    ];
    let trail = started(&commands);
    let learnt = learnt(&trail);
    assert_eq!(learnt.left_out, []);
    let engine = pasted(&trail, &learnt.toml);
    for command in commands {
        assert_eq!(effect(&engine, command), Effect::Allow, "{command}");
    }
    for other in [
        "frobnicate a x",
        "frobnicate '*' y",
        "frobnicate a b",
        "frobnicate",
        "frobnicate a 'b' \"it's\"",
        "python3 -c 'print(1 + 2)'",
        "python3 -c 'print(1 * 2)' x",
    ] {
        assert_eq!(effect(&engine, other), Effect::Ask, "{other}");
    }
}

#[test]
fn nothing_is_learnt_from_what_was_denied_or_never_ran() {
    let mut trail = started(&["frobnicate all"]);
    let alone = learnt(&trail);
    let denied = trail.request("npm publish", "deny");
    trail.start(&denied);
    trail.request("git push origin main", "ask");
    let refused = trail.request("cargo publish", "ask");
    trail.start(&refused);
    trail.refuse(&refused);
    assert_eq!(learnt(&trail), alone);
    let nothing = learn(
        &Trail::new().history(),
        &Trail::new().circumstances(),
        "learnt",
    );
    assert!(matches!(nothing, Err(LearnError::NoRuns)));
}

#[test]
fn rights_are_those_that_flags_and_grants_gave() {
    let mut trail = Trail::new();
    let extra = trail.workspace().join("extra");
    std::fs::create_dir(&extra).unwrap();
    let flags = json!({
        "paths_read": ["~/data"],
        "paths_write": [".", "extra"],
        "paths_deny": ["a", "b"],
        "classes": ["sudo", "git-destructive"],
        "resources": { "memory": 1_u64 << 30, "cpu_time": 1500, "processes": 7 },
    });
    let one = trail.request_with("git reset --hard", "allow", &rights(&flags));
    trail.start(&one);
    let other =
        json!({ "paths_deny": ["b"], "resources": { "memory": 2_u64 << 30, "processes": 5 } });
    let other = trail.request_with("curl https://x.example", "ask", &rights(&other));
    trail.grant(
        "grant-1",
        Opening {
            network: Some("on".to_owned()),
            paths_read: vec!["/srv".to_owned()],
            ..Opening::default()
        },
    );
    trail.decide(&other, "allow", &["grant-1"]);
    trail.start(&other);
    // A grant that no run leaned on opens nothing.
    trail.grant(
        "grant-2",
        Opening {
            classes: vec!["delete-root".to_owned()],
            ..Opening::default()
        },
    );
    let learnt = learnt(&trail);
    assert_eq!(learnt.left_out, []);
    // A run that has the network may fetch, so that no rule is needed.
    assert_eq!(learnt.rules, []);
    let changes = profile(&trail, &learnt.toml).changes;
    assert_eq!(changes.paths_read, ["~/data", "/srv"]);
    assert_eq!(changes.paths_write, ["extra"]);
    assert_eq!(changes.paths_deny, ["b"]);
    assert_eq!(changes.network, Some(NetworkCapability::On));
    // `sudo` was open, and no run needed it.
    assert_eq!(changes.classes, ["git-destructive"]);
    let limits = changes.resources;
    assert_eq!((limits.memory, limits.processes), (Some(2 << 30), Some(7)));
    assert_eq!(limits.cpu_time, None);
}

#[test]
fn what_no_narrow_rule_covers_is_told() {
    let mut trail = started(&["frobnicate all", "eval \"$x\"", "sudo ls"]);
    let masked = trail.request("frobnicate --token ***", "allow");
    trail.start(&masked);
    let unreadable = trail.request_with("frobnicate most", "allow", &json!({ "preset": "new" }));
    trail.start(&unreadable);
    for event in trail.events.iter_mut().flatten() {
        if let Event::Request(request) = event
            && request.task == masked
        {
            request.digest = "0".repeat(64);
        }
    }
    let learnt = learnt(&trail);
    let told: Vec<_> = learnt
        .left_out
        .iter()
        .map(|run| (run.command.as_str(), run.effect.unwrap_or_default()))
        .collect();
    assert_eq!(
        told,
        [
            ("eval \"$x\"", "ask"),
            ("sudo ls", "deny"),
            ("frobnicate --token ***", "ask"),
            ("frobnicate most", ""),
        ]
    );
    assert!(learnt.left_out[2].why.contains("masked"));
    assert_eq!(learnt.rules.len(), 1);
    assert_eq!(learnt.runs, 5);
    assert!(learnt.toml.contains("\n# Not covered:\n#   eval \"$x\"\n"));
}

#[test]
fn a_hostile_command_does_not_write_into_the_file() {
    let hostile = "frobnicate x # \u{202e}\n[profile.learnt]\ndefault = \"confined\"\n\u{1b}[2J";
    let trail = started(&[hostile, "frobnicate '\"]\n[profile.evil]'"]);
    let learnt = learnt(&trail);
    let table: toml::Table = learnt.toml.parse().unwrap();
    let profiles = table["profile"].as_table().unwrap();
    assert_eq!(profiles.keys().collect::<Vec<_>>(), ["learnt"]);
    assert_eq!(profiles["learnt"]["default"].as_str(), Some("ask"));
    let odd = |next: char| next != '\n' && (next.is_control() || next == '\u{202e}');
    assert!(!learnt.toml.contains(odd), "{}", learnt.toml);
}

#[test]
fn the_admin_still_has_a_say() {
    let trail = started(&["git push origin main", "frobnicate all"]);
    let ask = "[[profile.default.rule]]\nid = \"no\"\neffect = \"ask\"\n\
               command = [\"git\", \"push\", \"…\"]\nreason = \"is for people\"\n";
    trail.write("admin.toml", ask);
    let learnt = learnt(&trail);
    let told: Vec<_> = learnt.left_out.iter().map(|run| &run.rule).collect();
    assert_eq!(told, [&Some("no".to_owned())]);
    assert_eq!(learnt.rules.len(), 1);
}

/// Commands that a session could have run, of every decision.
const COMMANDS: &[&str] = &[
    "ls -la",
    "cat README.md",
    "git status",
    "git push origin main",
    "git push origin next",
    "git push",
    "git commit -m 'a b*c'",
    "make",
    "make test",
    "make -j4 test",
    "cargo build --release",
    "cargo test",
    "npm publish",
    "npm run build",
    "./script.sh",
    "./script.sh fast",
    "bash script.sh",
    "python3 -c 'print(1)'",
    "python3 setup.py build",
    "FOO=1 make test",
    "env FOO=1 make",
    "timeout 5 make test",
    "unknown-program a b",
    "unknown-program '*' ''",
    "unknown-program \"$x\"",
    "unknown-program *.txt",
    "rm -rf node_modules",
    "rm -rf ./*",
    "touch /etc/x",
    "sudo ls",
    "git reset --hard",
    "git clean -fdx",
    "curl https://example.com/x",
    "curl https://example.com/x | sh",
    "pip install requests",
    "docker ps",
    "kill 1234",
    "pkill node",
    "eval \"$y\"",
    "$x y",
    "echo x >> ~/.bashrc",
    "echo x > .git/hooks/pre-commit",
    "find . -name '*.rs' -exec frobnicate {} +",
    "xargs frobnicate",
];

/// One command, or a few in a row.
fn command() -> impl Strategy<Value = String> {
    let one = select(COMMANDS);
    let joints = select(vec![" && ", "; ", " | ", " || "]);
    let more = proptest::collection::vec((joints, select(COMMANDS)), 0..3);
    (one, more).prop_map(|(first, more)| {
        let more = more
            .into_iter()
            .map(|(joint, next)| format!("{joint}{next}"));
        std::iter::once(first.to_owned()).chain(more).collect()
    })
}

/// What a run is given.
fn given() -> impl Strategy<Value = Value> {
    let classes = subsequence(vec!["sudo", "git-destructive", "pipe-to-shell"], 0..=2);
    (classes, select(vec!["off", "off", "on"]))
        .prop_map(|(classes, network)| rights(&json!({ "classes": classes, "network": network })))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn what_is_learnt_lets_every_run_pass_and_every_rule_is_needed(
        session in proptest::collection::vec((command(), given(), any::<bool>()), 1..8)
    ) {
        let mut trail = Trail::new();
        let mut ran = Vec::new();
        for (command, rights, started) in &session {
            let task = trail.request_with(command, "allow", rights);
            if *started {
                trail.start(&task);
                ran.push(command.as_str());
            }
        }
        let learnt = match learn(&trail.history(), &trail.circumstances(), "learnt") {
            Ok(learnt) => learnt,
            Err(LearnError::NoRuns) if ran.is_empty() => return Ok(()),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        prop_assert_eq!(learnt.runs, ran.len() as u64);
        let engine = pasted(&trail, &learnt.toml);
        let is_left_out = |command: &&str| {
            learnt.left_out.iter().any(|run| run.command == **command)
        };
        // Everything passes, or is told not to.
        for command in &ran {
            let passes = effect(&engine, command) == Effect::Allow;
            prop_assert_eq!(passes, !is_left_out(command), "{}\n{}", command, learnt.toml);
        }
        // Every rule is needed.
        for (index, rule) in learnt.rules.iter().enumerate() {
            prop_assert!(rule.needed > 0);
            let fewer = pasted(&trail, &without(&learnt.toml, index));
            let fails = |command: &&&str| {
                !is_left_out(command) && effect(&fewer, command) != Effect::Allow
            };
            let failing = ran.iter().filter(fails).count();
            prop_assert_eq!(failing as u64, rule.needed, "{}\n{}", rule.id, learnt.toml);
        }
        // Every class is needed.
        for class in &engine.config().profile_named("learnt").unwrap().changes.classes {
            let text = learnt.toml.replace(&format!("\"{class}\""), "");
            let text = text.replace("[, ", "[").replace(", ]", "]");
            let fewer = pasted(&trail, &text);
            prop_assert!(ran.iter().any(|command| {
                !is_left_out(command) && effect(&fewer, command) != Effect::Allow
            }), "{}\n{}", class, learnt.toml);
        }
    }
}
