//! What git reads in a repository that can name a program or an address.
//!
//! The list is taken from git's own source and documents, and `git_left_behind` in the tests of
//! the command line tries it with real git. What is not here names neither: objects, references,
//! messages, notes, the state of merges and bisections.

use std::path::{Path, PathBuf};

use super::Effort;
use crate::git_config::{obeyed_by_git, values_of};
use crate::protect::{Guard, below, read_small};

/// What is looked at beside a `.git` of any kind.
pub(super) fn places_of_top() -> [(PathBuf, Guard); 3] {
    [
        (".git", Guard::GitFile),
        (".gitmodules", Guard::NewHosts),
        (".lfsconfig", Guard::NewHosts),
    ]
    .map(|(name, guard)| (PathBuf::from(name), guard))
}

/// What is looked at in a repository's own directory, which is here below the root.
pub(super) fn places_of(path: &Path, shared_indexes: &[PathBuf]) -> Vec<(PathBuf, Guard)> {
    let above = path.parent().and_then(Path::file_name);
    let common = if above.is_some_and(|name| name == "worktrees") {
        Guard::CommonDirectory
    } else {
        Guard::Hold
    };
    let mut places: Vec<(PathBuf, Guard)> = [
        ("hooks", Guard::Hooks),
        ("config", Guard::GitConfig),
        // Git reads it where the configuration says so, even the person's.
        ("config.worktree", Guard::GitConfig),
        ("commondir", common),
        // Work that was interrupted: `--continue` obeys it.
        ("rebase-merge", Guard::Interrupted),
        ("rebase-apply", Guard::Interrupted),
        ("sequencer", Guard::Interrupted),
        ("info/attributes", Guard::Attributes),
        ("objects/info/alternates", Guard::Alternates),
        ("objects/info/http-alternates", Guard::Hold),
        // Addresses of remotes, as they were written before there was a configuration.
        ("remotes", Guard::Addresses),
        ("branches", Guard::Addresses),
        ("fsmonitor--daemon.ipc", Guard::Hold),
        ("index", Guard::Index),
        ("MERGE_RR", Guard::Conflicts),
        ("objects/info", Guard::Links),
        ("objects/pack", Guard::Links),
        (".", Guard::Links),
    ]
    .map(|(name, guard)| (PathBuf::from(name), guard))
    .to_vec();
    places.extend(
        shared_indexes
            .iter()
            .map(|name| (name.clone(), Guard::Index)),
    );
    places
}

/// Where git looks for hooks below the root if they are to be at this path from the top of a work
/// tree, or from a repository without one. It may lead upwards and down again.
pub(super) fn hooks_at(root: &Path, top: &Path, hooks: &Path) -> Option<(PathBuf, Guard)> {
    let found = below(root, &top.join(hooks))?;
    // What is around the tree would be held back with all that is in it.
    (!top.starts_with(root.join(&found))).then_some((found, Guard::Hooks))
}

/// What a repository's own configuration has git obey elsewhere below the root, with all that it
/// includes. Whether that configuration is the person's or what is left of a run's does not matter.
pub(super) fn obeyed_by(root: &Path, path: &Path, effort: &Effort) -> Vec<(PathBuf, Guard)> {
    let own = root.join(path);
    let files = ["config", "config.worktree"].map(|name| own.join(name));
    for file in &files {
        let length = file.symlink_metadata().map_or(0, |about| about.len());
        if effort.spend_bytes(length).is_err() {
            return Vec::new();
        }
    }
    let mut places = Vec::new();
    for obeyed in obeyed_by_git(&files, None) {
        if obeyed.is_absolute() {
            places.extend(below(root, &obeyed).map(|inside| (inside, Guard::Hold)));
            continue;
        }
        // Relative to where git runs the hooks: the top of each work tree, or the repository.
        let tops = tops_of(&own, effort);
        places.extend(tops.iter().filter_map(|top| hooks_at(root, top, &obeyed)));
    }
    places
}

/// The same for the top of a work tree whose repository is elsewhere, be it below this root or not.
pub(super) fn obeyed_at(root: &Path, top: &Path) -> Vec<(PathBuf, Guard)> {
    let dot_git = top.join(".git");
    let about = dot_git.symlink_metadata();
    if about.is_ok_and(|about| about.is_dir()) {
        return Vec::new();
    }
    let named = read_small(&dot_git);
    let named = named
        .as_deref()
        .and_then(|text| text.strip_prefix("gitdir:"));
    let own = named.map_or_else(|| dot_git.clone(), |named| top.join(named.trim()));
    let common = read_small(&own.join("commondir"));
    let common = common.map_or_else(|| own.clone(), |common| own.join(common.trim()));
    let files = [common.join("config"), own.join("config.worktree")];
    let each = obeyed_by_git(&files, None).into_iter();
    let each = each.filter_map(|obeyed| {
        if obeyed.is_absolute() {
            return Some((below(root, &obeyed)?, Guard::Hold));
        }
        hooks_at(root, top, &obeyed)
    });
    each.collect()
}

/// The tops of the work trees that a repository may have.
fn tops_of(own: &Path, effort: &Effort) -> Vec<PathBuf> {
    let mut tops = vec![own.to_owned()];
    tops.extend(own.parent().map(Path::to_owned));
    let config = read_small(&own.join("config")).unwrap_or_default();
    let elsewhere = values_of(config.as_bytes(), "core", "worktree");
    tops.extend(elsewhere.iter().map(|top| own.join(top)));
    // Worktrees say where they are.
    let worktrees = std::fs::read_dir(own.join("worktrees"));
    let worktrees = worktrees.into_iter().flatten().flatten();
    let all = worktrees.map(|entry| entry.path()).chain([own.to_owned()]);
    for directory in all {
        if effort.spend(2).is_err() {
            break;
        }
        let named = read_small(&directory.join("gitdir")).unwrap_or_default();
        let dot_git = directory.join(named.trim());
        tops.extend(dot_git.parent().map(Path::to_owned));
    }
    tops
}
