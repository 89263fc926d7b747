//! Tests of spelling, layering and narrowing.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::{Capabilities, CapabilityChanges, NetworkCapability, Preset, ResourceLimits};

fn texts(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

#[test]
fn the_spellings_of_the_network() {
    let cases = [
        ("false", NetworkCapability::Off),
        ("\"off\"", NetworkCapability::Off),
        ("true", NetworkCapability::On),
        ("\"on\"", NetworkCapability::On),
        (
            "{\"hosts\": [\"a.example:443\"]}",
            NetworkCapability::Hosts(texts(&["a.example:443"])),
        ),
    ];
    for (text, expected) in cases {
        let json = format!("{{\"network\": {text}}}");
        let found: Capabilities = serde_json::from_str(&json).unwrap();
        assert_eq!(found.network, expected, "{text}");
    }
}

#[test]
fn everything_reads_back() {
    let whole = Capabilities {
        paths_read: texts(&["~/data", "*.md"]),
        paths_write: texts(&["."]),
        paths_deny: texts(&["secret"]),
        network: NetworkCapability::Hosts(texts(&["a.example"])),
        commands: Some(Vec::new()),
        resources: ResourceLimits {
            memory: Some(1 << 28),
            cpu_time: Some(90_000),
            ..ResourceLimits::default()
        },
        classes: texts(&["sudo"]),
    };
    let json = serde_json::to_string(&whole).unwrap();
    assert_eq!(
        json,
        r#"{"paths_read":["~/data","*.md"],"paths_write":["."],"paths_deny":["secret"],"network":{"hosts":["a.example"]},"commands":[],"resources":{"memory":268435456,"cpu_time":90000},"classes":["sudo"]}"#
    );
    assert_eq!(serde_json::from_str::<Capabilities>(&json).unwrap(), whole);
    let nothing: Capabilities = serde_json::from_str("{}").unwrap();
    assert_eq!(nothing, Capabilities::default());
    let json = serde_json::to_string(&nothing).unwrap();
    assert_eq!(
        serde_json::from_str::<Capabilities>(&json).unwrap(),
        nothing
    );
}

#[test]
fn mistakes_are_told() {
    let cases = [
        (
            r#"{"path_read": []}"#,
            "unknown key `path_read`: did you mean `paths_read`?",
        ),
        (
            r#"{"resources": {"memmory": 1}}"#,
            "unknown key `resources.memmory`: did you mean `resources.memory`?",
        ),
        (
            r#"{"network": {"host": []}}"#,
            "unknown key `network.host`: did you mean `network.hosts`?",
        ),
        (
            r#"{"zzz\u001b": 1}"#,
            "unknown key `zzz\\u{1b}`: known are `paths_read`, ",
        ),
        (
            r#"{"network": "maybe"}"#,
            "invalid value: string \"maybe\", expected `true`, `false`",
        ),
        (r#"{"network": 1}"#, "invalid type: integer `1`"),
        (r#"{"network": {}}"#, "missing field `hosts`"),
        (
            r#"{"network": {"hosts": ["*.com"]}}"#,
            "`*.com` would open too much",
        ),
        (r#"{"network": {"hosts": ["a b"]}}"#, "`a b` has a blank"),
        (
            r#"{"resources": {"memory": "256M"}}"#,
            "invalid type: string",
        ),
        (
            r#"{"resources": {"memory": -1}}"#,
            "invalid value: integer `-1`",
        ),
        (
            r#"{"resources": {"memory": 1.5}}"#,
            "invalid type: floating point",
        ),
        (r#"{"paths_read": "x"}"#, "invalid type: string"),
        (
            r#"{"network": false, "network": true}"#,
            "the key `network` is there twice",
        ),
        ("[]", "invalid type: sequence, expected capabilities"),
    ];
    for (json, expected) in cases {
        let error = serde_json::from_str::<Capabilities>(json).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{json}: {error}");
    }
}

#[test]
fn flags_add_to_a_preset() {
    let flags = CapabilityChanges {
        paths_write: texts(&["out", "."]),
        paths_deny: texts(&[".git"]),
        network: Some(NetworkCapability::Off),
        commands: Some(texts(&["ls"])),
        resources: ResourceLimits {
            memory: Some(5),
            ..ResourceLimits::default()
        },
        ..CapabilityChanges::default()
    };
    let more = CapabilityChanges {
        paths_deny: texts(&["x"]),
        commands: Some(Vec::new()),
        ..CapabilityChanges::default()
    };
    let expected = Capabilities {
        paths_write: texts(&["/", "out", "."]),
        paths_deny: texts(&[".git", "x"]),
        commands: Some(Vec::new()),
        resources: flags.resources,
        ..Capabilities::default()
    };
    let full = Preset::Full.capabilities();
    assert_eq!(full.network, NetworkCapability::On);
    assert_eq!(full.with(&flags).with(&more), expected);
    assert!(!flags.is_empty() && CapabilityChanges::default().is_empty());
}

#[test]
fn presets_have_names() {
    for (preset, name) in Preset::ALL.into_iter().zip(Preset::NAMES) {
        assert_eq!((preset.as_str(), name.parse()), (name, Ok(preset)));
        assert_eq!(preset.is_dangerous(), name == "full");
    }
    assert!(Preset::ALL.is_sorted());
    let message = |word: &str| word.parse::<Preset>().unwrap_err().to_string();
    assert_eq!(
        message("workspce"),
        "`workspce` is not a preset: did you mean `workspace`?"
    );
    assert_eq!(
        message("readonly"),
        "`readonly` is not a preset: did you mean `read-only`?"
    );
    assert_eq!(message("\u{1b}x"), "`\\u{1b}x` is not a preset");
}

#[test]
fn a_project_takes_away_and_never_adds() {
    let granted = Capabilities {
        paths_read: texts(&["a", "b"]),
        commands: Some(texts(&["ls", "cat"])),
        ..Preset::Workspace.capabilities()
    };
    let wish = CapabilityChanges {
        paths_read: texts(&["b", "c"]),
        paths_deny: texts(&["b/x"]),
        network: Some(NetworkCapability::On),
        commands: Some(texts(&["ls", "curl"])),
        resources: ResourceLimits {
            memory: Some(11),
            processes: Some(3),
            ..ResourceLimits::default()
        },
        classes: texts(&["sudo"]),
        ..CapabilityChanges::default()
    };
    let usual = ResourceLimits {
        memory: Some(10),
        ..ResourceLimits::default()
    };
    let (narrowed, refused) = granted.narrow(&wish, &usual);
    let expected = Capabilities {
        paths_read: texts(&["b"]),
        paths_write: texts(&["."]),
        paths_deny: texts(&["b/x"]),
        commands: Some(texts(&["ls"])),
        resources: ResourceLimits {
            processes: Some(3),
            ..ResourceLimits::default()
        },
        ..Capabilities::default()
    };
    assert_eq!(narrowed, expected);
    let refused: Vec<_> = refused
        .iter()
        .map(|widening| format!("{} {}", widening.key, widening.given.join(" ")))
        .collect();
    assert_eq!(
        refused,
        ["paths_read c", "classes sudo", "commands curl", "network on", "resources.memory 11"]
    );
}

fn names() -> impl Strategy<Value = Vec<String>> {
    vec("[a-e]", 0..4)
}

fn network() -> impl Strategy<Value = NetworkCapability> {
    prop_oneof![
        Just(NetworkCapability::Off),
        Just(NetworkCapability::On),
        prop::collection::vec("[a-z]{1,3}\\.example(:22)?", 0..4)
            .prop_map(|hosts| NetworkCapability::of_hosts(&hosts).unwrap()),
    ]
}

fn limits() -> impl Strategy<Value = ResourceLimits> {
    [(); 8]
        .map(|()| option::of(1..5u64))
        .prop_map(ResourceLimits::from_values)
}

fn changes() -> impl Strategy<Value = CapabilityChanges> {
    let lists = (names(), names(), names(), names());
    let rest = (option::of(network()), option::of(names()), limits());
    (lists, rest).prop_map(
        |(lists, (network, commands, resources))| CapabilityChanges {
            paths_read: lists.0,
            paths_write: lists.1,
            paths_deny: lists.2,
            classes: lists.3,
            network,
            commands,
            resources,
        },
    )
}

fn all_in(items: &[String], list: &[String]) -> bool {
    items.iter().all(|item| list.contains(item))
}

proptest! {
    #[test]
    fn narrowing_never_widens(before in changes(), wish in changes(), usual in limits()) {
        let before = Capabilities::from(before);
        let (after, _) = before.narrow(&wish, &usual);
        prop_assert!(all_in(&after.paths_read, &before.paths_read));
        prop_assert!(all_in(&after.paths_write, &before.paths_write));
        prop_assert!(all_in(&before.paths_deny, &after.paths_deny));
        prop_assert!(all_in(&wish.paths_deny, &after.paths_deny));
        prop_assert!(all_in(&after.classes, &before.classes));
        prop_assert!(!after.network.is_wider_than(&before.network));
        if let Some(granted) = &before.commands {
            prop_assert!(after.commands.as_ref().is_some_and(|after| all_in(after, granted)));
        }
        let all = before.resources.values().into_iter().zip(after.resources.values());
        for ((before, after), usual) in all.zip(usual.values()) {
            if let Some(bound) = before.or(usual) {
                prop_assert!(after.or(usual).is_some_and(|after| after <= bound));
            }
        }
    }

    #[test]
    fn json_reads_back(changes in changes()) {
        let capabilities = Capabilities::from(changes);
        let json = serde_json::to_string(&capabilities).unwrap();
        prop_assert_eq!(serde_json::from_str::<Capabilities>(&json).unwrap(), capabilities);
    }
}

#[test]
fn a_yes_adds_hosts_and_takes_none_away() {
    let parse = |text| NetworkCapability::parse(text).unwrap();
    for (one, other, both) in [
        ("a.example", "b.example,a.example", "a.example,b.example"),
        ("off", "b.example", "b.example"),
        ("on", "b.example", "on"),
        ("b.example", "on", "on"),
        ("off", "off", "off"),
    ] {
        assert_eq!(
            parse(one).united(&parse(other)),
            parse(both),
            "{one} {other}"
        );
    }
    assert!(parse("a.example").is_wider_than(&parse("*.b.example")));
    assert!(!parse("a.b.example").is_wider_than(&parse("*.b.example")));
    // What was written by others, and cannot be read, is never narrower.
    let unread = NetworkCapability::Hosts(texts(&["*"]));
    assert!(unread.is_wider_than(&parse("a.example")) && !unread.is_wider_than(&parse("on")));
}
