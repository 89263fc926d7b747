//! Lists: several words where a template is a word, one text in quotes, refused elsewhere.

use bashful_policy::{Missing, TemplateError, Value};

use super::bash::{Bash, bound, read, values};

fn list(texts: &[&str]) -> Value {
    Value::List(texts.iter().map(|text| (*text).to_owned()).collect())
}

#[test]
fn a_list_is_several_words() {
    let nasty = ["", "a b", "$(touch canary)", "*", "-n", "'\"\\", "x\n"];
    let scripts = [
        ("show ${a.b}", nasty.to_vec()),
        (
            "show x ${a.b} y",
            [&["x"], nasty.as_slice(), &["y"]].concat(),
        ),
        ("x=(${a.b}); show \"${x[@]}\"", nasty.to_vec()),
        ("set -u; IFS=; show ${a.b}", nasty.to_vec()),
        ("f() { show \"$@\"; }; f ${a.b}", nasty.to_vec()),
    ];
    let joined = nasty.join(" ");
    let one = [
        ("show \"${a.b}\"", joined.clone()),
        ("show 'a ${a.b}'", format!("a {joined}")),
        ("IFS=,; x=${a.b}; show \"$x\"", joined.clone()),
        (
            "show \"$(cat <<'EOF'\n<${a.b}>\nEOF\n)\"",
            format!("<{joined}>"),
        ),
    ];
    let mut texts = Vec::new();
    let mut expected: Vec<Vec<String>> = Vec::new();
    for (script, words) in &scripts {
        texts.push(bound(&read(script), &list(&nasty)));
        expected.push(words.iter().map(|word| (*word).to_owned()).collect());
    }
    for (script, word) in &one {
        texts.push(bound(&read(script), &list(&nasty)));
        expected.push(vec![word.clone()]);
    }
    texts.push(bound(&read("set -u; show x ${a.b}"), &list(&[])));
    expected.push(vec!["x".to_owned()]);
    texts.push(bound(&read("show x ${a.b} \"${a.b}\""), &list(&["1", "2"])));
    expected.push(["x", "1", "2", "1 2"].map(str::to_owned).to_vec());
    let bash = Bash::new();
    for ((outcome, words), text) in bash.run(&texts).into_iter().zip(expected).zip(&texts) {
        assert_eq!(outcome.0, vec![words], "{text}\n{}", outcome.1);
    }
    assert_eq!(bash.left(), Vec::<String>::new());
    let loops = bound(
        &read("for x in ${a.b}; do show \"$x\"; done"),
        &list(&["1", "2"]),
    );
    let outcome = bash.run(&[loops]).remove(0).0;
    assert_eq!(outcome, [["1"], ["2"]]);
}

#[test]
fn a_list_does_not_stand_everywhere() {
    let scripts = [
        "show pre${a.b}",
        "cat > ${a.b}",
        "case x in ${a.b}) :;; esac",
        "[[ x == ${a.b} ]]",
        "[ -n ${a.b} ]",
        "show $((${a.b}))",
        "timeout ${a.b} ls",
        "find ${a.b} -name x -exec ls {} \\;",
        "sudo -u ${a.b} ls",
        "show ${x:-${a.b}}",
    ];
    for script in scripts {
        let template = read(script);
        let outcome = template.bind(&values(&[("a.b", list(&["1", "2"]))]), Missing::Refuse);
        assert!(matches!(outcome, Err(TemplateError::Unfit(_))), "{script}");
    }
}
