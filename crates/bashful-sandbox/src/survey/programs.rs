//! What a list of commands comes down to on this host.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::profile::Profile;
use crate::programs::{Program, cached_scan, companions, resolve};

/// What a list of commands comes down to on this host.
#[derive(Debug, Clone)]
pub(crate) struct AllowedPrograms {
    /// The programs themselves.
    pub(crate) files: Vec<PathBuf>,
    /// Links in program directories that lead to them.
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
    /// Directories of their own helpers.
    pub(crate) companions: Vec<PathBuf>,
    /// The loaders, which the kernel opens like programs.
    pub(crate) loaders: Vec<PathBuf>,
    /// Where programs are, which only hold the allowed ones then.
    pub(crate) directories: Vec<PathBuf>,
    /// Where libraries and data are.
    pub(crate) libraries: Vec<PathBuf>,
    /// Programs among those, which are taken away.
    pub(crate) hidden: Vec<PathBuf>,
}

/// Where libraries and data are, among which programs hide.
const LIBRARIES: &[&str] = &[
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libx32",
    "/usr/libexec",
    "/usr/local",
    "/usr/share",
    "/usr/src",
    "/usr/include",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/gnu/store",
];

/// Where programs are.
const PROGRAMS: &[&str] = &[
    "/usr/bin",
    "/usr/sbin",
    "/usr/games",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/local/games",
    "/bin",
    "/sbin",
];

/// The loaders that dynamic programs name.
const LOADERS: &[&str] = &[
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    "/lib/ld-musl-x86_64.so.1",
    "/lib/ld-musl-aarch64.so.1",
];

pub(super) fn allowed_programs(
    profile: &Profile,
    cache: Option<&Path>,
) -> io::Result<Option<AllowedPrograms>> {
    let Some(commands) = &profile.commands else {
        return Ok(None);
    };
    let mut programs: Vec<Program> = Vec::new();
    for command in commands {
        let name = command.to_string_lossy();
        let program = resolve(&name, "", &profile.workspace)
            .map_err(|error| io::Error::new(io::ErrorKind::NotFound, error.to_string()))?;
        programs.push(program);
    }
    let directories = real_directories(PROGRAMS);
    let libraries = real_directories(LIBRARIES);
    let companions: Vec<PathBuf> = programs.iter().flat_map(companions).collect();
    let mut files: Vec<PathBuf> = programs
        .iter()
        .map(|program| program.file.clone())
        .collect();
    files.sort();
    files.dedup();
    let hidden = cached_scan(&libraries, cache)
        .map_err(|error| io::Error::other(error.to_string()))?
        .into_iter()
        .filter(|path| !companions.iter().any(|own| path.starts_with(own)))
        .filter(|path| !files.contains(path))
        .filter(|path| !directories.iter().any(|own| path.starts_with(own)))
        .collect();
    let links = programs
        .iter()
        .flat_map(|program| &program.steps)
        .filter(|link| {
            directories
                .iter()
                .any(|own| link.parent() == Some(own.as_path()))
        })
        .filter_map(|link| Some((link.clone(), fs::read_link(link).ok()?)))
        .collect();
    let loaders = LOADERS
        .iter()
        .filter_map(|loader| Path::new(loader).canonicalize().ok())
        .collect();
    Ok(Some(AllowedPrograms {
        files,
        links,
        companions,
        loaders,
        directories,
        libraries,
        hidden,
    }))
}

fn real_directories(paths: &[&str]) -> Vec<PathBuf> {
    paths
        .iter()
        .map(PathBuf::from)
        .filter(|path| fs::symlink_metadata(path).is_ok_and(|about| about.is_dir()))
        .collect()
}
