//! Room of a run's own: a directory to work in, gone when the run is.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{FlockOperation, Mode, OFlags, flock};

use crate::base::real::real;
use crate::base::removal::remove;
use crate::model::error::script::ScriptError;
use crate::model::places::{Places, SCRATCH, make_private, other_scratch};
use crate::model::script::Destinations;

/// By then a run has locked the directory that it made. What is older and not locked was left
/// behind.
const SOON: Duration = Duration::from_secs(600);

/// A directory of a run's own. It goes when this does; if this process is killed first, with the
/// next run of a script.
#[derive(Debug)]
pub(crate) struct Scratch {
    root: PathBuf,
    place: PathBuf,
    /// Held as long as it is in use.
    _lock: File,
}

impl Scratch {
    /// Makes one, out of the reach of what the script declares.
    pub(crate) fn new(places: &Places, reach: &Destinations) -> Result<Self, ScriptError> {
        Self::make(places, reach).map_err(|source| ScriptError::Resources {
            what: "a scratch directory",
            source,
        })
    }

    fn make(places: &Places, reach: &Destinations) -> io::Result<Self> {
        let usual = private(&places.cache.join(SCRATCH))?;
        let is_reached = reach.values().any(|path| usual.starts_with(path));
        let root = if is_reached {
            private(&other_scratch())?
        } else {
            usual
        };
        // What is in reach of the script would be no scratch of its own, and shows that of others.
        if reach.values().any(|path| root.starts_with(path)) {
            let detail = format!(
                "what the script declares covers both places for its scratch directory; run it in a directory with \
                 `--cwd`, or declare less than `{}`",
                root.parent().unwrap_or(&root).display()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, detail));
        }
        tidy(&root);
        let mut random = [0; 16];
        rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())?;
        let place = root.join(format!("{:032x}", u128::from_ne_bytes(random)));
        make_private(&place)?;
        let scratch = Self {
            _lock: locked(&place)?,
            root,
            place,
        };
        make_private(&scratch.work())?;
        Ok(scratch)
    }

    /// Where all of them are.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Where a run works.
    pub(crate) fn work(&self) -> PathBuf {
        self.place.join("work")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.place);
    }
}

/// A directory that is ours alone, made if it is not there; real.
fn private(directory: &Path) -> io::Result<PathBuf> {
    make_private(directory)?;
    let about = fs::symlink_metadata(directory)?;
    let ours = rustix::process::geteuid().as_raw();
    if !about.is_dir() || about.uid() != ours || about.mode() & 0o022 != 0 {
        let detail = format!("others can write `{}`", directory.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, detail));
    }
    real(directory)
}

/// The lock of a scratch directory.
fn locked(place: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let lock = File::from(rustix::fs::open(place, flags, Mode::empty())?);
    flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
    Ok(lock)
}

/// Takes away what runs left behind whose host was killed.
fn tidy(root: &Path) {
    let Ok(entries) = fs::read_dir(root) else {
        return;
    };
    for entry in entries.flatten() {
        let age = entry.metadata().and_then(|about| about.modified());
        let age = age.map(|made| SystemTime::now().duration_since(made));
        let is_old = matches!(age, Ok(Ok(age)) if age > SOON);
        if is_old && let Ok(_lock) = locked(&entry.path()) {
            remove(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn scratch_is_private_and_goes() {
        let house = tempfile::tempdir().unwrap();
        let places = Places::under(house.path());
        let made = || Scratch::new(&places, &Destinations::new()).unwrap();
        let (one, other) = (made(), made());
        assert_ne!(one.work(), other.work());
        assert_eq!(fs::metadata(one.work()).unwrap().mode() & 0o777, 0o700);
        let closed = one.work().join("a/b");
        fs::create_dir_all(&closed).unwrap();
        fs::write(closed.join("x"), "x").unwrap();
        fs::set_permissions(&closed, Permissions::from_mode(0o500)).unwrap();
        fs::set_permissions(one.work().join("a"), Permissions::from_mode(0o000)).unwrap();
        let place = one.place.clone();
        drop(one);
        assert!(!place.exists() && other.work().is_dir());
    }

    #[test]
    fn what_nobody_holds_is_taken_away() {
        let house = tempfile::tempdir().unwrap();
        let places = Places::under(house.path());
        let held = Scratch::new(&places, &Destinations::new()).unwrap();
        let left = held.root().join("left");
        fs::create_dir_all(left.join("work")).unwrap();
        let old = SystemTime::now() - Duration::from_secs(3600);
        for directory in [&left, &held.place] {
            let opened = File::open(directory).unwrap();
            opened.set_modified(old).unwrap();
        }
        let next = Scratch::new(&places, &Destinations::new()).unwrap();
        assert!(!left.exists() && held.work().is_dir() && next.work().is_dir());
    }

    #[test]
    fn it_is_elsewhere_for_who_reaches_it() {
        let house = tempfile::tempdir().unwrap();
        let places = Places::under(house.path());
        let real = house.path().canonicalize().unwrap();
        let reach = Destinations::from([("~".to_owned(), real.clone())]);
        let scratch = Scratch::new(&places, &reach).unwrap();
        assert!(!scratch.work().starts_with(&real), "{:?}", scratch.work());
    }
}
