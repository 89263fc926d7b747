//! The order in which a run looks for programs: what runs can write comes last.

use std::path::{Path, PathBuf};

use super::roots::Roots;
use super::view::is_system;
use crate::base::real::real;

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
pub(super) fn ordered(written: &str, roots: &Roots) -> SearchPath {
    let mut first: Vec<&str> = Vec::new();
    let mut last: Vec<&str> = Vec::new();
    let mut spelled: Vec<(&str, PathBuf)> = Vec::new();
    let mut waiting: Vec<PathBuf> = Vec::new();
    let mut put_last = Vec::new();
    for entry in written.split(':') {
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
    let all: Vec<String> = first.iter().chain(&last).map(text).collect();
    SearchPath {
        text: all.join(":"),
        put_last,
    }
}
