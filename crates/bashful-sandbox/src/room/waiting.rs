//! A first process made ahead of time, while there is nothing else to do.
//!
//! Making namespaces, joining groups and giving up rights takes most of the time that
//! a sandboxed start takes longer than a plain one. So a room keeps one first process
//! ready for the plan that was used last, and below it what becomes the command: it has put on
//! Landlock and the filters, and waits inside for its order.

use super::exec::{Confined, PATIENCE};
use super::{Room, Template};
use crate::launch::Launch;
use crate::notices::Notices;
use crate::plan::{Plan, RunLimit};
use crate::profile::Resources;
use crate::seccomp::NoticeOptions;
use crate::sys::fork::require_single_thread;
use crate::sys::wait::reap;
use crate::understudy::Line;

/// A first process that waits.
#[derive(Debug)]
pub(super) struct Waiting {
    confined: Confined,
    /// The template that it is a copy of.
    pub(super) template: u64,
    limits: Vec<RunLimit>,
    group: Resources,
    listed: bool,
    noticing: Option<NoticeOptions>,
}

impl Room {
    /// Makes one for the plan that was used last.
    pub(super) fn prepare_waiting(&mut self) {
        self.may_wait = false;
        // It will do more than system calls after its fork.
        if require_single_thread().is_err() {
            return;
        }
        let plan = self.plan.clone();
        let Some(index) = self.templates.iter().position(|known| known.serves(&plan)) else {
            return;
        };
        let Some(template) = self.templates.get(index).map(|known| known.number) else {
            return;
        };
        let Ok(group) = self.group_for(&plan) else {
            return;
        };
        let Ok(line) = Line::pair() else {
            return;
        };
        let nothing = Launch::new("/", "");
        if let Ok(confined) = self.launch(&plan, index, nothing, group, Some(line)) {
            self.waiting = Some(Waiting {
                confined,
                template,
                limits: plan.limits.clone(),
                group: plan.group,
                listed: plan.survey.allowed.is_some(),
                noticing: plan.notices.as_ref().map(|noticing| noticing.what),
            });
        }
    }

    /// Tells the one that waits to start this, if it fits.
    pub(super) fn use_waiting(&mut self, plan: &Plan, launch: &Launch) -> Option<Confined> {
        self.may_wait = true;
        let templates = &self.templates;
        let current = templates.iter().find(|known| known.serves(plan))?.number;
        let waiting = self.waiting.take_if(|waiting| {
            waiting.template == current
                && waiting.limits == plan.limits
                && waiting.group == plan.group
                && waiting.listed == plan.survey.allowed.is_some()
                && waiting.noticing == plan.notices.as_ref().map(|noticing| noticing.what)
        });
        let Some(mut waiting) = waiting else {
            // The next run will more likely be like this one.
            if self.waiting.is_some() {
                self.dismiss_waiting();
            }
            return None;
        };
        if waiting.tell(launch).is_none() {
            // It is gone: it has started nothing.
            self.waiting = Some(waiting);
            self.dismiss_waiting();
            return None;
        }
        launch.program().clone_into(&mut waiting.confined.program);
        Some(waiting.confined)
    }

    /// Whether this is the one that waits: it belongs to no run yet.
    pub fn waits(&self, pid: i32) -> bool {
        let waiting = self.waiting.as_ref();
        waiting.is_some_and(|waiting| waiting.confined.init == pid)
    }

    /// Ends the one that waits.
    pub(super) fn dismiss_waiting(&mut self) {
        if let Some(waiting) = self.waiting.take() {
            self.dismiss(waiting.confined);
        }
    }

    /// Ends one that was told what to start and must not.
    pub(super) fn dismiss(&mut self, confined: Confined) {
        confined.kill();
        let _ = reap(confined.init);
        self.retire(confined.group);
    }
}

impl Template {
    /// Whether runs by this plan may be copied from it: everything has the same place, and nothing
    /// was replaced since.
    pub(super) fn serves(&self, plan: &Plan) -> bool {
        std::ptr::eq(&raw const *self.plan, plan)
            || (self.plan.view == plan.view
                && self.plan.rules == plan.rules
                && self.plan.survey.fingerprint == plan.survey.fingerprint)
    }
}

impl Waiting {
    fn tell(&mut self, launch: &Launch) -> Option<()> {
        let line = self.confined.line.as_mut()?;
        let listener = line.await_ready(PATIENCE).ok()?;
        line.tell(launch).ok()?;
        if let Some(listener) = listener {
            self.confined.listen(listener);
            // What has a terminal gets a first process of its own.
            let notices = self.confined.notices.as_mut();
            notices
                .into_iter()
                .for_each(Notices::begin_without_terminal);
        }
        Some(())
    }
}
