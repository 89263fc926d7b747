//! Calls that are refused with some arguments only.

use super::super::numbers;
use super::super::rule::{Argument, Named, Rule, Test};
use super::{NO_SUCH_REQUEST, NOT_PERMITTED, refuse_if, tell_if};

const SET_ID_BITS: &[Named<u32>] = named!(S_ISUID, S_ISGID);
const CREATING: &[Named<u32>] = named!(O_CREAT, __O_TMPFILE);
const DEVICES: &[Named<u32>] = named!(S_IFCHR, S_IFBLK);
const SET_ID_REASON: &str = "a file that lends its owner's rights works outside the sandbox too";
const DEVICE_REASON: &str = "a device leads past every file permission";

const fn mode(index: u32) -> Argument {
    Argument::new(index, "mode")
}

pub(super) const RULES: &[Rule] = &[
    tell_if(
        calls![SYS_clone],
        &[Test::HasAny(
            Argument::new(0, "flags"),
            named!(
                CLONE_NEWNS,
                CLONE_NEWCGROUP,
                CLONE_NEWUTS,
                CLONE_NEWIPC,
                CLONE_NEWUSER,
                CLONE_NEWPID,
                CLONE_NEWNET,
                CLONE_NEWTIME,
            ),
        )],
        NOT_PERMITTED,
        "makes a namespace, in which there are new rights",
    ),
    refuse_if(
        calls![SYS_personality],
        &[Test::IsNot(
            Argument::new(0, "persona"),
            named!(PER_LINUX, PER_QUERY, ADDR_NO_RANDOMIZE),
        )],
        NOT_PERMITTED,
        "imitates other systems, with weaker protection of memory",
    ),
    refuse_if(
        calls![SYS_ioctl],
        &[Test::Is(
            Argument::new(1, "request"),
            named!(TIOCSTI, TIOCLINUX, TIOCSETD),
        )],
        NOT_PERMITTED,
        "types into the terminal that the run was started from, or changes its driver",
    ),
    refuse_if(
        calls![SYS_ioctl],
        &[Test::Is(
            Argument::new(1, "request"),
            named!(FS_IOC_RESVSP, FS_IOC_RESVSP64, FS_IOC_ZERO_RANGE),
        )],
        NO_SUCH_REQUEST,
        "reserves disk space in an old way, which is not counted",
    ),
    refuse_if(
        calls![SYS_fcntl],
        &[Test::Is(Argument::new(1, "operation"), named!(F_SETLEASE))],
        NOT_PERMITTED,
        "makes a process that opens the file outside wait",
    ),
    refuse_if(
        calls![SYS_chmod, SYS_fchmod, SYS_creat, SYS_mkdir, SYS_mknod],
        &[Test::HasAny(mode(1), SET_ID_BITS)],
        NOT_PERMITTED,
        SET_ID_REASON,
    ),
    refuse_if(
        calls![SYS_fchmodat, SYS_fchmodat2, SYS_mkdirat, SYS_mknodat],
        &[Test::HasAny(mode(2), SET_ID_BITS)],
        NOT_PERMITTED,
        SET_ID_REASON,
    ),
    // Without these flags there is no mode: its register holds whatever was left there.
    refuse_if(
        calls![SYS_open],
        &[
            Test::HasAny(Argument::new(1, "flags"), CREATING),
            Test::HasAny(mode(2), SET_ID_BITS),
        ],
        NOT_PERMITTED,
        SET_ID_REASON,
    ),
    refuse_if(
        calls![SYS_openat],
        &[
            Test::HasAny(Argument::new(2, "flags"), CREATING),
            Test::HasAny(mode(3), SET_ID_BITS),
        ],
        NOT_PERMITTED,
        SET_ID_REASON,
    ),
    refuse_if(
        calls![SYS_mknod],
        &[Test::Is(mode(1).masked(numbers::S_IFMT), DEVICES)],
        NOT_PERMITTED,
        DEVICE_REASON,
    ),
    refuse_if(
        calls![SYS_mknodat],
        &[Test::Is(mode(2).masked(numbers::S_IFMT), DEVICES)],
        NOT_PERMITTED,
        DEVICE_REASON,
    ),
];
