//! What a person opens widens a run's rights by exactly that.

use std::collections::BTreeMap;

use bashful_policy::{NetworkCapability, ResourceLimits};
use proptest::prelude::*;

use super::{Profile, Wish};
use crate::model::grant::Opening;

fn words() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("/[a-z]{1,6}", 0..4)
}

fn openings() -> impl Strategy<Value = Opening> {
    let limits = prop::collection::btree_map(
        prop::sample::select(ResourceLimits::NAMES.as_slice()).prop_map(str::to_owned),
        1_u64..1 << 40,
        0..4,
    );
    let classes = prop::collection::vec("[a-z-]{2,8}", 0..3);
    let network = prop::option::of(Just("on".to_owned()));
    (network, classes, words(), words(), limits).prop_map(
        |(network, classes, paths_read, paths_write, resources)| Opening {
            network,
            classes,
            paths_read,
            paths_write,
            resources,
            ..Opening::default()
        },
    )
}

/// What is there now and was not before.
fn added(after: &[String], before: &[String]) -> Vec<String> {
    let mut new: Vec<String> = after.to_vec();
    new.retain(|item| !before.contains(item));
    new.sort();
    new
}

fn asked(opened: &[String], before: &[String]) -> Vec<String> {
    let mut asked = added(opened, before);
    asked.dedup();
    asked
}

proptest! {
    #[test]
    fn a_grant_widens_by_exactly_what_it_opens(first in openings(), opening in openings()) {
        let profile = Profile::default();
        let wish = Wish { changes: first.changes(), ..Wish::default() };
        let before = profile.grant(&wish).unwrap();
        let after = profile.widen(&before, &opening.changes()).unwrap();
        let (old, new) = (&before.capabilities, &after.capabilities);
        prop_assert_eq!(added(&new.paths_read, &old.paths_read), asked(&opening.paths_read, &old.paths_read));
        prop_assert_eq!(added(&new.paths_write, &old.paths_write), asked(&opening.paths_write, &old.paths_write));
        prop_assert_eq!(added(&new.classes, &old.classes), asked(&opening.classes, &old.classes));
        let network = if opening.network.is_some() { NetworkCapability::On } else { old.network.clone() };
        prop_assert_eq!(&new.network, &network);
        let named: BTreeMap<&str, u64> = opening.resources.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let limits = new.resources.values().into_iter().zip(old.resources.values());
        for ((after, before), name) in limits.zip(ResourceLimits::NAMES) {
            prop_assert_eq!(after, named.get(name).copied().or(before));
        }
        // Nothing else moves.
        prop_assert_eq!(&new.paths_deny, &old.paths_deny);
        prop_assert_eq!(&new.commands, &old.commands);
        prop_assert_eq!((after.preset, after.home, &after.optional), (before.preset, before.home, &before.optional));
    }
}
