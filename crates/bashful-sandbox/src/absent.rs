//! Secrets that do not exist yet. Nothing can cover what is not there, so the keeper notices when
//! it comes into being: the kernel reports new names in the directories that lack them.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

/// Names that a run must not see should they come into being.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AbsentNames {
    /// Paths whose whole name is known.
    pub paths: Vec<PathBuf>,
    /// Paths whose last component is only the beginning of a name.
    pub beginnings: Vec<PathBuf>,
    /// Names that begin so and exist: they are covered, or no secrets.
    #[serde(default)]
    pub known: Vec<PathBuf>,
    /// Directories in which no environment file may appear, nor in what is made below them.
    pub directories: Vec<PathBuf>,
    /// Paths that exist and are covered. A cover goes along when its path is renamed, so what takes
    /// that name is new.
    #[serde(default)]
    pub covered: Vec<PathBuf>,
}

impl AbsentNames {
    /// Whether there are no such names.
    pub fn is_empty(&self) -> bool {
        let lists = [
            &self.paths,
            &self.beginnings,
            &self.directories,
            &self.covered,
        ];
        lists.iter().all(|list| list.is_empty())
    }

    /// The first of the paths that exists by now.
    fn present(&self) -> Option<PathBuf> {
        let exists = |path: &&PathBuf| fs::symlink_metadata(path).is_ok();
        let beginning = |path: &PathBuf| {
            let (directory, start) = (path.parent()?, path.file_name()?);
            let entries = fs::read_dir(directory).ok()?.flatten();
            let begins = |path: &PathBuf| {
                let name = path.file_name().map(OsStr::as_bytes);
                name.is_some_and(|name| name.starts_with(start.as_bytes()))
            };
            let mut paths = entries.map(|entry| entry.path());
            paths.find(|path| begins(path) && !self.known.contains(path))
        };
        let path = self.paths.iter().find(exists).cloned();
        path.or_else(|| self.beginnings.iter().find_map(beginning))
    }

    /// Whether a path leads to one of them, or is one.
    fn concerns(&self, path: &Path) -> bool {
        let begins = |beginning: &PathBuf| {
            beginning.starts_with(path)
                || beginning.parent() == path.parent()
                    && path
                        .as_os_str()
                        .as_bytes()
                        .starts_with(beginning.as_os_str().as_bytes())
        };
        self.paths.iter().any(|absent| absent.starts_with(path))
            || self.beginnings.iter().any(begins)
    }
}

/// `.env` and its kin, but not the examples that projects ship.
pub fn is_environment_file(name: &str) -> bool {
    const EXAMPLES: [&str; 5] = ["example", "sample", "template", "dist", "defaults"];
    match name.strip_prefix(".env") {
        Some("") => true,
        Some(rest) => rest.strip_prefix('.').is_some_and(|rest| {
            let mut parts = rest.split('.');
            !parts.any(|part| EXAMPLES.contains(&part))
        }),
        None => false,
    }
}

/// The most entries of a new directory that are looked at; one with more is taken for a secret.
const MOST_ENTRIES: usize = 2000;

/// Hears of new names, for all runs of a keeper.
#[derive(Debug)]
pub struct Sentry {
    inotify: OwnedFd,
    directories: HashMap<i32, Watched>,
}

/// A directory that is watched.
#[derive(Debug, Clone)]
struct Watched {
    path: PathBuf,
    /// Whether environment files are looked for in it.
    for_environment: bool,
}

/// A name that is new.
#[derive(Debug)]
pub struct NewName {
    directory: Watched,
    name: OsString,
}

impl Sentry {
    /// Watches nothing yet.
    pub fn open() -> io::Result<Self> {
        Ok(Self {
            inotify: inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?,
            directories: HashMap::new(),
        })
    }

    /// Watches where these names could come into being; returns one that is there already.
    pub fn guard(&mut self, absent: &AbsentNames) -> io::Result<Option<PathBuf>> {
        for directory in &absent.directories {
            self.watch(directory, true)?;
        }
        for path in absent.paths.iter().chain(&absent.beginnings) {
            let mut above = path.ancestors().skip(1);
            if let Some(nearest) = above.find(|above| above.is_dir()) {
                self.watch(nearest, false)?;
            }
        }
        for path in &absent.covered {
            for above in path.ancestors().skip(1) {
                self.watch(above, false)?;
            }
        }
        Ok(absent.present())
    }

    fn watch(&mut self, directory: &Path, for_environment: bool) -> io::Result<()> {
        let flags = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::ONLYDIR;
        match inotify::add_watch(&self.inotify, directory, flags) {
            Ok(number) => {
                let known = self.directories.entry(number).or_insert_with(|| Watched {
                    path: directory.to_owned(),
                    for_environment,
                });
                known.for_environment |= for_environment;
                Ok(())
            }
            // It has gone, or no process with these rights can list it.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// The names that are new since the last call; none if they were too many for the kernel.
    pub fn new_names(&mut self) -> Option<Vec<NewName>> {
        let mut buffer = [MaybeUninit::uninit(); 16 << 10];
        let mut reader = Reader::new(&self.inotify, &mut buffer);
        let mut names = Vec::new();
        while let Ok(event) = reader.next() {
            if event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
                return None;
            }
            let name = event
                .file_name()
                .map(|name| OsStr::from_bytes(name.to_bytes()));
            if let (Some(directory), Some(name)) = (self.directories.get(&event.wd()), name) {
                names.push(NewName {
                    directory: directory.clone(),
                    name: name.to_owned(),
                });
            }
        }
        Some(names)
    }

    /// Which of these names has come into being, if one has. What cannot be checked counts as
    /// having come into being: an empty path.
    pub fn appeared(&mut self, absent: &AbsentNames, new: Option<&[NewName]>) -> Option<PathBuf> {
        let Some(new) = new else {
            return Some(PathBuf::new());
        };
        for NewName { directory, name } in new {
            let path = directory.path.join(name);
            let replaced = |covered: &&PathBuf| {
                covered.starts_with(&path) && fs::symlink_metadata(covered).is_ok()
            };
            if let Some(replaced) = absent.covered.iter().find(replaced) {
                return Some(replaced.clone());
            }
            if absent.concerns(&path) {
                match self.guard(absent) {
                    Ok(None) => {}
                    Ok(Some(path)) => return Some(path),
                    Err(_) => return Some(PathBuf::new()),
                }
            }
            let is_ours = |root: &PathBuf| directory.path.starts_with(root);
            if directory.for_environment && absent.directories.iter().any(is_ours) {
                let found = self.search(&path, name);
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// Looks for environment files at a new name, and watches what is below it from now on.
    fn search(&mut self, path: &Path, name: &OsStr) -> Option<PathBuf> {
        let is_secret = |name: &OsStr| name.to_str().is_some_and(is_environment_file);
        let mut left = vec![(path.to_owned(), name.to_owned())];
        let mut seen = 0;
        while let Some((path, name)) = left.pop() {
            let Ok(about) = fs::symlink_metadata(&path) else {
                continue;
            };
            if !about.is_dir() {
                if is_secret(&name) {
                    return Some(path);
                }
                continue;
            }
            seen += 1;
            if self.watch(&path, true).is_err() {
                return Some(path);
            }
            for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
                seen += 1;
                left.push((entry.path(), entry.file_name()));
            }
            if seen > MOST_ENTRIES {
                return Some(path);
            }
        }
        None
    }
}

impl AsFd for Sentry {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inotify.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn appeared(sentry: &mut Sentry, absent: &AbsentNames) -> Option<PathBuf> {
        let new = sentry.new_names();
        sentry.appeared(absent, new.as_deref())
    }

    #[test]
    fn names_that_come_into_being_are_noticed_and_others_are_not() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path();
        fs::create_dir_all(home.join("project/below")).unwrap();
        fs::create_dir(home.join(".cargo")).unwrap();
        let absent = AbsentNames {
            paths: vec![home.join(".netrc"), home.join(".config/gh/deep/hosts.yml")],
            beginnings: vec![home.join(".cargo/credentials")],
            known: Vec::new(),
            directories: vec![home.join("project"), home.join("project/below")],
            covered: Vec::new(),
        };
        let make = |name: &str| {
            let path = home.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "x").unwrap();
            path
        };
        let check = |name: &str, is_secret: bool| {
            let mut sentry = Sentry::open().unwrap();
            assert_eq!(sentry.guard(&absent).unwrap(), None);
            assert_eq!(appeared(&mut sentry, &absent), None);
            let path = make(name);
            let found = appeared(&mut sentry, &absent);
            assert_eq!(found.is_some(), is_secret, "{name}");
            fs::remove_file(path).unwrap();
        };
        for name in [
            "notes",
            ".netrc-old",
            "project/.env.example",
            ".cargo/config.toml",
        ] {
            check(name, false);
        }
        // The first of these also makes directories, which are there the second time.
        for name in [
            ".config/gh/deep/hosts.yml",
            ".config/gh/deep/hosts.yml",
            "project/new/deep/.env",
            ".netrc",
            ".cargo/credentials.toml",
            "project/below/.env.local",
        ] {
            check(name, true);
        }
        // What is renamed to such a name, and what lies in a directory that is.
        let mut sentry = Sentry::open().unwrap();
        sentry.guard(&absent).unwrap();
        make("elsewhere/inside/.env");
        assert_eq!(appeared(&mut sentry, &absent), None);
        fs::rename(home.join("elsewhere"), home.join("project/moved")).unwrap();
        assert!(appeared(&mut sentry, &absent).is_some());
        let mut sentry = Sentry::open().unwrap();
        make(".netrc");
        assert_eq!(sentry.guard(&absent).unwrap(), Some(home.join(".netrc")));
    }

    #[test]
    fn a_directory_made_step_by_step_is_followed() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path();
        let absent = AbsentNames {
            paths: vec![home.join("a/b/c/secret")],
            ..AbsentNames::default()
        };
        let mut sentry = Sentry::open().unwrap();
        sentry.guard(&absent).unwrap();
        for part in ["a", "a/b", "a/b/c"] {
            fs::create_dir(home.join(part)).unwrap();
            assert_eq!(appeared(&mut sentry, &absent), None);
        }
        fs::write(home.join("a/b/c/secret"), "").unwrap();
        let found = appeared(&mut sentry, &absent);
        assert_eq!(found, Some(home.join("a/b/c/secret")));
    }
}
