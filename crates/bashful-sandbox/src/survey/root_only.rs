//! What of the system's own only some may read, and how the keeper learns that it may have changed.
//!
//! A run that stands for root in a user namespace passes the same checks as root there, so it must
//! not see these files at all. To find them takes a walk of thousands of names, which is too much
//! for every run: between two walks the kernel reports new names, changed rights and mounts.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};

use super::Kind;

/// Where the system has files that every user sees, and some that only root may read.
const PLACES: [&str; 3] = ["/etc", "/opt", "/usr/local"];

/// After this many names, directories are hidden without a look into them.
const MOST: usize = 10_000;

/// After this time all of it is walked again: the kernel does not report when a user gives a file
/// another name elsewhere, and changes its rights by that.
const LONGEST: Duration = Duration::from_secs(60);

/// File systems whose every change goes through this kernel, by the numbers that `statfs` gives:
/// ext, XFS, Btrfs, tmpfs, ramfs, overlayfs, F2FS, ZFS, squashfs, EROFS.
const LOCAL: [i64; 10] = [
    0xEF53,
    0x5846_5342,
    0x9123_683E,
    0x0102_1994,
    0x8584_58F6,
    0x794C_7630,
    0xF2F5_2010,
    0x2FC1_2FC1,
    0x7371_7368,
    0xE0F5_E1E2,
];

/// Looks for what not every user may read.
pub(super) fn find() -> Vec<(PathBuf, Kind)> {
    walk(&PLACES.map(PathBuf::from), &mut None)
}

/// The same, and what notices changes from now on. None where the kernel does not offer that: then
/// all of it has to be walked for every run.
pub(super) fn find_and_watch() -> (Vec<(PathBuf, Kind)>, Option<Arc<StillSo>>) {
    find_and_watch_in(&PLACES.map(PathBuf::from))
}

fn find_and_watch_in(places: &[PathBuf]) -> (Vec<(PathBuf, Kind)>, Option<Arc<StillSo>>) {
    let mut watch = Watch::begin(places);
    let found = walk(places, &mut watch);
    (found, watch.map(|watch| Arc::new(watch.tells)))
}

/// Each directory is watched before it is read, so that nothing comes in between.
fn walk(places: &[PathBuf], watch: &mut Option<Watch>) -> Vec<(PathBuf, Kind)> {
    let mut found = Vec::new();
    let mut open = places.to_vec();
    let mut looked = 0;
    while let Some(directory) = open.pop() {
        watch.take_if(|watch| watch.directory(&directory).is_none());
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            looked += 1;
            let Ok(mut about) = entry.metadata() else {
                continue;
            };
            if watch.is_some() && about.is_file() && about.nlink() > 1 {
                watch.take_if(|watch| watch.file(&entry.path()).is_none());
                about = entry.metadata().unwrap_or(about);
            }
            watch.take_if(|watch| watch.is_local(&entry.path(), &about).is_none());
            let hidden = about.mode() & 0o004 == 0 && !about.is_symlink();
            match (hidden || looked > MOST, about.is_dir()) {
                (true, true) => found.push((entry.path(), Kind::Directory)),
                (true, false) if hidden => found.push((entry.path(), Kind::File)),
                (false, true) => open.push(entry.path()),
                _ => {}
            }
        }
    }
    found
}

/// Notices that what was found may be out of date.
#[derive(Debug)]
pub(crate) struct StillSo {
    inotify: OwnedFd,
    mounts: File,
    until: Instant,
    changed: AtomicBool,
}

impl StillSo {
    /// Whether nothing has changed since the walk.
    pub(crate) fn holds(&self) -> bool {
        if Instant::now() > self.until || self.has_event() {
            // The kernel reports an event of mounts once.
            self.changed.store(true, Ordering::Relaxed);
        }
        !self.changed.load(Ordering::Relaxed)
    }

    /// What cannot be asked is taken for changed.
    fn has_event(&self) -> bool {
        let mut wait = [
            PollFd::from_borrowed_fd(self.inotify.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.mounts.as_fd(), PollFlags::PRI),
        ];
        !matches!(poll(&mut wait, Some(&Timespec::default())), Ok(0))
    }
}

/// A walk whose directories are watched. A step returns none if one cannot be.
struct Watch {
    tells: StillSo,
    /// Devices that are looked at already.
    local: BTreeSet<u64>,
}

impl Watch {
    fn begin(places: &[PathBuf]) -> Option<Self> {
        let mut mounts = File::open("/proc/self/mountinfo").ok()?;
        let mut table = String::new();
        mounts.read_to_string(&mut table).ok()?;
        let flags = CreateFlags::CLOEXEC | CreateFlags::NONBLOCK;
        let mut watch = Self {
            tells: StillSo {
                inotify: inotify::init(flags).ok()?,
                mounts,
                until: Instant::now() + LONGEST,
                changed: AtomicBool::new(false),
            },
            local: BTreeSet::new(),
        };
        for point in table.lines().filter_map(|line| line.split(' ').nth(4)) {
            let below = |place: &PathBuf| Path::new(point).starts_with(place);
            if places.iter().any(below) {
                // A file that is mounted has its rights from elsewhere. One whose name the table
                // writes in another way is not looked for.
                let point = Some(point).filter(|point| !point.contains('\\'))?;
                watch.file(Path::new(point))?;
            }
        }
        // One of the places themselves may come into being, or be replaced.
        let names = WatchFlags::CREATE | WatchFlags::MOVE | WatchFlags::DELETE;
        for above in places.iter().filter_map(|place| place.parent()) {
            watch.add(above, names)?;
        }
        Some(watch)
    }

    fn directory(&mut self, path: &Path) -> Option<()> {
        let names = WatchFlags::CREATE | WatchFlags::MOVE | WatchFlags::DELETE;
        self.add(path, names | WatchFlags::ATTRIB)
    }

    fn file(&mut self, path: &Path) -> Option<()> {
        self.add(path, WatchFlags::ATTRIB)
    }

    fn add(&mut self, path: &Path, flags: WatchFlags) -> Option<()> {
        let flags = flags | WatchFlags::MASK_ADD;
        match inotify::add_watch(&self.tells.inotify, path, flags) {
            // What is not there comes into being in a directory that is watched.
            Ok(_) | Err(rustix::io::Errno::NOENT) => Some(()),
            Err(_) => None,
        }
    }

    /// Whether changes of what lies here all go through this kernel.
    fn is_local(&mut self, path: &Path, about: &Metadata) -> Option<()> {
        if about.is_symlink() || !self.local.insert(about.dev()) {
            return Some(());
        }
        let kind = rustix::fs::statfs(path).ok()?.f_type;
        LOCAL.contains(&kind).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// A place with files that every user may read, and others that only root may.
    fn place() -> (tempfile::TempDir, PathBuf) {
        let house = tempfile::tempdir().unwrap();
        let place = house.path().join("etc");
        fs::create_dir_all(place.join("open/deep")).unwrap();
        for name in ["for-all", "secret", "open/deep/for-all"] {
            fs::write(place.join(name), "").unwrap();
            set(&place.join(name), 0o644);
        }
        set(&place.join("secret"), 0o640);
        fs::hard_link(place.join("for-all"), house.path().join("other-name")).unwrap();
        (house, place)
    }

    /// What a change is called, and a function that makes it.
    type Change<'a> = (&'a str, &'a dyn Fn(&Path));

    #[test]
    fn every_change_of_who_may_read_is_told() {
        let changes: [Change<'_>; 9] = [
            ("a new file", &|place| {
                fs::write(place.join("new"), "").unwrap();
            }),
            ("a new directory, deep", &|place| {
                fs::create_dir(place.join("open/deep/new")).unwrap();
            }),
            ("rights", &|place| set(&place.join("for-all"), 0o600)),
            ("rights, deep", &|place| {
                set(&place.join("open/deep/for-all"), 0o600);
            }),
            ("rights of a directory", &|place| {
                set(&place.join("open"), 0o700);
            }),
            ("rights by another name", &|place| {
                set(&place.join("../other-name"), 0o600);
            }),
            ("something that is moved there", &|place| {
                fs::rename(place.join("../other-name"), place.join("open/moved")).unwrap();
            }),
            ("a file that another replaces", &|place| {
                fs::write(place.join("../fresh"), "").unwrap();
                fs::rename(place.join("../fresh"), place.join("secret")).unwrap();
            }),
            ("the place itself", &|place| {
                fs::rename(place, place.with_file_name("away")).unwrap();
            }),
        ];
        for (what, change) in changes {
            let (_house, place) = place();
            let (found, still) = find_and_watch_in(std::slice::from_ref(&place));
            assert_eq!(found, [(place.join("secret"), Kind::File)]);
            let still = still.unwrap();
            assert!(still.holds(), "{what}: nothing has changed yet");
            // To read is no change.
            fs::read(place.join("for-all")).unwrap();
            fs::read_dir(&place).unwrap().count();
            fs::write(place.join("for-all"), "other words").unwrap();
            assert!(
                still.holds(),
                "{what}: what was read or written is no change"
            );
            change(&place);
            assert!(!still.holds(), "{what}");
            assert!(!still.holds(), "{what}: once and for all");
        }
    }

    #[test]
    fn what_is_old_is_looked_at_again() {
        let (_house, place) = place();
        let (_, still) = find_and_watch_in(&[place]);
        let mut still = Arc::into_inner(still.unwrap()).unwrap();
        assert!(still.holds());
        still.until = Instant::now();
        std::thread::sleep(Duration::from_millis(1));
        assert!(!still.holds());
    }

    #[test]
    fn both_walks_find_the_same() {
        let (_house, place) = place();
        set(&place.join("open/deep"), 0o700);
        let places = [place.clone()];
        let found = walk(&places, &mut None);
        assert_eq!(found, find_and_watch_in(&places).0);
        assert!(found.contains(&(place.join("open/deep"), Kind::Directory)));
    }
}
