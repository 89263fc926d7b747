//! Which system calls a run may make.
//!
//! The filter is a list of refusals; what is not listed is allowed. One table says
//! what is refused, how and why (`table`), and both the kernel's program and the words
//! of `bashful explain` are made from it. The filter is the last of several walls:
//! namespaces, mounts and Landlock decide what is visible, and the filter takes away the
//! calls by which a program could change that, or reach the host round it.

mod assembler;
mod compile;
mod gate;
mod numbers;
mod rule;
mod table;

#[cfg(test)]
mod tests;

use std::fmt;

pub(crate) use assembler::Instruction;
pub(crate) use gate::gate_filter;
use rule::{Rule, Scope};
pub(crate) use table::{Act, End, Place, Watched};
use table::{Watching, watched};

/// Which programs a run may execute, as far as the filter is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandsRule {
    /// Any that is visible.
    Any,
    /// Only listed ones: files that live in memory only, which no mount option and no
    /// Landlock rule covers, cannot be made.
    Listed,
}

/// What else keeps a run apart from the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ground {
    /// Namespaces of its own.
    Apart,
    /// Nothing: it is among the processes of the host, and its network was granted.
    Shared,
    /// Nothing, and the network is off: no socket can be made.
    SharedWithoutNetwork,
}

/// Which sockets with a path or a name a run can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SocketsRule {
    /// None but connected pairs.
    Pairs,
    /// Those that it made: the keeper carries every connect out. Only with a listener for calls.
    Own,
}

/// Whether a run may trace processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TracingRule {
    /// It may not.
    Refused,
    /// It may trace what it sees, which are processes of its own.
    Own,
}

/// Whether the limit on a run's memory counts all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryRule {
    /// It does, or there is no limit.
    Counted,
    /// There is a limit, but no control group counts what lasts without a process.
    Uncounted,
}

/// What the filter depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FilterOptions {
    /// Which programs a run may execute.
    pub(crate) commands: CommandsRule,
    /// The version of Landlock, where nothing else closes files.
    pub(crate) landlock: Option<u32>,
    /// What else keeps the run apart.
    pub(crate) ground: Ground,
    /// Whether its memory is counted.
    pub(crate) memory: MemoryRule,
    /// Which sockets it can use.
    pub(crate) sockets: SocketsRule,
    /// Whether it may trace processes.
    pub(crate) tracing: TracingRule,
}

/// Which calls the kernel is to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoticeOptions {
    /// Also opens for reading, and what asks about files.
    pub(crate) reads: bool,
    /// Also what reaches for the network.
    pub(crate) network: bool,
    /// Also what makes sockets listen and connects them, which the keeper carries out.
    pub(crate) sockets: bool,
}

impl NoticeOptions {
    fn watched(self) -> impl Iterator<Item = &'static Watched> {
        let reads = self.reads.then_some(Watching::Reads);
        let network = self.network.then_some(Watching::Network);
        let sockets = self.sockets.then_some(Watching::Sockets);
        [Some(Watching::Usual), reads, network, sockets]
            .into_iter()
            .flatten()
            .flat_map(watched)
    }

    /// What the call with this number does, and its name.
    pub(crate) fn of_call(self, number: i32) -> Option<(&'static str, &'static Watched)> {
        let number = u32::try_from(number).ok()?;
        self.watched().find_map(|watched| {
            let mut calls = watched.rule.present_calls();
            let (name, _) = calls.find(|(_, known)| *known == number)?;
            Some((name, watched))
        })
    }
}

/// A system call filter, ready for the kernel.
#[derive(Debug, Clone)]
pub(crate) struct Filter {
    rules: Vec<&'static Rule>,
    instructions: Vec<Instruction>,
}

impl Filter {
    /// The filter for these options.
    pub(crate) fn new(options: &FilterOptions) -> Self {
        let applies = |rule: &&Rule| match rule.scope {
            Scope::Always => true,
            Scope::ListedCommands => options.commands == CommandsRule::Listed,
            Scope::SharedHost => options.ground != Ground::Apart,
            Scope::OldLandlock => options.landlock.is_some_and(|version| version < 3),
            Scope::UncountedMemory => options.memory == MemoryRule::Uncounted,
            Scope::SharedNetwork => options.ground == Ground::SharedWithoutNetwork,
            Scope::PairsOnly => options.sockets == SocketsRule::Pairs,
            Scope::OwnSockets => options.sockets == SocketsRule::Own,
            Scope::NoTracing => options.tracing == TracingRule::Refused,
        };
        let rules: Vec<&'static Rule> = table::rules().filter(applies).collect();
        // Where a keeper listens, it refuses these and so can tell them; elsewhere they are
        // refused here.
        let is_left = |rule: &&Rule| options.sockets != SocketsRule::Own || !rule.is_told();
        let refused: Vec<&'static Rule> = rules.iter().copied().filter(is_left).collect();
        let instructions = compile::compile(&refused);
        Self {
            rules,
            instructions,
        }
    }

    /// The program for a listener. What is only told goes on; what this filter leaves to the
    /// listener it refuses.
    pub(crate) fn of_notices(what: NoticeOptions, refusals: &Self) -> Self {
        let mut rules: Vec<&'static Rule> = what.watched().map(|watched| &watched.rule).collect();
        if what.sockets {
            rules.extend(refusals.rules.iter().filter(|rule| rule.is_told()));
        }
        let instructions = compile::compile_as(&rules, rule::Answer::value_told);
        Self {
            rules,
            instructions,
        }
    }

    /// The refusals that the kernel is to write into its own record: those that programs do not
    /// meet in passing. It refuses nothing that the filter does not.
    pub(crate) fn of_telling(&self) -> Self {
        let is_telling = |rule: &&&Rule| {
            let mut calls = rule.present_calls();
            !calls.any(|(name, _)| MET_IN_PASSING.contains(&name))
        };
        let rules: Vec<&'static Rule> = self.rules.iter().filter(is_telling).copied().collect();
        let instructions = compile::compile(&rules);
        Self {
            rules,
            instructions,
        }
    }

    /// The program, in the form that the kernel takes.
    pub(crate) fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// The same with this number in the place of [`table::OURS`].
    pub(crate) fn with_number(&self, number: u32) -> Vec<Instruction> {
        with_number(&self.instructions, number)
    }

    /// The same as bytes, for a program that installs it.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let instructions = self.instructions.iter();
        instructions.flat_map(|one| one.to_bytes()).collect()
    }

    /// What is refused, in the order in which the rules are tried.
    pub(crate) fn describe(&self) -> Vec<Refusal> {
        let foreign = compile::FOREIGN_CALLS.iter().map(|foreign| Refusal {
            calls: vec![foreign.calls],
            condition: None,
            answer: foreign.answer,
            reason: foreign.reason,
        });
        let listed = self.rules.iter().map(|rule| Refusal {
            calls: rule.present_calls().map(|(name, _)| name).collect(),
            condition: rule.condition(),
            answer: rule.answer.name(),
            reason: rule.reason,
        });
        foreign
            .chain(listed)
            .filter(|refusal| !refusal.calls.is_empty())
            .collect()
    }
}

/// These instructions with this number in the place of [`table::OURS`].
pub(crate) fn with_number(instructions: &[Instruction], number: u32) -> Vec<Instruction> {
    let mut instructions = instructions.to_vec();
    for place in &mut instructions {
        if table::OURS.iter().any(|ours| ours.value == place.k) {
            place.k = number;
        }
    }
    instructions
}

/// Calls that libraries try and do without: looking for a user's name takes a socket, starting a
/// thread the newest of its calls.
const MET_IN_PASSING: &[&str] = &[
    "clone3",
    "fcntl",
    "get_mempolicy",
    "getsockopt",
    "ioctl",
    "io_uring_setup",
    "memfd_create",
    "perf_event_open",
    "personality",
    "socket",
    "socketpair",
    "statmount",
    "modify_ldt",
];

/// The name of a call that some rule refuses.
pub(crate) fn call_name(number: u32) -> Option<&'static str> {
    let mut calls = table::rules().flat_map(Rule::present_calls);
    calls
        .find(|(_, known)| *known == number)
        .map(|(name, _)| name)
}

/// What a listener answers to a call that never goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ToldRefusal {
    /// The call's name.
    pub(crate) call: &'static str,
    /// The number of the error.
    pub(crate) error: i32,
    /// Why, for a person; none if no rule is known by which it was told.
    pub(crate) reason: Option<&'static str>,
}

/// What a listener answers to this call, if calls with this number are told to be refused. They
/// are never told for anything else, so whatever the registers say, none goes on.
pub(crate) fn told_refusal(number: i32, arguments: &[u64; 6]) -> Option<ToldRefusal> {
    let number = u32::try_from(number).ok()?;
    let told = || table::rules().filter(|rule| rule.is_told());
    let (call, _) = told()
        .flat_map(Rule::present_calls)
        .find(|(_, known)| *known == number)?;
    let rule = told().find(|rule| rule.is_about(number, arguments));
    let error = rule.map_or(table::NOT_PERMITTED, |rule| match rule.answer {
        rule::Answer::Error(error) | rule::Answer::Told(error) => error,
        rule::Answer::Notify => table::NOT_PERMITTED,
    });
    Some(ToldRefusal {
        call,
        error: i32::try_from(error.value).unwrap_or(libc::EPERM),
        reason: rule.map(|rule| rule.reason),
    })
}

/// A group of system calls that are refused alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The calls' names.
    pub calls: Vec<&'static str>,
    /// With which arguments they are refused; always, if absent.
    pub condition: Option<String>,
    /// The error that the program gets, such as `EPERM`, or `SIGSYS` if it is killed.
    pub answer: &'static str,
    /// Why they are refused, for a person.
    pub reason: &'static str,
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.calls.join(", "))?;
        if let Some(condition) = &self.condition {
            write!(out, " if {condition}")?;
        }
        write!(out, ": {} ({})", self.answer, self.reason)
    }
}
