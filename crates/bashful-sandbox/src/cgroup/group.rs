//! The control group of one run: a directory in each hierarchy that it needs.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{Mode, OFlags};

use super::error::CgroupError;
use super::files::Files;
use super::find::{Cgroups, Version};
use super::limits::{Controller, Setter};
use super::owner::is_name;
use crate::profile::Resources;

/// A control group.
///
/// Dropping it leaves its directories behind: a forked child that drops its copy must
/// not pull them away from under the run. [`Cgroup::remove`] removes them.
#[derive(Debug)]
#[must_use = "its directories stay until it is removed"]
pub(crate) struct Cgroup {
    files: &'static dyn Files,
    pub(super) nodes: Vec<Node>,
    tasks: Vec<OwnedFd>,
    unified: Option<OwnedFd>,
    limits: Box<Resources>,
    most_processes: Option<u64>,
}

/// One directory of a group.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) version: Version,
    pub(super) directory: PathBuf,
    controllers: Vec<Controller>,
    /// Files that are read at the end of every run, open since before it began.
    pub(super) kept: Vec<(&'static str, File)>,
}

impl Cgroup {
    pub(super) fn create(
        host: &Cgroups,
        name: &str,
        limits: &Resources,
    ) -> Result<Self, CgroupError> {
        let bad_name = || CgroupError::Name {
            name: name.to_owned(),
        };
        let owner = host.owner.filter(|_| is_name(name)).ok_or_else(bad_name)?;
        let directory_name = owner.directory_name(name);
        let mut group = Self {
            files: host.files,
            nodes: Vec::new(),
            tasks: Vec::new(),
            unified: None,
            limits: Box::default(),
            most_processes: host.most_processes,
        };
        for controller in needed(limits) {
            let offer = host
                .offers
                .of(controller)
                .ok_or_else(|| unavailable(controller))?;
            let directory = offer.directory.join(&directory_name);
            // Several controllers may share a hierarchy.
            let node = group.nodes.iter_mut().find(|it| it.directory == directory);
            if let Some(node) = node {
                node.controllers.push(controller);
            } else {
                group.nodes.push(Node {
                    version: offer.version,
                    directory,
                    controllers: vec![controller],
                    kept: Vec::new(),
                });
            }
        }
        group.make(limits)
    }

    /// Makes the directories, all or none.
    fn make(mut self, limits: &Resources) -> Result<Self, CgroupError> {
        for made in 0..self.nodes.len() {
            let path = &self.nodes[made].directory;
            // One that is there already is not ours, and stays as it is.
            if let Err(source) = self.files.make(path) {
                let path = path.clone();
                self.nodes.truncate(made);
                let _ = self.remove();
                return Err(CgroupError::Make { path, source });
            }
        }
        match self.open().and_then(|()| self.begin(limits)) {
            Ok(()) => Ok(self),
            Err(error) => {
                let _ = self.remove();
                Err(error)
            }
        }
    }

    fn open(&mut self) -> Result<(), CgroupError> {
        for node in &mut self.nodes {
            node.keep_open();
            match node.version {
                Version::One => {
                    let path = node.directory.join("tasks");
                    match OpenOptions::new().write(true).open(&path) {
                        Ok(file) => self.tasks.push(file.into()),
                        Err(source) => return Err(CgroupError::Open { path, source }),
                    }
                }
                Version::Two => {
                    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
                    match rustix::fs::open(&node.directory, flags, Mode::empty()) {
                        Ok(directory) => self.unified = Some(directory),
                        Err(errno) => {
                            return Err(CgroupError::Open {
                                path: node.directory.clone(),
                                source: errno.into(),
                            });
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn begin(&mut self, limits: &Resources) -> Result<(), CgroupError> {
        if let Some(node) = self.node(Controller::Memory) {
            self.setter(node).prepare_memory()?;
        }
        // A group that is beside a limited one keeps to that limit, asked for or not.
        if let Some(most) = self.most_processes.filter(|_| limits.processes.is_none())
            && let Some(node) = self.nodes.iter().find(|it| it.version == Version::Two)
            && node.directory.join("pids.max").exists()
        {
            self.setter(node).processes(Some(most))?;
        }
        self.set(limits)
    }

    /// Changes its limits. One for which it has no directory is an error, found
    /// before anything is changed; another group is to be made then.
    pub(crate) fn set(&mut self, limits: &Resources) -> Result<(), CgroupError> {
        if let Some(controller) = needed(limits).find(|&it| self.node(it).is_none()) {
            return Err(unavailable(controller));
        }
        if limits.memory != self.limits.memory
            && let Some(node) = self.node(Controller::Memory)
        {
            let old = self.limits.memory;
            self.setter(node).memory(old, limits.memory)?;
            self.limits.memory = limits.memory;
        }
        if limits.processes != self.limits.processes
            && let Some(node) = self.node(Controller::Processes)
        {
            let beside = self.most_processes.filter(|_| node.version == Version::Two);
            let most = limits.processes.into_iter().chain(beside).min();
            self.setter(node).processes(most)?;
            self.limits.processes = limits.processes;
        }
        if limits.cpu_share != self.limits.cpu_share
            && let Some(node) = self.node(Controller::CpuShare)
        {
            self.setter(node).cpu_share(limits.cpu_share)?;
            self.limits.cpu_share = limits.cpu_share;
        }
        self.limits.cpu_time_ms = limits.cpu_time_ms;
        Ok(())
    }

    /// Files of version 1: a process joins by writing `0` to each.
    pub(crate) fn join_descriptors(&self) -> &[OwnedFd] {
        &self.tasks
    }

    /// The directory of version 2, for `CLONE_INTO_CGROUP`.
    pub(crate) fn unified_directory(&self) -> Option<BorrowedFd<'_>> {
        self.unified.as_ref().map(AsFd::as_fd)
    }

    /// Removes it. While a process is in it, or not quite gone, that fails; what is
    /// left is returned, to be tried again later.
    pub(crate) fn remove(mut self) -> Result<(), Self> {
        let files = self.files;
        self.nodes.retain(|node| {
            files
                .remove(&node.directory)
                .is_err_and(|error| error.kind() != ErrorKind::NotFound)
        });
        if self.nodes.is_empty() {
            Ok(())
        } else {
            Err(self)
        }
    }

    pub(super) fn node(&self, controller: Controller) -> Option<&Node> {
        let holds = |node: &&Node| node.controllers.contains(&controller);
        self.nodes.iter().find(holds)
    }

    fn setter<'a>(&self, node: &'a Node) -> Setter<'a> {
        Setter {
            files: self.files,
            directory: &node.directory,
            version: node.version,
        }
    }

    pub(super) fn write(&self, node: &Node, file: &str, value: &str) -> std::io::Result<()> {
        self.files.write(&node.directory.join(file), value)
    }
}

fn needed(limits: &Resources) -> impl Iterator<Item = Controller> {
    Controller::ALL
        .into_iter()
        .filter(|controller| controller.is_needed(limits))
}

fn unavailable(controller: Controller) -> CgroupError {
    CgroupError::Unavailable {
        limit: controller.limit_name(),
    }
}
