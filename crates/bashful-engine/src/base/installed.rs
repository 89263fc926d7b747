//! What a run installed into a home of its own goes into the home that is kept. Runs can write both,
//! so no link is followed: each directory is opened from the one above it.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{CWD, Dir, Mode, OFlags, RenameFlags, mkdirat, openat, renameat, renameat_with};
use rustix::io::Errno;

/// The folders of a home whose programs are on `PATH`.
const INSTALLED: [&CStr; 5] = [c".local", c".cargo", c".deno", c".bun", c"go"];
/// What lies deeper stays: each level takes four open files.
const DEEPEST: usize = 64;

/// Moves what is installed in `from`, over what is there in `to`.
pub(crate) fn keep_installed(from: &Path, to: &Path) {
    let opened = |path: &Path| openat(CWD, path, FLAGS, Mode::empty());
    let Ok(from) = opened(from) else { return };
    if opened(to).is_err_and(|error| error == Errno::NOENT) {
        let _ = mkdirat(CWD, to, Mode::RWXU);
    }
    let Ok(to) = opened(to) else { return };
    for name in INSTALLED {
        take(from.as_fd(), to.as_fd(), name, DEEPEST);
    }
}

const FLAGS: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Moves one entry, or what is in it where both have a directory of that name. What cannot be moved
/// stays and goes with its home.
fn take(from: BorrowedFd<'_>, to: BorrowedFd<'_>, name: &CStr, deeper: usize) {
    let moved = renameat_with(from, name, to, name, RenameFlags::NOREPLACE);
    if moved != Err(Errno::EXIST) || deeper == 0 {
        return;
    }
    let inside = |at| openat(at, name, FLAGS, Mode::empty());
    if let (Ok(from), Ok(to)) = (inside(from), inside(to)) {
        for name in names(&from) {
            take(from.as_fd(), to.as_fd(), &name, deeper - 1);
        }
    } else {
        // The kernel puts no file in the place of a directory, nor the other way round.
        let _ = renameat(from, name, to, name);
    }
}

fn names(directory: &OwnedFd) -> Vec<CString> {
    let entries = Dir::read_from(directory).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_owned());
    names
        .filter(|name| !matches!(name.to_bytes(), b"." | b".."))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn programs_are_kept_and_links_lead_nowhere() {
        let world = tempfile::tempdir().unwrap();
        let at = |path: &str| world.path().join(path);
        let write = |path: &str, text: &str| {
            fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            fs::write(at(path), text).unwrap();
        };
        let read = |path: &str| fs::read_to_string(at(path)).unwrap_or_default();
        for place in ["elsewhere/bin", "kept"] {
            fs::create_dir_all(at(place)).unwrap();
        }
        write("once/.local/bin/tool", "new");
        write("once/.local/bin/other", "other");
        write("once/go/bin/gopls", "go");
        write("once/.bun/bin/x", "planted");
        write("once/.npmrc", "obeyed");
        write("kept/.local/bin/tool", "old");
        write("kept/.local/bin/own", "own");
        symlink("../elsewhere", at("kept/.bun")).unwrap();
        symlink("../elsewhere", at("once/.deno")).unwrap();
        keep_installed(&at("once"), &at("kept"));
        assert_eq!(read("kept/.local/bin/tool"), "new");
        assert_eq!(read("kept/.local/bin/other"), "other");
        assert_eq!(read("kept/.local/bin/own"), "own");
        assert_eq!(read("kept/go/bin/gopls"), "go");
        assert!(!at("kept/.npmrc").exists() && !at("elsewhere/bin/x").exists());
        // A home that is not there yet is made; one that is a link is none.
        write("twice/.local/bin/tool", "first");
        keep_installed(&at("twice"), &at("fresh"));
        assert_eq!(read("fresh/.local/bin/tool"), "first");
        write("again/.local/bin/x", "x");
        symlink("elsewhere", at("away")).unwrap();
        keep_installed(&at("again"), &at("away"));
        assert!(!at("elsewhere/.local").exists());
    }
}
