//! Directories of a run: resolved once, compared by components.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::base::real::real;
use crate::model::error::InvalidInvocation;

/// The real path of an existing directory that can be entered.
pub(crate) fn real_directory(
    role: &'static str,
    path: &Path,
) -> Result<PathBuf, InvalidInvocation> {
    let unreadable = |source| InvalidInvocation::UnreadableDirectory {
        role,
        path: path.to_owned(),
        source,
    };
    let real = resolved(role, path)?;
    rustix::fs::access(&real, rustix::fs::Access::EXEC_OK)
        .map_err(|errno| unreadable(errno.into()))?;
    if real.to_str().is_none() {
        return Err(InvalidInvocation::PathNotUtf8 { path: real });
    }
    Ok(real)
}

/// The real path of an existing directory, links followed.
fn resolved(role: &'static str, path: &Path) -> Result<PathBuf, InvalidInvocation> {
    let path = path.to_owned();
    match real(&path) {
        Ok(real) if real.is_dir() => Ok(real),
        Ok(_) => Err(InvalidInvocation::NotADirectory { role, path }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(InvalidInvocation::MissingDirectory { role, path })
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(InvalidInvocation::NotADirectory { role, path })
        }
        Err(source) => Err(InvalidInvocation::UnreadableDirectory { role, path, source }),
    }
}

/// Whether `path` lies in one of these roots, after resolving symbolic links and
/// `..`; of a path that does not exist, the part that does is resolved.
pub(crate) fn lies_in(path: &Path, roots: &[PathBuf]) -> bool {
    let Some(path) = resolve_existing(path) else {
        return false;
    };
    roots
        .iter()
        .any(|root| real(root).is_ok_and(|root| path.starts_with(root)))
}

/// The real path, where the last components need not exist.
fn resolve_existing(path: &Path) -> Option<PathBuf> {
    let mut missing: Vec<&std::ffi::OsStr> = Vec::new();
    let mut existing = path;
    loop {
        match existing.canonicalize() {
            Ok(mut real) => {
                // Below a directory that does not exist, `..` cannot be followed honestly.
                for name in missing.iter().rev() {
                    real.push(name);
                }
                return Some(real);
            }
            // A link to nowhere, a loop or a closed door: not known, so not allowed.
            Err(error) if error.kind() != io::ErrorKind::NotFound => return None,
            Err(_) if existing.is_symlink() => return None,
            Err(_) => match existing.components().next_back()? {
                Component::Normal(name) => {
                    missing.push(name);
                    existing = existing.parent()?;
                    if existing.as_os_str().is_empty() {
                        existing = Path::new(".");
                    }
                }
                _ => return None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_real_however_it_is_named() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("in/deep")).unwrap();
        std::fs::write(root.join("file"), "").unwrap();
        std::os::unix::fs::symlink("in", root.join("link")).unwrap();
        let real = |name: &str| {
            let named = PathBuf::from(format!("{}/{name}", root.display()));
            real_directory("workspace", &named).map_err(|error| match error {
                InvalidInvocation::NotADirectory { .. } => "no directory",
                InvalidInvocation::MissingDirectory { .. } => "missing",
                _ => "something else",
            })
        };
        for name in ["in/deep", "in//./deep/", "link/deep", "in/../link/deep"] {
            assert_eq!(real(name), Ok(root.join("in/deep")), "{name}");
        }
        assert_eq!(real("file"), Err("no directory"));
        assert_eq!(real("file/x"), Err("no directory"));
        assert_eq!(real("link/none"), Err("missing"));
    }

    #[test]
    fn containment_is_by_components_after_links() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("root");
        std::fs::create_dir_all(root.join("in")).unwrap();
        std::fs::create_dir(temp.path().join("root-evil")).unwrap();
        std::os::unix::fs::symlink(temp.path(), root.join("out")).unwrap();
        std::os::unix::fs::symlink("/nowhere/at/all", root.join("dangling")).unwrap();
        let roots = [root.clone()];
        let cases = [
            ("", true),
            ("in", true),
            ("in/new/file", true),
            ("in/../in", true),
            ("..", false),
            ("../root-evil", false),
            ("out", false),
            ("out/x", false),
            ("out/root/in", true),
            ("dangling", false),
            ("dangling/x", false),
            ("missing/../../root-evil", false),
        ];
        for (path, expected) in cases {
            assert_eq!(lies_in(&root.join(path), &roots), expected, "{path}");
        }
    }
}
