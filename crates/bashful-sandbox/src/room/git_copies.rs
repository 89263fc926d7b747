//! Private copies of repository configurations: refreshed before a run, merged after it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, FallocateFlags, Gid, Mode, OFlags, ResolveFlags, Uid, fallocate, fchown, openat,
    openat2, renameat, statat, unlinkat,
};
use rustix::io::Errno;

use super::hold::{MOST_ADDRESSES, addresses_in, refuse_countless};
use super::{BuildError, BuildStep, Room};
use crate::git_config::{Hosts, merge};
use crate::plan::Plan;
use crate::profile::Violation;
use crate::survey::Identity;

/// One repository's configuration.
#[derive(Debug)]
pub(super) struct Copy {
    pub(super) host: PathBuf,
    /// The directory in the room that has the copy.
    pub(super) directory: OwnedFd,
    /// What the copy began as.
    base: Vec<u8>,
    host_stamp: Option<Stamp>,
    own_stamp: Option<Stamp>,
    /// What was reported already, so that it is reported once.
    told: Vec<String>,
}

/// Shows a change of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp(u64, u64, i64, i64);

impl Stamp {
    fn of(file: &File) -> io::Result<Self> {
        let about = file.metadata()?;
        Ok(Self(
            about.ino(),
            about.size(),
            about.ctime(),
            about.ctime_nsec(),
        ))
    }

    fn at(directory: impl AsFd, name: &str) -> Option<Self> {
        let about = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(Self(
            about.st_ino,
            u64::try_from(about.st_size).ok()?,
            about.st_ctime,
            i64::try_from(about.st_ctime_nsec).ok()?,
        ))
    }
}

const CONFIG: &str = "config";
/// A configuration larger than this is not one.
pub(super) const MOST_BYTES: u64 = 4 << 20;
/// How many held keys are told one by one; the others are counted.
const MOST_TOLD: usize = 20;

impl Room {
    /// Makes the copies of this plan what the host's files are now.
    pub(super) fn refresh_copies(&mut self, plan: &Plan) -> Result<(), BuildError> {
        for (host, place) in &plan.git_configs {
            let failed = |error| BuildError::new(BuildStep::Base, host, error);
            if !self.copies.iter().any(|copy| copy.host == *host) {
                let directory = self.copy_directory(place, plan.identity).map_err(failed)?;
                self.copies.push(Copy {
                    host: host.clone(),
                    directory,
                    base: Vec::new(),
                    host_stamp: None,
                    own_stamp: None,
                    told: Vec::new(),
                });
            }
            for copy in self.copies.iter_mut().filter(|copy| copy.host == *host) {
                copy.refresh(plan.identity).map_err(failed)?;
            }
        }
        Ok(())
    }

    fn copy_directory(&self, place: &Path, identity: Identity) -> io::Result<OwnedFd> {
        // A single name below a directory that we have had since before the first run.
        let name = place
            .parent()
            .and_then(Path::file_name)
            .ok_or(io::ErrorKind::InvalidInput)?;
        match rustix::fs::mkdirat(&self.shared.copies, name, Mode::RWXU) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = openat(&self.shared.copies, name, flags, Mode::empty())?;
        give(&directory, identity)?;
        Ok(directory)
    }

    /// The hosts outside that git may be made to contact by what ran here.
    pub(super) fn hosts(&self) -> Hosts {
        Hosts::for_runs_with(self.network())
    }

    /// Brings back to the host what runs changed in their copies, and returns what was not let
    /// through to it.
    pub fn merge_copies(&mut self) -> Vec<Violation> {
        let hosts = self.hosts();
        let merged = self.copies.iter_mut();
        merged.flat_map(|copy| copy.merge_back(&hosts)).collect()
    }
}

impl Copy {
    fn refresh(&mut self, identity: Identity) -> io::Result<()> {
        let (parent, name) = split(&self.host)?;
        let directory = open_directory(parent)?;
        let now = Stamp::at(&directory, name);
        if self.host_stamp.is_some() && self.host_stamp == now {
            return Ok(());
        }
        let (text, stamp) = read(&directory, Path::new(name))?;
        let temporary = "config.bashful";
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        let _ = unlinkat(&self.directory, temporary, AtFlags::empty());
        let mut file = File::from(openat(&self.directory, temporary, flags, mode)?);
        file.write_all(&text)?;
        give(&file, identity)?;
        renameat(&self.directory, temporary, &self.directory, CONFIG)?;
        self.own_stamp = Stamp::at(&self.directory, CONFIG);
        self.host_stamp = Some(stamp);
        self.base = text;
        self.told.clear();
        Ok(())
    }

    fn merge_back(&mut self, hosts: &Hosts) -> Vec<Violation> {
        let now = Stamp::at(&self.directory, CONFIG);
        if now == self.own_stamp {
            return Vec::new();
        }
        match self.try_merge(hosts) {
            Ok(found) => {
                self.own_stamp = now;
                found
            }
            Err(error) => {
                let note = "what the run changed in git's configuration stays in the room";
                vec![self.violation("git-config", format!("{note}: {error}"))]
            }
        }
    }

    fn try_merge(&mut self, hosts: &Hosts) -> io::Result<Vec<Violation>> {
        let (private, _) = read(&self.directory, Path::new(CONFIG))?;
        let (parent, name) = split(&self.host)?;
        let directory = open_directory(parent)?;
        let (host, _) = read(&directory, Path::new(name))?;
        let merged = merge(&self.base, &private, &host, hosts)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
        refuse_countless(&merged.addresses, MOST_ADDRESSES)?;
        if merged.changed {
            replace(&directory, name, &merged.text)?;
        }
        // The harmless part is the host's now; what was held stays in the copy only.
        self.host_stamp = Stamp::at(&directory, name);
        self.base = private;
        let mut found = Vec::new();
        let mut untold = 0;
        for held in &merged.held {
            let doing = held.doing();
            if self.told.contains(&doing) {
                continue;
            }
            if found.len() == MOST_TOLD {
                untold += 1;
                continue;
            }
            let note = format!("held back, because git would act upon it outside: {doing}");
            found.push(self.violation("git-config", note));
            self.told.push(doing);
        }
        found.extend(Violation::untold(untold));
        found.extend(addresses_in(&self.host, &merged.addresses));
        Ok(found)
    }

    fn violation(&self, missing: &str, note: String) -> Violation {
        Violation {
            kind: "git_config".to_owned(),
            path: Some(self.host.clone()),
            missing: missing.to_owned(),
            source: "keeper".to_owned(),
            note: Some(note),
            ..Violation::default()
        }
    }
}

/// Writes the file in place, under git's own lock. Not by renaming another over it: that
/// would tear off what covers the file in every run that is going on.
pub(super) fn replace(directory: impl AsFd, name: impl AsRef<Path>, text: &[u8]) -> io::Result<()> {
    let (directory, name) = (directory.as_fd(), name.as_ref());
    let mut lock = name.as_os_str().to_owned();
    lock.push(".lock");
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    drop(openat(directory, &lock, flags, Mode::RUSR | Mode::WUSR)?);
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let written = openat(directory, name, flags, Mode::empty())
        .map_err(io::Error::from)
        .and_then(|file| {
            let mut file = File::from(file);
            let about = file.metadata()?;
            // Another name of some other file is not ours to write.
            if !about.is_file() || about.nlink() > 1 {
                return Err(io::Error::other("it is no longer a file of its own"));
            }
            rewrite(&mut file, text)
        });
    let _ = unlinkat(directory, &lock, AtFlags::empty());
    written
}

/// Puts another text into a file: whole, or not at all where the disk is full.
fn rewrite(file: &mut File, text: &[u8]) -> io::Result<()> {
    let mut old = Vec::new();
    // It was opened for writing only, and that stays so: another look at the same file.
    File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))?.read_to_end(&mut old)?;
    // Space is reserved first: the text that is there already has its own.
    let length = text.len() as u64;
    let reserved = match fallocate(&*file, FallocateFlags::KEEP_SIZE, 0, length.max(1)) {
        // This file system cannot reserve space.
        Err(Errno::OPNOTSUPP) => Ok(()),
        reserved => reserved.map_err(io::Error::from),
    };
    let written = reserved.and_then(|()| {
        file.write_all_at(text, 0)?;
        file.set_len(length)
    });
    let Err(error) = written else {
        return Ok(());
    };
    let restored = file.write_all_at(&old, 0);
    match restored.and_then(|()| file.set_len(old.len() as u64)) {
        Ok(()) => Err(error),
        Err(second) => Err(io::Error::new(
            error.kind(),
            format!(
                "{error}; and the file outside is incomplete, because its old text could not be written back: {second}"
            ),
        )),
    }
}

/// A regular file's content, whatever a run put in its place.
pub(super) fn read_config(directory: impl AsFd, name: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    read(directory, name.as_ref()).map(|(text, _)| text)
}

fn read(directory: impl AsFd, name: &Path) -> io::Result<(Vec<u8>, Stamp)> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(directory, name, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no longer a file"));
    }
    let mut text = Vec::new();
    (&file).take(MOST_BYTES + 1).read_to_end(&mut text)?;
    if u64::try_from(text.len()).is_ok_and(|length| length > MOST_BYTES) {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let stamp = Stamp::of(&file)?;
    Ok((text, stamp))
}

fn open_directory(path: &Path) -> io::Result<OwnedFd> {
    Ok(openat2(
        rustix::fs::CWD,
        path,
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
        ResolveFlags::NO_SYMLINKS,
    )?)
}

fn split(path: &Path) -> io::Result<(&Path, &str)> {
    let name = path.file_name().and_then(|name| name.to_str());
    path.parent()
        .zip(name)
        .ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

fn give(file: &impl AsFd, identity: Identity) -> io::Result<()> {
    let (user, group) = match identity {
        Identity::Owner { user, group } => (user, group),
        Identity::Mapped { user } => (user, user),
        Identity::Own { .. } | Identity::SingleId { .. } => return Ok(()),
    };
    Ok(fchown(
        file,
        Some(Uid::from_raw(user)),
        Some(Gid::from_raw(group)),
    )?)
}
