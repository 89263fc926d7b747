//! Declared variables: names that may be set, and what they are set to.

use bashful_policy::{
    Declared, Missing, Origin, TemplateError, TemplateName, Value, has_references, read_template,
};

use super::bash::{Bash, text, values};

#[test]
fn names_that_change_other_things_are_refused() {
    let mut declared = Declared::new();
    for name in ["LOG_PATH", "x", "_y", "Count2", "FILES"] {
        declared.add(name, text("1"), Origin::Author).unwrap();
    }
    let refused = [
        "", "1x", "a-b", "a.b", "a b", "x[0]", "é", "PATH", "IFS", "BASH_ENV", "ENV", "LD_PRELOAD",
        "LD_X", "PS4", "PROMPT_COMMAND", "UID", "EUID", "PPID", "BASHOPTS", "SHELLOPTS",
        "BASH_VERSINFO", "HOME", "RANDOM", "SECONDS", "LINENO", "FUNCNAME", "_", "__bashful_1",
        "GLOBIGNORE", "LC_ALL", "LANG", "GIT_DIR", "BASH_FUNC_x", "BASH_ANYTHING", "OPTIND", "PWD",
        "TMPDIR", "POSIXLY_CORRECT",
    ];
    for name in refused {
        let error = declared.add(name, text("1"), Origin::Author).unwrap_err();
        assert!(matches!(error, TemplateError::Variable { .. }), "{name}");
    }
    assert!(matches!(
        declared.add("z", text("a\0b"), Origin::Author),
        Err(TemplateError::Nul(_))
    ));
}

#[test]
fn templates_and_other_variables_are_looked_up_once() {
    let known = values(&[
        (
            "trigger.file.path",
            text("/tmp/${trigger.other} $(touch canary) ${LOG}"),
        ),
        (
            "trigger.files",
            Value::List(vec!["a b".to_owned(), "c".to_owned()]),
        ),
    ]);
    let mut declared = Declared::new();
    declared
        .add("LOG", text("${trigger.file.path}"), Origin::Author)
        .unwrap();
    declared
        .add("COPY", text("<${LOG}> $LOG $(x)"), Origin::Author)
        .unwrap();
    declared
        .add("FILES", text("${trigger.files}"), Origin::Author)
        .unwrap();
    declared
        .add("NAMES", text("all: ${trigger.files}"), Origin::Author)
        .unwrap();
    let resolved = declared.resolve(&[], &known).unwrap().variables;
    let path = "/tmp/${trigger.other} $(touch canary) ${LOG}";
    let expected = [
        ("COPY", text(&format!("<{path}> $LOG $(x)"))),
        ("FILES", Value::List(vec!["a b".to_owned(), "c".to_owned()])),
        ("LOG", text(path)),
        ("NAMES", text("all: a b c")),
    ];
    assert_eq!(
        resolved,
        expected.map(|(name, value)| (name.to_owned(), value))
    );
    let script = "show \"$LOG\" \"${FILES[@]}\"; env | grep -c LOG= >&2";
    let bound = read_template(script).unwrap();
    let bound = bound.bind(&known, Missing::Refuse).unwrap();
    let bash = Bash::new();
    let outcome = bash.run(&[bound.text(&resolved)]).remove(0);
    assert_eq!(
        outcome.0,
        vec![vec![path.to_owned(), "a b".to_owned(), "c".to_owned()]]
    );
    assert_eq!(outcome.1.trim(), "0", "a declared variable is not exported");
    assert_eq!(bash.left(), Vec::<String>::new());
}

#[test]
fn circles_and_gaps_are_told() {
    let nothing = values(&[]);
    let mut declared = Declared::new();
    declared.add("A", text("x${B}"), Origin::Author).unwrap();
    declared.add("B", text("${C}"), Origin::Author).unwrap();
    declared.add("C", text("${A}"), Origin::Author).unwrap();
    let error = declared.resolve(&[], &nothing).unwrap_err();
    assert_eq!(
        error.to_string(),
        "declared variables refer to each other: A -> B -> C -> A"
    );
    let mut declared = Declared::new();
    declared
        .add("A", text("${a.b} ${c.d} ${a.b}"), Origin::Author)
        .unwrap();
    declared.add("B", text("${e.f}"), Origin::Author).unwrap();
    let resolved = declared.resolve(&[], &nothing).unwrap();
    let missing: Vec<&str> = resolved.missing.iter().map(TemplateName::as_str).collect();
    assert_eq!(missing, ["a.b", "c.d", "e.f"]);
    let kept = [("A", "${a.b} ${c.d} ${a.b}"), ("B", "${e.f}")];
    let kept = kept.map(|(name, value)| (name.to_owned(), text(value)));
    assert_eq!(resolved.variables, kept);
    let mut declared = Declared::new();
    declared
        .add("A", text("${HOME}/x"), Origin::Author)
        .unwrap();
    let error = declared.resolve(&[], &nothing).unwrap_err();
    assert!(
        error.to_string().contains("`HOME`, which is not declared"),
        "{error}"
    );
}

/// The author of a value decides what in it is looked up.
#[test]
fn values_of_a_call_are_data_but_for_templates_and_whole_references() {
    let known = values(&[("a.b", text("${c.d} ${B}")), ("c.d", text("x"))]);
    let cases = [
        ("${a.b}", Some("${c.d} ${B}")),
        ("<${a.b}>", Some("<${c.d} ${B}>")),
        ("${B}", Some("the other")),
        ("${A}", None),
        ("cost ${B}", None),
        ("${HOME}", None),
        ("${HOME} ${B}", None),
        ("$(x) `x` ${x:-y} $B", None),
        ("${a.b", None),
        ("${", None),
        ("", None),
    ];
    for (written, expected) in cases {
        let resolve = |origin| {
            let mut declared = Declared::new();
            declared.add("A", text(written), origin).unwrap();
            let other = text("the other");
            declared.add("B", other, Origin::Exact).unwrap();
            let resolved = declared.resolve(&[], &known).unwrap();
            resolved.variables[0].1.clone()
        };
        assert_eq!(resolve(Origin::Exact), text(written), "{written}");
        let expected = expected.unwrap_or(written);
        assert_eq!(resolve(Origin::Call), text(expected), "{written}");
    }
    let mut circle = Declared::new();
    circle.add("A", text("${B}"), Origin::Call).unwrap();
    circle.add("B", text("${A}"), Origin::Call).unwrap();
    let error = circle.resolve(&[], &known).unwrap_err();
    assert!(matches!(error, TemplateError::Circular(_)), "{error}");
}

#[test]
fn what_a_template_usually_holds_is_looked_up_too() {
    let name = |name: &str| TemplateName::parse(name).unwrap();
    let known = values(&[("c.d", text("${a.b}"))]);
    let mut declared = Declared::new();
    declared
        .add_usual(name("a.b"), text("<${c.d}> ${X}"))
        .unwrap();
    declared.add("X", text("x"), Origin::Author).unwrap();
    let resolved = declared.resolve(&[&name("a.b")], &known).unwrap();
    assert_eq!(resolved.templates[&name("a.b")], text("<${a.b}> x"));
    let mut circle = Declared::new();
    circle.add_usual(name("a.b"), text("${e.f}")).unwrap();
    circle.add_usual(name("e.f"), text("${a.b}")).unwrap();
    let error = circle.resolve(&[&name("a.b")], &known).unwrap_err();
    assert!(matches!(error, TemplateError::Circular(_)), "{error}");
    assert!(has_references(&text("x${A}")) && !has_references(&text("$A ${A:-x}")));
}
