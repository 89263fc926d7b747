//! Whether a wrapper program made the walls that it was asked for.
//!
//! A program that only executes what it is given would pass for one that confines. So before
//! anything of the run starts, its first process must be in namespaces of its own, and behind
//! the filter.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::error::{WrapperError, own};
use crate::backend::Backend;
use crate::plan::Plan;
use crate::survey::Identity;

/// What is ours, and what a run by a plan must not share with us.
#[derive(Debug)]
pub(super) struct Ours {
    backend: Backend,
    /// Namespaces: their kind, the one that we are in, and what they are called in an error.
    namespaces: Vec<(&'static str, PathBuf, &'static str)>,
    /// How many filters we are behind, where the program puts one more before the run.
    filters: Option<u32>,
}

impl Ours {
    /// Looks at ourselves, which does not have to wait for another process.
    pub(super) fn look(plan: &Plan) -> Result<Self, WrapperError> {
        let backend = plan.backend();
        let off = plan.network.is_own();
        let in_bubblewrap = backend == Backend::Bubblewrap;
        let alone = matches!(
            plan.identity,
            Identity::Own { .. } | Identity::SingleId { .. }
        );
        let wanted = [
            ("mnt", true, "mounts"),
            ("pid", true, "processes"),
            ("ipc", true, "shared memory"),
            ("net", off, "the network"),
            ("user", in_bubblewrap && alone, "users"),
        ];
        let wanted = wanted.into_iter().filter(|(_, wanted, _)| *wanted);
        let namespaces = wanted.map(|(name, _, what)| Ok((name, namespace("self", name)?, what)));
        Ok(Self {
            backend,
            namespaces: namespaces.collect::<Result<_, WrapperError>>()?,
            // The others leave it to our first process.
            filters: in_bubblewrap.then(|| filters("self")).transpose()?,
        })
    }

    /// Looks at the first process of a run; an error if a wall that was asked for is missing.
    pub(super) fn check(&self, first: i32) -> Result<(), WrapperError> {
        let backend = self.backend;
        let missing = |what| WrapperError::Hollow { backend, what };
        let first = first.to_string();
        for (name, ours, what) in &self.namespaces {
            if namespace(&first, name)? == *ours {
                return Err(missing(what));
            }
        }
        match self.filters {
            Some(ours) if filters(&first)? <= ours => Err(missing("system calls")),
            _ => Ok(()),
        }
    }
}

fn namespace(process: &str, name: &str) -> Result<PathBuf, WrapperError> {
    let path = format!("/proc/{process}/ns/{name}");
    fs::read_link(&path).map_err(own("look at", path))
}

/// How many filters a process is behind.
fn filters(process: &str) -> Result<u32, WrapperError> {
    let path = format!("/proc/{process}/status");
    let status = fs::read_to_string(&path).map_err(own("look at", &path))?;
    let value = |name: &str| {
        let mut lines = status.lines();
        let value = lines.find_map(|line| line.strip_prefix(name))?;
        value.trim().parse::<u32>().ok()
    };
    // Kernels before 5.9 do not count them.
    let known = value("Seccomp_filters:").or_else(|| value("Seccomp:"));
    known.ok_or_else(|| own("look at", path)(io::Error::from(io::ErrorKind::InvalidData)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Network;
    use crate::profile::{Profile, Resources};
    use crate::survey::Survey;

    #[test]
    fn who_is_where_we_are_is_not_confined() {
        let workspace = tempfile::tempdir().unwrap();
        let profile = Profile {
            workspace: workspace.path().canonicalize().unwrap(),
            read: Vec::new(),
            write: Vec::new(),
            hide: Vec::new(),
            empty: Vec::new(),
            network: Network::Off,
            hosts: Vec::new(),
            commands: None,
            resources: Resources::default(),
            reporting: crate::Reporting::Usual,
            links: Vec::new(),
            git_obeys: Vec::new(),
            optional: vec![crate::Protection::Filesystem, crate::Protection::Identity],
        };
        for backend in [Backend::Bubblewrap, Backend::Firejail] {
            let survey = Survey::for_backend(&profile, None, backend).unwrap();
            let plan = Plan::compile(&profile, &survey).unwrap();
            let pid = rustix::process::getpid().as_raw_pid();
            let found = Ours::look(&plan).unwrap().check(pid);
            assert!(
                matches!(found, Err(WrapperError::Hollow { .. })),
                "{found:?}"
            );
        }
    }
}
