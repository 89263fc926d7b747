//! A fresh directory that is removed with everything in it when the chore is done.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result};

/// Not `TMPDIR`: another user must be able to enter it, and socket paths must stay short.
const PARENT: &str = "/tmp";

static COUNT: AtomicU32 = AtomicU32::new(0);

/// The directory lives as long as this value.
pub(crate) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    pub(crate) fn new() -> Result<Self> {
        Self::below(Path::new(PARENT))
    }

    pub(crate) fn below(parent: &Path) -> Result<Self> {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("bashful-{}-{number}", std::process::id());
        let path = parent.join(name);
        // `create_dir` fails on what is already there, so no attacker can prepare the place for us.
        fs::create_dir(&path).with_context(|| format!("cannot create `{}`", path.display()))?;
        let scratch = Self { path };
        set_mode(&scratch.path, 0o755)?;
        Ok(scratch)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a directory inside, with its parents.
    pub(crate) fn directory(&self, name: &str, mode: u32) -> Result<PathBuf> {
        let path = self.path.join(name);
        fs::create_dir_all(&path).with_context(|| format!("cannot create `{}`", path.display()))?;
        set_mode(&path, mode)?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A process that is just ending may still write; a second try is enough for that.
        if fs::remove_dir_all(&self.path).is_err() {
            std::thread::sleep(std::time::Duration::from_millis(300));
            if let Err(error) = fs::remove_dir_all(&self.path) {
                eprintln!("warning: `{}` stays behind: {error}", self.path.display());
            }
        }
    }
}

pub(crate) fn set_mode(path: &Path, mode: u32) -> Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
        .with_context(|| format!("cannot set the mode of `{}`", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_removed_with_its_contents() {
        let scratch = Scratch::new().unwrap();
        let inside = scratch.directory("a/b", 0o700).unwrap();
        fs::write(inside.join("file"), "text").unwrap();
        let path = scratch.path().to_path_buf();
        drop(scratch);
        assert!(!path.exists());
    }
}
