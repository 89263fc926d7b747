//! Putting a template's file tree together from its plan.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, mknodat, openat2};
use rustix::mount::{
    MountFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount, move_mount, open_tree, unmount,
};
use rustix::process::{chdir, pivot_root};

use super::build::{BuildError, BuildStep, at};
use super::private::{attributes_of, give, make_directory, make_private_for, tmpfs};
use crate::plan::{Access, Entry, Plan, Private};
use crate::sys::mounts::{
    Attributes, Depth, NO_DEVICES, NO_EXECUTE, NO_SETUID, READ_ONLY, set_attributes,
};

/// What a template takes from the host, not yet in any tree; by place in the plan.
pub(super) struct Sources(Vec<Option<OwnedFd>>);

impl Sources {
    /// Takes everything, in the host's mount namespace.
    pub(super) fn take(plan: &Plan, map: Option<BorrowedFd<'_>>) -> Result<Self, BuildError> {
        let take = |entry: &Entry| match entry {
            Entry::Bind {
                path,
                access,
                mapped,
                ..
            } => take(path, *access, map.filter(|_| *mapped)).map(Some),
            _ => Ok(None),
        };
        plan.view
            .iter()
            .map(take)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

fn take(path: &Path, access: Access, map: Option<BorrowedFd<'_>>) -> Result<OwnedFd, BuildError> {
    let found = open_itself(path).map_err(at(BuildStep::Take, path))?;
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    let tree = open_tree(&found, "", flags).map_err(at(BuildStep::Take, path))?;
    let attributes = Attributes {
        set: match access {
            Access::Read | Access::Program => READ_ONLY | NO_SETUID | NO_DEVICES,
            Access::Data => READ_ONLY | NO_SETUID | NO_DEVICES | NO_EXECUTE,
            Access::Write => NO_SETUID | NO_DEVICES,
            Access::WriteData => NO_SETUID | NO_DEVICES | NO_EXECUTE,
            // A device opens for writing all the same; its node does not change.
            Access::Device => READ_ONLY | NO_SETUID | NO_EXECUTE,
        },
        id_map: None,
        private: true,
    };
    set_attributes(&tree, c"", &attributes, Depth::Whole).map_err(at(BuildStep::Take, path))?;
    if let Some(map) = map {
        let mapped = Attributes {
            id_map: Some(map),
            ..Attributes::default()
        };
        let whole = set_attributes(&tree, c"", &mapped, Depth::Whole);
        let outcome = whole.or_else(|_| set_attributes(&tree, c"", &mapped, Depth::Single));
        // What is only read may stay as it is: then root's private files are out of reach.
        if matches!(access, Access::Write | Access::WriteData) {
            outcome.map_err(at(BuildStep::Identity, path))?;
        }
    }
    Ok(tree)
}

/// Where the room's own file systems come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Own {
    /// They are made: this is the room's first template.
    Made,
    /// They are in the tree that we are in: another template.
    Taken,
}

impl Own {
    /// A directory that is certainly there and may be covered.
    fn stage(self) -> &'static Path {
        Path::new(match self {
            Self::Made => "/tmp",
            Self::Taken => "/mnt",
        })
    }
}

/// Builds the tree in this mount namespace and makes it the only one in it.
pub(super) fn assemble(plan: &Plan, sources: Sources, own: Own) -> Result<(), BuildError> {
    let stage = own.stage();
    tmpfs(stage, "mode=0755,size=64m,nr_inodes=200k")?;
    let root = stage.join("new");
    make_directory(&root)?;
    make_directory(stage.join("masks"))?;
    let mut tree = Tree {
        stage,
        masks: 0,
        hidden: BTreeMap::new(),
        own,
        plan,
    };
    let whole = plan
        .view
        .first()
        .is_some_and(|entry| entry.path() == Path::new("/"));
    if !whole {
        tmpfs(&root, "mode=0755,size=16m,nr_inodes=50k")?;
        chdir(&root).map_err(at(BuildStep::Base, &root))?;
    }
    for (index, (entry, source)) in plan.view.iter().zip(sources.0).enumerate() {
        if whole && index == 0 {
            if let Some(source) = source {
                place(&source, &root)?;
            }
            chdir(&root).map_err(at(BuildStep::Base, &root))?;
            continue;
        }
        let before = plan.view.get(..index).unwrap_or_default();
        tree.put(entry, source, before)?;
    }
    let here = Path::new(".");
    pivot_root(here, here).map_err(at(BuildStep::Close, "/"))?;
    unmount(here, UnmountFlags::DETACH).map_err(at(BuildStep::Close, "/"))?;
    chdir("/").map_err(at(BuildStep::Close, "/"))?;
    if !whole {
        let closed = Attributes {
            set: READ_ONLY | NO_SETUID | NO_DEVICES,
            ..Attributes::default()
        };
        set_attributes(CWD, c"/", &closed, Depth::Single).map_err(at(BuildStep::Close, "/"))?;
    }
    Ok(())
}

struct Tree<'a> {
    /// Where covers for other files are made; gone when the tree is closed.
    stage: &'a Path,
    /// How many covers there are already.
    masks: usize,
    /// Hidden directories and what covers them.
    hidden: BTreeMap<PathBuf, PathBuf>,
    own: Own,
    plan: &'a Plan,
}

impl Tree<'_> {
    fn put(
        &mut self,
        entry: &Entry,
        source: Option<OwnedFd>,
        before: &[Entry],
    ) -> Result<(), BuildError> {
        let path = entry.path();
        let target = below_here(path);
        let failed = |error| at::<std::io::Error>(BuildStep::Place, path)(error);
        match entry {
            Entry::Directory { .. } => self.make_place(path, before, Shape::Directory),
            Entry::Link { target: to, .. } => {
                let Some(own) = self.own_place(path, before) else {
                    return Ok(());
                };
                make_parents(&own)?;
                symlink(to, &own).map_err(failed)
            }
            Entry::Text { text, .. } => {
                let mask = self.mask();
                fs::write(&mask, text).map_err(failed)?;
                // The mask is empty here, and a table is for reading.
                fs::set_permissions(&mask, fs::Permissions::from_mode(0o644)).map_err(failed)?;
                cover_whole(
                    &mask,
                    &target,
                    READ_ONLY | NO_SETUID | NO_DEVICES | NO_EXECUTE,
                )
            }
            Entry::Bind { is_directory, .. } => {
                let shape = if *is_directory {
                    Shape::Directory
                } else {
                    Shape::File
                };
                self.make_place(path, before, shape)?;
                source.map_or(Ok(()), |source| place(&source, &target))
            }
            Entry::Without { programs, .. } => self.put_without(path, &target, programs),
            Entry::Private { which, .. } => {
                self.make_place(path, before, Shape::Directory)?;
                self.put_private(*which, path, &target)
            }
            Entry::Pin { .. } => cover_whole(&target, &target, 0),
            Entry::Freeze { .. } => cover_whole(&target, &target, READ_ONLY),
            Entry::HideDirectory { .. } => {
                let mask = self.mask();
                make_directory(&mask)?;
                self.hidden.insert(path.to_owned(), mask.clone());
                cover_whole(&mask, &target, READ_ONLY | NO_SETUID | NO_DEVICES)
            }
            Entry::HideFile { .. } => {
                let mask = self.stage.join("masks/nothing");
                if fs::symlink_metadata(&mask).is_err() {
                    fs::write(&mask, "").map_err(failed)?;
                    let nobody = fs::Permissions::from_mode(0o000);
                    fs::set_permissions(&mask, nobody).map_err(failed)?;
                }
                cover_whole(
                    &mask,
                    &target,
                    READ_ONLY | NO_SETUID | NO_DEVICES | NO_EXECUTE,
                )
            }
            Entry::GitConfig { copy, .. } => {
                let mask = self.mask();
                symlink(copy, &mask).map_err(failed)?;
                // A copy of the repository takes the owner along, which must be possible.
                give(&mask, self.plan)?;
                cover_whole(&mask, &target, READ_ONLY)
            }
        }
    }

    fn put_private(&self, which: Private, path: &Path, target: &Path) -> Result<(), BuildError> {
        match self.own {
            // Without what other templates have in it.
            Own::Taken => {
                let set = attributes_of(which, self.plan);
                cover(path, target, set, OpenTreeFlags::empty())
            }
            Own::Made => make_private_for(which, target, &self.stage.join("memory"), self.plan),
        }
    }

    /// A directory without some programs: an overlay that crosses them out.
    fn put_without(
        &mut self,
        path: &Path,
        target: &Path,
        programs: &[PathBuf],
    ) -> Result<(), BuildError> {
        let mask = self.mask();
        make_directory(&mask)?;
        for program in programs {
            let crossed = mask.join(program);
            make_parents(&crossed)?;
            mknodat(CWD, &crossed, FileType::CharacterDevice, Mode::empty(), 0)
                .map_err(at(BuildStep::Place, path.join(program)))?;
        }
        let options = format!("lowerdir={}:{}", mask.display(), target.display());
        let options = CString::new(options).unwrap_or_default();
        let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
        mount(
            "overlay",
            target,
            "overlay",
            flags,
            Some(options.as_c_str()),
        )
        .map_err(at(BuildStep::Place, path))
    }

    fn mask(&mut self) -> PathBuf {
        self.masks += 1;
        self.stage.join("masks").join(self.masks.to_string())
    }

    /// Where a mount point can be made so that it appears at `path`; none if that lies in a part
    /// of the host's tree, where we make nothing.
    fn own_place(&self, path: &Path, before: &[Entry]) -> Option<PathBuf> {
        let above = before.iter().rev().find(|entry| {
            let has_content = !matches!(
                entry,
                Entry::Directory { .. } | Entry::Link { .. } | Entry::Pin { .. }
            );
            has_content && path != entry.path() && path.starts_with(entry.path())
        });
        match above {
            None | Some(Entry::Private { .. }) => Some(below_here(path)),
            Some(Entry::HideDirectory { path: hidden }) => {
                let below = path.strip_prefix(hidden).ok()?;
                Some(self.hidden.get(hidden)?.join(below))
            }
            Some(_) => None,
        }
    }

    fn make_place(&self, path: &Path, before: &[Entry], shape: Shape) -> Result<(), BuildError> {
        let Some(own) = self.own_place(path, before) else {
            return Ok(());
        };
        if fs::symlink_metadata(&own).is_ok() {
            return Ok(());
        }
        make_parents(&own)?;
        match shape {
            Shape::Directory => make_directory(&own),
            // New, and not through a link that a run put there.
            Shape::File => fs::File::create_new(&own)
                .map(drop)
                .map_err(at(BuildStep::Place, path)),
        }
    }
}

/// Covers `target` with what is at `source` in this namespace, and with all that is
/// mounted below that.
fn cover_whole(source: &Path, target: &Path, set: u64) -> Result<(), BuildError> {
    cover(source, target, set, OpenTreeFlags::AT_RECURSIVE)
}

/// Covers `target` with what is at `source`; a link is covered itself, not what it leads to.
pub(super) fn cover(
    source: &Path,
    target: &Path,
    set: u64,
    also: OpenTreeFlags,
) -> Result<(), BuildError> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_SYMLINK_NOFOLLOW
        | OpenTreeFlags::AT_EMPTY_PATH
        | also;
    let source = open_itself(source).map_err(at(BuildStep::Take, target))?;
    let tree = open_tree(&source, "", flags).map_err(at(BuildStep::Take, target))?;
    if set != 0 {
        let attributes = Attributes {
            set,
            ..Attributes::default()
        };
        set_attributes(&tree, c"", &attributes, Depth::Whole)
            .map_err(at(BuildStep::Take, target))?;
    }
    place(&tree, target)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Directory,
    File,
}

fn make_parents(path: &Path) -> Result<(), BuildError> {
    let missing: Vec<&Path> = path
        .ancestors()
        .skip(1)
        .take_while(|above| !above.as_os_str().is_empty() && fs::symlink_metadata(above).is_err())
        .collect();
    for above in missing.into_iter().rev() {
        make_directory(above)?;
    }
    Ok(())
}

/// What is at a path, without following a link: not at its end, and not on the way, where
/// another run could have put one since the plan was made.
fn open_itself(path: &Path) -> rustix::io::Result<OwnedFd> {
    openat2(
        CWD,
        path,
        OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW,
        Mode::empty(),
        ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS,
    )
}

fn place(tree: &impl AsFd, target: &Path) -> Result<(), BuildError> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    open_itself(target)
        .and_then(|place| move_mount(tree, "", &place, "", flags))
        .map_err(at(BuildStep::Place, target))
}

pub(super) fn c_path(path: &Path) -> Option<CString> {
    CString::new(path.as_os_str().as_bytes()).ok()
}

/// The path as seen from the root that is being built, which we are in.
fn below_here(path: &Path) -> PathBuf {
    path.strip_prefix("/").unwrap_or(path).to_owned()
}
