//! The helpers without which a program is not whole.

use std::ffi::OsStr;
use std::path::PathBuf;

use super::resolve::Program;

/// A program, and where its own helpers are, seen from the directory above its own.
///
/// Only what the same project ships as parts of one program is listed. Compilers,
/// package managers and the like start other programs, and those are to be named.
const TABLE: &[(&str, &[&str])] = &[
    // `git fetch` runs `git-remote-https` from there, `git commit` runs `git` itself;
    // the first place is Debian's and Arch's, the second that of nearly all others.
    ("git", &["lib/git-core", "libexec/git-core"]),
];

/// The directories with a program's own helpers, which must stay runnable for it to work.
/// Only directories of the same installation that exist are listed, canonical.
pub(crate) fn companions(program: &Program) -> Vec<PathBuf> {
    let name = program.file.file_name().unwrap_or(OsStr::new(""));
    let Some((_, places)) = TABLE.iter().find(|(known, _)| name == *known) else {
        return Vec::new();
    };
    let Some(prefix) = program
        .file
        .parent()
        .and_then(|directory| directory.parent())
    else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = Vec::new();
    for place in *places {
        if let Ok(directory) = prefix.join(place).canonicalize()
            && directory.is_dir()
            && !found.contains(&directory)
        {
            found.push(directory);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(file: PathBuf) -> Program {
        Program {
            steps: Vec::new(),
            file,
            interpreter: None,
            interpreter_steps: Vec::new(),
        }
    }

    #[test]
    fn git_has_the_helpers_of_its_own_installation() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("libexec/git-core")).unwrap();
        let expected = vec![root.join("libexec/git-core")];
        assert_eq!(companions(&at(root.join("bin/git"))), expected);
        assert_eq!(
            companions(&at(root.join("bin/gitk"))),
            Vec::<PathBuf>::new()
        );
        assert_eq!(companions(&at(root.join("git"))), Vec::<PathBuf>::new());
    }

    #[test]
    fn odd_paths_have_none() {
        for path in ["/git", "/", "git", ""] {
            assert_eq!(
                companions(&at(path.into())),
                Vec::<PathBuf>::new(),
                "{path}"
            );
        }
    }
}
