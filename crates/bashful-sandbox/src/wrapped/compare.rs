//! Whether what a wrapper program put in place is what was planned.
//!
//! It gets paths, and follows links. Another run of the same user may have put a link on
//! the way since the plan was made. So everything is opened before, without following links,
//! and compared with what is there inside before anything of the run starts.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, fstat, openat2};

use super::error::{WrapperError, own};
use super::is_own;
use super::place::Place;
use crate::plan::{Entry, Plan, Private};

/// What is to be where, held open so that no other file gets its number.
pub(super) struct Planned(Vec<(PathBuf, OwnedFd)>);

impl Planned {
    pub(super) fn of(plan: &Plan, place: &Place) -> Result<Self, WrapperError> {
        let mut planned: Vec<(PathBuf, OwnedFd)> = Vec::new();
        for (index, entry) in plan.view.iter().enumerate() {
            let path = entry.path();
            let before = plan.view.get(..index).unwrap_or_default();
            let source = match entry {
                // The program makes its own.
                _ if path.starts_with("/dev") => continue,
                Entry::Pin { .. } if is_own(path, before) => place.on_host(path),
                Entry::Private {
                    which: Private::Tmp | Private::Room,
                    ..
                } => place.on_host(path),
                Entry::Bind { .. } | Entry::Pin { .. } => path.to_owned(),
                Entry::Freeze { .. } | Entry::GitConfig { .. } if !plan.is_link(path) => {
                    path.to_owned()
                }
                Entry::HideFile { .. } => place.nothing(),
                // Whatever was there before is covered.
                Entry::HideDirectory { .. } | Entry::Text { .. } | Entry::Private { .. } => {
                    planned.retain(|(known, _)| known != path);
                    continue;
                }
                _ => continue,
            };
            let opened =
                open(CWD, &source, ResolveFlags::NO_SYMLINKS).map_err(own("open", source))?;
            planned.retain(|(known, _)| known != path);
            planned.push((path.to_owned(), opened));
        }
        Ok(Self(planned))
    }

    /// An error if another file or directory is there.
    pub(super) fn compare(&self, root: &OwnedFd) -> Result<(), WrapperError> {
        for (path, planned) in &self.0 {
            let replaced = || WrapperError::Replaced { path: path.clone() };
            let below = path.strip_prefix("/").unwrap_or(path);
            let below = if below.as_os_str().is_empty() {
                Path::new(".")
            } else {
                below
            };
            let flags = ResolveFlags::IN_ROOT | ResolveFlags::NO_SYMLINKS;
            let found = open(root, below, flags).map_err(|_| replaced())?;
            let (Ok(planned), Ok(found)) = (fstat(planned), fstat(&found)) else {
                return Err(replaced());
            };
            if (planned.st_dev, planned.st_ino) != (found.st_dev, found.st_ino) {
                return Err(replaced());
            }
        }
        Ok(())
    }
}

/// The file tree that this process sees.
pub(super) fn root_of(pid: i32) -> Result<OwnedFd, WrapperError> {
    let path = PathBuf::from(format!("/proc/{pid}/root"));
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(&path, flags, Mode::empty()).map_err(own("look into", path))
}

fn open(
    at: impl std::os::fd::AsFd,
    path: &Path,
    resolve: ResolveFlags,
) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat2(at, path, flags, Mode::empty(), resolve)
}
