//! The end of a run that was not noted, because the process that waited for it was ended: its
//! keeper knows.

use super::Scripts;
use crate::model::script::{LastRun, Script};

impl Scripts<'_> {
    /// Notes how the last run of a script ended, if that is not known and its keeper can tell.
    pub(super) fn note_unseen_end(&self, script: &mut Script) {
        let unknown = script.last_run.as_ref();
        let Some(last) = unknown.filter(|last| last.status.is_none()) else {
            return;
        };
        let Some(ended) = self.ended(last) else {
            return;
        };
        // What is only counted is told in any case.
        let noted = self
            .library()
            .map(|library| library.store().note_script_run(script.id, &ended));
        if let Ok(Err(error)) = noted {
            tracing::warn!(%error, "the end of a script is not noted");
        }
        script.last_run = Some(ended);
    }

    fn ended(&self, last: &LastRun) -> Option<LastRun> {
        let summary = self.engine.task(&last.task_id).ok()?.summary().ok()?;
        let status = summary.status?;
        Some(LastRun {
            status: Some(status.as_str().to_owned()),
            exit_code: summary.exit_code,
            duration_ms: summary.duration_ms,
            ..last.clone()
        })
    }
}
