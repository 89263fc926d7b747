//! What is not to be seen even below a wider root, unless it was named exactly.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use bashful_policy::Preset;
use bashful_sandbox::{AbsentNames, is_environment_file};

use super::ConfineRequest;
use super::glob;
use super::listed::Listed;
use super::roots::Roots;
use super::view::{is_below, is_system};
use super::walk::{Bound, Step};
use crate::base::real::real;
use crate::model::error::confine::ConfineError;

mod list;
pub(super) mod system;

use list::{IN_HOME, IN_RUN};

/// The most entries of a declared root, or of the real home, that are searched for environment files:
/// a folder of many projects with what they installed. It takes about a second then.
const MOST_ENTRIES: usize = 1_000_000;

/// The most paths that are hidden in one run: each is a mount.
const MOST_HIDDEN: usize = 1024;

/// The most homes that are looked at.
const MOST_HOMES: usize = 256;

/// The most directories in which environment files are watched for, the uppermost first.
const MOST_WATCHED: usize = 2048;

/// The secrets that the roots would show.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    /// Those that exist, canonical.
    pub(super) hide: Vec<PathBuf>,
    /// Those that do not, where a run could not have made them itself.
    pub(super) absent: AbsentNames,
    /// Whether declared roots were searched, which is more than can be looked at for every run.
    pub(super) searched: bool,
    /// Directories in homes of which the list of names counts.
    pub(super) lists: Vec<PathBuf>,
}

/// Finds the secrets that the run could see and must not, the given ones of toolchains among them. A
/// toolchain that lies in a secret is none.
pub(super) fn find(
    request: &ConfineRequest<'_>,
    home: Option<&Path>,
    roots: &mut Roots,
    of_tools: Vec<PathBuf>,
    listed: &mut Listed,
) -> Result<Secrets, ConfineError> {
    let at_home = home.is_some_and(|home| is_below(home, roots.all()));
    let searched = request.preset != Preset::Full
        && (roots.are_wide()
            || at_home
            || may_hold_secrets(request.workspace, home)
            || roots.tools.iter().any(|tool| tool.starts_with("/run")));
    let mut homes = Vec::new();
    let mut lists = Vec::new();
    let mut of_homes = Vec::new();
    if searched || !roots.tools.is_empty() {
        homes = find_homes(home, roots)?;
        for home in &homes {
            of_homes.extend(existing(home, IN_HOME, listed));
            lists.extend(lists_of(home, listed));
        }
        let own = &roots.own;
        roots
            .tools
            .retain(|tool| !is_below(tool, &of_homes) && !is_below(tool, own));
    }
    let roots = &*roots;
    let is_seen = |path: &PathBuf| roots.show(path) && !roots.name(path);
    let mut absent = AbsentNames::default();
    let mut hide: Vec<PathBuf> = roots
        .own
        .iter()
        .filter(|path| is_seen(path))
        .cloned()
        .collect();
    // `full` is the user's own rights; only what would let a run change its bounds stays away.
    if request.preset != Preset::Full {
        hide.extend(system::known().readable().into_iter().filter(is_seen));
        let before = hide.len();
        if searched {
            let run = existing(Path::new("/"), IN_RUN, listed);
            hide.extend(run.into_iter().filter(is_seen));
        }
        hide.extend(of_tools.into_iter().chain(of_homes).filter(is_seen));
        for home in &homes {
            add_absent(home, roots, &hide, &mut absent);
        }
        if searched {
            let mut watched = environment_files(request, roots, &mut hide)?;
            watched.retain(|directory| !roots.lets_write(directory));
            watched.sort_by_key(|directory| directory.components().count());
            watched.truncate(MOST_WATCHED);
            absent.directories = watched;
        }
        // Those of the system are root's to replace.
        let covered = hide.iter().skip(before);
        let covered = covered.filter(|path| !roots.lets_write(path));
        absent.covered = covered.cloned().collect();
    }
    check(roots, &hide)?;
    Ok(Secrets {
        hide,
        absent,
        searched,
        lists,
    })
}

/// Adds the secrets of a home that do not exist and that a run could see.
fn add_absent(home: &Path, roots: &Roots, hidden: &[PathBuf], absent: &mut AbsentNames) {
    let is_seen = |path: &Path| roots.show(path) && !roots.name(path);
    for pattern in IN_HOME {
        let path = home.join(pattern);
        if !is_seen(&path) || roots.lets_write(&path) {
            continue;
        }
        if glob::is_pattern(pattern) {
            let text = path.to_str();
            let Some(beginning) = text.and_then(|text| text.split(['*', '?', '[']).next()) else {
                continue;
            };
            // What exists of them now is hidden, and must not be taken for new; what came into
            // being since it was looked for must.
            let beginning = PathBuf::from(beginning);
            let is_new = |path: &Path| {
                let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
                let fits = Path::new(pattern).file_name().and_then(OsStr::to_str);
                let fits = fits.is_some_and(|pattern| glob::matches(pattern, name));
                let real = path.canonicalize().ok().filter(|_| fits);
                real.is_some_and(|real| is_seen(&real) && !hidden.contains(&real))
            };
            let there = beginning_with(&beginning).filter(|path| !is_new(path));
            absent.known.extend(there);
            absent.beginnings.push(beginning);
        } else if let Ok(target) = fs::read_link(&path) {
            // A link that leads nowhere yet; what it leads to now is hidden.
            if fs::metadata(&path).is_err() {
                absent
                    .paths
                    .push(home.join(pattern).with_file_name("").join(target));
            }
        } else if fs::symlink_metadata(&path).is_err() {
            absent.paths.push(path);
        }
    }
}

/// The directories in which secrets of a home are, or would come into being.
fn lists_of(home: &Path, listed: &mut Listed) -> BTreeSet<PathBuf> {
    let parents = IN_HOME
        .iter()
        .filter_map(|pattern| Path::new(pattern).parent());
    let parents: BTreeSet<&Path> = parents.collect();
    let mut nearest = |inside: &Path| {
        let mut above = inside.ancestors();
        let found = above.find(|above| listed.may_reach(home, above) && home.join(above).is_dir());
        // `a/` and `a` are two names of one directory.
        found.map(|found| home.join(found).components().collect())
    };
    parents.into_iter().filter_map(&mut nearest).collect()
}

/// What exists in the same directory with a name that begins so.
fn beginning_with(beginning: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = beginning.parent().map(fs::read_dir);
    let entries = entries.into_iter().flatten().flatten().flatten();
    let start = beginning.as_os_str().as_encoded_bytes();
    let paths = entries.map(|entry| entry.path());
    paths.filter(move |path| path.as_os_str().as_encoded_bytes().starts_with(start))
}

/// Whether a workspace could have secrets of a home in it though the home is not in view, such as
/// `~/.config`. Ordinary projects are told apart without looking at any file.
fn may_hold_secrets(workspace: &Path, home: Option<&Path>) -> bool {
    let own = home.and_then(|home| workspace.strip_prefix(home).ok());
    let root = workspace.strip_prefix("/root").ok();
    let others = workspace.strip_prefix("/home").ok();
    let others = others.and_then(|rest| rest.components().nth(1));
    let first = |inside: &Path| {
        inside
            .components()
            .next()
            .map(|first| first.as_os_str().to_owned())
    };
    let all = [own.and_then(first), root.and_then(first)];
    let mut all = all
        .into_iter()
        .flatten()
        .chain(others.map(|name| name.as_os_str().to_owned()));
    all.any(|name| name.as_encoded_bytes().starts_with(b".") || name == "snap")
}

/// Refuses a root inside of what is hidden: hiding the one would take away the other.
fn check(roots: &Roots, hide: &[PathBuf]) -> Result<(), ConfineError> {
    if hide.len() > MOST_HIDDEN {
        return Err(ConfineError::TooMany {
            what: "secrets to hide",
            limit: MOST_HIDDEN,
        });
    }
    for secret in hide {
        let declared = roots.declared_paths();
        if let Some(path) = declared.into_iter().find(|root| root.starts_with(secret)) {
            return Err(ConfineError::InsideSecret {
                path: path.to_owned(),
                secret: secret.clone(),
            });
        }
    }
    Ok(())
}

/// The canonical paths of what patterns mean below a directory, as far as it exists.
fn existing(base: &Path, patterns: &[&str], listed: &mut Listed) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for pattern in patterns {
        let path = base.join(pattern);
        if !glob::is_pattern(pattern) {
            // Most do not exist, and the second look is the cheapest way to know.
            if listed.may_reach(base, Path::new(pattern)) && fs::symlink_metadata(&path).is_ok() {
                found.extend(real(&path).ok());
            }
            continue;
        }
        let (Some(parent), Some(name)) = (path.parent(), path.file_name().and_then(OsStr::to_str))
        else {
            continue;
        };
        let fits = |found: &OsStr| {
            let found = found.to_str();
            found.is_some_and(|found| glob::matches(name, found))
        };
        let list = listed.of(parent);
        if list.is_whole {
            let names = list.entries.iter().map(|entry| &entry.name);
            let names = names.filter(|found| fits(found));
            found.extend(names.filter_map(|name| real(&parent.join(name)).ok()));
        } else if let Ok(entries) = fs::read_dir(parent) {
            let names = entries.flatten().map(|entry| entry.file_name());
            let names = names.filter(|found| fits(found));
            found.extend(names.filter_map(|name| real(&parent.join(name)).ok()));
        }
    }
    found
}

/// The homes whose secrets could be seen: the caller's, and those of others that a root shows.
fn find_homes(home: Option<&Path>, roots: &Roots) -> Result<Vec<PathBuf>, ConfineError> {
    let mut homes: Vec<PathBuf> = home.map(Path::to_owned).into_iter().collect();
    let others = fs::read_dir("/home").into_iter().flatten();
    let others = others
        .take(MOST_HOMES * 4)
        .filter_map(|entry| Some(entry.ok()?.path()))
        .chain(std::iter::once(PathBuf::from("/root")));
    for other in others {
        let reached = roots
            .all()
            .any(|root| other.starts_with(root) || root.starts_with(&other));
        if reached
            && let Ok(other) = real(&other)
            && !homes.contains(&other)
        {
            homes.push(other);
        }
    }
    if homes.len() > MOST_HOMES {
        return Err(ConfineError::TooMany {
            what: "homes to search for secrets",
            limit: MOST_HOMES,
        });
    }
    Ok(homes)
}

/// Adds the environment files below the declared roots outside the workspace. The directories that
/// were searched come back.
fn environment_files(
    request: &ConfineRequest<'_>,
    roots: &Roots,
    hide: &mut Vec<PathBuf>,
) -> Result<Vec<PathBuf>, ConfineError> {
    let mut searched = Vec::new();
    let declared = roots.declared_paths().into_iter();
    for root in declared.chain(roots.home.as_deref()) {
        if root.starts_with(request.workspace) || is_system(root) {
            continue;
        }
        searched.push(root.to_owned());
        let mut bound = Bound::new("environment files", MOST_ENTRIES);
        bound.walk(root, |entry, kind| {
            if kind.is_dir() {
                // What is hidden already, and the workspace, need not be searched.
                let path = entry.path();
                let over = path == request.workspace || is_below(&path, hide.iter());
                if over {
                    return Ok(Step::Over);
                }
                searched.push(path);
                return Ok(Step::Into);
            }
            if entry.file_name().to_str().is_some_and(is_environment_file)
                && let Ok(real) = real(&entry.path())
                && real.is_file()
                && !real.starts_with(request.workspace)
                && roots.show(&real)
                && !roots.name(&real)
                && !hide.contains(&real)
            {
                // A tree with more is refused at the end; there is no need to find them all.
                hide.push(real);
                if hide.len() > MOST_HIDDEN {
                    return Ok(Step::Stop);
                }
            }
            Ok(Step::Over)
        })?;
    }
    Ok(searched)
}
