//! `bashful audit`: looking at the record, checking it, keeping its end elsewhere.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use bashful_engine::audit::{Decided, Ended, Event, OutputDigest, Requested, Starting, Trail};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Outcome, Running, Terminal, World, binary};

/// A command as an attacker would write it: escapes, bidirectional marks, a line of its own.
const HOSTILE: &str = "echo \u{1b}[2J\u{202e}x\n   1  consistent";

fn request(task: &str, agent: &str, command: &str) -> Event {
    Event::Request(Box::new(Requested {
        task: task.to_owned(),
        agent: agent.to_owned(),
        session: format!("of-{agent}"),
        operation_id: None,
        workspace: "/w".into(),
        cwd: "/w".into(),
        project: "/w".into(),
        command: command.to_owned(),
        digest: "d".to_owned(),
        description: None,
        variables: Vec::new(),
        profile: "default".to_owned(),
        policy: "p".to_owned(),
        rights: json!({ "preset": "workspace" }),
        sandbox: "native".to_owned(),
    }))
}

fn decision(task: &str, effect: &str) -> Event {
    Event::Decision(Decided {
        task: task.to_owned(),
        effect: effect.to_owned(),
        rule: "some-rule".to_owned(),
        layer: "builtin".to_owned(),
        reason: "because".to_owned(),
        capability: None,
        grants: Vec::new(),
    })
}

fn start(task: &str, agent: &str) -> Event {
    Event::Start(Starting {
        task: task.to_owned(),
        agent: agent.to_owned(),
        session: format!("of-{agent}"),
        claimed: None,
    })
}

fn end(task: &str, agent: &str, code: i32) -> Event {
    Event::End(Box::new(Ended {
        task: task.to_owned(),
        agent: agent.to_owned(),
        session: format!("of-{agent}"),
        status: "soft_failure".to_owned(),
        exit_code: Some(code),
        signal: None,
        duration_ms: 1500,
        slow: false,
        output: OutputDigest::default(),
        violations: Vec::new(),
        network: Vec::new(),
        error: None,
        late: false,
    }))
}

/// A world in which two agents had commands run.
fn world() -> World {
    let world = World::new();
    let trail = Trail::at(&world.state());
    for events in [
        vec![
            request("task-a", "ann", "make test"),
            decision("task-a", "allow"),
        ],
        vec![start("task-a", "ann")],
        vec![
            request("task-b", "bob", HOSTILE),
            decision("task-b", "deny"),
        ],
        vec![end("task-a", "ann", 3)],
    ] {
        trail.append_synced(&events).unwrap();
    }
    world
}

fn audit(world: &World, arguments: &[&str]) -> Outcome {
    let all: Vec<&str> = ["audit"].iter().chain(arguments).copied().collect();
    world.call(&all)
}

/// The objects that it prints, one a line.
fn objects(world: &World, arguments: &[&str]) -> Vec<Value> {
    let outcome = audit(world, arguments);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let lines = outcome.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn numbers(objects: &[Value]) -> Vec<u64> {
    objects
        .iter()
        .map(|object| object["seq"].as_u64().unwrap())
        .collect()
}

#[test]
fn records_are_listed_by_agent_session_event_and_number() {
    let world = world();
    for (arguments, found) in [
        (&["list", "--json"][..], &[1, 2, 3, 4, 5, 6][..]),
        (&["list", "--json", "--agent", "ann"], &[1, 2, 3, 6]),
        (&["list", "--json", "--session", "of-bob"], &[4, 5]),
        (&["list", "--json", "--event", "decision"], &[2, 5]),
        (&["list", "--json", "--limit", "2"], &[5, 6]),
        (&["list", "--json", "--since", "1h"], &[1, 2, 3, 4, 5, 6]),
        (
            &["list", "--json", "--since", "30d", "--agent", "bob"],
            &[4, 5],
        ),
        (&["tail", "--json", "-n", "1"], &[6]),
        (&["show", "--json", "4"], &[4]),
        (&["show", "--json", "task-b"], &[4, 5]),
    ] {
        assert_eq!(numbers(&objects(&world, arguments)), found, "{arguments:?}");
    }
    assert_snapshot!(world.screen(&["audit", "list", "--agent", "ann"]), @"
    exit code 0
    ----- stdout -----
       SEQ  TIME                  EVENT     AGENT         WHAT
         1  [TIME]  request   ann           make test
         2  [TIME]  decision  ann           allow by some-rule: because
         3  [TIME]  start     ann           task-a
         6  [TIME]  end       ann           task-a soft_failure, exit 3, 1.5s
    ");
}

#[test]
fn nothing_of_an_agent_acts_on_a_terminal() {
    let world = world();
    for arguments in [
        &["list"][..],
        &["list", "--json"],
        &["show", "4"],
        &["show", "4", "--json"],
        &["tail"],
        &["commands"],
        &["commands", "--json"],
        &["export", "--format", "csv"],
    ] {
        let text = audit(&world, arguments).stdout;
        let acts = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!text.contains(acts), "{arguments:?}: {text:?}");
        let forged = text
            .lines()
            .any(|line| line.trim_start().starts_with("1  consistent"));
        assert!(!forged, "{arguments:?}: {text}");
    }
    assert_snapshot!(world.screen(&["audit", "show", "4"]), @r"
    exit code 0
    ----- stdout -----
    record 4  request  [TIME]
      agent: bob
      command: echo ␛[2J\u{202e}x
      |    1  consistent
      cwd: /w
      digest: d
      policy: p
      profile: default
      project: /w
      rights.preset: workspace
      sandbox: native
      session: of-bob
      task: task-b
      workspace: /w
      prev: [DIGEST]
      hash: [DIGEST]
    ");
    assert_eq!(
        objects(&world, &["show", "4", "--json"])[0]["command"],
        HOSTILE
    );
}

#[test]
fn an_export_to_a_terminal_does_not_act_either() {
    let world = world();
    for arguments in [&["audit", "export"][..], &["audit", "list"]] {
        let (code, text) = Terminal::bashful(&world, arguments).end();
        assert_eq!(code, 0, "{text}");
        let acts = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!text.contains(acts), "{text:?}");
        assert!(text.contains("make test"), "{text}");
        let is_table = arguments.contains(&"list");
        let fits = text.lines().all(|line| line.chars().count() < 100);
        assert_eq!(fits, is_table, "{text}");
    }
}

#[test]
fn commands_tell_what_became_of_them() {
    let world = world();
    let found: Vec<Value> = objects(&world, &["commands", "--json"])
        .iter()
        .map(|one| json!([one["agent"], one["effect"], one["status"], one["exit_code"]]))
        .collect();
    let expected = [
        json!(["ann", "allow", "soft_failure", 3]),
        json!(["bob", "deny", "requested", null]),
    ];
    assert_eq!(found, expected);
    assert_snapshot!(world.screen(&["audit", "commands"]), @r"
    exit code 0
    ----- stdout -----
    TIME                  AGENT         SAID   BECAME          COMMAND
    [TIME]  ann           allow  exit 3          make test
    [TIME]  bob           deny   requested       echo ␛[2J\u{202e}x␊   1  consistent
    ");
    assert_eq!(
        objects(&world, &["commands", "--json", "--agent", "eve"]),
        [] as [Value; 0]
    );
}

#[test]
fn a_real_run_is_on_record() {
    let world = World::new();
    assert_eq!(world.run(&["echo hi; exit 4"]).code, 4);
    let found = objects(&world, &["commands", "--json"]);
    let found = json!([
        found[0]["command"],
        found[0]["effect"],
        found[0]["exit_code"]
    ]);
    assert_eq!(found, json!(["echo hi; exit 4", "allow", 4]));
    assert_eq!(audit(&world, &["verify"]).code, 0);
}

#[test]
fn an_export_keeps_every_line() {
    let world = world();
    let trail = fs::read_to_string(world.state().join("trail.jsonl")).unwrap();
    assert_eq!(audit(&world, &["export"]).stdout, trail);
    let file = world.path("out.jsonl");
    let name = file.to_str().unwrap();
    assert_eq!(audit(&world, &["export", "--output", name]).code, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), trail);
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    // Nothing is overwritten.
    assert_eq!(audit(&world, &["export", "--output", name]).code, 2);
    let csv = audit(&world, &["export", "--format", "csv"]).stdout;
    assert_eq!(csv.lines().count(), 7);
}

#[test]
fn a_formula_in_a_table_is_none() {
    let world = World::new();
    let events = [request("t", "ann", "=cmd(\"x\"),1")];
    Trail::at(&world.state()).append_synced(&events).unwrap();
    let csv = audit(&world, &["export", "--format", "csv"]).stdout;
    assert!(csv.contains(",\"'=cmd(\"\"x\"\"),1\","), "{csv}");
}

#[test]
fn verify_names_the_first_record_that_was_changed() {
    let world = world();
    let path = world.state().join("trail.jsonl");
    let good = audit(&world, &["verify"]);
    assert_eq!(
        (good.code, good.stdout.lines().next()),
        (0, Some("consistent"))
    );
    assert!(!good.stdout.contains("untampered") && !good.stdout.contains("unchanged"));
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("make test", "make love")).unwrap();
    let bad = audit(&world, &["verify"]);
    assert_eq!(bad.code, 1);
    assert!(
        bad.stdout.starts_with("record 1 was changed (line 1): "),
        "{bad:?}"
    );
    let (code, object) = audit(&world, &["verify", "--json"]).json();
    let problem = &object["problems"][0];
    let found = json!([code, object["verdict"], problem["record"], problem["kind"]]);
    assert_eq!(found, json!([1, "problem", 1, "changed"]));
    // What is still a record is listed all the same, and the rest is told.
    let listed = audit(&world, &["list", "--json"]);
    assert_eq!((listed.code, listed.stdout.lines().count()), (0, 5));
    assert!(listed.stderr.contains("damaged at record 1"), "{listed:?}");
    fs::write(&path, text.lines().next().unwrap()).unwrap();
    let cut = audit(&world, &["verify"]);
    assert_eq!(cut.code, 1);
    assert!(
        cut.stdout
            .starts_with("the trail was cut off before record 1: "),
        "{cut:?}"
    );
}

#[test]
fn an_anchor_in_a_file_tells_how_far_the_trail_is_unchanged() {
    let world = world();
    let file = world.path("anchors");
    let file = file.to_str().unwrap();
    let anchored = audit(&world, &["anchor", "--file", file]);
    assert_eq!(
        anchored.stdout,
        format!("Record 6 is anchored in `{file}`.\n")
    );
    let more = [start("task-c", "ann")];
    Trail::at(&world.state()).append_synced(&more).unwrap();
    let good = audit(&world, &["verify", "--file", file]);
    let first = format!("unchanged up to record 6, as anchored in `{file}` at 20");
    assert!(
        good.code == 0 && good.stdout.starts_with(&first),
        "{good:?}"
    );
    // The person begins the trail anew.
    fs::remove_dir_all(world.state()).unwrap();
    Trail::at(&world.state()).append_synced(&more).unwrap();
    assert_eq!(audit(&world, &["verify"]).code, 0);
    let (code, object) = audit(&world, &["verify", "--json", "--file", file]).json();
    let problem = &object["problems"][0];
    let found = json!([code, problem["record"], problem["kind"]]);
    assert_eq!(found, json!([1, 2, "cut_off"]));
}

#[test]
fn configured_anchors_are_used_where_none_is_named() {
    let world = world();
    let none = audit(&world, &["anchor"]);
    assert!(none.code == 2 && none.stderr.contains("--file"), "{none:?}");
    let file = world.path("anchors");
    world.configure(&format!("audit.anchors = [\"file:{}\"]\n", file.display()));
    // What cannot be checked is no good news.
    assert_eq!(audit(&world, &["verify"]).code, 125);
    assert_eq!(audit(&world, &["verify", "--unanchored"]).code, 0);
    assert_eq!(audit(&world, &["anchor"]).code, 0);
    let (code, object) = audit(&world, &["verify", "--json"]).json();
    assert_eq!(json!([code, object["verdict"]]), json!([0, "unchanged"]));
}

#[test]
fn an_anchor_kept_by_a_command_is_checked() {
    let world = world();
    let file = world.path("kept");
    let keep = format!(
        "if [ $BASHFUL_ANCHOR = write ]; then cat >> {0}; else cat {0}; fi",
        file.display()
    );
    assert_eq!(audit(&world, &["anchor", "--command", &keep]).code, 0);
    let (code, object) = audit(&world, &["verify", "--json", "--command", &keep]).json();
    assert_eq!(json!([code, object["verdict"]]), json!([0, "unchanged"]));
    assert_eq!(audit(&world, &["verify", "--command", "exit 9"]).code, 125);
}

/// A journal of its own, in namespaces of its own: every user can have one.
const WITH_JOURNAL: &str = r#"
mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/journal /run/log/journal || exit 90
/lib/systemd/systemd-journald 2>/dev/null &
trap 'kill $!' EXIT
for try in $(seq 200); do [ -S /run/systemd/journal/socket ] && break; sleep 0.05; done
"$@" audit anchor --journald >&2 || exit 91
for try in $(seq 200); do "$@" audit verify --journald >/dev/null 2>&1 && break; sleep 0.05; done
"$@" audit verify --journald --json || exit 92
sed -i s/make/fake/ "$XDG_STATE_HOME/bashful/trail.jsonl"
"$@" audit verify --journald --json
"#;

#[test]
fn an_anchor_in_the_journal_is_checked() {
    let world = world();
    let mut command = world.program("unshare");
    command
        .args([
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            WITH_JOURNAL,
            "sh",
        ])
        .arg(binary());
    let outcome = Running::start(command).end().outcome();
    let verified: Vec<Value> = outcome
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((outcome.code, verified.len()), (1, 2), "{outcome:?}");
    let newest = &verified[0]["anchors"][0];
    let found = json!([
        verified[0]["verdict"],
        newest["place"],
        newest["newest"]["seq"]
    ]);
    assert_eq!(found, json!(["unchanged", "journald", 6]));
    let problem = &verified[1]["problems"][0];
    assert_eq!(
        json!([problem["record"], problem["kind"]]),
        json!([1, "changed"])
    );
}

#[test]
fn bad_places_and_bad_words_are_refused() {
    let world = world();
    let inside = world.state().join("anchors");
    let inside = audit(&world, &["anchor", "--file", inside.to_str().unwrap()]);
    assert!(
        inside.code == 2 && inside.stderr.contains("in the state directory"),
        "{inside:?}"
    );
    let file = world.path("nowhere");
    let missing = audit(&world, &["verify", "--file", file.to_str().unwrap()]);
    assert_eq!(missing.code, 125);
    assert_eq!(audit(&world, &["list", "--since", "soon"]).code, 2);
    assert_eq!(audit(&world, &["list", "--since", "xd"]).code, 2);
    let unknown = audit(&world, &["show", "99"]);
    assert!(
        unknown.code == 1 && unknown.stderr.contains("no record of `99`"),
        "{unknown:?}"
    );
    fs::set_permissions(world.state(), fs::Permissions::from_mode(0o777)).unwrap();
    for command in ["list", "verify", "tail", "commands", "export"] {
        let refused = audit(&world, &[command]);
        assert!(
            refused.code == 125 && refused.stderr.contains("not private"),
            "{refused:?}"
        );
    }
    fs::set_permissions(world.state(), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn an_empty_world_has_no_records() {
    let world = World::new();
    assert_eq!(
        audit(&world, &["list"]).stdout,
        "There are no such records.\n"
    );
    assert_eq!(
        audit(&world, &["commands"]).stdout,
        "No command was asked for.\n"
    );
    assert_eq!(audit(&world, &["verify"]).code, 0);
    let file = world.path("anchors");
    assert_eq!(
        audit(&world, &["anchor", "--file", file.to_str().unwrap()]).code,
        125
    );
    assert!(!world.state().join("trail.jsonl").exists());
}

#[test]
fn what_comes_is_shown_when_it_comes() {
    let world = World::new();
    let mut command = world.bashful(&["audit", "tail", "-f", "--json"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for number in 1..=3 {
        let events = [start(&format!("task-{number}"), "ann")];
        Trail::at(&world.state()).append_synced(&events).unwrap();
        let line = lines.next().unwrap().unwrap();
        let record: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(record["task"], format!("task-{number}"));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}
