//! Variables: a value is known only as long as nothing else can have changed it.
//!
//! Each text really does what its plain writing is refused for, by way of a variable that has
//! another value than it seems to.

use crate::support::context;

use bashful_policy::{Effect, Policy, judge};

fn is_allowed(text: &str) -> bool {
    let judgement = judge(text, &Policy::careful(), &context::context());
    judgement.decision.effect == Effect::Allow
}

#[test]
fn a_value_that_something_else_changed_is_not_trusted() {
    let texts = [
        // It keeps what it has.
        "readonly x='push --force'; declare x=status; git $x",
        "readonly x='push --force'; export x=status; git $x",
        "declare -r x='push --force'; x=status; git $x",
        "readonly x='push --force'; f() { local x=status; git $x; }; f",
        "readonly x='push --force'; printf -v x status; git $x",
        "readonly x='push --force'; for x in status; do git $x; done",
        // Only one call has it, or one function.
        "x=status; f() { git $x; }; x='push --force' f",
        "x=status; x='push --force' eval 'git $x'",
        "x=status; x='push --force' bash -c 'git $x'",
        "export x=status; x='push --force' bash -c 'git $x'",
        "export x=status; env x='push --force' bash -c 'git $x'",
        "export x=log; env -u x bash -c 'git $x push --force'",
        "x=log; bash -c 'git $x push --force'",
        "x='push --force'; f() { local x=status; }; f; git $x",
        "x='push --force'; f() { declare x=status; }; f; git $x",
        "x=log; f() { local x; git $x push --force; }; f",
        // Built-ins give it another value.
        "x=status; printf -vx 'push --force'; git $x",
        "x=status; read -ax <<< 'push --force'; git $x",
        "x=status; export \"x=push --force\"; git $x",
        "export x=status \"x=push --force\"; git $x",
        "export y=$(x=status) \"x=push --force\"; git $x",
        "eval \"x=status; export \\\"x=push --force\\\"\"; git $x",
        "x=status; read \"$(echo x)\" <<< 'push --force'; git $x",
        "x=log; unset 'x[0]'; git $x push --force",
        "x=status; coproc x { echo; }; git $x",
        "x=status; trap 'x=\"push --force\"' DEBUG; x=status; git $x",
        // Bash itself does.
        "REPLY=status; read -r <<< 'push --force'; git $REPLY",
        "MAPFILE=status; mapfile -t <<< 'push --force'; git $MAPFILE",
        "OPTARG=status; getopts a: y -a 'push --force'; git $OPTARG",
        "_=status; : 'push --force'; git $_",
        "BASH_REMATCH=status; [[ 'push --force' =~ .* ]]; git $BASH_REMATCH",
        "unset RANDOM; RANDOM='push --force'; git $RANDOM",
        // The next time round it is another.
        "x=status; for i in 1 2; do git $x; read -r x <<< 'push --force'; done",
        "x=status; for i in 1 2; do git $x; printf -v x 'push --force'; done",
        "x=status; f() { x='push --force'; }; for i in 1 2; do git $x; f; done",
        "x=status; for i in 1 2; do git $x; eval \"x='push --force'\"; done",
        "set -- status; for i in 1 2; do git $1; set -- push --force; done",
        "x=1; for i in 1 2; do ((x)); x='a[$(git push --force)]'; done",
        "for i in 1; do x='push --force'; break; x=status; done; git $x",
        // It does not come so far.
        "x='push --force'; false && x=status; git $x",
        "set -e; x='push --force'; false && x=status; git $x",
        "x='push --force'; f() { return; x=status; }; f; git $x",
        "x='push --force'; f() { [ 1 ] && return; x=status; }; f; git $x",
        "x='push --force'; f() { for i in 1; do return; done; x=status; }; f; git $x",
        "x='push --force'; . <(echo 'return; x=status'); git $x",
        "x='push --force'; { x=status; } < missing; git $x",
        "x='push --force'; export x=status < missing; git $x",
        "x='push --force'; local x=status; git $x",
        "x='push --force'; export -z x=status; git $x",
        "x='push --force'; declare -p x=status; git $x",
        "f() { local x='push --force'; declare -g x=status; git $x; }; f",
        "x=status; case a in a) x='push --force';& b) git $x;; esac",
        "x=status; case a in a) x='push --force';;& *) git $x;; esac",
        "set -- push --force; shift 5; git $1",
        "x=status; trap 'git $x' EXIT; x='push --force'; exit; x=status",
        "x=; y=x; : ${!y:=push --force}; git $x",
        // Of two functions with the same name, one is called.
        "x=status; if true; then f() { git $x; }; else f() { :; }; fi; x='push --force'; f",
        "x=status; if true; then f() { :; }; else f() { git $x; }; fi; x='push --force'; f",
        "deploy() { :; }; bash -c 'deploy --now'",
        // The last part of a pipeline stays in the shell.
        "shopt -s lastpipe; x=status; echo 'push --force' | read -r x; git $x",
        "shopt -s last'pipe'; x=status; echo 'push --force' | read -r x; git $x",
        "bash -O lastpipe -c 'x=status; echo \"push --force\" | read -r x; git $x'",
        // Bash calls it without being told.
        "x=status; command_not_found_handle() { git $x; }; x='push --force'; tree",
        // Another name of it.
        "x=status; declare -n r=x; r='push --force'; git $x",
    ];
    for text in texts {
        assert!(!is_allowed(text), "{text}");
    }
}

#[test]
fn a_path_that_something_else_changed_is_still_a_secret() {
    let texts = [
        "declare -l x; x=/home/u/.SSH/ID_RSA; cat $x",
        "declare -l x=/home/u/.SSH/ID_RSA; cat $x",
        "declare -u x=/home/u/.ssh/id_rsa; declare -l y; y=$x; cat $y",
        "OLDPWD=/home/u/.ssh; cat ~-/id_rsa",
        "OLDPWD=/home/u/.ssh; cd - && cat id_rsa",
        "OLDPWD=/home/u/.ssh; cd -; cat id_rsa",
        "PWD=/home/u/.ssh; cat ~+/id_rsa",
        "shopt -s nocaseglob; cat /home/u/.SS[H]/ID_RS[A]",
        "shopt -s dotglob; cat /home/u/?ssh/id_rsa",
        "cat /hom[e]/u/.ssh/id_rsa",
        "cat /home/[u]/.ssh/id_rsa",
    ];
    for text in texts {
        assert!(!is_allowed(text), "{text}");
    }
}

#[test]
fn everyday_variables_stay_known() {
    let texts = [
        "x=status; git $x",
        "readonly x=status; git $x",
        "export x=status; git $x; bash -c 'git $x'",
        "export x=\"status\" y='log'; git $x; git $y",
        "f() { local x=\"status\"; git $x; }; f",
        "f() { local x=status; git \"$x\"; }; f",
        "f() { local x; x=status; git \"$x\"; }; f",
        "x=status; f() { git $x; }; f",
        "for x in status log; do git $x; done",
        "x=status; echo hi | while read -r line; do git $x; done",
        "i=0; while (( i < 3 )); do echo $i; i=$((i+1)); done",
        "max=0; for x in 1 5 3; do (( x > max )) && max=$x; done; echo $max",
        "declare -i n=0; for x in a b; do n+=1; done; echo $n",
        "while getopts a:b o; do case $o in a) echo \"$OPTARG\";; esac; done; shift $((OPTIND - 1))",
        "while IFS= read -r line; do echo \"$line\"; done < file.txt",
        "x=status && git $x; git $x",
        "[ -d src ] && x=status || x=log; git $x",
        "set -- status; git $1; shift; echo $#",
        "f() { [ -n \"$1\" ] || return 1; git status; }; f a",
        "x=status; git $x > out.txt 2>&1; git $x",
        "x=show; case a in a) x=status;; b) x=log;; esac; git $x",
        "for f in *.txt; do [ -f \"$f\" ] || continue; wc -l \"$f\"; done",
        "show() { echo \"$1\"; }; export -f show; bash -c 'show hi'",
        "shopt -s nullglob dotglob globstar; ls src/*",
        "for i in $(seq 1 $n); do echo $((i * 2)); done",
        "RANDOM=42; OPTIND=1; SECONDS=0; echo $RANDOM $((SECONDS + 1))",
        "name=foo; declare -A m=([name]=\"$name\"); echo \"${m[name]}\"",
        "arr=([0]=a [1]=b); i=0; arr[i]=x; ((i++)); echo ${arr[1]}",
    ];
    for text in texts {
        assert!(is_allowed(text), "{text}");
    }
}
