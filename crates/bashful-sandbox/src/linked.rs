//! Worktrees inside writable roots: the files by which a tree and its repository find each other.
//!
//! They are not frozen, so that a run can take a worktree away again as it made it. While a run goes
//! on they are looked at as what it made is: one that changed, and leads to no repository that is
//! searched any more, is held back.

use std::path::{Path, PathBuf};

use crate::freshness::Change;
use crate::protect::{Guard, Protected, Watch, leads_to_searched, read_small, worktree};

/// A worktree, with what its files were when they were last looked at.
#[derive(Debug, Clone)]
pub(crate) struct Linked {
    top: PathBuf,
    own: PathBuf,
    changes: [Option<Change>; 3],
}

/// Takes the worktrees that lie in these roots with their repositories out of what is frozen.
pub(crate) fn loosen(protected: &mut [(PathBuf, Protected)]) {
    let roots: Vec<PathBuf> = protected.iter().map(|(root, _)| root.clone()).collect();
    let is_backward = |path: &&PathBuf| {
        let mut above = path.ancestors().skip(2).filter_map(Path::file_name);
        path.ends_with("gitdir") && above.next().is_some_and(|name| name == "worktrees")
    };
    let frozen = protected.iter().flat_map(|(_, found)| &found.frozen);
    let backward: Vec<PathBuf> = frozen.filter(is_backward).cloned().collect();
    for gitdir in backward {
        let Some((top, own)) = tree_of(&gitdir, &roots) else {
            continue;
        };
        // Its own configuration stays as it is, and with it the whole.
        if own.join("config.worktree").symlink_metadata().is_ok() {
            continue;
        }
        let files = files_of(&top, &own);
        for (root, found) in &mut *protected {
            found.frozen.retain(|frozen| !files.contains(frozen));
            if own.starts_with(&*root) && !found.linked.iter().any(|(_, known)| *known == own) {
                found.linked.push((top.clone(), own.clone()));
            }
        }
    }
}

/// The top of the tree that a repository's file names, and its part of the repository; none unless
/// both lie in the roots, without links on the way, and lead to each other.
fn tree_of(gitdir: &Path, roots: &[PathBuf]) -> Option<(PathBuf, PathBuf)> {
    let own = gitdir.parent()?.canonicalize().ok()?;
    let dot_git = own.join(read_small(gitdir)?.trim());
    let top = dot_git.parent()?;
    let is_plain = top.canonicalize().is_ok_and(|real| real == top);
    // The top of a root has more that is protected.
    let is_root = roots.iter().any(|root| root == top);
    let (found, _) = worktree(top, &dot_git)?;
    let is_there = dot_git.ends_with(".git") && found == own;
    let is_inside = is_below(top, roots) && leads_to_searched(top, &dot_git, roots);
    (is_plain && !is_root && is_there && is_inside).then(|| (top.to_owned(), own))
}

fn is_below(path: &Path, roots: &[PathBuf]) -> bool {
    roots.iter().any(|root| path.starts_with(root))
}

/// The file in the tree, and the two in the repository.
fn files_of(top: &Path, own: &Path) -> [PathBuf; 3] {
    [top.join(".git"), own.join("commondir"), own.join("gitdir")]
}

impl Linked {
    /// The worktrees of repositories in a root, as they are now.
    pub(crate) fn of(found: &Protected) -> Vec<Self> {
        let linked = found.linked.iter().map(|(top, own)| Self {
            top: top.clone(),
            own: own.clone(),
            changes: changes(top, own),
        });
        linked.collect()
    }

    /// What changed, unless it still leads from a tree to a repository that is searched, and back.
    pub(crate) fn astray(&mut self, roots: &[PathBuf]) -> Vec<Watch> {
        let (files, now) = (
            files_of(&self.top, &self.own),
            changes(&self.top, &self.own),
        );
        if now == self.changes {
            return Vec::new();
        }
        let before = std::mem::replace(&mut self.changes, now);
        if leads_to_searched(&self.top, &files[0], roots) {
            return Vec::new();
        }
        // A tree that was moved leads there from its new place, and the old one has no file.
        let moved = tree_of(&files[2], roots);
        let judged = if moved.is_some() {
            &files[..1]
        } else {
            &files[..]
        };
        let each = judged.iter().zip(before.iter().zip(&now));
        let changed = each.filter(|(_, (before, now))| now.is_some() && before != now);
        let watches = changed.filter_map(|(path, _)| {
            let root = roots.iter().find(|root| path.starts_with(root))?;
            Some(Watch {
                root: root.clone(),
                path: path.strip_prefix(root).ok()?.to_owned(),
                guard: Guard::Hold,
            })
        });
        let watches = watches.collect();
        if let Some((top, own)) = moved {
            self.changes = changes(&top, &own);
            (self.top, self.own) = (top, own);
        }
        watches
    }
}

fn changes(top: &Path, own: &Path) -> [Option<Change>; 3] {
    files_of(top, own).map(|file| Change::at(&file))
}
