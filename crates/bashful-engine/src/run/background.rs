//! A command that goes on after its caller stopped waiting for it.

use std::path::PathBuf;
use std::time::Instant;

use serde::Serialize;

use crate::model::error::EngineError;
use crate::model::result::ExecutionResult;
use crate::run::running::Run;

/// A command that goes on in the background, as every front end tells it. The names in JSON are a
/// contract; a field that does not apply is absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Background {
    /// The version of this shape.
    pub v: u32,
    /// `running`.
    pub state: &'static str,
    /// It was started.
    pub success: bool,
    /// The command as the agent asked for it.
    pub command: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The task's id, with which the agent asks about it later.
    pub task_id: String,
    /// The name that may be used instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it has a terminal.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tty: bool,
    /// The complete log, which grows.
    pub output_file: PathBuf,
    /// The agent that asked for the run.
    pub agent: String,
    /// In which session.
    pub session: String,
}

/// Why a run goes on in the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Going {
    /// It was wanted so.
    AsAsked,
    /// It took longer than it is waited for.
    TookLong,
}

/// What became of a run that may go on in the background.
#[derive(Debug)]
pub enum Waiting {
    /// It has ended.
    Ended(Box<ExecutionResult>),
    /// Its time was up, and it goes on in the background.
    GoesOn(Background),
}

impl Run {
    /// This run as it is told while it goes on in the background.
    pub fn background(&self) -> Background {
        let info = &self.report.account.info;
        Background {
            v: 1,
            state: "running",
            success: true,
            command: info.command.clone(),
            description: info.description.clone(),
            task_id: self.report.account.id.to_string(),
            name: self.name.clone(),
            tty: self.has_terminal,
            output_file: self.report.account.output_file.clone(),
            agent: info.agent.clone(),
            session: info.session.clone(),
        }
    }

    /// When it is to go on in the background, if it was asked for like that.
    pub fn lets_go_at(&self) -> Option<Instant> {
        self.lets_go_at
    }

    /// Lets it go on without us, and tells how to find it.
    pub fn let_go(self) -> Background {
        let background = self.background();
        self.detach();
        background
    }

    /// Waits for the end on this thread; at its timeout, a run that is to go on in the background
    /// then does so.
    pub fn wait_or_let_go(self) -> Result<Waiting, EngineError> {
        let until = self.lets_go_at;
        match self.wait_until(until) {
            Ok(result) => Ok(Waiting::Ended(Box::new(result?))),
            Err(run) => Ok(Waiting::GoesOn(run.let_go())),
        }
    }

    /// Waits on this thread until the command runs, so that no caller is told about a task that
    /// never was; false if the time was up first.
    pub fn has_started(&self, until: Instant) -> Result<bool, EngineError> {
        use crate::launch::progress::Outcome;
        let look = |picture: &crate::launch::progress::Picture| {
            let known = picture.pid.is_some() || picture.outcome.is_some();
            known.then(|| picture.outcome.clone())
        };
        match self
            .client
            .wait_until(&self.report.progress, Some(until), look)
        {
            None => Ok(false),
            // Nothing was started; this also puts that on record.
            Some(Some(outcome @ Outcome::Refused(_))) => self.report.result(outcome).map(|_| true),
            Some(Some(Outcome::Lost)) => Err(EngineError::KeeperGone),
            Some(None | Some(Outcome::Finished(_))) => Ok(true),
        }
    }
}
