//! What is refused, how, and why.

use super::numbers;
use super::rule::{Answer, Named, Rule, Scope, Test};

/// Constants of the kernel with their names. They have several types there; all of those
/// named here fit, and none is negative.
macro_rules! named {
    ($($name:ident),* $(,)?) => {
        &[$(Named { name: stringify!($name), value: numbers::$name as u32 }),*]
    };
}

/// System calls with their names.
macro_rules! calls {
    ($($name:ident),* $(,)?) => {
        &[$(Named { name: stringify!($name), value: numbers::$name as i64 }),*]
    };
}

/// An error of the kernel with its name.
macro_rules! error {
    ($name:ident) => {
        Named {
            name: stringify!($name),
            value: numbers::$name as u32,
        }
    };
}

mod arguments;
mod others;
mod sockets;
mod watched;
mod whole;

pub(crate) use watched::{Act, End, Place, Watched};
pub(super) use watched::{OURS, Watching, watched};

/// All refusals. For a call that several rules name, the first that applies counts.
pub(super) fn rules() -> impl Iterator<Item = &'static Rule> {
    [
        whole::RULES,
        arguments::RULES,
        sockets::RULES,
        others::RULES,
    ]
    .into_iter()
    .flatten()
}

pub(super) const NOT_PERMITTED: Named<u32> = error!(EPERM);
pub(super) const NO_SUCH_CALL: Named<u32> = error!(ENOSYS);
const NO_SPACE: Named<u32> = error!(ENOSPC);
const NO_SUCH_REQUEST: Named<u32> = error!(ENOTTY);
const NO_SUCH_FAMILY: Named<u32> = error!(EAFNOSUPPORT);
const NO_SUCH_PROTOCOL: Named<u32> = error!(EPROTONOSUPPORT);
const NO_SUCH_TYPE: Named<u32> = error!(ESOCKTNOSUPPORT);
const NO_SUCH_OPTION: Named<u32> = error!(ENOPROTOOPT);

/// Refuses these calls whatever their arguments.
const fn refuse(calls: &'static [Named<i64>], reason: &'static str) -> Rule {
    refuse_if(calls, &[], NOT_PERMITTED, reason)
}

/// Refuses these calls if all tests are true.
const fn refuse_if(
    calls: &'static [Named<i64>],
    when: &'static [Test],
    answer: Named<u32>,
    reason: &'static str,
) -> Rule {
    Rule {
        scope: Scope::Always,
        calls,
        when,
        answer: Answer::Error(answer),
        reason,
    }
}

/// The same as `refuse_if`, told to the keeper where one listens: what people meet in their work.
const fn tell_if(
    calls: &'static [Named<i64>],
    when: &'static [Test],
    answer: Named<u32>,
    reason: &'static str,
) -> Rule {
    Rule {
        scope: Scope::Always,
        calls,
        when,
        answer: Answer::Told(answer),
        reason,
    }
}
