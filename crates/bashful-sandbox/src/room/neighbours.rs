//! Which runs of a room may connect to each other: those with the same rights.

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{fstat, stat};

use super::Room;
use super::exec::outside_identity;
use crate::connects::Neighbour;
use crate::plan::Plan;
use crate::profile::Network;

/// Plans that are remembered. One that is forgotten counts as new, which connects it to less.
const MOST_PLANS: usize = 32;

static RUNS: AtomicU64 = AtomicU64::new(0);
static RIGHTS: AtomicU64 = AtomicU64::new(0);

impl Room {
    /// A new run by the plan that was used last, among the others.
    pub(super) fn neighbour(&mut self) -> Option<Neighbour> {
        let plan = Rc::clone(&self.plan);
        plan.notices.as_ref().filter(|it| it.what.sockets)?;
        let has_own_network = plan.network.is_own();
        Some(Neighbour {
            registry: self.sockets.clone(),
            run: RUNS.fetch_add(1, Ordering::Relaxed),
            rights: self.rights_of(&plan),
            has_own_network,
            has_gate: plan.network == Network::Named,
            tmp: if has_own_network {
                None
            } else {
                self.own_tmp()
            },
            user: outside_identity(&plan),
        })
    }

    /// The file system of its `/tmp`; none if that is the host's, as where it was granted.
    fn own_tmp(&self) -> Option<u64> {
        let own = fstat(&self.shared.tmp).ok()?.st_dev;
        let is_hosts = ["/tmp", "/"].map(|path| stat(path).is_ok_and(|it| it.st_dev == own));
        (is_hosts == [false; 2]).then_some(own)
    }

    /// The same number for plans that open the same.
    fn rights_of(&mut self, plan: &Rc<Plan>) -> u64 {
        let known = self.rights.iter().find(|(known, _)| known.opens_as(plan));
        if let Some((_, number)) = known {
            return *number;
        }
        if self.rights.len() >= MOST_PLANS {
            self.rights.remove(0);
        }
        let number = RIGHTS.fetch_add(1, Ordering::Relaxed);
        self.rights.push((Rc::clone(plan), number));
        number
    }
}

impl Plan {
    /// Whether this plan and that one open the same, so that what one run has open tells another nothing
    /// new.
    fn opens_as(self: &Rc<Self>, other: &Rc<Self>) -> bool {
        Rc::ptr_eq(self, other)
            || (self.view == other.view
                && self.rules == other.rules
                && self.network == other.network
                && self.hosts == other.hosts
                && self.identity == other.identity)
    }
}
