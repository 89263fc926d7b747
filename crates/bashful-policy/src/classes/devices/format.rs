//! Tools for disks: whether they change one or only show it.

use crate::arguments::Valued;
use crate::classes::View;
use crate::classes::line::{Line, has_word};
use crate::classes::place_kind::may_find;
use crate::facts::Argument;
use crate::places;

/// Whether a tool for disks changes one, and not only an image inside a root that may be written.
pub(super) fn formats(view: &View) -> bool {
    let arguments = view.call.operands();
    if arguments.is_empty() && !view.call.open_ended || shows(view.name, arguments) {
        return false;
    }
    if makes_file_system(view.name) {
        return true;
    }
    let mentions = |text: &str| arguments.iter().any(|word| word.text.contains(text));
    let image = arguments.last().is_some_and(|last| {
        let places = places::places(last, &view.call.directories, view.context);
        let inside = |place: &places::Place| place.is_within_any(&view.context.write_roots);
        last.is_literal() && !places.paths.is_empty() && places.paths.iter().all(inside)
    });
    let takes_images =
        view.name.ends_with("disk") || view.name.contains("fs") || view.name == "parted";
    !(takes_images && image) || mentions("/dev/")
}

/// Programs that make a file system or a swap area, and destroy what is there.
pub(super) fn makes_file_system(name: &str) -> bool {
    name.starts_with("mkfs") || name.starts_with("newfs") || NAMES.contains(&name)
}

/// Whether a pattern can find such a program, and is not so wide that it was hardly meant: there are
/// two letters in it.
pub(super) fn may_make_file_system(pattern: &str) -> bool {
    let letters = pattern.chars().filter(char::is_ascii_alphabetic).count();
    let mut programs = NAMES.iter().chain(KINDS);
    makes_file_system(pattern)
        || (letters > 1 && programs.any(|program| may_find(pattern, program)))
}

const NAMES: &[&str] = &[
    "jfs_mkfs", "make_ext4fs", "mke2fs", "mkdosfs", "mkexfatfs", "mkntfs", "mkreiser4",
    "mkreiserfs", "mkswap", "mkudffs",
];

/// Those that systems have whose names begin alike.
const KINDS: &[&str] = &[
    "mkfs", "mkfs.bcachefs", "mkfs.bfs", "mkfs.btrfs", "mkfs.cramfs", "mkfs.erofs", "mkfs.exfat",
    "mkfs.ext2", "mkfs.ext3", "mkfs.ext4", "mkfs.f2fs", "mkfs.fat", "mkfs.gfs2", "mkfs.hfs",
    "mkfs.hfsplus", "mkfs.jffs2", "mkfs.jfs", "mkfs.minix", "mkfs.msdos", "mkfs.nilfs2",
    "mkfs.ntfs", "mkfs.ocfs2", "mkfs.reiser4", "mkfs.reiserfs", "mkfs.ubifs", "mkfs.udf",
    "mkfs.vfat", "mkfs.xfs", "mkfs_msdos", "newfs", "newfs_msdos",
];

/// Programs that change logical volumes; those that show them end otherwise.
pub(super) fn is_volume_tool(name: &str) -> bool {
    let rest = ["pv", "vg", "lv"]
        .iter()
        .find_map(|start| name.strip_prefix(start));
    rest.is_some_and(|rest| {
        [
            "create", "remove", "reduce", "extend", "resize", "change", "move", "convert",
            "rename", "split", "merge", "export", "import", "cfgrestore",
        ]
        .contains(&rest)
    })
}

/// Whether a tool for disks is asked only to show them.
fn shows(name: &str, arguments: &[Argument]) -> bool {
    let words: &[&str] = match name {
        "fdisk" => &["-l", "--list", "-x", "--list-details"],
        "sfdisk" => &["-l", "--list", "-d", "--dump", "-J", "--json", "-V", "--verify"],
        "sgdisk" | "gdisk" => {
            const SHOWING: &[&str] = &["-p", "--print", "-v", "--verify", "-l"];
            let mut options = arguments.iter().filter(|word| word.text.starts_with('-'));
            return has_word(arguments, SHOWING)
                && options.all(|word| SHOWING.contains(&word.text.as_str()));
        }
        "parted" => {
            const CHANGES: &[&str] = &[
                "mklabel", "mktable", "mkpart", "mkpartfs", "mkfs", "rm", "resizepart", "resize",
                "set", "name", "rescue", "toggle", "disk_set", "disk_toggle", "move", "cp", "type",
            ];
            return has_word(arguments, &["-l", "--list", "print"])
                && !has_word(arguments, CHANGES);
        }
        "mount" => {
            let line = Line::read(arguments, &MOUNT);
            return line.operands.is_empty()
                && !line.has("aLU", &["all", "label", "uuid", "source"]);
        }
        "partx" => &["-s", "--show", "-l", "--list"],
        "swapon" => &["-s", "--show", "--summary"],
        "losetup" => &["-a", "--all", "-l", "--list", "-j"],
        "dmsetup" => &["ls", "info", "status", "table", "deps", "targets", "version"],
        "fsck" => &["-N"],
        "wipefs" => {
            let line = Line::read(arguments, &Valued::NONE);
            return !line.has("ao", &["all", "offset", "force"]) || line.has("n", &["no-act"]);
        }
        "tune2fs" | "kpartx" => &["-l"],
        "modprobe" => &["-n", "--dry-run", "-D", "--show-depends", "-c", "--showconfig"],
        "efibootmgr" => {
            return arguments
                .iter()
                .all(|word| matches!(word.text.as_str(), "-v" | "--verbose"));
        }
        "bootctl" => &["status", "list"],
        "bcachefs" => &["list", "show-super", "version"],
        "diskutil" => &["list", "info"],
        "fwupdmgr" => &["get-devices", "get-updates", "get-history", "get-remotes"],
        _ => return false,
    };
    has_word(arguments, words)
}

const MOUNT: Valued = Valued::new(
    "toLUONT",
    &["types", "options", "label", "uuid", "source", "target", "test-opts"],
);
