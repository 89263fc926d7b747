//! The life of a command, from a request to a run.

use crate::engine::weaker::Noted;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use bashful_keeper::TaskId;
use bashful_policy::{Decision, Effect, Layer};

use super::ask::{Asked, Round, refuse};
use super::verdicts::{Held, split_error, without_grants};
use super::{Engine, Started};
use crate::ask::approvals::{ApprovalQueue, Binding, Offer};
use crate::ask::asking::{Abandoned, compose, limits};
use crate::ask::refusals::Draft;
use crate::config::Survivors;
use crate::judge::apply_grants::consider;
use crate::launch::journal::Journal;
use crate::launch::prepare::{prepare, survivors};
use crate::model::ask::Cause;
use crate::model::error::ask::ApprovalError;
use crate::model::error::{EngineError, InvalidInvocation};
use crate::model::grant::Grant;
use crate::model::result::RequestInfo;
use crate::model::task_name::check_name;
use crate::request::context::RunContext;
use crate::request::invocation::{Action, Invocation};
use crate::request::settings::Settings;
use crate::run::claim::{Claim, Wanted, check_room};
use crate::run::running::Run;
use crate::shells::ShellCall;
use crate::store::may_have_grants;

/// How often a command is judged anew before it is given up: after every answer it is, and a
/// grant of one call can be taken by an equal command that waited too.
const MOST_ROUNDS: usize = 16;

impl Engine {
    /// Starts a command: check, find its context, judge it with what persons said before, ask,
    /// record, prepare, hand to the keeper.
    pub(super) fn begin(
        &self,
        invocation: Invocation,
        abandoned: &Abandoned,
    ) -> Result<Started, EngineError> {
        let asked = invocation.action.beginning();
        let outcome = self.go(invocation, abandoned);
        if let Err(EngineError::Invalid(problem)) = &outcome {
            self.record_refusal(&format!("tool:bash:{asked}"), problem);
        }
        outcome
    }

    fn go(
        &self,
        mut invocation: Invocation,
        abandoned: &Abandoned,
    ) -> Result<Started, EngineError> {
        let settings = &self.inner.settings;
        invocation.action.check()?;
        if let Some(name) = &invocation.name {
            check_name(name)?;
        }
        if settings.config.require_description && is_blank(invocation.description.as_deref()) {
            return Err(InvalidInvocation::NoDescription.into());
        }
        let mut heading = self.heading(&mut invocation);
        let mut shell = self.enter_shell(&mut invocation, &heading, abandoned)?;
        let task = TaskId::fresh(invocation.kind());
        let mut journal = Journal::new(settings, task, &heading);
        journal.about(invocation.script.clone());
        let mut is_new = true;
        for _ in 0..MOST_ROUNDS {
            let ground = RunContext::of(settings, &invocation, &heading)?;
            let case = self.case(&invocation);
            let binding = Binding::of(settings, &heading, &ground, &case);
            if std::mem::take(&mut is_new) {
                journal.request(settings, &heading, &ground, &binding);
            }
            let (desk, grants, unread) = match invocation.script {
                // No grant is about a script, and none widens one.
                Some(_) => (None, Vec::new(), None),
                None => split_error(self.grants_for(&binding)),
            };
            let considered = consider(case, ground, grants)?;
            let mut decision = considered.checked.clone().decision_about(&heading.command);
            if let Some(script) = &invocation.script {
                decision = script.decide(settings, &decision)?;
            }
            if let Some(error) = unread {
                if decision.effect == Effect::Ask {
                    // A person may have said yes; and no person can be asked without the
                    // database.
                    return Err(error.into());
                }
                decision.reason = without_grants(&decision.reason, &error);
            }
            journal.decision(&decision, &considered.leans_on);
            heading.decision = Some(decision.clone());
            match decision.effect {
                Effect::Deny => return refuse(&mut journal, heading),
                Effect::Ask => {
                    let round = Round {
                        heading: &mut heading,
                        considered: &considered,
                        binding: &binding,
                        decision: &decision,
                    };
                    match self.ask(&mut journal, &invocation, round, abandoned)? {
                        Asked::Again => {}
                        Asked::Refused(result) => return Ok(Started::NotAllowed(result)),
                        // A script is changed where it is kept.
                        Asked::Edited(_) if invocation.script.is_some() => {
                            return refuse(&mut journal, heading);
                        }
                        Asked::Edited(command) => {
                            invocation.action = Action::Bash(command);
                            invocation.action.check()?;
                            heading.command = invocation.action.as_command();
                            is_new = true;
                        }
                    }
                }
                Effect::Allow => {
                    let claimed = considered.to_claim().cloned();
                    if abandoned.is_set() {
                        return Err(EngineError::Abandoned);
                    }
                    if !claim(desk.as_ref(), claimed.as_ref(), &journal)? {
                        continue;
                    }
                    let mut draft = draft(settings, &heading, &considered.ground, &binding);
                    draft.is_script = invocation.script.is_some();
                    let allowed = Allowed {
                        journal,
                        ground: considered.ground,
                        claimed,
                        draft,
                        shell: shell.take(),
                    };
                    return self
                        .launch_recorded(invocation, &heading, allowed)
                        .map(Started::Running);
                }
            }
        }
        refuse(&mut journal, heading)
    }

    /// The approval queue, and the grants in it that a request may lean on; no queue where there
    /// is no grant.
    pub(crate) fn grants_for(&self, binding: &Binding) -> Result<Held, ApprovalError> {
        let settings = &self.inner.settings;
        if !may_have_grants(&settings.places.state) {
            return Ok((None, Vec::new()));
        }
        let desk = ApprovalQueue::of(settings)?;
        let mut held = desk.held_by(&binding.agent)?;
        held.retain(|grant| binding.fits(settings, grant));
        Ok((Some(desk), held))
    }

    /// Prepares the run, hands it to the keeper, puts its start on record and lets it go: the
    /// command executes when the record is on disk.
    fn launch_recorded(
        &self,
        invocation: Invocation,
        heading: &RequestInfo,
        allowed: Allowed<'_>,
    ) -> Result<Run, EngineError> {
        let settings = &self.inner.settings;
        let Allowed {
            mut journal,
            ground,
            claimed,
            draft,
            mut shell,
        } = allowed;
        let task = journal.task().clone();
        let place = match self.take_place(&invocation, heading, &task) {
            Ok(place) => place,
            Err(error) => {
                self.give_back(claimed.as_ref(), &task)?;
                return Err(error);
            }
        };
        let prepared = prepare(settings, invocation, heading, ground, task.clone())
            .and_then(|mut prepared| Ok((prepared.hold()?, prepared)));
        let (release, mut prepared) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => {
                self.give_back(claimed.as_ref(), &task)?;
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
        let end_record = journal.end_record(claimed.as_ref());
        let is_script = draft.is_script;
        let mut heading = heading.clone();
        if let Some(room) = &prepared.start.room {
            heading.sandbox_notes = settings.kept.of::<Noted>().about(room);
        }
        let launched = self.launch(prepared, heading.clone(), (end_record, draft, shell));
        // On disk before anything runs. Without the word nothing does.
        if let Err(error) = journal.start(claimed.as_ref()) {
            drop((release, launched));
            self.give_back(claimed.as_ref(), &task)?;
            return Err(error.into());
        }
        let run = launched.inspect_err(|error| {
            // Without the word nothing was started, even where a keeper got the order.
            let nothing = journal.end_record(claimed.as_ref());
            nothing.not_started(&task, &heading, &error.to_string());
        })?;
        release.go();
        if let Some(place) = place {
            run.has_place.store(true, Ordering::Release);
            place.keep();
        }
        // A script will be noted.
        if !is_script {
            settings.store.rest();
        }
        Ok(run)
    }

    /// A place among the background tasks of the agent, for a run that is or becomes one. One that
    /// may leave some behind needs a free place, and takes it when it does.
    fn take_place(
        &self,
        invocation: &Invocation,
        heading: &RequestInfo,
        task: &TaskId,
    ) -> Result<Option<Claim>, EngineError> {
        let settings = &self.inner.settings;
        let state = &settings.places.state;
        let most = settings.config.tasks.per_agent;
        if !invocation.needs_place() {
            if survivors(invocation, settings.config.limits.survivors) == Survivors::Adopt {
                check_room(state, &heading.agent, most)?;
            }
            return Ok(None);
        }
        let wanted = Wanted {
            agent: &heading.agent,
            task,
            name: invocation.name.as_deref(),
            most,
        };
        Claim::take(state, wanted).map(Some)
    }

    /// Gives back what was claimed, because nothing was started.
    fn give_back(&self, grant: Option<&Grant>, task: &TaskId) -> Result<(), ApprovalError> {
        let Some(grant) = grant else { return Ok(()) };
        ApprovalQueue::of(&self.inner.settings)?.release(&grant.id, task.as_str())
    }
}

/// Claims a grant of one call for this start; false if another was faster.
fn claim(
    desk: Option<&ApprovalQueue>,
    grant: Option<&Grant>,
    journal: &Journal,
) -> Result<bool, EngineError> {
    match (desk, grant) {
        (Some(desk), Some(grant)) => Ok(desk.claim(&grant.id, journal.task().as_str())?),
        // A grant is held in an approval queue.
        (None, Some(_)) => Ok(false),
        (_, None) => Ok(true),
    }
}

/// All that a start needs besides the request.
struct Allowed<'g> {
    journal: Journal,
    ground: RunContext<'g>,
    claimed: Option<Grant>,
    draft: Draft,
    /// The shell it runs in.
    shell: Option<ShellCall>,
}

/// The ask that would be put if the sandbox stops an access while the command runs.
fn draft(
    settings: &Settings,
    heading: &RequestInfo,
    ground: &RunContext<'_>,
    binding: &Binding,
) -> Draft {
    let nothing = Decision {
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
    let subject = (&nothing, Offer::default(), Cause::Policy);
    Draft {
        ask: compose(settings, heading, ground, binding, subject),
        limits: limits(settings),
        resources: ground.granted.capabilities.resources,
        state: settings.places.state.clone(),
        is_script: false,
        put: Mutex::default(),
    }
}

fn is_blank(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}
