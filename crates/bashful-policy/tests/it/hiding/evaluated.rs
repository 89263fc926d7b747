//! Strings that bash evaluates: values of integers, subscripts, lists, and shells that are told not
//! to run what they read, and then told otherwise.
//!
//! Real bash runs each text, and the marker `§` writes down its number. Whatever was executed must
//! not be allowed.

use bashful_policy::{Effect, Policy, judge};

use super::bash::{Bash, MARKER};
use crate::support::context::context;

mod texts;

use texts::{NUMBERS, STRINGS, SWITCHES};

/// Ways in which a variable is given a value: `N` is the variable, `V` the value.
const SETTERS: &[&str] = &[
    "N=V",
    "N+=V",
    "N[0]=V",
    "N=(V)",
    "N=([0]=V)",
    "export N=V",
    "readonly N=V",
    "declare N=V",
    "typeset N=V",
    "f() { local N=V; }; f",
    "f() { local N; N=V; }; f",
    "declare -g N=V",
    "declare -x N=V",
    "f() { local -I N=V; }; f",
    "read N <<< V",
    r#"read -r x N <<< "1 "V"#,
    "read -a N <<< V",
    "printf -v N %s V",
    "printf -vN %s V",
    "for N in V; do :; done",
    "select N in V; do break; done <<< 1",
    "mapfile N <<< V",
    "readarray -t N <<< V",
    "mapfile -t -O 0 N <<< V",
    "N=V :",
    "N=V eval :",
    "f() { :; }; N=V f",
    "env N=V bash -c 'getopts a x'",
    "env N=V bash -c '(( N ))'",
    ": ${N:=V}",
    "unset N; : ${N:=V}",
    "declare -n r=N; r=V",
    "b=V; getopts b N -b",
    "export N; N=V",
    "coproc N { :; }; N=V",
    "IFS= read -d '' N <<< V",
    "while read -r N; do :; done <<< V",
    "N=V; declare -i N; N+=1",
    "declare -i N=V",
    "b=V; N=b",
    "b=V c=b; N=c+1",
    "b=V; for N in b; do :; done",
    "b=V; printf -v N b",
    "b=V; read N <<< b",
    "b=V; set -- b; N=$1",
    "set -- V; for N; do :; done",
    "f() { N=$1; }; f V",
    "unset N; declare -i N; N=V",
];

/// Names that bash has a meaning for, with those of its documents that are not set at first.
const NAMES: &str = "BASHPID BASH_ARGV0 BASH_COMPAT BASH_MONOSECONDS BASH_SUBSHELL CHILD_MAX \
    COLUMNS COMP_CWORD COMP_POINT COPROC_PID DIRSTACK EPOCHREALTIME \
    EPOCHSECONDS EUID FUNCNEST HISTCMD HISTFILESIZE HISTSIZE \
    IGNOREEOF LINENO LINES MAILCHECK MAPFILE OPTARG \
    OPTERR OPTIND PPID RANDOM READLINE_POINT REPLY \
    SECONDS SHLVL SRANDOM TMOUT UID ordinary";

/// The marker that writes down this number.
fn marker(number: usize) -> String {
    format!("{MARKER} {number}")
}

/// The texts, each with a number of its own.
fn texts() -> Vec<String> {
    let names = NAMES.split_whitespace();
    let given = names.flat_map(|name| {
        let named = move |setter: &&str| setter.replace('N', name).replace('V', "'zz[$(§)]'");
        SETTERS.iter().map(named)
    });
    let others = STRINGS.iter().chain(SWITCHES);
    let all = given.chain(others.map(|text| (*text).to_owned()));
    let numbered = all.enumerate();
    numbered
        .map(|(number, text)| text.replace('§', &marker(number)))
        .collect()
}

#[test]
fn heavy_what_bash_evaluates_is_not_allowed() {
    let Some(bash) = Bash::new("evaluated") else {
        eprintln!("skipped: bash is not installed");
        return;
    };
    let texts = texts();
    // One after the other in shells of their own, because starting each anew takes long.
    let groups: Vec<String> = texts
        .chunks(SETTERS.len())
        .map(|chunk| format!("({})", chunk.join("\n) </dev/null &>/dev/null\n(")))
        .collect();
    let groups: Vec<&str> = groups.iter().map(String::as_str).collect();
    let log = bash.run(&groups);
    let mut executed = 0;
    let mut allowed = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        if !log.contains(&number.to_string()) {
            continue;
        }
        executed += 1;
        let decision = judge(text, &Policy::careful(), &context()).decision;
        if decision.effect == Effect::Allow {
            allowed.push(text.as_str());
        }
    }
    eprintln!("{executed} of {} texts were executed", texts.len());
    assert!(executed >= 300, "only {executed} texts were executed");
    assert!(allowed.is_empty(), "allowed:\n{}", allowed.join("\n"));
}

/// A string can give a number to a variable, and `PATH=5` is a directory below this one.
#[test]
fn a_number_for_the_path_is_not_allowed() {
    let bash = Bash::new("numbers").expect("bash is installed");
    // The second has no value, which a step up or down needs.
    let names = ["PATH", "BASH_ENV"];
    let named = |name| {
        NUMBERS
            .iter()
            .map(move |text| (name, text.replace("PATH", name)))
    };
    let texts: Vec<(&str, String)> = names.into_iter().flat_map(named).collect();
    let watched = texts.iter().enumerate().map(|(number, (name, text))| {
        let changed = format!(
            "[[ ${name} == \"$before\" ]] || {{ PATH=$was; {}; }}",
            marker(number)
        );
        format!("(was=$PATH before=${name}\n{text}\n{changed}) &>/dev/null")
    });
    let watched: Vec<String> = watched.collect();
    let log = bash.run(&[watched.join("\n").as_str()]);
    let changing = texts.iter().enumerate();
    let changing = changing.filter(|(number, _)| log.contains(&number.to_string()));
    let changing: Vec<String> = changing
        .map(|(_, (_, text))| format!("{text}; ls"))
        .collect();
    eprintln!("{} of {} texts changed it", changing.len(), texts.len());
    assert!(
        changing.len() >= 140,
        "only {} texts changed it",
        changing.len()
    );
    let allowed = |text: &&String| {
        judge(text, &Policy::careful(), &context()).decision.effect == Effect::Allow
    };
    let texts: Vec<&str> = changing
        .iter()
        .filter(allowed)
        .map(String::as_str)
        .collect();
    assert!(texts.is_empty(), "allowed:\n{}", texts.join("\n"));
}

/// Where the code stands in the text, what is refused in it is found.
#[test]
fn a_refusal_in_an_evaluated_string_is_found() {
    let all = SETTERS.iter().map(|setter| setter.replace('N', "RANDOM"));
    // Another shell evaluates none of it; which letter `getopts` finds, and what another name
    // leads to, is not followed.
    let followed = |text: &String| {
        !["env ", "getopts", "-n r"]
            .iter()
            .any(|part| text.contains(part))
    };
    let all = all.filter(followed);
    let mut weak = Vec::new();
    for text in all {
        let text = text.replace('V', "'zz[$(sudo reboot)]'");
        let decision = judge(&text, &Policy::careful(), &context()).decision;
        if decision.effect != Effect::Deny {
            weak.push(format!("{}: {text}", decision.rule));
        }
    }
    assert!(weak.is_empty(), "{}", weak.join("\n"));
}
