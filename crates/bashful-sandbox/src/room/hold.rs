//! Holding back what a run made that would execute on the host later.
//!
//! Nothing is deleted: it gets another name in the same place, under which nothing
//! acts upon it, and the result says so. The run may do its best to be in the way, so
//! whatever cannot be looked at is held back as a whole.

mod git;
mod judge;
mod links;

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{
    AtFlags, Dir, FileType, Gid, Mode, OFlags, RenameFlags, ResolveFlags, Stat, Uid, fchmod,
    fchown, fstat, openat, openat2, readlinkat, renameat_with, statat,
};
use rustix::io::Errno;

use super::git_copies::{MOST_BYTES as MOST_CONFIG_BYTES, read_config, replace};
use crate::freshness::Inode;
use crate::git_config::{HeldKey, sanitise};
use crate::left_behind::{Effort, Ground, Moments, Spent};
use crate::plan::ROOM_DIRECTORY;
use crate::profile::{Network, Violation};
use crate::protect::{Guard, Watch, leads_to_searched};

/// For which run something is held back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeldBy<'a> {
    /// What goes into the new name.
    pub(crate) tag: &'a str,
    pub(crate) network: Network,
    /// What is searched when the run has ended.
    pub(crate) searched: &'a [PathBuf],
}

/// Looks for what did not exist before and holds it back.
/// Nothing is done in a root that is not the same any more.
pub(crate) fn hold_back(
    watched: &[Watch],
    by: HeldBy<'_>,
    is_same: &dyn Fn(&Path, Inode) -> bool,
) -> Vec<Violation> {
    // Only names at the top are watched, and those of hooks are counted.
    let effort = Effort::of(Duration::from_secs(10));
    let mut holding = Holding {
        tag: by.tag,
        whose: Whose::Run(by),
        effort: &effort,
        led_to: Vec::new(),
        most_addresses: MOST_ADDRESSES,
        found: Vec::new(),
        told: 0,
    };
    let mut root: Option<(&Path, OwnedFd)> = None;
    for watch in watched {
        if root.as_ref().is_none_or(|(path, _)| *path != watch.root) {
            match open_root(&watch.root) {
                Ok(opened)
                    if Inode::of_open(&opened).is_some_and(|own| is_same(&watch.root, own)) =>
                {
                    root = Some((&watch.root, opened));
                }
                Ok(_) => {
                    root = None;
                    continue;
                }
                Err(error) => {
                    holding.tell(
                        watch.root.clone(),
                        format!(
                            "it cannot be looked at: {error}; do not use it without looking first"
                        ),
                    );
                    return holding.into_found();
                }
            }
        }
        if let Some((_, opened)) = &root {
            holding.look(watch, opened);
        }
    }
    holding.into_found()
}

/// Opens a writable root, also one that the run closed against its owner.
pub(crate) fn open_root(path: &Path) -> io::Result<OwnedFd> {
    // No link on the way: it was resolved before, and a run may have put one there since.
    let open = || {
        openat2(
            rustix::fs::CWD,
            path,
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            Mode::empty(),
            ResolveFlags::NO_SYMLINKS,
        )
    };
    match open() {
        Err(Errno::ACCESS) => {
            let mode = fs::metadata(path)?.permissions().mode();
            fs::set_permissions(path, fs::Permissions::from_mode(mode | 0o700))?;
            Ok(open()?)
        }
        opened => Ok(opened?),
    }
}

/// A search of watched names that holds back what it must.
pub(crate) struct Holding<'a> {
    tag: &'a str,
    whose: Whose<'a>,
    /// Where it is spent, what is looked at stays as it is: it is looked at once more.
    effort: &'a Effort,
    /// What is to be looked at because a link of the person's leads there.
    pub(crate) led_to: Vec<(PathBuf, Guard)>,
    /// How many addresses can be told of one file.
    most_addresses: usize,
    found: Vec<Violation>,
    /// How much was found, addresses aside.
    told: usize,
}

/// Who made the files that are looked at.
enum Whose<'a> {
    /// This run's: they were not there before it.
    Run(HeldBy<'a>),
    /// A run's if they changed in these moments, and otherwise the person's.
    ByTime(&'a Moments, &'a Ground),
}

/// More than this is counted, and not told one by one.
const MOST_TOLD: usize = 50;
/// A directory of hooks with more names than this is not a directory of hooks.
const MOST_HOOKS: usize = 20_000;
/// One that is a run's is renamed as a whole if there are more names in it.
const MOST_RENAMED: usize = 500;

impl<'a> Holding<'a> {
    pub(crate) fn new(
        tag: &'a str,
        moments: &'a Moments,
        ground: &'a Ground,
        effort: &'a Effort,
        most_addresses: usize,
    ) -> Self {
        Self {
            tag,
            whose: Whose::ByTime(moments, ground),
            effort,
            led_to: Vec::new(),
            most_addresses: most_addresses.min(MOST_ADDRESSES),
            found: Vec::new(),
            told: 0,
        }
    }

    /// Whether a run made or changed this.
    fn is_runs(&self, about: &Stat) -> bool {
        match self.whose {
            Whose::Run(_) => true,
            Whose::ByTime(moments, _) => {
                let nanoseconds = i64::try_from(about.st_ctime_nsec).unwrap_or_default();
                moments.include(about.st_ctime, nanoseconds)
            }
        }
    }

    /// Follows the path one name at a time, so that a link on the way is seen as such.
    pub(crate) fn look(&mut self, watch: &Watch, root: &OwnedFd) {
        // The directory that we are in, and how it is called in the one above.
        let mut way: Vec<OwnedFd> = Vec::new();
        let mut sofar = PathBuf::new();
        let mut names = watch.path.iter().map(Path::new).peekable();
        while let Some(name) = names.next() {
            let here = way.last().unwrap_or(root).as_fd();
            let about = match statat(here, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(about) => about,
                Err(Errno::NOENT | Errno::NOTDIR) => return,
                // The directory does not let us search it: then all of it is held back.
                Err(_) => return self.hold_last(watch, root, &way, &sofar),
            };
            sofar.push(name);
            let kind = FileType::from_raw_mode(about.st_mode);
            let whole = watch.root.join(&sofar);
            if kind == FileType::Symlink && !self.is_runs(&about) {
                // The person's own: what it leads to is looked at instead.
                let path = watch.root.join(&watch.path);
                return self.led_to.push((path, watch.guard));
            }
            if names.peek().is_some() {
                // On the way there must be directories: anything else leads elsewhere.
                match open_directory(here, name) {
                    Ok(next) if kind == FileType::Directory => way.push(next),
                    Err(Errno::NOENT) => return,
                    // What a new worktree has is looked at again in the search after the run.
                    _ if kind == FileType::RegularFile && self.is_new_worktree(&whole) => return,
                    _ => return self.hold(whole, here, name),
                }
                continue;
            }
            self.judge(watch.guard, kind, &about, &Named { whole, here, name });
        }
    }

    /// Whether the top of a root became a worktree of a repository that is searched.
    fn is_new_worktree(&self, dot_git: &Path) -> bool {
        match (&self.whose, dot_git.parent()) {
            (Whose::Run(by), Some(top)) => {
                dot_git.ends_with(".git") && leads_to_searched(top, dot_git, by.searched)
            }
            _ => false,
        }
    }

    /// Decides about one file or directory.
    fn judge(&mut self, guard: Guard, kind: FileType, about: &Stat, thing: &Named<'_>) {
        let Named { whole, here, name } = thing;
        let (here, name) = (*here, *name);
        match (guard, kind) {
            (Guard::Hooks, FileType::Directory) => self.hold_hooks(about, whole, here, name),
            (Guard::Addresses, FileType::Directory) => self.hold_addresses(thing),
            (Guard::Links, FileType::Directory) => self.hold_links(whole, here, name),
            (Guard::Interrupted, FileType::Directory) => self.judge_interrupted(thing),
            (Guard::Links, _) | (Guard::GitFile, FileType::Directory) => {}
            _ if !self.is_runs(about) => {}
            (Guard::GitConfig, FileType::RegularFile) => {
                self.clean_config(about, thing);
            }
            // A copy of a private copy's link; it leads nowhere outside.
            (Guard::GitConfig, FileType::Symlink) if leads_into_room(here, name) => {}
            (Guard::BareRepository, _) => {
                let has = |name: &str| statat(here, name, AtFlags::empty()).is_ok();
                if has("objects") && has("refs") {
                    self.hold(whole.clone(), here, name);
                }
            }
            (guard, FileType::RegularFile) if self.is_harmless(guard, thing) => {}
            _ => self.hold(whole.clone(), here, name),
        }
    }

    /// Holds back the last directory on the way.
    fn hold_last(&mut self, watch: &Watch, root: &OwnedFd, way: &[OwnedFd], sofar: &Path) {
        let Some(name) = sofar.file_name() else {
            return self.tell(
                watch.root.clone(),
                "it cannot be searched; do not use it without looking first".to_owned(),
            );
        };
        let above = way.len().checked_sub(2).and_then(|index| way.get(index));
        let above = above.unwrap_or(root).as_fd();
        self.hold(watch.root.join(sofar), above, Path::new(name));
    }

    /// Samples stay: git makes them, and runs none.
    fn hold_hooks(&mut self, about: &Stat, whole: &Path, here: BorrowedFd<'_>, name: &Path) {
        // Where a run gave or took a name, or put the directory there, all of it is the run's.
        let is_runs = self.is_runs(about);
        let listed = open_directory(here, name).and_then(|hooks| {
            let mut names = Vec::new();
            for (index, entry) in Dir::read_from(&hooks)?.enumerate() {
                if index > MOST_HOOKS {
                    return Err(Errno::TOOBIG);
                }
                self.effort.spend(2).map_err(|Spent| Errno::CANCELED)?;
                let name = entry?.file_name().to_bytes().to_vec();
                let harmless =
                    name == b"." || name == b".." || name.ends_with(b".sample") || is_held(&name);
                if !harmless {
                    names.push(name);
                }
                if is_runs && names.len() > MOST_RENAMED {
                    return Err(Errno::TOOBIG);
                }
            }
            Ok((hooks, names))
        });
        if self.effort.is_spent() {
            return;
        }
        let Ok((hooks, names)) = listed else {
            return self.hold(whole.to_owned(), here, name);
        };
        for name in names {
            let name = Path::new(std::ffi::OsStr::from_bytes(&name));
            let about = statat(&hooks, name, AtFlags::SYMLINK_NOFOLLOW);
            if is_runs || about.is_ok_and(|about| self.is_runs(&about)) {
                self.hold(whole.join(name), hooks.as_fd(), name);
            }
        }
    }

    /// Takes keys that execute out of a configuration that a run made, and tells its addresses.
    fn clean_config(&mut self, about: &Stat, thing: &Named<'_>) {
        let Named { whole, here, name } = thing;
        let (here, name) = (*here, *name);
        let length = u64::try_from(about.st_size).unwrap_or_default();
        // It is read, taken apart and put together.
        if self
            .effort
            .spend_bytes(4 * length.min(MOST_CONFIG_BYTES))
            .is_err()
        {
            return;
        }
        let cleaned = read_config(here, name).and_then(|text| {
            let cleaned = sanitise(&text, &self.hosts())
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
            // What was there when an earlier run ended was told of that one, unless the rest of the
            // repository was not.
            let is_new = self.is_new(about) || fstat(here).is_ok_and(|around| self.is_new(&around));
            let addresses = if is_new {
                cleaned.addresses
            } else {
                Vec::new()
            };
            refuse_countless(&addresses, self.most_addresses)?;
            let mut kept = String::new();
            if !cleaned.held.is_empty() {
                // Some of it may be the person's, from before the run.
                if let Whose::ByTime(..) = self.whose {
                    let copy = self.keep_copy(here, name, &text)?;
                    kept = format!("; all of it is kept as `{}`", copy.display());
                }
                replace(here, name, &cleaned.text)?;
            }
            Ok((cleaned.held, addresses, kept))
        });
        match cleaned {
            Ok((held, addresses, kept)) => {
                for held in held {
                    self.add(
                        "git_config",
                        whole.clone(),
                        "git-config",
                        format!(
                            "taken out, because git would act upon it outside: {} = {}{kept}",
                            held.key, held.value
                        ),
                    );
                }
                self.most_addresses -= addresses.len().min(self.most_addresses);
                self.found.extend(addresses_in(whole, &addresses));
            }
            // Unreadable, no configuration, or its lock is held, perhaps for that purpose.
            Err(_) => self.hold(whole.clone(), here, name),
        }
    }

    /// Whether what changed then was not looked at after an earlier run.
    fn is_new(&self, about: &Stat) -> bool {
        match self.whose {
            Whose::Run(_) => true,
            Whose::ByTime(moments, _) => {
                let nanoseconds = i64::try_from(about.st_ctime_nsec).unwrap_or_default();
                moments.are_new(about.st_ctime, nanoseconds)
            }
        }
    }

    /// Keeps a text beside the file that it was in, under a name that nothing acts upon.
    fn keep_copy(&self, here: BorrowedFd<'_>, name: &Path, text: &[u8]) -> io::Result<PathBuf> {
        let mut copy = name.as_os_str().to_owned();
        copy.push(HELD);
        copy.push(self.tag);
        let file = openat(here, &copy, NEW, Mode::RUSR | Mode::WUSR)?;
        let about = statat(here, name, AtFlags::SYMLINK_NOFOLLOW)?;
        // The person who will look at it is the owner of the original.
        if rustix::process::geteuid().is_root() {
            let (user, group) = (Uid::from_raw(about.st_uid), Gid::from_raw(about.st_gid));
            fchown(&file, Some(user), Some(group))?;
        }
        File::from(file).write_all(text)?;
        Ok(PathBuf::from(copy))
    }

    fn hold(&mut self, whole: PathBuf, directory: BorrowedFd<'_>, name: &Path) {
        self.hold_as(whole, directory, name, "");
    }

    /// The same where any name may be one of a remote, but none that a run can choose has this end.
    fn hold_unnameably(&mut self, whole: PathBuf, directory: BorrowedFd<'_>, name: &Path) {
        self.hold_as(whole, directory, name, UNNAMEABLE);
    }

    fn hold_as(&mut self, whole: PathBuf, directory: BorrowedFd<'_>, name: &Path, end: &str) {
        let note = match rename_aside(directory, name, self.tag, end) {
            Ok(new_name) => format!(
                "held back as `{}`, because it would be executed outside; look at it, then rename it if you want it",
                new_name.display()
            ),
            Err(error) => {
                format!("it could not be held back: {error}; do not use it without looking first")
            }
        };
        self.tell(whole, note);
    }

    fn tell(&mut self, path: PathBuf, note: String) {
        self.add("protected", path, "paths_write", note);
    }

    fn add(&mut self, kind: &str, path: PathBuf, missing: &str, note: String) {
        if self.told < MOST_TOLD {
            self.found.push(Violation {
                kind: kind.to_owned(),
                path: Some(path),
                missing: missing.to_owned(),
                source: "keeper".to_owned(),
                note: Some(note),
                ..Violation::default()
            });
        }
        self.told += 1;
    }

    /// What was found, with the number of what is not told one by one.
    pub(crate) fn into_found(mut self) -> Vec<Violation> {
        let untold = self.told.saturating_sub(MOST_TOLD);
        self.found.extend(Violation::untold(untold));
        self.found
    }
}

/// The addresses of a configuration outside, each for itself.
pub(crate) fn addresses_in<'a>(
    config: &'a Path,
    addresses: &'a [HeldKey],
) -> impl Iterator<Item = Violation> + 'a {
    addresses.iter().map(|address| Violation {
        kind: "git_config".to_owned(),
        path: Some(config.to_owned()),
        source: "keeper".to_owned(),
        note: Some(format!(
            "git's addresses changed outside too: {}",
            address.doing()
        )),
        ..Violation::default()
    })
}

/// More addresses of one file than a person would read.
pub(crate) const MOST_ADDRESSES: usize = 200;

/// All addresses are told, so those that are too many are not let through.
pub(crate) fn refuse_countless(addresses: &[HeldKey], most: usize) -> io::Result<()> {
    let count = addresses.len();
    if count <= most {
        return Ok(());
    }
    Err(io::Error::other(format!("it changes {count} addresses")))
}

/// A file or directory by its whole name, and by its name in the directory that it is in.
struct Named<'a> {
    whole: PathBuf,
    here: BorrowedFd<'a>,
    name: &'a Path,
}

fn leads_into_room(directory: BorrowedFd<'_>, name: &Path) -> bool {
    let target = readlinkat(directory, name, Vec::new());
    target.is_ok_and(|target| {
        let place = format!("{ROOM_DIRECTORY}/git/");
        target.to_bytes().starts_with(place.as_bytes())
    })
}

const HELD: &str = ".held-";
/// A file is made, and nothing that is there is opened.
const NEW: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Whether a file got its name because it was held back.
pub(crate) fn is_held(name: &[u8]) -> bool {
    name.windows(HELD.len()).any(|part| part == HELD.as_bytes())
}

/// The end of a name that no remote has which a run could have git use.
const UNNAMEABLE: &str = "~";

/// Whether a file was held back under such a name, or had it before.
pub(crate) fn is_unnameable(name: &[u8]) -> bool {
    is_held(name) && name.ends_with(UNNAMEABLE.as_bytes())
}

/// Gives a file a name that nothing acts upon, and that the run cannot foresee.
fn rename_aside(
    directory: BorrowedFd<'_>,
    name: &Path,
    tag: &str,
    end: &str,
) -> io::Result<PathBuf> {
    let mut suffix = String::new();
    let mut is_too_long = false;
    for _ in 0..8 {
        let mut text = if is_too_long {
            std::ffi::OsString::new()
        } else {
            name.as_os_str().to_owned()
        };
        text.push(HELD);
        text.push(tag);
        text.push(&suffix);
        text.push(end);
        let new_name = PathBuf::from(text);
        let rename = || {
            let flags = RenameFlags::NOREPLACE;
            renameat_with(directory, name, directory, &new_name, flags)
        };
        let renamed = match rename() {
            Err(Errno::ACCESS | Errno::PERM) => with_write_permission(directory, rename),
            renamed => renamed,
        };
        match renamed {
            Ok(()) => return Ok(new_name),
            // Taken, or too long: then a name that is random, or short too.
            Err(Errno::EXIST) => {}
            Err(Errno::NAMETOOLONG) => is_too_long = true,
            Err(errno) => return Err(errno.into()),
        }
        let mut random = [0_u8; 8];
        rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())?;
        suffix = format!("-{:016x}", u64::from_ne_bytes(random));
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Acts in a directory that its owner, who we are, may not write just now.
fn with_write_permission(
    directory: BorrowedFd<'_>,
    act: impl Fn() -> rustix::io::Result<()>,
) -> rustix::io::Result<()> {
    let mode = Mode::from_raw_mode(fstat(directory)?.st_mode & 0o7777);
    fchmod(directory, mode | Mode::RWXU)?;
    let outcome = act();
    let _ = fchmod(directory, mode);
    outcome
}

fn open_directory(at: impl AsFd, path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(at, path, flags, Mode::empty())
}
