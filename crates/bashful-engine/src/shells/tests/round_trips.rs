//! Any state survives a call that does nothing.

use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;

use super::{Lasting, call};
use crate::model::shell_bytes::Bytes;
use crate::model::shell_state::{ShellState, Switches, Value, Variable};

fn bytes() -> impl Strategy<Value = Bytes> {
    let any = vec(1_u8..=255, 0..40).prop_map(Bytes);
    let nasty = prop::sample::select(vec![
        "$(touch canary)",
        "`touch canary`",
        "a[$(touch canary)]",
        "';touch canary;'",
        "\"",
        "\\",
        "\n",
        "$'x'",
        "!!",
        "~",
        "*",
        "x y",
        "",
        "-n",
        "--",
        "=",
        "]",
        "\u{1f980}",
        "\t",
        "#",
        "${x@P}",
    ]);
    prop_oneof![any, nasty.prop_map(Bytes::from)]
}

fn value() -> impl Strategy<Value = Value> {
    let map = btree_map(
        bytes().prop_filter("a key", |key| !key.0.is_empty()),
        bytes(),
        0..6,
    );
    prop_oneof![
        4 => bytes().prop_map(Value::Text),
        1 => Just(Value::None),
        2 => btree_map(0_u64..1000, bytes(), 0..6).prop_map(|map| Value::Array(Some(map.into_iter().collect()))),
        1 => Just(Value::Array(None)),
        2 => map.prop_map(|map| Value::Map(Some(map.into_iter().collect()))),
        1 => Just(Value::Map(None)),
    ]
}

fn attributes() -> impl Strategy<Value = String> {
    let letters = btree_set(prop::sample::select(vec!['i', 'r', 't', 'x']), 0..4);
    let case = prop::sample::select(vec!["", "l", "u"]);
    (letters, case).prop_map(|(letters, case)| {
        let mut all: Vec<char> = letters.into_iter().chain(case.chars()).collect();
        all.sort_unstable();
        all.into_iter().collect()
    })
}

fn state() -> impl Strategy<Value = ShellState> {
    let variables = btree_map("v_[a-zA-Z0-9_]{1,8}", (attributes(), value()), 0..12);
    let aliases = btree_map("[a-z][a-z0-9_.-]{0,6}", bytes(), 0..4);
    let shopts = btree_set(
        prop::sample::select(vec![
            "nullglob",
            "extglob",
            "dotglob",
            "expand_aliases",
            "failglob",
        ]),
        0..4,
    );
    let options = btree_set(
        prop::sample::select(vec![
            "errexit",
            "nounset",
            "noglob",
            "pipefail",
            "xtrace",
            "allexport",
            "noclobber",
        ]),
        0..5,
    );
    (
        variables,
        aliases,
        vec(bytes(), 0..5),
        shopts,
        options,
        0o100_u16..0o200,
    )
        .prop_map(|(variables, aliases, parameters, shopts, options, umask)| {
            let variable = |(name, (attributes, value))| Variable {
                name,
                attributes,
                value,
            };
            // Aliases are expanded unless that is switched off; all others are off by default.
            let on = |set: std::collections::BTreeSet<&str>| {
                let names = set.into_iter().map(str::to_owned);
                let (off, on) = names.partition(|name| name == "expand_aliases");
                Switches { on, off }
            };
            ShellState {
                umask: Some(umask),
                parameters,
                variables: variables.into_iter().map(variable).collect(),
                aliases: aliases.into_iter().collect(),
                shopts: on(shopts),
                options: on(options),
                ..ShellState::default()
            }
        })
}

/// The same in an order of its own: bash lists keys in none.
fn in_order(mut state: ShellState) -> ShellState {
    state.directory = None;
    for variable in &mut state.variables {
        if let Value::Map(Some(map)) = &mut variable.value {
            map.sort();
        }
    }
    state.variables.sort_by(|one, two| one.name.cmp(&two.name));
    state.aliases.sort();
    for names in [&mut state.options.on, &mut state.shopts.on] {
        names.sort();
    }
    state
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_state_survives(state in state()) {
        let directory = tempfile::tempdir().unwrap();
        let ended = call(&state, directory.path(), ":");
        prop_assert_eq!(&ended.stdout, "");
        prop_assert_eq!(ended.code, Some(0));
        let after = ended.state.map_err(TestCaseError::fail)?;
        let [before, after] = [in_order(state), in_order(after)];
        // Bytes do not show themselves.
        prop_assert_eq!(serde_json::to_string(&before).unwrap(), serde_json::to_string(&after).unwrap());
        prop_assert!(!directory.path().join("canary").exists());
    }
}

#[test]
fn a_megabyte_of_variables_survives_and_five_do_not_fit() {
    let directory = tempfile::tempdir().unwrap();
    let mut shell = Lasting::new(directory.path());
    let fill = "printf -v big '%01000000d' 0; n=${#big}";
    assert!(shell.call(fill).state.is_ok());
    let ended = shell.call("echo ${#big} $n; echo ${big:0:3}");
    assert_eq!(ended.stdout, "1000000 1000000\n000\n");
    let ended = shell.call("small=1; printf -v huge '%*s' 5000000 ''");
    assert_eq!(ended.code, Some(0));
    assert!(ended.state.is_err());
    assert_eq!(
        shell.call("echo ${small-kept} ${#big}").stdout,
        "kept 1000000\n"
    );
}
