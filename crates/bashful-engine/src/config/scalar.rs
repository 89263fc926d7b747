//! Which of two values is the wider one.

use std::hash::Hash;
use std::time::Duration;

use bashful_policy::{NetworkCapability, Otherwise, Preset};
use bashful_sandbox::{Backend, Protection};

use super::choice::{Choice as _, HomeMode, Keep, OnLogFull, Refused, Sandbox, Survivors};
use super::place::shown;
use super::secret::{MASK, SecretValue};
use super::units::{format_duration, format_size};

/// A value of a key that has one.
pub(super) trait Scalar: Clone + PartialEq {
    /// Whether this gives a run more than `other` does. For a key with
    /// [`Rule::Free`](super::key::Rule::Free) the engine does not ask.
    fn is_wider_than(&self, other: &Self) -> bool;

    /// The value as a message shows it.
    fn shown(&self) -> String;
}

impl Scalar for bool {
    fn is_wider_than(&self, other: &Self) -> bool {
        !*self && *other
    }

    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Scalar for Duration {
    fn is_wider_than(&self, other: &Self) -> bool {
        self > other
    }

    fn shown(&self) -> String {
        format_duration(*self)
    }
}

/// A size in bytes.
impl Scalar for u64 {
    fn is_wider_than(&self, other: &Self) -> bool {
        self > other
    }

    fn shown(&self) -> String {
        format_size(*self)
    }
}

/// A count of characters.
impl Scalar for usize {
    fn is_wider_than(&self, other: &Self) -> bool {
        self > other
    }

    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Scalar for OnLogFull {
    fn is_wider_than(&self, other: &Self) -> bool {
        let reach = |choice: &Self| match choice {
            Self::Stop => 0,
            Self::Auto => 1,
            Self::Continue => 2,
        };
        reach(self) > reach(other)
    }

    fn shown(&self) -> String {
        self.as_str().to_owned()
    }
}

impl Scalar for Survivors {
    fn is_wider_than(&self, other: &Self) -> bool {
        (*self, *other) == (Self::Adopt, Self::Kill)
    }

    fn shown(&self) -> String {
        self.as_str().to_owned()
    }
}

impl Scalar for Keep {
    fn is_wider_than(&self, _: &Self) -> bool {
        false
    }

    fn shown(&self) -> String {
        self.as_str().to_owned()
    }
}

impl Scalar for Sandbox {
    fn is_wider_than(&self, other: &Self) -> bool {
        // `auto` is as strong as the host allows: who names a weaker one goes below that.
        let reach = |sandbox: &Self| match sandbox {
            Self::By(Backend::Native) => 0,
            Self::Auto => 1,
            Self::By(Backend::Bubblewrap) => 2,
            Self::By(Backend::Firejail) => 3,
            Self::By(Backend::Landlock) => 4,
            Self::None => 5,
        };
        reach(self) > reach(other)
    }

    fn shown(&self) -> String {
        self.as_str().to_owned()
    }
}

impl Scalar for Preset {
    fn is_wider_than(&self, other: &Self) -> bool {
        self > other
    }

    fn shown(&self) -> String {
        Preset::as_str(*self).to_owned()
    }
}

/// What the kernel holds is let through, a person is asked, nothing is let through.
impl Scalar for Otherwise {
    fn is_wider_than(&self, other: &Self) -> bool {
        let strictness = |value: &Self| match value {
            Self::Confined => 0,
            Self::Ask => 1,
            Self::Deny => 2,
        };
        strictness(self) < strictness(other)
    }

    fn shown(&self) -> String {
        self.as_str().to_owned()
    }
}

impl Scalar for Refused {
    fn is_wider_than(&self, other: &Self) -> bool {
        (*self, *other) == (Self::Ask, Self::Deny)
    }

    fn shown(&self) -> String {
        self.as_str().to_owned()
    }
}

/// Neither of the others shows anything that the run would not see otherwise.
impl Scalar for HomeMode {
    fn is_wider_than(&self, other: &Self) -> bool {
        *self == Self::RealMasked && *other != Self::RealMasked
    }

    fn shown(&self) -> String {
        self.as_str().to_owned()
    }
}

impl Scalar for NetworkCapability {
    fn is_wider_than(&self, other: &Self) -> bool {
        NetworkCapability::is_wider_than(self, other)
    }

    fn shown(&self) -> String {
        shown(&self.to_string())
    }
}

/// The name of an agent or a profile.
impl Scalar for String {
    fn is_wider_than(&self, _: &Self) -> bool {
        false
    }

    fn shown(&self) -> String {
        shown(self)
    }
}

/// An item of a list.
pub(super) trait Item: Clone + Eq + Hash {
    /// The item as a message shows it.
    fn shown(&self) -> String;
}

impl Item for String {
    fn shown(&self) -> String {
        shown(self)
    }
}

impl Item for Protection {
    fn shown(&self) -> String {
        self.as_str().to_owned()
    }
}

impl Item for SecretValue {
    fn shown(&self) -> String {
        MASK.to_owned()
    }
}
