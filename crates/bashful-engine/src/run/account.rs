//! Telling how a task went, from its directory.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use bashful_keeper::{LogEnd, LogReader, Phase, Spec, State, Stream, TaskDirectory, TaskId};

use crate::base::installed::keep_installed;
use crate::base::outside::Outside;
use crate::model::error::EngineError;
use crate::model::output::{Captured, OutputLimit, Totals, capture};
use crate::model::result::{ExecutionResult, RequestInfo};

/// What is known of a task from the start, and where the rest is to be read.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) id: TaskId,
    pub(crate) info: RequestInfo,
    pub(crate) directory: TaskDirectory,
    /// Where the caller finds the log.
    pub(crate) output_file: PathBuf,
    /// What is told about the host outside the run.
    pub(crate) outside: Outside,
    /// The home that it has alone, and the one that keeps what it installs there.
    pub(crate) homes: Option<[PathBuf; 2]>,
}

impl Account {
    /// Of a task that another engine may have started: what was decided about it is not known.
    pub(crate) fn of(directory: TaskDirectory, spec: &Spec, outside: Outside) -> Self {
        Self {
            outside,
            homes: None,
            id: spec.id.clone(),
            info: RequestInfo {
                command: spec.command.clone(),
                description: spec.description.clone(),
                operation_id: spec.operation_id.clone(),
                warn_after: spec.warn_after_ms.map(Duration::from_millis),
                ..RequestInfo::bare(spec.agent.clone(), spec.session.clone())
            },
            output_file: directory.log(),
            directory,
        }
    }

    /// The result of a task with this last record.
    pub(crate) fn finished(
        &self,
        state: &State,
        limit: OutputLimit,
    ) -> Result<ExecutionResult, EngineError> {
        if let (Some([own, kept]), Some(0)) = (&self.homes, state.exit_code) {
            keep_installed(own, kept);
        }
        let captured = self.captured(state, limit);
        let (stdout, stderr) = captured.map_err(|source| EngineError::Log {
            task: self.id.to_string(),
            source,
        })?;
        let (info, file) = (self.info.clone(), self.output_file.clone());
        let home = self.outside.home.as_deref();
        let result = ExecutionResult::finished(info, state, file, home);
        let mut result = result.with_output(stdout, stderr);
        result.add_guesses(&self.outside);
        Ok(result)
    }

    fn captured(&self, state: &State, limit: OutputLimit) -> io::Result<(Captured, Captured)> {
        let output = &state.output;
        if output.stdout_bytes == 0 && output.stderr_bytes == 0 {
            return Ok(Default::default());
        }
        let mut reader = match LogReader::open(&self.directory) {
            // Where nothing could be written there is nothing to read; how it ended is known all
            // the same.
            Err(_) if output.log_end == Some(LogEnd::WriteFailed) => {
                let lost = |bytes| Captured {
                    truncated: bytes > 0,
                    ..Captured::default()
                };
                return Ok((lost(output.stdout_bytes), lost(output.stderr_bytes)));
            }
            reader => reader?,
        };
        let stdout = Totals {
            bytes: output.stdout_bytes,
            characters: output.stdout_chars,
        };
        let stderr = Totals {
            bytes: output.stderr_bytes,
            characters: output.stderr_chars,
        };
        Ok((
            capture(&mut reader, Stream::Stdout, stdout, limit)?,
            capture(&mut reader, Stream::Stderr, stderr, limit)?,
        ))
    }

    /// The keeper died: the record on disk may still know more than we do.
    pub(crate) fn lost(&self, limit: OutputLimit) -> ExecutionResult {
        if let Ok(Some(state)) = self.directory.read_state()
            && state.phase == Phase::Finished
            && let Ok(result) = self.finished(&state, limit)
        {
            return result;
        }
        let result = ExecutionResult::lost(
            self.info.clone(),
            self.id.to_string(),
            self.output_file.clone(),
        );
        // What the log has is all that is known of the output.
        let whatever = |stream| {
            let mut reader = LogReader::open(&self.directory).ok()?;
            let (bytes, characters) = reader.totals(stream).ok()?;
            let totals = Totals { bytes, characters };
            Some((bytes, capture(&mut reader, stream, totals, limit).ok()?))
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
