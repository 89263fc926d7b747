//! Holding back what a run made that would execute on the host later.
//!
//! Nothing is deleted: it gets another name in the same place, under which nothing
//! acts upon it, and the result says so.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, RenameFlags, openat, renameat_with, statat,
};

use super::git_copies::{read_config, replace};
use crate::git_config::sanitise;
use crate::profile::Violation;
use crate::protect::{Guard, Watch};

/// Looks for what did not exist before and holds it back. `tag` goes into the new name.
pub(crate) fn hold_back(watched: &[Watch], tag: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut root: Option<(&Path, OwnedFd)> = None;
    for watch in watched {
        if root.as_ref().is_none_or(|(path, _)| *path != watch.root) {
            let Ok(opened) = open_directory(rustix::fs::CWD, &watch.root) else {
                continue;
            };
            root = Some((&watch.root, opened));
        }
        if let Some((_, opened)) = &root {
            look(watch, opened, tag, &mut found);
        }
    }
    found
}

/// Follows the path one name at a time, so that a link on the way is seen as such.
fn look(watch: &Watch, root: &OwnedFd, tag: &str, found: &mut Vec<Violation>) {
    let mut directory: Option<OwnedFd> = None;
    let mut names = watch.path.iter().peekable();
    let mut sofar = PathBuf::new();
    while let Some(name) = names.next() {
        let here = directory.as_ref().unwrap_or(root).as_fd();
        sofar.push(name);
        let Ok(about) = statat(here, name, AtFlags::SYMLINK_NOFOLLOW) else {
            return;
        };
        let kind = FileType::from_raw_mode(about.st_mode);
        let last = names.peek().is_none();
        let whole = Watch {
            path: sofar.clone(),
            ..watch.clone()
        };
        match (last, watch.guard) {
            // On the way there must be directories: anything else leads elsewhere.
            (false, _) if kind != FileType::Directory => {
                return hold(&whole, here, Path::new(name), tag, found);
            }
            (false, _) => match open_directory(here, Path::new(name)) {
                Ok(next) => directory = Some(next),
                Err(_) => return,
            },
            (true, Guard::Hooks) if kind == FileType::Directory => {
                if let Ok(hooks) = open_directory(here, Path::new(name)) {
                    hold_hooks(watch, &hooks, tag, found);
                }
            }
            (true, Guard::GitConfig) if kind == FileType::RegularFile => {
                let owned = match &directory {
                    Some(directory) => directory.try_clone(),
                    None => root.try_clone(),
                };
                if let Ok(owned) = owned {
                    clean_config(watch, &owned, found);
                }
            }
            (true, _) => hold(watch, here, Path::new(name), tag, found),
        }
    }
}

/// Samples stay: git makes them, and runs none.
fn hold_hooks(watch: &Watch, hooks: &OwnedFd, tag: &str, found: &mut Vec<Violation>) {
    const MOST: usize = 1000;
    let Ok(entries) = Dir::read_from(hooks) else {
        return;
    };
    for entry in entries.flatten().take(MOST) {
        use std::os::unix::ffi::OsStrExt;
        let name = entry.file_name().to_bytes();
        let harmless = name == b"." || name == b".." || name.ends_with(b".sample") || is_held(name);
        if !harmless {
            let name = Path::new(std::ffi::OsStr::from_bytes(name));
            let one = Watch {
                path: watch.path.join(name),
                ..watch.clone()
            };
            hold(&one, hooks.as_fd(), name, tag, found);
        }
    }
}

fn is_held(name: &[u8]) -> bool {
    name.windows(HELD.len()).any(|part| part == HELD.as_bytes())
}

const HELD: &str = ".held-";

fn hold(
    watch: &Watch,
    directory: std::os::fd::BorrowedFd<'_>,
    name: &Path,
    tag: &str,
    found: &mut Vec<Violation>,
) {
    let mut outcome = Err(io::Error::from(io::ErrorKind::AlreadyExists));
    let mut new_name = PathBuf::new();
    for attempt in 0..100 {
        let mut text = name.as_os_str().to_owned();
        text.push(HELD);
        text.push(tag);
        if attempt > 0 {
            text.push(format!("-{attempt}"));
        }
        new_name = PathBuf::from(text);
        let renamed = renameat_with(
            directory,
            name,
            directory,
            &new_name,
            RenameFlags::NOREPLACE,
        );
        outcome = renamed.map_err(Into::into);
        if !matches!(&outcome, Err(error) if error.kind() == io::ErrorKind::AlreadyExists) {
            break;
        }
    }
    let note = match outcome {
        Ok(()) => format!(
            "held back as `{}`, because it would be executed outside; look at it, then rename it if it is wanted",
            new_name.display()
        ),
        Err(error) => format!("it could not be held back: {error}; do not use it unread"),
    };
    found.push(Violation {
        kind: "protected".to_owned(),
        path: Some(watch.root.join(&watch.path)),
        missing: "paths_write".to_owned(),
        source: "keeper".to_owned(),
        note: Some(note),
    });
}

/// Takes keys that execute out of a configuration that a run made.
fn clean_config(watch: &Watch, directory: &OwnedFd, found: &mut Vec<Violation>) {
    let name = "config";
    let path = watch.root.join(&watch.path);
    let violation = |note: String| Violation {
        kind: "git_config".to_owned(),
        path: Some(path.clone()),
        missing: "git-config".to_owned(),
        source: "keeper".to_owned(),
        note: Some(note),
    };
    let cleaned = read_config(directory, name).and_then(|text| {
        sanitise(&text)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))
    });
    match cleaned {
        Ok(cleaned) if cleaned.held.is_empty() => {}
        Ok(cleaned) => match replace(directory, name, &cleaned.text) {
            Ok(()) => {
                for held in cleaned.held.into_iter().take(20) {
                    found.push(violation(format!(
                        "taken out, because git would act upon it outside: {} = {}",
                        held.key, held.value
                    )));
                }
            }
            // Somebody holds the lock, perhaps for that very purpose.
            Err(_) => hold(
                watch,
                directory.as_fd(),
                Path::new(name),
                "uncleaned",
                found,
            ),
        },
        // What cannot be read as a configuration is not left for git to try.
        Err(_) => hold(
            watch,
            directory.as_fd(),
            Path::new(name),
            "unreadable",
            found,
        ),
    }
}

fn open_directory(at: impl AsFd, path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(at, path, flags, Mode::empty())?)
}
