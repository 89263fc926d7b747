//! Opening what is in a task directory: regular files of ours, and nothing that would keep us
//! waiting or lead elsewhere.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags, open};
use rustix::process::geteuid;

/// No file that is read as a whole is longer: no message to a keeper is.
const LONGEST: u64 = 32 << 20;

/// Opens a file for reading.
pub(crate) fn open_ours(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(open(path, flags, Mode::empty())?);
    let about = file.metadata()?;
    let (user, owner) = (geteuid().as_raw(), about.uid());
    // Every user trusts what root made, and root looks after every user's tasks.
    let is_ours = owner == user || owner == 0 || user == 0;
    if about.is_file() && is_ours {
        return Ok(file);
    }
    let text = if is_ours {
        "it is not a regular file"
    } else {
        "it belongs to another user"
    };
    Err(io::Error::new(io::ErrorKind::InvalidData, text))
}

/// Reads a whole file.
pub(crate) fn read_ours(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let mut file = open_ours(path)?.take(LONGEST + 1);
    file.read_to_end(&mut text)?;
    if text.len() as u64 > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is too long"));
    }
    Ok(text)
}

/// Reads at most this much of the end of a file.
pub(crate) fn read_end_of_ours(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut file = open_ours(path)?;
    let start = file.metadata()?.len().saturating_sub(most);
    file.seek(SeekFrom::Start(start))?;
    let mut text = Vec::new();
    file.take(most).read_to_end(&mut text)?;
    Ok(text)
}
