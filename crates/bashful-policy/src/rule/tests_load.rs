//! Tests of loading: every mistake has its message, and all are reported at once.

use super::{RuleErrorKind, RuleSource, parse_rules, read_rules};
use crate::decision::Layer;

/// The messages for a file.
fn errors(text: &str) -> Vec<String> {
    let errors = parse_rules(text, "rules.toml", Layer::User)
        .err()
        .unwrap_or_default();
    errors.iter().map(ToString::to_string).collect()
}

/// The messages for a rule that is right but for these lines, which start in line 5.
fn of_rule(lines: &str) -> Vec<String> {
    let head = "[[rule]]\nid = \"x\"\neffect = \"ask\"\nreason = \"is tested\"\n";
    errors(&format!("{head}{lines}"))
}

const COMMAND: &str = "command = [\"ls\", \"…\"]\n";

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn each_mistake_has_its_message() {
    let place = "`rules.toml` line";
    let cases: &[(&str, &str)] = &[
        (
            "",
            "1: rule `x`: matches nothing: add one of `command`, `action` and `regex`",
        ),
        (
            "command = []",
            "5: rule `x`: has an empty `command`: give at least the program, as in `[\"git\", \"push\", \"…\"]`",
        ),
        (
            "command = \"ls\"",
            "5: rule `x`: has a string as `command`: give a list of words, such as `[\"git\", \"push\", \"…\"]`",
        ),
        (
            "command = [\"ls\", 1]",
            "5: rule `x`: has a number as `command[1]`: give a string, or a list of strings",
        ),
        (
            "command = [\"ls\", [1]]",
            "5: rule `x`: has a number as `command[1][0]`: give a string",
        ),
        (
            "command = [\"ls\", []]",
            "5: rule `x`: has a bad `command[1]`: give at least one string, or remove the list",
        ),
        (
            "command = [\"…\"]",
            "5: rule `x`: has a bad `command[0]`: give a word; `…` stands for more words, but not for the program",
        ),
        (
            "command = [\"ls\", \"\"]",
            "5: rule `x`: has a bad `command[1]`: give a word; `…` stands for more words, but not for the program",
        ),
        (
            "command = [\"ls\"]\nregex = \"x\"",
            "1: rule `x`: has `command` and `regex`: keep one, and write a rule for each of the others",
        ),
        (
            "command = [\"ls\"]\nregex = \"x\"\naction = \"tool:bash:x\"",
            "1: rule `x`: has `command` and `action` and `regex`: keep one, and write a rule for each of the others",
        ),
        (
            "regex = \"(\"",
            "5: rule `x`: has a `regex` that cannot be read: found open group without closing ')'",
        ),
        (
            "regex = 1",
            "5: rule `x`: has a number as `regex`: give a string",
        ),
        (
            "action = \"git\"",
            "5: rule `x`: has a bad `action`: give a string such as `tool:bash:git push *`",
        ),
        (
            "action = \"tool:bash: \"",
            "5: rule `x`: has a bad `action`: give a command after `tool:bash:`",
        ),
        (
            "command = [\"ls\"]\nunles = [\"-l\"]",
            "6: rule `x`: has an unknown field `unles`: did you mean `unless`?",
        ),
        (
            "command = [\"ls\"]\nzzz = 1",
            "6: rule `x`: has an unknown field `zzz`: remove it",
        ),
        (
            "command = [\"ls\"]\nunless = \"-l\"",
            "6: rule `x`: has a string as `unless`: give a list of strings",
        ),
        (
            "command = [\"ls\"]\nunless = []",
            "6: rule `x`: has a bad `unless`: give at least one string, or remove the list",
        ),
        (
            "command = [\"ls\"]\nrequire = 1",
            "6: rule `x`: has a number as `require`: give a list of strings",
        ),
        (
            "command = [\"ls\"]\nrequire = [1]",
            "6: rule `x`: has a number as `require[0]`: give a string, or a list of strings",
        ),
        (
            "command = [\"ls\"]\nredirects = \"no\"",
            "6: rule `x`: has a string as `redirects`: give `true` or `false`",
        ),
        (
            "command = [\"ls\"]\ncapability = \"a b\"",
            "6: rule `x`: has a bad `capability`: give the name of a class such as `git-destructive`, or `network`",
        ),
        (
            "command = [\"ls\"]\nadvice = \" \"",
            "6: rule `x`: has a bad `advice`: give a string with words in it",
        ),
        (
            "command = [\"ls\", \"…\"]\nmatch = [\"ls\", \"cat x\"]",
            "1: rule `x`: does not match its example `cat x`: change the rule, or remove it from `match`",
        ),
        (
            "command = [\"ls\", \"…\"]\nnot_match = [\"cat x\", \"ls x\"]",
            "1: rule `x`: matches its example `ls x`: change the rule, or remove it from `not_match`",
        ),
        (
            "command = [\"git\", \"push\"]\nnot_match = [\"git $x\"]",
            "1: rule `x`: matches its example `git $x`: change the rule, or remove it from `not_match`",
        ),
    ];
    for (lines, expected) in cases {
        let found = of_rule(lines);
        assert_eq!(found, [format!("{place} {expected}")], "{lines}");
    }
}

#[test]
fn mistakes_outside_the_usual_lines() {
    let cases: &[(&str, &[&str])] = &[
        (
            "[[rule]]\n",
            &[
                "1: has no `id`: add a short name, such as `id = \"git-push\"`",
                "1: has no `effect`: add `effect = \"ask\"`, or `allow`, `refuse`, `deny`",
                "1: matches nothing: add one of `command`, `action` and `regex`",
            ],
        ),
        (
            "[[rule]]\nid = \"a b\"\neffect = \"allow\"\ncommand = [\"ls\"]",
            &["2: rule `a b`: has a bad `id`: give letters, digits, `-`, `_`, `.`, `:` and `/`"],
        ),
        (
            "[[rule]]\nid = \"x\"\neffect = \"block\"\ncommand = [\"ls\"]",
            &[
                "3: rule `x`: has an unknown effect `block`: give `allow`, `ask`, `refuse` or `deny`",
            ],
        ),
        (
            "[[rule]]\nid = \"x\"\neffect = \"refuse\"\nreason = \"y\"\ncommand = [\"ls\"]",
            &[
                "1: rule `x`: refuses without a `capability`: name the one that opens it, or write `effect = \"deny\"`",
            ],
        ),
        (
            "[[rule]]\nid = \"x\"\neffect = \"deny\"\ncommand = [\"ls\"]",
            &[
                "1: rule `x`: has no `reason`: add why, fit to follow the command: `reason = \"publishes commits\"`",
            ],
        ),
        (
            "rules = 1",
            &["1: has an unknown field `rules`: did you mean `rule`?"],
        ),
        (
            "rule = 1",
            &["1: has a number as `rule`: give a table for each rule, starting with `[[rule]]`"],
        ),
        (
            "rule = [1]",
            &["1: has a number as `rule`: give a table for each rule, starting with `[[rule]]`"],
        ),
        (
            "[[rule]]\nid = \"x\"\neffect = \"allow\"\ncommand = [\"ls\"]\n\n[[rule]]\nid = \"x\"\neffect = \"allow\"\ncommand = [\"cat\"]",
            &["6: rule `x`: has the id of the rule in line 1: give it another"],
        ),
    ];
    for (text, expected) in cases {
        let expected: Vec<String> = expected
            .iter()
            .map(|message| format!("`rules.toml` line {message}"))
            .collect();
        assert_eq!(errors(text), expected, "{text}");
    }
    let syntax = parse_rules("[[rule]]\nid = ", "x", Layer::User).unwrap_err();
    assert_eq!((syntax.len(), syntax[0].line), (1, 2));
    assert!(matches!(syntax[0].kind, RuleErrorKind::Syntax(_)));
}

#[test]
fn all_mistakes_are_told_at_once() {
    let text = format!(
        "[[rule]]\nid = \"a\"\neffect = \"nope\"\n{COMMAND}bad = 1\n\n[[rule]]\nid = \"b\"\neffect = \"ask\"\nregex = \"[\"\n"
    );
    let found = errors(&text);
    let lines: Vec<&str> = found
        .iter()
        .map(|error| error.split(':').next().unwrap())
        .collect();
    assert_eq!(
        lines,
        [
            "`rules.toml` line 3", "`rules.toml` line 5", "`rules.toml` line 7",
            "`rules.toml` line 10"
        ]
    );
}

#[test]
fn rules_are_read_out_of_a_parsed_table() {
    let text = "[[profile.x.rule]]\nid = \"a\"\neffect = \"allow\"\ncommand = [\"ls\", \"...\"]\nmatch = [\"ls -l\"]\n";
    let document = toml::de::DeTable::parse(text).unwrap();
    let profile = document
        .get_ref()
        .get("profile")
        .unwrap()
        .get_ref()
        .get("x")
        .unwrap();
    let rules = profile.get_ref().get("rule").unwrap();
    let source = RuleSource {
        text,
        file: "config.toml",
        layer: Layer::Admin,
    };
    let rules = read_rules(rules, source).unwrap();
    assert_eq!(rules.len(), 1);
    assert_eq!((rules[0].line, rules[0].layer), (1, Layer::Admin));
    assert_eq!(parse_rules("", "x", Layer::User).unwrap().len(), 0);
}
