//! What a call gives.

use std::path::PathBuf;
use std::time::Duration;

use bashful_policy::{Decision, ValidationError};

use crate::model::error::EngineError;
use crate::model::result::{ExecutionResult, Status};

/// The result type of this face.
pub type PrimitiveResult<T> = Result<T, PrimitiveError>;

/// Why a call gave no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrimitiveError {
    /// The command ran and did not succeed.
    #[error("command failed with exit code {exit_code}: {message}")]
    CommandFailed {
        /// Its exit code, or -1 when it was killed.
        exit_code: i32,
        /// What it printed on standard error.
        message: String,
    },
    /// The command is blocked and did not run.
    #[error("command blocked by `{}`: {}", .0.rule, .0.reason)]
    Blocked(Box<Decision>),
    /// The command makes no sense and did not run.
    #[error(transparent)]
    InvalidCommand(ValidationError),
    /// The path lies outside the allowed roots.
    #[error("the path `{}` lies outside the allowed roots", path.display())]
    PathNotAllowed {
        /// The path that the call named.
        path: PathBuf,
    },
    /// Anything else that kept the command from running.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// What a command did.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BashResult {
    /// Its exit code, or -1 when it was killed.
    pub exit_code: i32,
    /// What it printed; invalid UTF-8 is replaced.
    pub stdout: String,
    /// What it printed on standard error; invalid UTF-8 is replaced.
    pub stderr: String,
    /// Whether it was ended at its limit.
    pub timed_out: bool,
    /// Whether one of the two texts was cut.
    pub truncated: bool,
    /// About the call.
    pub metadata: Metadata,
    stdout_bytes: Vec<u8>,
    stderr_bytes: Vec<u8>,
}

/// About a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metadata {
    /// How long it took.
    pub duration: Duration,
    /// The operation it belongs to.
    pub operation_id: String,
    /// `bash`.
    pub primitive: String,
}

impl BashResult {
    /// Whether the command exited with 0 and was not ended by us.
    pub fn success(&self) -> bool {
        self.exit_code == 0 && !self.timed_out
    }

    /// What it printed, as it was printed.
    pub fn stdout_bytes(&self) -> &[u8] {
        &self.stdout_bytes
    }

    /// What it printed on standard error, as it was printed.
    pub fn stderr_bytes(&self) -> &[u8] {
        &self.stderr_bytes
    }

    pub(super) fn from_execution(
        result: ExecutionResult,
        operation_id: String,
    ) -> PrimitiveResult<Self> {
        match (result.status, result.decision) {
            (Status::Denied | Status::NeedsApproval, Some(decision)) => {
                return Err(PrimitiveError::Blocked(Box::new(decision)));
            }
            (Status::Broken, _) => return Err(EngineError::KeeperGone.into()),
            _ => {}
        }
        Ok(Self {
            exit_code: result.exit_code.unwrap_or(-1),
            stdout_bytes: result
                .stdout_raw
                .unwrap_or_else(|| result.stdout.clone().into_bytes()),
            stderr_bytes: result
                .stderr_raw
                .unwrap_or_else(|| result.stderr.clone().into_bytes()),
            stdout: result.stdout,
            stderr: result.stderr,
            timed_out: result.timed_out,
            truncated: result.truncated,
            metadata: Metadata {
                duration: result.duration,
                operation_id,
                primitive: super::PRIMITIVE.to_owned(),
            },
        })
    }
}
