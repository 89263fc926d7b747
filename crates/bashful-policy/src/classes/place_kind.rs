//! What kind of place a path is: the root, the system, a home, above the workspace, or free.

use crate::context::Context;
use crate::facts::Argument;
use crate::glob;
use crate::places::{self, is_within};

/// What a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlaceKind {
    /// The root, a directory in it, or anything that belongs to the system.
    System,
    /// A home directory itself.
    Home,
    /// A directory that holds the workspace, a root that may be written, or the home.
    Above,
    /// Elsewhere, but not where anything may be written.
    Outside,
    /// Where files may be written.
    Inside,
}

impl PlaceKind {
    /// Whether losing it is a disaster.
    pub(super) fn is_great(self) -> bool {
        matches!(self, Self::System | Self::Home | Self::Above)
    }
}

/// Directories whose whole content belongs to the system.
const SYSTEM: &[&str] = &[
    "/bin", "/boot", "/dev", "/efi", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc",
    "/sbin", "/sys", "/usr", "/var", "/run", "/snap", "/nix", "/System", "/Library",
    "/Applications", "/private/etc", "/private/var", "/opt/homebrew", "/lost+found",
];
/// Places in them that are meant for all users.
const SHARED: &[&str] = &["/dev/shm", "/var/tmp", "/run/user", "/run/lock", "/dev/mqueue"];
/// Directories in the root that are lost as a whole only by mistake, also where writing is allowed.
const TOPS: &[&str] = &["/tmp", "/home", "/root", "/opt", "/srv", "/mnt", "/media", "/Users"];
/// Where homes are.
const HOMES: &[&str] = &["/home", "/Users", "/var/home", "/export/home"];

/// What the places that an argument names are. A glob stands for all that it can find: `~/*` is
/// the home itself.
pub(super) fn place_kinds(
    argument: &Argument,
    directories: &[String],
    context: &Context,
) -> Vec<PlaceKind> {
    let places = places::places(argument, directories, context);
    let mut kinds = Vec::new();
    for place in &places.paths {
        for path in [Some(&place.text), place.real.as_ref()]
            .into_iter()
            .flatten()
        {
            kinds.push(if places.unknown {
                kind_below(path)
            } else if argument.glob {
                kind_of_glob(path, context)
            } else {
                place_kind(path, context)
            });
        }
    }
    kinds
}

/// Whether an argument names a place whose loss is a disaster.
pub(super) fn is_great(argument: &Argument, directories: &[String], context: &Context) -> bool {
    let kinds = place_kinds(argument, directories, context);
    kinds.into_iter().any(PlaceKind::is_great)
}

/// Whether a program that picks files below an argument picks from what must not be lost. Below a
/// root that may be written they may go.
pub(super) fn is_great_start(
    argument: &Argument,
    directories: &[String],
    context: &Context,
) -> bool {
    !is_root(argument, directories, context) && is_great(argument, directories, context)
}

/// The same for what lies outside of what may be written.
pub(super) fn is_outside_start(
    argument: &Argument,
    directories: &[String],
    context: &Context,
) -> bool {
    !is_root(argument, directories, context) && is_outside(argument, directories, context)
}

/// Whether an argument is exactly a root that may be written and holds nothing that must stay.
fn is_root(argument: &Argument, directories: &[String], context: &Context) -> bool {
    let places = places::places(argument, directories, context);
    let is_root = |place: &places::Place| {
        let path = place.text.as_str();
        let mut held = context.workspace.iter().chain(context.homes());
        let writable = context.write_roots.iter().any(|root| root == path);
        let holds = held.any(|held| held != path && is_within(held, path));
        let home = context.homes().any(|home| home == path);
        writable && !holds && !home && path != "/" && place.real.is_none()
    };
    !places.unknown && !places.paths.is_empty() && places.paths.iter().all(is_root)
}

/// Whether an argument names a place outside of what may be written.
pub(super) fn is_outside(argument: &Argument, directories: &[String], context: &Context) -> bool {
    let kinds = place_kinds(argument, directories, context);
    kinds.into_iter().any(|kind| kind != PlaceKind::Inside)
}

/// What a normal path is.
pub(super) fn place_kind(path: &str, context: &Context) -> PlaceKind {
    let writable = context.write_roots.iter().map(String::as_str);
    let workspace = context.workspace.as_deref();
    let mut homes = context.homes().map(String::as_str);
    if path == "/" {
        return PlaceKind::System;
    }
    let is_root = |path: &str| writable.clone().chain(workspace).any(|root| root == path);
    if homes.clone().any(|home| home == path) || is_home(path) && !is_root(path) {
        return PlaceKind::Home;
    }
    let mut held = writable.clone().chain(workspace).chain(&mut homes);
    if held.any(|held| held != path && is_within(held, path)) {
        return PlaceKind::Above;
    }
    if TOPS.contains(&path) || SYSTEM.contains(&path) {
        return PlaceKind::System;
    }
    if writable.clone().any(|root| is_within(path, root)) {
        return PlaceKind::Inside;
    }
    let is_top = path.rfind('/') == Some(0);
    if is_top || is_system(path) {
        PlaceKind::System
    } else {
        PlaceKind::Outside
    }
}

/// Whether a path belongs to the system.
fn is_system(path: &str) -> bool {
    let within = |roots: &[&str]| roots.iter().any(|root| is_within(path, root));
    within(SYSTEM) && !within(SHARED)
}

/// What all that lies below a directory is.
fn kind_below(directory: &str) -> PlaceKind {
    if is_system(directory) {
        PlaceKind::System
    } else {
        PlaceKind::Outside
    }
}

/// Whether a path is the home of a user.
pub(super) fn is_home(path: &str) -> bool {
    let in_homes = |homes: &&&str| {
        let name = path
            .strip_prefix(**homes)
            .and_then(|rest| rest.strip_prefix('/'));
        name.is_some_and(|name| !name.is_empty() && !name.contains('/'))
    };
    matches!(path, "/root" | "/var/root") || HOMES.iter().find(in_homes).is_some()
}

/// What kind of place everything that a glob finds is.
fn kind_of_glob(path: &str, context: &Context) -> PlaceKind {
    let Some(at) = path.find(['*', '?', '[', '(']) else {
        return place_kind(path, context);
    };
    let start = path.get(..at).unwrap_or_default();
    let before = start.rfind('/').unwrap_or_default();
    let directory = match path.get(..before) {
        None | Some("") => "/",
        Some(directory) => directory,
    };
    let pattern = path.get(before + 1..).unwrap_or_default();
    if directory == "/" || HOMES.contains(&directory) || is_system(directory) {
        return PlaceKind::System;
    }
    let finds_all = pattern.contains('*')
        && !pattern.contains(|letter: char| letter.is_alphanumeric() || letter == '_');
    if finds_all {
        let here = place_kind(directory, context);
        let writable = context.write_roots.iter().any(|root| root == directory);
        // Emptying a root that may be written is not the same as losing what is above it.
        return if writable && here == PlaceKind::System {
            PlaceKind::Inside
        } else {
            here
        };
    }
    let held = context.write_roots.iter().chain(&context.workspace);
    let mut held = held.chain(context.homes());
    if held.any(|held| finds_above(path, held)) {
        return PlaceKind::Above;
    }
    if context
        .write_roots
        .iter()
        .any(|root| is_within(directory, root))
    {
        PlaceKind::Inside
    } else {
        PlaceKind::Outside
    }
}

/// Whether a glob can find a directory that holds this one.
fn finds_above(pattern: &str, held: &str) -> bool {
    let patterns: Vec<&str> = pattern.split('/').collect();
    let parts: Vec<&str> = held.split('/').collect();
    patterns.len() < parts.len()
        && patterns
            .iter()
            .zip(&parts)
            .all(|(pattern, part)| finds(pattern, part))
}

/// Whether a shell's pattern can find a name.
pub(super) fn finds(pattern: &str, name: &str) -> bool {
    if pattern == name {
        return true;
    }
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    pattern.contains(['*', '?', '[', '(']) && fits(pattern, name)
}

/// Whether a shell's pattern can find a name with whatever options the shell has.
pub(super) fn may_find(pattern: &str, name: &str) -> bool {
    pattern == name
        || pattern.contains(['*', '?', '[', '('])
            && fits(&pattern.to_lowercase(), &name.to_lowercase())
}

fn fits(pattern: &str, name: &str) -> bool {
    let mut plain = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        match letter {
            // What an extended pattern says is not read: it can be anything.
            '?' | '*' | '+' | '@' | '!' if rest.starts_with('(') => {
                plain.push('*');
                rest = rest.split_once(')').map_or("", |(_, after)| after);
            }
            '?' => plain.push(glob::ANY_CHARACTER),
            '[' => {
                plain.push(glob::ANY_CHARACTER);
                rest = after_bracket(rest);
            }
            _ => plain.push(letter),
        }
    }
    glob::matches_token(&plain, name)
}

/// What follows a set of characters, which may begin with `]` and hold classes such as
/// `[:alpha:]`.
fn after_bracket(set: &str) -> &str {
    let mut rest = set.strip_prefix(['!', '^']).unwrap_or(set);
    rest = rest.strip_prefix(']').unwrap_or(rest);
    loop {
        let Some(at) = rest.find(['[', ']']) else {
            return "";
        };
        let after = rest.get(at..).unwrap_or_default();
        if let Some(after) = after.strip_prefix(']') {
            return after;
        }
        let class = [("[:", ":]"), ("[.", ".]"), ("[=", "=]")]
            .into_iter()
            .find_map(|(open, close)| {
                let inside = after.strip_prefix(open)?;
                inside.split_once(close).map(|(_, after)| after)
            });
        rest = class.or_else(|| after.get(1..)).unwrap_or_default();
    }
}
