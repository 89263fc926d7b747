//! Showing root's files as those of the run's user.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::rc::Rc;

use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
use rustix::mount::{OpenTreeFlags, open_tree};

use crate::sys::mounts::{Attributes, Depth, set_attributes};
use crate::sys::namespaces::user_namespace;

thread_local! {
    static ANSWERS: RefCell<HashMap<(u64, u32, u32), bool>> = RefCell::default();
    /// Making one takes a process; they never change, so they are made once.
    static MAPS: RefCell<HashMap<(u32, u32), Rc<OwnedFd>>> = RefCell::default();
}

/// A user namespace that shows root's files as this user's, and all others as they are.
pub(crate) fn id_map(user: u32, group: u32) -> io::Result<Rc<OwnedFd>> {
    if let Some(known) = MAPS.with_borrow(|maps| maps.get(&(user, group)).cloned()) {
        return Ok(known);
    }
    let made = Rc::new(user_namespace(&map(user), &map(group))?);
    MAPS.with_borrow_mut(|maps| maps.insert((user, group), Rc::clone(&made)));
    Ok(made)
}

/// Whether the file system at this path takes such a map. Asked of the path, not of the
/// host: overlay file systems refuse, whatever is below them. The answer of a mount does
/// not change, so it is asked once.
pub(crate) fn can_map(path: &Path, user: u32) -> bool {
    let mask = StatxFlags::MNT_ID | StatxFlags::INO;
    let mount = statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, mask)
        .map(|about| (about.stx_mnt_id, about.stx_dev_major, about.stx_dev_minor))
        .ok();
    let known = mount.and_then(|mount| ANSWERS.with_borrow(|answers| answers.get(&mount).copied()));
    if let Some(known) = known {
        return known;
    }
    let answer = try_map(path, user);
    if let Some(mount) = mount {
        ANSWERS.with_borrow_mut(|answers| answers.insert(mount, answer));
    }
    answer
}

fn try_map(path: &Path, user: u32) -> bool {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
    let tried = || {
        let map = id_map(user, user)?;
        let tree = open_tree(CWD, path, flags)?;
        let attributes = Attributes {
            id_map: Some(map.as_fd()),
            ..Attributes::default()
        };
        set_attributes(&tree, c"", &attributes, Depth::Single)
    };
    tried().is_ok()
}

/// The last id that can belong to a user.
const LAST: u32 = u32::MAX - 1;

/// Root becomes `id`; every other id stays, except `id` itself.
fn map(id: u32) -> String {
    let lines = [
        Some(format!("0 {id} 1\n")),
        (id > 1).then(|| format!("1 1 {}\n", id - 1)),
        (id < LAST).then(|| format!("{0} {0} {1}\n", id + 1, LAST - id)),
    ];
    lines.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn a_map_is_one_to_one() {
        assert_eq!(map(1000), "0 1000 1\n1 1 999\n1001 1001 4294966294\n");
        assert_eq!(map(1), "0 1 1\n2 2 4294967293\n");
    }
}
