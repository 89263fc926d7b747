//! Remembering which files are programs from one run to the next.

use std::fs::{DirBuilder, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, Mode, OFlags};

use super::fingerprint::{digest, digest_now, mounts};
use super::scan::{Found, Limits, ScanError, walk};
use record::Record;

mod record;

/// [`scan`](super::scan) of several roots, remembered in this directory.
///
/// The memory holds as long as no directory below the roots has changed and nothing
/// was mounted there, and for a day at most: a file whose content was rewritten in
/// place changes no directory. The file is ours alone; one that is damaged, not ours,
/// or open to others counts as absent and is replaced. Not being able to remember is
/// no error. The directory must not be writable for a run.
pub(crate) fn cached_scan(
    roots: &[PathBuf],
    cache_directory: Option<&Path>,
) -> Result<Vec<PathBuf>, ScanError> {
    Cache {
        limits: Limits::default(),
        settling: SETTLING,
        age: LONGEST_AGE,
    }
    .scan(roots, cache_directory)
    .map(|(programs, _)| programs)
}

/// File systems keep times in steps of up to two seconds. What changed shorter ago
/// than that may change again without a trace.
const SETTLING: Duration = Duration::from_secs(2);

const LONGEST_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// More than this is no cache of ours.
const LARGEST: u64 = 256 * 1024 * 1024;

/// Where an answer came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// It was remembered.
    Memory,
    /// The files were looked at.
    Scan,
}

/// How long each kind of answer is trusted.
#[derive(Debug, Clone, Copy)]
struct Cache {
    limits: Limits,
    settling: Duration,
    age: Duration,
}

impl Cache {
    fn scan(
        self,
        roots: &[PathBuf],
        directory: Option<&Path>,
    ) -> Result<(Vec<PathBuf>, Origin), ScanError> {
        let directory = directory.and_then(|path| open_private(path).ok());
        let name = file_name(roots);
        if let Some(directory) = &directory
            && let Some(programs) = self.recall(roots, directory, &name)
        {
            return Ok((programs, Origin::Memory));
        }
        let started = SystemTime::now();
        let mounted = mounts(roots);
        let mut found = Found::default();
        for root in roots {
            let more = walk(root, self.limits)?;
            found.programs.extend(more.programs);
            found.directories.extend(more.directories);
        }
        found.programs.sort_unstable();
        found.programs.dedup();
        if let (Some(directory), Some(mounted)) = (directory, mounted)
            && found
                .directories
                .iter()
                .all(|(_, stamp)| stamp.is_settled(started, self.settling))
        {
            let record = Record {
                roots: roots.iter().map(PathBuf::as_path).collect(),
                started,
                mounts: mounted,
                stamps: digest(found.directories.iter().map(|(_, stamp)| *stamp)),
                directories: found.directories.iter().map(|(path, _)| &**path).collect(),
                programs: found.programs.iter().map(PathBuf::as_path).collect(),
            };
            // The next run looks again if this does not work.
            let _ = store(&directory, &name, &record.to_bytes());
        }
        Ok((found.programs, Origin::Scan))
    }

    fn recall(self, roots: &[PathBuf], directory: &File, name: &str) -> Option<Vec<PathBuf>> {
        let bytes = load(directory, name).ok()?;
        let record = Record::from_bytes(&bytes)?;
        let age = SystemTime::now().duration_since(record.started).ok()?;
        let holds = record.roots == roots
            && age < self.age
            && Some(record.mounts) == mounts(roots)
            && record.stamps == digest_now(record.directories.iter().copied());
        holds.then(|| {
            record
                .programs
                .iter()
                .map(|path| path.to_path_buf())
                .collect()
        })
    }
}

/// Opens a directory that no other user can put files into; makes it if it is not there.
fn open_private(path: &Path) -> io::Result<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    check_private(&directory)?;
    Ok(directory)
}

/// Refuses what belongs to another user, or what another user can write.
fn check_private(file: &File) -> io::Result<()> {
    let metadata = file.metadata()?;
    let ours = metadata.uid() == rustix::process::geteuid().as_raw();
    if !ours || metadata.mode() & 0o022 != 0 {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(())
}

/// One file for each list of roots.
fn file_name(roots: &[PathBuf]) -> String {
    let mut hasher = DefaultHasher::new();
    for root in roots {
        root.as_os_str().as_bytes().hash(&mut hasher);
    }
    format!("programs-{:016x}", hasher.finish())
}

fn load(directory: &File, name: &str) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::openat(directory, name, flags, Mode::empty())?);
    check_private(&file)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.nlink() != 1 || metadata.len() > LARGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    file.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a new file and puts it in the place of the old one, whatever that was.
fn store(directory: &File, name: &str, bytes: &[u8]) -> io::Result<()> {
    static STORED: AtomicU64 = AtomicU64::new(0);
    let count = STORED.fetch_add(1, Ordering::Relaxed);
    let fresh = format!("{name}.{}.{count}", std::process::id());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let private = Mode::RUSR | Mode::WUSR;
    // What is left of a process that had our number and died here.
    let _ = rustix::fs::unlinkat(directory, &*fresh, AtFlags::empty());
    let mut file = File::from(rustix::fs::openat(directory, &*fresh, flags, private)?);
    let result = file
        .write_all(bytes)
        .and_then(|()| Ok(rustix::fs::renameat(directory, &*fresh, directory, name)?));
    if result.is_err() {
        let _ = rustix::fs::unlinkat(directory, &*fresh, AtFlags::empty());
    }
    result
}

#[cfg(test)]
mod tests;
