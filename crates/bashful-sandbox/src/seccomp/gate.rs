//! The system calls of a gate: a list of what it may do, and nothing else.

use super::assembler::{Assembler, Condition, Instruction, Label};
#[cfg(target_arch = "x86_64")]
use super::numbers::SYS_poll;
use super::numbers::{
    AF_INET, AF_INET6, CLONE_THREAD, ENOSYS, EPERM, FIONBIO, SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO,
    SECCOMP_RET_KILL_PROCESS, SYS_accept4, SYS_bind, SYS_brk, SYS_clock_gettime,
    SYS_clock_nanosleep, SYS_clone, SYS_clone3, SYS_close, SYS_connect, SYS_exit, SYS_exit_group,
    SYS_fcntl, SYS_futex, SYS_getpeername, SYS_getpid, SYS_getrandom, SYS_getsockname,
    SYS_getsockopt, SYS_gettid, SYS_ioctl, SYS_madvise, SYS_mmap, SYS_mprotect, SYS_mremap,
    SYS_munmap, SYS_nanosleep, SYS_ppoll, SYS_prctl, SYS_read, SYS_readv, SYS_recvfrom,
    SYS_recvmsg, SYS_restart_syscall, SYS_rseq, SYS_rt_sigaction, SYS_rt_sigprocmask,
    SYS_rt_sigreturn, SYS_sched_getaffinity, SYS_sched_yield, SYS_sendmsg, SYS_sendto,
    SYS_set_robust_list, SYS_setsockopt, SYS_shutdown, SYS_sigaltstack, SYS_socket, SYS_splice,
    SYS_write, SYS_writev, THIS_ARCHITECTURE, c_long,
};

/// Offsets in the kernel's `struct seccomp_data`; the low halves of arguments.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const FIRST: u32 = 16;
const SECOND: u32 = 24;

/// What it needs to serve connections in threads.
const CALLS: &[c_long] = &[
    SYS_accept4,
    SYS_bind,
    SYS_brk,
    SYS_clock_gettime,
    SYS_clock_nanosleep,
    SYS_close,
    SYS_connect,
    SYS_exit,
    SYS_exit_group,
    SYS_fcntl,
    SYS_futex,
    SYS_getpeername,
    SYS_getpid,
    SYS_getrandom,
    SYS_getsockname,
    SYS_getsockopt,
    SYS_gettid,
    SYS_madvise,
    SYS_mmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_munmap,
    SYS_nanosleep,
    SYS_ppoll,
    SYS_prctl,
    SYS_read,
    SYS_readv,
    SYS_recvfrom,
    SYS_recvmsg,
    SYS_restart_syscall,
    SYS_rseq,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sched_getaffinity,
    SYS_sched_yield,
    SYS_sendmsg,
    SYS_sendto,
    SYS_set_robust_list,
    SYS_setsockopt,
    SYS_shutdown,
    SYS_sigaltstack,
    SYS_splice,
    SYS_write,
    SYS_writev,
    #[cfg(target_arch = "x86_64")]
    SYS_poll,
];

/// The filter.
pub(crate) fn gate_filter() -> Vec<Instruction> {
    let mut program = Assembler::default();
    let allow = program.answer(SECCOMP_RET_ALLOW);
    let refuse = program.answer(SECCOMP_RET_ERRNO | EPERM.cast_unsigned());
    // Threads are made by the older call, whose flags can be seen.
    let unknown = program.answer(SECCOMP_RET_ERRNO | ENOSYS.cast_unsigned());
    let thread = program.branch(
        Condition::HasAny,
        CLONE_THREAD.cast_unsigned(),
        allow,
        refuse,
    );
    let thread = program.load(FIRST, thread);
    let internet = program.branch(Condition::Equal, AF_INET6.cast_unsigned(), allow, refuse);
    let internet = program.branch(Condition::Equal, AF_INET.cast_unsigned(), allow, internet);
    let internet = program.load(FIRST, internet);
    let waiting = u32::try_from(FIONBIO).unwrap_or_default();
    let waiting = program.branch(Condition::Equal, waiting, allow, refuse);
    let waiting = program.load(SECOND, waiting);
    let mut next = refuse;
    let mut case = |program: &mut Assembler, number: c_long, then: Label| {
        if let Ok(number) = u32::try_from(number) {
            next = program.branch(Condition::Equal, number, then, next);
        }
        next
    };
    for (number, then) in [
        (SYS_clone, thread),
        (SYS_clone3, unknown),
        (SYS_socket, internet),
        (SYS_ioctl, waiting),
    ] {
        case(&mut program, number, then);
    }
    for number in CALLS {
        case(&mut program, *number, allow);
    }
    let kill = program.answer(SECCOMP_RET_KILL_PROCESS);
    let numbered = program.load(NUMBER, next);
    let checked = program.branch(Condition::Equal, THIS_ARCHITECTURE, numbered, kill);
    program.load(ARCHITECTURE, checked);
    program.finish()
}
