//! Directories, an environment and the executable.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use super::processes::{eventually, is_alive};
use super::running::{Ended, Outcome, Running};

/// What every run says on standard error before anything else.
pub(crate) const NOTICE: &str =
    "! Nothing is enforced: commands run with all your rights (no sandbox yet)\n";

/// The search path of all tests: what every user may use.
pub(crate) const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The executable under test.
pub(crate) fn binary() -> PathBuf {
    let named = std::env::var_os("BASHFUL_TEST_BINARY");
    named.map_or_else(|| env!("CARGO_BIN_EXE_bashful").into(), PathBuf::from)
}

/// What a piped run that printed this looks like from outside.
pub(crate) fn ran(code: i32, stdout: &str, stderr: &str) -> Outcome {
    Outcome {
        code,
        stdout: stdout.to_owned(),
        stderr: format!("{NOTICE}{stderr}"),
    }
}

/// What `seq` prints.
pub(crate) fn seq(from: i32, to: i32) -> String {
    let lines: Vec<String> = (from..=to).map(|number| number.to_string()).collect();
    lines.join("\n") + "\n"
}

/// The home, state, cache, configuration, runtime directory and workspace of one test.
/// When it goes, so does every keeper that it knows of.
pub(crate) struct World {
    root: PathBuf,
    temp: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        for name in ["home", "state", "cache", "config", "run", "workspace"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        let private = fs::Permissions::from_mode(0o700);
        fs::set_permissions(root.join("run"), private).unwrap();
        Self { root, temp }
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

    /// What `bashful status --json` lists.
    pub(crate) fn status(&self) -> Vec<Value> {
        let (code, status) = self.call(&["status", "--json"]).json();
        assert_eq!(code, 0, "{status}");
        status["running"].as_array().unwrap().clone()
    }

    /// The last whole record of each task.
    pub(crate) fn records(&self) -> Vec<Value> {
        let tasks = self.state().join("tasks");
        let Ok(entries) = fs::read_dir(tasks) else {
            return Vec::new();
        };
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter_map(|path| last_record(&path)).collect()
    }

    /// The keepers that the records name: number and start.
    pub(crate) fn keepers(&self) -> Vec<(i32, u64)> {
        let named = self.records().into_iter().filter_map(|record| {
            let pid = i32::try_from(record["keeper"]["pid"].as_i64()?).ok()?;
            Some((pid, record["keeper"]["started"].as_u64()?))
        });
        let mut keepers: Vec<(i32, u64)> = named.collect();
        keepers.sort_unstable();
        keepers.dedup();
        keepers
    }

    /// The keepers that live.
    pub(crate) fn living_keepers(&self) -> Vec<(i32, u64)> {
        let mut keepers = self.keepers();
        keepers.retain(|&(pid, started)| is_alive(pid, started));
        keepers
    }
}

impl Drop for World {
    fn drop(&mut self) {
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

/// The last line of a task's state that has an end.
fn last_record(task: &Path) -> Option<Value> {
    let text = fs::read_to_string(task.join("state")).ok()?;
    let whole = text.get(..=text.rfind('\n')?)?;
    serde_json::from_str(whole.lines().last()?).ok()
}
