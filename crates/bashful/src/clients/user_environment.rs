//! Where the user's clients keep their files: home, project, variables, and our own executable.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::errors::UsageError;

/// Where clients keep their files, and what they are to start.
#[derive(Debug)]
pub(crate) struct UserEnvironment {
    pub(crate) home: PathBuf,
    pub(crate) project: PathBuf,
    /// The absolute path of this program, as a client is to start it.
    pub(crate) executable: String,
    variables: BTreeMap<OsString, OsString>,
}

impl UserEnvironment {
    pub(crate) fn here() -> anyhow::Result<Self> {
        let variables: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        let home = absolute(&variables, "HOME").ok_or_else(|| {
            UsageError("HOME is not set, so no client's files can be found".to_owned())
        })?;
        let project = std::env::current_dir().context("cannot find the current directory")?;
        let search = variables.get(&OsString::from("PATH"));
        Ok(Self {
            home,
            project,
            executable: executable(search)?,
            variables,
        })
    }

    /// A directory that a variable names, if it names one.
    pub(super) fn variable(&self, name: &str) -> Option<PathBuf> {
        absolute(&self.variables, name)
    }

    /// The first of these programs on PATH.
    pub(super) fn find(&self, programs: &[&str]) -> Option<PathBuf> {
        let search = self.variables.get(&OsString::from("PATH"))?;
        let directories: Vec<PathBuf> = std::env::split_paths(search).collect();
        let mut candidates = programs
            .iter()
            .flat_map(|program| directories.iter().map(move |it| it.join(program)));
        candidates.find(|path| is_program(path))
    }

    /// A project that clients would not take for one.
    pub(crate) fn check_project(&self) -> Result<(), UsageError> {
        let same = |other: &Path| {
            let (one, other) = (self.project.canonicalize(), other.canonicalize());
            one.ok() == other.ok()
        };
        if same(Path::new("/")) || same(&self.home) {
            return Err(UsageError(format!(
                "`{}` is not a project; change to the project's directory, or leave out --project",
                self.project.display()
            )));
        }
        Ok(())
    }
}

/// Whether a path is a file that can be executed.
pub(super) fn is_program(path: &Path) -> bool {
    path.is_absolute()
        && path
            .metadata()
            .is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

fn absolute(variables: &BTreeMap<OsString, OsString>, name: &str) -> Option<PathBuf> {
    let value = variables.get(&OsString::from(name))?;
    Some(PathBuf::from(value)).filter(|path| path.is_absolute())
}

/// This program by the name under which it is found, since that name outlives an update; else by
/// where it really is.
fn executable(search: Option<&OsString>) -> anyhow::Result<String> {
    let real = std::env::current_exe().context("cannot tell where this program is")?;
    let real = real
        .canonicalize()
        .context("this program is no longer where it was started from")?;
    let named = search
        .into_iter()
        .flat_map(std::env::split_paths)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join("bashful"))
        .find(|path| path.canonicalize().is_ok_and(|path| path == real));
    let path = named.unwrap_or(real);
    path.into_os_string().into_string().map_err(|path| {
        let path = path.to_string_lossy().into_owned();
        UsageError(format!(
            "the path of this program, `{path}`, is not valid UTF-8"
        ))
        .into()
    })
}
