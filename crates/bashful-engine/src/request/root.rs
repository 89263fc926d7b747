//! The workspace where nobody names one: the root of the project around a directory.
//!
//! It is found by names alone. No git is run, and nothing that a file says is obeyed: an agent may
//! have written it. What an agent makes in its workspace can only make the next one narrower.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::base::real::real;

/// Files by which a build tool knows the root of what it builds.
const MANIFESTS: [&str; 32] = [
    "Cargo.toml",
    "package.json",
    "deno.json",
    "deno.jsonc",
    "go.mod",
    "go.work",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "Pipfile",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "build.sbt",
    "CMakeLists.txt",
    "Makefile",
    "GNUmakefile",
    "makefile",
    "meson.build",
    "configure.ac",
    "MODULE.bazel",
    "WORKSPACE",
    "BUILD.bazel",
    "Gemfile",
    "composer.json",
    "mix.exs",
    "Package.swift",
    "pubspec.yaml",
    "flake.nix",
];

/// A folder with a file of Bashful's own is a project, whatever is around it.
const OWN: &str = ".bashful.toml";

/// The most names of one directory that are looked at for a manifest.
const MOST_NAMES: usize = 10_000;

/// The root of the project around a directory: the nearest git work tree or configured folder,
/// else the nearest directory with the manifest of a build tool, else the directory itself. Never
/// the root of the file system, nor this home or what is above it, nor a directory that another
/// user can write.
pub fn project_root(directory: &Path, home: Option<&Path>) -> PathBuf {
    let Ok(directory) = real(directory) else {
        return directory.to_owned();
    };
    let home = home.and_then(|home| real(home).ok());
    let trusted = fs::metadata(&directory).map_or(0, |about| about.uid());
    let is_possible = |place: &&Path| {
        let holds_home = home.as_ref().is_some_and(|home| home.starts_with(place));
        place.parent().is_some()
            && !holds_home
            && fs::symlink_metadata(place).is_ok_and(|about| is_closed(&about, trusted))
    };
    let around: Vec<&Path> = directory.ancestors().take_while(is_possible).collect();
    let marked = around.iter().find(|place| is_marked(place));
    let root = marked.or_else(|| around.iter().find(|place| has_manifest(place)));
    root.map_or(directory.clone(), |root| (*root).to_owned())
}

/// Whether no user can write here but us, root and the owner of where we are.
fn is_closed(about: &Metadata, trusted: u32) -> bool {
    let us = rustix::process::geteuid().as_raw();
    let known = [0, us, trusted].contains(&about.uid());
    // The own group of a user is often the user alone.
    let group = about.mode() & 0o020 == 0 || about.gid() == rustix::process::getegid().as_raw();
    known && group && about.mode() & 0o002 == 0
}

fn is_marked(place: &Path) -> bool {
    let git = place.join(".git");
    let is_git = fs::symlink_metadata(&git)
        // A folder of that name can be anything; a work tree that is linked has a file.
        .is_ok_and(|about| about.is_file() || about.is_dir() && git.join("HEAD").exists());
    is_git || fs::symlink_metadata(place.join(OWN)).is_ok_and(|about| about.is_file())
}

fn has_manifest(place: &Path) -> bool {
    let Ok(entries) = fs::read_dir(place) else {
        return false;
    };
    let mut names = entries.take(MOST_NAMES).flatten();
    names.any(|entry| {
        let name = entry.file_name();
        MANIFESTS
            .iter()
            .any(|manifest| name == OsStr::new(manifest))
            && entry.file_type().is_ok_and(|kind| !kind.is_dir())
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_root_of_a_project_is_found_by_names() {
        let temporary = tempfile::tempdir().unwrap();
        let home = temporary.path().canonicalize().unwrap();
        let files = [
            "Makefile",
            ".git/HEAD",
            "repo/.git/HEAD",
            "repo/crates/one/Cargo.toml",
            "repo/crates/one/src/deep/lib.rs",
            "repo/configured/.bashful.toml",
            "repo/configured/sub/x",
            "repo/empty/.git/config",
            "repo/submodule/.git",
            "repo/submodule/src/x",
            "plain/package.json",
            "plain/packages/one/package.json",
            "plain/packages/one/src/x",
            "plain/docs/x",
            "folder/go.mod/x",
            "folder/sub/x",
        ];
        for name in files {
            let path = home.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let cases = [
            ("repo", "repo"),
            ("repo/crates/one/src/deep", "repo"),
            ("repo/configured/sub", "repo/configured"),
            ("repo/empty", "repo"),
            ("repo/submodule/src", "repo/submodule"),
            ("plain/docs", "plain"),
            ("plain/packages/one/src", "plain/packages/one"),
            ("folder/sub", "folder/sub"),
            ("folder/nowhere", "folder/nowhere"),
            // A home that is a repository and has a Makefile is none all the same.
            ("", ""),
            ("folder", "folder"),
        ];
        let found = |place: &str| project_root(&home.join(place), Some(&home));
        for (place, root) in cases {
            assert_eq!(found(place), home.join(root), "{place}");
        }
        // Nor is what another user can write, or what is above it.
        let open = |mode| {
            let all = fs::Permissions::from_mode(mode);
            fs::set_permissions(home.join("plain"), all).unwrap();
        };
        open(0o1777);
        assert_eq!(found("plain/docs"), home.join("plain/docs"));
        open(0o755);
        assert_eq!(found("plain/docs"), home.join("plain"));
        // Without a home to respect, the repository counts.
        assert_eq!(project_root(&home.join("folder"), None), home);
    }
}
