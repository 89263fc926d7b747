//! Asks and grants as embedders meet them: an approver, answers from elsewhere, what a yes opens.

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bashful_engine::approvals::{
    Answer, AnsweredBy, ApprovalQueue, Approver, Ask, Channel, GrantWish, Opening, Pending, Scope,
    SubjectWish, WhichAsks, WhichGrants, version_of_policy,
};
use bashful_engine::config::Config;
use bashful_engine::{
    Effect, Engine, ExecutionResult, Invocation, Layer, Network, Places, Started, Status, Stdin,
};

use crate::support::{House, LONG, eventually, run};

/// Says what it was told to say, and remembers what it was asked.
#[derive(Debug)]
struct Saying {
    answers: Mutex<Vec<Answer>>,
    asked: Mutex<Vec<Ask>>,
}

impl Saying {
    fn new(answers: &[Answer]) -> Arc<Self> {
        let answers = answers.iter().rev().cloned().collect();
        Arc::new(Self {
            answers: Mutex::new(answers),
            asked: Mutex::default(),
        })
    }

    fn asked(&self) -> Vec<Ask> {
        self.asked.lock().unwrap().clone()
    }
}

impl Approver for Saying {
    fn ask(&self, ask: &Ask, pending: &dyn Pending) -> Option<(Answer, AnsweredBy)> {
        assert!(pending.is_open());
        self.asked.lock().unwrap().push(ask.clone());
        let answer = self.answers.lock().unwrap().pop()?;
        Some((answer, witness()))
    }
}

fn witness() -> AnsweredBy {
    AnsweredBy::outside(Channel::Callback).unwrap()
}

fn yes(scope: Scope) -> Answer {
    Answer::Allow {
        scope,
        expires: None,
    }
}

pub(crate) fn desk(house: &House) -> ApprovalQueue {
    ApprovalQueue::open(&Places::under(&house.path())).unwrap()
}

/// Runs it, or gives the result of not running it.
fn result(engine: &Engine, invocation: Invocation) -> ExecutionResult {
    match engine.start(invocation).unwrap() {
        Started::Running(run) => run.wait_until(None).unwrap().unwrap(),
        Started::NotAllowed(result) => *result,
    }
}

/// A push to a repository beside the workspace: it is asked about, and needs no network.
fn push() -> Invocation {
    Invocation::bash("git push origin main; echo done >> pushed")
}

fn pushed(house: &House) -> usize {
    let text = fs::read_to_string(house.file("pushed")).unwrap_or_default();
    text.lines().count()
}

#[test]
fn a_yes_once_is_for_one_run() {
    let house = House::new();
    let saying = Saying::new(&[yes(Scope::Call), Answer::Deny { message: None }]);
    let approver = Arc::<Saying>::clone(&saying);
    let engine = house.builder().approver(approver).build().unwrap();
    let allowed = result(&engine, push());
    assert_eq!(allowed.decision.unwrap().effect, Effect::Allow);
    assert_eq!(allowed.approval.unwrap().state, "allowed");
    assert_eq!(pushed(&house), 1);
    let denied = result(&engine, push());
    assert_eq!(denied.status, Status::Denied);
    assert_eq!(denied.approval.unwrap().state, "denied");
    assert_eq!((pushed(&house), saying.asked().len()), (1, 2));
    let [grant] = &desk(&house).grants(WhichGrants::All).unwrap()[..] else {
        panic!("more than one grant")
    };
    assert_eq!(grant.claimed_by, allowed.task_id);
}

#[test]
fn a_yes_for_the_session_is_for_this_shape_and_this_session() {
    let house = House::new();
    let saying = Saying::new(&[yes(Scope::Session)]);
    let engine = house.builder().approver(saying).session("one");
    let engine = engine.build().unwrap();
    result(&engine, Invocation::bash("git push origin main"));
    let without = |name: &str| house.builder().session(name).build().unwrap();
    let effect = |name: &str, command: &str| {
        let result = result(&without(name), Invocation::bash(command));
        result.decision.unwrap().effect
    };
    assert_eq!(effect("one", "git push origin other"), Effect::Allow);
    assert_eq!(
        effect("one", "cd . && git push origin x | cat"),
        Effect::Allow
    );
    for command in [
        "git push elsewhere main",
        "git push origin main && npm publish",
        "GIT_SSH=./x git push origin main",
        "git push origin main $(./unknown)",
        "git push origin --receive-pack=./evil main",
    ] {
        assert_eq!(effect("one", command), Effect::Ask, "{command}");
    }
    assert_eq!(effect("two", "git push origin other"), Effect::Ask);
    // What a rule denies, no yes lifts.
    assert_eq!(effect("one", "git push --force origin main"), Effect::Ask);
    assert_eq!(
        effect("one", "git push origin x; rm -rf .git"),
        Effect::Deny
    );
}

#[test]
fn a_no_can_carry_a_word_to_the_agent() {
    let house = House::new();
    let message = Some("use a pull request".to_owned());
    let saying = Saying::new(&[Answer::Deny { message }]);
    let engine = house.builder().approver(saying).build().unwrap();
    let denied = result(&engine, push());
    assert_eq!(denied.status, Status::Denied);
    let approval = denied.approval.unwrap();
    assert_eq!(approval.message.as_deref(), Some("use a pull request"));
    let reason = denied.decision.unwrap().reason;
    assert!(reason.contains("use a pull request"), "{reason}");
}

#[test]
fn a_no_that_nobody_waited_for_reaches_the_agent_with_its_next_try() {
    let house = House::new();
    let engine = house.engine();
    let asked = result(&engine, push()).approval.unwrap();
    let message = Some("not today".to_owned());
    let no = Answer::Deny { message };
    desk(&house).answer(&asked.id, &no, &witness()).unwrap();
    // Another command is a question of its own.
    let other = result(&engine, Invocation::bash("git push other main"));
    assert_eq!(other.status, Status::NeedsApproval);
    let denied = result(&engine, push());
    assert_eq!(denied.status, Status::Denied);
    let approval = denied.approval.unwrap();
    assert_eq!(
        (&approval.id, approval.message.as_deref()),
        (&asked.id, Some("not today"))
    );
    // It was told; the next try asks again.
    assert_eq!(result(&engine, push()).status, Status::NeedsApproval);
}

#[test]
fn nothing_is_hidden_from_a_person_by_calling_it_a_secret() {
    let house = House::new();
    let saying = Saying::new(&[]);
    let engine = house.builder().approver(saying.clone()).build().unwrap();
    let hidden = "; touch stolen-file";
    let command = format!("git push origin main{hidden}");
    let invocation = Invocation::bash(&command)
        .variable("GITHUB_TOKEN", hidden)
        .variable("MY_SECRET", "touch another-file");
    assert_eq!(result(&engine, invocation).status, Status::NeedsApproval);
    let asked = saying.asked();
    let [ask] = asked.as_slice() else {
        panic!("{asked:?}");
    };
    assert_eq!(ask.command, command);
    let shown = [
        format!("GITHUB_TOKEN={hidden}"),
        "MY_SECRET=touch another-file".to_owned(),
    ];
    assert_eq!(ask.variables, shown);
    // What is called like a key keeps its value off the record; the command does not.
    let trail = fs::read_to_string(engine.state_directory().join("trail.jsonl")).unwrap();
    assert!(trail.contains(&command), "{trail}");
    assert!(!trail.contains("another-file"), "{trail}");
}

#[test]
fn an_edited_command_is_judged_anew() {
    let house = House::new();
    let edit = |command: &str| Answer::Edit {
        command: command.to_owned(),
    };
    let saying = Saying::new(&[edit("echo harmless")]);
    let engine = house.builder().approver(saying).build().unwrap();
    let edited = result(&engine, push());
    assert_eq!(edited.stdout, "harmless\n");
    assert_eq!(edited.command, "echo harmless");
    let from = edited.approval.unwrap().edited_from.unwrap();
    assert_eq!(from, "git push origin main; echo done >> pushed");
    let saying = Saying::new(&[edit("rm -rf /")]);
    let engine = house.builder().approver(saying).build().unwrap();
    assert_eq!(result(&engine, push()).status, Status::Denied);
}

#[test]
fn an_answer_from_elsewhere_releases_the_run() {
    let house = House::new();
    let engine = house.builder().wait_for_answers(LONG).build().unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| result(&engine, push()));
        let desk = desk(&house);
        let pending = || desk.asks(WhichAsks::Pending).unwrap();
        assert!(eventually(LONG, || !pending().is_empty()));
        let id = pending()[0].id.clone();
        assert!(!waiting.is_finished());
        desk.answer(&id, &yes(Scope::Call), &witness()).unwrap();
        let result = waiting.join().unwrap();
        assert_eq!(result.approval.unwrap().id, id);
    });
    assert_eq!(pushed(&house), 1);
}

#[test]
fn nobody_waits_unless_told_to() {
    let house = House::new();
    let began = Instant::now();
    let asked = result(&house.engine(), push());
    assert_eq!(asked.status, Status::NeedsApproval);
    assert!(began.elapsed() < Duration::from_secs(20));
    let approval = asked.approval.unwrap();
    assert_eq!(approval.state, "pending");
    // The yes that comes later is for the next try, from whichever session.
    let answer = yes(Scope::Call);
    desk(&house)
        .answer(&approval.id, &answer, &witness())
        .unwrap();
    assert!(result(&house.engine(), push()).task_id.is_some());
    assert_eq!(pushed(&house), 1);
}

#[tokio::test]
async fn who_goes_away_while_waiting_starts_nothing() {
    let house = House::new();
    let engine = house.builder().wait_for_answers(LONG).build().unwrap();
    let future = engine.run(push());
    let dropped = tokio::time::timeout(Duration::from_millis(300), future).await;
    assert!(dropped.is_err());
    let desk = desk(&house);
    let pending = desk.asks(WhichAsks::Pending).unwrap();
    let id = &pending.first().unwrap().id;
    desk.answer(id, &yes(Scope::Call), &witness()).unwrap();
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!((pushed(&house), house.tasks()), (0, 0));
}

#[test]
fn what_a_yes_is_bound_to() {
    let house = House::new();
    fs::create_dir(house.file("sub")).unwrap();
    let saying = Saying::new(&[yes(Scope::User)]);
    let engine = house.builder().approver(saying).build().unwrap();
    // Nothing narrow can be said about this one, so that it is about exactly this.
    let command = "$(echo echo) ran; git push";
    let asked = || Invocation::bash(command);
    assert_eq!(result(&engine, asked()).stdout, "ran\n");
    let plain = house.engine();
    let effect = |invocation| result(&plain, invocation).decision.unwrap().effect;
    assert_eq!(effect(asked()), Effect::Allow);
    assert_eq!(effect(asked().cwd("sub")), Effect::Ask);
    assert_eq!(effect(asked().variable("GIT_DIR", "x")), Effect::Ask);
    assert_eq!(effect(asked().stdin(Stdin::Bytes(vec![1]))), Effect::Ask);
    assert_eq!(effect(asked().agent("other")), Effect::Ask);
    assert_eq!(effect(Invocation::bash(format!("{command} "))), Effect::Ask);
    let wish = bashful_engine::config::Wish {
        changes: Opening {
            network: Some("on".to_owned()),
            ..Opening::default()
        }
        .changes(),
        ..bashful_engine::config::Wish::default()
    };
    assert_eq!(effect(asked().wish(wish)), Effect::Ask);
    let careful = house.builder().profile_name("careful").build().unwrap();
    let effect = result(&careful, asked()).decision.unwrap().effect;
    assert_eq!(effect, Effect::Ask);
}

/// The network that a run would have.
fn network(engine: &Engine, command: &str) -> Option<Network> {
    let explained = engine.explain(Invocation::bash(command)).unwrap();
    explained.plan.map(|plan| plan.network)
}

fn wish(house: &House, subject: SubjectWish, opens: Opening) -> GrantWish {
    GrantWish {
        scope: Scope::User,
        subject,
        opens,
        agent: "default".to_owned(),
        session: None,
        workspace: house.workspace(),
        policy: version_of_policy(&Config::default(), "default", None).unwrap(),
        expires: None,
    }
}

fn shape(words: &[&str]) -> SubjectWish {
    SubjectWish::Shape(words.iter().map(|word| (*word).to_owned()).collect())
}

#[test]
fn what_a_grant_opens_is_open_for_what_it_covers_and_nothing_else() {
    let house = House::new();
    let engine = house.engine();
    let opens = Opening {
        network: Some("on".to_owned()),
        ..Opening::default()
    };
    let given = wish(&house, shape(&["npm", "install", "…"]), opens);
    assert_eq!(network(&engine, "npm install left-pad"), None);
    let grant = desk(&house).give(&given, &witness()).unwrap();
    assert_eq!(network(&engine, "npm install left-pad"), Some(Network::On));
    assert_eq!(
        network(&engine, "timeout 9 npm install x 2>/dev/null | tail -3; ls"),
        Some(Network::On)
    );
    // A program that no grant names runs without, or not at all.
    assert_eq!(network(&engine, "./unknown"), Some(Network::Off));
    assert_eq!(network(&engine, "ls"), Some(Network::Off));
    let beside = [
        "npm install x && ./unknown",
        "npm install x; $Y",
        "npm install x; curl http://127.0.0.1:1",
        "npm install x; make",
        "npm install x; cargo test",
        "npm install x; bash -c 'curl y'",
        "npm install --script-shell=./evil x",
        "npm install ./evil",
        "npm install file:evil",
        "npm --prefix evil install x",
        "cd sub; npm install x",
        "tar xf x.tar; npm install x",
        "echo script-shell=./x > .npmrc; npm install x",
        "HOME=evil; npm install x",
        "git config core.sshCommand ./x; npm install x",
        "npm() { ./evil; }; npm install x",
        "curl x",
    ];
    for command in beside {
        assert_ne!(network(&engine, command), Some(Network::On), "{command}");
    }
    desk(&house).revoke(&grant.id, &witness()).unwrap();
    assert_eq!(network(&engine, "npm install left-pad"), None);
}

#[test]
fn a_class_is_open_for_the_shape_that_it_was_opened_for() {
    let house = House::new();
    let engine = house.engine();
    let opens = Opening {
        classes: vec!["git-destructive".to_owned()],
        ..Opening::default()
    };
    let given = wish(&house, shape(&["git", "reset", "--hard", "…"]), opens);
    desk(&house).give(&given, &witness()).unwrap();
    let effect = |command: &str| {
        let explained = engine.explain(Invocation::bash(command)).unwrap();
        explained.decision.unwrap().effect
    };
    assert_eq!(effect("git reset --hard HEAD"), Effect::Allow);
    assert_eq!(effect("git reset --hard; ls"), Effect::Allow);
    for command in [
        "git -C elsewhere reset --hard",
        "cd elsewhere; git reset --hard",
        "git clean -fdx",
        "git reset --hard; git clean -fdx",
        "git push --force evil main; git reset --hard",
    ] {
        assert_eq!(effect(command), Effect::Ask, "{command}");
    }
}

#[test]
fn an_allow_by_rule_opens_nothing() {
    let house = House::new();
    let user = house.path().join("user.toml");
    let text =
        "[[profile.default.rule]]\nid = \"web\"\neffect = \"allow\"\ncommand = [\"curl\", \"…\"]\n";
    fs::write(&user, text).unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    fs::set_permissions(&user, private).unwrap();
    let sources = bashful_engine::config::Sources {
        admin: house.path().join("admin.toml"),
        admin_owner: bashful_engine::config::AdminOwner::RootOrSelf,
        user: Some(user),
        project: None,
    };
    let config = Config::load(&sources).unwrap().config;
    let engine = house.builder().config(config).build().unwrap();
    assert_eq!(network(&engine, "curl https://x"), Some(Network::Off));
}

/// Where git is let to a repository without the network, the network is reached all the same.
#[test]
fn gits_way_out_does_not_pass_the_admin_file() {
    let house = House::new();
    let git = house.workspace().join(".git");
    fs::create_dir(&git).unwrap();
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(
        git.join("config"),
        "[remote \"up\"]\n\turl = git@h.example:x\n",
    )
    .unwrap();
    let asked = |engine: &Engine| result(engine, Invocation::bash("git fetch up"));
    let capability = |result: &ExecutionResult| {
        let approval = result.approval.as_ref()?;
        Some(approval.ask[0].capability.clone())
    };
    let free = asked(&house.engine());
    assert_eq!(capability(&free).as_deref(), Some("git"));
    let admin = house.path().join("admin.toml");
    fs::write(
        &admin,
        "[profile.default.capabilities]\nnetwork = \"off\"\n",
    )
    .unwrap();
    let sources = bashful_engine::config::Sources {
        admin,
        admin_owner: bashful_engine::config::AdminOwner::RootOrSelf,
        user: None,
        project: None,
    };
    let config = Config::load(&sources).unwrap().config;
    let engine = house.builder().config(config).build().unwrap();
    let bound = asked(&engine);
    let decision = bound.decision.unwrap();
    assert_eq!(
        (decision.effect, decision.layer),
        (Effect::Deny, Layer::Admin)
    );
}

#[test]
fn what_was_stopped_becomes_an_ask_and_a_yes_opens_just_that() {
    let house = House::new();
    let wish = || {
        let mut wish = bashful_engine::config::Wish::default();
        wish.changes.resources.file_size = Some(1 << 20);
        wish
    };
    // A shell that goes on would only say in its exit code what happened, which is a hint.
    let big = || Invocation::bash("exec head -c 1500000 /dev/zero > big").wish(wish());
    let engine = house.engine();
    let hinted = Invocation::bash("head -c 1500000 /dev/zero > big; exit").wish(wish());
    let hinted = run(&engine, hinted);
    assert_eq!(hinted.sandbox_violations, []);
    assert_eq!(hinted.approval, None);
    let flags = hinted.sandbox_hints.iter().map(|hint| hint.flag.as_deref());
    assert_eq!(flags.collect::<Vec<_>>(), [Some("--file-size 2M")]);
    let stopped = run(&engine, big());
    assert!(!stopped.success);
    let approval = stopped.approval.unwrap();
    assert_eq!(approval.ask[0].capability, "resources.file_size");
    desk(&house)
        .answer(&approval.id, &yes(Scope::Call), &witness())
        .unwrap();
    assert!(run(&engine, big()).success);
    // Once was once.
    assert!(!run(&engine, big()).success);
}

#[test]
fn too_many_asks_are_not_put() {
    let house = House::new();
    let mut config = Config::default();
    config.approvals.most_pending = 3;
    let engine = house.builder().config(config).build().unwrap();
    let ask = |number: usize| {
        let command = format!("git push host-{number} branch");
        result(&engine, Invocation::bash(command))
    };
    let put: Vec<bool> = (0..5)
        .map(|number| ask(number).approval.is_some())
        .collect();
    assert_eq!(put, [true, true, true, false, false]);
    let refused = ask(7);
    assert_eq!(refused.status, Status::NeedsApproval);
    assert_eq!(refused.decision.unwrap().rule, "too-many-asks");
    // The same once more is no new one.
    assert!(ask(1).approval.is_some());
    assert_eq!(desk(&house).asks(WhichAsks::Pending).unwrap().len(), 3);
    assert_eq!(desk(&house).asks(WhichAsks::Pending).unwrap()[1].count, 2);
}
