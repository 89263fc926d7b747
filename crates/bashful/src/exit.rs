//! Exit codes: a stable contract.

use bashful_engine::{ExecutionResult, Status};

/// What `bashful` exits with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The command succeeded, or what was asked is done.
    Success,
    /// The command's own code, or 128 and its signal.
    Command(u8),
    /// The request made no sense.
    Usage,
    /// The policy said no.
    Denied,
    /// The policy said that a person must say yes.
    NeedsApproval,
    /// A check on the finished run failed.
    RequirementFailed,
    /// The command was ended at its limit.
    TimedOut,
    /// Bashful itself failed.
    Broken,
    /// An interrupt, a person or the caller ended it.
    Cancelled,
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Command(code) => code,
            Self::Usage => 2,
            Self::Denied => 120,
            Self::NeedsApproval => 121,
            Self::RequirementFailed => 122,
            Self::TimedOut => 124,
            Self::Broken => 125,
            Self::Cancelled => 130,
        }
    }

    /// What a result means for our own exit.
    pub(crate) fn of(result: &ExecutionResult) -> Self {
        match result.status {
            Status::Success => Self::Success,
            Status::SoftFailure | Status::HardFailure => {
                let by_signal = result.signal_number.map(|signal| 128 + signal);
                // A command that we ended may still say 0; that is no success.
                let code = result
                    .exit_code
                    .or(by_signal)
                    .and_then(|code| u8::try_from(code).ok())
                    .filter(|code| *code != 0);
                code.map_or(Self::Broken, Self::Command)
            }
            Status::TimedOut => Self::TimedOut,
            Status::Cancelled => Self::Cancelled,
            Status::Denied => Self::Denied,
            Status::NeedsApproval => Self::NeedsApproval,
            Status::RequirementFailed => Self::RequirementFailed,
            Status::Broken => Self::Broken,
        }
    }
}
