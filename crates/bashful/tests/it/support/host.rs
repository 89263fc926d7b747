//! A host without a feature that this one has.

use std::process::{Command, Stdio};

use serde_json::Value;

use super::running::{Outcome, Running};
use super::world::World;

/// What makes such a host; it says which features there are.
const SCRIPT: &str = include_str!("../../../../../tests/hosts/host.py");

/// What it ends with if a feature cannot be taken away here.
const CANNOT: i32 = 99;

/// A host by what it lacks.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    features: Vec<String>,
}

impl Host {
    /// A host with these features, in the words of `tests/hosts/host.py`.
    pub(crate) fn with<S: AsRef<str>>(features: &[S]) -> Self {
        let features = features.iter().map(|name| name.as_ref().to_owned());
        Self {
            features: features.collect(),
        }
    }

    /// The same command, without input, on this host.
    pub(crate) fn on(&self, command: &Command) -> Command {
        let mut moved = Command::new("/usr/bin/python3");
        moved
            .args(["-I", "-S", "-c", SCRIPT])
            .args(&self.features)
            .arg("--")
            .arg(command.get_program())
            .args(command.get_args())
            .env_clear()
            .stdin(Stdio::null());
        let given = command.get_envs();
        moved.envs(given.filter_map(|(name, value)| Some((name, value?))));
        if let Some(directory) = command.get_current_dir() {
            moved.current_dir(directory);
        }
        moved
    }

    /// The same command on this host, to its end.
    pub(crate) fn end(&self, command: &Command) -> Outcome {
        let ended = Running::start(self.on(command)).end().outcome();
        assert_ne!(ended.code, CANNOT, "{:?}: {}", self.features, ended.stderr);
        ended
    }

    /// What bash says to this text on this host, in this world.
    pub(crate) fn bash(&self, world: &World, text: &str) -> Outcome {
        let mut command = world.program("bash");
        command.args(["--noprofile", "--norc", "-c", text]);
        self.end(&command)
    }

    /// `bashful run --json` with these arguments: the code and the object.
    pub(crate) fn run(&self, world: &World, arguments: &[&str]) -> (i32, Value) {
        let arguments = [&["--json"], arguments].concat();
        self.end(&world.run_command(&arguments)).json()
    }

    /// `bashful doctor --json` with these arguments: the code and the object.
    pub(crate) fn doctor(&self, world: &World, arguments: &[&str]) -> (i32, Value) {
        let arguments = [&["doctor", "--json"], arguments].concat();
        self.end(&world.bashful(&arguments)).json()
    }
}
