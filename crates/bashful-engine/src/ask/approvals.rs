//! Asking a person, and remembering exactly what was said.
//!
//! An [`Ask`] is a row that waits for an answer; an [`Answer`] that says yes leaves a [`Grant`]
//! behind, and the run that waited finds that grant as any later run would. So there is one way
//! from a yes to a start, no matter who gave it and when. The [`ApprovalQueue`] is where asks lie
//! and answers are given; an [`Approver`] puts an ask to a person.

mod binding;
mod notify;
mod offer;
pub(crate) mod queue;
mod settle;
mod wake;

pub(crate) use crate::ask::approvals::queue::answered;
pub use crate::ask::approvals::queue::{
    ApprovalQueue, GrantWish, SubjectWish, WhichAsks, WhichGrants,
};
pub use crate::model::answer::{Answer, Settled};
pub use crate::model::answered_by::{Ancestor, AnsweredBy, Channel, NotAPerson, is_run_by_bashful};
pub use crate::model::approver::{Approver, Pending};
pub use crate::model::ask::{
    ApprovedBefore, Ask, AskGround, AskScript, AskState, Cause, Memory, Reachable,
};
pub use crate::model::error::ask::ApprovalError;
pub use crate::model::error::store::StoreError;
pub use crate::model::grant::{Grant, Opening, Scope, Subject, UnknownScope};
pub use crate::store::Cleaned;
pub use binding::version_of_policy;
pub(crate) use binding::{Binding, rights};
pub use notify::NotifyError;
pub(crate) use notify::notify;
pub(crate) use offer::{Offer, offer};
pub use wake::Watch;
pub(crate) use wake::wake;
