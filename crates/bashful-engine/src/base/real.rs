//! Paths as they really are.

use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;

/// The same as [`Path::canonicalize`], which looks at every part of a path by itself: here the
/// kernel is asked once whether any of them is a link, which on most paths none is.
pub(crate) fn real(path: &Path) -> io::Result<PathBuf> {
    let is_plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
    if path.is_absolute() && path.components().all(is_plain) {
        // A link at the end is refused as well, because it would be followed.
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let without_links = ResolveFlags::NO_SYMLINKS;
        match openat2(CWD, path, flags, Mode::empty(), without_links) {
            Ok(_) => return Ok(path.components().collect()),
            // Nothing on the way to where it ends was a link.
            Err(error @ (Errno::NOENT | Errno::NOTDIR)) => return Err(error.into()),
            Err(_) => {}
        }
    }
    path.canonicalize()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn it_is_what_canonicalize_says() {
        let house = tempfile::tempdir().unwrap();
        let root = house.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/file"), "").unwrap();
        symlink("a", root.join("link")).unwrap();
        symlink(root.join("a/b"), root.join("a/last")).unwrap();
        symlink("nowhere", root.join("broken")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        for path in [
            "a",
            "a/b",
            "a/b/",
            "a//b",
            "a/./b",
            "a/../a/b",
            "a/file",
            "a/file/",
            "link",
            "link/b",
            "link/last",
            "a/last",
            "a/last/..",
            "broken",
            "loop",
            "missing",
            "a/missing/..",
            "",
        ] {
            let path = root.join(path);
            let (ours, theirs) = (real(&path), path.canonicalize());
            let said = |it: io::Result<PathBuf>| it.map_err(|error| error.kind());
            assert_eq!(said(ours), said(theirs), "{path:?}");
        }
        for path in [
            ".",
            "..",
            "/",
            "",
            "//",
            "/proc/self",
            "/proc/self/fd",
            "/dev/fd/",
        ] {
            let path = Path::new(path);
            assert_eq!(real(path).ok(), path.canonicalize().ok(), "{path:?}");
        }
    }
}
