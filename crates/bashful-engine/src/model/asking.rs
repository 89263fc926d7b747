//! How asks are put and waited for.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::model::approver::Approver;

/// How asks are put and waited for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asking {
    /// Who puts asks to a person.
    pub(crate) approver: Option<Arc<dyn Approver>>,
    /// How long an answer from elsewhere is waited for; the configuration's unless given.
    pub(crate) wait: Option<Duration>,
    /// Whether to stop waiting.
    pub(crate) give_up: Option<GiveUp>,
}

/// Says whether to stop waiting for an answer.
#[derive(Clone)]
pub(crate) struct GiveUp(pub(crate) Arc<dyn Fn() -> bool + Send + Sync>);

impl fmt::Debug for GiveUp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("GiveUp")
    }
}
