//! From what a program is called to the file that it is.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;

/// A program on this host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The symbolic links passed on the way to the file, in order: each absolute, with
    /// the directories before its name free of links.
    pub steps: Vec<PathBuf>,
    /// The regular file, canonical.
    pub file: PathBuf,
    /// What runs the file if it is a script: the program that its `#!` line names,
    /// canonical. For `#!/usr/bin/env python3` that is `env`.
    pub interpreter: Option<PathBuf>,
    /// The symbolic links passed on the way to the interpreter. The kernel takes the
    /// same way, so they have to be there.
    pub interpreter_steps: Vec<PathBuf>,
}

/// Why there is no such program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// No program has such a name: it is empty, or has a NUL or a newline in it.
    #[error("{name:?} cannot be the name of a program")]
    BadName {
        /// The name as the caller gave it.
        name: String,
    },
    /// There is nothing of that name.
    #[error("there is no program `{name}`")]
    NotFound {
        /// The name as the caller gave it.
        name: String,
    },
    /// It is a directory.
    #[error("`{path}` is a directory, not a program", path = path.display())]
    Directory {
        /// The directory that the name led to.
        path: PathBuf,
    },
    /// It is no regular file, or not one that we may execute.
    #[error("`{path}` is not executable", path = path.display())]
    NotExecutable {
        /// The file that the name led to.
        path: PathBuf,
    },
    /// The symbolic links go in a circle, or are too many.
    #[error("`{path}` leads through too many symbolic links", path = path.display())]
    TooManyLinks {
        /// Where the links begin.
        path: PathBuf,
    },
    /// It is a script, and what its first line names cannot run it.
    #[error("the script `{script}` cannot be run by `{interpreter}`",
        script = script.display(), interpreter = interpreter.display())]
    Interpreter {
        /// The file that has the `#!` line.
        script: PathBuf,
        /// What its first line names.
        interpreter: PathBuf,
    },
    /// The kernel did not let us look.
    #[error("cannot look at `{path}`", path = path.display())]
    Unreachable {
        /// What was looked at.
        path: PathBuf,
        /// What the kernel said.
        #[source]
        errno: Errno,
    },
}

/// Finds the program that a name means.
///
/// A name with a slash is a path, relative to `directory`; any other is looked up in
/// the directories of `path_variable` as a shell does: the first regular file that we
/// may execute. An empty element of it means `directory`, which is absolute.
pub fn resolve(name: &str, path_variable: &str, directory: &Path) -> Result<Program, ProgramError> {
    if name.is_empty() || name.contains(['\0', '\n']) {
        return Err(ProgramError::BadName { name: name.into() });
    }
    if name.contains('/') {
        return found_at(name, &directory.join(name), directory);
    }
    let mut refused = None;
    for place in path_variable.split(':') {
        let candidate = directory.join(place).join(name);
        match found_at(name, &candidate, directory) {
            Ok(program) => return Ok(program),
            // A shell goes on after a file that may not be executed, and names the
            // first such if there is nothing better. Directories do not count.
            Err(error @ ProgramError::NotExecutable { .. }) => {
                refused.get_or_insert(error);
            }
            Err(error @ ProgramError::Interpreter { .. }) => return Err(error),
            Err(_) => {}
        }
    }
    Err(refused.unwrap_or_else(|| ProgramError::NotFound { name: name.into() }))
}

fn found_at(name: &str, path: &Path, directory: &Path) -> Result<Program, ProgramError> {
    let (steps, file) = follow(name, path)?;
    let (mut interpreter_steps, mut interpreter) = (Vec::new(), None);
    if let Some(named) = interpreter_of(&file)? {
        let (steps, found) =
            follow(name, &directory.join(&named)).map_err(|_| ProgramError::Interpreter {
                script: file.clone(),
                interpreter: named,
            })?;
        interpreter_steps = steps;
        interpreter = Some(found);
    }
    Ok(Program {
        steps,
        file,
        interpreter,
        interpreter_steps,
    })
}

/// As many links as the kernel follows.
const MOST_LINKS: usize = 40;

/// Follows links to an executable regular file; returns them, and the file.
fn follow(name: &str, start: &Path) -> Result<(Vec<PathBuf>, PathBuf), ProgramError> {
    let failed = |path: &Path, error: &io::Error| match Errno::from_io_error(error) {
        Some(Errno::NOENT | Errno::NOTDIR) => ProgramError::NotFound { name: name.into() },
        Some(Errno::LOOP) => ProgramError::TooManyLinks {
            path: start.to_owned(),
        },
        errno => ProgramError::Unreachable {
            path: path.to_owned(),
            errno: errno.unwrap_or(Errno::IO),
        },
    };
    let mut steps = Vec::new();
    let mut current = start.to_owned();
    while steps.len() <= MOST_LINKS {
        let Some((parent, last)) = split(&current) else {
            // It ends with a slash or dots, so it can only be a directory.
            return match current.canonicalize() {
                Ok(path) if path.is_dir() => Err(ProgramError::Directory { path }),
                Ok(_) => Err(ProgramError::NotFound { name: name.into() }),
                Err(error) => Err(failed(&current, &error)),
            };
        };
        let parent = parent
            .canonicalize()
            .map_err(|error| failed(&current, &error))?;
        let here = parent.join(last);
        let kind = here
            .symlink_metadata()
            .map_err(|error| failed(&here, &error))?
            .file_type();
        if kind.is_symlink() {
            let target = here.read_link().map_err(|error| failed(&here, &error))?;
            current = parent.join(target);
            steps.push(here);
        } else if kind.is_dir() {
            return Err(ProgramError::Directory { path: here });
        } else if kind.is_file() && is_executable(&here) {
            return Ok((steps, here));
        } else {
            return Err(ProgramError::NotExecutable { path: here });
        }
    }
    Err(ProgramError::TooManyLinks {
        path: start.to_owned(),
    })
}

/// The part before the last slash, and the name after it; absent if what comes after
/// it is no name.
fn split(path: &Path) -> Option<(&Path, &OsStr)> {
    let bytes = path.as_os_str().as_bytes();
    let slash = bytes.iter().rposition(|&byte| byte == b'/')?;
    let last = bytes.get(slash + 1..)?;
    if matches!(last, b"" | b"." | b"..") {
        return None;
    }
    let parent = bytes.get(..=slash)?;
    Some((
        Path::new(OsStr::from_bytes(parent)),
        OsStr::from_bytes(last),
    ))
}

fn is_executable(path: &Path) -> bool {
    rustix::fs::accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}

/// As much of a script as the kernel looks at.
const FIRST_LINE: u64 = 256;

/// What the `#!` line of this file names; nothing if it has none or we may not read it.
fn interpreter_of(file: &Path) -> Result<Option<PathBuf>, ProgramError> {
    let failed = |errno| ProgramError::Unreachable {
        path: file.to_owned(),
        errno,
    };
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = match rustix::fs::open(file, flags, Mode::empty()) {
        Ok(opened) => File::from(opened),
        Err(Errno::ACCESS) => return Ok(None),
        Err(errno) => return Err(failed(errno)),
    };
    let mut start = Vec::new();
    opened
        .take(FIRST_LINE)
        .read_to_end(&mut start)
        .map_err(|error| failed(Errno::from_io_error(&error).unwrap_or(Errno::IO)))?;
    let Some(line) = start.strip_prefix(b"#!") else {
        return Ok(None);
    };
    let line = line.split(|byte| matches!(byte, b'\n' | 0)).next();
    let named = line
        .unwrap_or_default()
        .split(|byte| matches!(byte, b' ' | b'\t'))
        .find(|word| !word.is_empty());
    Ok(named.map(|word| PathBuf::from(std::ffi::OsString::from_vec(word.to_vec()))))
}

#[cfg(test)]
mod tests;
