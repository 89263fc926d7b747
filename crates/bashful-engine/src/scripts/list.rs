//! Lists of actions: a soft failure goes on, a hard one stops.

use serde::Serialize;

use super::Scripts;
use super::action::BashRun;
use super::values::MissingValues;
use crate::base::error_chain::in_full;
use crate::model::error::script::ScriptError;
use crate::model::result::{ExecutionResult, ExitClass, Status};

/// What became of one action of a list.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct ActionReport {
    /// Which one, from 1.
    pub number: usize,
    /// The script, by its name or id as the action has it.
    pub script: String,
    /// What became of it.
    #[serde(flatten)]
    pub outcome: ActionOutcome,
}

/// What became of an action.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
#[non_exhaustive]
pub enum ActionOutcome {
    /// It ran, or was not allowed to.
    Done {
        /// How the run ended, or why it was refused.
        result: Box<ExecutionResult>,
    },
    /// It could not be run.
    Failed {
        /// Why no run was started, in words for people.
        error: String,
    },
    /// It was not run, because one before it failed hard.
    Skipped,
}

impl ActionReport {
    /// Whether those after it are not run: it failed hard, was not allowed or could not be run.
    pub fn stops(&self) -> bool {
        match &self.outcome {
            ActionOutcome::Done { result } => {
                let ran = matches!(
                    result.exit_status,
                    Some(ExitClass::Success | ExitClass::SoftFailure)
                );
                let ended = matches!(result.status, Status::Success | Status::SoftFailure);
                !(ran && ended)
            }
            ActionOutcome::Failed { .. } => true,
            ActionOutcome::Skipped => false,
        }
    }
}

impl ActionReport {
    /// What became of the action with this number.
    pub fn of(
        number: usize,
        action: &BashRun,
        came_of_it: Result<ExecutionResult, ScriptError>,
    ) -> Self {
        let outcome = match came_of_it {
            Ok(result) => ActionOutcome::Done {
                result: Box::new(result),
            },
            Err(error) => ActionOutcome::Failed {
                error: in_full(&error),
            },
        };
        Self::new(number, action, outcome)
    }

    fn new(number: usize, action: &BashRun, outcome: ActionOutcome) -> Self {
        let name = action.script_name.clone();
        let id = || action.script_id.map(|id| id.to_string());
        Self {
            number,
            script: name.or_else(id).unwrap_or_default(),
            outcome,
        }
    }
}

impl Scripts<'_> {
    /// Runs one after the other. After one that failed softly the next is run; after any other
    /// failure none is, and that is on record for each.
    pub async fn run_all(
        &self,
        actions: Vec<BashRun>,
        missing: MissingValues,
    ) -> Vec<ActionReport> {
        let mut reports: Vec<ActionReport> = Vec::new();
        let mut stopped = None;
        for (index, action) in actions.into_iter().enumerate() {
            let number = index + 1;
            let report = if let Some(by) = stopped {
                self.skip(number, &action, by)
            } else {
                let came_of_it = self.run(action.clone(), missing).await;
                ActionReport::of(number, &action, came_of_it)
            };
            if report.stops() {
                stopped = Some(number);
            }
            reports.push(report);
        }
        reports
    }

    /// Does not run the action with this number, because the one numbered `by` stopped the list.
    /// That is on record.
    pub fn skip(&self, number: usize, action: &BashRun, by: usize) -> ActionReport {
        self.record_not_run(action, &format!("action {by} of the list failed"));
        ActionReport::new(number, action, ActionOutcome::Skipped)
    }
}
