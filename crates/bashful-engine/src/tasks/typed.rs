//! What is typed into tasks goes on record: how much, by which way, and its digest; never the
//! text itself.

use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};

use super::error::TaskError;
use super::task::Task;
use super::wait::block_on;
use crate::base::digest::hexadecimal;
use crate::record::audit::{Event, InputHow, InputSent, Trail};
use crate::record::standing::TaskState;

impl Task {
    /// The same task, for a caller that types in this way; it goes on record with what is sent.
    #[must_use]
    pub fn typed_by(mut self, how: InputHow) -> Self {
        self.how = how;
        self
    }

    /// A person sits down at its terminal, which goes on record.
    pub fn sit_down(&self) -> Result<Sitting, TaskError> {
        self.put_on_record(self.input(InputHow::AttachBegan))?;
        Ok(Sitting {
            task: self.clone(),
            typed: AtomicU64::new(0),
        })
    }

    /// Puts on record what is about to be sent. What is not on record is not sent.
    pub(super) fn record_input(&self, bytes: &[u8], end: bool) -> Result<(), TaskError> {
        let standing = self.standing()?;
        // Nothing can be sent to those, which they are about to say themselves.
        let takes_input = self.spec.terminal.is_some() || self.spec.keep_input;
        if !takes_input || standing.state.is_over() {
            return Ok(());
        }
        let question = standing.record.and_then(|record| record.needs_input);
        let is_secret = standing.state == TaskState::NeedsInput
            && question.is_some_and(|question| question.hidden);
        let digest = || hexadecimal(&Sha256::digest(bytes), 32);
        let sha256 = (!is_secret && !bytes.is_empty()).then(digest);
        self.put_on_record(InputSent {
            bytes: Some(bytes.len() as u64),
            sha256,
            end,
            ..self.input(self.how)
        })
    }

    fn input(&self, how: InputHow) -> InputSent {
        InputSent {
            task: self.id.to_string(),
            agent: self.spec.agent.clone(),
            session: self.spec.session.clone(),
            how,
            bytes: None,
            sha256: None,
            end: false,
        }
    }

    fn put_on_record(&self, input: InputSent) -> Result<(), TaskError> {
        let trail = Trail::at(self.engine.state_directory());
        let written = trail.append(&[Event::Input(input)]);
        written.map(drop).map_err(|source| TaskError::Unrecorded {
            task: self.id.to_string(),
            source,
        })
    }
}

/// A person who sits at the terminal of a task. That they leave goes on record when this goes.
#[derive(Debug)]
pub struct Sitting {
    task: Task,
    typed: AtomicU64,
}

impl Sitting {
    /// Types these bytes, like [`Task::send`].
    pub fn send(&self, bytes: &[u8]) -> Result<(), TaskError> {
        block_on(self.task.send_unrecorded(bytes.to_vec()))?;
        self.typed.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(())
    }
}

impl Drop for Sitting {
    fn drop(&mut self) {
        let ended = InputSent {
            bytes: Some(self.typed.load(Ordering::Relaxed)),
            ..self.task.input(InputHow::AttachEnded)
        };
        // That they sat there is on record already.
        let _ = self.task.put_on_record(ended);
    }
}
