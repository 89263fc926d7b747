//! Finding a wrapper program that can be trusted, and what it can do.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::error::WrapperError;
use crate::launch::Launch;
use crate::sys::wait::reap;

/// Where wrapper programs are looked for. `PATH` has no say in it.
pub const TRUSTED_DIRECTORIES: [&str; 4] = [
    "/usr/bin",
    "/bin",
    "/usr/local/bin",
    "/run/current-system/sw/bin",
];

/// A program that only root can have put there, and what it says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrapperProgram {
    /// Where it really is.
    pub path: PathBuf,
    /// The first line that it prints when it is asked for its version.
    pub version: String,
    /// Whether it is installed with the rights of root.
    pub is_setuid: bool,
    /// Its help, which shows what it can do.
    help: String,
    /// Shows whether the file was replaced.
    fingerprint: Option<Fingerprint>,
}

/// Where a file is, its size, its mode, and when it was changed.
type Fingerprint = (u64, u64, u64, u32, (i64, i64));

fn fingerprint(path: &Path) -> Option<Fingerprint> {
    let about = fs::symlink_metadata(path).ok()?;
    let changed = (about.ctime(), about.ctime_nsec());
    Some((
        about.dev(),
        about.ino(),
        about.size(),
        about.mode(),
        changed,
    ))
}

/// Whether a program may be installed with the rights of root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Setuid {
    /// It is meant to be.
    Expected,
    /// It would act with more rights than it was tested with.
    Refused,
}

/// One that answers later than this is broken.
const PATIENCE: Duration = Duration::from_secs(5);
/// No help is longer.
const MOST_BYTES: u64 = 256 << 10;

impl WrapperProgram {
    pub(super) fn find(name: &'static str, setuid: Setuid) -> Result<Self, WrapperError> {
        Self::find_in(name, setuid, &TRUSTED_DIRECTORIES.map(Path::new))
    }

    fn find_in(
        name: &'static str,
        setuid: Setuid,
        directories: &[&Path],
    ) -> Result<Self, WrapperError> {
        let missing = WrapperError::Missing { name };
        let mut found = directories
            .iter()
            .filter_map(|directory| directory.join(name).canonicalize().ok())
            .filter(|path| path.is_file());
        let path = found.next().ok_or(missing)?;
        let untrusted = |problem: String| WrapperError::Untrusted {
            path: path.clone(),
            problem,
        };
        let is_setuid = check(&path, setuid).map_err(untrusted)?;
        let fingerprint = fingerprint(&path);
        let ask = |asked| match ask(&path, name, asked) {
            Ok((answer, _)) if !answer.trim().is_empty() => Ok(answer),
            Ok((_, complaint)) => Err(match first_line(&complaint) {
                "" => untrusted(format!("it does not answer {asked}")),
                words => WrapperError::Unwilling {
                    path: path.clone(),
                    asked,
                    words: words.to_owned(),
                },
            }),
            Err(error) => Err(untrusted(format!("it does not answer {asked}: {error}"))),
        };
        let version = first_line(&ask("--version")?).to_owned();
        let help = ask("--help")?;
        Ok(Self {
            path,
            version,
            is_setuid,
            help,
            fingerprint,
        })
    }

    /// Whether it is the same file as when it was looked at.
    pub(super) fn is_unchanged(&self) -> bool {
        self.fingerprint.is_some() && fingerprint(&self.path) == self.fingerprint
    }

    /// A program that does not exist, for tests.
    #[cfg(test)]
    pub(super) fn pretended(path: &str, options: &[&str]) -> Self {
        Self {
            path: path.into(),
            version: "pretended 1".to_owned(),
            is_setuid: false,
            help: options.join("\n"),
            fingerprint: None,
        }
    }

    /// Whether it knows this option.
    pub(super) fn knows(&self, option: &str) -> bool {
        self.help
            .split([' ', '\n', '\t', '=', '['])
            .any(|word| word == option)
    }

    /// An error if it lacks one of these.
    pub(super) fn require(&self, options: &[&'static str]) -> Result<(), WrapperError> {
        match options.iter().find(|option| !self.knows(option)) {
            None => Ok(()),
            Some(missing) => Err(WrapperError::TooOld {
                path: self.path.clone(),
                version: self.version.clone(),
                missing,
            }),
        }
    }
}

/// Whether it is setuid; what is wrong with it if a user other than root could have changed it.
fn check(path: &Path, setuid: Setuid) -> Result<bool, String> {
    for above in path.ancestors() {
        let about = fs::symlink_metadata(above).map_err(|error| error.to_string())?;
        let shown = above.display();
        if about.uid() != 0 {
            return Err(format!("`{shown}` does not belong to root"));
        }
        // A directory with the sticky bit does not help: a name that is free can be taken.
        if about.permissions().mode() & 0o022 != 0 {
            return Err(format!("users other than root can write to `{shown}`"));
        }
    }
    let about = fs::symlink_metadata(path).map_err(|error| error.to_string())?;
    if !about.is_file() {
        return Err("it is not a file".to_owned());
    }
    let has_capabilities = rustix::fs::lgetxattr(path, "security.capability", &mut [0_u8; 64])
        .is_ok_and(|length| length > 0);
    let is_setuid = about.permissions().mode() & 0o6000 != 0 || has_capabilities;
    if is_setuid && setuid == Setuid::Refused {
        return Err(format!(
            "it is installed with the rights of root, which it does not need here; fix that with \
             `chmod u-s {0}` or `setcap -r {0}`",
            path.display()
        ));
    }
    Ok(is_setuid)
}

fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default().trim()
}

/// What it prints for this argument, and what it complains about.
fn ask(path: &Path, name: &str, argument: &str) -> io::Result<(String, String)> {
    let output = memfd_create("answer", MemfdFlags::CLOEXEC)?;
    let complaints = memfd_create("complaints", MemfdFlags::CLOEXEC)?;
    let pid = Launch::new(path, name)
        .argument(argument)
        .stdout(output.try_clone()?)
        .stderr(complaints.try_clone()?)
        .new_session()
        .dies_with_caller()
        .start()
        .map_err(|error| error.source)?;
    wait(pid, PATIENCE)?;
    Ok((read(output)?, read(complaints)?))
}

fn read(file: OwnedFd) -> io::Result<String> {
    let mut text = Vec::new();
    let mut file = File::from(file);
    file.seek(SeekFrom::Start(0))?;
    file.take(MOST_BYTES).read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Waits for a child of ours and reaps it; one that takes too long is killed.
pub(super) fn wait(pid: i32, patience: Duration) -> io::Result<()> {
    let process = Pid::from_raw(pid).ok_or(io::ErrorKind::InvalidInput)?;
    let pidfd = pidfd_open(process, PidfdFlags::empty())?;
    let patience = Timespec {
        tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: patience.subsec_nanos().into(),
    };
    let ended = poll(&mut [PollFd::new(&pidfd, PollFlags::IN)], Some(&patience));
    let in_time = matches!(ended, Ok(1..));
    if !in_time {
        pidfd_send_signal(&pidfd, Signal::KILL)?;
    }
    reap(pid)?;
    if in_time {
        Ok(())
    } else {
        Err(io::ErrorKind::TimedOut.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_s_own_is_trusted_and_asked() {
        let bash = WrapperProgram::find("bash", Setuid::Refused).unwrap();
        assert!(bash.version.contains("bash"), "{bash:?}");
        assert!(bash.knows("--version") || bash.knows("-c"), "{bash:?}");
        assert!(bash.require(&["--no-such-option"]).is_err());
    }

    #[test]
    fn what_is_nowhere_is_missing() {
        let found = WrapperProgram::find("no-such-program-here", Setuid::Refused);
        assert!(matches!(found, Err(WrapperError::Missing { .. })));
    }

    #[test]
    fn what_others_could_have_put_there_is_refused() {
        // Whichever user runs the tests, others can write somewhere above a temporary directory,
        // or a user other than root owns it.
        let directory = tempfile::tempdir().unwrap();
        fs::copy("/bin/true", directory.path().join("bwrap")).unwrap();
        let found = WrapperProgram::find_in("bwrap", Setuid::Refused, &[directory.path()]);
        assert!(
            matches!(found, Err(WrapperError::Untrusted { .. })),
            "{found:?}"
        );
    }

    #[test]
    fn one_with_the_rights_of_root_is_refused_unless_it_is_meant_to_be() {
        let su = Path::new("/usr/bin/su");
        let mode = fs::metadata(su).unwrap().permissions().mode();
        assert_ne!(mode & 0o4000, 0, "the tests need a setuid program");
        assert!(
            check(su, Setuid::Refused)
                .unwrap_err()
                .contains("chmod u-s")
        );
        assert_eq!(check(su, Setuid::Expected), Ok(true));
    }
}
