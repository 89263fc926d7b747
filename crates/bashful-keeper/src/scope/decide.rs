//! Whether a keeper is better off in a scope of its own: facts in, verdict out.

use super::facts::{Facts, Place};

/// What the units of keepers are called.
pub(super) const PREFIX: &str = "bashful-keeper-";
/// Where a user's programs are.
pub(super) const USER_SLICE: &str = "app.slice";

/// Where a keeper will live, and how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlook {
    /// In which unit.
    pub scope: Scope,
    /// Whether it ends with the user's login: with this one, or with the last.
    pub ends_at_logout: bool,
}

/// The unit that a keeper lives in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// One of its own.
    Own,
    /// Its starter's, if any.
    Starter(Ground),
}

/// Why a keeper stays in the control group of its starter.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ground {
    /// systemd is not the first process here.
    NoSystemd,
    /// It is in no unit that systemd would stop.
    NoUnit,
    /// It descends from a keeper, and belongs to that one's run.
    OfKeeper,
    /// Its group has limits, and the person who set them meant to hold the keeper to them too.
    Limited,
    /// A logout spares what a login leaves behind, and ends the user's manager.
    Spared,
    /// It is in a service of the system, and the user's manager ends with a logout.
    Outlasts,
    /// The manager does not answer.
    Mute(String),
}

impl Facts {
    /// What is best.
    pub(super) fn outlook(self) -> Outlook {
        let scope = self.ground().map_or(Scope::Own, Scope::Starter);
        let ends_at_logout = match scope {
            // The system's manager does not end, and a lingering user's neither.
            Scope::Own => !self.is_root && !self.lingers,
            Scope::Starter(_) => self.starter_ends_at_logout(),
        };
        Outlook {
            scope,
            ends_at_logout,
        }
    }

    /// The same if its manager does not answer.
    pub(super) fn without_answer(self, error: String) -> Outlook {
        Outlook {
            scope: Scope::Starter(Ground::Mute(error)),
            ends_at_logout: self.starter_ends_at_logout(),
        }
    }

    fn starter_ends_at_logout(self) -> bool {
        match self.place {
            Place::Session => self.kills,
            Place::UserManager => !self.lingers,
            Place::Keeper | Place::Service | Place::Elsewhere => false,
        }
    }

    fn ground(self) -> Option<Ground> {
        match self.place {
            _ if !self.systemd => Some(Ground::NoSystemd),
            Place::Elsewhere => Some(Ground::NoUnit),
            Place::Keeper => Some(Ground::OfKeeper),
            _ if self.limited => Some(Ground::Limited),
            _ if self.is_root || self.lingers => None,
            Place::UserManager => None,
            // Its end comes with this logout, or with the last.
            Place::Session if self.kills => None,
            Place::Session => Some(Ground::Spared),
            Place::Service => Some(Ground::Outlasts),
        }
    }
}
