//! Tests of the replay, and the record that those of learning use too.

use std::path::{Path, PathBuf};

use bashful_policy::Effect;
use serde_json::{Value, json};

use super::*;
use crate::config::{AdminOwner, Sources};
use crate::model::answer::Answer;
use crate::model::answered_by::{AnsweredBy, Channel};
use crate::model::ask::AskGround;
use crate::model::ask::{Ask, Cause, Reachable};
use crate::model::grant::{Grant, Opening, Scope, Subject};
use crate::model::places::Places;
use crate::record::audit::{Answered, Asked, Event, GrantChange, GrantChanged, Refused, Starting};

/// A record that is written event by event.
pub(crate) struct Trail {
    pub(crate) directory: tempfile::TempDir,
    pub(crate) events: Vec<Option<Event>>,
    tasks: usize,
}

impl Trail {
    pub(crate) fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
            events: Vec::new(),
            tasks: 0,
        }
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        path
    }

    /// What holds, with what stands in `admin.toml` and `user.toml` of the directory.
    pub(crate) fn circumstances(&self) -> Circumstances {
        let root = self.directory.path();
        Circumstances {
            sources: Sources {
                admin: root.join("admin.toml"),
                admin_owner: AdminOwner::RootOrSelf,
                user: Some(root.join("user.toml")),
                project: None,
            },
            environment: [("HOME".to_owned(), "/home/somebody".to_owned())].into(),
            places: Places::under(root),
        }
    }

    /// A request, with the decision about it.
    pub(crate) fn request(&mut self, command: &str, effect: &str) -> String {
        self.request_with(command, effect, &rights(&json!({})))
    }

    pub(crate) fn request_with(&mut self, command: &str, effect: &str, rights: &Value) -> String {
        self.tasks += 1;
        let task = format!("bash-{}", self.tasks);
        self.events.push(Some(Event::Request(Box::new(Requested {
            task: task.clone(),
            agent: "coder".to_owned(),
            session: "s".to_owned(),
            operation_id: None,
            workspace: self.workspace(),
            cwd: self.workspace(),
            project: self.workspace(),
            command: command.to_owned(),
            digest: digest(&[command.as_bytes()]),
            description: None,
            variables: Vec::new(),
            profile: "default".to_owned(),
            policy: "p".to_owned(),
            rights: rights.clone(),
            sandbox: "native".to_owned(),
        }))));
        self.decide(&task, effect, &[]);
        task
    }

    pub(crate) fn decide(&mut self, task: &str, effect: &str, grants: &[&str]) {
        self.events.push(Some(Event::Decision(Decided {
            task: task.to_owned(),
            effect: effect.to_owned(),
            rule: format!("old-{effect}"),
            layer: "builtin".to_owned(),
            reason: "was so".to_owned(),
            capability: None,
            grants: grants.iter().map(|id| (*id).to_owned()).collect(),
        })));
    }

    pub(crate) fn start(&mut self, task: &str) {
        self.events.push(Some(Event::Start(Starting {
            task: task.to_owned(),
            agent: "coder".to_owned(),
            session: "s".to_owned(),
            claimed: None,
        })));
    }

    pub(crate) fn refuse(&mut self, task: &str) {
        self.events.push(Some(Event::Refusal(Refused {
            task: task.to_owned(),
            agent: "coder".to_owned(),
            session: "s".to_owned(),
            action: "tool:bash:x".to_owned(),
            status: "denied".to_owned(),
            effect: "deny".to_owned(),
            rule: "r".to_owned(),
            reason: "because".to_owned(),
            ask: None,
        })));
    }

    pub(crate) fn grant(&mut self, id: &str, opens: Opening) {
        let grant = Grant {
            id: id.to_owned(),
            scope: Scope::Session,
            subject: Subject::Any,
            opens,
            agent: "coder".to_owned(),
            session: Some("s".to_owned()),
            project: None,
            directory: None,
            policy: None,
            rights: None,
            created_at_ms: 1,
            expires_at_ms: None,
            by: a_person(),
            ask: None,
            claimed_by: None,
            revoked_at_ms: None,
        };
        let change = GrantChange::Given;
        let changed = GrantChanged { change, grant };
        self.events.push(Some(Event::Grant(Box::new(changed))));
    }

    /// An ask of a task, and what became of it.
    fn ask(&mut self, task: &str, answer: &Answer) {
        let id = format!("ask-{task}");
        let workspace = self.workspace();
        let ask = Ask {
            directories: None,
            id: id.clone(),
            created_at_ms: 1,
            expires_at_ms: 2,
            agent: "coder".to_owned(),
            session: "s".to_owned(),
            project: workspace.clone(),
            workspace: workspace.clone(),
            cwd: workspace,
            command: "x".to_owned(),
            description: None,
            variables: Vec::new(),
            reads_input: false,
            input: None,
            memory: None,
            asking: Vec::new(),
            script: None,
            digest: "d".to_owned(),
            ground: AskGround {
                rule: "r".to_owned(),
                layer: "builtin".to_owned(),
                reason: "because".to_owned(),
                span: None,
                fact: None,
                capability: None,
            },
            cause: Cause::Policy,
            shapes: Vec::new(),
            opens: Opening::default(),
            reach: Reachable::default(),
            policy: "p".to_owned(),
            rights: "r".to_owned(),
            count: 1,
            state: AskState::Pending,
            heard: false,
        };
        let (by, at_ms) = (a_person(), 2);
        let state = match answer {
            Answer::Allow { scope, .. } => AskState::Allowed {
                grant: "grant-1".to_owned(),
                scope: *scope,
                at_ms,
                by,
            },
            Answer::Deny { message } => AskState::Denied {
                message: message.clone(),
                at_ms,
                by,
            },
            Answer::Edit { .. } => AskState::Edited { at_ms, by },
        };
        let asked = Asked {
            task: task.to_owned(),
            joined: false,
            ask,
        };
        self.events.push(Some(Event::Ask(Box::new(asked))));
        self.events.push(Some(Event::Answer(Answered {
            ask: id,
            agent: "coder".to_owned(),
            state,
        })));
    }

    pub(crate) fn history(&self) -> History {
        History::of(self.events.clone(), &Which::default())
    }

    fn replay(&self, text: &str) -> Replayed {
        let path = Path::new("changed.toml");
        let mut retrial = Retrial::by_file(self.circumstances(), text, path).unwrap();
        replay(&self.history(), |request| {
            let checked = retrial.judge(request)?;
            Ok(checked.judgement.decision)
        })
    }
}

fn a_person() -> AnsweredBy {
    AnsweredBy {
        channel: Channel::Terminal,
        uid: 1,
        pid: 1,
        terminal: None,
        ancestry: Vec::new(),
        client: None,
    }
}

/// What a run has with the usual profile and these capabilities on top.
pub(crate) fn rights(capabilities: &Value) -> Value {
    let mut all = json!({ "paths_write": ["."], "network": "off" });
    let fields = capabilities.as_object().unwrap().clone();
    all.as_object_mut().unwrap().extend(fields);
    json!({ "preset": "workspace", "home": "project", "capabilities": all })
}

/// Each change in one line.
fn lines(replayed: &Replayed) -> Vec<String> {
    let line = |change: &Change| {
        format!(
            "{}x {}: {} -> {} by {} ({})",
            change.count, change.command, change.was, change.now, change.rule, change.layer
        )
    };
    replayed.changes.iter().map(line).collect()
}

const ASK_LS: &str = "[[profile.default.rule]]\nid = \"no-ls\"\neffect = \"ask\"\n\
                      command = [\"ls\", \"…\"]\nreason = \"is for a test\"\n";
const ALLOW_PUSH: &str = "[[rule]]\nid = \"push\"\neffect = \"allow\"\n\
                          command = [\"git\", \"push\", \"origin\", \"main\"]\n";

#[test]
fn changes_are_grouped_and_counted() {
    let mut trail = Trail::new();
    for _ in 0..3 {
        trail.request("ls -l", "allow");
    }
    trail.request("ls", "allow");
    trail.request("pwd", "allow");
    trail.request("git push origin main", "ask");
    trail.events.push(None);
    let replayed = trail.replay(ASK_LS);
    assert_eq!(
        lines(&replayed),
        [
            "3x ls -l: allow -> ask by no-ls (user)",
            "1x ls: allow -> ask by no-ls (user)",
        ]
    );
    let Replayed {
        judged,
        unchanged,
        unread,
        ..
    } = replayed;
    assert_eq!((judged, unchanged, unread), (6, 2, 1));
    assert_eq!(replayed.newly(Effect::Ask), 4);
    assert_eq!(replayed.newly(Effect::Deny), 0);
}

#[test]
fn a_file_of_rules_is_added_to_what_holds() {
    let mut trail = Trail::new();
    trail.write("user.toml", "blocked_commands = [\"pwd\"]\n");
    trail.request("git push origin main", "ask");
    trail.request("git push origin other", "ask");
    trail.request("pwd", "deny");
    let replayed = trail.replay(ALLOW_PUSH);
    let expected = ["1x git push origin main: ask -> allow by push (user)"];
    assert_eq!(lines(&replayed), expected);
    // A configuration takes the place of the user's file.
    let replayed = trail.replay("blocked_commands = [\"git\"]\n");
    assert_eq!(
        lines(&replayed),
        [
            "1x pwd: deny -> allow by read-only (builtin)",
            "1x git push origin main: ask -> deny by blocked-pattern (user)",
            "1x git push origin other: ask -> deny by blocked-pattern (user)",
        ]
    );
}

#[test]
fn the_admin_and_the_project_still_have_their_say() {
    let mut trail = Trail::new();
    let deny = "[[profile.default.rule]]\nid = \"no\"\neffect = \"deny\"\n\
                command = [\"git\", \"push\", \"…\"]\nreason = \"is for people\"\n";
    trail.write("admin.toml", deny);
    trail.write(".bashful.toml", ASK_LS);
    trail.request("git push origin main", "deny");
    trail.request("ls", "ask");
    assert_eq!(lines(&trail.replay(ALLOW_PUSH)), [""; 0]);
}

#[test]
fn rights_are_those_of_the_changed_profile_and_the_flags_of_the_run() {
    let mut trail = Trail::new();
    let wide = rights(&json!({ "classes": ["sudo"] }));
    trail.request("sudo ls", "deny");
    trail.request_with("sudo pwd", "allow", &wide);
    let open = "[profile.default.capabilities]\nclasses = [\"sudo\"]\n";
    let newly = trail.replay(open);
    assert_eq!(
        lines(&newly),
        ["1x sudo ls: deny -> allow by sudo (builtin)"]
    );
    // What the run had by a flag, a file does not take away.
    assert_eq!(lines(&trail.replay("")), [""; 0]);
    // What it had by its profile, the changed profile can.
    trail.write("user.toml", open);
    assert_eq!(
        lines(&trail.replay("")),
        ["1x sudo pwd: allow -> deny by sudo (builtin)"]
    );
}

#[test]
fn what_persons_said_is_told() {
    let mut trail = Trail::new();
    let yes = trail.request("git push origin main", "ask");
    let scope = Scope::Session;
    let expires = None;
    trail.ask(&yes, &Answer::Allow { scope, expires });
    trail.decide(&yes, "allow", &["grant-1"]);
    let no = trail.request("git push origin main", "ask");
    trail.ask(&no, &Answer::Deny { message: None });
    // Before a yes of before, it would have been asked about.
    let later = trail.request("git push origin main", "allow");
    let Some(Some(Event::Decision(decided))) = trail.events.last_mut() else {
        panic!("{later}");
    };
    decided.grants.push("grant-1".to_owned());
    decided.rule = "old-ask".to_owned();
    let replayed = trail.replay(ALLOW_PUSH);
    let answers = Answers {
        yes: 1,
        no: 1,
        granted: 1,
        ..Answers::default()
    };
    assert_eq!(replayed.changes.len(), 1);
    assert_eq!(replayed.changes[0].count, 3);
    assert_eq!(replayed.changes[0].answers, answers);
}

#[test]
fn what_cannot_be_judged_is_told() {
    let mut trail = Trail::new();
    trail.request_with("ls", "allow", &json!({ "preset": "unheard-of" }));
    trail.request_with("ls", "allow", &json!(null));
    trail.request("", "deny");
    trail.request("ls", "perhaps");
    trail.request("pwd", "allow");
    if let Some(Some(Event::Decision(decided))) = trail.events.last_mut() {
        decided.rule = "policy-none".to_owned();
    }
    let replayed = trail.replay(ASK_LS);
    let failed: Vec<_> = replayed
        .failed
        .iter()
        .map(|failed| (failed.command.as_str(), failed.count))
        .collect();
    assert_eq!(failed, [("ls", 2), ("", 1)]);
    let counts = (replayed.judged, replayed.undecided, replayed.unjudged);
    assert_eq!(counts, (0, 1, 1));
}

#[test]
fn a_masked_command_is_marked() {
    let mut trail = Trail::new();
    let command = "git push https://***@example.com main";
    trail.request(command, "allow");
    trail.request("echo '***' > /etc/x", "allow");
    if let Some(Some(Event::Request(request))) = trail.events.first_mut() {
        request.digest = digest(&[b"git push https://secret12@example.com main"]);
    }
    let replayed = trail.replay("");
    let marked: Vec<_> = replayed
        .changes
        .iter()
        .map(|change| (change.command.as_str(), change.masked))
        .collect();
    assert_eq!(marked, [(command, true), ("echo '***' > /etc/x", false)]);
}

#[test]
fn a_workspace_that_is_gone_is_judged_all_the_same() {
    let mut trail = Trail::new();
    let rights = rights(&json!({ "paths_write": [".", "/nowhere/at/all"] }));
    trail.request_with("touch a", "allow", &rights);
    trail.request_with("git push origin main", "allow", &rights);
    for event in trail.events.iter_mut().flatten() {
        if let Event::Request(request) = event {
            request.workspace = PathBuf::from("/nowhere/w");
            request.cwd = PathBuf::from("/nowhere/w");
        }
    }
    let replayed = trail.replay("");
    assert_eq!(
        lines(&replayed),
        ["1x git push origin main: allow -> ask by git-push (builtin)"]
    );
    assert_eq!(replayed.unchanged, 1);
}

#[test]
fn only_what_was_asked_for_is_replayed() {
    let mut trail = Trail::new();
    trail.request("ls", "allow");
    let of = |agent: &str, session: &str| Which {
        agent: Some(agent.to_owned()),
        session: Some(session.to_owned()),
    };
    for (which, expected) in [
        (of("coder", "s"), 1),
        (of("other", "s"), 0),
        (of("coder", "t"), 0),
    ] {
        let history = History::of(trail.events.clone(), &which);
        assert_eq!(history.requests.len(), expected, "{which:?}");
    }
}

#[test]
fn a_file_that_is_wrong_is_refused_at_once() {
    let trail = Trail::new();
    let path = Path::new("changed.toml");
    for text in ["[[rule]]\nid = \"x\"", "nonsense = 1", "[[["] {
        let refused = Retrial::by_file(trail.circumstances(), text, path);
        assert!(refused.is_err(), "{text}");
    }
    let retrial = Retrial::by_file(trail.circumstances(), "", path).unwrap();
    let error = retrial.by_profile("carefull").unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no profile `carefull`: did you mean `careful`?"
    );
}

#[test]
fn all_requests_can_be_judged_by_one_profile() {
    let mut trail = Trail::new();
    trail.request("unknown-program", "allow");
    let path = Path::new("changed.toml");
    let retrial = Retrial::by_file(trail.circumstances(), "", path).unwrap();
    let mut retrial = retrial.by_profile("careful").unwrap();
    let replayed = replay(&trail.history(), |request| {
        Ok(retrial.judge(request)?.judgement.decision)
    });
    assert_eq!(
        lines(&replayed),
        ["1x unknown-program: allow -> ask by unknown-command (builtin)"]
    );
}
