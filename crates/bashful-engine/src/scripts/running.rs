//! A script that runs, what is noted about it in the end, and what is on record of one that did
//! not even start.

use std::sync::Arc;

use super::Scripts;
use super::action::BashRun;
use super::run::meant;
use crate::base::clock::{millis, now_ms};
use crate::base::secrets::masked;
use crate::model::error::EngineError;
use crate::model::error::script::ScriptError;
use crate::model::result::ExecutionResult;
use crate::model::script::LastRun;
use crate::record::audit::{Event, ScriptChange, ScriptChanged, Trail};
use crate::request::script::call::ScriptCall;
use crate::run::running::Run;
use crate::store::ScriptStore as _;

/// A script that runs. Dropping it ends the script with its whole process tree.
#[derive(Debug)]
pub struct ScriptRun {
    run: Run,
    note: Note,
}

/// What is noted at the end of a run, and what goes with it.
#[derive(Debug)]
struct Note {
    call: Arc<ScriptCall>,
    began: LastRun,
}

impl ScriptRun {
    /// A run that has just begun. It is noted, and counts.
    pub(super) fn begun(run: Run, call: Arc<ScriptCall>) -> Self {
        let began = LastRun {
            task_id: run.id().to_owned(),
            at_ms: now_ms(),
            status: None,
            exit_code: None,
            duration_ms: None,
            content_hash: call.script.content_hash.clone(),
        };
        let note = Note { call, began };
        note.begin();
        Self { run, note }
    }

    /// The run itself: its id, its events, a way to end it.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Waits for the end.
    pub async fn wait(self) -> Result<ExecutionResult, ScriptError> {
        let Self { run, note } = self;
        let result = run.wait().await?;
        note.end(&result);
        Ok(result)
    }

    /// The same for who has no async runtime.
    pub fn wait_here(self) -> Result<ExecutionResult, ScriptError> {
        let Self { run, note } = self;
        match run.wait_until(None) {
            Ok(result) => {
                let result = result?;
                note.end(&result);
                Ok(result)
            }
            // Without a limit the caller never stops waiting.
            Err(_) => Err(EngineError::Abandoned.into()),
        }
    }

    /// Notes the end that a caller saw in the run's events.
    pub fn ended(self, result: &ExecutionResult) {
        self.note.end(result);
    }
}

impl Note {
    fn end(&self, result: &ExecutionResult) {
        let ended = LastRun {
            status: Some(result.status.as_str().to_owned()),
            exit_code: result.exit_code,
            duration_ms: Some(millis(result.duration)),
            ..self.began.clone()
        };
        self.call.store.note_end(self.call.script.id, ended);
    }

    /// What is only counted does not take a run away: the trail has it all.
    fn begin(&self) {
        let (store, id) = (self.call.store.get(), self.call.script.id);
        let noted = store.and_then(|store| store.note_script_run(id, &self.began));
        if let Err(error) = noted {
            tracing::warn!(%error, "the run of a script is not counted");
        }
    }
}

impl Scripts<'_> {
    /// Puts on record that an action was not run. Nothing runs because of this record, so it is
    /// not waited for.
    pub(super) fn record_not_run(&self, action: &BashRun, why: &str) {
        let settings = self.settings();
        let written = || -> Result<(), ScriptError> {
            let library = self.library()?;
            let script = meant(&library, action)?;
            let refused = ScriptChange::Refused;
            let mut event = ScriptChanged::of(refused, &script, settings.caller());
            event.detail = Some(masked(&format!("not run: {why}"), &settings.mask));
            let trail = Trail::at(&settings.places.state);
            drop(trail.append(&[Event::Script(Box::new(event))])?);
            Ok(())
        };
        if let Err(error) = written() {
            // There is no such script, or nothing of it can be read.
            let named = action.script_name.clone();
            let named = named.or_else(|| action.script_id.map(|id| id.to_string()));
            let named: String = named.unwrap_or_default().chars().take(200).collect();
            self.engine
                .record_refusal(&format!("script:{named}"), &error);
        }
    }
}
