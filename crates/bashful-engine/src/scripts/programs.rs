//! Where the programs of a script are looked for: nowhere that an agent or the script itself could
//! put one. What was approved is a text, and it means something only with the programs it names.

use std::env;
use std::path::PathBuf;

use crate::base::programs::is_executable;
use crate::base::programs::on_path;
use crate::base::real::real;
use crate::request::settings::Settings;

/// Where the system has what reads a script: that is taken before any other.
pub(crate) const SYSTEM: &str = "/usr/bin:/bin";

/// The caller's `PATH` without what lies in the project or in one of these directories, which
/// are real.
pub(crate) fn trusted_path(settings: &Settings, writable: &[PathBuf]) -> String {
    let workspace = real(&settings.usual_project()).ok();
    let is_foreign = |entry: &PathBuf| {
        // What is not there now may be there later.
        let real = real(entry).unwrap_or_else(|_| entry.clone());
        let mut roots = workspace.iter().chain(writable);
        entry.is_absolute() && !roots.any(|root| real.starts_with(root))
    };
    let entries = env::split_paths(settings.path().unwrap_or_default());
    let kept: Vec<PathBuf> = entries.filter(is_foreign).collect();
    let joined = env::join_paths(kept).unwrap_or_default();
    joined.to_string_lossy().into_owned()
}

/// The program of this name on such a path, which also does not lead into these directories.
pub(crate) fn find(name: &str, path: &str, writable: &[PathBuf]) -> Option<PathBuf> {
    on_path(name, Some(path)).into_iter().find(|candidate| {
        let real = real(candidate);
        let leads_there = |root: &PathBuf| real.as_ref().is_ok_and(|real| real.starts_with(root));
        is_executable(candidate) && !writable.iter().any(leads_there)
    })
}

/// The program of this name that a script is looked at with.
pub(crate) fn find_own(name: &str, settings: &Settings) -> Option<PathBuf> {
    let workspace: Vec<PathBuf> = real(&settings.usual_project()).into_iter().collect();
    find(name, &trusted_path(settings, &[]), &workspace)
}
