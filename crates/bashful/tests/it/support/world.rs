//! Directories, an environment and the executable.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use super::processes::eventually;
use super::running::{Ended, Outcome, Running};

/// What every run without a sandbox and a policy says on standard error before anything else.
pub(crate) const NOTICE: &str = "bashful: warning: the policy is off, as asked\n\
    ! Nothing is enforced: commands run with all your rights (no sandbox)\n";

/// What a run that is not judged says before anything else.
pub(crate) const UNJUDGED: &str =
    "bashful: warning: the policy is off, as asked; the sandbox stays on\n";

/// The search path of all tests: what every user may use.
pub(crate) const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The executable under test.
pub(crate) fn binary() -> PathBuf {
    let named = std::env::var_os("BASHFUL_TEST_BINARY");
    named.map_or_else(|| env!("CARGO_BIN_EXE_bashful").into(), PathBuf::from)
}

/// What a piped run in a sandbox that printed this looks like from outside.
pub(crate) fn ran(code: i32, stdout: &str, stderr: &str) -> Outcome {
    Outcome {
        code,
        stdout: stdout.to_owned(),
        stderr: stderr.to_owned(),
    }
}

/// What `seq` prints.
pub(crate) fn seq(from: i32, to: i32) -> String {
    let lines: Vec<String> = (from..=to).map(|number| number.to_string()).collect();
    lines.join("\n") + "\n"
}

/// What is around the runs of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Walls {
    /// What there is unless a test asks for another sandbox.
    Sandbox,
    /// What was asked for with `--sandbox none`.
    Nothing,
}

/// Whether the runs of a world are judged first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Judged {
    /// By the policy, as a user's runs are.
    Yes,
    /// Not at all, as asked with `--policy none`: for tests of what the policy would stop.
    No,
}

/// The home, state, cache, configuration, runtime directory and workspace of one test.
/// When it goes, so does every keeper that it knows of.
pub(crate) struct World {
    root: PathBuf,
    temp: TempDir,
    walls: Walls,
    judged: Judged,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(Walls::Sandbox, Judged::Yes)
    }

    /// The same in this directory: a home is not where rooms have files of their own, as in `/tmp`.
    pub(crate) fn below(parent: &str) -> Self {
        let temp = tempfile::tempdir_in(parent).unwrap();
        Self::at(temp, Walls::Sandbox, Judged::Yes)
    }

    /// A world in which runs are not judged before they run.
    pub(crate) fn unjudged() -> Self {
        Self::with(Walls::Sandbox, Judged::No)
    }

    /// A world in which runs have all the rights of their caller. They are not judged either,
    /// because the policy asks about most commands that nothing confines.
    pub(crate) fn without_walls() -> Self {
        Self::with(Walls::Nothing, Judged::No)
    }

    /// One world of each kind, one after the other: for what holds in both.
    pub(crate) fn both() -> impl Iterator<Item = Self> {
        [Self::unjudged, Self::without_walls]
            .into_iter()
            .map(|make| make())
    }

    /// The same in one world of each kind, side by side: for what waits for a clock.
    pub(crate) fn in_both(check: impl Fn(&Self) + Sync) {
        std::thread::scope(|scope| {
            for world in Self::both() {
                let check = &check;
                scope.spawn(move || check(&world));
            }
        });
    }

    fn with(walls: Walls, judged: Judged) -> Self {
        Self::at(tempfile::tempdir().unwrap(), walls, judged)
    }

    fn at(temp: TempDir, walls: Walls, judged: Judged) -> Self {
        let root = temp.path().canonicalize().unwrap();
        for name in ["home", "state", "cache", "config", "run", "workspace"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        let private = fs::Permissions::from_mode(0o700);
        fs::set_permissions(root.join("run"), private).unwrap();
        Self {
            root,
            temp,
            walls,
            judged,
        }
    }

    pub(crate) fn walls(&self) -> Walls {
        self.walls
    }

    /// What a piped run of this world that printed this looks like from outside.
    pub(crate) fn ran(&self, code: i32, stdout: &str, stderr: &str) -> Outcome {
        ran(code, stdout, &format!("{}{stderr}", self.notice()))
    }

    /// What a run of this world says before anything else.
    pub(crate) fn notice(&self) -> &'static str {
        match (self.walls, self.judged) {
            (Walls::Sandbox, Judged::Yes) => "",
            (Walls::Sandbox, Judged::No) => UNJUDGED,
            (Walls::Nothing, _) => NOTICE,
        }
    }

    /// A path of this world that does not clash with its directories.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.path("workspace")
    }

    /// Where Bashful keeps its records.
    pub(crate) fn state(&self) -> PathBuf {
        self.path("state/bashful")
    }

    /// Writes the user's configuration.
    pub(crate) fn configure(&self, toml: &str) {
        let directory = self.path("config/bashful");
        fs::create_dir_all(&directory).unwrap();
        let file = directory.join("config.toml");
        fs::write(&file, toml).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    }

    /// Writes a file into the workspace.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.workspace().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Reads a file of the workspace.
    pub(crate) fn read(&self, name: &str) -> String {
        let bytes = fs::read(self.workspace().join(name)).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// A program in this world's environment and workspace, with no input.
    pub(crate) fn program(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", PATH)
            .env("HOME", self.path("home"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_RUNTIME_DIR", self.path("run"))
            // A call is one process, unless a test is about residents.
            .env("BASHFUL_ALONE", "1")
            .current_dir(self.workspace())
            .stdin(Stdio::null());
        command
    }

    /// The executable with these arguments.
    pub(crate) fn bashful<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = self.program(binary());
        command.args(arguments);
        command
    }

    /// `bashful` with these arguments, to its end.
    pub(crate) fn call<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Outcome {
        Running::start(self.bashful(arguments)).end().outcome()
    }

    /// `bashful run` with these arguments.
    pub(crate) fn run_command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = self.bashful(&["run"]);
        if self.walls == Walls::Nothing {
            command.args(["--sandbox", "none"]);
        }
        if self.judged == Judged::No {
            command.args(["--policy", "none"]);
        }
        command.args(arguments);
        command
    }

    /// `bashful run` with these arguments, to its end.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Outcome {
        self.ended(arguments).outcome()
    }

    /// The same with bytes and time.
    pub(crate) fn ended<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ended {
        Running::start(self.run_command(arguments)).end()
    }

    /// `bashful run`, going on.
    pub(crate) fn start<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Running {
        Running::start(self.run_command(arguments))
    }

    /// `bashful run --json` with these arguments: the code and the object.
    pub(crate) fn json<S: AsRef<OsStr>>(&self, arguments: &[S]) -> (i32, Value) {
        let mut command = self.run_command(&["--json"]);
        command.args(arguments);
        Running::start(command).end().outcome().json()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("around its runs: {:?}", self.walls);
        }
        for (pid, _) in self.living_keepers() {
            let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::TERM);
        }
        let ended = eventually(|| self.living_keepers().is_empty());
        // One panic is enough.
        assert!(
            ended || std::thread::panicking(),
            "keepers are left in {}",
            self.temp.path().display()
        );
    }
}
