//! Learning from the record: the narrowest profile that would have let a session's runs pass.
//!
//! Only what ran is learnt from, never what was denied. What is proposed is proved: it is read as a
//! file would be, and every run is judged by it once more.

use bashful_policy::{Effect, Otherwise};
use serde::Serialize;

use crate::config::Granted;
use crate::judge::policy::{Checked, ExtraRules};
use crate::record::audit::Requested;
use crate::review::replay::{
    Circumstances, History, Recorded, Retrial, RetrialError, Rights, is_masked,
};

mod lessons;
mod rights;
mod rule;
#[cfg(test)]
mod tests;
mod writing;

use lessons::{Lessons, Run};
use rights::LearntRights;

/// A profile that was learnt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Learnt {
    /// The name that the caller chose for the new profile.
    pub profile: String,
    /// The profile as a file has it, ready to be pasted.
    pub toml: String,
    /// How many runs it was learnt from.
    pub runs: u64,
    /// The rules that let the runs pass, as in `toml`.
    pub rules: Vec<LearntRule>,
    /// Runs that it does not let pass.
    pub left_out: Vec<LeftOut>,
}

/// A rule that was learnt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LearntRule {
    /// The id by which decisions name the rule.
    pub id: String,
    /// The words of the commands that it allows; empty if it has an expression instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The expression for the commands that it allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// How many runs would not have passed without it.
    pub needed: u64,
    /// One of them. It may hold anything: make it visible first.
    pub example: String,
}

/// A run that no narrow profile lets pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// The command as it is on record.
    pub command: String,
    /// How often it ran.
    pub count: u64,
    /// `ask` or `deny`; absent if it could not be judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<&'static str>,
    /// The rule that keeps it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why no narrow profile lets it pass, in words for people.
    pub why: String,
}

/// Why nothing can be learnt.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// There is nothing on record to learn from.
    #[error("there is no run on record that started")]
    NoRuns,
    /// What was given to its runs cannot be read.
    #[error("what the runs were given cannot be read")]
    UnreadableRights,
    /// The configuration that holds cannot be used, or the name is none.
    #[error("cannot judge by the profile")]
    Retrial(#[from] RetrialError),
}

/// Proposes the narrowest profile that would have let the runs of this history pass.
pub fn learn(
    history: &History,
    circumstances: &Circumstances,
    name: &str,
) -> Result<Learnt, LearnError> {
    let ran = |recorded: &&Recorded| recorded.started && !was_denied(recorded);
    let recorded: Vec<&Recorded> = history.requests.iter().filter(ran).collect();
    if recorded.is_empty() {
        return Err(LearnError::NoRuns);
    }
    let total = recorded.len() as u64;
    let readable = |recorded: &&Recorded| Rights::read(&recorded.request.rights).is_some();
    let (recorded, unreadable): (Vec<_>, Vec<_>) = recorded.into_iter().partition(readable);
    let rights = LearntRights::of(&recorded).ok_or(LearnError::UnreadableRights)?;
    let runs = lessons::distinct(&recorded);

    let mut school = School {
        retrial: retrial(circumstances, &writing::bare(name))?,
        name: name.to_owned(),
    };
    let mut lessons = Lessons::take(&runs, rights, &mut school);
    lessons.forget_what_is_not_needed(&mut school);
    let rules = lessons.rules(&mut school);
    let toml = writing::profile(name, &lessons.rights, &rules, &[]);

    let mut proof = retrial(circumstances, &toml)?;
    let left_out: Vec<LeftOut> = runs
        .iter()
        .filter_map(|run| left_out(run, proof.judge_by(run.request, name)))
        .chain(lessons::distinct(&unreadable).iter().filter_map(|run| {
            let why = "what it was given cannot be read".to_owned();
            left_out(run, Err(why))
        }))
        .collect();
    Ok(Learnt {
        profile: name.to_owned(),
        toml: writing::profile(name, &lessons.rights, &rules, &left_out),
        runs: total,
        rules,
        left_out,
    })
}

/// Where runs are judged by what was learnt so far.
struct School {
    retrial: Retrial,
    name: String,
}

impl School {
    fn judge(
        &mut self,
        request: &Requested,
        granted: Granted,
        extra: ExtraRules,
    ) -> Result<Checked, String> {
        let retrial = &mut self.retrial;
        retrial.judge_given(request, &self.name, granted, extra)
    }
}

fn retrial(circumstances: &Circumstances, text: &str) -> Result<Retrial, RetrialError> {
    let path = std::path::Path::new("learnt.toml");
    Retrial::by_file(circumstances.clone(), text, path)
}

fn was_denied(recorded: &Recorded) -> bool {
    let decided = recorded.decided.as_ref();
    recorded.refused || decided.is_some_and(|decided| decided.effect == Effect::Deny.as_str())
}

/// What is to be told about a run that does not pass.
fn left_out(run: &Run<'_>, judged: Result<Checked, String>) -> Option<LeftOut> {
    let (effect, rule, why) = match judged {
        Ok(checked) => {
            let decision = checked.judgement.decision;
            if decision.effect == Effect::Allow {
                return None;
            }
            let why = if is_masked(run.request) {
                "a secret in it was masked, so that the whole command is not on record".to_owned()
            } else {
                decision.reason
            };
            (Some(decision.effect.as_str()), Some(decision.rule), why)
        }
        Err(why) => (None, None, why),
    };
    Some(LeftOut {
        command: run.request.command.clone(),
        count: run.count,
        effect,
        rule,
        why,
    })
}

/// What the profile does with what no rule knows.
const DEFAULT: Otherwise = Otherwise::Ask;
