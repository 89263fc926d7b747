//! Disks and other devices: formatting them, and using them as if they were files.

use super::View;
use super::line::{Line, has_word, only_asks};
use crate::arguments::Valued;
use crate::context::Context;
use crate::facts::{Argument, Redirect};
use crate::places::{self, is_within};

mod format;
mod names;

use format::{formats, is_volume_tool, makes_file_system, may_make_file_system};
use names::{DISKS, FORMATTERS, HARMLESS, SWITCHES, USERS};

pub(super) fn check(view: &View) -> bool {
    let arguments = view.call.operands();
    if only_asks(arguments) {
        return false;
    }
    let reaches = |argument: &Argument| is_disk(argument, &view.call.directories, view.context);
    let line = || Line::read(arguments, &Valued::NONE);
    match view.name {
        "dd" | "gdd" | "dcfldd" | "dc3dd" => arguments.iter().any(|word| {
            let text = word.text.as_str();
            let value = word.tail(text.find('=').map_or(0, |at| at + 1));
            let name = text.split('=').next();
            match name {
                Some("of" | "ofs" | "hofs") => {
                    is_device(&value, &view.call.directories, view.context)
                }
                _ => reaches(&value),
            }
        }),
        "cryptsetup" | "veracrypt" => {
            !has_word(arguments, &["status", "luksDump", "isLuks"]) && !arguments.is_empty()
        }
        name if is_volume_tool(name) => !has_word(arguments, &["--help", "-t", "--test"]),
        "mdadm" => {
            let line = line();
            !arguments.is_empty() && !(line.has("DEQ", &["detail", "examine", "query"]))
        }
        "hdparm" => {
            let line = line();
            line.has_letter("wyYzZSDrNpJMX")
                || line.has_name_like("security")
                || line.has_name_like("yes-i")
                || line.has_name_like("make-bad")
                || line.has_name_like("write-sector")
                || line.has_name_like("repair")
                || line.has_name_like("trim")
                || line.has_name_like("fw")
                || line.has_name_like("dco")
        }
        "nvme" => has_word(
            arguments,
            &[
                "format", "sanitize", "write", "write-zeroes", "write-uncor", "dsm", "delete-ns",
                "create-ns", "fw-download", "fw-commit", "fw-activate", "reset", "security-send",
                "admin-passthru", "io-passthru", "set-feature",
            ],
        ),
        "badblocks" => line().has_letter("wn"),
        "zpool" | "zfs" | "btrfs" => {
            !arguments.is_empty()
                && !has_word(
                    arguments,
                    &[
                        "list", "status", "get", "iostat", "history", "show", "usage", "df",
                        "version", "du",
                    ],
                )
        }
        name if FORMATTERS.contains(&name)
            || makes_file_system(name)
            || name.starts_with("fsck.") =>
        {
            formats(view)
        }
        // A glob that finds such a program.
        "" => view.call.arguments.first().is_some_and(|first| {
            let name = first.known().rsplit('/').next().unwrap_or_default();
            first.glob && first.is_known() && may_make_file_system(name)
        }),
        name if USERS.contains(&name) => {
            let values = arguments.iter().map(|word| {
                let at = word.text.find('=').filter(|_| word.text.starts_with('-'));
                word.tail(at.map_or(0, |at| at + 1))
            });
            values.into_iter().any(|word| reaches(&word))
        }
        _ => false,
    }
}

/// Whether a redirect reaches a device.
pub(super) fn check_redirect(redirect: &Redirect, context: &Context) -> bool {
    use crate::facts::RedirectKind::{Duplicate, Text};
    if matches!(redirect.kind, Duplicate | Text) {
        false
    } else if redirect.kind.writes() {
        is_device(&redirect.target, &redirect.directories, context)
    } else {
        is_disk(&redirect.target, &redirect.directories, context)
    }
}

/// Whether an argument is a device that no command should write.
fn is_device(argument: &Argument, directories: &[String], context: &Context) -> bool {
    let hard = |path: &str| {
        let harmless = HARMLESS.iter().any(|device| is_within(path, device));
        let in_dev = path.len() > "/dev/".len() && path.starts_with("/dev/");
        let numbered = path.starts_with("/dev/tty") && path.len() == "/dev/tty0".len();
        let switch = SWITCHES.iter().any(|switch| is_within(path, switch));
        (in_dev && !harmless && !numbered) || switch
    };
    let places = places::places(argument, directories, context);
    let paths = places.paths.iter();
    let mut paths = paths.flat_map(|place| [place.text.as_str(), place.real()]);
    paths.any(hard) || names_disk(argument.known())
}

/// Whether an argument is a disk or a memory, which no command should read either.
fn is_disk(argument: &Argument, directories: &[String], context: &Context) -> bool {
    let places = places::places(argument, directories, context);
    let paths = places.paths.iter();
    let mut paths = paths.flat_map(|place| [place.text.as_str(), place.real()]);
    paths.any(names_disk) || names_disk(argument.known())
}

fn names_disk(path: &str) -> bool {
    let Some(name) = path.strip_prefix("/dev/") else {
        return path == "/proc/kcore" || path == "/proc/kmem";
    };
    let harmless = HARMLESS.iter().any(|device| is_within(path, device));
    let is_glob = name.starts_with(['*', '?', '[']);
    !harmless && (is_glob || DISKS.iter().any(|disk| name.starts_with(disk)))
}
