//! What becomes of a plan with the backend that enforces it, and why it falls short.

use std::path::Path;

use super::{Entry, Plan, Private, Right};
use crate::backend::Backend;
use crate::profile::{Network, Profile, Protection};
use crate::survey::{Identity, Kind};

/// What becomes of an entry of a plan's file tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holding {
    /// It is as planned.
    InPlace,
    /// It is not there: the run sees the host's own, or nothing.
    Absent,
    /// It was to be hidden or unchangeable, and is open: this backend has no means.
    Open,
}

impl Plan {
    /// What becomes of an entry of the view. Only a backend that builds a tree can put one into it.
    pub fn holding(&self, entry: &Entry) -> Holding {
        let backend = self.backend();
        if matches!(backend, Backend::Native | Backend::Bubblewrap) {
            return Holding::InPlace;
        }
        let if_open = |is_open| match (backend, is_open) {
            (Backend::Landlock, true) => Holding::Open,
            _ => Holding::InPlace,
        };
        match entry {
            Entry::Bind { .. } | Entry::Without { .. } => Holding::InPlace,
            Entry::Private { which, .. } if *which == Private::Proc => Holding::InPlace,
            Entry::Link { path, .. } => {
                let mut system = self.survey.system.iter();
                let is_host_s =
                    system.any(|(other, kind)| other == path && matches!(kind, Kind::Link(_)));
                if is_host_s {
                    Holding::InPlace
                } else {
                    Holding::Absent
                }
            }
            Entry::Directory { .. }
            | Entry::Text { .. }
            | Entry::Private { .. }
            | Entry::Pin { .. } => Holding::Absent,
            Entry::HideDirectory { path } if path == Path::new("/dev") => Holding::Absent,
            Entry::HideDirectory { path } | Entry::HideFile { path } => {
                if_open(self.allows(path, Right::Read))
            }
            Entry::Freeze { path } | Entry::GitConfig { path, .. } => {
                if_open(self.allows(path, Right::Write))
            }
        }
    }

    /// Whether Landlock allows this at a path, because it does so at one above.
    fn allows(&self, path: &Path, right: Right) -> bool {
        let mut rules = self.rules.iter();
        rules.any(|(above, allowed)| *allowed == right && path.starts_with(above))
    }

    /// Why this protection falls short, where it does.
    pub fn reason(&self, protection: Protection, profile: &Profile) -> &'static str {
        let backend = self.backend();
        match protection {
            Protection::Filesystem if self.landlock == 0 => {
                "there is neither a file tree of its own nor Landlock"
            }
            Protection::Filesystem if backend == Backend::Firejail => {
                "what is above a hidden or protected file can be renamed"
            }
            Protection::Filesystem => {
                "without a file tree of its own, nothing is hidden below what is open"
            }
            Protection::Network if profile.network == Network::Named => {
                if backend == Backend::Native {
                    "this kernel captures no connections (nftables with tproxy), so only programs \
                     that use a proxy reach the hosts"
                } else {
                    "only the native backend has a gate to hosts by name; with this one none is reached"
                }
            }
            Protection::Network => {
                "Landlock is too old to keep the host's abstract sockets out of reach"
            }
            Protection::Commands if backend == Backend::Native => {
                "Landlock is missing, without which programs cannot be told apart"
            }
            Protection::Commands => "only the native backend keeps data from being run as programs",
            Protection::Processes => "without a namespace, processes of the host can be seen",
            Protection::Resources
                if backend != Backend::Native && profile.resources.tmp_size.is_some() =>
            {
                "`/tmp` is a directory of the host, whose size is not limited"
            }
            Protection::Resources => {
                "no control group is usable, so some limits hold for each process only"
            }
            Protection::Identity => self.reason_for_identity(),
        }
    }

    fn reason_for_identity(&self) -> &'static str {
        let in_namespace = matches!(self.backend(), Backend::Native | Backend::Bubblewrap);
        match self.identity {
            Identity::SingleId { .. } if in_namespace => {
                "the workspace is root's, and no id-mapped mounts are used: inside, a user \
                 namespace alone stands between the run and root"
            }
            Identity::SingleId { .. } | Identity::Owner { user: 0, .. } => {
                "the workspace is root's, and without a user namespace the run is root, but \
                 without root's rights"
            }
            Identity::Own { .. } | Identity::Owner { .. } | Identity::Mapped { .. } => {
                "no user namespace stands between the run and its user"
            }
        }
    }
}
