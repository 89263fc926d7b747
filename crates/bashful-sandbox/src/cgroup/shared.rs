//! What this host offers, found once.

use std::cell::RefCell;
use std::rc::Rc;

use super::Cgroups;

thread_local! {
    static FOUND: RefCell<Option<(u32, Rc<Cgroups>)>> = const { RefCell::new(None) };
    static COMPANIONS: RefCell<Vec<i32>> = const { RefCell::new(Vec::new()) };
}

/// To be called after this process was moved to another control group, together with these
/// others of ours: groups for runs are looked for there, and those others may go along if the
/// place must be freed for that.
pub fn share_group_with(companions: &[i32]) {
    COMPANIONS.set(companions.to_vec());
    FOUND.set(None);
}

/// Removes what keepers that no longer live left beside the groups of this process, if it made any.
pub fn remove_abandoned_beside_ours() {
    FOUND.with_borrow(|found| {
        if let Some((owner, groups)) = found
            && *owner == std::process::id()
        {
            groups.remove_abandoned();
        }
    });
}

/// The control groups of this process. Looking takes a while, so it is done again only in a fork
/// and after [`share_group_with`].
pub(crate) fn shared_groups() -> Rc<Cgroups> {
    // The names of groups carry the process: a fork must look for itself.
    let process = std::process::id();
    FOUND.with_borrow_mut(|found| match found {
        Some((owner, groups)) if *owner == process => Rc::clone(groups),
        _ => {
            let groups = Rc::new(COMPANIONS.with_borrow(|others| Cgroups::find(others)));
            *found = Some((process, Rc::clone(&groups)));
            groups
        }
    })
}
