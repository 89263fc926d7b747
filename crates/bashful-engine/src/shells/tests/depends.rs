//! What a text depends on is bound: where bash does otherwise in another shell, a yes is not for
//! that shell.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::{Lasting, call};
use crate::model::shell_state::ShellState;

/// What two shells remember, and texts that do one thing in the first and another in the second.
const CASES: &[(&str, &str, &[&str])] = &[
    (
        "cd a; cd ..",
        "cd b; cd ..",
        &[
            "cd - && ./go",
            "cd \"-\" && ./go",
            "c\\d - && ./go",
            "'c'd - && ./go",
            "x=-; cd $x && ./go",
            "x=-; y=c; ${y}d $x && ./go",
            "pushd - && ./go",
            "cd ~- && ./go",
            "~-/go",
            "cd $OLDPWD && ./go",
            "eval 'cd -' && ./go",
            "$(echo cd) - && ./go",
            "command cd - && ./go",
            "{cd,-} && ./go",
            ". ./back",
        ],
    ),
    (
        "v=1",
        "v=2",
        &[
            "echo $v",
            "e\"va\"l 'echo $v'",
            "e\\val 'echo \"$'v'\"'",
            "a=ev; a+=al; $a 'echo $'v",
            "a=ev b=al; $a$b 'echo $'v",
            "a=(ev al); IFS=; \"${a[*]}\" 'echo $'v",
            "HOME=eval; ~ 'echo $'v",
            "{eval,'echo $v'}",
            "$'\\x65val' 'echo $'v",
            "dec\"lar\"e -p",
            "s'e't",
            "compgen -v | grep -c x; . ./shows",
            "x=v; echo ${!x}",
            "x='$v'; echo ${x@P}",
            "[[ v -eq 1 ]] && echo one",
            "((v == 1)) && echo one",
            "let x=v; echo $x",
            "trap 'echo $v' EXIT",
            "set -a; v=$v; printenv v",
            "ev?l 'echo $v'",
            "alias e=eval\ne 'echo $'v",
            "read e <<<eval; $e 'echo $'v",
            "printf -v e 'ev%s' al; $e 'echo $'v",
            "mapfile -t e <<<eval; $e 'echo $'v",
            "g() { echo $v; }; g",
        ],
    ),
    (
        "e=eval v=1",
        "e=eval v=2",
        &["$e 'echo $'v", "\"$e\" 'echo $v'"],
    ),
    ("a=ev b=al v=1", "a=ev b=al v=2", &["$a$b 'echo $'v"]),
    (
        "i=x x=1",
        "i=x x=2",
        &["echo $((i))", "[[ i -eq 1 ]] && echo one"],
    ),
    ("HOME=$PWD/a", "HOME=$PWD/b", &["cd && ./go", "~/go"]),
    ("CDPATH=$PWD/a", "CDPATH=$PWD/b", &["cd sub && pwd"]),
    ("PATH=$PWD/a:$PATH", "PATH=$PWD/b:$PATH", &["go"]),
    ("export v=1", "export v=2", &["printenv v"]),
    (
        "IFS=1",
        "IFS=2",
        &["x=a1b2c; for i in $x; do echo $i; done"],
    ),
    ("GLOBIGNORE='a*'", ":", &["echo *"]),
    ("TIMEFORMAT=1", "TIMEFORMAT=2", &["time :"]),
    ("getopts ab x -a -b", ":", &["getopts ab o -a -b; echo $o"]),
    (
        "umask 0",
        "umask 077",
        &["touch new; stat -c %a new; rm new"],
    ),
    ("set -- 1", "set -- 2", &["echo $1"]),
    ("f() { echo 1; }", "f() { echo 2; }", &["f"]),
    (
        "f() { echo $v; }; v=1",
        "f() { echo $v; }; v=2",
        &["f", "x=f; $x"],
    ),
    (
        "command_not_found_handle() { echo $v; }; v=1",
        "command_not_found_handle() { echo $v; }; v=2",
        &["nosuchprogram"],
    ),
    ("alias g='echo 1'", "alias g='echo 2'", &["g"]),
    ("alias g='echo $v'; v=1", "alias g='echo $v'; v=2", &["g"]),
    ("shopt -s nullglob", ":", &["echo nothing*"]),
    ("set -f", ":", &["echo a*"]),
    ("set +B", ":", &["echo {a,b}"]),
    ("declare -u w", ":", &["w=x; echo $w"]),
    ("declare -n r=x; x=1", "declare -n r=x; x=2", &["echo $r"]),
    ("unset HOME", ":", &["echo ${HOME-none}"]),
    ("LC_ALL=C", "LC_ALL=C.UTF-8", &["x=ä; echo ${#x}"]),
    // What is read again, through a name that stands behind a sign.
    ("v=1", "v=2", &["x=.; $x ./shows", "x='. ./shows'; $x"]),
    // A value that is not what was assigned.
    (
        "declare -l e; cd a; cd ..",
        "declare -l e; cd b; cd ..",
        &["e=CD; $e - && ./go"],
    ),
    (
        "declare -i e; 3() { echo $v; }; v=1",
        "declare -i e; 3() { echo $v; }; v=2",
        &["e=1+2; $e"],
    ),
    (
        "declare -u e; F() { echo $v; }; v=1",
        "declare -u e; F() { echo $v; }; v=2",
        &["e=f; $e", "for e in f; do $e; done"],
    ),
    // Names of functions that come into being in the text.
    (
        "a:b() { echo $v; }; a,b() { echo $v; }; v=1",
        "a:b() { echo $v; }; a,b() { echo $v; }; v=2",
        &["x=a y=b; $x:$y", "x=a y=b; $x,$y"],
    ),
    (
        "12() { echo $v; }; v=1",
        "12() { echo $v; }; v=2",
        &["((x=6+6)); $x", "((x=13-1)) && $x"],
    ),
    // And values that only the environment of the run knows.
    (
        "eval \"$LANG() { echo \\$v; }\"; v=1",
        "eval \"$LANG() { echo \\$v; }\"; v=2",
        &["$LANG", "false && LANG=x; $LANG"],
    ),
];

fn shell(directory: &Path, setting: &str) -> ShellState {
    let mut shell = Lasting::new(directory);
    let ended = shell.call(setting);
    assert!(ended.state.is_ok(), "{setting}: {ended:?}");
    shell.state
}

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    for place in ["a", "b"] {
        write(
            &format!("{place}/go"),
            &format!("#!/bin/sh\necho {place}\n"),
        );
        write(&format!("{place}/sub/file"), "");
    }
    write("back", "cd - && ./go");
    write("shows", "echo $v");
    write("eval", "");
    write("cd", "");
    directory
}

#[test]
fn a_yes_for_one_shell_is_none_for_another_where_bash_does_otherwise() {
    let directory = directory();
    let mut failures = Vec::new();
    for (one, other, texts) in CASES {
        let [one, other] = [one, other].map(|setting| shell(directory.path(), setting));
        for text in *texts {
            let [first, second] = [&one, &other].map(|state| {
                let ended = call(state, directory.path(), text);
                (ended.stdout, ended.stderr, ended.code)
            });
            // The control: bash does not do the same.
            if first == second {
                failures.push(format!("{text:?} does the same: {first:?}"));
            }
            if one.digest(text) == other.digest(text) {
                failures.push(format!("{text:?} is bound to the same"));
            }
            if one.shown(text, &[]) == other.shown(text, &[]) {
                failures.push(format!("{text:?} shows the same"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn what_is_unrelated_asks_nobody_again() {
    let directory = directory();
    let before = shell(
        directory.path(),
        "x=good.py; list=(1 2); deactivate() { unset y; }",
    );
    let mut shell = Lasting::new(directory.path());
    shell.state = before.clone();
    let ended = shell.call("unrelated=1 other='$(id)'; cd a; cd ..; REPLY=5; read line </dev/null");
    assert!(ended.state.is_ok(), "{ended:?}");
    for text in [
        "npm test",
        "npm run build && git push origin main 2>&1 | tail -n 5",
        "python3 \"$x\"",
        "python3 \"${list[@]}\" \"$@\"",
        "[ -f package.json ] && npm test",
    ] {
        assert_eq!(before.digest(text), shell.state.digest(text), "{text}");
    }
    // And a shell that only knows such things is like no shell.
    shell.state.functions.clear();
    assert_eq!(shell.state.digest("npm test"), None);
}
