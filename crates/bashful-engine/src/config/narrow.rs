//! Letting one layer after another speak about a key, as far as the key's rule goes.

use std::collections::HashSet;

use super::key::{Key, ProjectMay, Rule};
use super::place::{Layer, Origin};
use super::raw::{Maybe, Said};
use super::resolve::Resolved;
use super::scalar::{Item, Scalar};
use super::units::format_duration;
use super::warning::{Warning, WarningReason};

/// What the layers say about one key, in the order in which they speak.
type Voices<T> = [(Layer, Maybe<T>); 3];

impl Resolved {
    /// Resolves a key with one value.
    pub(super) fn scalar<T: Scalar>(&mut self, key: Key, default: T, voices: Voices<T>) -> T {
        let mut current = default;
        let mut ceiling = None;
        for (layer, said) in voices {
            let Some(Said { value, place }) = said else {
                continue;
            };
            if let Some(reason) = refusal(key, layer, &value, &current, ceiling.as_ref()) {
                self.warnings.push(Warning {
                    key,
                    layer,
                    place,
                    reason,
                });
                continue;
            }
            if layer == Layer::Admin {
                ceiling = Some(value.clone());
            }
            current = value;
            self.origins.set(key, vec![Origin::File { layer, place }]);
        }
        current
    }

    /// Resolves a key with a list.
    pub(super) fn list<T: Item>(
        &mut self,
        key: Key,
        default: Vec<T>,
        voices: Voices<Vec<T>>,
    ) -> Vec<T> {
        let mut current = default;
        let mut bound: Option<Vec<T>> = None;
        let mut origins = Vec::new();
        for (layer, said) in voices {
            let Some(Said { value, place }) = said else {
                continue;
            };
            let mut warn = |reason| {
                self.warnings.push(Warning {
                    key,
                    layer,
                    place: place.clone(),
                    reason,
                });
            };
            if is_mute(key, layer) {
                warn(WarningReason::NotForProjects);
                continue;
            }
            if key.rule() == Rule::Within {
                let (kept, dropped): (Vec<T>, Vec<T>) = value
                    .into_iter()
                    .partition(|item| bound.as_ref().is_none_or(|bound| bound.contains(item)));
                if !dropped.is_empty() {
                    let names = dropped.iter().map(Item::shown).collect();
                    warn(WarningReason::OutsideAdminList { names });
                }
                if layer == Layer::Admin {
                    bound = Some(kept.clone());
                }
                // A list that permits replaces the one before, so that it can be shorter.
                current.clear();
                origins.clear();
                add(&mut current, kept);
            } else {
                add(&mut current, value);
            }
            origins.push(Origin::File { layer, place });
        }
        self.origins.set(key, origins);
        current
    }

    /// Keeps the timeout below its maximum, whichever files they come from.
    pub(super) fn bound_timeout(&mut self) {
        let limits = &mut self.config.limits;
        let maximum = limits.max_timeout;
        if limits.timeout <= maximum {
            return;
        }
        let given = format_duration(limits.timeout);
        limits.timeout = maximum;
        let bounds = self.origins.of(Key::MaxTimeout).to_vec();
        // Whoever sets a timeout above a maximum they could know of should hear it. Whoever's
        // timeout is lowered by a narrower layer made no mistake.
        let known = bounds.last().and_then(Origin::layer);
        if let Some(Origin::File { layer, place }) = self.origins.of(Key::Timeout).last()
            && Some(*layer) >= known
        {
            self.warnings.push(Warning {
                key: Key::Timeout,
                layer: *layer,
                place: place.clone(),
                reason: WarningReason::AboveMaximum {
                    given,
                    maximum: format_duration(maximum),
                },
            });
        }
        let bounds = bounds
            .into_iter()
            .filter(|origin| *origin != Origin::Default);
        self.origins.set(Key::Timeout, bounds.collect());
    }
}

/// Whether a layer has no say about a key at all.
fn is_mute(key: Key, layer: Layer) -> bool {
    layer == Layer::Project && key.project_may() == ProjectMay::NotSet
}

/// Why a value does not count, if it does not.
fn refusal<T: Scalar>(
    key: Key,
    layer: Layer,
    value: &T,
    current: &T,
    ceiling: Option<&T>,
) -> Option<WarningReason> {
    if is_mute(key, layer) {
        return Some(WarningReason::NotForProjects);
    }
    let passes = |bound: &&T| match key.rule() {
        Rule::Free => value != *bound,
        _ => value.is_wider_than(bound),
    };
    if let Some(bound) = ceiling.filter(passes) {
        return Some(WarningReason::PassesAdmin {
            given: value.shown(),
            bound: bound.shown(),
        });
    }
    let widens = key.rule() != Rule::Free && value.is_wider_than(current);
    (layer == Layer::Project && widens).then(|| WarningReason::Widens {
        given: value.shown(),
        kept: current.shown(),
    })
}

/// Appends what is not there yet. A project's list may be long, so this must not compare each
/// item with all others.
fn add<T: Item>(list: &mut Vec<T>, items: Vec<T>) {
    let mut seen: HashSet<T> = list.iter().cloned().collect();
    list.extend(items.into_iter().filter(|item| seen.insert(item.clone())));
}
