//! What is told about a script before it runs.

use bashful_engine::scripts::{
    BashRun, Draft, FindingSource, ScriptFinding, Severity, Validation, Variable,
};
use bashful_engine::{Capabilities, Engine, NetworkCapability, Places};

use crate::scripts::new;
use crate::scripts_approval::run;
use crate::support::House;

fn validate(engine: &Engine, content: &str, capabilities: &str) -> Validation {
    let capabilities: Capabilities = serde_json::from_str(capabilities).unwrap();
    let draft = Draft {
        content: content.as_bytes(),
        capabilities: &capabilities,
        variables: &[],
    };
    engine.scripts().validate_draft(draft).unwrap()
}

/// Line, who found it and its name, of all that was found.
fn found(validation: &Validation) -> Vec<(Option<usize>, FindingSource, &str)> {
    let all = validation.findings.iter();
    all.map(|one| (one.line, one.source, one.code.as_str()))
        .collect()
}

fn has(validation: &Validation, code: &str) -> bool {
    validation.findings.iter().any(|one| one.code == code)
}

#[test]
fn what_bash_cannot_read_has_its_line() {
    let house = House::new();
    let engine = house.engine();
    let broken = validate(&engine, "echo one\nif true; then\necho\n", "{}");
    assert!(!broken.valid);
    assert_eq!(found(&broken), [(Some(4), FindingSource::Bash, "syntax")]);
    let empty = validate(&engine, "", "{}");
    assert_eq!(found(&empty), [(None, FindingSource::Bashful, "unfit")]);
    let template = validate(&engine, "true\neval ${a.b}\n", "{}");
    assert_eq!(
        found(&template),
        [(None, FindingSource::Bashful, "template")]
    );
    assert!(
        template.findings[0].message.contains("line 2"),
        "{template:?}"
    );
}

#[test]
fn what_a_script_needs_is_read_from_it() {
    let house = House::new();
    let engine = house.engine();
    let text = "\
curl -fsS https://example.org/x -o page
tar -czf /srv/backup/a.tar.gz /home/ada/notes
echo done >> /var/log/mine/log
cp page ~/pages/
sort < /data/in > out
";
    let needs = validate(&engine, text, "{}").needs;
    assert!(needs.network && !needs.dynamic, "{needs:?}");
    assert_eq!(needs.commands, ["cp", "curl", "sort", "tar"]);
    for path in ["/var/log/mine/log", "~/pages/", "/srv/backup/a.tar.gz"] {
        assert!(
            needs.writes.iter().any(|one| one == path),
            "{path}: {needs:?}"
        );
    }
    for path in ["/home/ada/notes", "/data/in"] {
        assert!(
            needs.reads.iter().any(|one| one == path),
            "{path}: {needs:?}"
        );
    }
    let quiet = validate(&engine, "ls /etc /usr/share\necho hi > /dev/null\n", "{}").needs;
    assert_eq!(
        (quiet.reads.len(), quiet.writes.len(), quiet.network),
        (0, 0, false)
    );
    let forced = validate(&engine, "git push --force\n", "{}").needs;
    assert_eq!(forced.classes, ["git-destructive"]);
}

#[test]
fn what_is_proposed_is_enough() {
    let house = House::new();
    let engine = house.engine();
    let text = "curl https://example.org\ncat /data/in > /data/out\n";
    let first = validate(&engine, text, "{}");
    for code in ["undeclared-network", "undeclared-read", "undeclared-write"] {
        assert!(has(&first, code), "{code}: {first:?}");
    }
    let line = |code: &str| {
        let one = first.findings.iter().find(|one| one.code == code);
        one.and_then(|one| one.line)
    };
    assert_eq!(line("undeclared-write"), Some(2));
    assert_eq!(first.inferred.network, NetworkCapability::On);
    let proposed = serde_json::to_string(&first.inferred).unwrap();
    let second = validate(&engine, text, &proposed);
    let undeclared = |one: &&ScriptFinding| one.code.starts_with("undeclared");
    let left: Vec<_> = second.findings.iter().filter(undeclared).collect();
    assert!(left.is_empty(), "{left:?}");
    let unneeded = validate(&engine, "echo hi\n", r#"{"network": true}"#);
    assert!(has(&unneeded, "unneeded-network"));
    let listed = validate(&engine, "ls\ncat x\n", r#"{"commands": ["ls"]}"#);
    assert!(has(&listed, "undeclared-command"), "{listed:?}");
    let hosts = validate(
        &engine,
        "curl https://a.example\n",
        r#"{"network": {"hosts": ["a.example"]}}"#,
    );
    assert!(hosts.valid, "{hosts:?}");
}

#[test]
fn what_is_dynamic_is_told() {
    let house = House::new();
    let engine = house.engine();
    let dynamic = validate(&engine, "x=$(cat list)\n$x now\n", "{}");
    assert!(
        dynamic.needs.dynamic && has(&dynamic, "dynamic-name"),
        "{dynamic:?}"
    );
    assert_eq!(dynamic.inferred.commands, None);
    let absent = validate(&engine, "no_such_program_here --x\n", "{}");
    assert!(has(&absent, "no-program"));
}

/// A copy of a value is the script's own doing: where it would be evaluated that is told, and the
/// script is kept and can run.
#[test]
fn copies_of_values_in_places_that_are_code_are_told() {
    let house = House::new();
    let engine = house.engine();
    let text = "n=${a.b}\ntrue\n(( n > 5 )) && echo \"$N\"\n(( N > 5 ))\n";
    let copies = |variables: &str| {
        let mut script = new("a", text);
        script.variables = serde_json::from_str(variables).unwrap();
        let draft = Draft {
            content: text.as_bytes(),
            capabilities: &Capabilities::default(),
            variables: &script.variables,
        };
        let told = engine.scripts().validate_draft(draft).unwrap();
        assert!(told.valid, "{told:?}");
        let copies = told.findings.into_iter();
        let copies: Vec<_> = copies.filter(|one| one.code == "copied-value").collect();
        assert!(copies.iter().all(|one| one.severity == Severity::Warning));
        (script, copies)
    };
    let (script, told) = copies(r#"[{"name": "N"}]"#);
    let lines: Vec<_> = told.iter().map(|one| one.line).collect();
    assert_eq!(lines, [Some(3), Some(4)], "{told:?}");
    assert!(
        told[0].message.contains("`a.b` comes here in `$n`"),
        "{told:?}"
    );
    assert!(told[1].message.contains("N:integer"), "{told:?}");
    engine.scripts().create(script).unwrap();
    let integers = r#"[{"name": "N", "type": "integer"}, {"name": "a.b", "type": "integer"}]"#;
    assert_eq!(copies(integers).1, []);
}

/// A machine without shellcheck is one on which nothing of it is told.
#[test]
fn shellcheck_is_heard_where_it_is_installed() {
    let house = House::new();
    let engine = house.engine();
    let text = "rm $1\necho \"$LOG\" ${a.b}\n";
    let capabilities = Capabilities::default();
    let variables: Vec<Variable> = serde_json::from_str(r#"[{"name": "LOG"}]"#).unwrap();
    let draft = Draft {
        content: text.as_bytes(),
        capabilities: &capabilities,
        variables: &variables,
    };
    let told = engine.scripts().validate_draft(draft).unwrap();
    let from = |one: &&ScriptFinding| one.source == FindingSource::Shellcheck;
    let codes: Vec<_> = told
        .findings
        .iter()
        .filter(from)
        .map(|one| (one.line, one.code.as_str()))
        .collect();
    let path = std::env::var("PATH").unwrap();
    let installed = std::env::split_paths(&path).any(|place| place.join("shellcheck").is_file());
    assert_eq!(told.shellcheck, installed);
    let expected: &[_] = if installed {
        &[(Some(1), "SC2086")]
    } else {
        &[]
    };
    assert_eq!(codes, expected, "{told:?}");
    assert_eq!(told.templates, ["a.b"]);

    let mut environment = house.environment();
    environment.insert("PATH".to_owned(), "/no/such/place".to_owned());
    let without = house.builder().environment(environment).build().unwrap();
    assert!(without.scripts().validate_draft(draft).is_err());
}

#[test]
fn whoever_is_asked_sees_what_was_found() {
    let house = House::new();
    let engine = house.engine();
    engine
        .scripts()
        .create(new("a", "true\ncat /data/in\n"))
        .unwrap();
    let asked = run(&engine, &BashRun::of("a"));
    let desk =
        bashful_engine::approvals::ApprovalQueue::open(&Places::under(&house.path())).unwrap();
    let ask = desk.ask(&asked.approval.unwrap().id).unwrap();
    let findings = ask.script.unwrap().findings;
    let read = findings.iter().find(|one| one.code == "undeclared-read");
    let read = read.unwrap_or_else(|| panic!("{findings:?}"));
    assert_eq!((read.line, read.severity), (Some(2), Severity::Warning));
    let validated = engine.scripts().validate("a").unwrap();
    assert_eq!(validated.findings, findings);
}
