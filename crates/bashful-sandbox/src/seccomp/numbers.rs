//! The kernel's constants: libc's, and those that libc lacks.
//!
//! A constant defined here hides one of the same name that a later libc may bring.

#![expect(non_upper_case_globals, reason = "the kernel's own names")]

pub(super) use libc::*;

#[cfg(not(all(
    target_endian = "little",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
compile_error!("the system call filter knows x86-64 and little-endian aarch64 only");

/// How the kernel calls this architecture: the machine's number in an executable file,
/// with the marks for 64 bits and little-endian.
#[cfg(target_arch = "x86_64")]
pub(super) const THIS_ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
pub(super) const THIS_ARCHITECTURE: u32 = 0xc000_00b7;

// From number 424 on all architectures number their calls alike.
pub(super) const SYS_fchmodat2: c_long = 452;
pub(super) const SYS_statmount: c_long = 457;
pub(super) const SYS_listmount: c_long = 458;
pub(super) const SYS_lsm_set_self_attr: c_long = 460;
pub(super) const SYS_open_tree_attr: c_long = 467;

/// Requests of old file systems that all file systems know by now; not in libc.
pub(super) const FS_IOC_RESVSP: u32 = 0x4030_5828;
pub(super) const FS_IOC_RESVSP64: u32 = 0x4030_582a;
pub(super) const FS_IOC_ZERO_RANGE: u32 = 0x4030_5839;

/// Not in musl's part of libc.
#[cfg(target_arch = "aarch64")]
pub(super) const SYS_kexec_file_load: c_long = 294;

/// Declares calls that this architecture does not have.
#[cfg(target_arch = "aarch64")]
macro_rules! absent {
    ($($name:ident),* $(,)?) => { $(pub(super) const $name: c_long = -1;)* };
}

#[cfg(target_arch = "aarch64")]
absent!(
    SYS_access,
    SYS_chmod,
    SYS_chown,
    SYS_creat,
    SYS_ioperm,
    SYS_iopl,
    SYS_lchown,
    SYS_link,
    SYS_lstat,
    SYS_mkdir,
    SYS_mknod,
    SYS_modify_ldt,
    SYS_open,
    SYS_readlink,
    SYS_rename,
    SYS_renameat,
    SYS_rmdir,
    SYS_stat,
    SYS_symlink,
    SYS_unlink,
    SYS_uselib,
);

/// What makes `open` create a file without a name; libc's `O_TMPFILE` has the bit of
/// `O_DIRECTORY` in it, which by itself creates nothing.
pub(super) const __O_TMPFILE: c_int = O_TMPFILE & !O_DIRECTORY;

// libc gives requests another type on each C library.
pub(super) const TIOCSTI: u32 = 0x5412;
pub(super) const TIOCLINUX: u32 = 0x541c;
pub(super) const TIOCSETD: u32 = 0x5423;

/// Takes a lease on a file.
pub(super) const F_SETLEASE: u32 = 1024;

/// Asks for a descriptor of the process at the other end.
pub(super) const SO_PEERPIDFD: u32 = 77;

/// The personality of Linux itself.
pub(super) const PER_LINUX: u32 = 0;
/// Asks for the personality without changing it.
pub(super) const PER_QUERY: u32 = u32::MAX;

/// The bits of a socket's type that are not flags.
pub(super) const SOCK_TYPE_MASK: u32 = 0xf;
/// A raw socket by its name of 1995: turned into one of another family by the kernel.
pub(super) const SOCK_PACKET: u32 = 10;
