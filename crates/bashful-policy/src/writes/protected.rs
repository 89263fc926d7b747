//! Names in a writable place that shells, editors, agents and git act upon later, on the host.
//!
//! The sandbox freezes the same names; here the question comes before the run.

use crate::glob::{ANY_CHARACTER, matches_token};

/// Files and directories, anywhere below a root, with all that is in them.
const NAMES: &[&[&str]] = &[
    // Shells and what they read.
    &[".bashrc"],
    &[".bash_profile"],
    &[".bash_login"],
    &[".bash_logout"],
    &[".bash_aliases"],
    &[".profile"],
    &[".zshrc"],
    &[".zshenv"],
    &[".zprofile"],
    &[".zlogin"],
    &[".zlogout"],
    &[".kshrc"],
    &[".cshrc"],
    &[".tcshrc"],
    &[".login"],
    &[".inputrc"],
    &[".config", "fish"],
    // Sessions and services, where the root is a user's home.
    &[".xprofile"],
    &[".xinitrc"],
    &[".xsession"],
    &[".pam_environment"],
    &[".config", "autostart"],
    &[".config", "systemd"],
    &[".config", "environment.d"],
    &[".ssh"],
    // Tools that run what they find on entering a directory.
    &[".envrc"],
    &[".gitconfig"],
    &[".gitmodules"],
    &[".config", "git"],
    &[".gdbinit"],
    &[".lldbinit"],
    &[".vimrc"],
    &[".exrc"],
    &[".nvimrc"],
    &[".nvim.lua"],
    &[".tmux.conf"],
    &[".husky"],
    // Editors and agents.
    &[".vscode"],
    &[".idea"],
    &[".mcp.json"],
    &[".claude"],
    &[".claude.json"],
    &[".codex"],
    &[".cursor"],
    &[".gemini"],
    &[".continue"],
    &[".aider.conf.yml"],
    &[".bashful.toml"],
];

/// What git only keeps, and people do write by hand.
const HARMLESS_IN_GIT: &[&[&str]] = &[
    &["info", "exclude"],
    &["COMMIT_EDITMSG"],
    &["MERGE_MSG"],
    &["SQUASH_MSG"],
    &["description"],
];

/// What a protected path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protected {
    /// It would run on the host later.
    RunsLater,
    /// It is a part of the repository.
    Repository,
}

/// Whether a path below a root, as its components, is protected or lies in what is.
pub(super) fn protected(components: &[&str]) -> Option<Protected> {
    for (at, component) in components.iter().enumerate() {
        let rest = components.get(at..).unwrap_or_default();
        if NAMES.iter().any(|name| starts_with(rest, name)) {
            return Some(Protected::RunsLater);
        }
        if is_named(component, ".git") {
            return in_git(rest.get(1..).unwrap_or_default());
        }
    }
    None
}

/// Whether a path, as its components, is in a repository's directory and more than a stale lock.
pub(super) fn is_repository(components: &[&str]) -> bool {
    let last = components.last().copied().unwrap_or_default();
    components
        .iter()
        .position(|component| is_named(component, ".git"))
        .is_some_and(|at| at + 1 == components.len() || !is_lock(last))
}

/// The name that git gives to what it holds while it works, and leaves when it was killed.
fn is_lock(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, end)| end == "lock")
}

fn in_git(rest: &[&str]) -> Option<Protected> {
    const RUNS: &[&str] =
        &["hooks", "config", "config.worktree", "commondir", "worktrees", "modules"];
    let Some(first) = rest.first() else {
        return Some(Protected::RunsLater);
    };
    if RUNS.iter().any(|name| is_named(first, name)) {
        return Some(Protected::RunsLater);
    }
    let harmless = HARMLESS_IN_GIT.contains(&rest) || rest.last().is_some_and(|last| is_lock(last));
    (!harmless).then_some(Protected::Repository)
}

fn starts_with(components: &[&str], name: &[&str]) -> bool {
    let mut pairs = name.iter().zip(components);
    components.len() >= name.len() && pairs.all(|(name, component)| is_named(component, name))
}

/// Whether a component, which may be a glob, is or finds this name.
pub(super) fn is_named(component: &str, name: &str) -> bool {
    if !component.contains(['*', '?', '[']) {
        return component == name;
    }
    // A glob finds a name with a dot only if it begins with one itself.
    if name.starts_with('.') && !component.starts_with('.') {
        return false;
    }
    matches_token(&widened(component), name)
}

/// A shell pattern as one with stars, which finds at least as much.
fn widened(pattern: &str) -> String {
    let mut wide = String::with_capacity(pattern.len());
    let has_end = pattern.contains(']');
    let mut in_brackets = false;
    for character in pattern.chars() {
        match character {
            ']' if in_brackets => in_brackets = false,
            _ if in_brackets => {}
            '[' => {
                in_brackets = has_end;
                wide.push('*');
            }
            '?' => wide.push(ANY_CHARACTER),
            other => wide.push(other),
        }
    }
    wide
}

/// Whether a glob finds nearly everything: it has nothing but wildcards and dots.
pub(super) fn is_everything(component: &str) -> bool {
    component.contains(['*', '?', '['])
        && widened(component)
            .chars()
            .all(|character| matches!(character, '*' | '.' | ANY_CHARACTER))
}

/// Whether a glob can find `..`, and so leave the directory it stands in.
pub(super) fn climbs(component: &str) -> bool {
    let rest = component.strip_prefix('.').unwrap_or_default();
    rest.starts_with(['*', '?', '[']) && matches_token(&widened(rest), ".")
}
