//! Letting one layer after another speak about a key, as far as the key's rule goes.

use std::collections::HashSet;

use super::key::{Key, ProjectMay, Rule};
use super::place::{Layer, Origin};
use super::raw::{Maybe, Said};
use super::resolve::Resolved;
use super::scalar::{Item, Scalar};
use super::setting_key::SettingKey;
use super::units::format_duration;
use super::warning::{Warning, WarningReason};

/// What the layers say about one key, in the order in which they speak.
type Voices<T> = [(Layer, Maybe<T>); 3];

impl Resolved {
    /// Resolves a key with one value.
    pub(super) fn scalar<T: Scalar>(
        &mut self,
        key: impl Into<SettingKey>,
        default: T,
        voices: Voices<T>,
    ) -> T {
        let said = self.limit(key, Some(&default), voices);
        said.unwrap_or(default)
    }

    /// Resolves a key that may have no value. Then `assumed` is what holds, if anything does.
    pub(super) fn limit<T: Scalar>(
        &mut self,
        key: impl Into<SettingKey>,
        assumed: Option<&T>,
        voices: Voices<T>,
    ) -> Option<T> {
        let key = key.into();
        let mut current: Option<T> = None;
        let mut ceiling = None;
        for (layer, said) in voices {
            let Some(Said { value, place }) = said else {
                continue;
            };
            let holds = current.as_ref().or(assumed);
            if let Some(reason) = refusal(key.key, layer, &value, holds, ceiling.as_ref()) {
                self.warnings.push(Warning {
                    key: key.clone(),
                    layer,
                    place,
                    reason,
                });
                continue;
            }
            if layer == Layer::Admin {
                ceiling = Some(value.clone());
            }
            current = Some(value);
            self.origins
                .set(key.clone(), vec![Origin::File { layer, place }]);
        }
        current
    }

    /// Resolves a key with a list.
    pub(super) fn list<T: Item>(
        &mut self,
        key: impl Into<SettingKey>,
        default: Vec<T>,
        voices: Voices<Vec<T>>,
    ) -> Vec<T> {
        let said = self.names(key, Some(&default), voices);
        said.unwrap_or(default)
    }

    /// Resolves a key with a list that may be absent. Then `assumed` is what holds; if that is
    /// absent too, everything is in the list.
    pub(super) fn names<T: Item>(
        &mut self,
        key: impl Into<SettingKey>,
        assumed: Option<&Vec<T>>,
        voices: Voices<Vec<T>>,
    ) -> Option<Vec<T>> {
        let key = key.into();
        let mut current: Option<Vec<T>> = assumed.cloned();
        let mut bound: Option<Vec<T>> = None;
        let mut origins = Vec::new();
        for (layer, said) in voices {
            let Some(Said { value, place }) = said else {
                continue;
            };
            let mut warn = |reason| {
                self.warnings.push(Warning {
                    key: key.clone(),
                    layer,
                    place: place.clone(),
                    reason,
                });
            };
            if is_mute(key.key, layer) {
                warn(WarningReason::NotForProjects);
                continue;
            }
            if key.key.rule() == Rule::Within {
                let within = match layer {
                    Layer::Project => current.as_ref(),
                    _ => bound.as_ref(),
                };
                let (kept, dropped) = partition(value, within);
                if !dropped.is_empty() {
                    let names = dropped.iter().map(Item::shown).collect();
                    warn(match layer {
                        Layer::Project => WarningReason::NotGranted { names },
                        _ => WarningReason::OutsideAdminList { names },
                    });
                    // Who named only what there is not did not mean to take all away.
                    if layer == Layer::Project && kept.is_empty() {
                        continue;
                    }
                }
                if layer == Layer::Admin {
                    bound = Some(kept.clone());
                }
                // A list that permits replaces the one before, so that it can be shorter.
                origins.clear();
                let mut list = Vec::new();
                add(&mut list, kept);
                current = Some(list);
            } else {
                add(current.get_or_insert_default(), value);
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
        // The author of a timeout above a maximum they could know of should hear it. One whose
        // timeout is lowered by a narrower layer made no mistake.
        let known = bounds.last().and_then(Origin::layer);
        if let Some(Origin::File { layer, place }) = self.origins.of(Key::Timeout).last()
            && Some(*layer) >= known
        {
            self.warnings.push(Warning {
                key: Key::Timeout.into(),
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
    current: Option<&T>,
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
    let kept = current.filter(|kept| value.is_wider_than(kept))?;
    (layer == Layer::Project && key.rule() != Rule::Free).then(|| WarningReason::Widens {
        given: value.shown(),
        kept: kept.shown(),
    })
}

/// What is in a list, and what is not. Both may be long, so this must not compare each item
/// with all others.
fn partition<T: Item>(items: Vec<T>, list: Option<&Vec<T>>) -> (Vec<T>, Vec<T>) {
    let Some(list) = list else {
        return (items, Vec::new());
    };
    let known: HashSet<&T> = list.iter().collect();
    items.into_iter().partition(|item| known.contains(item))
}

/// Appends what is not there yet. A project's list may be long, so this must not compare each
/// item with all others.
fn add<T: Item>(list: &mut Vec<T>, items: Vec<T>) {
    let mut seen: HashSet<T> = list.iter().cloned().collect();
    list.extend(items.into_iter().filter(|item| seen.insert(item.clone())));
}
