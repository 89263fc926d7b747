//! Copies of a repository that a run made in the workspace.
//!
//! Inside, git's configuration is a link to the room's private copy, and `cp -a` or `tar`
//! take the link along. Outside it leads nowhere, so it becomes a file again: one with
//! what is harmless in the private copy.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{
    AtFlags, Dir, FileType, Gid, Mode, OFlags, Uid, fchown, fstat, openat, readlinkat, renameat,
    unlinkat,
};

use super::Room;
use super::git_copies::read_config;
use super::hold::open_root;
use crate::freshness::Inode;
use crate::git_config::sanitise;
use crate::protect::read_small;

/// Only directories right below the root are looked at, and not more than these.
const MOST_ENTRIES: usize = 256;

impl Room {
    /// Mends the copies in the roots of the plan that was used last.
    pub fn mend_copies(&self) {
        if self.plan.git_configs.is_empty() {
            return;
        }
        for (root, _) in &self.plan.survey.protected {
            // A directory that cannot be looked at has no copies that a person uses.
            let _ = self.mend_below(root);
        }
    }

    fn mend_below(&self, root: &Path) -> io::Result<()> {
        let path = root;
        let root = open_root(path)?;
        let own = Inode::of_open(&root);
        let known = self
            .plan
            .survey
            .fingerprint
            .iter()
            .find(|(known, _)| known == path);
        if known.is_none_or(|(_, known)| *known != own) {
            return Ok(());
        }
        for entry in Dir::read_from(&root)?.flatten().take(MOST_ENTRIES) {
            let name = entry.file_name();
            let is_own = name.to_bytes().starts_with(b".git") || name.to_bytes() == b"..";
            if entry.file_type() != FileType::Directory || is_own {
                continue;
            }
            let Ok(directory) = open_directory(&root, name) else {
                continue;
            };
            if let Ok(inner) = open_directory(&directory, ".git") {
                let _ = self.mend_one(&inner);
            }
            let _ = self.mend_one(&directory);
        }
        Ok(())
    }

    fn mend_one(&self, directory: &OwnedFd) -> io::Result<()> {
        let target = readlinkat(directory, "config", Vec::new())?;
        let target = Path::new(std::ffi::OsStr::from_bytes(target.to_bytes()));
        let mut places = self.plan.git_configs.iter();
        let Some((host, _)) = places.find(|(_, link)| link.as_path() == target) else {
            return Ok(());
        };
        let Some(copy) = self.copies.iter().find(|copy| copy.host == *host) else {
            return Ok(());
        };
        let text = read_config(&copy.directory, "config")?;
        let mut hosts = self.hosts();
        hosts.add(read_small(host).unwrap_or_default().as_bytes());
        let cleaned = sanitise(&text, &hosts)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
        let temporary = "config.bashful";
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o644);
        let mut file = File::from(openat(directory, temporary, flags, mode)?);
        let written = file.write_all(&cleaned.text).and_then(|()| {
            let about = fstat(directory)?;
            if rustix::process::geteuid().is_root() {
                let (user, group) = (Uid::from_raw(about.st_uid), Gid::from_raw(about.st_gid));
                fchown(&file, Some(user), Some(group))?;
            }
            Ok(renameat(directory, temporary, directory, "config")?)
        });
        if written.is_err() {
            let _ = unlinkat(directory, temporary, AtFlags::empty());
        }
        written
    }
}

fn open_directory(at: impl AsFd, path: impl rustix::path::Arg) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(at, path, flags, Mode::empty())?)
}
