//! Links in a repository's directory, and references that lead out of it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, openat, readlinkat, statat, unlinkat};
use rustix::io::Errno;

use super::judge::is_reference;
use super::{Holding, NEW, Named, leads_into_room, open_directory, rename_aside};
use crate::left_behind::open_below;

impl Holding<'_> {
    /// Links in a repository's directory, and references that lead out of it: git writes through
    /// them, wherever they lead. Its objects are left out, which it never writes again.
    pub(super) fn hold_links(&mut self, whole: &Path, here: BorrowedFd<'_>, name: &Path) {
        // Objects are looked at where it matters, and submodules on their own.
        const NOT_ENTERED: [&[u8]; 2] = [b"objects", b"modules"];
        let Ok(top) = open_directory(here, name) else {
            return self.hold(whole.to_owned(), here, name);
        };
        // Paths, for there can be more directories than descriptors.
        let mut open = vec![PathBuf::new()];
        while let Some(path) = open.pop() {
            let directory = match open_below(&top, &path) {
                Ok(directory) => directory,
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => continue,
                Err(_) => {
                    self.hold_below(whole, &top, &path);
                    continue;
                }
            };
            let is_top = path.as_os_str().is_empty();
            for entry in Dir::read_from(&directory).into_iter().flatten().flatten() {
                if self.effort.spend(1).is_err() {
                    return;
                }
                let name = entry.file_name().to_bytes();
                let thing = Named {
                    whole: whole.join(&path).join(OsStr::from_bytes(name)),
                    here: directory.as_fd(),
                    name: Path::new(OsStr::from_bytes(name)),
                };
                match entry.file_type() {
                    FileType::Symlink => {
                        // The private configuration is one, and stays one.
                        let is_private =
                            is_top && name == b"config" && leads_into_room(thing.here, thing.name);
                        if !is_private && self.is_runs_there(&thing) {
                            self.hold_link(thing.whole, thing.here, thing.name);
                        }
                    }
                    FileType::RegularFile
                        if is_reference(&path, name)
                            && self.is_runs_there(&thing)
                            && !self.is_reference_harmless(&thing) =>
                    {
                        self.hold_unnameably(thing.whole, thing.here, thing.name);
                    }
                    FileType::Directory if name == b"." || name == b".." => {}
                    FileType::Directory if !is_top || !NOT_ENTERED.contains(&name) => {
                        open.push(path.join(thing.name));
                    }
                    _ => {}
                }
            }
        }
    }

    fn is_runs_there(&self, thing: &Named<'_>) -> bool {
        let about = statat(thing.here, thing.name, AtFlags::SYMLINK_NOFOLLOW);
        about.is_ok_and(|about| self.is_runs(&about))
    }

    /// Holds back a directory that cannot be looked into.
    fn hold_below(&mut self, whole: &Path, top: &OwnedFd, path: &Path) {
        let above = open_below(top, path.parent().unwrap_or(Path::new("")));
        let name = path.file_name().map(Path::new);
        if let Some((above, name)) = above.ok().zip(name) {
            self.hold(whole.join(path), above.as_fd(), name);
        }
    }

    /// Takes a link away that lies among references and what git writes about them: there it takes any name
    /// for that of a branch. So a file has the new name that says where the link led.
    fn hold_link(&mut self, whole: PathBuf, directory: BorrowedFd<'_>, name: &Path) {
        let held = rename_aside(directory, name, self.tag, "").and_then(|new_name| {
            let target = readlinkat(directory, &new_name, Vec::new())?;
            unlinkat(directory, &new_name, AtFlags::empty())?;
            let mut file = File::from(openat(directory, &new_name, NEW, Mode::RUSR | Mode::WUSR)?);
            file.write_all(target.to_bytes())?;
            Ok(new_name)
        });
        let note = match held {
            Ok(new_name) => format!(
                "taken away, because git would write through it; where the link led is in `{}`",
                new_name.display()
            ),
            Err(error) => {
                format!("it could not be held back: {error}; do not use it without looking first")
            }
        };
        self.tell(whole, note);
    }
}
