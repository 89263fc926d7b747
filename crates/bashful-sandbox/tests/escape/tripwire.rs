//! Files of the host as they were, to be compared with what an act has left.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// What a change of a file shows in.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Trace {
    mode: u32,
    owner: (u32, u32),
    inode: u64,
    links: u64,
    size: u64,
    modified: (i64, i64),
    attributes: Vec<u8>,
    content: Vec<u8>,
}

/// Every file below some roots.
#[derive(Debug, Default)]
pub(crate) struct Tripwires {
    traces: BTreeMap<PathBuf, Trace>,
}

impl Tripwires {
    pub(crate) fn of(roots: &[PathBuf]) -> Self {
        let mut wires = Self::default();
        for root in roots {
            wires.add(root);
        }
        wires
    }

    fn add(&mut self, path: &Path) {
        let Ok(metadata) = fs::symlink_metadata(path) else {
            return;
        };
        let mut names = vec![0_u8; 4096];
        let length = rustix::fs::llistxattr(path, names.as_mut_slice()).unwrap_or_default();
        names.truncate(length);
        let content = if metadata.is_file() {
            fs::read(path).unwrap_or_default()
        } else {
            Vec::new()
        };
        let trace = Trace {
            mode: metadata.mode(),
            owner: (metadata.uid(), metadata.gid()),
            inode: metadata.ino(),
            links: metadata.nlink(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            attributes: names,
            content,
        };
        self.traces.insert(path.to_owned(), trace);
        if metadata.is_dir() {
            for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                self.add(&entry.path());
            }
        }
    }

    /// One sentence for each file that is not what it was.
    pub(crate) fn changes(&self, later: &Self) -> Vec<String> {
        let changed =
            self.traces
                .iter()
                .filter_map(|(path, before)| match later.traces.get(path) {
                    None => Some(format!("{} is gone", path.display())),
                    Some(after) if after != before => {
                        Some(format!("{} has changed", path.display()))
                    }
                    Some(_) => None,
                });
        let new = later
            .traces
            .keys()
            .filter(|path| !self.traces.contains_key(*path));
        let new = new.map(|path| format!("{} is new", path.display()));
        changed.chain(new).collect()
    }
}

/// Files below this directory that have rights of their own: set-id bits, devices.
pub(crate) fn dangerous(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    if directory.is_symlink() {
        return found;
    }
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            continue;
        };
        let device =
            metadata.file_type().is_char_device() || metadata.file_type().is_block_device();
        if device || metadata.mode() & 0o6000 != 0 {
            found.push(format!("{} has mode {:o}", path.display(), metadata.mode()));
        }
        if metadata.is_dir() {
            found.extend(dangerous(&path));
        }
    }
    found
}
