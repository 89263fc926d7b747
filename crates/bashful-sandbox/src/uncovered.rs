//! What lies bare in a run because the host replaced it: the kernel takes a mount away with the name
//! that it lies on.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use rustix::fs::{Access, AtFlags, CWD, Mode, accessat};

use crate::kernel_file::kernel_bytes;
use crate::plan::{Entry, Plan};
use crate::survey::Identity;

/// A place that has lost its cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uncovered {
    /// The place.
    pub path: PathBuf,
    /// It was only hidden, and what is there now the run cannot read anyway, nor open to itself.
    pub is_harmless: bool,
}

impl Plan {
    /// What has lost its cover in the tree of this process; none if that cannot be told.
    pub fn uncovered(&self, process: i32) -> Option<Vec<Uncovered>> {
        let table = kernel_bytes(format!("/proc/{process}/mountinfo")).ok()?;
        let mounted: HashSet<PathBuf> = table
            .split(|byte| *byte == b'\n')
            .filter_map(|line| line.split(|byte| *byte == b' ').nth(4))
            .map(unescaped)
            .collect();
        let lacks = |entry: &&Entry| {
            let is_mount = !matches!(
                entry,
                Entry::Directory { .. } | Entry::Link { .. } | Entry::Text { .. }
            );
            is_mount && !mounted.contains(entry.path())
        };
        let bare = self.view.iter().filter(lacks).map(|entry| {
            let is_hidden = matches!(entry, Entry::HideFile { .. } | Entry::HideDirectory { .. });
            Uncovered {
                is_harmless: is_hidden && self.is_closed_anyway(entry),
                path: entry.path().to_owned(),
            }
        });
        (!mounted.is_empty()).then(|| bare.collect())
    }

    /// Whether the modes of what is on the host keep the run out. Its own files it could open.
    fn is_closed_anyway(&self, entry: &Entry) -> bool {
        let Ok(about) = fs::symlink_metadata(entry.path()) else {
            // Nothing is there.
            return true;
        };
        if about.is_symlink() {
            return false;
        }
        let others = Mode::ROTH | Mode::WOTH | Mode::XOTH;
        let is_closed = !Mode::from_raw_mode(about.mode()).intersects(others);
        match self.identity {
            Identity::Own { .. } => {
                let any = Access::READ_OK;
                about.uid() != rustix::process::geteuid().as_raw()
                    && accessat(CWD, entry.path(), any, AtFlags::EACCESS).is_err()
                    && (about.is_file() || is_closed)
            }
            Identity::Owner { user, group } if user != 0 => {
                about.uid() != user && about.gid() != group && is_closed
            }
            // Where root's files look like its own, they are.
            Identity::Mapped { user } => {
                let is_mapped = self.view.iter().any(|one| match one {
                    Entry::Bind { path, mapped, .. } => *mapped && entry.path().starts_with(path),
                    _ => false,
                });
                !is_mapped && about.uid() != user && is_closed
            }
            _ => false,
        }
    }
}

/// A path of the table, in which blanks and the like are numbers in base eight.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut path = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, tail)) = rest.split_first() {
        let code = || {
            let digits = std::str::from_utf8(tail.get(..3)?).ok()?;
            u8::from_str_radix(digits, 8).ok()
        };
        let written = if *first == b'\\' { code() } else { None };
        path.push(written.unwrap_or(*first));
        let read = if written.is_some() { 3 } else { 0 };
        rest = tail.get(read..).unwrap_or_default();
    }
    PathBuf::from(OsString::from_vec(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_mounts_are_read_as_they_are() {
        for (field, path) in [
            (&b"/a/b"[..], "/a/b"),
            (br"/a\040b\134c", r"/a b\c"),
            (br"/a\0", r"/a\0"),
            (b"/", "/"),
        ] {
            assert_eq!(unescaped(field), PathBuf::from(path));
        }
    }
}
