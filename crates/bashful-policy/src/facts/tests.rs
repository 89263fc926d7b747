//! Tables: what a text starts, where, and what it does not show.

use super::UnknownKind;
use crate::context::Context;
use crate::read::read;

fn context() -> Context {
    Context {
        directory: Some("/home/u/proj".to_owned()),
        workspace: Some("/home/u/proj".to_owned()),
        home: Some("/home/u/proj".to_owned()),
        ..Context::default()
    }
}

/// The calls of a text, each as `wrapper>program arguments @directories`.
fn calls(text: &str) -> Vec<String> {
    let facts = read(text, &context());
    let shown = |call: &super::Call| {
        let wrappers = call
            .wrappers
            .iter()
            .fold(String::new(), |all, name| all + name + ">");
        let places: Vec<String> = call
            .directories
            .iter()
            .map(|path| path.replace("/home/u/proj", "."))
            .collect();
        match places.as_slice() {
            [here] if here == "." => format!("{wrappers}{}", call.line()),
            [] => format!("{wrappers}{} @?", call.line()),
            places => format!("{wrappers}{} @{}", call.line(), places.join("|")),
        }
    };
    facts.calls.iter().map(shown).collect()
}

fn unknowns(text: &str) -> Vec<UnknownKind> {
    let facts = read(text, &context());
    let mut kinds: Vec<UnknownKind> = facts.unknowns.iter().map(|unknown| unknown.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

#[test]
fn every_simple_command_is_found() {
    let cases: &[(&str, &[&str])] = &[
        ("ls -la", &["ls -la"]),
        ("a | b |& c", &["a", "b", "c"]),
        ("a && b || c; d & e", &["a", "b", "c", "d", "e"]),
        ("! a; ( b ); { c; }", &["a", "b", "c"]),
        (
            "if a; then b; elif c; then d; else e; fi",
            &["a", "b", "c", "d", "e"],
        ),
        (
            "while a; do b; done; until c; do d; done",
            &["a", "b", "c", "d"],
        ),
        ("for x in $(a); do b; done", &["a", "b"]),
        ("select x in 1 2; do b $x; done", &["b 1", "b 2"]),
        (
            "for ((i=$(a); i<$(b); i+=$(c))); do d; done",
            &["a", "b", "c", "d"],
        ),
        ("case $(a) in $(b)) c;& *) d;; esac", &["a", "b", "c", "d"]),
        ("echo `a \\`b\\``", &["b", "a $(…)", "echo $(…)"]),
        ("echo \"$(a \"$(b)\")\"", &["b", "a $(…)", "echo $(…)"]),
        ("diff <(a) >(b)", &["a", "b", "diff <(…) <(…)"]),
        ("x=$(a) y=(1 $(b)) z[$(c)]=2", &["a", "b", "c"]),
        (
            "echo ${x:-$(a)} ${x/$(b)/$(c)} ${x:$(d)} ${y[$(e)]}",
            &["a", "b", "c", "d", "e", "echo ${x…} ${x…} ${x…} ${y…}"],
        ),
        ("cat <<A <<B\n$(a)\nA\n$(b)\nB", &["a", "b", "cat"]),
        ("cat <<'A'\n$(a)\nA", &["cat"]),
        ("cat <<< $(a) > $(b)", &["a", "b", "cat"]),
        ("[[ -n $(a) && $(b) == $(c) ]]", &["a", "b", "c"]),
        ("(( x = $(a) ))", &["a"]),
        (
            "echo $(( $(a) )) $[ $(b) ]",
            &["a", "b", "echo $((…)) $((…))"],
        ),
        ("coproc a; coproc N { b; }", &["a", "b"]),
        ("time a | b; time -p c", &["a", "b", "c"]),
        ("f() { a; }; f", &["a", "f", "a"]),
        ("function f { a \"$1\"; }; f x", &["a $1", "f x", "a x"]),
        (
            "declare x=$(a); export y=$(b); local z=$(c)",
            &["a", "declare x=$(a)", "b", "export y=$(b)", "c", "local z=$(c)"],
        ),
        ("echo \"${x:-'$(a)'}\"", &["a", ":", "echo ${x…}"]),
        ("cat <<E\n${x:+'`a`'}\nE", &["a", ":", "cat"]),
        ("echo ${x:-'$(a)'}", &["echo ${x…}"]),
        ("a # $(b)\nc", &["a", "c"]),
        ("echo '$(a)' \\$\\(b", &["echo $(a) $(b"]),
        ("a \\\n  b", &["a b"]),
    ];
    for (text, expected) in cases {
        assert_eq!(calls(text), *expected, "{text}");
    }
}

#[test]
fn words_are_what_programs_get() {
    let cases: &[(&str, &str)] = &[
        (r#"r""m -'r'f "/" \/ $'/' $'\x2f'"#, "rm -rf / / / /"),
        ("a{b,c}{1..3} {x} {y,z", "ab1 ab2 ab3 ac1 ac2 ac3 {x} {y,z"),
        ("x='a b'; echo $x \"$x\"", "echo a b a b"),
        (
            "echo ~ ~/x ~root \"~\" a=~/y",
            "echo /home/u/proj /home/u/proj/x /root ~ a=/home/u/proj/y",
        ),
        (
            "echo $HOME ${HOME}/x ${HOME:?} $PWD",
            "echo /home/u/proj /home/u/proj/x /home/u/proj /home/u/proj",
        ),
        ("echo $y ${y:-1} \"$y\"z", "echo $y ${y…} $yz"),
        (
            "echo \"$(pwd)/..\" $(dirname a/b) $(seq 2)",
            "echo /home/u/proj/.. a 2",
        ),
        (
            "t=$(mktemp -d); echo \"$t/x\" /tmp/y.$$",
            "echo /tmp/tmp.*/x /tmp/y.$$",
        ),
        ("set -- 1 '2 3'; echo \"$@\" $2", "echo 1 2 3 2 3"),
    ];
    for (text, expected) in cases {
        let found = calls(text);
        assert_eq!(found.last().map(String::as_str), Some(*expected), "{text}");
    }
}

#[test]
fn wrappers_and_texts_are_followed() {
    let cases: &[(&str, &[&str])] = &[
        ("env -i A=1 -C /tmp rm x", &["env>rm x @/tmp"]),
        (
            "sudo -u bob -- timeout -k 1 5 nice -n 3 rm x",
            &[
                "sudo>timeout -k 1 5 nice -n 3 rm x",
                "sudo>timeout>nice -n 3 rm x",
                "sudo>timeout>nice>rm x",
            ],
        ),
        ("command -v rm", &[]),
        (
            "command rm x; builtin cd /; exec ls",
            &["command>rm x", "builtin cd /", "builtin>cd /", "exec ls @/|.", "exec>ls @/|."],
        ),
        ("xargs -n1 -I {} rm {}", &["xargs>rm {}"]),
        (
            "find . -exec rm {} + -execdir ls \\;",
            &["find>rm {}", "find>ls"],
        ),
        ("bash -c 'a; bash -c \"b\"'", &["a", "bash -c b", "b"]),
        ("bash -o pipefail --norc -c 'a $1' x y", &["a y"]),
        ("eval a 'b; c'", &["a b", "c"]),
        ("trap 'a' EXIT", &["a", "a"]),
        ("bash <<< 'a'; bash <<E\nb\nE", &["a", "bash", "b"]),
        ("echo 'a b' | sh", &["sh", "a b"]),
        ("printf '%s\\n' 'a b' | bash -s", &["bash -s", "a b"]),
        ("bash <(echo a)", &["bash <(…)", "a"]),
        ("env -S 'a b' c", &["a b c", "env>c"]),
        ("flock /tmp/l -c 'a'", &["a", "flock>a"]),
        ("watch -n1 a b", &["a b"]),
        (
            "git rebase --exec 'a' main; git bisect run b c",
            &["a", "git bisect run b c", "b c"],
        ),
        ("echo '* * * * * a b' | crontab -", &["crontab -", "a b"]),
        ("PAGER='a b' git log", &["git log"]),
    ];
    for (text, expected) in cases {
        let mut found = calls(text);
        let from = found.len().min(1);
        let rest = found.split_off(from);
        assert_eq!(rest, *expected, "{text}");
    }
}

#[test]
fn directories_are_followed() {
    let cases: &[(&str, &str)] = &[
        ("cd sub && x", "x @./sub"),
        ("cd sub; x", "x @./sub|."),
        ("cd sub || x", "x"),
        ("set -e; cd sub; x", "x @./sub"),
        ("(cd sub); x", "x"),
        ("cd /a && cd .. && x", "x @/"),
        ("cd \"$d\" && x", "x @?"),
        ("pushd sub >/dev/null && popd && x", "x"),
        ("cd /a && cd - && x", "x"),
        ("cd sub & x", "x"),
        ("f() { cd /a; }; f && x", "x @/a|."),
        ("if a; then cd /a; fi; x", "x @.|/a"),
        ("while a; do cd ..; done; x", "x @?"),
        ("cd && x", "x"),
        ("eval 'cd /a' && x", "x @/a|."),
        ("bash -c 'cd /a'; x", "x"),
    ];
    for (text, expected) in cases {
        let found = calls(text);
        assert_eq!(
            found.last().map(String::as_str),
            Some(*expected),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn what_is_not_known_is_said() {
    use UnknownKind as Kind;
    let cases: &[(&str, &[UnknownKind])] = &[
        ("ls", &[]),
        ("echo $(( 1 +", &[Kind::Syntax]),
        ("$x y", &[Kind::DynamicName]),
        ("x=ls; $x", &[Kind::DynamicName]),
        ("/bin/l* x", &[Kind::DynamicName]),
        ("bash -c \"$x\"", &[Kind::DynamicScript]),
        ("eval \"$(a)\"", &[Kind::DynamicScript]),
        ("a | sh", &[Kind::DynamicScript]),
        ("bash x.sh; . y", &[Kind::ScriptFile]),
        ("echo ${x@P}", &[Kind::StringEvaluation]),
        ("read x; echo $((x))", &[Kind::StringEvaluation]),
        ("i=1; echo $((i+1)) $((j)) $(( $(nproc) * 2 ))", &[]),
        ("ls() { :; }", &[Kind::Shadowing]),
        ("alias x='y'", &[Kind::Shadowing]),
        ("greet() { :; }; greet", &[]),
        ("l\u{200b}s", &[Kind::Characters]),
        ("ls \u{2013}la", &[Kind::Characters]),
        ("echo 'caf\u{e9} \u{2013}'", &[]),
        ("for f in *.c; do wc \"$f\"; done", &[]),
        ("[ \"$a\" -eq 1 ] && printf '[%s]' \"$x\"", &[]),
        ("while IFS= read -r line; do echo \"$line\"; done < f", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(unknowns(text), *expected, "{text}");
    }
}

#[test]
fn what_is_said_points_into_the_text() {
    let text = "echo \"x $(bash -c 'true; rm x')\"";
    let facts = read(text, &context());
    let found = facts.calls.iter().find(|call| call.program() == "rm");
    let span = found.map(|call| call.span).unwrap();
    assert_eq!(text.get(span.0..span.1), Some("rm x"));
}
