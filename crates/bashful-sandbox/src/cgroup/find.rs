//! What this host offers, found by trying.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::CgroupError;
use super::files::{Files, Kernel, Look};
use super::group::Cgroup;
use super::limits::Controller;
use super::owner::Owner;
use super::places;
use crate::profile::Resources;

/// Which kind of control groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// A hierarchy for each controller.
    One,
    /// The unified hierarchy.
    Two,
}

impl Version {
    /// The number that people know it by.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

/// A directory in which groups with some controller can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Offer {
    /// The version of its hierarchy.
    pub(crate) version: Version,
    /// The directory, as the calling process sees it.
    pub(crate) directory: PathBuf,
}

/// What can be limited here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Offers {
    /// Memory and swap.
    pub(crate) memory: Option<Offer>,
    /// Processes and threads.
    pub(crate) processes: Option<Offer>,
    /// The share of processor time.
    pub(crate) cpu_share: Option<Offer>,
    /// Counting processor time.
    pub(crate) cpu_time: Option<Offer>,
}

impl Offers {
    pub(super) fn of(&self, controller: Controller) -> Option<&Offer> {
        match controller {
            Controller::Memory => self.memory.as_ref(),
            Controller::Processes => self.processes.as_ref(),
            Controller::CpuShare => self.cpu_share.as_ref(),
            Controller::CpuTime => self.cpu_time.as_ref(),
        }
    }

    fn fill(&mut self, controller: Controller, offer: Offer) {
        let place = match controller {
            Controller::Memory => &mut self.memory,
            Controller::Processes => &mut self.processes,
            Controller::CpuShare => &mut self.cpu_share,
            Controller::CpuTime => &mut self.cpu_time,
        };
        *place = Some(offer);
    }
}

/// The control groups that the calling process can make.
#[derive(Debug)]
pub(crate) struct Cgroups {
    pub(super) files: &'static dyn Files,
    /// Absent if not even `/proc` says who we are; then nothing is offered.
    pub(super) owner: Option<Owner>,
    pub(super) offers: Offers,
    /// The most processes of a group of version 2 whatever is asked for, because
    /// its place is beside a group of ours that is limited so.
    pub(super) most_processes: Option<u64>,
}

/// What there is to search.
pub(super) struct Host<'a> {
    /// The text of `/proc/self/cgroup`.
    pub(super) groups: &'a [u8],
    /// The text of `/proc/self/mountinfo`.
    pub(super) mounts: &'a [u8],
    /// What stands before all paths in them.
    pub(super) root: &'a Path,
    /// Processes of ours besides the calling one.
    pub(super) companions: &'a [i32],
    /// How to change it.
    pub(super) files: &'static dyn Files,
}

impl Cgroups {
    /// Finds what there is. To be called in the process that keeps the runs: its
    /// groups are known by its number.
    ///
    /// On the unified hierarchy this may move the calling process, and the
    /// `companions` (such as the process that started it) if these share its group
    /// with no other process, into a group of their own below the present one.
    pub(crate) fn find(companions: &[i32]) -> Self {
        Self::find_with(companions, &Kernel)
    }

    /// What a keeper that this process started would find, without moving any process.
    pub(crate) fn look() -> Offers {
        Self::find_with(&[], &Look).offers
    }

    fn find_with(companions: &[i32], files: &'static dyn Files) -> Self {
        Self::find_in(&Host {
            groups: &fs::read("/proc/self/cgroup").unwrap_or_default(),
            mounts: &fs::read("/proc/self/mountinfo").unwrap_or_default(),
            root: Path::new("/"),
            companions,
            files,
        })
    }

    pub(super) fn find_in(host: &Host<'_>) -> Self {
        let mut found = Self {
            files: host.files,
            owner: Owner::current(),
            offers: Offers::default(),
            most_processes: None,
        };
        let Some(owner) = found.owner else {
            return found;
        };
        for controller in Controller::ALL {
            found.find_legacy(host, owner, controller);
        }
        found.find_unified(host, owner);
        found
    }

    /// What this host offers.
    pub(crate) fn offers(&self) -> &Offers {
        &self.offers
    }

    /// Makes a group with these limits, called `name` among those of this process.
    ///
    /// It has a directory for each controller that the limits need, and no other. A
    /// limit that nothing here can hold is an error.
    pub(crate) fn create(&self, name: &str, limits: &Resources) -> Result<Cgroup, CgroupError> {
        Cgroup::create(self, name, limits)
    }

    fn find_legacy(&mut self, host: &Host<'_>, owner: Owner, controller: Controller) {
        let places = places::controlled(controller.legacy_name(), host.groups, host.mounts);
        let offer = places.into_iter().find_map(|place| {
            let directory = host.locate(&place.own);
            let works = probe(host.files, owner, &directory, |probe| {
                can_write(&probe.join("tasks")) && has(controller, probe, Version::One)
            });
            let version = Version::One;
            works?.then_some(Offer { version, directory })
        });
        if let Some(offer) = offer {
            self.offers.fill(controller, offer);
        }
    }

    fn find_unified(&mut self, host: &Host<'_>, owner: Owner) {
        let wanted: Vec<Controller> = Controller::ALL
            .into_iter()
            .filter(|&controller| self.offers.of(controller).is_none())
            .collect();
        if wanted.is_empty() {
            return;
        }
        for place in places::unified(host.groups, host.mounts) {
            let Some(parent) = host.unified_parent(owner, &place, &wanted) else {
                continue;
            };
            for controller in parent.controllers {
                let offer = Offer {
                    version: Version::Two,
                    directory: parent.directory.clone(),
                };
                self.offers.fill(controller, offer);
            }
            self.most_processes = parent.most_processes;
            return;
        }
    }
}

impl Host<'_> {
    /// A path of the texts, below the root that everything is searched in.
    pub(super) fn locate(&self, path: &Path) -> PathBuf {
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }
}

/// Makes a group in this directory, asks a question about it and removes it.
pub(super) fn probe<T>(
    files: &dyn Files,
    owner: Owner,
    directory: &Path,
    ask: impl FnOnce(&Path) -> T,
) -> Option<T> {
    let number = PROBES.fetch_add(1, Ordering::Relaxed);
    let path = directory.join(owner.directory_name(&format!("probe-{number}")));
    files.make(&path).ok()?;
    let answer = ask(&path);
    files.remove(&path).ok()?;
    Some(answer)
}

/// Whether the group in this directory has the controller, and we may use it.
pub(super) fn has(controller: Controller, directory: &Path, version: Version) -> bool {
    let file = directory.join(controller.file(version));
    if controller == Controller::CpuTime {
        File::open(file).is_ok()
    } else {
        can_write(&file)
    }
}

pub(super) fn can_write(file: &Path) -> bool {
    OpenOptions::new().write(true).open(file).is_ok()
}

/// How often this process probed: no two probes share a name.
static PROBES: AtomicU64 = AtomicU64::new(0);
