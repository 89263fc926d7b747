//! Replaying the record: what a changed policy would have said about what was asked for.

use std::collections::HashMap;
use std::hash::Hash;

use bashful_policy::{Decision, Effect};
use serde::{Serialize, Serializer};

use crate::base::digest::digest;
use crate::model::ask::AskState;
use crate::record::audit::{Decided, Requested};

mod history;
mod retrial;
mod rights;
#[cfg(test)]
pub(crate) mod tests;

pub use history::{History, Recorded, Which};
pub use retrial::{Circumstances, Retrial, RetrialError};
pub(crate) use rights::Rights;

/// The rule of a decision that the policy did not make, because the caller asked for no policy.
const NOT_JUDGED: &str = "policy-none";

/// What a changed policy would have said about what is on record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Replayed {
    /// How many requests were judged anew.
    pub judged: u64,
    /// How many of them would get the same answer.
    pub unchanged: u64,
    /// The others: what would newly be allowed first, then what would be asked, then what would
    /// be denied; the most frequent first.
    pub changes: Vec<Change>,
    /// How many requests went without a policy, which a change does not touch.
    pub unjudged: u64,
    /// How many requests have no decision on record that could be compared.
    pub undecided: u64,
    /// Requests that cannot be judged anew.
    pub failed: Vec<Failed>,
    /// How many records could not be read.
    pub unread: u64,
}

/// Equal requests that the changed policy decides differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// The command as it is on record. It may hold anything: make it visible first.
    pub command: String,
    /// Whether a secret in it was masked, so that another text was judged than the one that ran.
    pub masked: bool,
    /// How often it was asked for.
    pub count: u64,
    /// What the policy said then, before a person was asked.
    #[serde(serialize_with = "as_word")]
    pub was: Effect,
    /// The rule that decided then.
    pub was_rule: String,
    /// What the changed policy says.
    #[serde(serialize_with = "as_word")]
    pub now: Effect,
    /// The rule that decides now.
    pub rule: String,
    /// Where that rule comes from.
    pub layer: String,
    /// Why the changed policy decides that way, in words for people.
    pub reason: String,
    /// What persons said.
    pub answers: Answers,
}

/// What persons said about equal requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Answers {
    /// Yes, when asked.
    pub yes: u64,
    /// Yes, before: a grant covered it.
    pub granted: u64,
    /// No, when asked.
    pub no: u64,
    /// Neither: a person changed the command.
    pub edited: u64,
    /// No answer came in time.
    pub expired: u64,
}

/// A request that cannot be judged anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Failed {
    /// The command as it is on record.
    pub command: String,
    /// How often it was asked for.
    pub count: u64,
    /// Why it cannot be judged.
    pub why: String,
}

impl Replayed {
    /// How many requests would newly get this answer.
    pub fn newly(&self, effect: Effect) -> u64 {
        let changes = self.changes.iter();
        let newly = changes.filter(|change| change.now == effect);
        newly.map(|change| change.count).sum()
    }
}

/// Judges what is on record anew. `judge` says what the changed policy says about a request, or why
/// that cannot be said; equal requests are judged once.
pub fn replay(
    history: &History,
    mut judge: impl FnMut(&Requested) -> Result<Decision, String>,
) -> Replayed {
    let mut replayed = Replayed {
        unread: history.unread,
        ..Replayed::default()
    };
    let mut changes = Grouped::default();
    let mut failures = Grouped::default();
    let mut known: HashMap<String, Result<Decision, String>> = HashMap::new();
    for recorded in &history.requests {
        let Some((was, decided)) = recorded.decided.as_ref().and_then(first_effect) else {
            replayed.undecided += 1;
            continue;
        };
        if decided.rule == NOT_JUDGED {
            replayed.unjudged += 1;
            continue;
        }
        let request = &recorded.request;
        let now = known
            .entry(standing(request))
            .or_insert_with(|| judge(request));
        match now {
            Err(why) => {
                let key = (request.command.clone(), why.clone());
                let new = || failed(request, why);
                failures.of(key, new, |failed: &mut Failed| failed.count += 1);
            }
            Ok(now) => {
                replayed.judged += 1;
                if now.effect == was {
                    replayed.unchanged += 1;
                    continue;
                }
                let masked = is_masked(request);
                let key = (
                    (request.command.clone(), masked),
                    (was, decided.rule.clone()),
                    (now.effect, now.rule.clone()),
                );
                let new = || changed(request, was, &decided.rule, now);
                changes.of(key, new, |change: &mut Change| {
                    change.count += 1;
                    change.answers.add(recorded);
                });
            }
        }
    }
    replayed.changes = changes.items;
    replayed.failed = failures.items;
    // The sort is stable: equals stay in the order of the record.
    let order = |change: &Change| (change.now, std::cmp::Reverse(change.count));
    replayed.changes.sort_by_key(order);
    replayed
}

/// Whether what is on record is not what was asked for, because a secret in it was masked.
pub(crate) fn is_masked(request: &Requested) -> bool {
    request.command.contains("***") && digest(&[request.command.as_bytes()]) != request.digest
}

/// What the policy said before a person was asked. Who leaned on a grant would have been asked.
fn first_effect(decided: &Decided) -> Option<(Effect, &Decided)> {
    let said = match decided.effect.as_str() {
        "allow" if !decided.grants.is_empty() => Effect::Ask,
        "allow" => Effect::Allow,
        "ask" => Effect::Ask,
        "deny" => Effect::Deny,
        _ => return None,
    };
    Some((said, decided))
}

/// All that a judgement depends on.
fn standing(request: &Requested) -> String {
    let parts = serde_json::json!([
        request.command,
        request.agent,
        request.workspace,
        request.cwd,
        request.profile,
        request.rights,
        request.sandbox,
    ]);
    parts.to_string()
}

fn failed(request: &Requested, why: &str) -> Failed {
    Failed {
        command: request.command.clone(),
        count: 0,
        why: why.to_owned(),
    }
}

fn changed(request: &Requested, was: Effect, was_rule: &str, now: &Decision) -> Change {
    Change {
        command: request.command.clone(),
        masked: is_masked(request),
        count: 0,
        was,
        was_rule: was_rule.to_owned(),
        now: now.effect,
        rule: now.rule.clone(),
        layer: now.layer.as_str().to_owned(),
        reason: now.reason.clone(),
        answers: Answers::default(),
    }
}

/// Items that are found by what they have in common, in the order in which they came.
struct Grouped<K, T> {
    items: Vec<T>,
    index: HashMap<K, usize>,
}

impl<K, T> Default for Grouped<K, T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            index: HashMap::new(),
        }
    }
}

impl<K: Eq + Hash, T> Grouped<K, T> {
    /// Changes the item with this key, which is made if there is none.
    fn of(&mut self, key: K, new: impl FnOnce() -> T, act: impl FnOnce(&mut T)) {
        let index = *self.index.entry(key).or_insert(self.items.len());
        if index == self.items.len() {
            self.items.push(new());
        }
        if let Some(item) = self.items.get_mut(index) {
            act(item);
        }
    }
}

impl Answers {
    fn add(&mut self, recorded: &Recorded) {
        let leaned = recorded.decided.as_ref();
        if leaned.is_some_and(|decided| !decided.grants.is_empty()) {
            self.granted += 1;
        }
        for answer in &recorded.answers {
            match answer {
                AskState::Allowed { .. } => self.yes += 1,
                AskState::Denied { .. } => self.no += 1,
                AskState::Edited { .. } => self.edited += 1,
                AskState::Expired { .. } => self.expired += 1,
                AskState::Pending | AskState::Overtaken { .. } => {}
            }
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde asks for"
)]
fn as_word<S: Serializer>(effect: &Effect, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(effect.as_str())
}
