//! A run that was asked for: wait for it, watch it, end it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use bashful_keeper::{Fault, FaultKind, LogReader, State, Stream, TaskDirectory, TaskId};

use crate::client::Client;
use crate::engine::Running;
use crate::error::{EngineError, InvalidInvocation};
use crate::events::Events;
use crate::journal::LastPage;
use crate::output::{Captured, OutputLimit, Totals, capture};
use crate::progress::{Outcome, Picture, Progress};
use crate::refusals::Draft;
use crate::result::{ExecutionResult, Heading};

/// A run in progress. Dropping it ends the run with its whole process tree,
/// unless it was detached.
#[derive(Debug)]
pub struct Run {
    pub(crate) report: Arc<Report>,
    pub(crate) client: Arc<Client>,
    /// Listed as running until this goes.
    pub(crate) _running: Running,
    pub(crate) owned: bool,
}

/// What is needed to tell how a run went.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) id: TaskId,
    pub(crate) heading: Heading,
    pub(crate) directory: TaskDirectory,
    /// Where the caller finds the log.
    pub(crate) output_file: PathBuf,
    pub(crate) limit: OutputLimit,
    pub(crate) progress: Arc<Progress>,
    pub(crate) last_page: LastPage,
    pub(crate) draft: Draft,
}

impl Run {
    /// The task's id.
    pub fn id(&self) -> &str {
        self.report.id.as_str()
    }

    /// The command, which a person may have changed.
    pub fn command(&self) -> &str {
        &self.report.heading.command
    }

    /// The complete log, which grows while the run goes on.
    pub fn output_file(&self) -> &Path {
        &self.report.output_file
    }

    /// Waits for the end.
    pub async fn wait(mut self) -> Result<ExecutionResult, EngineError> {
        let outcome = self
            .client
            .wait(&self.report.progress, |picture| picture.outcome.clone())
            .await?;
        self.owned = false;
        self.report.result(outcome)
    }

    /// Waits for the end on this thread, until `until` at most; `Err(self)` when
    /// it goes on after that.
    pub fn wait_until(
        mut self,
        until: Option<Instant>,
    ) -> Result<Result<ExecutionResult, EngineError>, Self> {
        let look = |picture: &Picture| picture.outcome.clone();
        match self.client.wait_until(&self.report.progress, until, look) {
            Some(outcome) => {
                self.owned = false;
                Ok(self.report.result(outcome))
            }
            None => Err(self),
        }
    }

    /// What happens, as it happens. A reader who is slow never slows the command:
    /// it is told of what it missed, which is in the log.
    pub fn events(&self) -> Events {
        Events::new(Arc::clone(&self.report), Arc::clone(&self.client))
    }

    /// Asks the whole tree to end: SIGTERM, a grace period, SIGKILL.
    pub fn cancel(&self) {
        self.client.cancel(&self.report.id, false);
    }

    /// Ends the whole tree at once.
    pub fn kill(&self) {
        self.client.cancel(&self.report.id, true);
    }

    /// Lets it go on without us; what it does is in its task directory.
    pub fn detach(mut self) -> String {
        self.owned = false;
        self.client.detach(&self.report.id);
        self.report.id.to_string()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if self.owned && self.report.progress.outcome().is_none() {
            self.cancel();
        }
    }
}

impl Report {
    pub(crate) fn result(&self, outcome: Outcome) -> Result<ExecutionResult, EngineError> {
        let mut result = match outcome {
            Outcome::Finished(state) => self.finished(&state)?,
            Outcome::Refused(fault) => {
                let error = refused(fault);
                self.last_page
                    .not_started(&self.id, &self.heading, &error.to_string());
                return Err(error);
            }
            Outcome::Lost => self.lost(),
        };
        self.last_page.end(&result, &self.directory);
        self.draft.put(&mut result);
        Ok(result)
    }

    fn finished(&self, state: &State) -> Result<ExecutionResult, EngineError> {
        let (stdout, stderr) = self.captured(state).map_err(|source| EngineError::Log {
            task: self.id.to_string(),
            source,
        })?;
        let result =
            ExecutionResult::finished(self.heading.clone(), state, self.output_file.clone());
        Ok(result.with_output(stdout, stderr))
    }

    fn captured(&self, state: &State) -> std::io::Result<(Captured, Captured)> {
        let output = &state.output;
        if output.stdout_bytes == 0 && output.stderr_bytes == 0 {
            return Ok(Default::default());
        }
        let mut reader = LogReader::open(&self.directory)?;
        let stdout = Totals {
            bytes: output.stdout_bytes,
            characters: output.stdout_chars,
        };
        let stderr = Totals {
            bytes: output.stderr_bytes,
            characters: output.stderr_chars,
        };
        Ok((
            capture(&mut reader, Stream::Stdout, stdout, self.limit)?,
            capture(&mut reader, Stream::Stderr, stderr, self.limit)?,
        ))
    }

    /// The keeper died: the record on disk may still know more than we do.
    fn lost(&self) -> ExecutionResult {
        if let Ok(Some(state)) = self.directory.read_state()
            && state.phase == bashful_keeper::Phase::Finished
            && let Ok(result) = self.finished(&state)
        {
            return result;
        }
        let result = ExecutionResult::lost(
            self.heading.clone(),
            self.id.to_string(),
            self.output_file.clone(),
        );
        // What the log has is all that is known of the output.
        let whatever = |stream| {
            let mut reader = LogReader::open(&self.directory).ok()?;
            let (bytes, characters) = reader.totals(stream).ok()?;
            let totals = Totals { bytes, characters };
            Some((
                bytes,
                capture(&mut reader, stream, totals, self.limit).ok()?,
            ))
        };
        let (stdout_bytes, stdout) = whatever(Stream::Stdout).unwrap_or_default();
        let (stderr_bytes, stderr) = whatever(Stream::Stderr).unwrap_or_default();
        let result = ExecutionResult {
            stdout_bytes,
            stderr_bytes,
            ..result
        };
        result.with_output(stdout, stderr)
    }
}

/// The keeper's word for why nothing was started, as an error of ours.
fn refused(fault: Fault) -> EngineError {
    let source = fault.errno.map_or_else(
        || std::io::Error::other(fault.subject.clone()),
        std::io::Error::from_raw_os_error,
    );
    let path = PathBuf::from(&fault.subject);
    let full = matches!(
        source.kind(),
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded
    );
    match fault.kind {
        FaultKind::TaskDirectory if full => EngineError::DiskFull { path },
        FaultKind::TaskDirectory => EngineError::StateDirectory { path, source },
        FaultKind::WorkingDirectory => InvalidInvocation::UnreadableDirectory {
            role: "working directory",
            path,
            source,
        }
        .into(),
        FaultKind::Execute => EngineError::Execute {
            program: path,
            source,
        },
        FaultKind::Resources => EngineError::Resources {
            what: fault.subject,
            source,
        },
        FaultKind::Unenforceable => EngineError::Unenforceable {
            what: fault.subject,
        },
        FaultKind::Sandbox => EngineError::Sandbox {
            what: fault.subject,
            source,
        },
        FaultKind::Malformed | FaultKind::Ending => EngineError::KeeperGone,
    }
}
