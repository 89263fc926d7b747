//! The approval queue: where asks lie, answers are given and grants are kept.
//!
//! Everything that changes a row here is on record before it counts, and wakes up all who wait.

use crate::model::error::ask::ApprovalError;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bashful_keeper::TaskId;
use bashful_policy::is_too_wide;

use super::settle;
use super::wake::{Watch, wake};
use crate::base::clock::{millis, now_ms};
use crate::base::digest::digest;
use crate::model::answer::{Answer, Settled};
use crate::model::answered_by::AnsweredBy;
use crate::model::ask::{Ask, AskState};
use crate::model::error::record::AuditError;
use crate::model::grant::{Grant, Opening, Scope, Subject};
use crate::model::places::Places;
use crate::record::audit::{Answered, Event, GrantChange, GrantChanged, ScriptChanged, Trail};
use crate::request::openable::make_missing;
use crate::request::project::project_of;
use crate::request::settings::Settings;
use crate::store::{
    Approving, AskFilter, AskLimits, Cleaned, DATABASE, GrantFilter, OpenedAsk, RecordAsk,
    Settlement, Settling, SqliteStore, Store, UnsyncedClaim,
};

/// Where asks lie, answers are given and grants are kept.
#[derive(Debug)]
pub struct ApprovalQueue {
    state: PathBuf,
    store: Arc<dyn Store>,
    trail: Trail,
}

/// Which asks a listing shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhichAsks {
    /// Those that can be answered.
    Pending,
    /// Those that were answered, expired or overtaken, too.
    All,
}

/// Which grants a listing shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhichGrants {
    /// Those that hold.
    Holding,
    /// Those that were used up, expired or taken back, too.
    All,
}

/// A grant that a person wants to give without being asked.
#[derive(Debug, Clone)]
pub struct GrantWish {
    /// How far it reaches.
    pub scope: Scope,
    /// What it is about.
    pub subject: SubjectWish,
    /// What it opens.
    pub opens: Opening,
    /// The agent that may use it.
    pub agent: String,
    /// The session, for scope `session`.
    pub session: Option<String>,
    /// The workspace; it says which project is meant.
    pub workspace: PathBuf,
    /// The version of the policy that it is for: [`super::version_of_policy`].
    pub policy: String,
    /// For how long.
    pub expires: Option<Duration>,
}

/// What a grant is to be about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubjectWish {
    /// Commands of this shape; a final `…` is the rest.
    Shape(Vec<String>),
    /// Exactly this text.
    Command(String),
    /// Every command; such a grant must open a capability.
    Any,
}

impl ApprovalQueue {
    /// The approval queue of this user.
    pub fn open(places: &Places) -> Result<Self, ApprovalError> {
        Self::at(&places.state)
    }

    pub(crate) fn at(state: &Path) -> Result<Self, ApprovalError> {
        let store = SqliteStore::open(&state.join(DATABASE))?;
        Ok(Self::with(Arc::new(store), state))
    }

    /// The approval queue of an engine, by the database that it keeps open.
    pub(crate) fn of(settings: &Settings) -> Result<Self, ApprovalError> {
        Ok(Self::with(settings.store.get()?, &settings.places.state))
    }

    fn with(store: Arc<dyn Store>, state: &Path) -> Self {
        Self {
            state: state.to_owned(),
            store,
            trail: Trail::at(state),
        }
    }

    /// Puts an ask; `record` puts it on record before a person can answer it.
    pub(crate) fn put(
        &self,
        ask: &Ask,
        limits: AskLimits,
        record: &mut RecordAsk<'_>,
    ) -> Result<OpenedAsk, ApprovalError> {
        // What the store would let expire for this one is on record, as everything that changes.
        self.expire(ask.created_at_ms)?;
        let opened = self.store.open_ask_recorded(ask, limits, record)?;
        wake(&self.state);
        Ok(opened)
    }

    /// A no to the same question that the agent was not told about yet, because no caller waited
    /// when it was given; only while the question could still be answered.
    pub(crate) fn unheard_no(&self, ask: &Ask) -> Result<Option<Ask>, ApprovalError> {
        let filter = AskFilter {
            agent: Some(ask.agent.clone()),
            ..AskFilter::default()
        };
        let same = |other: &Ask| {
            matches!(other.state, AskState::Denied { .. })
                && !other.heard
                && ask.created_at_ms < other.expires_at_ms
                && (&other.digest, &other.cwd) == (&ask.digest, &ask.cwd)
                && (&other.policy, &other.rights) == (&ask.policy, &ask.rights)
        };
        for denied in self.store.asks(&filter)?.into_iter().rev().filter(same) {
            if self.store.hear(&denied.id)? {
                return Ok(Some(denied));
            }
        }
        Ok(None)
    }

    /// Notes that the agent was told about a no.
    pub(crate) fn hear(&self, id: &str) -> Result<(), ApprovalError> {
        self.store.hear(id)?;
        Ok(())
    }

    /// Asks, the oldest first.
    pub fn asks(&self, which: WhichAsks) -> Result<Vec<Ask>, ApprovalError> {
        self.expire(now_ms())?;
        let filter = AskFilter {
            pending_at_ms: (which == WhichAsks::Pending).then(now_ms),
            ..AskFilter::default()
        };
        Ok(self.store.asks(&filter)?)
    }

    /// The ask with this id, or with the only id that begins so.
    pub fn ask(&self, id: &str) -> Result<Ask, ApprovalError> {
        self.ask_at(id, now_ms())
    }

    fn ask_at(&self, id: &str, now_ms: u64) -> Result<Ask, ApprovalError> {
        self.expire(now_ms)?;
        if let Some(ask) = self.store.ask(id)? {
            return Ok(ask);
        }
        let filter = AskFilter {
            id_prefix: Some(with_prefix("ask-", id)),
            ..AskFilter::default()
        };
        only("ask", id, self.store.asks(&filter)?)
    }

    /// How an ask stands, without looking for it by a part of its id.
    pub(crate) fn state_of(&self, id: &str) -> Result<Option<AskState>, ApprovalError> {
        Ok(self.store.ask(id)?.map(|ask| ask.state))
    }

    /// Answers an ask. The first answer counts.
    pub fn answer(
        &self,
        id: &str,
        answer: &Answer,
        by: &AnsweredBy,
    ) -> Result<Settled, ApprovalError> {
        self.answer_as(None, id, answer, by)
    }

    /// The same for a run of this session, which may have joined the ask of another: what lasts
    /// for the session lasts for this one.
    pub(crate) fn answer_in(
        &self,
        session: &str,
        id: &str,
        answer: &Answer,
        by: &AnsweredBy,
    ) -> Result<Settled, ApprovalError> {
        self.answer_as(Some(session), id, answer, by)
    }

    fn answer_as(
        &self,
        session: Option<&str>,
        id: &str,
        answer: &Answer,
        by: &AnsweredBy,
    ) -> Result<Settled, ApprovalError> {
        // One moment for both: what is past its time is on record as such, and the rest is not.
        let now = now_ms();
        let ask = self.ask_at(id, now)?;
        let heard = Ask {
            session: session.map_or_else(|| ask.session.clone(), str::to_owned),
            ..ask.clone()
        };
        let (state, grant) = settle::outcome(&heard, answer, by, now);
        let approval = settle::approval(&heard, answer, by, now);
        let script = ask.script.as_ref().map(|script| script.id);
        let settling = Settling {
            id: &ask.id,
            state: &state,
            grant: grant.as_ref(),
            approving: script
                .zip(approval.as_ref())
                .map(|(script, approval)| Approving { script, approval }),
            now_ms: now,
        };
        let settlement = self.store.settle_recorded(&settling, &mut |ask, also| {
            self.record_answer(ask, also, grant.as_ref())
        })?;
        if let (Settlement::Done { .. }, Some(grant)) = (&settlement, &grant) {
            make_missing(&grant.opens.makes);
        }
        wake(&self.state);
        match settlement {
            Settlement::Done { ask, also } => Ok(Settled::Counts {
                ask: Box::new(ask),
                grant: grant.map(Box::new),
                also,
            }),
            Settlement::Before(ask) | Settlement::Overtaken(ask) => {
                Ok(Settled::TooLate { ask: Box::new(ask) })
            }
            Settlement::Unknown => Err(unknown("ask", id)),
        }
    }

    /// Puts an answer on record, before it counts.
    fn record_answer(
        &self,
        ask: &Ask,
        also: &[Ask],
        grant: Option<&Grant>,
    ) -> Result<(), AuditError> {
        let mut events: Vec<Event> = std::iter::once(ask).chain(also).map(answered).collect();
        events.extend(grant.map(|grant| changed(GrantChange::Given, grant)));
        events.extend(ScriptChanged::by_answer(ask).map(|change| Event::Script(Box::new(change))));
        self.record(&events)
    }

    /// Sees when an ask or a grant here may have changed.
    pub fn watch(&self) -> Watch {
        Watch::new(&self.state)
    }

    /// Grants, the oldest first.
    pub fn grants(&self, which: WhichGrants) -> Result<Vec<Grant>, ApprovalError> {
        let filter = GrantFilter {
            holding_at_ms: (which == WhichGrants::Holding).then(now_ms),
            ..GrantFilter::default()
        };
        Ok(self.store.grants(&filter)?)
    }

    /// The grant with this id, or with the only id that begins so.
    pub fn grant(&self, id: &str) -> Result<Grant, ApprovalError> {
        if let Some(grant) = self.store.grant(id)? {
            return Ok(grant);
        }
        let filter = GrantFilter {
            id_prefix: Some(with_prefix("grant-", id)),
            ..GrantFilter::default()
        };
        only("grant", id, self.store.grants(&filter)?)
    }

    /// Gives a grant that no agent asked for.
    pub fn give(&self, wish: &GrantWish, by: &AnsweredBy) -> Result<Grant, ApprovalError> {
        let subject = match &wish.subject {
            SubjectWish::Shape(shape) if is_too_wide(shape) => {
                let shape = shape.join(" ");
                return Err(ApprovalError::TooWide { shape });
            }
            SubjectWish::Shape(shape) => Subject::Shapes(vec![shape.clone()]),
            SubjectWish::Command(text) => Subject::Command {
                digest: digest(&[text.as_bytes()]),
                text: text.clone(),
            },
            SubjectWish::Any if wish.opens.is_empty() => return Err(ApprovalError::OpensNothing),
            SubjectWish::Any => Subject::Any,
        };
        let now = now_ms();
        let by_shape = matches!(subject, Subject::Shapes(_));
        let grant = Grant {
            id: TaskId::fresh("grant").to_string(),
            scope: wish.scope,
            subject,
            opens: wish.opens.clone(),
            agent: wish.agent.clone(),
            session: wish
                .session
                .clone()
                .filter(|_| wish.scope == Scope::Session),
            project: (wish.scope != Scope::User).then(|| project_of(&wish.workspace)),
            directory: (by_shape && !wish.opens.is_empty()).then(|| wish.workspace.clone()),
            policy: Some(wish.policy.clone()),
            rights: None,
            created_at_ms: now,
            expires_at_ms: wish.expires.map(|time| now.saturating_add(millis(time))),
            by: by.clone(),
            ask: None,
            claimed_by: None,
            revoked_at_ms: None,
        };
        self.store.add_grant_recorded(&grant, &mut |grant| {
            self.record(&[changed(GrantChange::Given, grant)])
        })?;
        wake(&self.state);
        Ok(grant)
    }

    /// Takes a grant back.
    pub fn revoke(&self, id: &str, by: &AnsweredBy) -> Result<Grant, ApprovalError> {
        let grant = self.grant(id)?;
        let mut taken = None;
        // On record before it counts, and only if it does: a run that claimed the grant meanwhile
        // did not use one that was taken back.
        self.store
            .revoke_recorded(&grant.id, now_ms(), &mut |grant| {
                let by = by.clone();
                let grant = taken.insert(Grant {
                    by,
                    ..grant.clone()
                });
                self.record(&[changed(GrantChange::Revoked, grant)])
            })?;
        let taken = taken.ok_or(ApprovalError::NotHolding { id: grant.id })?;
        wake(&self.state);
        Ok(taken)
    }

    /// Forgets what can have no effect any more and is older than this.
    pub fn clean(&self, older_than: Duration) -> Result<Cleaned, ApprovalError> {
        let now = now_ms();
        Ok(self
            .store
            .clean(now.saturating_sub(millis(older_than)), now)?)
    }

    /// What this agent was granted and still holds.
    pub(crate) fn held_by(&self, agent: &str) -> Result<Vec<Grant>, ApprovalError> {
        let filter = GrantFilter {
            holding_at_ms: Some(now_ms()),
            agent: Some(agent.to_owned()),
            ..GrantFilter::default()
        };
        Ok(self.store.grants(&filter)?)
    }

    /// Uses up a grant of one call for this task. Exactly one caller gets the claim, and syncs it
    /// before anything is started.
    pub(crate) fn claim(
        &self,
        grant: &str,
        task: &str,
    ) -> Result<Option<UnsyncedClaim>, ApprovalError> {
        Ok(self.store.claim_unsynced(grant, task, now_ms())?)
    }

    /// Gives back what this task claimed, because nothing was started.
    pub(crate) fn release(&self, grant: &str, task: &str) -> Result<(), ApprovalError> {
        Ok(self.store.release(grant, task)?)
    }

    /// Puts on record which asks no person answered in time.
    fn expire(&self, now_ms: u64) -> Result<(), ApprovalError> {
        let expired = self.store.expire_asks(now_ms)?;
        if expired.is_empty() {
            return Ok(());
        }
        let events: Vec<Event> = expired.iter().map(answered).collect();
        drop(self.trail.append(&events)?);
        wake(&self.state);
        Ok(())
    }

    fn record(&self, events: &[Event]) -> Result<(), AuditError> {
        self.trail.append(events)?.sync()
    }
}

pub(crate) fn answered(ask: &Ask) -> Event {
    Event::Answer(Answered {
        ask: ask.id.clone(),
        agent: ask.agent.clone(),
        state: ask.state.clone(),
    })
}

fn changed(change: GrantChange, grant: &Grant) -> Event {
    Event::Grant(Box::new(GrantChanged {
        change,
        grant: grant.clone(),
    }))
}

fn unknown(what: &'static str, id: &str) -> ApprovalError {
    ApprovalError::Unknown {
        what,
        id: id.to_owned(),
    }
}

/// People leave the first part of an id away.
fn with_prefix(prefix: &str, id: &str) -> String {
    if id.starts_with(prefix) {
        id.to_owned()
    } else {
        format!("{prefix}{id}")
    }
}

fn only<T>(what: &'static str, id: &str, mut found: Vec<T>) -> Result<T, ApprovalError> {
    match (found.len(), found.pop()) {
        (1, Some(one)) => Ok(one),
        (0, _) | (_, None) => Err(unknown(what, id)),
        (count, Some(_)) => Err(ApprovalError::Ambiguous {
            id: id.to_owned(),
            count,
        }),
    }
}
