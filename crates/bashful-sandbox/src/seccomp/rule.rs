//! What a rule of the filter is, and its words.

use super::numbers::{SECCOMP_RET_ERRNO, SECCOMP_RET_USER_NOTIF};

/// A constant of the kernel with its name: a call's number, a flag, an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named<T> {
    pub(super) name: &'static str,
    pub(super) value: T,
}

/// An argument of a call, of which one half of 32 bits is looked at.
///
/// Nearly all arguments that are examined here are 32-bit integers, or flags of which the
/// kernel uses the low half: the kernel ignores whatever a program puts into the upper half
/// of the register, so the filter must ignore it too. The upper half is for sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Argument {
    pub(super) index: u32,
    pub(super) name: &'static str,
    /// The bits that count.
    pub(super) mask: u32,
    /// Whether the upper half is meant.
    pub(super) is_upper: bool,
}

impl Argument {
    pub(super) const fn new(index: u32, name: &'static str) -> Self {
        Self {
            index,
            name,
            mask: u32::MAX,
            is_upper: false,
        }
    }

    pub(super) const fn upper(self) -> Self {
        Self {
            is_upper: true,
            ..self
        }
    }

    pub(super) const fn masked(self, mask: u32) -> Self {
        Self { mask, ..self }
    }
}

/// A question about one argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Test {
    /// It is one of these.
    Is(Argument, &'static [Named<u32>]),
    /// It is none of these.
    IsNot(Argument, &'static [Named<u32>]),
    /// It has at least one of these bits.
    HasAny(Argument, &'static [Named<u32>]),
}

impl Test {
    /// Whether it is true of these registers.
    fn holds(&self, arguments: &[u64; 6]) -> bool {
        let value = |argument: &Argument| {
            let index = usize::try_from(argument.index).unwrap_or(usize::MAX);
            let register = arguments.get(index).copied().unwrap_or_default();
            let half = if argument.is_upper {
                register >> 32
            } else {
                register & u64::from(u32::MAX)
            };
            u32::try_from(half).unwrap_or_default() & argument.mask
        };
        match self {
            Self::Is(argument, values) => values.iter().any(|one| one.value == value(argument)),
            Self::IsNot(argument, values) => values.iter().all(|one| one.value != value(argument)),
            Self::HasAny(argument, values) => {
                values.iter().any(|one| one.value & value(argument) != 0)
            }
        }
    }

    fn words(&self) -> String {
        let (argument, verb, values) = match self {
            Self::Is(argument, values) => (argument, "is", values),
            Self::IsNot(argument, values) => (argument, "is other than", values),
            Self::HasAny(argument, values) => (argument, "has", values),
        };
        let names: Vec<&str> = values.iter().map(|value| value.name).collect();
        let list = match names.as_slice() {
            [before @ .., end] if !before.is_empty() => {
                format!("{} or {end}", before.join(", "))
            }
            _ => names.join(""),
        };
        format!("{} {verb} {list}", argument.name)
    }
}

/// What happens to a call that a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// It fails with this error.
    Error(Named<u32>),
    /// It fails with this error. Where a keeper listens it hears of it, and answers that; it never
    /// lets such a call go on.
    Told(Named<u32>),
    /// It waits until the listening keeper lets it go on.
    Notify,
}

impl Answer {
    /// As people call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Error(error) | Self::Told(error) => error.name,
            Self::Notify => "notice",
        }
    }

    /// As the kernel takes it.
    pub(super) fn value(self) -> u32 {
        match self {
            Self::Error(error) | Self::Told(error) => SECCOMP_RET_ERRNO | error.value,
            Self::Notify => SECCOMP_RET_USER_NOTIF,
        }
    }

    /// As the kernel takes it in the filter of a listener.
    pub(super) fn value_told(self) -> u32 {
        match self {
            Self::Told(_) => SECCOMP_RET_USER_NOTIF,
            other => other.value(),
        }
    }
}

/// When a rule is part of the filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// In every run.
    Always,
    /// In runs that may execute listed programs only.
    ListedCommands,
    /// In runs that have no namespaces for processes and for what they share.
    SharedHost,
    /// In runs whose files only Landlock closes, before its third version.
    OldLandlock,
    /// In runs whose memory is limited, and counted by nothing.
    UncountedMemory,
    /// In runs without a network that have no network namespace.
    SharedNetwork,
    /// In runs whose connects nobody carries out.
    PairsOnly,
    /// In runs whose connects the keeper carries out.
    OwnSockets,
    /// In runs that may trace nothing.
    NoTracing,
}

/// Calls that are refused. Where several rules name a call, the first whose tests are
/// all true answers.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) scope: Scope,
    /// Names beginning with `SYS_`, and numbers; negative where this architecture does
    /// not have the call.
    pub(super) calls: &'static [Named<i64>],
    /// All must be true for the refusal; no tests mean always.
    pub(super) when: &'static [Test],
    pub(super) answer: Answer,
    pub(super) reason: &'static str,
}

impl Rule {
    /// Plain names and numbers of the calls that this architecture has.
    pub(super) fn present_calls(&self) -> impl Iterator<Item = (&'static str, u32)> {
        self.calls.iter().filter_map(|call| {
            let number = u32::try_from(call.value).ok()?;
            let name = call.name.strip_prefix("SYS_").unwrap_or(call.name);
            Some((name, number))
        })
    }

    /// Whether a keeper that listens is told of it.
    pub(super) fn is_told(&self) -> bool {
        matches!(self.answer, Answer::Told(_))
    }

    /// Whether it is about a call with this number and these registers.
    pub(super) fn is_about(&self, number: u32, arguments: &[u64; 6]) -> bool {
        let mut calls = self.present_calls();
        calls.any(|(_, known)| known == number)
            && self.when.iter().all(|test| test.holds(arguments))
    }

    /// The tests in words.
    pub(super) fn condition(&self) -> Option<String> {
        let tests: Vec<String> = self.when.iter().map(Test::words).collect();
        (!tests.is_empty()).then(|| tests.join(", and "))
    }
}
