//! Disks and other devices: formatting, `dd`, and writing to them as if they were files.

use super::writes::targets;
use super::{DEVICE, Finding, MKFS, View};
use crate::options::{self, Valued};
use crate::paths;
use crate::script::Word;

/// Programs that make a file system or a swap area.
const FORMATTERS: &[&str] = &[
    "mkfs",
    "mke2fs",
    "mkswap",
    "mkdosfs",
    "mkntfs",
    "mkreiserfs",
    "newfs",
];
/// Devices that `dd` may read.
const READABLE: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/urandom",
    "/dev/random",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/full",
    "/dev/shm/",
    "/dev/fd/",
];
/// Devices that `dd` may write.
const WRITABLE: &[&str] = &[
    "/dev/null",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/shm/",
    "/dev/fd/",
];

pub(super) fn check(view: &View) -> Option<Finding> {
    if formats(view) {
        return Some(view.finding(&MKFS));
    }
    if view.name == "dd" && uses_device(view) || destroys(view) {
        return Some(view.finding(&DEVICE));
    }
    let device = |word: &Word| paths::is_device(word, view.directory());
    let target = targets(view).into_iter().find(|word| device(word))?;
    Some(view.finding_of(&DEVICE, &format!("writes to {}", target.text)))
}

fn formats(view: &View) -> bool {
    let arguments = view.arguments();
    let only_asks = arguments
        .iter()
        .any(|word| matches!(word.text.as_str(), "--help" | "--version" | "-V"));
    let named = FORMATTERS.contains(&view.name) || view.name.starts_with("mkfs.");
    let wipes = view.name == "wipefs" && options::has_flag(arguments, 'a', "all");
    (named && !arguments.is_empty() && !only_asks) || wipes
}

fn uses_device(view: &View) -> bool {
    view.arguments().iter().any(|word| {
        let (path, fine) = match word.text.split_once('=') {
            Some(("if", path)) => (path, READABLE),
            Some(("of", path)) => (path, WRITABLE),
            _ => return false,
        };
        let path = paths::resolve(&options::tail(word, path), view.directory()).unwrap_or_default();
        let fits = |fine: &&str| path == **fine || (fine.ends_with('/') && path.starts_with(*fine));
        path.starts_with("/dev/") && !fine.iter().any(fits)
    })
}

/// Programs that exist to change a disk, unless they are asked to show it.
fn destroys(view: &View) -> bool {
    let arguments = view.arguments();
    let has = |wanted: &[&str]| {
        arguments
            .iter()
            .any(|word| wanted.contains(&word.text.as_str()))
    };
    let operands = options::operands(arguments, &Valued::NONE);
    let device = operands
        .iter()
        .any(|word| paths::is_device(word, view.directory()));
    match view.name {
        "shred" | "blkdiscard" => device,
        "cryptsetup" => has(&["luksFormat", "luksErase", "erase", "reencrypt"]),
        "badblocks" => device && options::has_flag(arguments, 'w', ""),
        "fdisk" | "sfdisk" | "sgdisk" | "gdisk" | "cfdisk" | "parted" => {
            device
                && !has(&[
                    "-l", "--list", "-d", "--dump", "-p", "--print", "print", "-v", "--verify",
                ])
        }
        _ => false,
    }
}
