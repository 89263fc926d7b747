//! Asking a person, and remembering exactly what was said.
//!
//! An [`Ask`] is a row that waits for an answer; an [`Answer`] that says yes leaves a [`Grant`]
//! behind, and the run that waited finds that grant as any later run would. So there is one way
//! from a yes to a start, whoever gave it and whenever. The [`Desk`] is where asks lie and
//! answers are given; an [`Approver`] puts an ask to somebody.

mod binding;
mod desk;
mod notify;
mod offer;
mod settle;
mod wake;

pub use crate::model::answer::{Answer, Settled};
pub use crate::model::answered_by::{Ancestor, Channel, NotAPerson, Witness, is_run_by_bashful};
pub use crate::model::approver::{Approver, Pending};
pub use crate::model::ask::{
    ApprovedBefore, Ask, AskScript, AskState, Cause, Ground as AskGround, Memory, Reachable,
};
pub use crate::model::error::ask::DeskError;
pub use crate::model::error::store::StoreError;
pub use crate::model::grant::{Grant, Opening, Scope, Subject, UnknownScope};
pub use crate::store::Cleaned;
pub use binding::version_of_policy;
pub(crate) use binding::{Binding, rights};
pub(crate) use desk::answered;
pub use desk::{Desk, GrantWish, SubjectWish, WhichAsks, WhichGrants};
pub use notify::NotifyError;
pub(crate) use notify::notify;
pub(crate) use offer::{Offer, offer};
pub use wake::Watch;
pub(crate) use wake::wake;
