//! Whether a wrapper program made the walls that it was asked for.
//!
//! A program that only executes what it is given would pass for one that confines. So before
//! anything of the run starts, its first process must be in namespaces of its own, and behind
//! the filter.

use std::fs;
use std::io;

use super::error::{WrapperError, own};
use crate::backend::Backend;
use crate::plan::Plan;
use crate::profile::Network;
use crate::survey::Identity;

/// Looks at the first process of a run; an error if something that was asked for is missing.
pub(super) fn check(plan: &Plan, first: i32) -> Result<(), WrapperError> {
    let backend = plan.backend();
    let missing = |what| WrapperError::Hollow { backend, what };
    let off = plan.network == Network::Off;
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
    for (name, _, what) in wanted.into_iter().filter(|(_, wanted, _)| *wanted) {
        let ours = namespace("self", name)?;
        if namespace(&first.to_string(), name)? == ours {
            return Err(missing(what));
        }
    }
    // The others leave it to our first process.
    if in_bubblewrap && filters(&first.to_string())? <= filters("self")? {
        return Err(missing("system calls"));
    }
    Ok(())
}

fn namespace(process: &str, name: &str) -> Result<std::path::PathBuf, WrapperError> {
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
            commands: None,
            resources: Resources::default(),
            reporting: crate::Reporting::Usual,
            git_obeys: Vec::new(),
            optional: vec![crate::Protection::Filesystem, crate::Protection::Identity],
        };
        for backend in [Backend::Bubblewrap, Backend::Firejail] {
            let survey = Survey::for_backend(&profile, None, backend).unwrap();
            let plan = Plan::compile(&profile, &survey).unwrap();
            let pid = rustix::process::getpid().as_raw_pid();
            let found = check(&plan, pid);
            assert!(
                matches!(found, Err(WrapperError::Hollow { .. })),
                "{found:?}"
            );
        }
    }
}
