//! Where the caller's own control groups are, by what the kernel says about it.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

/// The caller's own directory in a hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Where the hierarchy is mounted.
    pub(super) mounted: PathBuf,
    /// The caller's own group in it.
    pub(super) own: PathBuf,
}

/// The caller's own directories in the hierarchies of version 1 with this controller.
pub(super) fn controlled(controller: &str, groups: &[u8], mounts: &[u8]) -> Vec<Place> {
    places(groups, mounts, |mount, group| {
        mount.kind == b"cgroup"
            && has_word(mount.options, controller)
            && has_word(group.controllers, controller)
    })
}

/// The caller's own directories in the unified hierarchy.
pub(super) fn unified(groups: &[u8], mounts: &[u8]) -> Vec<Place> {
    places(groups, mounts, |mount, group| {
        mount.kind == b"cgroup2" && group.hierarchy == b"0" && group.controllers.is_empty()
    })
}

/// Where hierarchies of either version are mounted.
pub(super) fn mounted(mounts: &[u8]) -> Vec<PathBuf> {
    let is_one = |mount: &Mount<'_>| mount.kind == b"cgroup" || mount.kind == b"cgroup2";
    let mounts = lines(mounts).filter_map(Mount::read).filter(is_one);
    let mut points: Vec<PathBuf> = mounts.map(|mount| mount.point).collect();
    points.sort();
    points.dedup();
    points
}

fn places(
    groups: &[u8],
    mounts: &[u8],
    belong: impl Fn(&Mount<'_>, &Group<'_>) -> bool,
) -> Vec<Place> {
    let mut found: Vec<Place> = Vec::new();
    for mount in lines(mounts).filter_map(Mount::read) {
        for group in lines(groups).filter_map(Group::read) {
            if belong(&mount, &group)
                && let Some(place) = place(&mount, &group)
                && !found.contains(&place)
            {
                found.push(place);
            }
        }
    }
    found
}

/// A mount may show a part of its hierarchy only; the own group must be in that part.
fn place(mount: &Mount<'_>, group: &Group<'_>) -> Option<Place> {
    let path = PathBuf::from(OsString::from_vec(group.path.to_vec()));
    let inside = path.strip_prefix(&mount.root).ok()?;
    // A path with `..` leads out of the control group namespace.
    let plain = |path: &Path| !path.components().any(|part| part == Component::ParentDir);
    (plain(&path) && plain(&mount.root)).then(|| Place {
        mounted: mount.point.clone(),
        own: if inside.as_os_str().is_empty() {
            mount.point.clone()
        } else {
            mount.point.join(inside)
        },
    })
}

/// A line of `/proc/PID/cgroup`.
struct Group<'a> {
    hierarchy: &'a [u8],
    controllers: &'a [u8],
    path: &'a [u8],
}

impl<'a> Group<'a> {
    fn read(line: &'a [u8]) -> Option<Self> {
        let mut fields = line.splitn(3, |&byte| byte == b':');
        Some(Self {
            hierarchy: fields.next()?,
            controllers: fields.next()?,
            path: fields.next().filter(|path| path.starts_with(b"/"))?,
        })
    }
}

/// A line of `/proc/PID/mountinfo`.
struct Mount<'a> {
    root: PathBuf,
    point: PathBuf,
    kind: &'a [u8],
    options: &'a [u8],
}

impl<'a> Mount<'a> {
    fn read(line: &'a [u8]) -> Option<Self> {
        let mut fields = line.split(|&byte| byte == b' ');
        let root = unquoted(fields.nth(3)?);
        let point = unquoted(fields.next()?);
        // Any number of optional fields, ended by a dash.
        fields.find(|field| field == b"-")?;
        let kind = fields.next()?;
        let options = fields.nth(1)?;
        Some(Self {
            root,
            point,
            kind,
            options,
        })
    }
}

/// A path in which the kernel wrote some bytes as a backslash with three octal digits.
fn unquoted(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&first, after)) = rest.split_first() {
        if let (b'\\', Some((digits, after))) = (first, after.split_at_checked(3))
            && let Some(byte) = octal(digits)
        {
            bytes.push(byte);
            rest = after;
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

fn octal(digits: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(digits).ok()?;
    u8::from_str_radix(text, 8).ok()
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\n')
}

fn has_word(list: &[u8], word: &str) -> bool {
    list.split(|&byte| byte == b',')
        .any(|entry| entry == word.as_bytes())
}
