//! What would execute on the host later, and so is protected in a writable root.
//!
//! What exists is mounted read-only over itself, and every directory above it is
//! pinned, so that it cannot be moved away. What does not exist has nothing to mount
//! over: it is watched, and held back when a run made it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::git_config::values_of;

/// Files and directories that shells, editors, agents and Bashful itself act upon.
pub(crate) const NAMES: &[&str] = &[
    // Shells and what they read.
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".inputrc",
    ".config/fish",
    // Sessions and services, where the root is a user's home.
    ".xprofile",
    ".xinitrc",
    ".xsession",
    ".pam_environment",
    ".config/autostart",
    ".config/systemd",
    ".config/environment.d",
    ".ssh",
    // Tools that run what they find on entering a directory.
    ".envrc",
    ".gitconfig",
    ".config/git",
    ".gdbinit",
    ".lldbinit",
    ".vimrc",
    ".exrc",
    ".nvimrc",
    ".nvim.lua",
    ".tmux.conf",
    // Editors and agents.
    ".vscode/tasks.json",
    ".vscode/settings.json",
    ".vscode/launch.json",
    ".vscode/mcp.json",
    ".mcp.json",
    ".claude",
    ".claude.json",
    ".codex",
    ".cursor",
    ".gemini",
    ".continue",
    ".aider.conf.yml",
    ".amazonq",
    ".factory",
    ".junie",
    ".kiro",
    ".qwen",
    ".roo",
    ".windsurf",
    ".zed",
    "crush.json",
    ".crush.json",
    "opencode.json",
    "opencode.jsonc",
    ".opencode",
    ".bashful.toml",
];

/// How the keeper treats a protected name that appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Guard {
    /// It is held back.
    Hold,
    /// A directory of hooks: all but samples in it are held back.
    Hooks,
    /// A repository's configuration: keys that execute are taken out.
    GitConfig,
    /// A repository's directory: links in it are held back.
    Links,
    /// A `.git` that is not a directory: held back unless it leads to a part of a repository here.
    GitFile,
    /// What says where the rest of a worktree's repository is.
    CommonDirectory,
    /// Work of git's that was interrupted: held back if going on would start a program.
    Interrupted,
    /// Attributes: held back if they choose a program.
    Attributes,
    /// Further places of objects: held back if they lie outside.
    Alternates,
    /// A directory of files that name addresses: all in it are held back.
    Addresses,
    /// A tracked file that names addresses: held back if one has a new host.
    NewHosts,
    /// What git remembers of conflicts: held back if it names files elsewhere.
    Conflicts,
    /// An index: held back if it names a path in a `.git`, or elsewhere.
    Index,
    /// A `HEAD` that makes the directory itself a repository: it is held back.
    BareRepository,
}

/// A name in a writable root that is watched because it was not there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Watch {
    /// The writable root.
    pub root: PathBuf,
    /// The path below that root.
    pub path: PathBuf,
    /// What happens when it appears.
    pub guard: Guard,
}

/// Which protected names a writable root has, and which it lacks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Protected {
    /// Existing files, directories and links that must not change, below the root.
    pub(crate) frozen: Vec<PathBuf>,
    /// The repository's configuration, which becomes a private copy.
    pub(crate) git_configs: Vec<PathBuf>,
    /// Names that were not there.
    pub(crate) watched: Vec<Watch>,
    /// Further directories that git needs: those of a worktree.
    pub(crate) git_directories: Vec<PathBuf>,
    /// The tops of worktrees whose repositories lie in the root, with their parts of these.
    pub(crate) linked: Vec<(PathBuf, PathBuf)>,
}

/// Looks at a writable root.
pub(crate) fn inspect(root: &Path, git_obeys: &[PathBuf]) -> Protected {
    let mut found = Protected::default();
    if !root.is_dir() {
        return found;
    }
    for name in NAMES {
        consider(&mut found, root, Path::new(name), Guard::Hold);
    }
    for path in git_obeys {
        let guard = if path.is_relative() {
            Guard::Hooks
        } else {
            Guard::Hold
        };
        if let Some(inside) = below(root, &root.join(path)) {
            consider(&mut found, root, &inside, guard);
        }
    }
    let dot_git = root.join(".git");
    match fs::symlink_metadata(&dot_git) {
        Ok(about) if about.is_file() => {
            found.frozen.push(dot_git.clone());
            if let Some(inside) = named_inside(root, &dot_git) {
                inspect_git(&mut found, root, root, &inside);
            } else if let Some((own, common)) = worktree(root, &dot_git) {
                inspect_git(&mut found, root, &common, Path::new(""));
                found.git_directories.extend([own, common]);
            }
        }
        Ok(about) if about.is_symlink() => {
            consider(&mut found, root, Path::new(".git"), Guard::Hold);
            // The repository itself is worked in; what executes in it is not.
            let target = dot_git.canonicalize().ok();
            let inside = target.and_then(|target| below(root, &target));
            if let Some(inside) = inside {
                let whole = root.join(&inside);
                found.frozen.retain(|frozen| *frozen != whole);
                inspect_git(&mut found, root, root, &inside);
            }
        }
        _ => inspect_git(&mut found, root, root, Path::new(".git")),
    }
    // Git also takes the directory itself for a repository if it looks like one, and it
    // does so where `.git` is none, or no longer.
    let parts = ["HEAD", "objects", "refs"].map(|name| root.join(name));
    if parts.iter().all(|part| part.symlink_metadata().is_ok()) {
        inspect_git(&mut found, root, root, Path::new(""));
    } else if parts[0].symlink_metadata().is_err() {
        consider(&mut found, root, Path::new("HEAD"), Guard::BareRepository);
    } else {
        // A file of this name alone is harmless; what would complete it is not.
        for name in ["objects", "refs"] {
            consider(&mut found, root, Path::new(name), Guard::Hold);
        }
    }
    inspect_below(&mut found, root);
    found
}

/// Repositories and settings a little further down, as in a workspace of several
/// projects: what exists is protected. The looking is bounded, so this is a courtesy
/// for the usual layouts and not a promise for every depth.
fn inspect_below(found: &mut Protected, root: &Path) {
    const DEEPEST: usize = 2;
    const MOST_DIRECTORIES: usize = 64;
    const MOST_ENTRIES: usize = 256;
    const NOT_ENTERED: [&str; 4] = [".git", "node_modules", "target", ".venv"];
    let mut open = std::collections::VecDeque::from([(root.to_owned(), 0)]);
    let mut looked = 0;
    while let Some((directory, depth)) = open.pop_front() {
        looked += 1;
        let entries = fs::read_dir(&directory);
        let entries = entries.into_iter().flatten().flatten();
        for (number, entry) in entries.enumerate() {
            if number == MOST_ENTRIES {
                inspect_large(found, root, &directory);
                break;
            }
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let path = entry.path();
            if depth > 0 && NAMES.contains(&name.as_ref()) {
                found.frozen.push(path);
            } else if depth > 0 && name == ".git" && !kind.is_dir() {
                // What leads to another place must not lead elsewhere later.
                found.frozen.push(path);
            } else if depth > 0 && name == ".git" {
                let below = path.strip_prefix(root).unwrap_or(&path);
                inspect_git(found, &directory, root, below);
            } else if depth > 0 && name == ".vscode" && kind.is_dir() {
                let settings = ["tasks.json", "settings.json", "launch.json", "mcp.json"];
                let existing = settings.map(|file| path.join(file));
                found.frozen.extend(
                    existing
                        .into_iter()
                        .filter(|file| file.symlink_metadata().is_ok()),
                );
            } else if kind.is_dir()
                && depth < DEEPEST
                && !NOT_ENTERED.contains(&name.as_ref())
                && looked + open.len() < MOST_DIRECTORIES
            {
                open.push_back((path, depth + 1));
            }
        }
    }
}

/// In a large directory, each known name is looked up instead.
fn inspect_large(found: &mut Protected, root: &Path, directory: &Path) {
    if directory == root {
        return;
    }
    let dot_git = directory.join(".git");
    match fs::symlink_metadata(&dot_git) {
        Ok(about) if about.is_dir() => {
            let below = directory.strip_prefix(root).unwrap_or(directory);
            inspect_git(found, directory, root, &below.join(".git"));
        }
        Ok(_) => found.frozen.push(dot_git),
        Err(_) => {}
    }
    for name in NAMES {
        let path = directory.join(name);
        if path.symlink_metadata().is_ok() {
            found.frozen.push(path);
        }
    }
}

/// Looks at a repository's directory below a root. `top` is where its files are.
fn inspect_git(found: &mut Protected, top: &Path, root: &Path, directory: &Path) {
    consider(found, root, &directory.join("hooks"), Guard::Hooks);
    consider(found, root, &directory.join("commondir"), Guard::Hold);
    consider(found, root, &directory.join("config.worktree"), Guard::Hold);
    let config = directory.join("config");
    match fs::symlink_metadata(root.join(&config)) {
        Ok(about) if about.is_file() => {
            let text = read_small(&root.join(&config)).unwrap_or_default();
            let text = text.as_bytes();
            // Relative to where git runs the hooks: the top of the tree.
            for hooks in values_of(text, "core", "hookspath") {
                consider_in(found, [root, top], &top.join(hooks), Guard::Hooks);
            }
            let own = root.join(directory);
            for section in ["include", "includeif"] {
                for path in values_of(text, section, "path") {
                    consider_in(found, [root, top], &own.join(path), Guard::Hold);
                }
            }
            found.git_configs.push(root.join(config));
        }
        Ok(_) => consider(found, root, &config, Guard::Hold),
        Err(_) => found.watched.push(Watch {
            root: root.to_owned(),
            path: config,
            guard: Guard::GitConfig,
        }),
    }
    // Worktrees say here where the repository is, and git believes them.
    let worktrees = directory.join("worktrees");
    for worktree in names_in(&root.join(&worktrees)) {
        let worktree = worktrees.join(worktree);
        for name in ["commondir", "gitdir", "config.worktree"] {
            consider(found, root, &worktree.join(name), Guard::Hold);
        }
    }
    // Submodules keep their own hooks and configuration here.
    for module in submodules(&root.join(directory).join("modules")) {
        for name in ["hooks", "config", "config.worktree", "commondir"] {
            if module.join(name).symlink_metadata().is_ok() {
                found.frozen.push(module.join(name));
            }
        }
    }
}

/// Freezes what is at a path below the root, or watches it if nothing is. Links on the way
/// are frozen one by one, and so is what they lead to, as far as a run could change it.
fn consider(found: &mut Protected, root: &Path, path: &Path, guard: Guard) {
    const MOST_LINKS: usize = 40;
    let mut rest: Vec<OsString> = path.iter().rev().map(OsString::from).collect();
    let mut sofar = root.to_owned();
    let mut links = 0;
    while let Some(name) = rest.pop() {
        match Path::new(&name).components().next() {
            Some(Component::ParentDir) => {
                sofar.pop();
                continue;
            }
            Some(Component::CurDir) => continue,
            Some(Component::RootDir) => {
                sofar = PathBuf::from("/");
                continue;
            }
            _ => sofar.push(&name),
        }
        match fs::symlink_metadata(&sofar) {
            Ok(about) if about.is_symlink() => {
                links += 1;
                let Ok(target) = fs::read_link(&sofar) else {
                    return;
                };
                freeze(found, root, &sofar);
                if links > MOST_LINKS {
                    return;
                }
                sofar.pop();
                rest.extend(target.iter().rev().map(OsString::from));
            }
            Ok(_) => {}
            Err(_) => {
                // Where it would be made; elsewhere no run can make it.
                let missing = rest.iter().rev().fold(sofar, |path, name| path.join(name));
                if let Ok(below) = missing.strip_prefix(root) {
                    found.watched.push(Watch {
                        root: root.to_owned(),
                        path: below.to_owned(),
                        guard,
                    });
                }
                return;
            }
        }
    }
    freeze(found, root, &sofar);
}

fn freeze(found: &mut Protected, root: &Path, path: &Path) {
    if path != root && path.starts_with(root) && !found.frozen.iter().any(|known| known == path) {
        found.frozen.push(path.to_owned());
    }
}

/// A repository that a `.git` file names and that lies inside the root, below it.
fn named_inside(root: &Path, dot_git: &Path) -> Option<PathBuf> {
    let text = read_small(dot_git)?;
    let named = text.strip_prefix("gitdir:")?.trim();
    below(root, &root.join(named).canonicalize().ok()?)
}

/// The directories of a worktree or submodule, if its `.git` file tells the truth: they
/// must point back at it. Otherwise a run that can write such a file could open any
/// repository of this user.
pub(crate) fn worktree(root: &Path, dot_git: &Path) -> Option<(PathBuf, PathBuf)> {
    let text = read_small(dot_git)?;
    let named = text.strip_prefix("gitdir:")?.trim();
    let own = root.join(named).canonicalize().ok()?;
    let common = match read_small(&own.join("commondir")) {
        Some(common) => own.join(common.trim()).canonicalize().ok()?,
        None => own.clone(),
    };
    let back = if let Some(back) = read_small(&own.join("gitdir")) {
        own.join(back.trim()).canonicalize().ok()? == dot_git.canonicalize().ok()?
    } else {
        let config = read_small(&own.join("config"))?;
        let value = values_of(config.as_bytes(), "core", "worktree").pop()?;
        own.join(value).canonicalize().ok()? == root
    };
    // Where git puts them, and nowhere else: the file that names the common directory
    // was in reach of earlier runs.
    let in_place = own == common || own.parent() == Some(common.join("worktrees").as_path());
    (back && in_place && own.is_dir() && common.is_dir()).then_some((own, common))
}

/// Whether a `.git` file tells the truth, and what it leads to is searched after each run.
pub(crate) fn leads_to_searched(top: &Path, dot_git: &Path, searched: &[PathBuf]) -> bool {
    let is_searched = |path: &Path| searched.iter().any(|root| path.starts_with(root));
    let found = worktree(top, dot_git);
    found.is_some_and(|(own, common)| is_searched(&own) && is_searched(&common))
}

/// The same for a path that lies in one of these roots, or in none.
fn consider_in(found: &mut Protected, roots: [&Path; 2], path: &Path, guard: Guard) {
    for root in roots {
        if let Some(below) = below(root, path) {
            return consider(found, root, &below, guard);
        }
    }
}

/// A path below the root, without `.` and `..`; none if it is not below.
pub(crate) fn below(root: &Path, path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    let below = plain.strip_prefix(root).ok()?;
    (!below.as_os_str().is_empty()).then(|| below.to_owned())
}

fn names_in(directory: &Path) -> Vec<PathBuf> {
    const MOST: usize = 64;
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    directories
        .take(MOST)
        .map(|entry| PathBuf::from(entry.file_name()))
        .collect()
}

fn submodules(modules: &Path) -> Vec<PathBuf> {
    const MOST: usize = 64;
    const DEEPEST: usize = 4;
    let mut found = Vec::new();
    let mut open = vec![(modules.to_owned(), 0)];
    while let Some((directory, depth)) = open.pop() {
        let Ok(entries) = fs::read_dir(&directory) else {
            continue;
        };
        for entry in entries.flatten().take(256) {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) || found.len() >= MOST {
                continue;
            }
            let path = entry.path();
            if path.join("HEAD").is_file() {
                open.push((path.join("modules"), depth + 1));
                found.push(path);
            } else if depth < DEEPEST {
                open.push((path, depth + 1));
            }
        }
    }
    found
}

/// A small regular file's text. Reading never waits for what a run puts in its place, even
/// at this moment.
pub(crate) fn read_small(path: &Path) -> Option<String> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    file.take(1 << 20).read_to_string(&mut text).ok()?;
    Some(text)
}
