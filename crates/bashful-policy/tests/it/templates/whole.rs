//! How many pairs of values and positions are tried.

/// Two thousand, or as many as the time that `cargo xtask soak` gives allows.
pub(crate) fn pairs() -> usize {
    let seconds = std::env::var("BASHFUL_SOAK_SECONDS").ok();
    let seconds = seconds.and_then(|text| text.parse::<usize>().ok());
    seconds.map_or(2000, |seconds| (seconds * 300).clamp(2000, 200_000))
}

use bashful_policy::{Missing, TemplateError, Value, read_template};

use super::bash::{Bash, bound, read, text, values};

#[test]
fn all_missing_values_are_told() {
    let template = read("echo ${a.b} ${c.d} '${a.b}' # ${e.f}\necho \\${g.h}");
    let names: Vec<&str> = template.names().iter().map(|name| name.as_str()).collect();
    assert_eq!(names, ["a.b", "c.d"]);
    let error = template.bind(&values(&[]), Missing::Refuse).unwrap_err();
    assert_eq!(error.to_string(), "no value for `${a.b}`, `${c.d}`");
    let known = values(&[("a.b", text("x"))]);
    let error = template.bind(&known, Missing::Refuse).unwrap_err();
    assert_eq!(error.to_string(), "no value for `${c.d}`");
    let bound = template.bind(&known, Missing::Keep).unwrap();
    let bash = Bash::new();
    let (output, error, code) = bash.file(&bound.text(&[]), &[]);
    assert_eq!(
        (output.as_str(), error.as_str(), code),
        ("x ${c.d} x\n${g.h}\n", "", Some(0))
    );
}

#[test]
fn a_kept_document_stays_as_it_is() {
    let script = "cat <<'EOF'\n$x ${a.b} \\ ${c.d}\nEOF\n";
    let template = read(script);
    let known = values(&[("c.d", text("`id`"))]);
    let bound = template.bind(&known, Missing::Keep).unwrap();
    let bash = Bash::new();
    let (output, error, code) = bash.file(&bound.text(&[]), &[]);
    assert_eq!(
        (output.as_str(), error.as_str(), code),
        ("$x ${a.b} \\ `id`\n", "", Some(0))
    );
}

#[test]
fn a_nul_is_refused() {
    let template = read("echo ${a.b}");
    for value in [text("a\0b"), Value::List(vec![String::new(), "\0".to_owned()])] {
        let error = template.bind(&values(&[("a.b", value)]), Missing::Refuse);
        assert_eq!(error.unwrap_err(), TemplateError::Nul("a.b".to_owned()));
    }
}

#[test]
fn lines_stay_where_they_are() {
    let bash = Bash::new();
    let value = text("a\nb\nc\n$LINENO");
    let scripts = [
        (
            "#!/bin/bash\n\necho $LINENO ${a.b} >/dev/null\necho $LINENO\nnope_3f ${a.b}\n",
            "4\n",
            5,
        ),
        ("x=${a.b}\necho $LINENO\nnope_3f\n", "2\n", 3),
        (
            "if true\nthen echo $LINENO\nfi\ncat <<'E' >/dev/null\n$x ${a.b}\nE\nnope_3f",
            "2\n",
            7,
        ),
    ];
    for (script, output, line) in scripts {
        let text = bound(&read(script), &value);
        let (printed, error, _) = bash.file(&text, &[]);
        assert_eq!(printed, output, "{script}");
        assert!(
            error.contains(&format!("line {line}: nope_3f")),
            "{script}\n{error}"
        );
    }
    let text = bound(&read("#!/bin/bash -e\necho ${a.b}"), &value);
    assert!(text.starts_with("#!/bin/bash -e\n__bashful_1="), "{text}");
}

#[test]
fn values_are_not_exported_and_do_not_change() {
    let bash = Bash::new();
    let script = "__x=1\nenv | grep -c '[_]_bashful'\nunset ${!_*} 2>/dev/null\nset -a\n\
                  printf '%s\\n' ${a.b}\n(printf '%s\\n' \"${a.b}\")\nset -u\nf() { echo ${a.b}; }\nf\n\
                  bash -c 'echo \"${__bashful'_1'-unset}\"'\n";
    let script = script.replace("__bashful'_1'", "_'_bashful_1'");
    let template = read_template(&script).unwrap();
    let text = bound(&template, &text("it's"));
    for arguments in [&[][..], &["-a"], &["-u"], &["-e", "-u"], &["-o", "posix"]] {
        let (output, error, _) = bash.file(&text, arguments);
        let lines: Vec<&str> = output.lines().collect();
        assert_eq!(lines.first(), Some(&"0"), "{arguments:?} {output} {error}");
        if !arguments.contains(&"-e") && !arguments.contains(&"posix") {
            assert_eq!(
                lines.get(1..4),
                Some(&["it's", "it's", "it's"][..]),
                "{output}{error}"
            );
        }
    }
}

#[test]
fn long_values_arrive() {
    let bash = Bash::new();
    let long = "$(touch canary)'\"\\\n\u{e9}`id`".repeat((1 << 20) / 24);
    assert!(long.len() >= 1 << 20);
    let scripts = [
        "x=${a.b}; show \"${#x}\" \"${x: -3}\"",
        "x='${a.b}'; show \"${#x}\" \"${x: -3}\"",
        "x=$(cat <<'EOF'; printf x\n${a.b}\nEOF\n); show \"$((${#x} - 2))\" \"${x: -5:3}\"",
        "printf %s ${a.b} | { IFS= read -r -d '' x; show \"${#x}\" \"${x: -3}\"; }",
        "[[ ${a.b} == ${a.b} ]]; x=${a.b}; show \"${#x}\" \"${x: -3}\"",
    ];
    let texts: Vec<String> = scripts
        .iter()
        .map(|script| bound(&read(script), &text(&long)))
        .collect();
    let length = long.chars().count().to_string();
    for (outcome, script) in bash.run(&texts).into_iter().zip(scripts) {
        assert_eq!(
            outcome.0,
            vec![vec![length.clone(), "id`".to_owned()]],
            "{script}\n{}",
            outcome.1
        );
    }
    assert_eq!(bash.left(), Vec::<String>::new());
}

#[test]
fn a_script_without_templates_is_left_alone() {
    for script in ["", "echo ${HOME} ${x:-a.b} ${x/a.b/c}\n", "if (( syntax", "\0"] {
        let template = read(script);
        let bound = template.bind(&values(&[]), Missing::Refuse).unwrap();
        assert_eq!(bound.text(&[]), script);
    }
}
