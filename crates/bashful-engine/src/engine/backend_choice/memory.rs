//! What worked, until the next boot.
//!
//! It is kept in the state directory, which no run can reach, in a file that is ours alone.
//! One that is damaged, not ours or open to others counts as absent. A weaker backend is
//! believed only while a thing that a stronger one needs is seen to be missing, and while the
//! programs that confine for us are those with which it was found: the native one needs none.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bashful_sandbox::{Backend, Host, Possibility, TRUSTED_DIRECTORIES};
use sha2::{Digest, Sha256};

use crate::base::digest::hexadecimal;
use crate::engine::host_state;
use crate::model::places::{Places, make_private};

/// More than this is no file of ours.
const LARGEST: u64 = 256;
/// A weaker one is looked at again after this: a stronger one may have failed by chance.
const WEAKER_FOR: Duration = Duration::from_secs(3600);
/// What was true for another boot or place is not kept for ever.
const OLD: Duration = Duration::from_secs(30 * 24 * 3600);

/// Where that is, and what is tried meanwhile: where no run can reach.
pub(super) fn directory(places: &Places) -> PathBuf {
    places.state.join("backends")
}

/// The memory of this user.
#[derive(Debug)]
pub(super) struct Memory {
    /// None where nothing is remembered, as it is not known for how long it would be true.
    path: Option<PathBuf>,
}

impl Memory {
    /// The file for these surroundings. Its name says which, so that a container and its host can
    /// share a home.
    pub(super) fn of(places: &Places) -> Self {
        let path = host_state::lines().map(|key| {
            let digest = Sha256::digest(key.join("\n"));
            let name = format!("backend-{}", hexadecimal(&digest, 16));
            directory(places).join(name)
        });
        Self { path }
    }

    pub(super) fn recall(&self) -> Option<Backend> {
        let (text, age) = load(self.path.as_deref()?)?;
        let (word, offered) = text.split_once('\n')?;
        let backend: Backend = word.parse().ok()?;
        match backend {
            // If it does not work any more, runs are refused, and the engine forgets it and looks
            // again.
            Backend::Native => Some(backend),
            _ if age > WEAKER_FOR => None,
            weaker => {
                let now = Offered::look();
                (now.lacks_something() && now.in_words() == offered).then_some(weaker)
            }
        }
    }

    pub(super) fn forget(&self) {
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }

    /// Remembers it. Not being able to is no error: the next process tries again.
    pub(super) fn store(&self, backend: Backend) {
        let _ = self.write(backend);
    }

    fn write(&self, backend: Backend) -> io::Result<()> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        let directory = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
        make_private(directory)?;
        for other in fs::read_dir(directory)?.flatten() {
            let age = other.metadata().and_then(|about| about.modified());
            let age = age.ok().and_then(|time| time.elapsed().ok());
            if age.is_some_and(|age| age > OLD) {
                // What was tried there is left only by a process that was killed.
                let _ = fs::remove_file(other.path()).or_else(|_| fs::remove_dir_all(other.path()));
            }
        }
        let fresh = path.with_extension(std::process::id().to_string());
        let _ = fs::remove_file(&fresh);
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&fresh)?;
        let text = format!("{backend}\n{}", Offered::look().in_words());
        let written = file
            .write_all(text.as_bytes())
            .and_then(|()| fs::rename(&fresh, path));
        if written.is_err() {
            let _ = fs::remove_file(&fresh);
        }
        written
    }
}

/// What a sandbox may be built of, found by trying, and the programs that may build it.
struct Offered(Host);

impl Offered {
    fn look() -> Self {
        Self(Host::look(Path::new("/")))
    }

    fn lacks_something(&self) -> bool {
        let Host {
            user_namespaces,
            mounts,
            proc,
            system_call_filter,
            ..
        } = &self.0;
        let all = [user_namespaces, mounts, proc];
        !system_call_filter || all.into_iter().any(|one| *one != Possibility::Possible)
    }

    fn in_words(&self) -> String {
        let host = &self.0;
        let tried = [host.user_namespaces, host.mounts, host.proc];
        let (landlock, filter) = (host.landlock, host.system_call_filter);
        let programs: Vec<String> = wrappers().collect();
        let programs = hexadecimal(&Sha256::digest(programs.join("\n")), 16);
        format!("{landlock} {filter} {tried:?} {programs}")
    }
}

/// What is in the file, and how old it is.
fn load(path: &Path) -> Option<(String, Duration)> {
    use rustix::fs::OFlags;
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.cast_signed())
        .open(path)
        .ok()?;
    let about = file.metadata().ok()?;
    let is_ours = about.is_file()
        && about.uid() == rustix::process::geteuid().as_raw()
        && about.mode().trailing_zeros() >= 6
        && about.nlink() == 1
        && about.len() <= LARGEST;
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).ok()?;
    let age = about.modified().ok()?.elapsed().ok()?;
    is_ours.then_some((text, age))
}

/// Fingerprints of the programs that confine for us, wherever they may be.
pub(crate) fn wrappers() -> impl Iterator<Item = String> {
    let names = ["bwrap", "firejail"];
    let all = TRUSTED_DIRECTORIES.map(|directory| {
        let prints = names.map(|name| fingerprint(&Path::new(directory).join(name)));
        prints.join("\n")
    });
    all.into_iter()
}

/// By which it is noticed that a program was replaced.
fn fingerprint(path: &Path) -> String {
    fs::metadata(path).map_or_else(
        |_| String::new(),
        |about| {
            let numbers = [about.dev(), about.ino(), about.size(), about.mode().into()];
            format!("{numbers:?} {} {}", about.ctime(), about.ctime_nsec())
        },
    )
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn memory() -> (tempfile::TempDir, Memory, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let memory = Memory::of(&Places::under(directory.path()));
        memory.store(Backend::Native);
        let path = memory.path.clone().unwrap();
        (directory, memory, path)
    }

    #[test]
    fn what_works_is_remembered_until_it_is_forgotten() {
        let (directory, memory, path) = memory();
        assert_eq!(memory.recall(), Some(Backend::Native));
        assert!(path.starts_with(directory.path().join("state")));
        memory.forget();
        assert_eq!(memory.recall(), None);
    }

    #[test]
    fn a_weaker_one_is_not_believed_where_nothing_is_missing() {
        let (_directory, memory, path) = memory();
        for backend in [Backend::Bubblewrap, Backend::Firejail, Backend::Landlock] {
            memory.store(backend);
            assert!(
                fs::read_to_string(&path)
                    .unwrap()
                    .starts_with(backend.as_str())
            );
            assert_eq!(memory.recall(), None, "{backend}");
        }
    }

    #[test]
    fn what_is_not_ours_alone_is_not_believed() {
        let (directory, memory, path) = memory();
        let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        mode(0o620);
        assert_eq!(memory.recall(), None);
        mode(0o600);
        assert_eq!(memory.recall(), Some(Backend::Native));
        let other = directory.path().join("other");
        fs::hard_link(&path, &other).unwrap();
        assert_eq!(memory.recall(), None);
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        assert_eq!(memory.recall(), None);
        fs::remove_file(&path).unwrap();
        fs::write(&path, "native\n".repeat(100)).unwrap();
        mode(0o600);
        assert_eq!(memory.recall(), None);
    }
}
