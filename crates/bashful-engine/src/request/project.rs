//! The project of a workspace: what a grant of scope `project` belongs to.
//!
//! It is the git common directory around the workspace, else the folder of its `.bashful.toml`,
//! else the workspace. A run can write into its workspace, so nothing in there is believed that
//! would make it part of another project: a `.git` file counts only if the repository that it
//! names knows this worktree.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The project of a workspace, which is a real path.
pub(crate) fn project_of(workspace: &Path) -> PathBuf {
    let around = || workspace.ancestors();
    let repository = around().find_map(|directory| common_directory(&directory.join(".git")));
    let configured = || {
        let mut folders = around().filter(|folder| is_ours(&folder.join(".bashful.toml")));
        folders.next().map(Path::to_owned)
    };
    repository
        .or_else(configured)
        .unwrap_or_else(|| workspace.to_owned())
}

/// The git common directory behind a `.git`.
fn common_directory(entry: &Path) -> Option<PathBuf> {
    if !is_ours(entry) {
        return None;
    }
    let about = fs::symlink_metadata(entry).ok()?;
    if about.is_dir() {
        // Anything can be called so; git looks for these as well.
        let whole = entry.join("HEAD").exists() && entry.join("objects").is_dir();
        return whole.then(|| entry.canonicalize().ok()).flatten();
    }
    if !about.is_file() {
        return None;
    }
    let directory = entry.parent()?;
    let named = first_line(entry)?;
    let own = directory.join(named.strip_prefix("gitdir:")?.trim());
    let own = own.canonicalize().ok()?;
    // The repository knows its worktrees by the path of their `.git`.
    let back = PathBuf::from(first_line(&own.join("gitdir"))?);
    if back.canonicalize().ok()? != entry.canonicalize().ok()? {
        return None;
    }
    let common = first_line(&own.join("commondir"))?;
    let common = own.join(common).canonicalize().ok()?;
    // Any user can write such files anywhere; but not into a repository that is not theirs.
    (own.parent()? == common.join("worktrees")).then_some(common)
}

/// Whether a file is there that no other user put there.
fn is_ours(path: &Path) -> bool {
    let own = || rustix::process::geteuid().as_raw();
    fs::symlink_metadata(path).is_ok_and(|about| about.uid() == 0 || about.uid() == own())
}

fn first_line(path: &Path) -> Option<String> {
    /// Paths are shorter than this.
    const MOST: u64 = 16 << 10;
    let about = fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > MOST {
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    text.lines().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(at: &Path) {
        fs::create_dir_all(at.join(".git/objects")).unwrap();
        fs::write(at.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    }

    #[test]
    fn a_project_is_a_repository_a_configured_folder_or_the_workspace() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        for name in ["plain", "set/deep/er", "repo/src/deep", "repo/sub"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        repository(&root.join("repo"));
        fs::write(root.join("set/.bashful.toml"), "").unwrap();
        let cases = [
            ("plain", "plain"),
            ("set/deep/er", "set"),
            ("set", "set"),
            ("repo", "repo/.git"),
            ("repo/src/deep", "repo/.git"),
        ];
        for (workspace, project) in cases {
            assert_eq!(project_of(&root.join(workspace)), root.join(project));
        }
    }

    #[test]
    fn a_worktree_belongs_to_its_repository_only_if_that_says_so() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        repository(&root.join("repo"));
        let own = root.join("repo/.git/worktrees/tree");
        fs::create_dir_all(&own).unwrap();
        fs::create_dir(root.join("tree")).unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        let entry = root.join("tree/.git");
        fs::write(own.join("gitdir"), format!("{}\n", entry.display())).unwrap();
        fs::write(&entry, format!("gitdir: {}\n", own.display())).unwrap();
        assert_eq!(project_of(&root.join("tree")), root.join("repo/.git"));
        // Another directory says that it is a worktree of it, too.
        let other = root.join("other");
        fs::create_dir(&other).unwrap();
        fs::write(other.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        assert_eq!(project_of(&other), other);
        // It brings a directory of its own that names the repository.
        let fake = other.join("fake");
        fs::create_dir(&fake).unwrap();
        let entry = other.join(".git");
        fs::write(fake.join("gitdir"), format!("{}\n", entry.display())).unwrap();
        fs::write(
            fake.join("commondir"),
            root.join("repo/.git").to_str().unwrap(),
        )
        .unwrap();
        fs::write(&entry, format!("gitdir: {}\n", fake.display())).unwrap();
        assert_eq!(project_of(&other), other);
    }
}
