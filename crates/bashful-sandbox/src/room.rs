//! The live room: what the runs of one session share, and how a run gets in.
//!
//! A room is a handful of descriptors and no process: its user, network and IPC
//! namespaces, and a template mount namespace for each plan. The first template also
//! has the room's own file systems, such as `/tmp`; all others take them from it.
//! Every run is born into a copy of a template.

use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::cgroup::{Cgroup, Cgroups, shared_groups};
use crate::connects::Registry;
use crate::plan::Plan;
use crate::profile::{Network, Resources, Violation};

mod assemble;
mod build;
mod capture;
mod exec;
mod git_copies;
mod hold;
mod id_map;
mod landlock;
mod limits;
mod mend;
mod neighbours;
mod private;
mod unseen;
mod waiting;

pub(crate) use build::gate_error;
pub use build::{BuildError, BuildStep, SpareNamespaces};
pub(crate) use capture::can_capture;
pub use capture::{CAPTURE_PORT, PROXY_PORT, name_servers};
pub(crate) use exec::outside_identity;
pub use exec::{Confined, ExecError};
pub(crate) use hold::{HeldBy, Holding, hold_back, is_held, open_root};
pub(crate) use id_map::{can_map, id_map};
pub(crate) use landlock::{known as known_rights, landlock_ruleset};

/// A live sandbox.
#[derive(Debug)]
pub struct Room {
    network: Network,
    shared: Shared,
    templates: Vec<Template>,
    /// The plan that was used last.
    plan: Rc<Plan>,
    copies: Vec<git_copies::Copy>,
    groups: Rc<Cgroups>,
    /// The control group of the first run, made while the room was built.
    first_group: Option<Cgroup>,
    /// Processes that built the room or a template, and are ending.
    builders: Vec<build::Builder>,
    /// The first process of the next run, made ahead of time.
    waiting: Option<waiting::Waiting>,
    /// Whether one should be made.
    may_wait: bool,
    /// Whether the kernel is to record what it refuses.
    is_recorded: bool,
    /// Groups of runs that have ended.
    retired: Vec<Cgroup>,
    next_group: u64,
    next_template: u64,
    /// The listening sockets of its runs.
    sockets: Registry,
    /// Plans by which something ran, each with the number of its rights, the newest last.
    rights: Vec<(Rc<Plan>, u64)>,
    cleaned: bool,
    /// Tells rooms of one process apart.
    number: u64,
    /// Tells when a mount was made or removed on the host.
    mounts: OwnedFd,
    origin: Origin,
}

/// What its first template was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Plan,
    Room,
}

/// What all runs of a room share.
#[derive(Debug)]
struct Shared {
    /// Where the caller is an ordinary user, or files cannot be mapped.
    user: Option<OwnedFd>,
    ipc: OwnedFd,
    network: Option<OwnedFd>,
    /// The first template, which has the room's own file systems.
    base: OwnedFd,
    /// Where private copies are.
    copies: OwnedFd,
    /// Its `/tmp`.
    tmp: OwnedFd,
}

/// A mount namespace from which runs are copied.
#[derive(Debug)]
struct Template {
    /// Tells the templates of a room apart.
    number: u64,
    plan: Rc<Plan>,
    mounts: OwnedFd,
    /// Tells when a mount in it was removed: the kernel does that when a file or directory
    /// that is covered here is replaced on the host.
    events: OwnedFd,
    ruleset: Option<OwnedFd>,
}

static ROOMS: AtomicU64 = AtomicU64::new(0);

/// Templates of a room that are kept.
const MOST_TEMPLATES: usize = 8;

impl Room {
    /// Builds a room. The calling process must have a single thread.
    pub fn open(plan: &Rc<Plan>) -> Result<Self, BuildError> {
        Self::open_with(plan, None, None)
    }

    /// The same, with namespaces that were made ahead of time, and from a copy of what another
    /// room has for the same plan.
    pub fn open_with(
        plan: &Rc<Plan>,
        spare: Option<SpareNamespaces>,
        mut like: Option<&mut Self>,
    ) -> Result<Self, BuildError> {
        let mounts = rustix::fs::open(
            "/proc/self/mountinfo",
            rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::CLOEXEC,
            rustix::fs::Mode::empty(),
        )
        .map_err(|errno| {
            BuildError::new(
                BuildStep::Host,
                Path::new("/proc/self/mountinfo"),
                errno.into(),
            )
        })?;
        let number = ROOMS.fetch_add(1, Ordering::Relaxed);
        let groups = shared_groups();
        let mut first = None;
        let model = like.as_mut().and_then(|like| like.model(plan));
        let origin = model.as_ref().map_or(Origin::Plan, |_| Origin::Room);
        let built = build::room(plan, spare, model, || {
            if plan.group != Resources::default() {
                first = groups.create(&format!("{number}-0"), &plan.group).ok();
            }
        });
        // What was torn off meanwhile may be missing in the copy, and nothing else would tell.
        if origin == Origin::Room && !like.is_some_and(|like| like.has_template(plan)) {
            let _ = first.map(Cgroup::remove);
            return Self::open(plan);
        }
        let built = match built {
            Ok(built) => built,
            Err(error) => {
                // No process has been in it, so it can go at once.
                let _ = first.map(Cgroup::remove);
                return Err(error);
            }
        };
        Ok(Self {
            network: plan.network,
            shared: built.shared,
            templates: vec![built.template],
            plan: Rc::clone(plan),
            copies: Vec::new(),
            groups,
            first_group: first,
            builders: built.builders,
            waiting: None,
            may_wait: true,
            is_recorded: false,
            retired: Vec::new(),
            next_group: 0,
            next_template: 0,
            sockets: Registry::default(),
            rights: Vec::new(),
            cleaned: false,
            number,
            mounts,
            origin,
        })
    }

    /// What another room for this plan can be copied from, if only its own file systems would have
    /// to be made anew.
    fn model(&mut self, plan: &Plan) -> Option<build::Model<'_>> {
        if self.plan.identity != plan.identity || !private::can_be_replaced(plan) {
            return None;
        }
        self.notice_mounts();
        let template = self.templates.iter().find(|known| known.serves(plan))?;
        Some(build::Model {
            user: self.shared.user.as_ref().map(AsFd::as_fd),
            template: template.mounts.as_fd(),
        })
    }

    /// Has the kernel record what it refuses its runs, for a keeper that reads the record with
    /// [`crate::Audit`].
    pub fn record_refusals(&mut self) {
        self.is_recorded = true;
    }

    /// Whether its first template is a copy of another room's.
    pub fn is_copied(&self) -> bool {
        self.origin == Origin::Room
    }

    /// The network that its runs have.
    pub fn network(&self) -> Network {
        self.network
    }

    /// Builds the template for this plan, if there is none yet; returns whether it did.
    pub fn build_for(&mut self, plan: &Rc<Plan>) -> Result<bool, BuildError> {
        let known = self.next_template;
        self.template(plan)?;
        Ok(self.next_template != known || self.is_new())
    }

    /// Whether nothing has run in it yet.
    fn is_new(&self) -> bool {
        self.next_group == 0 && self.first_group.is_some()
    }

    /// Whether runs by this plan can be copied from a template that is whole.
    pub fn has_template(&mut self, plan: &Plan) -> bool {
        self.notice_mounts();
        self.templates.iter().any(|template| template.serves(plan))
    }

    /// Whether a cover was torn off in the template for this plan. What was mounted on the host
    /// does not count: no run sees it.
    pub fn has_lost_cover(&mut self, plan: &Plan) -> bool {
        let index = self.templates.iter().position(|known| known.serves(plan));
        let torn = index.filter(|index| {
            let template = self.templates.get(*index);
            template.is_some_and(|template| has_event(&template.events))
        });
        let Some(index) = torn else {
            return false;
        };
        let template = self.templates.remove(index);
        let waits = self.waiting.as_ref();
        if waits.is_some_and(|waiting| waiting.template == template.number) {
            self.dismiss_waiting();
        }
        true
    }

    /// Whether a run by this plan may come in: same network, same user, same `/tmp`.
    pub fn fits(&self, plan: &Plan) -> bool {
        self.network == plan.network
            && self.plan.hosts == plan.hosts
            && self.plan.identity == plan.identity
            && self.plan.storage == plan.storage
    }

    /// Which of its own file systems has no space or no names left.
    pub fn full(&self) -> Option<Violation> {
        let is_full = |file: &OwnedFd| {
            let about = rustix::fs::fstatvfs(file);
            // A program that asks for much at once leaves a little.
            about.is_ok_and(|about| {
                about.f_bavail <= about.f_blocks / 256 || about.f_favail <= about.f_files / 256
            })
        };
        if !self.plan.has_own() {
            return None;
        }
        let storage = &self.plan.storage;
        let (path, size, limit) = if is_full(&self.shared.tmp) {
            ("/tmp", storage.tmp, storage.limit_of_tmp())
        } else if is_full(&self.shared.copies) {
            ("/run/bashful/home", storage.own, storage.limit_of_own())
        } else {
            return None;
        };
        let (missing, limit) = limit.unzip();
        Some(Violation {
            kind: "disk".to_owned(),
            path: Some(path.into()),
            missing: missing.unwrap_or_default().to_owned(),
            source: "keeper".to_owned(),
            note: Some(format!(
                "what the room holds there in memory is full at {size} bytes"
            )),
            limit,
            ..Violation::default()
        })
    }

    /// Forgets templates that are no longer what they were: all if the host's mounts have
    /// changed, one if a file or directory that it covers was replaced.
    pub fn notice_mounts(&mut self) {
        if has_event(&self.mounts) {
            self.templates.clear();
        }
        self.templates
            .retain(|template| !has_event(&template.events));
        let orphaned = self.waiting.as_ref().is_some_and(|waiting| {
            let mut templates = self.templates.iter();
            !templates.any(|template| template.number == waiting.template)
        });
        if orphaned {
            self.dismiss_waiting();
        }
    }

    /// The template for this plan, built if need be.
    fn template(&mut self, plan: &Rc<Plan>) -> Result<usize, BuildError> {
        if let Some(index) = self.templates.iter().position(|known| known.serves(plan)) {
            return Ok(index);
        }
        let (mut template, builder) = build::template(plan, &self.shared)?;
        self.builders.push(builder);
        self.next_template += 1;
        template.number = self.next_template;
        if self.templates.len() >= MOST_TEMPLATES {
            self.templates.remove(0);
        }
        self.templates.push(template);
        Ok(self.templates.len() - 1)
    }
}

/// Whether the mounts behind this table have changed since this was asked last.
fn has_event(table: &OwnedFd) -> bool {
    let mut wait = [PollFd::new(table, PollFlags::PRI)];
    let ready = poll(&mut wait, Some(&Timespec::default()));
    // What cannot be asked is taken for changed.
    ready.is_ok_and(|ready| ready > 0) && !wait[0].revents().is_empty() || ready.is_err()
}

impl Shared {
    /// What a run enters before its own namespaces are made, the user namespace first:
    /// it gives the right to enter the others.
    fn namespaces(&self) -> Vec<RawFd> {
        self.user
            .iter()
            .chain([&self.ipc])
            .chain(&self.network)
            .map(AsRawFd::as_raw_fd)
            .collect()
    }
}
