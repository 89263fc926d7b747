//! The validator's own behaviour: malformed input, patterns of the user, and its limits.

use bashful_policy::{
    CommandValidator, Decision, Effect, Layer, MAX_COMMAND_BYTES, ValidationError,
};
use proptest::prelude::*;

#[test]
fn malformed_commands_have_their_own_errors() {
    let validator = CommandValidator::default();
    for empty in ["", " ", "\t\n "] {
        assert_eq!(validator.validate(empty), Err(ValidationError::Empty));
    }
    assert_eq!(validator.validate("ls\0-la"), Err(ValidationError::NulByte));
    let length = MAX_COMMAND_BYTES + 1;
    let limit = MAX_COMMAND_BYTES;
    assert_eq!(
        validator.validate(&"a".repeat(length)),
        Err(ValidationError::TooLong { length, limit })
    );
    assert_eq!(validator.validate(&"a".repeat(limit)), Ok(()));
    assert_eq!(
        validator.check("").map(|decision| decision.rule).as_deref(),
        Some("empty-command")
    );
}

#[test]
fn a_refusal_explains_itself() {
    let decision = CommandValidator::default().check("ls; sudo rm -rf /");
    let expected = Decision {
        remember: None,
        effect: Effect::Deny,
        rule: "delete-root".to_owned(),
        layer: Layer::Builtin,
        reason: "deletes the system, a home directory or what holds the workspace".to_owned(),
        span: Some((4, 17)),
        fact: Some("rm -rf /".to_owned()),
        capability: Some("delete-root".to_owned()),
        suggestion: Some("delete only named files inside the workspace".to_owned()),
    };
    assert_eq!(decision, Some(expected));
    let error = CommandValidator::default()
        .validate("rm -rf /")
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("refused by rule `delete-root`: ")
    );
}

#[test]
fn patterns_block_by_words_and_by_text() {
    let validator = CommandValidator::new(&["npm publish *", "terraform apply", "aws s3 rm*", " "]);
    for blocked in [
        "npm publish",
        "npm publish --tag x",
        "sudo npm   publish",
        "npm 'publish' x",
        "/usr/bin/npm publish",
        "bash -c 'npm publish'",
        "terraform apply -auto-approve",
        "echo terraform apply",
        "aws s3 rm-all",
    ] {
        let decision = validator
            .check(blocked)
            .unwrap_or_else(|| panic!("{blocked} passes"));
        assert_eq!(
            (decision.rule.as_str(), decision.layer),
            ("blocked-pattern", Layer::User)
        );
    }
    for fine in ["npm test", "echo npm", "terraform plan", "npm run publish"] {
        assert_eq!(validator.validate(fine), Ok(()), "{fine}");
    }
}

#[test]
fn what_is_nested_too_deeply_is_refused() {
    let validator = CommandValidator::default();
    let deep = |open: &str, close: &str| format!("{}ls{}", open.repeat(60), close.repeat(60));
    for command in [
        deep("$(", ")"),
        deep("( ", " )"),
        deep("{ ", "; }"),
        deep("echo \"${x:-", "}\""),
        deep("env ", ""),
        deep("eval ", ""),
        deep("<(", ")"),
        "echo ".to_owned() + &"{a,b}".repeat(30),
    ] {
        let rule = validator.check(&command).map(|decision| decision.rule);
        assert_eq!(rule.as_deref(), Some("too-complex"), "{command}");
    }
}

/// Much of each: answers may differ, but there must be one, soon.
#[test]
fn huge_commands_end() {
    let validator = CommandValidator::new(&["git push *"]);
    for unit in [
        "a ", "a;", "a|", "a&", "(", ")", "((", "$((", "$(", "`", "\"", "'", "{", "{a,", "}",
        "<<a ", "<<a\n", "${", "env ", "find -exec ", "find -exec find ; ", "cd a;", "case x in ",
        "if ", "for ", "f(){ f;f; };", "f(){ f|f\n", "x=( ", "[[ ", "[ ", "# ", "\\", "\n", "$'",
        "eval ", "bash -c ", "xargs ", "((a);b);", "!", "sudo -u ", "\"$(", "a=(", "<(", ">&", "é",
        "echo $((1)) ", "echo `ls` ", "bash <<a\nb\na\n", "a|b|c;",
    ] {
        let command = unit.repeat(MAX_COMMAND_BYTES / 16 / unit.len());
        let _ = validator.check(&command);
    }
}

proptest! {
    #[test]
    fn nothing_panics(command in "\\PC*") {
        let _ = CommandValidator::default().check(&command);
    }

    #[test]
    fn no_mix_of_shell_syntax_panics(parts in prop::collection::vec(prop::sample::select(SYNTAX), 0..40)) {
        let _ = CommandValidator::default().check(&parts.concat());
    }

    /// Where a command stands among others does not hide it.
    #[test]
    fn company_does_not_hide_a_command(
        before in prop::sample::select(COMPANY),
        after in prop::sample::select(COMPANY),
        separator in prop::sample::select(&["; ", " && ", " || ", "\n", " & ", " | "][..]),
    ) {
        let command = format!("{before}{separator}rm -rf /{separator}{after}");
        let rule = CommandValidator::default().check(&command).map(|decision| decision.rule);
        prop_assert_eq!(rule.as_deref(), Some("delete-root"));
    }
}

const SYNTAX: &[&str] = &[
    "$(", ")", "(", "`", "\"", "'", "${", "}", "{", "<<E", "<<-'E'", "\nE\n", "\n", ";", ";;", "&",
    "|", "&&", "||", "<(", ">", "<", "$'", "\\", "((", "))", "[[", "]]", " ", "if ", "then ", "fi",
    "case ", " in ", "esac", "for ", "do ", "done", "function f ", "x=(", "rm -rf ", "/", "~",
    "$HOME", "$x", "bash -c ", "eval ", "sudo ", "é", "\u{202e}", "find / -exec ", "*", "[",
    "2>&1", "{a,b}", "#", "!", "time ", "coproc ", "echo ", "curl ",
];

const COMPANY: &[&str] = &[
    "ls",
    "echo 'a b'",
    "x=1",
    "(cd sub; ls)",
    "for i in a b; do echo $i; done",
    "[[ a < b ]]",
    "(( 1 << 2 ))",
    "case x in a) ls;; esac",
    "if true; then ls; fi",
    "{ ls; }",
    "f() { ls; }",
    "echo $(date)",
    "a=(1 2)",
    "echo \"${x:-y}\"",
    "! ls",
    "time ls",
    "echo `date`",
    "ls 2>&1",
    "cat <(ls)",
    "echo $((1 << 2))",
    "echo \\'",
];
