//! What would execute on the host later, and so is protected in a writable root.
//!
//! What exists is mounted read-only over itself, and every directory above it is
//! pinned, so that it cannot be moved away. What does not exist has nothing to mount
//! over: it is watched, and held back when a run made it.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Files and directories that shells, editors, agents and Bashful itself act upon.
const NAMES: &[&str] = &[
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
    // Sessions and services, where the root is somebody's home.
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
    ".bashful.toml",
];

/// How something that appears is to be treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Guard {
    /// It is held back.
    Hold,
    /// A directory of hooks: all but samples in it are held back.
    Hooks,
    /// A repository's configuration: keys that execute are taken out.
    GitConfig,
}

/// Something in a writable root that is watched because it was not there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Watch {
    /// The writable root.
    pub root: PathBuf,
    /// Below it.
    pub path: PathBuf,
    /// What happens when it appears.
    pub guard: Guard,
}

/// What a writable root has and lacks of all this.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Protected {
    /// Existing files, directories and links that must not change, below the root.
    pub(crate) frozen: Vec<PathBuf>,
    /// The repository's configuration, which becomes a private copy.
    pub(crate) git_configs: Vec<PathBuf>,
    /// What was not there.
    pub(crate) watched: Vec<Watch>,
    /// Further directories that git needs: those of a worktree.
    pub(crate) git_directories: Vec<PathBuf>,
}

/// Looks at a writable root.
pub(crate) fn inspect(root: &Path) -> Protected {
    let mut found = Protected::default();
    if !root.is_dir() {
        return found;
    }
    for name in NAMES {
        consider(&mut found, root, Path::new(name), Guard::Hold);
    }
    let dot_git = root.join(".git");
    match fs::symlink_metadata(&dot_git) {
        Ok(about) if about.is_file() => {
            found.frozen.push(dot_git.clone());
            if let Some((own, common)) = worktree(root, &dot_git) {
                inspect_git(&mut found, &common, Path::new(""));
                found.git_directories.extend([own, common]);
            }
        }
        Ok(about) if about.is_symlink() => found.frozen.push(dot_git),
        Ok(_) => inspect_git(&mut found, root, Path::new(".git")),
        Err(_) => {
            inspect_git(&mut found, root, Path::new(".git"));
            // Git also takes the directory itself for a repository if it looks like one.
            let parts = ["HEAD", "objects", "refs"].map(|name| root.join(name));
            if parts.iter().all(|part| part.symlink_metadata().is_ok()) {
                inspect_git(&mut found, root, Path::new(""));
            } else {
                consider(&mut found, root, Path::new("HEAD"), Guard::Hold);
            }
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
        if depth == DEEPEST {
            inspect_last(found, root, &directory);
            continue;
        }
        let entries = fs::read_dir(&directory);
        let entries = entries.into_iter().flatten().flatten().take(MOST_ENTRIES);
        for entry in entries {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let name = entry.file_name();
            let name = name.to_string_lossy();
            // All that is looked for here begins with a dot; most does not.
            if !kind.is_dir() && !name.starts_with('.') {
                continue;
            }
            let path = entry.path();
            if depth > 0 && NAMES.contains(&name.as_ref()) {
                found.frozen.push(path);
            } else if depth > 0 && name == ".git" && kind.is_dir() {
                let below = path.strip_prefix(root).unwrap_or(&path);
                inspect_git(found, root, below);
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

/// At the last level only the few things are asked for that matter most.
fn inspect_last(found: &mut Protected, root: &Path, directory: &Path) {
    if directory.join(".git").is_dir() {
        let below = directory.strip_prefix(root).unwrap_or(directory);
        inspect_git(found, root, &below.join(".git"));
    }
    for name in [".envrc", ".mcp.json", ".vscode/tasks.json", ".claude"] {
        let path = directory.join(name);
        if path.symlink_metadata().is_ok() {
            found.frozen.push(path);
        }
    }
}

fn inspect_git(found: &mut Protected, root: &Path, directory: &Path) {
    consider(found, root, &directory.join("hooks"), Guard::Hooks);
    consider(found, root, &directory.join("commondir"), Guard::Hold);
    consider(found, root, &directory.join("config.worktree"), Guard::Hold);
    let config = directory.join("config");
    match fs::symlink_metadata(root.join(&config)) {
        Ok(about) if about.is_file() => {
            if let Some(hooks) = hooks_path(root, &root.join(&config)) {
                found.frozen.push(hooks);
            }
            for included in included(root, &root.join(&config)) {
                consider(found, root, &included, Guard::Hold);
            }
            found.git_configs.push(root.join(config));
        }
        Ok(_) => found.frozen.push(root.join(config)),
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
        for name in ["hooks", "config"] {
            if module.join(name).symlink_metadata().is_ok() {
                found.frozen.push(module.join(name));
            }
        }
    }
}

fn below<'a>(root: &Path, path: &'a Path) -> &'a Path {
    path.strip_prefix(root).unwrap_or(path)
}

fn consider(found: &mut Protected, root: &Path, path: &Path, guard: Guard) {
    // A link on the way is frozen itself; what it leads to is another file's business.
    let mut sofar = root.to_owned();
    for part in path {
        sofar.push(part);
        match fs::symlink_metadata(&sofar) {
            Ok(about) if about.is_symlink() => {
                // What it leads to counts just as much, where a run could change it.
                let whole = sofar.join(path.strip_prefix(below(root, &sofar)).unwrap_or(path));
                let target = whole.canonicalize().or_else(|_| sofar.canonicalize());
                let target = target.ok().filter(|target| target.starts_with(root));
                for frozen in [Some(sofar), target].into_iter().flatten() {
                    if frozen != root && !found.frozen.contains(&frozen) {
                        found.frozen.push(frozen);
                    }
                }
                return;
            }
            Ok(_) => {}
            Err(_) => {
                found.watched.push(Watch {
                    root: root.to_owned(),
                    path: path.to_owned(),
                    guard,
                });
                return;
            }
        }
    }
    found.frozen.push(sofar);
}

/// The directories of a worktree or submodule, if its `.git` file tells the truth: they
/// must point back at it. Otherwise anybody who can write such a file could open any
/// repository of this user.
fn worktree(root: &Path, dot_git: &Path) -> Option<(PathBuf, PathBuf)> {
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
        let value = config_value(&config, "worktree")?;
        own.join(value).canonicalize().ok()? == root
    };
    // Where git puts them, and nowhere else: the file that names the common directory
    // was in reach of earlier runs.
    let in_place = own == common || own.parent() == Some(common.join("worktrees").as_path());
    (back && in_place && own.is_dir() && common.is_dir()).then_some((own, common))
}

/// A directory inside the root that the user made git's hooks directory.
fn hooks_path(root: &Path, config: &Path) -> Option<PathBuf> {
    let value = config_value(&read_small(config)?, "hookspath")?;
    let path = root.join(value).canonicalize().ok()?;
    (path.starts_with(root) && path != root).then_some(path)
}

/// Files inside the root that a configuration includes, below the root.
fn included(root: &Path, config: &Path) -> Vec<PathBuf> {
    let text = read_small(config).unwrap_or_default();
    let mut found = Vec::new();
    for line in text.lines() {
        let Some((name, value)) = line.split_once('=') else {
            continue;
        };
        // Also with the section before it on the same line.
        let name = name.rsplit(']').next().unwrap_or(name);
        if !name.trim().eq_ignore_ascii_case("path") {
            continue;
        }
        let value = value.trim().trim_matches('"');
        let directory = config.parent().unwrap_or(root);
        let mut path = PathBuf::new();
        for part in directory.join(value).components() {
            match part {
                std::path::Component::ParentDir => {
                    path.pop();
                }
                std::path::Component::CurDir => {}
                other => path.push(other),
            }
        }
        if let Ok(below) = path.strip_prefix(root)
            && !below.as_os_str().is_empty()
        {
            found.push(below.to_owned());
        }
    }
    found
}

/// A rough reading is enough here: it only ever protects more.
fn config_value(config: &str, key: &str) -> Option<String> {
    config.lines().rev().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        let is_it = name.trim().eq_ignore_ascii_case(key);
        is_it.then(|| value.trim().trim_matches('"').to_owned())
    })
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

fn read_small(path: &Path) -> Option<String> {
    // Only regular files: a FIFO would block, and a device may never end.
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path)
        .ok()?
        .take(1 << 20)
        .read_to_string(&mut text)
        .ok()?;
    Some(text)
}
