//! The order in which a run looks for programs: what runs can write comes last.

use std::path::{Path, PathBuf};

use super::ConfineRequest;
use super::roots::Roots;
use super::view::is_system;
use crate::base::real::real;

/// Where tools put what they install for one user.
const BINS: [&str; 4] = [".local/bin", "go/bin", ".deno/bin", ".bun/bin"];

/// Where programs are looked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SearchPath {
    /// The value of `PATH`.
    pub(super) text: String,
    /// Existing directories that came before others, and come last now.
    pub(super) put_last: Vec<PathBuf>,
}

/// The caller's `PATH` without links that the run does not see, and with everything last that a run
/// can write: what an agent put there must not stand in for a program of the caller's.
///
/// What runs install in their home is found after all that. Where a person opened more for a run, no
/// directory is on `PATH` that runs can write.
pub(super) fn ordered(request: &ConfineRequest<'_>, roots: &Roots) -> SearchPath {
    let written = request.path_variable;
    let mut first: Vec<&str> = Vec::new();
    let mut last: Vec<&str> = Vec::new();
    let mut spelled: Vec<(&str, PathBuf)> = Vec::new();
    let mut waiting: Vec<PathBuf> = Vec::new();
    let mut put_last = Vec::new();
    // One that is empty as a whole has no entry, rather than one that is empty.
    for entry in written.split(':').filter(|_| !written.is_empty()) {
        let path = Path::new(entry);
        if is_system(path) {
            first.push(entry);
            put_last.append(&mut waiting);
            continue;
        }
        let found = path.is_absolute().then(|| real(path).ok()).flatten();
        // A relative one means a place in the workspace, or will in the next directory.
        if !path.is_absolute() || roots.lets_write(found.as_deref().unwrap_or(path)) {
            last.push(entry);
            waiting.extend(found.filter(|found| found.is_dir()));
            continue;
        }
        first.push(entry);
        if let Some(found) = found {
            put_last.append(&mut waiting);
            if found != path {
                spelled.push((entry, found));
            }
        }
    }
    let text = |entry: &&str| {
        let other = spelled.iter().find(|(written, _)| written == entry);
        let other = other.and_then(|(_, real)| real.to_str());
        other.unwrap_or(entry).to_owned()
    };
    let mut all: Vec<String> = first.iter().map(text).collect();
    if !request.is_widened {
        all.extend(last.iter().map(text));
        let home = request.own_home.and_then(|home| real(home).ok());
        let own = home.iter().flat_map(|home| BINS.map(|bin| home.join(bin)));
        all.extend(own.filter_map(|bin| bin.to_str().map(str::to_owned)));
    }
    SearchPath {
        text: all.join(":"),
        put_last,
    }
}
