//! Deciding, variable by variable, what the host's file is to say afterwards.

use std::collections::{HashMap, HashSet};

use super::address::host_of;
use super::harmless::{self, Arity, Rule};
use super::syntax::{Document, Entry, Name};
use super::{Attempt, HeldKey, Hosts};

/// The longest text of a held key or value, in characters.
const SHOWN_LIMIT: usize = 160;

/// The values of each variable, in order.
pub(super) type Values<'a> = HashMap<Name<'a>, Vec<Option<&'a [u8]>>>;

/// What is to be done.
#[derive(Debug)]
pub(super) struct Decision<'a> {
    /// The variables that get other values than they have on the host.
    pub(super) targets: Vec<Target<'a>>,
    pub(super) held: Vec<HeldKey>,
    /// Addresses that change, which people want to know.
    pub(super) addresses: Vec<HeldKey>,
}

/// All values that a variable is to have.
#[derive(Debug)]
pub(super) struct Target<'a> {
    pub(super) name: Name<'a>,
    pub(super) values: Vec<Wanted<'a>>,
}

/// A value with the spelling of its key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) spelling: &'a [u8],
    pub(super) value: Option<&'a [u8]>,
}

/// The values of each variable of a document.
pub(super) fn values_by_name(document: &Document) -> Values<'_> {
    let mut values = Values::new();
    for entry in &document.entries {
        let list = values.entry(document.name(entry)).or_default();
        list.push(entry.value.as_deref());
    }
    values
}

/// Decides what of the way from `base` to `private` is carried over to `host`.
pub(super) fn decide<'a>(
    base: &'a Document,
    private: &'a Document,
    host: &'a Document,
    hosts: &Hosts,
) -> Decision<'a> {
    let (before, after, now) = (Grouped::of(base), Grouped::of(private), Grouped::of(host));
    let mut decision = Decision {
        targets: Vec::new(),
        held: Vec::new(),
        addresses: Vec::new(),
    };
    let hosts = hosts.and_those_of([base, host]);
    let mut seen = HashSet::new();
    for name in after.order.iter().chain(&before.order).copied() {
        if seen.insert(name) {
            let sides = Sides {
                name,
                base: before.wanted(name),
                private: after.wanted(name),
                host: now.wanted(name),
                hosts: &hosts,
            };
            sides.decide(&mut decision);
        }
    }
    decision
}

/// The entries of a document by name, with the names in order of appearance.
struct Grouped<'a> {
    order: Vec<Name<'a>>,
    entries: HashMap<Name<'a>, Vec<&'a Entry>>,
}

impl<'a> Grouped<'a> {
    fn of(document: &'a Document) -> Self {
        let mut order = Vec::new();
        let mut entries: HashMap<_, Vec<_>> = HashMap::new();
        for entry in &document.entries {
            let name = document.name(entry);
            let list = entries.entry(name).or_default();
            if list.is_empty() {
                order.push(name);
            }
            list.push(entry);
        }
        Self { order, entries }
    }

    fn wanted(&self, name: Name<'_>) -> Vec<Wanted<'a>> {
        let entries = self.entries.get(&name).into_iter().flatten();
        entries
            .map(|entry| Wanted {
                spelling: &entry.spelling,
                value: entry.value.as_deref(),
            })
            .collect()
    }
}

/// What the three texts say of one variable.
struct Sides<'a, 'h> {
    name: Name<'a>,
    base: Vec<Wanted<'a>>,
    private: Vec<Wanted<'a>>,
    host: Vec<Wanted<'a>>,
    /// The hosts that git may contact.
    hosts: &'h Hosts,
}

impl<'a> Sides<'a, '_> {
    fn decide(&self, decision: &mut Decision<'a>) {
        if are_equal(&self.private, &self.base) || are_equal(&self.private, &self.host) {
            return;
        }
        let Some(rule) = harmless::rule(self.name) else {
            return self.hold(decision);
        };
        let is_harmless = |wanted: &Wanted<'_>| self.allows(rule, wanted);
        let values = if self.base.is_empty() && self.host.is_empty() {
            // A new variable: there is nothing that a part of it could spoil.
            for wanted in self.private.iter().filter(|wanted| !is_harmless(wanted)) {
                decision.held.push(self.held(wanted, Attempt::Set));
            }
            self.private.iter().copied().filter(is_harmless).collect()
        } else if [&self.base, &self.private, &self.host]
            .into_iter()
            .flatten()
            .all(is_harmless)
        {
            self.merged(rule.arity)
        } else {
            // Half of a change is not what the run meant.
            return self.hold(decision);
        };
        if !are_equal(&values, &self.host) {
            if rule.is_address() {
                let changes = [
                    (difference(&values, &self.host), Attempt::Set),
                    (difference(&self.host, &values), Attempt::Remove),
                ];
                for (changed, attempt) in changes {
                    let told = changed.iter().map(|wanted| self.held(wanted, attempt));
                    decision.addresses.extend(told);
                }
            }
            decision.targets.push(Target {
                name: self.name,
                values,
            });
        }
    }

    /// Whether this value can neither execute anything nor contact a stranger.
    fn allows(&self, rule: Rule, wanted: &Wanted<'_>) -> bool {
        let known = || {
            let host = wanted.value.and_then(host_of);
            host.is_some_and(|host| self.hosts.include(&host))
        };
        rule.allows(wanted.value) && (!rule.is_address() || known())
    }

    /// The values after a change that is harmless on all sides.
    fn merged(&self, arity: Arity) -> Vec<Wanted<'a>> {
        let replaces = arity == Arity::One && !self.private.is_empty();
        if replaces || are_equal(&self.host, &self.base) {
            return self.private.clone();
        }
        // The run takes away only what it has seen, and adds what is not there yet.
        let removed = difference(&self.base, &self.private);
        let mut values = difference(&self.host, &removed);
        let added = difference(&self.private, &self.base);
        values.extend(difference(&added, &self.host));
        values
    }

    fn hold(&self, decision: &mut Decision<'a>) {
        let added = difference(&self.private, &self.base);
        let removed = difference(&self.base, &self.private);
        let held_before = decision.held.len();
        for wanted in &added {
            decision.held.push(self.held(wanted, Attempt::Set));
        }
        if added.is_empty() {
            for wanted in &removed {
                decision.held.push(self.held(wanted, Attempt::Remove));
            }
        }
        // The same values in another order: the last one is what counts.
        if decision.held.len() == held_before {
            let last = self.private.last().into_iter();
            decision
                .held
                .extend(last.map(|wanted| self.held(wanted, Attempt::Set)));
        }
    }

    fn held(&self, wanted: &Wanted<'_>, attempt: Attempt) -> HeldKey {
        let mut key = self.name.stem.map(<[u8]>::to_vec).unwrap_or_default();
        if self.name.stem.is_some() {
            key.push(b'.');
        }
        key.extend_from_slice(self.name.key);
        HeldKey {
            key: shown(&key),
            // A key that stands alone means true.
            value: wanted.value.map_or_else(|| "true".to_owned(), shown),
            attempt,
        }
    }
}

fn are_equal(left: &[Wanted<'_>], right: &[Wanted<'_>]) -> bool {
    let left = left.iter().map(|wanted| wanted.value);
    left.eq(right.iter().map(|wanted| wanted.value))
}

/// What is in `left` more often than in `right`, in the order of `left`.
fn difference<'a>(left: &[Wanted<'a>], right: &[Wanted<'a>]) -> Vec<Wanted<'a>> {
    let mut counts: HashMap<Option<&[u8]>, usize> = HashMap::new();
    for wanted in right {
        *counts.entry(wanted.value).or_default() += 1;
    }
    let is_more = |wanted: &&Wanted<'a>| match counts.get_mut(&wanted.value) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    left.iter().filter(is_more).copied().collect()
}

/// Bytes as text without control characters, cut where it gets long.
fn shown(bytes: &[u8]) -> String {
    let head = bytes.get(..SHOWN_LIMIT * 4).unwrap_or(bytes);
    let text = String::from_utf8_lossy(head);
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == SHOWN_LIMIT {
            break;
        }
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    if text.chars().count() > SHOWN_LIMIT || head.len() < bytes.len() {
        shown.push('…');
    }
    shown
}
