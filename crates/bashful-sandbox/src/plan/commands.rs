//! The file tree when only named programs may run.
//!
//! Four walls, because each alone has a door: the program directories hold the named
//! programs only; programs among the libraries are taken away, since the loader runs
//! any file it can read; Landlock allows executing the named ones and their loaders
//! only; and everything that can be written, or is mere data, is mounted `noexec`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::view::{Access, Entry};
use crate::survey::AllowedPrograms;

/// What changes in the tree.
pub(super) fn entries(allowed: &AllowedPrograms) -> Vec<Entry> {
    let mut entries: Vec<Entry> = allowed
        .directories
        .iter()
        .map(|path| Entry::HideDirectory { path: path.clone() })
        .collect();
    let mut hidden: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for path in &allowed.hidden {
        // The outermost library directory that has it.
        let library = allowed.libraries.iter().find(|root| path.starts_with(root));
        if let Some(root) = library {
            let below = path.strip_prefix(root).unwrap_or(path).to_owned();
            hidden.entry(root.clone()).or_default().push(below);
        }
    }
    for (path, programs) in hidden {
        entries.push(Entry::Without { path, programs });
    }
    for (path, target) in &allowed.links {
        entries.push(Entry::Link {
            path: path.clone(),
            target: target.clone(),
        });
    }
    for file in &allowed.files {
        entries.push(Entry::Bind {
            path: file.clone(),
            access: Access::Program,
            is_directory: false,
            mapped: false,
        });
    }
    entries
}

/// All that Landlock lets execute.
pub(super) fn executable(allowed: &AllowedPrograms) -> Vec<PathBuf> {
    [&allowed.files, &allowed.companions, &allowed.loaders]
        .into_iter()
        .flatten()
        .cloned()
        .collect()
}
