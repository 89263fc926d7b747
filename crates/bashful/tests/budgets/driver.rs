//! The process that is counted: it does one warm run of its scenario for each line it reads.

use std::collections::BTreeMap;
use std::fs;
use std::future::Future;
use std::io::{BufRead, Write};
use std::path::Path;
use std::pin::pin;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use bashful_engine::approvals::{
    AnsweredBy, ApprovalQueue, Channel, GrantWish, Opening, Scope, SubjectWish, version_of_policy,
};
use bashful_engine::config::{Config, Sandbox};
use bashful_engine::scripts::{BashRun, CreatedBy, MissingValues, NewScript, Seen, StartedScript};
use bashful_engine::{
    Backend, Capabilities, Engine, EngineBuilder, Invocation, Places, Started, Timeout,
};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::scenario::{PATH, Scenario};
use crate::unwatched::Counters;

/// Runs as often as it is told to, and answers each time with one line.
pub(crate) fn drive(scenario: Scenario, bashful: &Path, root: &Path) {
    let mut run = prepared(scenario, bashful, root);
    let mut lines = std::io::stdin().lock().lines();
    let mut stdout = std::io::stdout().lock();
    while let Some(Ok(_)) = lines.next() {
        let answer = run();
        writeln!(stdout, "{answer}").unwrap();
    }
}

/// One run of a scenario, ready to be done again and again; what it gives is the answer.
fn prepared(scenario: Scenario, bashful: &Path, root: &Path) -> Box<dyn FnMut() -> String> {
    let workspace = root.join("workspace");
    let builder = || builder(bashful, root, &workspace);
    match scenario {
        Scenario::CommandLine => {
            let mut alone = command_line(bashful, root, &workspace);
            alone.env("BASHFUL_ALONE", "1");
            calls(alone)
        }
        Scenario::HandedOver => calls(command_line(bashful, root, &workspace)),
        Scenario::Library => plain_runs(builder().sandbox(Sandbox::None), || {
            Invocation::bash("true")
        }),
        Scenario::LiveRoom => plain_runs(builder(), || Invocation::bash("true")),
        Scenario::Shell => plain_runs(builder(), || Invocation::bash("true").shell("used")),
        Scenario::Bubblewrap => {
            plain_runs(builder().sandbox(Sandbox::By(Backend::Bubblewrap)), || {
                Invocation::bash("true")
            })
        }
        Scenario::Script => script(&builder().build().unwrap(), &workspace),
        Scenario::Background => background(builder()),
        Scenario::OneTimeYes => one_time_yes(builder(), root, &workspace),
        Scenario::Creates => plain_runs(builder(), || Invocation::bash(CREATES)),
    }
}

/// The kernel asks about each of these.
const CREATES: &str = "for i in {1..100}; do : >f$i; done";

/// It is asked about, and does nothing.
const ASKED: &str = "true || git push origin main";

fn builder(bashful: &Path, root: &Path, workspace: &Path) -> EngineBuilder {
    let environment = [("PATH", PATH), ("HOME", root.to_str().unwrap())];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Engine::builder()
        .helper(bashful)
        .places(Places::under(root))
        .workspace(workspace)
        .environment(BTreeMap::from(environment))
        .config(config())
}

fn config() -> Config {
    let mut config = Config::default();
    config.tasks.per_agent = 1 << 20;
    config
}

fn plain_runs(builder: EngineBuilder, run: fn() -> Invocation) -> Box<dyn FnMut() -> String> {
    let engine = builder.build().unwrap();
    Box::new(move || {
        let result = block_on(engine.run(run())).unwrap();
        assert!(result.success, "{result:?}");
        String::new()
    })
}

fn script(engine: &Engine, workspace: &Path) -> Box<dyn FnMut() -> String> {
    let scripts = engine.scripts();
    let script = NewScript {
        name: "budget".parse().unwrap(),
        description: String::new(),
        content: b"true\n".to_vec(),
        capabilities: Capabilities {
            paths_write: vec![".".to_owned()],
            ..Capabilities::default()
        },
        variables: Vec::new(),
        created_by: CreatedBy::User,
    };
    scripts.create(script).unwrap();
    let witness = AnsweredBy::outside(Channel::Callback).unwrap();
    scripts.approve("budget", Seen::AsItIs, &witness).unwrap();
    let mut action = BashRun::of("budget");
    action.working_directory = Some(workspace.display().to_string());
    let engine = engine.clone();
    Box::new(move || {
        match engine.scripts().start(&action, MissingValues::Refuse) {
            Ok(StartedScript::Running(run)) => assert!(run.wait_here().unwrap().success),
            _ => panic!("the script did not start"),
        }
        String::new()
    })
}

fn one_time_yes(
    builder: EngineBuilder,
    root: &Path,
    workspace: &Path,
) -> Box<dyn FnMut() -> String> {
    let agent = "asked";
    let engine = builder.agent(agent).build().unwrap();
    let queue = ApprovalQueue::open(&Places::under(root)).unwrap();
    let witness = AnsweredBy::outside(Channel::Callback).unwrap();
    let wish = GrantWish {
        scope: Scope::Call,
        subject: SubjectWish::Command(ASKED.to_owned()),
        opens: Opening::default(),
        agent: agent.to_owned(),
        session: None,
        workspace: workspace.to_owned(),
        policy: version_of_policy(&config(), agent, None).unwrap(),
        expires: None,
    };
    Box::new(move || {
        queue.give(&wish, &witness).unwrap();
        let result = block_on(engine.run(Invocation::bash(ASKED))).unwrap();
        assert!(result.success, "{result:?}");
        String::new()
    })
}

/// Only the start is waited for; how the command ends is the keeper's work.
fn background(builder: EngineBuilder) -> Box<dyn FnMut() -> String> {
    let engine = builder.session("budget").build().unwrap();
    Box::new(move || {
        let invocation = Invocation::bash("true").timeout(Timeout::Never).detached();
        let started = engine.start(invocation).unwrap();
        assert!(matches!(started, Started::Running(_)));
        String::new()
    })
}

fn command_line(bashful: &Path, root: &Path, workspace: &Path) -> Command {
    let mut command = Command::new(bashful);
    command
        .args(["run", "--session", "budget", "true"])
        .env_clear()
        .env("PATH", PATH)
        .env("HOME", root)
        .env("XDG_STATE_HOME", root.join("state"))
        .env("XDG_CACHE_HOME", root.join("cache"))
        .env("XDG_CONFIG_HOME", root.join("config"))
        .env("XDG_RUNTIME_DIR", root.join("run"))
        .current_dir(workspace)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// The answer says what the kernel counted for the process, while it is still a zombie.
fn calls(mut command: Command) -> Box<dyn FnMut() -> String> {
    Box::new(move || {
        let mut child = command.spawn().unwrap();
        let pid = Pid::from_child(&child);
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(pid), options).unwrap();
        let counters = Counters::of(pid.as_raw_nonzero().get()).unwrap();
        assert!(child.wait().unwrap().success());
        counters.to_line()
    })
}

/// Wakes the thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// The directories of one scenario. The runtime directory must be closed to others.
pub(crate) fn furnish(root: &Path) {
    for name in ["workspace", "state", "cache", "config", "run"] {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    fs::set_permissions(root.join("run"), private).unwrap();
}
