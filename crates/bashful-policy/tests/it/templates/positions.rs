//! Positions: what a program gets when a template stands there, for any value.

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::bash::{Bash, Shown, bound, read, text};
use super::values::nasty;

/// What `show` is given: words in which `{}` stands for the value, or worked out from it.
pub(crate) enum Given {
    Words(&'static [&'static str]),
    Worked(fn(&str) -> Vec<String>),
}

use Given::{Words, Worked};

fn yes_if(is: bool) -> Vec<String> {
    vec![if is { "yes" } else { "no" }.to_owned()]
}

fn one(text: impl Into<String>) -> Vec<String> {
    vec![text.into()]
}

const READ: &str = "IFS= read -r -d '' x; show \"$x\"";

/// Scripts, in which `READ` stands for reading all of the input.
pub(crate) const POSITIONS: &[(&str, Given)] = &[
    ("show ${a.b}", Words(&["{}"])),
    ("show pre${a.b}post", Words(&["pre{}post"])),
    ("show ${a.b}${a.b}", Words(&["{}{}"])),
    ("show ${a.b} x ${a.b}", Words(&["{}", "x", "{}"])),
    ("show \\\\${a.b}", Words(&["\\{}"])),
    ("show --path=${a.b}", Words(&["--path={}"])),
    ("show ~${a.b}", Words(&["~{}"])),
    ("show {x,${a.b}}y", Words(&["xy", "{}y"])),
    ("show zz*${a.b}*zz", Words(&["zz*{}*zz"])),
    ("show \"${a.b}\"", Words(&["{}"])),
    ("show \"a ${a.b} 'b' ${a.b}\"", Words(&["a {} 'b' {}"])),
    ("show \"\\\\${a.b}\\\"\"", Words(&["\\{}\""])),
    ("show \"\\$x${a.b}\\`\"", Words(&["$x{}`"])),
    ("show $\"a ${a.b}\"", Words(&["a {}"])),
    ("show 'a ${a.b} b'", Words(&["a {} b"])),
    ("show '${a.b}'", Words(&["{}"])),
    ("show '\\${a.b}$x`y`'", Words(&["\\{}$x`y`"])),
    ("show '${a.b}''${a.b}'", Words(&["{}{}"])),
    ("show $'a\\t${a.b}\\x41${a.b}\\\\'", Words(&["a\t{}A{}\\"])),
    (
        "show a'${a.b}'\"${a.b}\"${a.b}$'${a.b}'",
        Words(&["a{}{}{}{}"]),
    ),
    ("show '\n${a.b}\n'", Words(&["\n{}\n"])),
    ("# ${a.b} is here\nshow x # ${a.b}", Words(&["x"])),
    ("show \\${a.b}", Words(&["${a.b}"])),
    ("show \"\\${a.b}\"", Words(&["${a.b}"])),
    ("x=${a.b}; show \"$x\"", Words(&["{}"])),
    ("x=\"<${a.b}>\"; show \"$x\"", Words(&["<{}>"])),
    ("x='<${a.b}>'; show \"$x\"", Words(&["<{}>"])),
    ("x=a:${a.b}:~; show \"${x%:*}\"", Words(&["a:{}"])),
    ("x=1; x+=${a.b}; show \"$x\"", Words(&["1{}"])),
    (
        "x=(${a.b} \"b ${a.b}\" 'c ${a.b}'); show \"${x[@]}\"",
        Words(&["{}", "b {}", "c {}"]),
    ),
    (
        "x=(\n  [2]=${a.b}\n  # ${a.b}\n); show \"${x[2]}\"",
        Words(&["{}"]),
    ),
    ("x[3]=${a.b}; show \"${x[3]}\"", Words(&["{}"])),
    (
        "declare -A m=([k]=${a.b}); show \"${m[k]}\"",
        Words(&["{}"]),
    ),
    (
        "declare -A m; m[k]=${a.b}; m[l]=\"${a.b}\"; show \"${m[k]}${m[l]}\"",
        Words(&["{}{}"]),
    ),
    (
        "f() { local x=${a.b}; show \"$x\" \"$1\"; }; f ${a.b}",
        Words(&["{}", "{}"]),
    ),
    (
        "export x=${a.b}; show \"$x\"; readonly y=\"${a.b}\"",
        Words(&["{}"]),
    ),
    ("declare -r x=${a.b}; show \"$x\"", Words(&["{}"])),
    (
        "X=${a.b} bash -c 'printf \"1\\0%s\\0\" \"$X\"'",
        Words(&["{}"]),
    ),
    (
        "bash -c 'printf \"1\\0%s\\0\" \"$1\"' _ ${a.b}",
        Words(&["{}"]),
    ),
    (
        "bash -s -- ${a.b} <<'EOF'\nprintf '1\\0%s\\0' \"$1\"\nEOF\n",
        Words(&["{}"]),
    ),
    (
        "env X=${a.b} bash -c 'printf \"1\\0%s\\0\" \"$X\"'",
        Words(&["{}"]),
    ),
    ("/usr/bin/printf '1\\0%s\\0' ${a.b}", Words(&["{}"])),
    (
        "awk 'BEGIN { printf \"1%c%s%c\", 0, ARGV[1], 0 }' ${a.b}",
        Words(&["{}"]),
    ),
    (
        "set -- ${a.b} \"x${a.b}\"; show \"$@\"",
        Words(&["{}", "x{}"]),
    ),
    ("show \"$(printf '%s.' ${a.b})\"", Words(&["{}."])),
    (
        "show \"$(printf '%s.' \"${a.b}\" '${a.b}')\"",
        Words(&["{}.{}."]),
    ),
    ("x=$(printf '%s.' ${a.b}); show \"$x\"", Words(&["{}."])),
    (
        "show \"$(printf '%s.' \"$(printf '%s,' '${a.b}')\")\"",
        Words(&["{},."]),
    ),
    ("show \"`printf '%s.' ${a.b}`\"", Words(&["{}."])),
    ("x=`printf '%s.' \"${a.b}\"`; show \"$x\"", Words(&["{}."])),
    ("show \"`printf '%s.' '${a.b}'`\"", Words(&["{}."])),
    (
        "show \"$(\n# ${a.b}\nprintf '%s.' ${a.b}\n)\"",
        Words(&["{}."]),
    ),
    ("{ READ; } < <(printf %s ${a.b})", Words(&["{}"])),
    ("printf %s ${a.b} | { READ; }", Words(&["{}"])),
    ("printf %s \"${a.b}\" | cat | { READ; }", Words(&["{}"])),
    (
        "printf '%s' ${a.b} > file; { READ; } < file; rm file",
        Words(&["{}"]),
    ),
    ("(show ${a.b})", Words(&["{}"])),
    ("{ show \"${a.b}\"; } & wait", Words(&["{}"])),
    ("if true; then show ${a.b}; else show x; fi", Words(&["{}"])),
    ("while :; do show ${a.b}; break; done", Words(&["{}"])),
    ("! false && show ${a.b} || show no", Words(&["{}"])),
    ("for x in ${a.b}; do show \"$x\"; done", Words(&["{}"])),
    ("for x in \"${a.b}\"; do show \"$x\"; done", Words(&["{}"])),
    ("case x in x) show ${a.b};; esac", Words(&["{}"])),
    (
        "case ${a.b} in ${a.b}) show yes;; *) show no;; esac",
        Words(&["yes"]),
    ),
    (
        "case \"${a.b}\" in '${a.b}') show yes;; *) show no;; esac",
        Words(&["yes"]),
    ),
    (
        "case x${a.b}y in (z|x\"${a.b}\"y) show yes;; *) show no;; esac",
        Words(&["yes"]),
    ),
    (
        "case xyz in ${a.b}) show yes;; *) show no;; esac",
        Worked(|value| yes_if(value == "xyz")),
    ),
    (
        "case xyz in x${a.b}*) show yes;; *) show no;; esac",
        Worked(|value| yes_if("yz".starts_with(value))),
    ),
    (
        "[[ ${a.b} == ${a.b} ]] && show yes || show no",
        Words(&["yes"]),
    ),
    (
        "[[ \"${a.b}\" == '${a.b}' ]] && show yes || show no",
        Words(&["yes"]),
    ),
    (
        "[[ xyz == ${a.b} ]] && show yes || show no",
        Worked(|value| yes_if(value == "xyz")),
    ),
    (
        "[[ xyz != ${a.b} ]] && show yes || show no",
        Worked(|value| yes_if(value != "xyz")),
    ),
    (
        "[[ -n ${a.b} && -z \"${a.b}\" ]] && show yes || show no",
        Words(&["no"]),
    ),
    (
        "[[ ${a.b} ]] && show yes || show no",
        Worked(|value| yes_if(!value.is_empty())),
    ),
    (
        "[[ xa.cz =~ ${a.b} ]] && show yes || show no",
        Worked(|value| yes_if("xa.cz".contains(value))),
    ),
    (
        "[[ xa.cz =~ ^x${a.b}z$ ]] && show yes || show no",
        Worked(|value| yes_if(value == "a.c")),
    ),
    (
        "[ ${a.b} = \"${a.b}\" ] && show yes || show no",
        Words(&["yes"]),
    ),
    (
        "[ -n ${a.b} ] && show yes || show no",
        Worked(|value| yes_if(!value.is_empty())),
    ),
    (
        "test ! -z ${a.b} && show yes || show no",
        Worked(|value| yes_if(!value.is_empty())),
    ),
    ("unset x; show ${x:-${a.b}}", Words(&["{}"])),
    ("unset x; show \"${x:-${a.b}}\"", Words(&["{}"])),
    ("unset x; show \"${x:-\"${a.b}\"}\"", Words(&["{}"])),
    ("unset x; show \"<${x-a ${a.b} b}>\"", Words(&["<a {} b>"])),
    ("unset x; show ${x:-\"a ${a.b}\"}", Words(&["a {}"])),
    ("unset x; show ${x:-'a ${a.b}'}", Words(&["a {}"])),
    ("unset x; : ${x:=${a.b}}; show \"$x\"", Words(&["{}"])),
    ("unset x; : \"${x:=${a.b}}\"; show \"$x\"", Words(&["{}"])),
    (
        "x=1; show \"${x:+${a.b}}\" ${x:+${a.b}}",
        Words(&["{}", "{}"]),
    ),
    ("unset x y; show \"${x:-${y:-${a.b}}}\"", Words(&["{}"])),
    ("x=${a.b}end; show \"${x#${a.b}}\"", Words(&["end"])),
    ("x=${a.b}end; show ${x#\"${a.b}\"}", Words(&["end"])),
    ("x=${a.b}end; show \"${x##'${a.b}'}\"", Words(&["end"])),
    (
        "x=start${a.b}; show \"${x%${a.b}}\" \"${x%%\"${a.b}\"}\"",
        Words(&["start", "start"]),
    ),
    (
        "x=xyz; show \"${x#${a.b}}\"",
        Worked(|value| one("xyz".strip_prefix(value).unwrap_or("xyz"))),
    ),
    (
        "x=abc; show \"${x/b/${a.b}}\"; y=${x/b/${a.b}}; [[ $y == a${a.b}c ]] || show no",
        Words(&["a{}c"]),
    ),
    ("x=abc; show \"${x//b/<\"${a.b}\">}\"", Words(&["a<{}>c"])),
    (
        "x='<'${a.b}'>'; show \"${x//${a.b}/R}\"",
        Worked(|value| {
            one(if value.is_empty() {
                "<>".to_owned()
            } else {
                format!("<{value}>").replace(value, "R")
            })
        }),
    ),
    ("{ READ; } <<< ${a.b}", Words(&["{}\n"])),
    ("{ READ; } <<< \"a ${a.b}\"", Words(&["a {}\n"])),
    ("{ READ; } <<< 'a ${a.b}'", Words(&["a {}\n"])),
    ("{ READ; } <<EOF\n<${a.b}>\nEOF\n", Words(&["<{}>\n"])),
    (
        "{ READ; } <<EOF\n\"${a.b}\" '${a.b}' \\${a.b} \\\\${a.b} \\$x\nEOF\n",
        Words(&["\"{}\" '{}' ${a.b} \\{} $x\n"]),
    ),
    (
        "{ READ; } <<-EOF\n\t\t<${a.b}>\n\tx\n\tEOF\n",
        Words(&["<{}>\nx\n"]),
    ),
    (
        "unset x; { READ; } <<EOF\n${x:-<${a.b}>}\nEOF\n",
        Words(&["<{}>\n"]),
    ),
    (
        "x=${a.b}end; { READ; } <<EOF\n${x#${a.b}} ${x#\"${a.b}\"}\nEOF\n",
        Words(&["end end\n"]),
    ),
    (
        "{ READ; } <<EOF\n$(printf '%s.' ${a.b} '${a.b}') `printf '%s.' \"${a.b}\"`\nEOF\n",
        Words(&["{}.{}. {}.\n"]),
    ),
    ("{ READ; } <<'EOF'\n<${a.b}>\nEOF\n", Words(&["<{}>\n"])),
    (
        "{ READ; } <<\\EOF\n$HOME `id` $(id) \\ ${x} \\${a.b}\\\n\\\\ \"' $\nEOF\n",
        Words(&["$HOME `id` $(id) \\ ${x} \\{}\\\n\\\\ \"' $\n"]),
    ),
    (
        "{ READ; } <<-\"EOF\"\n\t\t$x<${a.b}>\\\n\t\t${a.b}\n\tEOF\n",
        Words(&["$x<{}>\\\n{}\n"]),
    ),
    (
        "show \"$(cat <<'EOF'\n$x '${a.b}'.\nEOF\n)\"",
        Words(&["$x '{}'."]),
    ),
    ("show \"$(cat <<EOF\n'${a.b}'.\nEOF\n)\"", Words(&["'{}'."])),
    (
        "cat <<A >/dev/null; { READ; } <<'B'\n${a.b}\nA\n<${a.b}$x>\nB\n",
        Words(&["<{}$x>\n"]),
    ),
    (
        "cat <<'A' >/dev/null\n${a.b}\nA\nshow ${a.b}",
        Words(&["{}"]),
    ),
    ("printf -v x '%s' ${a.b}; show \"$x\"", Words(&["{}"])),
    (
        "read -r -d '' -p ${a.b} x <<< y; show ${a.b}",
        Words(&["{}"]),
    ),
    (
        "coproc cat; printf '%s' ${a.b} >&\"${COPROC[1]}\"; exec {COPROC[1]}>&-; show ${a.b}",
        Words(&["{}"]),
    ),
    (
        "show $$${a.b} | tail -c +1 | { READ; }",
        Worked(|_| Vec::new()),
    ),
];

/// What is put before a script: none of it may change how a value arrives.
pub(crate) const SETTINGS: &[&str] = &[
    "",
    "set -u; ",
    "set -e; ",
    "set -o posix; ",
    "set -f; IFS=abc:; ",
    "shopt -s nullglob extglob globstar dotglob; ",
    "shopt -s nocasematch failglob; set -x; ",
    "IFS=; set -euo pipefail; ",
];

pub(crate) fn script(position: &str) -> String {
    position.replace("READ", READ)
}

pub(crate) fn given(given: &Given, value: &str) -> Vec<String> {
    match given {
        Words(words) => words.iter().map(|word| word.replace("{}", value)).collect(),
        Worked(work) => work(value),
    }
}

/// Cases as script, value and what must arrive.
type Case = (String, String, Vec<String>);

fn check(cases: &[Case]) {
    let bash = Bash::new();
    let mut known = HashMap::new();
    let mut texts = Vec::new();
    for (script, value, _) in cases {
        let template = known.entry(script).or_insert_with(|| read(script));
        texts.push(bound(template, &text(value)));
    }
    let outcomes = bash.run(&texts);
    let mut wrong = Vec::new();
    for ((case, outcome), text) in cases.iter().zip(&outcomes).zip(&texts) {
        let (script, value, words) = case;
        let expected: Shown = vec![words.clone()];
        if outcome.0 != expected {
            wrong.push(format!(
                "{script}\nvalue {value:?}\ngot {:?}\nwanted {expected:?}\n{}\n{text}",
                outcome.0, outcome.1
            ));
        }
    }
    let count = wrong.len();
    let first: Vec<String> = wrong.into_iter().take(5).collect();
    assert!(
        count == 0,
        "{count} of {} differ\n{}",
        cases.len(),
        first.join("\n----\n")
    );
    assert_eq!(bash.left(), Vec::<String>::new(), "something ran");
}

fn usable() -> Vec<(String, &'static Given)> {
    POSITIONS
        .iter()
        .filter(|(position, _)| !position.contains("$$") && !position.contains("coproc"))
        .map(|(position, given)| (script(position), given))
        .collect()
}

#[test]
fn every_position_can_be_read_in_both_ways() {
    let mut wrong = Vec::new();
    for (script, _) in usable() {
        if let Err(error) = bashful_policy::check_template(&script) {
            wrong.push(format!("{script}\n{error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n----\n"));
}

#[test]
fn every_nasty_value_arrives_in_every_position() {
    let mut cases = Vec::new();
    // All pairs take long, so that a test run takes each value for every fourth position.
    let step = if super::whole::pairs() > 2000 { 1 } else { 4 };
    for (position, (script, words)) in usable().into_iter().enumerate() {
        for value in nasty().into_iter().skip(position % step).step_by(step) {
            let expected = given(words, &value);
            cases.push((script.clone(), value, expected));
        }
    }
    assert!(cases.len() > 2000, "{}", cases.len());
    check(&cases);
}

/// Values made of pieces that bash gives a meaning, and of any other characters.
fn any_value() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "'", "\"", "\\", "$", "`", "$(touch canary)", "`touch canary`", "${", "}", "(", ")", "[",
        "]", "{", "*", "?", "~", "!", "#", "&", "|", ";", "<", ">", "\n", "\t", " ", "EOF",
        "\nEOF\n", "-", "=", "a", "Z", "0", "%", "@", "+", ",", ".", "/", ":", "^", "\u{1}",
        "\u{7f}", "\u{e9}", "\u{1f600}", "$'", "$\"", "\\\n", "<<", "$((", "))", "__bashful_1",
        "$x", "touch canary",
    ]);
    let built = prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat());
    prop_oneof![3 => built, 1 => "[^\0]{0,24}"]
}

#[test]
fn any_value_arrives_in_any_position() {
    let positions = usable();
    let count = super::whole::pairs();
    let mut runner = TestRunner::deterministic();
    let picks = (0..positions.len(), 0..SETTINGS.len(), any_value());
    let mut cases = Vec::new();
    while cases.len() < count {
        let (position, setting, value) = picks.new_tree(&mut runner).unwrap().current();
        let (script, words) = &positions[position];
        let setting = SETTINGS[setting];
        if !fits(script, setting) {
            continue;
        }
        let expected = given(words, &value);
        cases.push((format!("{setting}{script}"), value, expected));
    }
    for chunk in cases.chunks(4000) {
        check(chunk);
    }
}

/// Whether a script means the same with a setting when it has no templates at all.
fn fits(script: &str, setting: &str) -> bool {
    let reads = script.contains("read -r -d");
    let globs = script.contains("zz*");
    let ignores_case = script.contains("xyz") || script.contains("xa.cz");
    let posix = script.contains("< <(");
    !(setting.contains("set -e") && (reads || script.contains(" && ")))
        && !(setting.contains("-eu") && reads)
        && !(setting.contains("glob") && globs)
        && !(setting.contains("nocasematch")
            && (ignores_case || script.contains("${x#") || script.contains("${x/")))
        && !(setting.contains("posix") && posix)
        && !(setting.contains("IFS=abc") && script.contains("${x:-"))
}

#[test]
fn what_is_pasted_is_run() {
    let bash = Bash::new();
    let value = "$(touch canary)";
    let quoted = bashful_policy::escape_arg(value);
    let text = "show \"${a.b}\"".replace("${a.b}", &quoted);
    bash.run(&[text]);
    assert_eq!(bash.left(), ["canary"]);
}
