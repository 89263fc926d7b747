//! The same commands in a shell that lasts and in one bash that never ends.

use std::fs;
use std::path::Path;

use bashful_sandbox::Launch;

use super::{Lasting, bash, environment, wait};

/// Sequences of commands. Each prints what the ones before left.
const SEQUENCES: &[&[&str]] = &[
    &[
        "x=5",
        "echo $x",
        "((x += 2)); echo $x",
        "unset x; echo ${x-gone}",
        "echo ${x-gone}",
    ],
    &[
        "export A='a b' B",
        "env | grep '^A='; echo ${B-unset}",
        "export -n A; env | grep '^A='; echo $A",
    ],
    &[
        "mkdir -p d/e; cd d/e",
        "pwd | sed 's|.*/d|d|'",
        "cd ..",
        "cd - >/dev/null; pwd | sed 's|.*/d|d|'",
    ],
    &[
        "f() { echo \"f $1 $x\"; return 4; }; x=1",
        "f a; echo $?",
        "x=2; f 'b c'",
        "unset -f f; f 2>/dev/null; echo $?",
    ],
    &[
        "a=(1 '2 3' $'4\\n5'); a[9]=x",
        "declare -p a; echo ${#a[@]} \"${a[1]}\"",
        "a+=(y); echo ${!a[@]}",
        "unset 'a[0]'; echo ${!a[@]}",
    ],
    &[
        "declare -A m=([k]=v ['a b']='c d' [$'n\\n']=']')",
        "for k in 'k' 'a b' $'n\\n'; do echo \"${m[$k]}\"; done; echo ${#m[@]}",
        "m[k]=w; unset 'm[a b]'; echo ${#m[@]} ${m[k]}",
    ],
    &[
        "declare -i n=5; n=n*2",
        "echo $n; n=3+4; echo $n; declare -p n",
    ],
    &[
        "declare -u up=abc; declare -l low=ABC",
        "up=xyz; low=XYZ; echo $up $low",
    ],
    &["readonly R=1", "R=2; echo not reached", "echo $R"],
    &[
        "target=1; declare -n ref=target",
        "ref=7; echo $target",
        "declare -n | grep -c ref=",
    ],
    &["set -u", "echo ${nope-yes}", "set +u; echo x${nope}"],
    &[
        "set -o pipefail",
        "false | true; echo $?",
        "set +o pipefail",
        "false | true; echo $?",
    ],
    &["set -f", "echo /et*", "set +f", "echo /et*"],
    &[
        "shopt -s nullglob extglob",
        "echo /nothing*; shopt -p nullglob extglob",
        "case ab in @(ab|cd)) echo yes;; esac",
        "shopt -u nullglob; echo /nothing*",
    ],
    &[
        "shopt -s extglob",
        "g() { case $1 in !(x)) echo no x;; *) echo x;; esac; }",
        "g x; g y",
    ],
    &[
        "shopt -s expand_aliases; alias hi='echo hello'",
        "hi there",
        "alias hi; unalias hi",
        "alias | grep -c hi",
    ],
    &[
        "shopt -u expand_aliases; alias later='echo l'",
        "later 2>/dev/null; echo $?",
        "shopt -s expand_aliases",
        "later",
    ],
    &["umask 027", "umask", "umask 077; umask", "umask -S"],
    &[
        "set -- a 'b c' $'d\\ne'",
        "echo $#; printf '<%s>' \"$@\"; echo",
        "shift; echo $1",
        "set --; echo $#",
    ],
    &[
        "IFS=:; x=a:b",
        "set -- $x; echo $#; printf '<%s>' $x; echo",
        "unset IFS; x='a b'; set -- $x; echo $#",
    ],
    &["h() { cat <<END\nline $1\nEND\n}", "h one", "h two | cat"],
    &["k() ( echo sub; exit 3 )", "k; echo $?"],
    &["r() { echo redirected; } >&2", "r 2>/dev/null; r 2>&1"],
    &[
        "export PATH=\"$PWD/bin:$PATH\"; mkdir -p bin; printf '#!/bin/sh\\necho mine\\n' >bin/tool; chmod +x bin/tool",
        "tool",
    ],
    &[
        "unset HOME LANG",
        "echo ${HOME-none} ${LANG-none}",
        "HOME=/x",
        "echo $HOME; env | grep -c ^HOME=",
    ],
    &[
        "x=$'\\x01\\x7f\\xc3\\x28 \\'\"$`\\\\!'",
        "printf '%s' \"$x\" | od -An -tx1",
    ],
    &[
        "ef() { echo exported; }; export -f ef",
        "bash -c ef",
        "export -nf ef; bash -c ef 2>/dev/null; echo $?",
    ],
    &[
        "unset() { echo mine; }; printf() { echo p; }; declare() { echo d; }",
        "unset x; printf y; declare z",
        "builtin unset -f unset printf declare; printf 'ok\\n'",
    ],
    &[
        "cd() { builtin cd \"$@\" && echo \"in ${PWD##*/}\"; }; mkdir -p sub",
        "cd sub",
        "builtin cd ..; cd sub",
    ],
    &[
        "set -o noclobber; echo a >file",
        "echo b 2>/dev/null >file; cat file",
        "set +C; echo c >file; cat file",
    ],
    &[
        "set -a; later=1",
        "made=2; env | grep -c '^made=\\|^later='",
        "set +a; quiet=3; env | grep -c ^quiet=",
    ],
    &["getopts ab opt -a -b; echo $opt $OPTIND", "echo $OPTIND"],
    &[
        "e=; declare -p e; declare d; declare -p d",
        "echo ${e-unset}. ${d-unset}.",
    ],
    &[
        "declare -a empty=(); declare -a none",
        "declare -p empty none",
    ],
    &[
        "declare -rx both=1; declare -ir num=4",
        "declare -p both num",
    ],
    &[
        "set -o posix",
        "set -o | grep -c 'posix.*on'",
        "set +o posix",
        "set -o | grep -c 'posix.*off'",
    ],
    &["if", "echo still here", "echo 'unclosed", "echo again"],
    &["true; }", "echo a", ")", "echo b"],
    &["trap 'echo ignored' USR1; x=1", "echo $x"],
    &["false", "echo status is new", "(exit 9)", "true"],
    &["a-b() { echo dashed; }; a.b() { echo dotted; }", "a-b; a.b"],
    &["n=0; for i in 1 2 3; do n=$((n+i)); done", "echo $n $i"],
    &[
        "read -r one two <<<'x y z'",
        "echo $one/$two",
        "mapfile -t lines <<<$'p\\nq'; echo ${#lines[@]}",
        "echo ${lines[1]}",
    ],
];

#[test]
fn calls_are_like_lines_of_one_bash() {
    let mut failures = Vec::new();
    for sequence in SEQUENCES {
        let [ours, theirs] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let expected = in_one_bash(theirs.path(), sequence);
        let mut shell = Lasting::new(ours.path());
        for (command, (stdout, code)) in sequence.iter().zip(expected) {
            let ended = shell.call(command);
            let seen = (ended.stdout.clone(), ended.code);
            if seen != (stdout.clone(), Some(code)) || ended.state.is_err() {
                failures.push(format!(
                    "{sequence:?}\n  at {command:?}\n  bash: {stdout:?} {code}\n  here: {ended:?}"
                ));
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What each command prints and exits with in one bash.
fn in_one_bash(directory: &Path, sequence: &[&str]) -> Vec<(String, i32)> {
    // A line that ends a shell which is not interactive ends a copy of it here; what it
    // would have left is of no interest then.
    let driver = r#"for __i in "${!__c[@]}"; do
  eval "${__c[__i]}" >"$__d/out.$__i" 2>/dev/null; echo $? >"$__d/code.$__i"; done"#;
    let results = tempfile::tempdir().unwrap();
    let mut words = Vec::new();
    for command in sequence {
        crate::model::shell_bytes::Bytes::from(*command).quoted(&mut words);
        words.push(b' ');
    }
    let words = String::from_utf8(words).unwrap();
    let script = format!(
        "__d={}\n__c=({words})\n{driver}\n",
        results.path().display()
    );
    let mut launch = Launch::new(bash(), "bash")
        .argument("--noprofile")
        .argument("--norc")
        .argument("-i")
        .variable("HISTFILE", "/dev/null")
        .directory(directory)
        .stdin(file_with(&script).into())
        .new_session();
    for (name, value) in environment() {
        launch = launch.variable(name, value);
    }
    assert!(wait(launch.start().unwrap()).exit_status().is_some());
    let read = |index: usize| {
        let out = fs::read(results.path().join(format!("out.{index}")));
        let code = fs::read_to_string(results.path().join(format!("code.{index}")));
        let out = String::from_utf8_lossy(&out.unwrap_or_default()).into_owned();
        (out, code.unwrap_or_default().trim().parse().unwrap_or(-1))
    };
    (0..sequence.len()).map(read).collect()
}

fn file_with(text: &str) -> fs::File {
    use std::io::{Seek, Write};
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file.rewind().unwrap();
    file
}
