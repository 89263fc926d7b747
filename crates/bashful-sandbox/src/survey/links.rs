//! Other names of the same file: what is hidden or frozen is so by inode.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A tree with more names than this is not searched: better no run than a leak. Several toolchains
/// in a home, which are among what is searched, have a quarter of that.
const MOST_NAMES: usize = 1_000_000;

/// The other names, below these roots, that some of these files have.
pub(super) fn other_names(files: &[PathBuf], roots: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let several = |path: &PathBuf| {
        let about = fs::symlink_metadata(path).ok()?;
        (about.is_file() && about.nlink() > 1).then(|| (about.dev(), about.ino()))
    };
    let wanted: BTreeSet<(u64, u64)> = files.iter().filter_map(several).collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = roots.to_vec();
    let mut looked = 0;
    while let Some(path) = open.pop() {
        let Ok(about) = fs::symlink_metadata(&path) else {
            continue;
        };
        if about.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            open.extend(entries.map(|entry| entry.path()));
        } else if wanted.contains(&(about.dev(), about.ino())) && !files.contains(&path) {
            found.push(path);
        }
        looked += 1;
        if looked > MOST_NAMES {
            return Err(too_large(roots));
        }
    }
    Ok(found)
}

fn too_large(roots: &[PathBuf]) -> io::Error {
    let first = roots.first().map_or(Path::new("/"), PathBuf::as_path);
    io::Error::other(format!(
        "`{}`: a protected file has other names, and there are too many files to look for them",
        first.display()
    ))
}
