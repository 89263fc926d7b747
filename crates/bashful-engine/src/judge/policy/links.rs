//! Where the paths of a command really lead.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};

/// The most links to nowhere that are followed for one path; the kernel follows as many.
const MOST_LINKS: usize = 40;

/// Where these paths lead, for those that lead elsewhere. Each directory is looked at once, for a
/// script can name thousands of files in it.
pub(super) fn of(paths: &[String]) -> BTreeMap<String, String> {
    let mut directories = HashMap::new();
    let mut links = BTreeMap::new();
    let looked_up = paths.iter().filter(|path| is_worth_it(path));
    for path in looked_up {
        let real = lookup(Path::new(path), &mut directories);
        if let Some(real) = real.path().and_then(Path::to_str)
            && real != path
        {
            links.insert(path.clone(), real.to_owned());
        }
    }
    links
}

/// What is known about where a path leads.
#[derive(Debug, Clone)]
enum Leads {
    /// To this, which is there.
    To(PathBuf),
    /// To this, which is not there.
    Nowhere(PathBuf),
    /// The command gets no further either.
    Closed,
}

impl Leads {
    fn path(&self) -> Option<&Path> {
        match self {
            Self::To(path) | Self::Nowhere(path) => Some(path),
            Self::Closed => None,
        }
    }
}

/// Looks a path up. It is absolute, and has no `.` and `..`.
fn lookup(path: &Path, directories: &mut HashMap<PathBuf, Leads>) -> Leads {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Leads::To(path.to_owned());
    };
    let known = directories.get(parent).cloned();
    let above = known.unwrap_or_else(|| {
        let found = lookup(parent, directories);
        directories.insert(parent.to_owned(), found.clone());
        found
    });
    let place = match above {
        Leads::To(directory) => directory.join(name),
        Leads::Nowhere(directory) => return Leads::Nowhere(directory.join(name)),
        Leads::Closed => return Leads::Closed,
    };
    match place.symlink_metadata() {
        Ok(found) if found.is_symlink() => match place.canonicalize() {
            Ok(real) => Leads::To(real),
            Err(_) => real(&place, MOST_LINKS).map_or(Leads::Closed, Leads::Nowhere),
        },
        Ok(_) => Leads::To(place),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Leads::Nowhere(place),
        Err(_) => Leads::Closed,
    }
}

/// What is below these is another thing for the command than for us.
fn is_worth_it(path: &str) -> bool {
    let own = [
        "/proc",
        "/dev/fd",
        "/dev/stdin",
        "/dev/stdout",
        "/dev/stderr",
    ];
    path.starts_with('/') && !own.iter().any(|own| Path::new(path).starts_with(own))
}

/// Where a path leads when it is opened for writing: what exists of it is followed, also a link to
/// a file that does not exist yet.
fn real(path: &Path, links_left: usize) -> Option<PathBuf> {
    let mut missing = Vec::new();
    let mut existing = path;
    loop {
        match existing.canonicalize() {
            Ok(mut real) => {
                real.extend(missing.iter().rev());
                return Some(real);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // A loop, a closed door, a file in the middle: the command gets no further.
            Err(_) => return None,
        }
        let parent = existing.parent()?;
        if let Ok(target) = existing.read_link() {
            let mut onward = parent.join(target);
            onward.extend(missing.iter().rev());
            return real(&onward, links_left.checked_sub(1)?);
        }
        missing.push(existing.file_name()?);
        existing = parent;
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_as_far_as_they_lead() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("in/deep")).unwrap();
        symlink("/etc", root.join("in/out")).unwrap();
        symlink("deep", root.join("in/way")).unwrap();
        symlink("/nowhere/at/all", root.join("in/dangling")).unwrap();
        symlink("again", root.join("in/again")).unwrap();
        let at = |name: &str| root.join("in").join(name).to_str().unwrap().to_owned();
        let names = [
            "deep/new/file",
            "out/new/file",
            "way/x",
            "dangling/x",
            "again",
        ];
        let mut paths: Vec<String> = names.iter().map(|name| at(name)).collect();
        paths.extend(["/proc/self/root/etc".to_owned(), "/dev/stdout".to_owned()]);
        let expected = BTreeMap::from([
            (at("out/new/file"), "/etc/new/file".to_owned()),
            (at("way/x"), at("deep/x")),
            (at("dangling/x"), "/nowhere/at/all/x".to_owned()),
        ]);
        assert_eq!(of(&paths), expected);
    }
}
