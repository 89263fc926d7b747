//! The tool for chat agents, each with a workspace and a permission profile.

use std::path::PathBuf;
use std::time::Duration;

use bashful_policy::PermissionProfile;

use crate::config::{HomeMode, Keep};
use crate::engine::{Engine, Listed};
use crate::model::error::EngineError;
use crate::model::output::OutputLimit;
use crate::model::result::ExecutionResult;
use crate::request::invocation::{Invocation, Timeout};

/// The most characters of each stream in a result.
const MAX_OUTPUT_LEN: usize = 50_000;
const TIMEOUT: Duration = Duration::from_secs(120);

/// One agent's shell.
///
/// Results keep the end of long output. The embedder gives the agent's name here when it launches
/// the agent, and nothing that a model says changes it.
#[derive(Debug, Clone)]
pub struct AgentTool {
    engine: Engine,
    agent: String,
}

/// One call of the tool.
#[derive(Debug)]
pub struct BashExecute {
    command: String,
    workspace: PathBuf,
    profile: PermissionProfile,
    timeout: Duration,
    max_output_len: usize,
    env_overrides: Vec<(String, String)>,
}

impl BashExecute {
    /// A call with the usual limits: 120 seconds, 50,000 characters.
    pub fn new(
        command: impl Into<String>,
        workspace: impl Into<PathBuf>,
        profile: PermissionProfile,
    ) -> Self {
        Self {
            command: command.into(),
            workspace: workspace.into(),
            profile,
            timeout: TIMEOUT,
            max_output_len: MAX_OUTPUT_LEN,
            env_overrides: Vec::new(),
        }
    }

    /// How long it may take.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How many characters of each stream the result holds.
    #[must_use]
    pub fn max_output_len(mut self, characters: usize) -> Self {
        self.max_output_len = characters;
        self
    }

    /// Injects a variable.
    #[must_use]
    pub fn env_override(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env_overrides.push((name.into(), value.into()));
        self
    }
}

impl AgentTool {
    /// The shell of the agent with this name.
    pub fn new(engine: Engine, agent: impl Into<String>) -> Self {
        Self {
            engine,
            agent: agent.into(),
        }
    }

    /// Runs a command, if the blocklist and then the profile allow the action
    /// `tool:bash:<command>`. A denial or a question comes back as the result, and
    /// nothing has run then.
    pub async fn bash_execute(&self, call: BashExecute) -> Result<ExecutionResult, EngineError> {
        let mut invocation = Invocation::bash(call.command)
            .agent(&self.agent)
            .workspace(call.workspace)
            .profile(call.profile)
            // Its users find there what their agents wrote.
            .usual_home(HomeMode::Workspace)
            .timeout(Timeout::After(call.timeout))
            .output(OutputLimit::characters(Keep::Tail, call.max_output_len));
        for (name, value) in call.env_overrides {
            invocation = invocation.variable(name, value);
        }
        self.engine.run(invocation).await
    }

    /// What this agent runs now.
    pub fn running(&self) -> Vec<Listed> {
        let mut running = self.engine.running();
        running.retain(|listed| listed.agent == self.agent);
        running
    }

    /// Ends everything that this agent runs, and says how many runs that were.
    pub fn destroy(self) -> usize {
        self.engine.end_agent(&self.agent)
    }
}
