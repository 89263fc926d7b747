//! What a program needs that a run did not see: the file, what runs it, and all links on the way.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use bashful_sandbox::{Glance, SYSTEM_DIRECTORIES, resolve_program};

use crate::model::grant::Opening;
use crate::model::remedy::is_grantable;

/// More links on one way are no program's.
const MOST_LINKS: usize = 16;

/// Adds what this program needs, by the name that the run called it by; nothing if that does not
/// lead to the file any more.
pub(super) fn add(opening: &mut Opening, name: &Path, file: &Path, host: &Glance) {
    // A file system that may never answer is not asked.
    let leads_there = || host.real(name).is_some_and(|real| real == file);
    if !is_grantable(file) || !leads_there() {
        return;
    }
    let program = name
        .to_str()
        .and_then(|text| resolve_program(text, "", Path::new("/")).ok());
    let interpreter = program
        .as_ref()
        .and_then(|program| program.interpreter.clone());
    let steps = program.map_or(Vec::new(), |program| program.interpreter_steps);
    let Some(mut links) = links_on(name) else {
        return;
    };
    for step in steps {
        match links_on(&step) {
            Some(more) => links.extend(more),
            None => return,
        }
    }
    let files = std::iter::once(file.to_owned()).chain(interpreter);
    let files: Option<Vec<String>> = files
        .filter(|file| !is_of_the_system(file))
        .map(|file| file.into_os_string().into_string().ok())
        .collect();
    // The room has a `/tmp` of its own, which lasts: nothing is put into that for one run.
    let free = |name: &String| is_grantable(Path::new(name)) && !is_of_the_room(Path::new(name));
    let Some(files) = files.filter(|_| links.keys().all(free)) else {
        return;
    };
    for file in files {
        if !opening.paths_read.contains(&file) {
            opening.paths_read.push(file);
        }
    }
    opening.links.extend(links);
}

/// The links on the way to a path, each by its one name, with where it leads; none if there are too
/// many, or one has no text. Those of the system are there anyway.
fn links_on(path: &Path) -> Option<BTreeMap<String, String>> {
    let mut links = BTreeMap::new();
    let mut rest: Vec<OsString> = parts(path);
    let mut here = PathBuf::from("/");
    let mut followed = 0;
    while let Some(part) = rest.pop() {
        if part == ".." {
            here.pop();
            continue;
        }
        let next = here.join(&part);
        let Ok(target) = next.read_link() else {
            here = next;
            continue;
        };
        followed += 1;
        if followed > MOST_LINKS {
            return None;
        }
        if !is_of_the_system(&next) {
            links.insert(next.to_str()?.to_owned(), target.to_str()?.to_owned());
        }
        if target.is_absolute() {
            here = PathBuf::from("/");
        }
        rest.extend(parts(&target));
    }
    Some(links)
}

/// The parts of a path, the last one first.
fn parts(path: &Path) -> Vec<OsString> {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    });
    let mut parts: Vec<OsString> = parts.collect();
    parts.reverse();
    parts
}

fn is_of_the_system(path: &Path) -> bool {
    let mut system = SYSTEM_DIRECTORIES.iter();
    system.any(|directory| path.starts_with(directory))
}

fn is_of_the_room(path: &Path) -> bool {
    let own = ["/tmp", "/dev/shm"];
    own.iter().any(|own| path.starts_with(own))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn every_link_on_the_way_is_named_once() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("real/bin")).unwrap();
        symlink("real", root.join("other")).unwrap();
        symlink("../../other/bin/tool", root.join("real/bin/name")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let text = |name: &str| root.join(name).to_str().unwrap().to_owned();
        let expected = BTreeMap::from([
            (text("other"), "real".to_owned()),
            (text("real/bin/name"), "../../other/bin/tool".to_owned()),
        ]);
        assert_eq!(links_on(&root.join("other/bin/name")), Some(expected));
        assert_eq!(links_on(&root.join("loop")), None);
        assert_eq!(links_on(Path::new("/bin/sh")), Some(BTreeMap::new()));
    }
}
