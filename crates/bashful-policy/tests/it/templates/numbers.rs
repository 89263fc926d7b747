//! Where bash evaluates a value as an expression, only numbers are bound.

use bashful_policy::{Missing, TemplateError};

use super::bash::{Bash, bound, read, text, values};
use super::values::nasty;

/// A script, and the number that it shows for another.
type Numeric = (&'static str, fn(i64) -> i64);

const NUMERIC: &[Numeric] = &[
    ("show $((${a.b} + 1))", |value| value + 1),
    ("show $(( 5-${a.b} ))", |value| 5 - value),
    ("show \"$((${a.b}*2))\"", |value| value * 2),
    ("show $((\"${a.b}\" * 2))", |value| value * 2),
    ("(( x = ${a.b} * 3 )); show $x", |value| value * 3),
    (
        "for ((x = ${a.b}; x < ${a.b} + 1; x++)); do show $x; done",
        |value| value,
    ),
    (
        "if [[ ${a.b} -eq ${a.b} ]]; then show 1; else show 0; fi",
        |_| 1,
    ),
    (
        "if (( ${a.b} > 10 )); then show 1; else show 0; fi",
        |value| i64::from(value > 10),
    ),
    ("declare -i n; n=${a.b}; show $n", |value| value),
    ("RANDOM=${a.b}; show ${a.b}", |value| value),
    ("x=0123456789; y=${x:3:${a.b}-${a.b}+1}; show $y", |_| 3),
    ("show $(( $(( ${a.b} )) + ${#a} ))", |value| value),
    ("x=$(cat <<EOF\n$((${a.b}+1))\nEOF\n); show $x", |value| {
        value + 1
    }),
    ("x=5; show $((x-${a.b}))", |value| 5 - value),
    ("x=5; (( y=x-${a.b} )); show $y", |value| 5 - value),
    ("show $(( ${u:-${a.b}} + 1 ))", |value| value + 1),
    ("show $((2 ** 3 + ${a.b}))", |value| 8 + value),
];

#[test]
fn numbers_are_what_they_are() {
    let mut texts = Vec::new();
    let mut expected = Vec::new();
    for (script, work) in NUMERIC {
        let template = read(script);
        for value in [0, 7, -3, 42, 1_000_000_007] {
            texts.push(bound(&template, &text(&value.to_string())));
            expected.push((script, value, work(value)));
        }
    }
    let bash = Bash::new();
    for (outcome, (script, value, number)) in bash.run(&texts).into_iter().zip(expected) {
        assert_eq!(
            outcome.0,
            vec![vec![number.to_string()]],
            "{script} {value}\n{}",
            outcome.1
        );
    }
}

#[test]
fn nothing_else_is_evaluated() {
    for (script, _) in NUMERIC {
        let template = read(script);
        for value in nasty()
            .into_iter()
            .chain(["08".to_owned(), "x".to_owned(), "1+1".to_owned()])
        {
            let outcome = template.bind(&values(&[("a.b", text(&value))]), Missing::Refuse);
            assert!(
                matches!(outcome, Err(TemplateError::Unfit(_))),
                "{script} {value:?}"
            );
        }
    }
}
