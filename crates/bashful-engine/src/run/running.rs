//! A run that was asked for: wait for it, watch it, end it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use bashful_keeper::{Fault, FaultKind};

use crate::ask::refusals::Draft;
use crate::launch::client::Client;
use crate::launch::end_record::EndRecord;
use crate::launch::progress::{Outcome, Picture, Progress};
use crate::model::error::{EngineError, InvalidInvocation};
use crate::model::output::OutputLimit;
use crate::model::result::ExecutionResult;
use crate::run::account::Account;
use crate::run::claim::{Claim, ClaimRequest, heirs, mark};
use crate::run::events::Events;
use crate::run::runs::Running;
use crate::shells::ShellCall;

/// A run in progress. Dropping it ends the run with its whole process tree,
/// unless it was detached.
#[derive(Debug)]
pub struct Run {
    pub(crate) report: Arc<Report>,
    pub(crate) client: Arc<Client>,
    /// Listed as running until this goes.
    pub(crate) running: Running,
    pub(crate) owned: bool,
    /// When it is to go on in the background.
    pub(crate) lets_go_at: Option<Instant>,
    /// The name that may be used instead of its id.
    pub(crate) name: Option<String>,
    /// It sits at a terminal.
    pub(crate) has_terminal: bool,
    /// It has a place among the background tasks of its agent.
    pub(crate) has_place: AtomicBool,
    /// How many background tasks its agent may have, by the configuration.
    pub(crate) most_tasks: usize,
}

/// What is done when a start failed because of the host.
pub(crate) struct BackendFailed(pub(crate) Box<dyn Fn() + Send + Sync>);

impl fmt::Debug for BackendFailed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("BackendFailed")
    }
}

/// What is needed to tell how a run went.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) account: Account,
    pub(crate) limit: OutputLimit,
    pub(crate) progress: Arc<Progress>,
    pub(crate) end_record: EndRecord,
    /// The state directory.
    pub(crate) state: PathBuf,
    /// What is asked if something is stopped.
    pub(crate) draft: Option<Draft>,
    /// Is told when a start failed because of the host: what worked once may work no longer.
    pub(crate) backend_failed: BackendFailed,
    /// The shell that it runs in, until its state was saved.
    pub(crate) shell: Mutex<Option<ShellCall>>,
}

impl Run {
    /// The task's id.
    pub fn id(&self) -> &str {
        self.report.account.id.as_str()
    }

    /// What it does without, because the backend that holds it has no means for it: lines for
    /// people.
    pub fn sandbox_notes(&self) -> &[String] {
        &self.report.account.info.sandbox_notes
    }

    /// The command, which a person may have changed.
    pub fn command(&self) -> &str {
        &self.report.account.info.command
    }

    /// The complete log, which grows while the run goes on.
    pub fn output_file(&self) -> &Path {
        &self.report.account.output_file
    }

    /// Waits for the end.
    pub async fn wait(self) -> Result<ExecutionResult, EngineError> {
        self.outcome().await
    }

    /// The same for a caller that may let it go while it waits.
    pub(crate) async fn outcome(&self) -> Result<ExecutionResult, EngineError> {
        let outcome = self.client.end(&self.report.progress).await?;
        self.report.result(outcome)
    }

    /// Waits until the command waits for a person or an agent to type.
    pub(crate) async fn question(&self) -> Result<(), EngineError> {
        let look = |picture: &Picture| picture.needs_input.as_ref().map(|_| ());
        self.client.wait(&self.report.progress, look).await
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
        self.client.cancel(&self.report.account.id, false);
    }

    /// Ends the whole tree at once.
    pub fn kill(&self) {
        self.client.cancel(&self.report.account.id, true);
    }

    /// Takes a place among the background tasks of its agent, if it has none; false where none is
    /// free.
    pub(crate) fn take_place(&self) -> bool {
        let account = &self.report.account;
        let wanted = ClaimRequest {
            agent: &account.info.agent,
            task: &account.id,
            name: None,
            most: self.most_tasks,
        };
        let state = &self.report.state;
        let has_place = self.has_place.load(Ordering::Acquire)
            || Claim::take(state, wanted).map(Claim::keep).is_ok();
        self.has_place.store(has_place, Ordering::Release);
        has_place
    }

    /// Lets it go on without us; what it does is in its task directory.
    pub fn detach(mut self) -> String {
        self.owned = false;
        if !*self.has_place.get_mut() {
            let account = &self.report.account;
            // Without a marker it runs all the same.
            let _ = mark(&self.report.state, &account.info.agent, &account.id);
        }
        // Others must not wait for it.
        drop(self.report.take_shell());
        self.client.detach(&self.report.account.id);
        self.report.account.id.to_string()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if self.owned {
            if self.report.progress.outcome().is_none() {
                self.cancel();
            }
        } else if !self.report.end_record.is_written() {
            // Its engine can still end it, and puts its end on record.
            self.running.leave_behind(&self.report, &self.client);
        }
    }
}

impl Report {
    fn take_shell(&self) -> Option<ShellCall> {
        // Taken or not, it is whole.
        self.shell
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    pub(crate) fn result(&self, outcome: Outcome) -> Result<ExecutionResult, EngineError> {
        self.result_within(outcome, self.limit)
    }

    /// The same with as much output as this limit allows.
    pub(crate) fn result_within(
        &self,
        outcome: Outcome,
        limit: OutputLimit,
    ) -> Result<ExecutionResult, EngineError> {
        let account = &self.account;
        let mut result = match outcome {
            Outcome::Finished(state) => {
                for heir in heirs(&state) {
                    // Without a marker it runs all the same.
                    let _ = mark(&self.state, &account.info.agent, heir);
                }
                account.finished(&state, limit)?
            }
            Outcome::Refused(fault) => {
                if fault.kind == FaultKind::Sandbox {
                    (self.backend_failed.0)();
                }
                let error = refused(fault);
                self.end_record
                    .not_started(&account.id, &account.info, &error.to_string());
                return Err(error);
            }
            Outcome::Lost => account.lost(limit),
        };
        if let Some(shell) = self.take_shell() {
            shell.settle(&mut result);
        }
        if !self.end_record.end(&result, &account.directory) {
            result.unrecorded = true;
        }
        if let Some(draft) = &self.draft {
            draft.put(&mut result);
        }
        Ok(result)
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
            short: fault.short,
        },
        FaultKind::Sandbox => EngineError::Sandbox {
            what: fault.subject,
            source,
        },
        FaultKind::Busy => EngineError::Busy {
            what: fault.subject,
        },
        FaultKind::Malformed | FaultKind::Ending => EngineError::KeeperGone,
    }
}
