//! Where runs live: a room of our own, or what a wrapper program makes for each of them.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::rc::Rc;

use bashful_sandbox::{
    Backend, BuildError, Confined, ExecError, Gate, Launch, Network, Plan, Room, SpareNamespaces,
    Violation, Wrapped, remove_abandoned,
};

use super::Refusal;

/// One of the two.
#[derive(Debug)]
pub(super) enum RoomKind {
    Room(Box<Room>),
    Wrapped(Box<Wrapped>),
}

impl RoomKind {
    /// Builds what this plan needs. `like` may have it for the same plan, and `directory` is for
    /// what must be on disk.
    pub(super) fn open(
        plan: &Rc<Plan>,
        spare: Option<SpareNamespaces>,
        like: Option<&mut Self>,
        directory: &Path,
    ) -> Result<Self, ExecError> {
        if plan.backend() == Backend::Native {
            let like = like.and_then(|like| match like {
                Self::Room(room) => Some(&mut **room),
                Self::Wrapped(_) => None,
            });
            return Ok(Self::Room(Box::new(Room::open_with(plan, spare, like)?)));
        }
        if let Some(above) = directory.parent() {
            remove_abandoned(above);
        }
        Ok(Self::Wrapped(Box::new(Wrapped::open(plan, directory)?)))
    }

    /// Starts what leads out of a room with named hosts.
    pub(super) fn start_gate(&self, plan: &Plan) -> Result<Option<Gate>, BuildError> {
        match self {
            Self::Room(room) if plan.network == Network::Named => {
                Gate::start(room, &plan.hosts).map(Some)
            }
            // Wrapper programs leave nothing open.
            Self::Room(_) | Self::Wrapped(_) => Ok(None),
        }
    }

    /// Has the kernel record what it refuses, for the keeper to read.
    pub(super) fn record_refusals(&mut self) {
        match self {
            Self::Room(room) => room.record_refusals(),
            Self::Wrapped(wrapped) => wrapped.record_refusals(),
        }
    }

    pub(super) fn fits(&self, plan: &Plan) -> bool {
        match self {
            Self::Room(room) => plan.backend() == Backend::Native && room.fits(plan),
            Self::Wrapped(wrapped) => wrapped.fits(plan),
        }
    }

    /// Whether it was built for this plan and nothing else, and everything in it is in its place.
    pub(super) fn is_made_for(&mut self, plan: &Plan) -> bool {
        self.fits(plan) && self.has_template(plan)
    }

    pub(super) fn notice_mounts(&mut self) {
        match self {
            Self::Room(room) => room.notice_mounts(),
            // Everything is built anew for each run.
            Self::Wrapped(_) => {}
        }
    }

    /// Builds what several runs by this plan share; says whether it did.
    pub(super) fn build_for(&mut self, plan: &Rc<Plan>) -> Result<bool, BuildError> {
        match self {
            Self::Room(room) => room.build_for(plan),
            Self::Wrapped(_) => Ok(false),
        }
    }

    pub(super) fn has_template(&mut self, plan: &Plan) -> bool {
        match self {
            Self::Room(room) => room.has_template(plan),
            Self::Wrapped(_) => true,
        }
    }

    pub(super) fn has_lost_cover(&mut self, plan: &Plan) -> bool {
        match self {
            Self::Room(room) => room.has_lost_cover(plan),
            Self::Wrapped(_) => false,
        }
    }

    /// Starts a command that executes nothing before `ready` has returned.
    pub(super) fn start(
        &mut self,
        plan: &Rc<Plan>,
        launch: Launch,
        ready: impl FnOnce() -> Result<(), Refusal>,
    ) -> Result<Confined, Refusal> {
        match self {
            Self::Room(room) => room.start_after(plan, launch, ready),
            Self::Wrapped(wrapped) => {
                ready()?;
                Ok(wrapped.start(plan, &launch)?)
            }
        }
    }

    pub(super) fn mend_copies(&self) {
        if let Self::Room(room) = self {
            room.mend_copies();
        }
    }

    pub(super) fn merge_copies(&mut self) -> Vec<Violation> {
        match self {
            Self::Room(room) => room.merge_copies(),
            // There git's configuration is not for changing.
            Self::Wrapped(_) => Vec::new(),
        }
    }

    /// What of its own is full, where that lies in memory.
    pub(super) fn full(&self) -> Option<Violation> {
        match self {
            Self::Room(room) => room.full(),
            Self::Wrapped(_) => None,
        }
    }

    /// Takes back what a run had; what is to be closed of it.
    pub(super) fn release(&mut self, confined: Confined) -> Vec<OwnedFd> {
        match self {
            Self::Room(room) => room.release(confined),
            Self::Wrapped(wrapped) => wrapped.release(confined),
        }
    }

    pub(super) fn waits(&self, pid: i32) -> bool {
        match self {
            Self::Room(room) => room.waits(pid),
            Self::Wrapped(_) => false,
        }
    }

    /// Whether what becomes the next command waits in it.
    pub(super) fn is_prepared(&self) -> bool {
        match self {
            Self::Room(room) => room.is_prepared(),
            Self::Wrapped(_) => false,
        }
    }

    pub(super) fn wants_preparing(&self) -> bool {
        match self {
            Self::Room(room) => room.wants_preparing(),
            Self::Wrapped(wrapped) => wrapped.wants_preparing(),
        }
    }

    pub(super) fn prepare(&mut self) {
        match self {
            Self::Room(room) => room.prepare(),
            Self::Wrapped(wrapped) => wrapped.prepare(),
        }
    }
}
