//! A client's file on disk: read with care, replaced in one go, the old one kept beside it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Gid, Mode, Uid, fchmod, fchown};

use super::Reach;
use crate::view::utc;

/// No client's file is longer.
const LONGEST: u64 = 64 << 20;
/// How many names are tried for a file beside it.
const TRIES: u32 = 32;

/// A file as it was found.
#[derive(Debug)]
pub(crate) struct Found {
    /// Where it really is.
    pub(crate) path: PathBuf,
    /// What it holds; none if there is no file.
    pub(crate) text: Option<String>,
    reach: Reach,
}

/// What was written.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) path: PathBuf,
    /// Where the old file is.
    pub(crate) backup: Option<PathBuf>,
}

/// Why a file was left as it is.
#[derive(Debug)]
pub(crate) enum FileError {
    System(&'static str, PathBuf, io::Error),
    Odd(PathBuf, &'static str),
}

impl std::fmt::Display for FileError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::System(what, path, _) => write!(formatter, "cannot {what} `{}`", path.display()),
            Self::Odd(path, why) => write!(
                formatter,
                "`{}` {why}; it was left as it is",
                path.display()
            ),
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::System(_, _, error) => Some(error),
            Self::Odd(..) => None,
        }
    }
}

/// Reads a file. A link is followed; but what belongs to a project stays in the project, since
/// others may have put the link there.
pub(crate) fn read(path: &Path, reach: Reach, project: &Path) -> Result<Found, FileError> {
    let failed = |error| FileError::System("read", path.to_owned(), error);
    let real = real_path(path).map_err(failed)?;
    let odd = |why| Err(FileError::Odd(path.to_owned(), why));
    if reach == Reach::Project && !real.starts_with(project.canonicalize().map_err(failed)?) {
        return odd("leads out of the project");
    }
    let text = match fs::symlink_metadata(&real) {
        Ok(metadata) if !metadata.is_file() => return odd("is not a file"),
        Ok(metadata) if metadata.len() > LONGEST => return odd("is too long"),
        Ok(_) => Some(text_of(&real)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(error)),
    };
    Ok(Found {
        path: real,
        text,
        reach,
    })
}

fn text_of(path: &Path) -> Result<String, FileError> {
    let failed = |error| FileError::System("read", path.to_owned(), error);
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(LONGEST).read_to_end(&mut bytes).map_err(failed)?;
    String::from_utf8(bytes).map_err(|_| FileError::Odd(path.to_owned(), "is not valid UTF-8"))
}

/// Where a path really leads, also if the last parts of it do not exist yet.
fn real_path(path: &Path) -> io::Result<PathBuf> {
    match fs::symlink_metadata(path) {
        // A link that leads nowhere is an error here.
        Ok(_) => path.canonicalize(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            match (path.parent(), path.file_name()) {
                (Some(parent), Some(name)) => Ok(real_path(parent)?.join(name)),
                _ => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}

/// Puts a new text in the place of an old one; without a new one, the file goes. The old file is
/// kept beside it.
pub(crate) fn write(found: &Found, text: Option<&str>, now_ms: u64) -> Result<Written, FileError> {
    let path = &found.path;
    let now = match found.text {
        Some(_) => text_of(path).map(Some)?,
        None if path.exists() => return Err(changed(path)),
        None => None,
    };
    if now != found.text {
        return Err(changed(path));
    }
    let backup = match &found.text {
        Some(old) => Some(keep(path, old, now_ms)?),
        None => None,
    };
    match text {
        Some(text) => replace(found, text)?,
        None => fs::remove_file(path)
            .map_err(|error| FileError::System("remove", path.clone(), error))?,
    }
    Ok(Written {
        path: path.clone(),
        backup,
    })
}

fn changed(path: &Path) -> FileError {
    FileError::Odd(path.to_owned(), "was changed by another program just now")
}

/// Writes the old text to a file beside it.
fn keep(path: &Path, old: &str, now_ms: u64) -> Result<PathBuf, FileError> {
    let time: String = utc(now_ms)
        .chars()
        .filter(|c| !matches!(c, '-' | ':'))
        .collect();
    let failed = |error| FileError::System("write a backup of", path.to_owned(), error);
    let beside = |number| match number {
        0 => with_ending(path, &format!(".bashful-backup-{time}")),
        number => with_ending(path, &format!(".bashful-backup-{time}-{number}")),
    };
    let (file, kept) = create(beside, 0o600).map_err(failed)?;
    fill(&file, old, path.metadata().ok().as_ref()).map_err(failed)?;
    Ok(kept)
}

fn replace(found: &Found, text: &str) -> Result<(), FileError> {
    let path = &found.path;
    let failed = |error| FileError::System("write", path.clone(), error);
    let (directory_mode, file_mode) = match found.reach {
        Reach::User => (0o700, 0o600),
        Reach::Project => (0o777, 0o666),
    };
    let directory = path.parent().unwrap_or(path);
    let mut builder = fs::DirBuilder::new();
    let made = builder.recursive(true).mode(directory_mode);
    made.create(directory).map_err(failed)?;
    let old = path.metadata().ok();
    let mode = if old.is_some() { 0o600 } else { file_mode };
    let ending = |number| {
        with_ending(
            path,
            &format!(".bashful-new-{}-{number}", std::process::id()),
        )
    };
    let (file, new) = create(ending, mode).map_err(failed)?;
    let done = fill(&file, text, old.as_ref()).and_then(|()| fs::rename(&new, path));
    if let Err(error) = done {
        // Nothing half-written stays.
        let _ = fs::remove_file(&new);
        return Err(failed(error));
    }
    // The new name is on disk when the directory is.
    if let Ok(directory) = File::open(directory) {
        let _ = directory.sync_all();
    }
    Ok(())
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Makes a file that was not there, under the first name that is free.
fn create(name: impl Fn(u32) -> PathBuf, mode: u32) -> io::Result<(File, PathBuf)> {
    let mut number = 0;
    loop {
        let path = name(number);
        let made = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&path);
        match made {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < TRIES => {
                number += 1;
            }
            made => return Ok((made?, path)),
        }
    }
}

/// Writes a text into a new file, which then has the owner of the old one.
fn fill(mut file: &File, text: &str, old: Option<&fs::Metadata>) -> io::Result<()> {
    file.write_all(text.as_bytes())?;
    if let Some(old) = old {
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            let owner = Uid::from_raw(old.uid());
            fchown(file, Some(owner), Some(Gid::from_raw(old.gid())))?;
        }
        fchmod(file, Mode::from_raw_mode(old.mode() & 0o7777))?;
    }
    file.sync_all()
}
