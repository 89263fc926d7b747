//! What is said about scripts, and what values and long texts come to.

use std::fmt::Write as _;
use std::time::Instant;

use serde_json::{Value, json};

use crate::support::World;

/// Values that a program could take for more than text.
const NASTY: [&str; 22] = [
    "",
    " ",
    "it's",
    "\"",
    "${HOME}",
    "${TOKEN}",
    "${NAME}",
    "cost is ${NAME}",
    "${x.y}",
    "a ${x.y} b",
    "${x.y:-z}",
    "$(id)",
    "`id`",
    "$HOME",
    "${x:-y}",
    "${",
    "a\nb\n",
    "*",
    "-n",
    "~",
    "\u{1f600} \u{202e}",
    "\\",
];

#[test]
fn what_a_flag_gives_is_what_the_program_gets() {
    let world = World::new();
    let flags = ["--variable", "NAME", "--variable", "TOKEN=none"];
    world.keeps_approved("nm", "printf '<%s>' \"$NAME\" ${d.t}\n", &flags);
    for value in NASTY {
        let (name, dotted) = (format!("NAME={value}"), format!("d.t={value}"));
        let call = [
            "run",
            "nm",
            "--var",
            &name,
            "--var",
            "TOKEN=s3cret",
            "--var",
            &dotted,
        ];
        let outcome = world.scripts(&call);
        let expected = format!("<{value}><{value}>");
        assert_eq!((outcome.code, outcome.stdout), (0, expected), "{value:?}");
    }
}

#[test]
fn what_a_document_gives_is_data_but_for_references() {
    let world = World::new();
    let flags = ["--variable", "NAME", "--variable", "TOKEN=none"];
    world.keeps_approved("nm", "printf '<%s>' \"$NAME\"\n", &flags);
    let run = |value: &str, more: &[&str]| {
        let values = json!({ "NAME": value, "TOKEN": "s3cret", "x": { "y": "${z.z} $(id)" } });
        let values = values.to_string();
        world.scripts(&[&["run", "nm", "--vars", &values], more].concat())
    };
    for value in NASTY {
        let expected = match value {
            "${TOKEN}" => "s3cret".to_owned(),
            other => other.replace("${x.y}", "${z.z} $(id)"),
        };
        let outcome = run(value, &[]);
        let expected = format!("<{expected}>");
        assert_eq!((outcome.code, outcome.stdout), (0, expected), "{value:?}");
    }
    let missing = run("a ${no.such} b", &[]);
    assert_eq!(missing.code, 2, "{missing:?}");
    let kept = run("a ${no.such} b", &["--allow-missing"]);
    assert_eq!(kept.stdout, "<a ${no.such} b>", "{kept:?}");
    let circle = json!({ "NAME": "${TOKEN}", "TOKEN": "${NAME}" }).to_string();
    let circle = world.scripts(&["run", "nm", "--vars", &circle]);
    assert_eq!(circle.code, 2);
    assert!(circle.stderr.contains("refer to each other"), "{circle:?}");
    let twice = world.scripts(&["run", "nm", "--vars", r#"{"NAME": "a", "NAME": "b"}"#]);
    assert!(
        twice.code == 2 && twice.stderr.contains("twice"),
        "{twice:?}"
    );
}

#[test]
fn what_is_declared_is_resolved_and_checked_when_it_is_made() {
    let world = World::new();
    let flags = [
        "--variable",
        "A.x=<${B}>",
        "--variable",
        "B=b${t.v}",
        "--variable",
        "N:number=${t.n}",
    ];
    world.keeps_approved("dots", "echo ${A.x} \"$N\"\n", &flags);
    let run = |values: &[&str]| world.scripts(&[&["run", "dots"], values].concat());
    let outcome = run(&["--var", "t.v=$(id)", "--var", "t.n=3"]);
    assert_eq!(outcome.stdout, "<b$(id)> 3\n", "{outcome:?}");
    let wrong = run(&["--var", "t.v=v", "--var", "t.n=x[$(id)]"]);
    assert!(
        wrong.code == 2 && wrong.stderr.contains("of type number"),
        "{wrong:?}"
    );
    let missing = run(&[]);
    assert!(
        missing.stderr.contains("`t.v`, `t.n`") || missing.stderr.contains("`t.n`, `t.v`"),
        "{missing:?}"
    );
    for flags in [
        &["--variable", "A=${B}", "--variable", "B=${A}"][..],
        &["--variable", "a.b=${c.d}", "--variable", "c.d=${a.b}"],
        &["--variable", "A=${HOME}"],
        &["--variable", "PS3=x"],
    ] {
        let arguments = [&["create", "--name", "bad"], flags, &["-"]].concat();
        let outcome = world.scripts_with(&arguments, "echo hi\n");
        assert_eq!(outcome.code, 2, "{flags:?}: {outcome:?}");
    }
    // That the script evaluates it is told, with what to declare.
    let text = "(( X > 1 )) && echo big\n";
    world.keeps("any", text, &["--variable", "X"]);
    let any = world.scripts(&["validate", "any"]);
    assert!(any.code == 0 && any.stdout.contains("X:integer"), "{any:?}");
    world.keeps_approved("count", text, &["--variable", "X:integer"]);
    let evil = world.scripts(&["run", "count", "--var", "X=x[$(echo INJECTED >&2)]"]);
    assert!(
        evil.code == 2 && !evil.stderr.contains("\nINJECTED"),
        "{evil:?}"
    );
    assert_eq!(
        world.scripts(&["run", "count", "--var", "X=7"]).stdout,
        "big\n"
    );
}

#[test]
fn missing_templates_stay_as_they_are_if_that_is_wanted() {
    let world = World::new();
    let flags = ["--variable", "LOG=in ${t.x}"];
    let text = "printf '<%s>' ${a.b} \"${a.b}\" '${a.b}' \"$LOG\"\n";
    world.keeps_approved("kept", text, &flags);
    let outcome = world.scripts(&["run", "kept", "--allow-missing"]);
    let expected = "<${a.b}><${a.b}><${a.b}><in ${t.x}>";
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (0, expected),
        "{outcome:?}"
    );
    for name in ["allow_missing", "keep_missing"] {
        let arguments = json!({ "script_name": "kept", name: true }).to_string();
        let (code, told) = world
            .call(&["tools", "call", "--json", "script_run", &arguments])
            .json();
        assert_eq!(
            (code, &told["answer"]["stdout"]),
            (0, &json!(expected)),
            "{told}"
        );
    }
    let refused = world.scripts_with(&["create", "--name", "op", "-"], "echo\necho ${a.b:-x}\n");
    assert_eq!(refused.code, 2);
    for words in ["line 2", "--variable a.b=x"] {
        assert!(refused.stderr.contains(words), "{words}: {refused:?}");
    }
}

#[test]
fn a_long_script_runs_and_its_last_line_is_judged() {
    let world = World::new();
    let mut text = String::new();
    for number in 0..1000 {
        let _ = writeln!(text, "x{number}=1; test -f /etc/f{number} && echo {number}");
    }
    for number in 0..1000 {
        let _ = writeln!(text, "echo line {number} >/dev/null");
    }
    text.push_str("echo end\n");
    assert!(text.len() > 60 << 10, "{}", text.len());
    world.keeps_approved("long", &text, &[]);
    let began = Instant::now();
    let outcome = world.scripts(&["run", "long"]);
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (0, "end\n"),
        "{outcome:?}"
    );
    assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
    text.push_str("sudo ls\n");
    world.keeps_approved("blocked", &text, &[]);
    let refused = world.scripts(&["run", "blocked"]);
    assert_eq!(refused.code, 120, "{refused:?}");
    assert!(refused.stderr.contains("rule sudo"), "{refused:?}");
}

#[test]
fn what_is_said_about_a_refused_script_can_be_done() {
    let world = World::new();
    let made = world.scripts_with(&["create", "--name", "ctl", "-"], "sudo -n true\n");
    assert!(
        made.code == 0 && made.stderr.contains("line 1: is refused"),
        "{made:?}"
    );
    world.told(&["approve", "ctl", "--yes"]);
    let refused = world.scripts(&["run", "ctl"]);
    assert_eq!(refused.code, 120);
    let plain = &refused.stderr;
    assert!(plain.contains("this script did not run"), "{plain}");
    assert!(
        plain.contains("bashful scripts edit ctl --allow sudo"),
        "{plain}"
    );
    assert!(
        !plain.contains("run it with") && !plain.contains("profile"),
        "{plain}"
    );
    let (code, told) = world.scripts(&["validate", "ctl", "--json"]).json();
    assert!(
        code == 1 && told.to_string().contains("--allow sudo"),
        "{told}"
    );
    world.told(&["edit", "ctl", "--allow", "sudo"]);
    world.told(&["approve", "ctl", "--yes"]);
    assert_ne!(world.scripts(&["run", "ctl"]).code, 120);
}

#[test]
fn what_was_stopped_is_told_with_what_to_declare() {
    let world = World::new();
    let [kept, seen] = ["kept", "seen"].map(|name| {
        let path = world.path(name);
        std::fs::create_dir(&path).unwrap();
        path.display().to_string()
    });
    let text = format!(
        "d=$(printf %s {}; printf n); touch $d/x.new\n",
        seen.trim_end_matches('n')
    );
    world.keeps_approved("vio", &text, &["--write", &kept, "--read", &seen]);
    let (_, result) = world.scripts(&["run", "vio", "--json"]).json();
    if result["sandbox_violations"] == json!([]) {
        return; // This kernel does not tell.
    }
    let told = world.call(&["explain", "--last"]);
    let expected = format!("bashful scripts edit vio --write {kept} --write {seen}");
    assert!(told.stdout.contains(&expected), "{told:?}");
    assert!(
        told.stdout.contains("bashful scripts approve vio"),
        "{told:?}"
    );
    assert!(!told.stdout.contains("bashful run"), "{told:?}");
}

#[test]
fn a_slow_script_is_seen_by_programs() {
    let world = World::new();
    world.keeps_approved("slow", "sleep 1.5; echo end\n", &[]);
    let outcome = world.scripts(&["run", "slow", "--warn-after", "1s", "--json"]);
    assert!(
        outcome.stderr.contains("Still running after 1"),
        "{outcome:?}"
    );
    let (code, result) = outcome.json();
    let found = json!([
        code,
        result["slow"],
        result["sandbox_violations"],
        result["script"]["name"]
    ]);
    assert_eq!(found, json!([0, true, [], "slow"]), "{result}");
    let task = result["task_id"].as_str().unwrap();
    let record = world.call(&["audit", "show", task, "--json"]);
    assert!(record.stdout.contains("\"slow\":true"), "{record:?}");
    let (_, quick) = world.scripts(&["run", "slow", "--json"]).json();
    assert_eq!(quick["slow"], Value::Null, "{quick}");
}

#[test]
fn what_cannot_work_is_told_before_anybody_approves_it() {
    let world = World::new();
    let own = world.path("config/bashful").display().to_string();
    let cases = [
        (
            vec!["--read", "/nonexistent/x"],
            "echo hi\n",
            "does not exist",
        ),
        (vec!["--read", &own], "echo hi\n", "Bashful's own"),
        (vec!["--command", "cat,ls"], "echo hi\n", "`cat,ls`"),
        (vec![], "echo hi\nrm -rf /\n", "line 2: is refused"),
        (vec![], "touch /srv/a\n", "`--write PATH`"),
    ];
    world.keeps("first", "echo hi\n", &[]);
    for (index, (flags, text, words)) in cases.iter().enumerate() {
        let name = format!("s{index}");
        let made = world.scripts_with(
            &[&["create", "--name", &name], &flags[..], &["-"]].concat(),
            text,
        );
        assert!(
            made.code == 0 && made.stderr.contains(words),
            "{words}: {made:?}"
        );
        let (code, told) = world.scripts(&["validate", &name, "--json"]).json();
        assert_eq!((code, &told["valid"]), (1, &json!(false)), "{told}");
    }
    let quiet = world.scripts_with(
        &["create", "--name", "quiet", "-"],
        "echo x > out.txt; cat out.txt\n",
    );
    assert_eq!(quiet.stderr, "");
    let (_, told) = world.scripts(&["validate", "quiet", "--json"]).json();
    assert!(
        !told["findings"].to_string().contains("paths_write"),
        "{told}"
    );
}

#[test]
fn what_is_proposed_can_be_declared_and_copied() {
    let world = World::new();
    std::fs::create_dir_all(world.path("home/data")).unwrap();
    let text = "sort ~/list.txt > ~/data/sorted\ntar -czf /tmp/backup.tar.gz ${t.path}\nsudo ls\n";
    world.write("infer.sh", text);
    let told = world.scripts(&["validate", "--file", "infer.sh", "--infer"]);
    let flag = told.stdout.lines().last().unwrap_or_default();
    let json = flag
        .strip_prefix("--capabilities '")
        .and_then(|it| it.strip_suffix('\''));
    let inferred: Value = serde_json::from_str(json.unwrap_or_default()).unwrap();
    assert_eq!(inferred["paths_write"], json!(["~/data"]), "{told:?}");
    assert_eq!(inferred["classes"], json!([]), "{told:?}");
    for words in ["is removed after the run", "if that is a path"] {
        let plain = told.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            plain.replace("│ │ ", "").contains(words),
            "{words}: {told:?}"
        );
    }
}
