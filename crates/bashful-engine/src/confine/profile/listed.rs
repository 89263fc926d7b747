//! What directories hold, each listed once while the bounds of one run are found.
//!
//! Most secrets that are looked for are nowhere, and the list of one directory says so of all that
//! would be in it. A list is only ever taken for what is *not* there; where it cannot vouch for
//! that, the place itself is looked at.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

/// The most names that a list is read for. A directory with more is looked into name by name.
const MOST_NAMES: usize = 4096;

/// The lists that were read.
#[derive(Debug, Default)]
pub(super) struct Listed {
    known: HashMap<PathBuf, List>,
}

/// The names of one directory.
#[derive(Debug, Default)]
pub(super) struct List {
    pub(super) entries: Vec<Entry>,
    /// What it does not name is not there.
    pub(super) is_whole: bool,
    /// It is a directory that can be listed.
    pub(super) is_read: bool,
}

/// One of them.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: OsString,
    /// None if the file system does not say.
    kind: Option<FileType>,
}

impl Entry {
    /// Whether there may be something below it.
    pub(super) fn may_hold(&self) -> bool {
        self.kind
            .is_none_or(|kind| kind.is_dir() || kind.is_symlink())
    }

    pub(super) fn is_link(&self) -> bool {
        self.kind.is_some_and(|kind| kind.is_symlink())
    }
}

impl Listed {
    /// What is in a directory; empty where it cannot be read.
    pub(super) fn of(&mut self, directory: &Path) -> &List {
        // Not by `entry`: it wants a path of its own for every question.
        if !self.known.contains_key(directory) {
            self.known
                .insert(directory.to_owned(), List::read(directory));
        }
        self.known.get(directory).unwrap_or(&EMPTY)
    }

    /// Whether there may be something of this name in a directory.
    pub(super) fn may_have(&mut self, directory: &Path, name: &OsStr) -> bool {
        let list = self.of(directory);
        // On some file systems `.SSH` is `.ssh`.
        let mut entries = list.entries.iter();
        !list.is_whole || entries.any(|entry| entry.name.eq_ignore_ascii_case(name))
    }

    /// Whether there may be something at a relative path of plain names.
    pub(super) fn may_reach(&mut self, base: &Path, inside: &Path) -> bool {
        let mut here = base.to_owned();
        inside.iter().all(|name| {
            let may = self.may_have(&here, name);
            here.push(name);
            may
        })
    }
}

static EMPTY: List = List {
    entries: Vec::new(),
    is_whole: false,
    is_read: false,
};

impl List {
    fn read(directory: &Path) -> Self {
        let nothing = |error: &io::Error| {
            matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            )
        };
        let mut list = Self::default();
        let all = match fs::read_dir(directory) {
            Ok(all) => all,
            Err(error) => {
                list.is_whole = nothing(&error);
                return list;
            }
        };
        list.is_read = true;
        for entry in all {
            let Ok(entry) = entry else { return list };
            if list.entries.len() == MOST_NAMES {
                return list;
            }
            list.entries.push(Entry {
                kind: entry.file_type().ok(),
                name: entry.file_name(),
            });
        }
        list.is_whole = true;
        list
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn only_what_a_list_can_vouch_for_is_not_there() {
        let house = tempfile::tempdir().unwrap();
        let at = |name: &str| house.path().join(name);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::write(at("a/b/File"), "").unwrap();
        fs::create_dir(at("large")).unwrap();
        for number in 0..=MOST_NAMES {
            fs::write(at("large").join(number.to_string()), "").unwrap();
        }
        symlink("a", at("link")).unwrap();
        let cases = [
            ("a/b/File", true),
            ("link/b/File", true),
            ("a/b/file", true),
            ("a/b/fil", false),
            ("a/b/File/x", false),
            ("a/c", false),
            ("missing/deep/down", false),
            ("large/not there", true),
            ("large/not there/below", false),
        ];
        for (inside, expected) in cases {
            let got = Listed::default().may_reach(house.path(), Path::new(inside));
            assert_eq!(got, expected, "{inside}");
        }
    }

    #[test]
    fn a_directory_that_cannot_be_listed_is_looked_into() {
        let house = tempfile::tempdir().unwrap();
        let closed = house.path().join("closed");
        fs::create_dir(&closed).unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o111)).unwrap();
        // Root reads what it likes, and then the list is whole.
        let reads = fs::read_dir(&closed).is_ok();
        assert_eq!(
            Listed::default().may_have(&closed, OsStr::new(".ssh")),
            !reads
        );
    }
}
