//! Which of our children belong to which run.

use std::collections::HashMap;

use bashful_sandbox::{Mark, Status, children, peek_exited};

use super::Keeper;
use crate::rooms::InRoom;
use crate::run::Run;

/// The processes that lost their parent and fell to us, by the run they belong to.
#[derive(Debug, Default)]
pub(super) struct Census {
    orphans: HashMap<Mark, Vec<i32>>,
}

impl Census {
    pub(super) fn of(&self, mark: Mark) -> &[i32] {
        self.orphans.get(&mark).map_or(&[], Vec::as_slice)
    }
}

impl Keeper {
    /// Our children that do not lead a run, by the run they belong to.
    pub(super) fn census(&self) -> Census {
        let mut census = Census::default();
        if matches!(peek_exited(), Err(error) if error.raw_os_error() == Some(rustix::io::Errno::CHILD.raw_os_error()))
        {
            return census;
        }
        let leaders: Vec<i32> = self
            .runs
            .values()
            .flat_map(|run| run.leader.into_iter().chain(run.init).chain(run.searcher()))
            .collect();
        // In a room, processes that outlived the command are below the run's first process.
        for run in self.runs.values().filter(|run| run.leader.is_none()) {
            if let Some(init) = run.init {
                census.orphans.entry(run.mark).or_default().push(init);
            }
        }
        // Where all runs are in rooms, the keeper has no other orphans.
        let is_closed = |run: &Run| run.place.as_ref().is_some_and(InRoom::is_closed);
        if self.runs.values().all(is_closed) {
            return census;
        }
        for pid in children(self.holder.pid) {
            if leaders.contains(&pid) || self.rooms.own(pid) {
                continue;
            }
            let own = Mark::of(pid).filter(|mark| self.runs.values().any(|run| run.mark == *mark));
            if let Some(mark) = own.or_else(|| self.guess(pid)) {
                census.orphans.entry(mark).or_default().push(pid);
            }
        }
        census
    }

    /// For a process that lost its mark: the run whose session it is in, or the
    /// only run there is. Otherwise it is a stray, which ends with the keeper.
    fn guess(&self, pid: i32) -> Option<Mark> {
        let session = Status::of(pid)?.session;
        let by_session = self
            .runs
            .values()
            .find(|run| run.first_pid() == Some(session));
        let only = || self.runs.values().next().filter(|_| self.runs.len() == 1);
        by_session.or_else(only).map(|run| run.mark)
    }
}
