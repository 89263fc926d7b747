//! What lies bare in a run because the host replaced it: the kernel takes a mount away with the name
//! that it lies on.

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use crate::kernel_file::kernel_bytes;
use crate::plan::{Entry, Plan};

impl Plan {
    /// What has lost its cover in the tree of this process; none if that cannot be told.
    pub fn uncovered(&self, process: i32) -> Option<Vec<PathBuf>> {
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
        let bare = self.view.iter().filter(lacks);
        let bare = bare.map(|entry| entry.path().to_owned());
        (!mounted.is_empty()).then(|| bare.collect())
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
