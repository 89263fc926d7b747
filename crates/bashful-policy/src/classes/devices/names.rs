//! Names of devices, and of programs that use them.

/// Devices that every process may read and write, and places in `/dev` that hold files.
pub(super) const HARMLESS: &[&str] = &[
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/stdin",
    "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd", "/dev/shm", "/dev/pts", "/dev/ptmx",
    "/dev/mqueue", "/dev/tcp", "/dev/udp", "/dev/log",
];

/// How the names of disks and memories start.
pub(super) const DISKS: &[&str] = &[
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "mapper", "disk", "dm-", "loop", "md", "mem",
    "kmem", "port", "nbd", "zram", "sr", "bcache", "rbd", "drbd", "ram", "pmem", "dasd", "st",
    "nst", "mtd", "ubi", "cciss", "rdisk", "zd", "zvol", "block", "root", "cdrom", "dvd", "vg",
    "raw", "sg", "bsg", "i2c", "spidev", "nvram", "efi", "ng", "cpu", "fb", "fmem", "ada", "da",
    "kvm", "uinput", "input", "video", "snd", "watchdog",
];

/// Files of the kernel that are switches.
pub(super) const SWITCHES: &[&str] = &["/proc/sysrq-trigger", "/proc/sys", "/sys", "/proc/kcore"];

/// Programs that exist to change disks, unless they are asked to show them.
pub(super) const FORMATTERS: &[&str] = &[
    "mkisofs-dev", "fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "cgdisk", "parted", "partx",
    "delpart", "addpart", "resizepart", "wipefs", "blkdiscard", "bcachefs", "make-bcache",
    "zerofree", "fsck", "e2fsck", "xfs_repair", "tune2fs", "resize2fs", "debugfs", "xfs_growfs",
    "xfs_admin", "ntfsresize", "ntfsfix", "reiserfsck", "swapon", "swapoff", "losetup", "mount",
    "umount", "pivot_root", "fsfreeze", "kpartx", "dmsetup", "flashrom", "grub-install",
    "grub2-install", "grub-bios-setup", "efibootmgr", "lilo", "extlinux", "bootctl", "insmod",
    "modprobe", "rmmod", "kexec", "flashcp", "flash_erase", "nandwrite", "fwupdmgr", "ubiformat",
    "sg_format", "sg_sanitize", "diskutil", "fatlabel", "e2label", "mkbootdisk", "dban", "nwipe",
];

/// Programs that read or write the files they are given.
pub(super) const USERS: &[&str] = &[
    "cat", "tac", "head", "tail", "cp", "mv", "tee", "install", "shred", "strings", "xxd",
    "hexdump", "hd", "od", "less", "more", "base64", "gzip", "gunzip", "zcat", "bzip2", "xz",
    "zstd", "tar", "cpio", "ddrescue", "dd_rescue", "dcfldd", "dc3dd", "pv", "wipe", "scrub", "rm",
    "ln", "chmod", "chown", "chgrp", "setfacl", "testdisk", "photorec", "extundelete", "cmp",
    "md5sum", "sha1sum", "sha256sum", "sha512sum", "wc", "sponge", "qemu-img", "truncate",
    "fallocate", "rsync", "scp", "curl", "wget", "sort", "split", "openssl", "gpg", "nc", "socat",
    "partclone", "fsarchiver", "dump", "restore", "vim", "nano", "sed", "perl", "python3",
    "bmaptool", "bmap", "balena", "isohybrid", "cdrecord", "wodim", "growisofs", "eject", "touch",
    "tr", "rev", "cut", "dump2fs", "dumpe2fs", "blkid-write", "blockdev", "sdparm",
];
