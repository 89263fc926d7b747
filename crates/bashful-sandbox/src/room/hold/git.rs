//! What is held back of a repository's small files, by what is in them.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat};

use super::judge::{
    INTERRUPTED, are_attributes_harmless, are_conflicts_harmless, is_interrupted_harmless,
    is_reference_harmless, named_directory,
};
use super::{Holding, Named, Whose, is_unnameable, open_directory};
use crate::git_config::Hosts;
use crate::left_behind::leads_astray;
use crate::protect::{Guard, below, leads_to_searched};

/// A small file of git's is not larger than this.
const MOST_BYTES: u64 = 4 << 20;

impl Holding<'_> {
    /// The hosts that git may be made to contact.
    pub(super) fn hosts(&self) -> Hosts {
        match self.whose {
            Whose::Run(by) => Hosts::for_runs_with(by.network),
            Whose::ByTime(_, ground) => ground.hosts(),
        }
    }

    /// Whether a file that a run wrote starts nothing, by what is in it.
    pub(super) fn is_harmless(&self, guard: Guard, thing: &Named<'_>) -> bool {
        let judge: &dyn Fn(&[u8]) -> bool = match guard {
            Guard::GitFile => &|text| self.leads_to_known(thing, text),
            Guard::CommonDirectory => &|text| matches!(text, b"../.." | b"../..\n"),
            Guard::NewHosts => &|text| self.hosts().include_all_in(text),
            Guard::Attributes => &are_attributes_harmless,
            Guard::Conflicts => &are_conflicts_harmless,
            Guard::Alternates => &|text| self.stays_inside(thing, text),
            Guard::Index => return self.is_index_harmless(thing),
            _ => return false,
        };
        let text = self.read(thing.here, thing.name);
        // What was not read is looked at once more.
        self.effort.is_spent() || text.is_some_and(|text| judge(&text))
    }

    /// An index may be large: it is not read into memory.
    fn is_index_harmless(&self, thing: &Named<'_>) -> bool {
        let astray = open_plain(thing.here, thing.name).is_some_and(|file| {
            let again = || {
                let mut file = &file;
                file.rewind().ok()?;
                Some(BufReader::new(file))
            };
            !leads_astray(again, self.effort)
        });
        self.effort.is_spent() || astray
    }

    /// Whether a reference leads to no other, or to one among the references.
    pub(super) fn is_reference_harmless(&self, thing: &Named<'_>) -> bool {
        let text = self.read(thing.here, thing.name);
        self.effort.is_spent() || text.is_some_and(|text| is_reference_harmless(&text))
    }

    /// A regular file's content; none if it is of another kind, or too long.
    fn read(&self, directory: BorrowedFd<'_>, name: &Path) -> Option<Vec<u8>> {
        let file = open_plain(directory, name)?;
        let length = file.metadata().ok()?.len();
        if length > MOST_BYTES || self.effort.spend_bytes(length).is_err() {
            return None;
        }
        let mut text = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut text).ok()?;
        Some(text)
    }

    /// Whether a `.git` file leads to where git itself puts parts of a repository: below the
    /// same root, where each is looked at, or to one in another that is searched and points back. What
    /// a run made in a place that is not, such as its home, is obeyed by nobody.
    fn leads_to_known(&self, thing: &Named<'_>, text: &[u8]) -> bool {
        let Whose::ByTime(_, ground) = self.whose else {
            return false;
        };
        let Some((named, top)) = named_directory(text).zip(thing.whole.parent()) else {
            return false;
        };
        let Some(inside) = below(&ground.root, &top.join(named)) else {
            return leads_to_searched(top, &thing.whole, &ground.searched);
        };
        // No link on the way leads elsewhere.
        let real = ground.root.join(&inside).canonicalize();
        let parts: Vec<&std::ffi::OsStr> = inside.iter().collect();
        let is_part = parts
            .windows(3)
            .any(|part| part[0] == ".git" && (part[1] == "modules" || part[1] == "worktrees"));
        is_part && real.is_ok_and(|real| real == ground.root.join(&inside))
    }

    /// Whether all places of objects that are named lie below the root.
    fn stays_inside(&self, thing: &Named<'_>, text: &[u8]) -> bool {
        let Whose::ByTime(_, ground) = self.whose else {
            return false;
        };
        let objects = thing.whole.ancestors().nth(2).unwrap_or(&ground.root);
        text.split(|byte| *byte == b'\n').all(|line| {
            let path = Path::new(std::ffi::OsStr::from_bytes(line));
            let quoted = line.starts_with(b"\"");
            let empty = line.is_empty() || line.starts_with(b"#");
            let climbs = path.components().any(|part| part == Component::ParentDir);
            let real = || objects.join(path).canonicalize();
            empty
                || (!quoted
                    && below(&ground.root, &objects.join(path)).is_some()
                    && (!climbs || real().is_ok_and(|real| real.starts_with(&ground.root))))
        })
    }

    /// Work that was interrupted goes as a whole, if one of its files is not harmless.
    pub(super) fn judge_interrupted(&mut self, thing: &Named<'_>) {
        let Ok(directory) = open_directory(thing.here, thing.name) else {
            return self.hold(thing.whole.clone(), thing.here, thing.name);
        };
        let is_harmless = |name: &&str| {
            let Ok(about) = statat(&directory, *name, AtFlags::SYMLINK_NOFOLLOW) else {
                return true;
            };
            let is_file = FileType::from_raw_mode(about.st_mode) == FileType::RegularFile;
            let text = || self.read(directory.as_fd(), Path::new(name));
            !self.is_runs(&about)
                || (is_file && text().is_some_and(|text| is_interrupted_harmless(name, &text)))
        };
        if !INTERRUPTED.iter().all(is_harmless) && !self.effort.is_spent() {
            self.hold(thing.whole.clone(), thing.here, thing.name);
        }
    }

    /// Files that name addresses: all that runs made.
    pub(super) fn hold_addresses(&mut self, thing: &Named<'_>) {
        let Ok(directory) = open_directory(thing.here, thing.name) else {
            return self.hold(thing.whole.clone(), thing.here, thing.name);
        };
        for name in names_in(&directory) {
            if self.effort.spend(1).is_err() {
                return;
            }
            let path = Path::new(std::ffi::OsStr::from_bytes(&name));
            let about = statat(&directory, path, AtFlags::SYMLINK_NOFOLLOW);
            if !is_unnameable(&name) && about.is_ok_and(|about| self.is_runs(&about)) {
                self.hold_unnameably(thing.whole.join(path), directory.as_fd(), path);
            }
        }
    }
}

fn names_in(directory: &OwnedFd) -> Vec<Vec<u8>> {
    let entries = Dir::read_from(directory).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_bytes().to_vec())
        .filter(|name| name != b"." && name != b"..")
        .collect()
}

/// Opens a file for reading; none if it is not a regular one.
fn open_plain(directory: BorrowedFd<'_>, name: &Path) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(directory, name, flags, Mode::empty()).ok()?);
    let is_plain = file.metadata().is_ok_and(|about| about.is_file());
    is_plain.then_some(file)
}
