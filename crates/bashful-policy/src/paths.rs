//! Paths as text: where they lead once `.`, `..` and `//` are gone, and what lies there.

use crate::glob::{ANY_CHARACTER, matches_token};
use crate::script::Word;

/// Directories at the top whose loss ends the system or everybody's data.
const TOP_DIRECTORIES: &[&str] = &[
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "media",
    "mnt",
    "opt",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "usr",
    "var",
    "Applications",
    "Library",
    "System",
    "Users",
    "Volumes",
];
/// Directories that belong to the system: nothing below them is ordinary work.
const SYSTEM_DIRECTORIES: &[&str] = &[
    "/bin",
    "/boot",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/proc/sys",
    "/proc/sysrq-trigger",
    "/sbin",
    "/sys",
    "/usr",
];
/// How the names of block devices and of the machine's memory start, below `/dev/`.
const DEVICES: &[&str] = &[
    "sd", "nvme", "vd", "hd", "xvd", "mmcblk", "dm-", "mapper/", "disk/", "loop", "md", "nbd",
    "sr", "mem", "kmem", "port",
];

/// What a path that would be deleted with all below it really is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// `/`, or directories at the top of it.
    Root,
    /// A home directory.
    Home,
    /// Two or more levels above the working directory, wherever that is.
    Above,
}

/// What deleting this word with all below it would hit, if that is one of the great ones.
pub(crate) fn reach(word: &Word, directory: Option<&str>) -> Option<Reach> {
    if word.unknown_from.is_some() {
        return None;
    }
    let Some(path) = resolve(word, directory) else {
        let mut parts = contents_of(word.text.split('/').collect(), word.glob);
        parts.retain(|part| !part.is_empty() && *part != ".");
        let above = parts.len() >= 2 && parts.iter().all(|part| *part == "..");
        return above.then_some(Reach::Above);
    };
    let parts = contents_of(
        path.split('/').filter(|part| !part.is_empty()).collect(),
        word.glob,
    );
    match parts.as_slice() {
        [] => Some(Reach::Root),
        ["~"] | ["home" | "Users", _] => Some(Reach::Home),
        [part] if word.glob => {
            let pattern = shell_pattern(part);
            let hit = TOP_DIRECTORIES
                .iter()
                .any(|name| matches_token(&pattern, name));
            hit.then_some(Reach::Root)
        }
        [part] => TOP_DIRECTORIES.contains(part).then_some(Reach::Root),
        _ => None,
    }
}

/// Whether a path lies at or below a system directory. An unknown end does not matter.
pub(crate) fn is_system(word: &Word, directory: Option<&str>) -> bool {
    let known = Word {
        text: word.known().to_owned(),
        ..word.clone()
    };
    resolve(&known, directory).is_some_and(|path| {
        SYSTEM_DIRECTORIES.iter().any(|top| {
            let below = path.strip_prefix(top);
            below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    })
}

/// Whether a path is a block device or the machine's memory.
pub(crate) fn is_device(word: &Word, directory: Option<&str>) -> bool {
    let path = resolve(word, directory).unwrap_or_default();
    let name = path.strip_prefix("/dev/").unwrap_or_default();
    DEVICES.iter().any(|device| name.starts_with(device))
}

/// The path without `.`, `..` and `//`: absolute, or below `~`. Nothing when it is relative and the
/// directory is not known.
pub(crate) fn resolve(word: &Word, directory: Option<&str>) -> Option<String> {
    let whole = if word.home || word.text.starts_with('/') {
        word.text.clone()
    } else {
        format!("{}/{}", directory?, word.text)
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            // Above the home directory are all homes; that is no smaller, so it stays the home.
            ".." if parts == ["~"] => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    let home = whole == "~" || whole.starts_with("~/");
    Some(if home { joined } else { format!("/{joined}") })
}

/// Everything in a directory counts as the directory: `/etc/*` is `/etc`.
fn contents_of(mut parts: Vec<&str>, glob: bool) -> Vec<&str> {
    let all = |part: &&str| part.is_empty() || matches!(*part, "*" | ".*" | "**" | "?*" | "*?");
    while glob && parts.last().is_some_and(all) {
        parts.pop();
    }
    parts
}

/// A glob of the shell in our terms; a `[…]` counts as any character.
fn shell_pattern(glob: &str) -> String {
    let mut pattern = String::new();
    let mut characters = glob.chars();
    while let Some(character) = characters.next() {
        pattern.push(match character {
            '?' => ANY_CHARACTER,
            '[' => {
                characters.by_ref().find(|&character| character == ']');
                ANY_CHARACTER
            }
            other => other,
        });
    }
    pattern
}
