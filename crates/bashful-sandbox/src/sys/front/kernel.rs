//! System calls without the C library.

use core::arch::asm;

pub(super) fn close(descriptor: usize) {
    system(numbers::CLOSE, [descriptor, 0, 0, 0, 0, 0]);
}

pub(super) fn end(code: usize) -> ! {
    loop {
        system(numbers::EXIT_GROUP, [code, 0, 0, 0, 0, 0]);
    }
}

pub(super) fn address(of: *const u8) -> usize {
    of.expose_provenance()
}

/// A system call; none if it failed. Whatever memory it is given is ours, and outlives it.
pub(super) fn system(number: usize, arguments: [usize; 6]) -> Option<usize> {
    // SAFETY: all callers are in this file, and give addresses of what they own.
    usize::try_from(unsafe { raw(number, arguments) }).ok()
}

pub(super) unsafe fn raw(number: usize, arguments: [usize; 6]) -> isize {
    let [first, second, third, fourth, fifth, sixth] = arguments;
    let answer: isize;
    // SAFETY: the kernel's convention; what it may write to belongs to the caller, as promised.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number => answer,
            in("rdi") first,
            in("rsi") second,
            in("rdx") third,
            in("r10") fourth,
            in("r8") fifth,
            in("r9") sixth,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    answer
}

/// The kernel's numbers for this processor.
pub(super) mod numbers {
    pub(in super::super) const READ: usize = 0;
    pub(in super::super) const WRITE: usize = 1;
    pub(in super::super) const CLOSE: usize = 3;
    pub(in super::super) const POLL: usize = 7;
    pub(in super::super) const RT_SIGPROCMASK: usize = 14;
    pub(in super::super) const IOCTL: usize = 16;
    pub(in super::super) const GETPID: usize = 39;
    pub(in super::super) const SOCKET: usize = 41;
    pub(in super::super) const CONNECT: usize = 42;
    pub(in super::super) const SENDMSG: usize = 46;
    pub(in super::super) const RECVMSG: usize = 47;
    pub(in super::super) const GETSOCKOPT: usize = 55;
    pub(in super::super) const KILL: usize = 62;
    pub(in super::super) const GETEUID: usize = 107;
    pub(in super::super) const PRCTL: usize = 157;
    pub(in super::super) const EXIT_GROUP: usize = 231;
    pub(in super::super) const OPENAT: usize = 257;
    pub(in super::super) const SIGNALFD4: usize = 289;
    pub(in super::super) const PIPE2: usize = 293;
    pub(in super::super) const PIDFD_SEND_SIGNAL: usize = 424;

    pub(in super::super) const AT_FDCWD: usize = (-100_isize).cast_unsigned();
    pub(in super::super) const AF_UNIX: usize = 1;
    pub(in super::super) const SOCK_SEQPACKET: usize = 5;
    pub(in super::super) const SOL_SOCKET: usize = 1;
    pub(in super::super) const SO_PEERCRED: usize = 17;
    pub(in super::super) const MSG_NOSIGNAL: usize = 0x4000;
    pub(in super::super) const MSG_CMSG_CLOEXEC: usize = 0x4000_0000;
    pub(in super::super) const O_NONBLOCK: usize = 0o4000;
    pub(in super::super) const O_DIRECTORY: usize = 0o200_000;
    pub(in super::super) const O_CLOEXEC: usize = 0o2_000_000;
    pub(in super::super) const O_PATH: usize = 0o10_000_000;
    pub(in super::super) const PR_SET_DUMPABLE: usize = 4;
    pub(in super::super) const TCGETS: usize = 0x5401;
    pub(in super::super) const EBADF: isize = 9;

    pub(in super::super) const SIG_BLOCK: usize = 0;
    pub(in super::super) const SIG_SETMASK: usize = 2;
    pub(in super::super) const SIGHUP: usize = 1;
    pub(in super::super) const SIGINT: usize = 2;
    pub(in super::super) const SIGQUIT: usize = 3;
    pub(in super::super) const SIGTERM: usize = 15;
}
