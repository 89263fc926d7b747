//! Which system calls a run may make.
//!
//! The filter is a list of refusals; what is not listed is allowed. One table says
//! what is refused, how and why (`table`), and both the kernel's program and the words
//! of `bashful explain` are made from it. The filter is the last of several walls:
//! namespaces, mounts and Landlock decide what is visible, and the filter takes away the
//! calls by which a program could change that, or reach the host round it.

mod assembler;
mod compile;
mod numbers;
mod rule;
mod table;

#[cfg(test)]
mod tests;

use std::fmt;

pub(crate) use assembler::Instruction;
use rule::{Rule, Scope};

/// Which programs a run may execute, as far as the filter is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandsRule {
    /// Any that is visible.
    Any,
    /// Only listed ones: files that live in memory only, which no mount option and no
    /// Landlock rule covers, cannot be made.
    Listed,
}

/// What the filter depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FilterOptions {
    /// Which programs a run may execute.
    pub(crate) commands: CommandsRule,
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
        };
        let rules: Vec<&'static Rule> = table::rules().filter(applies).collect();
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
            answer: rule.answer.name,
            reason: rule.reason,
        });
        foreign
            .chain(listed)
            .filter(|refusal| !refusal.calls.is_empty())
            .collect()
    }
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
    /// Why.
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
