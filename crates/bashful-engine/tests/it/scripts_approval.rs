//! Approval of scripts: who is asked, what they see, and what a yes comes to.

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bashful_engine::approvals::{
    Answer, AnsweredBy, ApprovalQueue, Approver, Ask, Pending, Scope, Settled, WhichAsks,
    WhichGrants,
};
use bashful_engine::audit::ScriptChange;
use bashful_engine::scripts::{
    BashRun, MissingValues, ScriptEdit, Seen, StartedScript, content_hash,
};
use bashful_engine::{Engine, ExecutionResult, Places, Status};

use crate::scripts::{changes, create, file, new, witness};
use crate::scripts_run::with;
use crate::support::House;

pub(crate) fn run(engine: &Engine, action: &BashRun) -> ExecutionResult {
    let started = engine.scripts().start(action, MissingValues::Refuse);
    match started.unwrap() {
        StartedScript::Running(script) => script.wait_here().unwrap(),
        StartedScript::NotAllowed(result) => *result,
    }
}

fn desk(house: &House) -> ApprovalQueue {
    ApprovalQueue::open(&Places::under(&house.path())).unwrap()
}

fn yes() -> Answer {
    Answer::Allow {
        scope: Scope::Call,
        expires: None,
    }
}

/// Says what it was told to say, and remembers what it was asked.
#[derive(Debug)]
struct Saying(Answer, Mutex<Vec<Ask>>);

impl Approver for Saying {
    fn ask(&self, ask: &Ask, _pending: &dyn Pending) -> Option<(Answer, AnsweredBy)> {
        self.1.lock().unwrap().push(ask.clone());
        Some((self.0.clone(), witness()))
    }
}

#[test]
fn a_first_run_asks_and_a_yes_lasts_until_a_byte_changes() {
    use ScriptChange::{Approved, ChangedByHand, Created, Refused, Run};

    let house = House::new();
    let engine = house.engine();
    let made = create(&engine, "a", "echo one\n");
    let action = BashRun::of("a");
    let asked = run(&engine, &action);
    assert_eq!(asked.status, Status::NeedsApproval);
    let id = asked.approval.unwrap().id;
    // The same question waits once.
    let again = run(&engine, &action);
    assert_eq!(again.approval.unwrap().id, id);
    let ask = desk(&house).ask(&id).unwrap();
    assert_eq!((ask.command.as_str(), ask.count), ("echo one\n", 2));
    let about = ask.script.unwrap();
    assert_eq!(about.id, made.script.id);
    assert_eq!(about.content_hash, content_hash(b"echo one\n"));
    assert_eq!(
        (ask.digest, about.approved_before),
        (made.digest.clone(), None)
    );
    let settled = desk(&house).answer(&id, &yes(), &witness()).unwrap();
    let Settled::Counts { grant, .. } = settled else {
        panic!("{settled:?}");
    };
    assert_eq!(grant, None);
    assert_eq!(desk(&house).grants(WhichGrants::All).unwrap(), []);
    for _ in 0..2 {
        let result = run(&engine, &action);
        assert_eq!(
            (result.status, result.stdout.as_str()),
            (Status::Success, "one\n")
        );
        assert!(result.task_id.unwrap().starts_with("script-"));
    }
    // Also for another agent, in another session.
    let other = house.builder().agent("other").build().unwrap();
    assert_eq!(run(&other, &action).status, Status::Success);
    let shown = engine.scripts().show("a").unwrap();
    let approval = shown.script.approval.unwrap();
    assert_eq!(
        (approval.approved_hash, approval.by),
        (about.content_hash, witness())
    );
    assert_eq!(shown.script.runs, 3);

    fs::write(file(&house, &made), "echo two\n").unwrap();
    let changed = run(&engine, &action);
    assert_eq!(changed.status, Status::NeedsApproval);
    assert!(
        changed
            .decision
            .unwrap()
            .reason
            .ends_with("is not what was approved")
    );
    let ask = desk(&house).ask(&changed.approval.unwrap().id).unwrap();
    let before = ask.script.unwrap().approved_before.unwrap();
    assert_eq!(before.content.as_deref(), Some("echo one\n"));
    assert_eq!(ask.command, "echo two\n");
    let kinds: Vec<ScriptChange> = changes(&house).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(
        kinds,
        [
            Created,
            Refused,
            Refused,
            Approved,
            Run,
            Run,
            Run,
            ChangedByHand,
            Refused
        ]
    );
}

#[test]
fn a_wider_capability_asks_again() {
    let house = House::new();
    let engine = house.engine();
    create(&engine, "a", "echo one\n");
    engine
        .scripts()
        .approve("a", Seen::AsItIs, &witness())
        .unwrap();
    assert_eq!(run(&engine, &BashRun::of("a")).status, Status::Success);
    let wider = ScriptEdit {
        capabilities: Some(serde_json::from_str(r#"{"paths_read": ["/srv"]}"#).unwrap()),
        ..ScriptEdit::default()
    };
    engine.scripts().edit("a", wider).unwrap();
    let asked = run(&engine, &BashRun::of("a"));
    assert_eq!(asked.status, Status::NeedsApproval);
    let ask = desk(&house).ask(&asked.approval.unwrap().id).unwrap();
    let about = ask.script.unwrap();
    let before = about.approved_before.unwrap();
    assert_eq!(
        (before.content, before.capabilities.paths_read.len()),
        (None, 0)
    );
    assert_eq!(about.capabilities.paths_read, ["/srv"]);
}

#[test]
fn a_yes_in_the_run_itself_runs_it_and_is_stored() {
    let house = House::new();
    let saying = Arc::new(Saying(yes(), Mutex::default()));
    let engine = house.builder().approver(saying.clone()).build().unwrap();
    create(&engine, "a", "echo one\n");
    for _ in 0..2 {
        let result = run(&engine, &BashRun::of("a"));
        assert_eq!(result.stdout, "one\n");
    }
    assert_eq!(saying.1.lock().unwrap().len(), 1);
    let engine = house.engine();
    assert_eq!(run(&engine, &BashRun::of("a")).status, Status::Success);
    engine.scripts().revoke("a", &witness()).unwrap();
    assert_eq!(
        run(&engine, &BashRun::of("a")).status,
        Status::NeedsApproval
    );
}

#[test]
fn a_no_is_told_and_nothing_runs() {
    let house = House::new();
    let no = Answer::Deny {
        message: Some("not like this".to_owned()),
    };
    let saying = Arc::new(Saying(no, Mutex::default()));
    let engine = house.builder().approver(saying).build().unwrap();
    let mut script = new("a", "touch here\n");
    script.capabilities.paths_write = vec![".".to_owned()];
    engine.scripts().create(script).unwrap();
    let mut action = BashRun::of("a");
    action.working_directory = Some(house.workspace().display().to_string());
    let result = run(&engine, &action);
    assert_eq!(result.status, Status::Denied);
    assert!(!house.file("here").exists());
    assert!(!engine.scripts().show("a").unwrap().approved);
}

#[test]
fn a_changed_command_is_no_way_around() {
    let house = House::new();
    let edit = Answer::Edit {
        command: "touch here".to_owned(),
    };
    let saying = Arc::new(Saying(edit, Mutex::default()));
    let engine = house.builder().approver(saying).build().unwrap();
    let here = serde_json::json!({"paths_write": ["."]});
    let made = engine.scripts().create(with("a", "echo one\n", &here));
    assert!(made.is_ok());
    let mut action = BashRun::of("a");
    action.working_directory = Some(house.workspace().display().to_string());
    let result = run(&engine, &action);
    assert_ne!(result.status, Status::Success);
    assert!(!house.file("here").exists());
}

#[test]
fn a_yes_with_an_end_ends() {
    let house = House::new();
    let engine = house.engine();
    create(&engine, "a", "echo one\n");
    let asked = run(&engine, &BashRun::of("a"));
    let answer = Answer::Allow {
        scope: Scope::User,
        expires: Some(Duration::from_millis(1)),
    };
    let id = asked.approval.unwrap().id;
    desk(&house).answer(&id, &answer, &witness()).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(
        run(&engine, &BashRun::of("a")).status,
        Status::NeedsApproval
    );
}

#[test]
fn a_yes_to_what_a_script_was_approves_nothing() {
    let house = House::new();
    let engine = house.engine();
    create(&engine, "a", "echo one\n");
    let id = run(&engine, &BashRun::of("a")).approval.unwrap().id;
    let edit = ScriptEdit {
        content: Some(b"echo two\n".to_vec()),
        ..ScriptEdit::default()
    };
    engine.scripts().edit("a", edit).unwrap();
    desk(&house).answer(&id, &yes(), &witness()).unwrap();
    assert_eq!(
        run(&engine, &BashRun::of("a")).status,
        Status::NeedsApproval
    );
    assert_eq!(desk(&house).asks(WhichAsks::Pending).unwrap().len(), 1);
}

#[test]
fn what_the_input_says_about_approval_is_ignored() {
    let house = House::new();
    let engine = house.engine();
    let made = create(&engine, "a", "echo one\n");
    let hash = &made.script.content_hash;
    let text = format!(
        r#"{{"type": "bash.run", "script_name": "a", "approved": true, "approved_hash": "{hash}"}}"#
    );
    let action = BashRun::read(&text).unwrap();
    assert_eq!(run(&engine, &action[0]).status, Status::NeedsApproval);
}

#[test]
fn what_the_policy_refuses_no_yes_opens() {
    let house = House::new();
    let engine = house.engine();
    create(&engine, "a", "git push --force\n");
    engine
        .scripts()
        .approve("a", Seen::AsItIs, &witness())
        .unwrap();
    let refused = run(&engine, &BashRun::of("a"));
    assert_eq!(refused.status, Status::Denied);
    assert_eq!(
        refused.decision.unwrap().capability.as_deref(),
        Some("git-destructive")
    );
    // A class that the script declares is open.
    let mut declared = new("b", "git push --force || echo no repository\n");
    declared.capabilities.classes = vec!["git-destructive".to_owned()];
    engine.scripts().create(declared).unwrap();
    engine
        .scripts()
        .approve("b", Seen::AsItIs, &witness())
        .unwrap();
    let result = run(&engine, &BashRun::of("b"));
    assert_eq!(result.stdout, "no repository\n", "{result:?}");
}
