//! A way to put an ask to a person.

use std::fmt;
use std::os::fd::BorrowedFd;

use super::answer::Answer;
use super::ask::Ask;
use crate::model::answered_by::AnsweredBy;

/// A way to put asks to a person: a terminal, a client's dialogue, a callback.
pub trait Approver: fmt::Debug + Send + Sync {
    /// Puts one ask to a person and waits. None: no person answered here; one elsewhere still may.
    ///
    /// It runs on a thread of its own or on the caller's, and returns soon after `pending` says
    /// that the ask was settled elsewhere.
    fn ask(&self, ask: &Ask, pending: &dyn Pending) -> Option<(Answer, AnsweredBy)>;
}

/// Whether an ask still waits.
pub trait Pending {
    /// Whether it is still open. The row is the truth, so this looks there.
    fn is_open(&self) -> bool;

    /// Readable when the ask may have changed; a hint. None: look again after a while.
    fn hint(&self) -> Option<BorrowedFd<'_>>;

    /// Takes the hint away, so that the descriptor is readable at the next change only.
    fn take_hint(&self);
}
