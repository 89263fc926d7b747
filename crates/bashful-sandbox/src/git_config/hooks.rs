//! What a person's own configuration has git obey in a work tree.
//!
//! `core.hooksPath` may be relative, and is then relative to the top of the tree that git works
//! in: a directory that runs write. And it may include files that lie in one.

use std::path::{Component, Path, PathBuf};

use super::values_of;
use crate::protect::read_small;

/// No more files that include each other than this are followed.
const MOST_FILES: usize = 64;

/// What these files, and what they include whatever the condition, have git obey: relative paths
/// of hooks, absolute ones of hooks and of included files.
pub fn obeyed_by_git(files: &[PathBuf], home: Option<&Path>) -> Vec<PathBuf> {
    let mut open = files.to_vec();
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut found: Vec<PathBuf> = Vec::new();
    let at_home = |value: &str| Some(home?.join(value.strip_prefix("~/")?));
    while let Some(file) = open.pop() {
        if seen.contains(&file) || seen.len() >= MOST_FILES {
            continue;
        }
        // People link their configuration; only what runs wrote is read with care elsewhere.
        let real = file.canonicalize().unwrap_or_else(|_| file.clone());
        let text = read_small(&real).unwrap_or_default();
        for value in values_of(text.as_bytes(), "core", "hookspath") {
            found.extend(at_home(&value).or_else(|| plain(Path::new(&value))));
        }
        for section in ["include", "includeif"] {
            for value in values_of(text.as_bytes(), section, "path") {
                let own = real.parent().unwrap_or(Path::new("/"));
                let path = at_home(&value).unwrap_or_else(|| own.join(value));
                found.push(path.clone());
                open.push(path);
            }
        }
        seen.push(file);
    }
    found.sort();
    found.dedup();
    found
}

/// A path that leads anywhere; none if it stays where it begins.
fn plain(path: &Path) -> Option<PathBuf> {
    let parts = path.components();
    let plain: PathBuf = parts.filter(|part| *part != Component::CurDir).collect();
    // For the top itself, every file in it would be held back.
    (!plain.as_os_str().is_empty()).then_some(plain)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_obeyed_is_found_through_includes() {
        let home = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(home.path().join(name), text).unwrap();
        write(
            "a",
            "[core]\n\thooksPath = ./.githooks\n[include]\n\tpath = ~/b\n",
        );
        write(
            "b",
            "[includeIf \"gitdir:/x\"]\n\tpath = c\n[core]\nhookspath = /etc/hooks\n",
        );
        write(
            "c",
            "[core]hooksPath = tools/hooks\n[include]path = a\n[core]hooksPath = ~/mine\n",
        );
        let found = obeyed_by_git(&[home.path().join("a")], Some(home.path()));
        let at_home = |name| home.path().join(name);
        let mut expected = vec![
            PathBuf::from(".githooks"),
            PathBuf::from("/etc/hooks"),
            at_home("a"),
            at_home("b"),
            at_home("c"),
            at_home("mine"),
            PathBuf::from("tools/hooks"),
        ];
        expected.sort();
        assert_eq!(found, expected);
        assert!(obeyed_by_git(&[at_home("none")], None).is_empty());
    }
}
