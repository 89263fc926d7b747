//! Where the programs of a script are looked for: nowhere that an agent or the script itself could
//! put one. What was approved is a text, and it means something only with the programs it names.

use std::path::PathBuf;

pub(crate) use crate::base::programs::find_trusted as find;
use crate::base::programs::trusted_path as trusted;
use crate::base::real::real;
use crate::request::settings::Settings;

/// Where the system has what reads a script: that is taken before any other.
pub(crate) const SYSTEM: &str = "/usr/bin:/bin";

/// The caller's `PATH` without what lies in the project or in one of these directories, which
/// are real.
pub(crate) fn trusted_path(settings: &Settings, writable: &[PathBuf]) -> String {
    let workspace = real(&settings.usual_project()).ok();
    let foreign: Vec<PathBuf> = workspace.into_iter().chain(writable.to_vec()).collect();
    trusted(settings.path(), &foreign)
}

/// The program of this name that a script is looked at with.
pub(crate) fn find_own(name: &str, settings: &Settings) -> Option<PathBuf> {
    let workspace: Vec<PathBuf> = real(&settings.usual_project()).into_iter().collect();
    find(name, &trusted_path(settings, &[]), &workspace)
}
