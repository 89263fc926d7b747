//! What is kept between calls: asks, grants, scripts, and the index of what ran.
//!
//! The task directories and the audit trail are the truth about runs; the store is the truth
//! about asks, grants and scripts, and the index of the rest. A store is behind this trait so that many
//! machines can share one later.

use crate::model::error::store::StoreError;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::ask::{Ask, AskState};
use crate::model::error::record::AuditError;
use crate::model::grant::Grant;

#[cfg(test)]
pub(crate) mod conformance;
mod held;
mod marker;
mod scripts;
mod sqlite;

pub(crate) use held::HeldStore;
pub(crate) use marker::may_have_grants;
pub(crate) use scripts::{
    Approving, NewVersion, RecordScript, SavedScript, SavingScript, ScriptStore,
};
#[cfg(test)]
pub(crate) use sqlite::Other;
pub(crate) use sqlite::{DATABASE, SqliteStore, UnsyncedClaim, beside};

/// What is kept between calls. Every method is one transaction.
pub(crate) trait Store: ScriptStore + fmt::Debug + Send + Sync {
    /// Puts an ask that waits. An equal one that waits is joined: its count goes up, and it is
    /// returned. Equal are asks of the same agent, digest, directory, policy, rights and opening,
    /// from whatever session. Too many of one agent are refused. What has passed its time when
    /// this ask was made is expired first; `expire_asks` before this tells which those are.
    ///
    /// `record` is called with what became of it, before it counts; if it fails, nothing is kept.
    fn open_ask_recorded(
        &self,
        ask: &Ask,
        limits: AskLimits,
        record: &mut RecordAsk<'_>,
    ) -> Result<OpenedAsk, StoreError>;

    /// The same without a record.
    #[cfg(test)]
    fn open_ask(&self, ask: &Ask, limits: AskLimits) -> Result<OpenedAsk, StoreError> {
        self.open_ask_recorded(ask, limits, &mut |_| Ok(()))
    }

    /// The ask of exactly this id.
    fn ask(&self, id: &str) -> Result<Option<Ask>, StoreError>;

    /// Asks, the oldest first.
    fn asks(&self, which: &AskFilter) -> Result<Vec<Ask>, StoreError>;

    /// Settles an ask that is pending and not past its time at `now_ms`, and keeps the grant in
    /// the same transaction. With a grant of more than one call, every other pending ask of the
    /// same agent, policy and rights that it answers is settled with it: those of the same shapes
    /// (or, without shapes, the same digest and directory) in the grant's session or project that
    /// want what the grant opens. In doubt one is left to wait.
    ///
    /// An ask past its time becomes expired, and the answer is [`Settlement::Before`]. A grant
    /// comes with a yes that names it and with nothing else; everything else is an error. A yes to
    /// a script comes without a grant: what is approved is kept with the script, and equal asks about it
    /// are settled as well. If the script is not what the yes is about any more, the answer is
    /// [`Settlement::Overtaken`].
    ///
    /// `record` is called with the settled asks, the answered one first, before anything counts;
    /// if it fails, nothing is kept.
    fn settle_recorded(
        &self,
        settling: &Settling<'_>,
        record: &mut RecordAnswer<'_>,
    ) -> Result<Settlement, StoreError>;

    /// The same without a record.
    #[cfg(test)]
    fn settle(
        &self,
        id: &str,
        state: &AskState,
        grant: Option<&Grant>,
        now_ms: u64,
    ) -> Result<Settlement, StoreError> {
        let settling = Settling {
            id,
            state,
            grant,
            approving: None,
            now_ms,
        };
        self.settle_recorded(&settling, &mut |_, _| Ok(()))
    }

    /// Notes that the agent was told about a no. Exactly one of any number of callers gets true.
    fn hear(&self, id: &str) -> Result<bool, StoreError>;

    /// Marks every pending ask past its time as expired, and returns them, the oldest first. They
    /// expired at the moment that they said themselves. An ask can be answered before that moment
    /// and not in it.
    fn expire_asks(&self, now_ms: u64) -> Result<Vec<Ask>, StoreError>;

    /// Keeps a grant. One whose id is there already is an error. `record` is called before it
    /// counts; if it fails, nothing is kept.
    fn add_grant_recorded(
        &self,
        grant: &Grant,
        record: &mut RecordGrant<'_>,
    ) -> Result<(), StoreError>;

    /// The same without a record.
    #[cfg(test)]
    fn add_grant(&self, grant: &Grant) -> Result<(), StoreError> {
        self.add_grant_recorded(grant, &mut |_| Ok(()))
    }

    /// The grant of exactly this id.
    fn grant(&self, id: &str) -> Result<Option<Grant>, StoreError>;

    /// Grants, the oldest first.
    fn grants(&self, which: &GrantFilter) -> Result<Vec<Grant>, StoreError>;

    /// Uses up a grant of scope `call`, if it holds at this time and no caller did before. Exactly
    /// one of any number of callers gets a claim. It counts at once for all of them, and has to be
    /// synced before anything is started by it. A grant that does not exist or has another scope
    /// cannot be claimed.
    fn claim_unsynced(
        &self,
        id: &str,
        claimant: &str,
        now_ms: u64,
    ) -> Result<Option<UnsyncedClaim>, StoreError>;

    /// The same, on disk when a caller gets true.
    #[cfg(test)]
    fn claim(&self, id: &str, claimant: &str, now_ms: u64) -> Result<bool, StoreError> {
        match self.claim_unsynced(id, claimant, now_ms)? {
            Some(claim) => claim.sync().map(|()| true),
            None => Ok(false),
        }
    }

    /// Gives back what this claimant claimed, because nothing was started.
    fn release(&self, id: &str, claimant: &str) -> Result<(), StoreError>;

    /// Takes a grant back; false if it did not hold any more, or is not known. It is marked in
    /// any case, and on disk then: a clock that goes back does not revive it. One that does not
    /// hold only because the clock is behind it is taken back as one that does.
    ///
    /// `record` is called with a grant that held, before it is taken back; if it fails, the grant
    /// stays.
    fn revoke_recorded(
        &self,
        id: &str,
        now_ms: u64,
        record: &mut RecordGrant<'_>,
    ) -> Result<bool, StoreError>;

    /// The same without a record.
    #[cfg(test)]
    fn revoke(&self, id: &str, now_ms: u64) -> Result<bool, StoreError> {
        self.revoke_recorded(id, now_ms, &mut |_| Ok(()))
    }

    /// Forgets asks and grants that can have no effect any more and were made before the moment
    /// `older_than_ms`: asks that are settled or marked as expired, grants that are used up, taken
    /// back or past their end. Asks that are past their time without a mark stay; see
    /// `expire_asks`.
    fn clean(&self, older_than_ms: u64, now_ms: u64) -> Result<Cleaned, StoreError>;

    /// Brings tasks into the index, or up to date in it. One that is finished stays so.
    fn index_tasks(&self, tasks: &[TaskRow]) -> Result<(), StoreError>;

    /// Indexed tasks, the oldest first.
    fn tasks(&self, which: &TaskFilter) -> Result<Vec<TaskRow>, StoreError>;

    /// What is known of agents and sessions, from asks, grants and tasks.
    fn known(&self) -> Result<Vec<KnownSession>, StoreError>;

    /// Takes over asks and grants as they were recorded, replacing what is there under their ids.
    /// Of two equal asks that wait the older becomes expired.
    fn restore(&self, asks: &[Ask], grants: &[Grant]) -> Result<(), StoreError>;
}

/// Puts an ask on record: what became of it.
pub(crate) type RecordAsk<'a> = dyn FnMut(&OpenedAsk) -> Result<(), AuditError> + 'a;

/// Puts an answer on record: the ask, and those that are settled with it.
pub(crate) type RecordAnswer<'a> = dyn FnMut(&Ask, &[Ask]) -> Result<(), AuditError> + 'a;

/// Puts a change of a grant on record: the grant as it will be.
pub(crate) type RecordGrant<'a> = dyn FnMut(&Grant) -> Result<(), AuditError> + 'a;

/// An answer that is about to count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settling<'a> {
    /// The id of the ask.
    pub(crate) id: &'a str,
    /// How it will stand.
    pub(crate) state: &'a AskState,
    /// The grant that a yes leaves behind.
    pub(crate) grant: Option<&'a Grant>,
    /// What a yes to a script approves.
    pub(crate) approving: Option<Approving<'a>>,
    /// When the person answered, in milliseconds since 1970.
    pub(crate) now_ms: u64,
}

/// How many asks one agent may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AskLimits {
    /// Pending at a time.
    pub(crate) pending: u64,
    /// New ones in `window_ms`.
    pub(crate) recent: u64,
    /// The window, in milliseconds.
    pub(crate) window_ms: u64,
}

/// What became of an ask that was put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OpenedAsk {
    /// It is new, and waits for an answer.
    New(Ask),
    /// An equal one waited already; this is it.
    Joined(Ask),
    /// The agent has asked too much already; nothing was kept.
    TooMany {
        /// How many of its asks wait.
        pending: u64,
    },
}

/// What became of settling an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Settlement {
    /// It was pending, and is settled now; the others were settled with it.
    Done {
        /// The ask that was answered.
        ask: Ask,
        /// Asks that the same answer settled.
        also: Vec<Ask>,
    },
    /// It was settled or expired before; nothing was kept.
    Before(Ask),
    /// The script that a yes is about is another by now: the yes has no effect, and the ask is
    /// settled as overtaken.
    Overtaken(Ask),
    /// There is no such ask.
    Unknown,
}

/// Which asks a query returns; by default all.
#[derive(Debug, Clone, Default)]
pub(crate) struct AskFilter {
    /// Only those that wait and are not past their time at this moment.
    pub(crate) pending_at_ms: Option<u64>,
    /// Only of this agent.
    pub(crate) agent: Option<String>,
    /// Only those whose id begins so.
    pub(crate) id_prefix: Option<String>,
}

/// Which grants a query returns; by default all.
#[derive(Debug, Clone, Default)]
pub(crate) struct GrantFilter {
    /// Only those that hold at this time.
    pub(crate) holding_at_ms: Option<u64>,
    /// Only for this agent.
    pub(crate) agent: Option<String>,
    /// Only those whose id begins so.
    pub(crate) id_prefix: Option<String>,
}

/// How much was forgotten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Cleaned {
    /// How many asks were deleted.
    pub asks: u64,
    /// How many grants were deleted.
    pub grants: u64,
}

/// One task in the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TaskRow {
    pub(crate) id: String,
    pub(crate) agent: String,
    pub(crate) session: String,
    pub(crate) workspace: PathBuf,
    pub(crate) command: String,
    /// `running`, `finished` or `lost`.
    pub(crate) state: String,
    pub(crate) exit_code: Option<i32>,
    pub(crate) created_at_ms: u64,
    pub(crate) ended_at_ms: Option<u64>,
}

/// Which tasks a query returns; by default all.
#[derive(Debug, Clone, Default)]
pub(crate) struct TaskFilter {
    pub(crate) agent: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) state: Option<String>,
}

/// What is known of one session of one agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct KnownSession {
    /// The agent that it belongs to.
    pub(crate) agent: String,
    /// The name of the session.
    pub(crate) session: String,
    /// When it was first seen.
    pub(crate) first_seen_ms: u64,
    /// When it was last seen.
    pub(crate) last_seen_ms: u64,
    /// How many tasks it has in the index.
    pub(crate) tasks: u64,
    /// How many asks it has in the store.
    pub(crate) asks: u64,
}
