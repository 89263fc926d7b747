//! The law of shells: to load a state executes nothing, whatever a run wrote into it.
//!
//! It is tried for all of bash's own variables, those that this machine's bash has at its start
//! among them, with every attribute and with values that would execute if they were evaluated;
//! and for functions and aliases with the names of all builtins and reserved words.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::path::Path;

use proptest::prelude::*;

use super::super::dump::{self, Left};
use super::super::own;
use super::super::script::Given;
use super::{Ended, call, carry, environment};
use crate::model::shell_state::{Function, ShellState, Switches, Value, Variable};

/// What would execute if bash evaluated it as a number, a prompt, a word, a command or twice.
const TRICKS: [&str; 10] = [
    "a[$(touch canary)]",
    "1+a[$(touch canary)]",
    "a[`touch canary`]",
    "$(touch canary)",
    "`touch canary`",
    r"\044(touch canary)",
    "';touch canary;'",
    "x=$(touch canary)",
    "${a@P}",
    "canary.sh",
];

/// A variable with an attribute or none, of each kind.
const ATTRIBUTES: [&str; 12] = [
    "", "i", "n", "r", "t", "x", "l", "u", "c", "ix", "in", "ilrtx",
];

#[derive(Debug, Clone, Copy)]
enum Form {
    Text,
    Array,
    Map,
}
const FORMS: [Form; 3] = [Form::Text, Form::Array, Form::Map];

fn variable(name: &str, attributes: &str, form: Form, trick: &str) -> Variable {
    Variable {
        name: name.to_owned(),
        attributes: attributes.to_owned(),
        value: match form {
            Form::Text => Value::Text(trick.into()),
            Form::Array => Value::Array(Some(vec![(0, trick.into()), (7, trick.into())])),
            Form::Map => Value::Map(Some(vec![(trick.into(), trick.into())])),
        },
    }
}

/// What the lines print that a new bash runs.
fn asked(directory: &Path, text: &str) -> String {
    call(&ShellState::default(), directory, text).stdout
}

/// Bash's own names, as we know them and as this bash has them, and two that bash does not know.
fn names(directory: &Path) -> Vec<String> {
    let listed = asked(directory, "compgen -v");
    let mut names: BTreeSet<String> = own::names().map(str::to_owned).collect();
    names.extend(listed.lines().map(str::to_owned));
    names.extend(["a", "mine"].map(str::to_owned));
    names.retain(|name| !name.starts_with("__bashful"));
    assert!(names.len() > 100, "{names:?}");
    names.into_iter().collect()
}

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("canary.sh"), "touch canary").unwrap();
    directory
}

fn sings(directory: &Path) -> bool {
    directory.join("canary").exists()
}

/// A call in a bash that loads this, by each of its ways to end. It may refuse to.
fn is_quiet(directory: &Path, state: &ShellState) -> Vec<Ended> {
    let texts = ["[[ -n 1 ]]", r"\builtin exit 0"];
    let ended = texts.map(|text| call(state, directory, text));
    assert!(!sings(directory), "{:?}", serde_json::to_string(state));
    ended.into()
}

/// The state that comes of what a run left, if that wrote these variables.
fn written(variables: &[Variable]) -> Option<ShellState> {
    let quoted = |text: &str| {
        let mut word = String::from("\"");
        for letter in text.chars() {
            if "\\\"$`".contains(letter) {
                word.push('\\');
            }
            word.push(letter);
        }
        word + "\""
    };
    // Without these it would not be a whole list.
    let mut lines = String::new();
    for name in ["BASH_VERSION", "SHELLOPTS"] {
        if variables.iter().all(|variable| variable.name != name) {
            let _ = writeln!(lines, "declare -r {name}=\"x\"");
        }
    }
    for variable in variables {
        let (kind, value) = match &variable.value {
            Value::Text(text) => ("", quoted(text.text()?)),
            Value::Array(Some(all)) => {
                let one = |(at, text): &(u64, _)| format!("[{at}]={}", quoted(text_of(text)));
                let all: Vec<String> = all.iter().map(one).collect();
                ("a", format!("({})", all.join(" ")))
            }
            Value::Map(Some(all)) => {
                let [key, text] = all.first().map(|(key, text)| [key, text].map(text_of))?;
                ("A", format!("([{}]={} )", quoted(key), quoted(text)))
            }
            _ => return None,
        };
        let letters = format!("{kind}{}", variable.attributes);
        let letters = if letters.is_empty() { "-" } else { &letters };
        let _ = writeln!(lines, "declare -{letters} {}={value}", variable.name);
    }
    let dump = format!(
        "begin\0braceexpand\0cmdhist\x000022\n\0loaded\0state\0braceexpand:xtrace\0cmdhist\0\
         0\x000022\n/tmp\n\0\0{lines}\0\0\0end\0"
    );
    let environment = environment();
    let given = Given {
        environment: &environment,
        injected: &BTreeSet::new(),
    };
    match dump::read(dump.as_bytes()) {
        Left::Saved(dump) => carry(*dump, &given, &ShellState::default()).ok(),
        other => panic!("{other:?}: {lines}"),
    }
}

fn text_of(bytes: &crate::model::shell_bytes::Bytes) -> &str {
    bytes.text().unwrap()
}

/// The control: an assignment by name, as a naive loader makes it, executes for these.
#[test]
fn bash_evaluates_what_it_takes_for_a_number() {
    let directory = directory();
    let each = "for n in $(compgen -v); do (eval \"$n='a[\\$(echo $n >&2)]'\") 2>&1; done";
    let evaluated = asked(directory.path(), each);
    for name in ["OPTIND", "RANDOM", "HISTCMD"] {
        assert!(evaluated.lines().any(|line| line == name), "{evaluated}");
    }
    // And so does a reference that is a number, whatever it refers to.
    asked(directory.path(), "x='a[$(touch canary)]'; declare -in r=x");
    assert!(sings(directory.path()));
}

#[test]
fn what_a_run_wrote_executes_nothing() {
    let directory = directory();
    let names = names(directory.path());
    for attributes in ATTRIBUTES {
        for form in FORMS {
            let all = names.iter();
            let all = all.map(|name| variable(name, attributes, form, TRICKS[0]));
            // As a reference it is refused, with the whole state.
            if let Some(state) = written(&all.collect::<Vec<_>>()) {
                let ended = is_quiet(directory.path(), &state);
                assert!(ended.iter().all(|one| one.code == Some(0)), "{ended:?}");
            } else {
                assert!(attributes.contains('n'), "{attributes} {form:?}");
            }
        }
    }
}

/// The loader alone, without what is left out before: it may give up, and executes nothing.
#[test]
fn no_name_is_evaluated_by_the_loader_itself() {
    let directory = directory();
    let names = names(directory.path());
    let each = "for n in $(compgen -v); do (unset -v $n) 2>/dev/null || echo $n; done";
    let kept = asked(directory.path(), each);
    let kept: HashSet<&str> = kept.lines().collect();
    assert!(kept.contains("SHELLOPTS"), "{kept:?}");
    let state = |variables: Vec<Variable>| ShellState {
        variables,
        ..ShellState::default()
    };
    for attributes in ["", "i", "irx", "u"] {
        for form in FORMS {
            let one = |name: &String| variable(name, attributes, form, TRICKS[0]);
            let all = names.iter().filter(|name| !kept.contains(name.as_str()));
            is_quiet(directory.path(), &state(all.map(one).collect()));
        }
        for name in names.iter().filter(|name| kept.contains(name.as_str())) {
            let ended = is_quiet(
                directory.path(),
                &state(vec![variable(name, attributes, Form::Text, TRICKS[0])]),
            );
            assert!(ended.iter().all(|one| one.code == Some(125)), "{name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn no_mixture_executes(
        seeds in prop::collection::vec((0..ATTRIBUTES.len(), 0..FORMS.len(), 0..TRICKS.len()), 200)
    ) {
        let directory = directory();
        let names = names(directory.path());
        let all = names.iter().zip(seeds).map(|(name, (attributes, form, trick))| {
            variable(name, ATTRIBUTES[attributes], FORMS[form], TRICKS[trick])
        });
        // With one of these the whole state is refused, which is another test's.
        let all: Vec<Variable> = all.filter(|one| !one.has('n')).collect();
        let state = written(&all);
        prop_assert!(state.is_some());
        for ended in is_quiet(directory.path(), &state.unwrap_or_default()) {
            prop_assert_eq!(ended.code, Some(0));
            prop_assert!(ended.state.is_ok());
        }
    }
}

#[test]
fn no_function_and_no_alias_is_called_by_what_is_ours() {
    let directory = directory();
    let words = asked(directory.path(), "compgen -bk");
    let plain = |word: &&str| word.starts_with(|it: char| it.is_ascii_alphabetic());
    let words: Vec<&str> = words.lines().filter(plain).collect();
    assert!(words.contains(&"exec") && words.contains(&"builtin"));
    let function = |attributes: &'static str| {
        move |word: &&str| Function {
            name: (*word).to_owned(),
            attributes: attributes.to_owned(),
            body: "{ touch canary; }".to_owned(),
        }
    };
    let callable = || words.iter().filter(|word| **word != "builtin");
    let alias = |word: &&str| ((*word).to_owned(), "touch canary;".into());
    for options in [vec![], vec!["xtrace".to_owned()], vec!["posix".to_owned()]] {
        let options = Switches {
            on: options,
            off: Vec::new(),
        };
        for attributes in ["", "x", "r"] {
            let state = ShellState {
                functions: callable().map(function(attributes)).collect(),
                options: options.clone(),
                ..ShellState::default()
            };
            let ended = is_quiet(directory.path(), &state);
            assert!(ended.iter().all(|one| one.state.is_ok()), "{ended:?}");
        }
        let state = ShellState {
            aliases: words.iter().map(alias).collect(),
            options,
            ..ShellState::default()
        };
        let ended = is_quiet(directory.path(), &state);
        assert!(ended.iter().all(|one| one.state.is_ok()), "{ended:?}");
    }
    // The control: what a loader and a trap that were written otherwise would do.
    asked(directory.path(), "exec() { touch canary; }; exec 5<&-");
    assert!(sings(directory.path()));
    std::fs::remove_file(directory.path().join("canary")).unwrap();
    let trap = "trap 'builtin :' EXIT; alias builtin='touch canary;'\n\\builtin exit";
    asked(directory.path(), trap);
    assert!(sings(directory.path()));
}

#[test]
fn what_a_command_leaves_executes_nothing_in_the_next_call() {
    for command in [
        "declare +i OPTIND; OPTIND='a[$(touch canary)]'",
        "unset OPTIND; OPTIND='a[$(touch canary)]'",
        "unset OPTIND; OPTIND=('a[$(touch canary)]'); export OPTIND",
        "unset OPTIND; declare -A OPTIND=(['$(touch canary)']='a[$(touch canary)]')",
        "unset RANDOM SRANDOM HISTCMD; RANDOM='a[$(touch canary)]' SRANDOM=$RANDOM HISTCMD=$RANDOM",
        "unset OPTIND; OPTIND='a[$(touch canary)]'; declare -n x=OPTIND",
        "x='a[$(touch canary)]'; declare -i x; declare -n OPTIND=x",
        "PS4='$(touch canary)'; export PS4; set -x",
        r"PS4='\044(touch canary)'; set -xv",
        "export BASH_ENV=canary.sh ENV=canary.sh; set -o posix",
        "exec() { touch canary; }; export -f exec",
        "alias builtin='touch canary;'; set -xo posix",
    ] {
        let directory = directory();
        let mut shell = super::Lasting::new(directory.path());
        assert!(shell.call(command).state.is_ok(), "{command}");
        let _ = std::fs::remove_file(directory.path().join("canary"));
        for next in [
            "[[ -n 1 ]]",
            r"\builtin exit 0",
            r"\builtin eval '[[ -n 1 ]]'",
        ] {
            let ended = shell.call(next);
            assert!(ended.state.is_ok(), "{command}: {ended:?}");
            assert!(!sings(directory.path()), "{command}: {ended:?}");
        }
    }
}
