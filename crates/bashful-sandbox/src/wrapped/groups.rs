//! Control groups of wrapped runs. To make one takes the kernel a while, so the next is made when
//! there is nothing else to do.

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cgroup::{Cgroup, CgroupError, Cgroups, shared_groups};
use crate::plan::Plan;
use crate::profile::Resources;

static NUMBERS: AtomicU64 = AtomicU64::new(0);

/// The groups of a session.
#[derive(Debug, Default)]
pub(super) struct Groups {
    ahead: Option<Ahead>,
    /// No group could be made ahead; that is not tried again before a run has got one.
    in_vain: bool,
    /// Groups of runs that have ended.
    retired: Vec<Cgroup>,
}

/// A group that no process is in yet.
#[derive(Debug)]
struct Ahead {
    group: Cgroup,
    limits: Resources,
    /// Where it was made: we may have been moved since.
    among: Rc<Cgroups>,
}

impl Ahead {
    fn make(limits: &Resources) -> Result<Self, CgroupError> {
        let among = shared_groups();
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        Ok(Self {
            group: among.create(&format!("wrapped-{number}"), limits)?,
            limits: *limits,
            among,
        })
    }

    fn fits(&self, limits: &Resources) -> bool {
        self.limits == *limits && Rc::ptr_eq(&self.among, &shared_groups())
    }
}

impl Groups {
    /// The control group for a run, if it needs one.
    pub(super) fn take(&mut self, plan: &Plan) -> Result<Option<Cgroup>, CgroupError> {
        if plan.group == Resources::default() {
            return Ok(None);
        }
        let (fitting, other): (Option<_>, Option<_>) = match self.ahead.take() {
            Some(ahead) if ahead.fits(&plan.group) => (Some(ahead), None),
            other => (None, other),
        };
        self.retire(other.map(|other| other.group));
        let ahead = match fitting {
            Some(ahead) => ahead,
            None => Ahead::make(&plan.group)?,
        };
        self.in_vain = false;
        Ok(Some(ahead.group))
    }

    /// Takes back the group of a run that has ended. It is removed later.
    pub(super) fn take_back(&mut self, group: Option<Cgroup>) {
        self.retired.extend(group);
    }

    /// Removes the group of a run that did not start.
    pub(super) fn retire(&mut self, group: Option<Cgroup>) {
        if let Some(Err(group)) = group.map(Cgroup::remove) {
            self.retired.push(group);
        }
    }

    /// Whether there is work to do ahead of a run by this plan.
    pub(super) fn want_preparing(&self, plan: &Plan) -> bool {
        !self.retired.is_empty() || self.wants_ahead(plan)
    }

    fn wants_ahead(&self, plan: &Plan) -> bool {
        plan.group != Resources::default() && self.ahead.is_none() && !self.in_vain
    }

    /// Removes the groups of past runs, and makes one for the next.
    pub(super) fn prepare(&mut self, plan: &Plan) {
        for group in std::mem::take(&mut self.retired) {
            self.retire(Some(group));
        }
        if self.wants_ahead(plan) {
            self.ahead = Ahead::make(&plan.group).ok();
            self.in_vain = self.ahead.is_none();
        }
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        let ahead = self.ahead.take().map(|ahead| ahead.group);
        for group in std::mem::take(&mut self.retired).into_iter().chain(ahead) {
            group.kill_and_remove();
        }
    }
}
