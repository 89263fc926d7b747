//! The control groups of runs: what this host offers, and one group for each run.
//!
//! Nothing here ever blocks, and nothing is written to a group that was not made
//! here, except that on the unified hierarchy the caller's own group may have to
//! hand its controllers down, see `settle`.

mod abandoned;
mod error;
mod events;
mod files;
mod find;
mod group;
mod kill;
mod limits;
mod owner;
mod places;
mod settle;
mod shared;
#[cfg(test)]
mod tests;

pub use abandoned::{AbandonedGroups, remove_abandoned_groups};
pub(crate) use error::CgroupError;
pub(crate) use find::{Cgroups, Offer, Offers};
pub(crate) use group::Cgroup;
pub(crate) use shared::shared_groups;
pub use shared::{remove_abandoned_beside_ours, share_group_with};
