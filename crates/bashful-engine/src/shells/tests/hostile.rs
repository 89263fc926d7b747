//! Commands that do their worst to the shell around them, and states that no bash wrote.

use super::super::dump::{self, Left};
use super::super::script::{Given, loader};
use super::{Lasting, call, environment};
use crate::model::shell_state::{Function, ShellState, Value, Variable};

/// What becomes of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Saved,
    Kept,
}
use Fate::{Kept, Saved};

/// A command, its exit code, and whether what it sets before (`mark=1`) is saved.
const CASES: &[(&str, i32, Fate)] = &[
    ("mark=1", 0, Saved),
    ("mark=1; exit 7", 7, Saved),
    ("mark=1; (exit 3)", 3, Saved),
    ("mark=1; return 4", 2, Saved),
    ("mark=1; set -e; false; mark=2", 1, Saved),
    ("mark=1; set -u; echo $nope", 127, Saved),
    ("mark=1; readonly q=1; q=2", 1, Saved),
    ("mark=1; ${nope:?}", 127, Saved),
    ("mark=1\nif", 2, Saved),
    ("mark=1\n}; echo swallowed", 2, Saved),
    ("mark=1\necho 'open", 2, Saved),
    ("mark=1; cat <<'EOF'", 0, Saved),
    ("mark=1; echo a # comment", 0, Saved),
    ("mark=1; echo a \\", 0, Saved),
    ("mark=1; trap 'echo bye' EXIT", 0, Saved),
    ("mark=1; trap - EXIT", 0, Saved),
    ("mark=1; trap 'exit 9' EXIT", 9, Saved),
    ("mark=1; trap '' DEBUG ERR RETURN EXIT", 0, Saved),
    ("mark=1; set -T; trap 'mark=$mark' DEBUG", 0, Saved),
    ("mark=1; set -E; trap 'echo err' ERR; true", 0, Saved),
    ("mark=1; set -x", 0, Saved),
    ("mark=1; set -f; set -C; set -k", 0, Saved),
    (
        "mark=1; shopt -s extdebug failglob expand_aliases",
        0,
        Saved,
    ),
    (
        "mark=1; shopt -s expand_aliases; alias builtin=false eval=false exit=false printf=false",
        0,
        Saved,
    ),
    ("mark=1; shopt -s expand_aliases; alias '{'=false", 0, Kept),
    ("mark=1; unset PATH", 0, Saved),
    ("mark=1; PATH=/nowhere", 0, Saved),
    ("mark=1; IFS=abcdeflrtuinpsx=/0123456789", 0, Saved),
    ("mark=1; unset IFS", 0, Saved),
    ("mark=1; exec 3>&1 4>&2; exec >&- 2>&-", 0, Saved),
    ("mark=1; exec 59>&- 58>&-", 0, Saved),
    ("mark=1; exec 10>&-", 0, Kept),
    (
        "mark=1; cd() { echo shadow; }; exit() { echo shadow; }; printf() { echo shadow; }; declare() { echo shadow; }; alias() { echo shadow; }; umask() { echo shadow; }; pwd() { echo shadow; }",
        0,
        Saved,
    ),
    (
        "mark=1; eval() { echo shadow; }; exec() { echo shadow; }; set() { echo shadow; }; shopt() { echo shadow; }; test() { echo shadow; }",
        0,
        Saved,
    ),
    ("mark=1; :() { echo shadow; }", 0, Kept),
    (
        "mark=1; builtin() { echo shadow; }; unset() { echo shadow; }; trap() { echo shadow; }",
        0,
        Saved,
    ),
    ("mark=1; POSIXLY_CORRECT=1", 0, Saved),
    ("mark=1; readonly POSIXLY_CORRECT=1", 0, Saved),
    ("mark=1; LC_ALL=no_SUCH.locale 2>/dev/null", 0, Saved),
    (
        "mark=1; BASH_ENV=/dev/stdin ENV=x PROMPT_COMMAND='echo p' PS4='$(echo ps4 >&2)+ '",
        0,
        Saved,
    ),
    ("mark=1; GLOBIGNORE='*'; BASH_COMPAT=4.2; TMOUT=1", 0, Saved),
    ("mark=1; __bashful_status=9", 0, Saved),
    ("mark=1; cd /; rmdir /nonexistent", 1, Saved),
    ("mark=1; mkdir gone; cd gone; rmdir ../gone", 0, Saved),
    ("mark=1; ulimit -f 0", 0, Kept),
    ("mark=1; f() { exit 6; }; f", 6, Kept),
    ("mark=1; enable -n declare", 0, Kept),
    ("mark=1; set -n; echo unseen", 0, Kept),
    ("mark=1; exec true", 0, Kept),
    ("mark=1; trap 'exit 5' EXIT; exit 4", 5, Kept),
    ("mark=1; declare -n ref='a[$(echo ran >&2)]'", 0, Kept),
    (
        "mark=1; readonly -f builtin; builtin() { echo shadow; }; readonly -f builtin",
        0,
        Kept,
    ),
];

#[test]
fn a_command_harms_no_shell_but_its_own_call() {
    let mut failures = Vec::new();
    for &(command, code, fate) in CASES {
        let directory = tempfile::tempdir().unwrap();
        let mut shell = Lasting::new(directory.path());
        assert!(shell.call("mark=0; tool=kept").state.is_ok());
        let ended = shell.call(command);
        let saved = if ended.state.is_ok() { Saved } else { Kept };
        let leaks = |text: &str| text.contains("__bashful") && !command.contains("__bashful");
        let mut problem = None;
        if (ended.code, saved) != (Some(code), fate) {
            problem = Some("ended otherwise");
        } else if leaks(&ended.stdout)
            || leaks(&ended.stderr)
            || fate == Saved && ended.stdout.contains("shadow")
        {
            problem = Some("shows what is ours");
        } else {
            // Whatever it did, the next call works and is its own.
            let mark = u8::from(fate == Saved);
            let next = shell.call("\\builtin echo \"<$mark $tool>\"");
            if !next.stdout.contains(&format!("<{mark} kept>")) || next.code != Some(0) {
                failures.push(format!("{command:?}: the next call: {next:?}"));
            } else if leaks(&next.stdout) || leaks(&next.stderr) {
                failures.push(format!(
                    "{command:?}: the next call shows what is ours: {next:?}"
                ));
            }
        }
        if let Some(problem) = problem {
            failures.push(format!("{command:?} {problem}: {ended:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn programs_do_not_inherit_the_descriptors() {
    let directory = tempfile::tempdir().unwrap();
    let mut shell = Lasting::new(directory.path());
    let ended = shell.call("ls /proc/self/fd | tr '\\n' ' '; (ls /proc/self/fd | wc -l)");
    // The last is the directory itself; a pipe may be there.
    assert!(
        !ended.stdout.contains("5 8") && !ended.stdout.contains("58"),
        "{ended:?}"
    );
    for number in ["59", "60"] {
        assert!(!ended.stdout.contains(number), "{ended:?}");
    }
    assert!(ended.state.is_ok());
}

#[test]
fn nothing_runs_while_a_state_is_loaded() {
    // Each of these would run a command if it were evaluated: the control is in the test below.
    let trick = "a[$(touch canary)]";
    let directory = tempfile::tempdir().unwrap();
    let variable = |name: &str, attributes: &str, value: Value| Variable {
        name: name.to_owned(),
        attributes: attributes.to_owned(),
        value,
    };
    let text = || Value::Text(trick.into());
    let state = ShellState {
        variables: vec![
            variable("v_i", "i", text()),
            variable("v_ix", "irx", text()),
            variable("v_u", "u", text()),
            variable("v_a", "i", Value::Array(Some(vec![(0, trick.into())]))),
            variable(
                "v_m",
                "i",
                Value::Map(Some(vec![(trick.into(), trick.into())])),
            ),
            variable("PS4", "", Value::Text("$(touch canary)".into())),
            variable("BASH_ENV", "x", Value::Text("canary.sh".into())),
            variable("IFS", "", Value::Text("abcdefghij $'".into())),
            variable("GLOBIGNORE", "", Value::Text("$(touch canary)".into())),
        ],
        parameters: vec![trick.into(), "$(touch canary)".into()],
        aliases: vec![
            ("builtin".to_owned(), "touch canary;".into()),
            ("x".to_owned(), "$(touch canary)".into()),
        ],
        functions: Vec::new(),
        ..ShellState::default()
    };
    std::fs::write(directory.path().join("canary.sh"), "touch canary").unwrap();
    let ended = call(&state, directory.path(), "echo fine");
    assert_eq!(
        (ended.stdout.as_str(), ended.code),
        ("fine\n", Some(0)),
        "{ended:?}"
    );
    assert!(!directory.path().join("canary").exists());
}

/// Whatever our reader takes for a function, bash defines one function by it and does no more.
#[test]
fn a_function_that_is_more_than_that_runs_nothing() {
    let bodies = [
        "{ :; }\ntouch canary",
        "{ :; }; touch canary",
        "{ :; } > x; touch canary",
        "{ :; } $(touch canary)",
        "{ cat <<'E'\nE \ncat <<'ZQ'\nE\n}\ntouch canary\ng () {\nZQ\n}",
        "{ cat <<'\\E'\n\\E\n}\ntouch canary\n{ :\n}",
        "( : ); touch canary; ( : )",
        "( : )\n}\ntouch canary\n{ :",
        "touch canary",
        "{ :; } & touch canary",
        "{ :; } | touch canary",
        "",
    ];
    for body in bodies {
        let directory = tempfile::tempdir().unwrap();
        let state = ShellState {
            functions: vec![Function {
                name: "f".to_owned(),
                attributes: String::new(),
                body: body.to_owned(),
            }],
            ..ShellState::default()
        };
        let ended = call(&state, directory.path(), "echo fine");
        assert!(
            ended.stdout == "fine\n" && ended.code == Some(0),
            "{body:?}: {ended:?}"
        );
        assert!(!directory.path().join("canary").exists(), "{body:?}");
    }
}

#[test]
fn the_canary_sings_when_it_is_evaluated() {
    let directory = tempfile::tempdir().unwrap();
    let state = ShellState::default();
    let ended = call(
        &state,
        directory.path(),
        "a=1; declare -i x='a[$(touch canary)]'",
    );
    assert_eq!(ended.code, Some(0));
    assert!(directory.path().join("canary").exists());
}

/// A state that bash writes, with a bit of everything in it.
fn written_by_bash() -> Vec<u8> {
    let section = |parts: &[&str]| parts.concat().into_bytes();
    let variables = "declare -- BASH_VERSION=\"5\"\ndeclare -r SHELLOPTS=\"x\"\n\
        declare -a l=([0]=\"a\" [1]=$'\\n')\ndeclare -A m=([k]=\"v\" )\ndeclare -ix n=\"4\"\n";
    section(&[
        "begin\0braceexpand:hashall\0cmdhist\x000022\n\0loaded\0state\0braceexpand:errexit\0cmdhist\0",
        "2\0one\0two\0",
        "0022\n/tmp\n\0alias a='b'\n\0",
        variables,
        "\0declare -f f\n\0f () \n{ \n    echo hi\n}\n\0end\0",
    ])
}

#[test]
fn what_is_no_state_is_refused() {
    let whole = String::from_utf8(written_by_bash()).unwrap();
    let read = |text: &str| matches!(dump::read(text.as_bytes()), Left::Saved(_));
    assert!(read(&whole));
    for (from, to) in [
        ("\0end\0", "\0"),
        ("\0end\0", "\0end\0more"),
        (
            "f () \n{ \n    echo hi\n}\n",
            "f () \n{ \n    echo hi\n}\ntouch canary\n",
        ),
        (
            "f () \n{ \n    echo hi\n}\n",
            "f () \n{ \n    echo hi\n}; touch canary\n",
        ),
        ("f () \n{ \n    echo hi\n}\n", "g () \n{ \n    echo hi\n}\n"),
        ("f () \n{ \n    echo hi\n}\n", ""),
        ("declare -f f\n", ""),
        ("declare -f f\n", "declare -f $(touch canary)\n"),
        ("declare -f f\n", "declare -f f;touch canary\n"),
        ("declare -ix n=\"4\"", "declare -ix n=\"$(touch canary)\""),
        ("declare -ix n=\"4\"", "declare -ix n=4;touch canary"),
        ("declare -ix n", "declare -ixZ n"),
        ("declare -ix n", "declare -ix $(id)"),
        ("alias a='b'", "alias a='b';touch canary"),
        ("alias a='b'", "touch canary"),
        ("0022\n/tmp", "0022;touch canary\n/tmp"),
        ("0022\n/tmp", "22\n/tmp"),
        ("0022\n/tmp", "0022\ntmp"),
        (
            "state\0braceexpand:errexit",
            "state\0braceexpand:errexit;touch",
        ),
        ("state\0braceexpand:errexit", "state\0$(touch canary)"),
        ("2\0one\0two\0", "3\0one\0two\0"),
        ("2\0one\0two\0", "-2\0one\0two\0"),
        ("declare -- BASH_VERSION=\"5\"\n", ""),
        ("loaded\0", ""),
    ] {
        assert!(whole.contains(from), "{from:?}");
        assert!(
            !read(&whole.replacen(from, to, 1)),
            "{from:?} became {to:?}"
        );
    }
}

#[test]
fn a_damaged_state_runs_nothing() {
    let whole = written_by_bash();
    let directory = tempfile::tempdir().unwrap();
    let inserts: [&[u8]; 9] = [
        b"$(touch canary)",
        b"`touch canary`",
        b"'",
        b"\"",
        b"\n",
        b"\0",
        b";touch canary\n",
        b"\\",
        b"]",
    ];
    let environment = environment();
    let given = Given {
        environment: &environment,
        injected: &std::collections::BTreeSet::new(),
    };
    let (mut read, mut ran) = (0, 0);
    let mut scripts = std::collections::BTreeSet::new();
    for at in 0..whole.len() {
        for insert in inserts {
            let mut damaged = whole.clone();
            damaged.splice(at..at, insert.iter().copied());
            read += 1;
            let Left::Saved(saved) = dump::read(&damaged) else {
                continue;
            };
            if let Ok(state) = super::carry(*saved, &given, &ShellState::default())
                && scripts.insert(loader(&state, &given))
                && ran < 150
            {
                ran += 1;
                call(&state, directory.path(), ":");
            }
        }
    }
    assert!(read > 2000 && ran > 50, "{read} {ran}");
    assert!(!directory.path().join("canary").exists());
}
