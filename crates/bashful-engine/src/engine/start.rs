//! The life of a command, from a request to a run: check, resolve, judge, ask, prepare, hand over to
//! the keeper, record, let go. Each step is a line here, and what it does is in a folder of its own.

use std::sync::Mutex;
use std::sync::atomic::Ordering;

use bashful_keeper::TaskId;
use bashful_policy::{Decision, Effect, Layer};

use super::ask::{Asked, refuse};
use super::hand_over::AtTheEnd;
use super::judging::Verdict;
use super::shells::Entered;
use super::weaker::Noted;
use super::{Engine, Started};
use crate::ask::approvals::{Binding, Offer};
use crate::ask::asking::{Abandoned, Question, compose, limits};
use crate::ask::refusals::Draft;
use crate::launch::journal::Journal;
use crate::launch::prepare::prepare;
use crate::model::ask::Cause;
use crate::model::error::EngineError;
use crate::model::error::ask::ApprovalError;
use crate::model::grant::Grant;
use crate::record::audit::Unsynced;
use crate::request::invocation::Invocation;
use crate::request::resolved::{ResolvedRequest, check};
use crate::request::settings::Settings;
use crate::run::running::Run;
use crate::shells::ShellCall;
use crate::store::UnsyncedClaim;

/// How often a command is judged anew before it is given up: after every answer it is, and a
/// grant of one call can be taken by an equal command that waited too.
const MOST_ROUNDS: usize = 16;

impl Engine {
    /// Starts a command, or says why not. What is wrong with a request is on record.
    pub(super) fn begin(
        &self,
        invocation: Invocation,
        abandoned: &Abandoned,
    ) -> Result<Started, EngineError> {
        self.begin_in(None, invocation, abandoned)
    }

    /// The same where its shell may have been entered already.
    pub(super) fn begin_in(
        &self,
        entered: Option<Entered>,
        invocation: Invocation,
        abandoned: &Abandoned,
    ) -> Result<Started, EngineError> {
        let asked = invocation.action.beginning();
        let outcome = self.go(entered, invocation, abandoned);
        if let Err(EngineError::Invalid(problem)) = &outcome {
            self.record_refusal(&format!("tool:bash:{asked}"), problem);
        }
        outcome
    }

    fn go(
        &self,
        entered: Option<Entered>,
        invocation: Invocation,
        abandoned: &Abandoned,
    ) -> Result<Started, EngineError> {
        let settings = self.settings();
        check(settings, &invocation)?;
        let entered = match entered {
            None => self.enter_shell(&invocation, abandoned)?,
            entered => entered,
        };
        let (mut shell, remembered) = entered.unzip();
        let mut request = ResolvedRequest::of(settings, invocation, remembered)?;
        let task = TaskId::fresh(request.invocation.kind());
        let mut journal = Journal::new(settings, task, &request);
        let mut is_new = true;
        for _ in 0..MOST_ROUNDS {
            let binding = Binding::of(settings, &request);
            if is_new {
                journal.request(settings, &request, &binding);
            }
            let mut verdict = self.judge(&request, &binding)?;
            if let (Effect::Ask, Some(error)) = (verdict.decision.effect, verdict.unread.take()) {
                // A person may have said yes; and no person can be asked without the database.
                return Err(error.into());
            }
            journal.decision(&verdict.decision, &verdict.judged.grants);
            request.info.decision = Some(verdict.decision.clone());
            match verdict.decision.effect {
                Effect::Deny => return refuse(&mut journal, request.info),
                Effect::Ask => {
                    match self.ask(&mut journal, &mut request, &binding, &verdict, abandoned)? {
                        Asked::Again => {
                            is_new = false;
                            request = request.again(settings)?;
                        }
                        Asked::Edited(command) => {
                            is_new = true;
                            request = request.edited(settings, command)?;
                        }
                        Asked::Refused(result) => return Ok(Started::NotAllowed(result)),
                    }
                }
                Effect::Allow => {
                    if abandoned.is_set() {
                        return Err(EngineError::Abandoned);
                    }
                    let introduced =
                        self.introduce(&mut journal, &mut request, &binding, &verdict, abandoned)?;
                    match introduced {
                        None => {}
                        Some(Asked::Again | Asked::Edited(_)) => {
                            is_new = false;
                            request = request.again(settings)?;
                            continue;
                        }
                        Some(Asked::Refused(result)) => return Ok(Started::NotAllowed(result)),
                    }
                    let claimed = verdict.judged.to_claim().cloned();
                    let claim = if claimed.is_some() {
                        let Some(claim) = claim(&verdict, journal.task())? else {
                            is_new = false;
                            request = request.again(settings)?;
                            continue;
                        };
                        Some(claim)
                    } else {
                        None
                    };
                    if let Some(wider) = verdict.judged.wider {
                        request.context = wider;
                    }
                    let allowed = Allowed {
                        draft: draft(settings, &request, &binding),
                        shell: shell.take(),
                        claimed,
                        claim,
                    };
                    let run = self.launch(request, journal, allowed)?;
                    return Ok(Started::Running(run));
                }
            }
        }
        refuse(&mut journal, request.info)
    }

    /// Prepares the run, hands it to the keeper, puts its start on record and lets it go: the
    /// command executes when the record is on disk.
    fn launch(
        &self,
        request: ResolvedRequest<'_>,
        mut journal: Journal,
        allowed: Allowed,
    ) -> Result<Run, EngineError> {
        let settings = self.settings();
        let Allowed {
            draft,
            mut shell,
            claimed,
            claim,
        } = allowed;
        let task = journal.task().clone();
        let give_back = || self.give_back(claimed.as_ref(), &task);
        let place = match self.take_place(&request, &task) {
            Ok(place) => place,
            Err(error) => {
                give_back()?;
                return Err(error);
            }
        };
        let keeps_store = request.invocation.is_noted();
        let mut info = request.info.clone();
        let prepared = prepare(settings, request, task.clone())
            .and_then(|mut prepared| Ok((prepared.hold()?, prepared)));
        let (release, mut prepared) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => {
                give_back()?;
                return Err(error);
            }
        };
        match (&mut shell, prepared.shell.take()) {
            // No caller waits for the end of a detached run, and no later call shall wait for its
            // shell.
            (Some(_), Some(_)) if prepared.start.detached => shell = None,
            (Some(shell), Some(armed)) => shell.arm(armed),
            _ => {}
        }
        if let Some(room) = &prepared.start.room {
            info.sandbox_notes = settings.kept.of::<Noted>().about(room);
        }
        let put_last = prepared.put_last.iter().map(|place| {
            let place = place.display();
            format!(
                "`{place}` is on PATH, and commands can write it: programs elsewhere come first"
            )
        });
        info.sandbox_notes.extend(put_last);
        let at_the_end = AtTheEnd {
            record: journal.end_record(claimed.as_ref()),
            draft,
            shell,
        };
        let handed_over = self.hand_over(prepared, info.clone(), at_the_end);
        // On disk before anything runs. Without the word nothing does.
        let on_disk = match journal.start(claimed.as_ref()) {
            Ok(started) => put_on_disk(&started, claim).inspect_err(|error| {
                let nothing = journal.end_record(claimed.as_ref());
                nothing.not_started(&task, &info, &error.to_string());
            }),
            Err(error) => Err(error.into()),
        };
        if let Err(error) = on_disk {
            drop((release, handed_over));
            give_back()?;
            return Err(error);
        }
        let run = handed_over.inspect_err(|error| {
            // Without the word nothing was started, even where a keeper got the order.
            let nothing = journal.end_record(claimed.as_ref());
            nothing.not_started(&task, &info, &error.to_string());
        })?;
        release.go();
        journal.note_start();
        if let Some(place) = place {
            run.has_place.store(true, Ordering::Release);
            place.keep();
        }
        if !keeps_store {
            settings.store.rest();
        }
        Ok(run)
    }
}

/// Puts a start on disk, and first the claim of its grant. Both are on their way before either is
/// waited for.
fn put_on_disk(started: &Unsynced, claim: Option<UnsyncedClaim>) -> Result<(), EngineError> {
    if let Some(claim) = claim {
        claim.begin();
        started.begin();
        claim.sync().map_err(ApprovalError::from)?;
    }
    Ok(started.sync()?)
}

/// Claims the grant of one call that a request needs, for this start; none if another was faster.
fn claim(verdict: &Verdict<'_>, task: &TaskId) -> Result<Option<UnsyncedClaim>, EngineError> {
    match (&verdict.queue, verdict.judged.to_claim()) {
        (Some(queue), Some(grant)) => Ok(queue.claim(&grant.id, task.as_str())?),
        // A grant is held in an approval queue.
        _ => Ok(None),
    }
}

/// What a start needs besides the request.
struct Allowed {
    /// What is asked if something is stopped.
    draft: Option<Draft>,
    /// The shell it runs in.
    shell: Option<ShellCall>,
    claimed: Option<Grant>,
    /// That it is, to be synced before the start.
    claim: Option<UnsyncedClaim>,
}

/// The ask that would be put if the sandbox stops an access while the command runs.
fn draft(settings: &Settings, request: &ResolvedRequest<'_>, binding: &Binding) -> Option<Draft> {
    if request.invocation.has_own_rights() {
        return None;
    }
    let decision = Decision {
        effect: Effect::Ask,
        rule: String::new(),
        layer: Layer::Builtin,
        reason: String::new(),
        span: None,
        fact: None,
        capability: None,
        suggestion: None,
        remember: None,
    };
    let question = Question {
        decision: &decision,
        offer: Offer::default(),
        cause: Cause::Policy,
    };
    let (info, context) = (&request.info, &request.context);
    Some(Draft {
        ask: compose(settings, info, context, binding, question),
        limits: limits(settings),
        resources: context.granted.capabilities.resources,
        state: settings.places.state.clone(),
        put: Mutex::default(),
    })
}
