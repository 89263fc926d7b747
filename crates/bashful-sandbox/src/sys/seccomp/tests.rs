//! The filter in the kernel: real calls of a process that installed it.

use std::ffi::{CString, c_long};
use std::fs;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

use libc::{EAFNOSUPPORT, ENOSYS, EPERM, EPROTONOSUPPORT, ESOCKTNOSUPPORT};

use super::Program;
use crate::seccomp::{
    CommandsRule, Filter, FilterOptions, Ground, MemoryRule, SocketsRule, TracingRule,
};
use crate::sys::fork::{Fork, fork_leaving_threads};
use crate::sys::wait::{ExitStatus, reap};

/// Ignored by the kernel where it expects 32 bits.
const HIGH: i64 = 1 << 40;

/// A call and the errno that it must end with; 0 is success.
type Act = (&'static str, c_long, [i64; 4], i32);

/// Makes one call and returns its errno, or 0.
fn call(number: c_long, [first, second, third, fourth]: [i64; 4]) -> i32 {
    // SAFETY: every argument is a plain value, a null pointer, or a pointer to a string or
    // buffer that the test keeps alive; the calls do not change memory beyond that.
    if unsafe { libc::syscall(number, first, second, third, fourth, 0_i64, 0_i64) } == -1 {
        return io::Error::last_os_error().raw_os_error().unwrap_or(-1);
    }
    0
}

fn exit(code: i32) -> ! {
    // SAFETY: ends this process and runs nothing of the test harness.
    unsafe { libc::_exit(code) }
}

/// In a child: no new privileges, then the filter. System calls only.
fn confine(program: &Program<'_>) {
    let set = [libc::PR_SET_NO_NEW_PRIVS.into(), 1, 0, 0];
    if call(libc::SYS_prctl, set) != 0 || program.install().is_err() {
        exit(1);
    }
}

/// The errno of each act, done by a child behind the filter.
fn outcomes(commands: CommandsRule, acts: &[Act]) -> Vec<i32> {
    let filter = Filter::new(&FilterOptions {
        commands,
        landlock: None,
        ground: Ground::Apart,
        memory: MemoryRule::Counted,
        sockets: SocketsRule::Pairs,
        tracing: TracingRule::Refused,
    });
    let program = Program::new(filter.instructions()).unwrap();
    let (mut reader, writer) = io::pipe().unwrap();
    let mut errors = vec![u8::MAX; acts.len()];
    match fork_leaving_threads().unwrap() {
        Fork::Child => {
            confine(&program);
            for (slot, (_, number, arguments, _)) in errors.iter_mut().zip(acts) {
                *slot = u8::try_from(call(*number, *arguments)).unwrap_or(u8::MAX);
            }
            let written = rustix::io::write(writer.as_fd(), &errors);
            exit(i32::from(written.is_err()));
        }
        Fork::Parent(pid) => {
            drop(writer);
            let mut bytes = Vec::new();
            reader.read_to_end(&mut bytes).unwrap();
            assert_eq!(reap(pid).unwrap().status, ExitStatus::Code(0));
            bytes.into_iter().map(i32::from).collect()
        }
    }
}

#[track_caller]
fn assert_outcomes(commands: CommandsRule, acts: &[Act]) {
    let outcomes = outcomes(commands, acts);
    let found: Vec<(&str, i32)> = acts.iter().map(|act| act.0).zip(outcomes).collect();
    let expected: Vec<(&str, i32)> = acts.iter().map(|act| (act.0, act.3)).collect();
    assert_eq!(found, expected);
}

#[test]
fn namespaces_and_other_processes_are_out_of_reach() {
    let new_user = i64::from(libc::CLONE_NEWUSER);
    let sti = 0x5412;
    // Each would end otherwise without the filter: with success, EINVAL, EFAULT or EBADF.
    let mut acts: Vec<Act> = vec![
        ("getpid", libc::SYS_getpid, [0; 4], 0),
        ("unshare", libc::SYS_unshare, [new_user, 0, 0, 0], EPERM),
        ("clone", libc::SYS_clone, [new_user | 0x11, 0, 0, 0], EPERM),
        (
            "clone high",
            libc::SYS_clone,
            [new_user | HIGH, 0, 0, 0],
            EPERM,
        ),
        ("clone3", libc::SYS_clone3, [0; 4], ENOSYS),
        ("openat2", libc::SYS_openat2, [-1, 0, 0, 0], ENOSYS),
        ("setns", libc::SYS_setns, [-1, 0, 0, 0], EPERM),
        ("io_uring", libc::SYS_io_uring_setup, [1, 0, 0, 0], EPERM),
        ("ptrace", libc::SYS_ptrace, [0; 4], EPERM),
        ("kcmp", libc::SYS_kcmp, [0; 4], EPERM),
        ("ioctl", libc::SYS_ioctl, [-1, sti, 0, 0], EPERM),
        ("ioctl high", libc::SYS_ioctl, [-1, sti | HIGH, 0, 0], EPERM),
        (
            "ioctl other",
            libc::SYS_ioctl,
            [-1, 0x5413, 0, 0],
            libc::EBADF,
        ),
        ("persona", libc::SYS_personality, [0xffff_ffff, 0, 0, 0], 0),
        (
            "persona other",
            libc::SYS_personality,
            [0x0002_0000, 0, 0, 0],
            EPERM,
        ),
    ];
    #[cfg(target_arch = "x86_64")]
    acts.push(("x32 getpid", 0x4000_0000 | libc::SYS_getpid, [0; 4], ENOSYS));
    assert_outcomes(CommandsRule::Any, &acts);
}

#[test]
fn sockets_are_the_ordinary_ones() {
    const SOCKET: c_long = libc::SYS_socket;
    const PAIR: c_long = libc::SYS_socketpair;
    let mut pair = [0_i32; 2];
    let out = address(pair.as_mut_ptr());
    let cloexec = i64::from(libc::SOCK_CLOEXEC);
    assert_outcomes(
        CommandsRule::Any,
        &[
            ("unix", SOCKET, [1, 1, 0, 0], EPERM),
            ("unix high", SOCKET, [1 | HIGH, 1, 0, 0], EPERM),
            ("tcp", SOCKET, [2, 1 | cloexec, 0, 0], 0),
            ("udp", SOCKET, [2, 2, 17, 0], 0),
            ("raw", SOCKET, [2, 3 | cloexec, 1, 0], EPERM),
            ("packet", SOCKET, [2, 10, 768, 0], EPERM),
            ("dccp", SOCKET, [2, 6, 0, 0], ESOCKTNOSUPPORT),
            ("sctp", SOCKET, [2, 1, 132, 0], EPROTONOSUPPORT),
            ("vsock", SOCKET, [40, 1, 0, 0], EAFNOSUPPORT),
            ("route", SOCKET, [16, 3, 0, 0], 0),
            ("audit", SOCKET, [16, 3, 9, 0], EPROTONOSUPPORT),
            ("stream pair", PAIR, [1, 1 | cloexec, 0, out], 0),
            ("packet pair", PAIR, [1, 5, 0, out], 0),
            ("datagram pair", PAIR, [1, 2, 0, out], EPERM),
            ("internet pair", PAIR, [2, 1, 0, out], EAFNOSUPPORT),
        ],
    );
}

#[test]
fn no_file_lends_its_owners_rights() {
    const OPEN: c_long = libc::SYS_openat;
    const MAKE: c_long = libc::SYS_mknodat;
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| CString::new(directory.path().join(name).as_os_str().as_bytes());
    let (old, new) = (path("old").unwrap(), path("new").unwrap());
    let (fifo, unnamed) = (path("fifo").unwrap(), path(".").unwrap());
    fs::write(directory.path().join("old"), "").unwrap();
    let [old, new, fifo, unnamed] =
        [&old, &new, &fifo, &unnamed].map(|path| address(path.as_ptr()));
    let here = i64::from(libc::AT_FDCWD);
    let [create, write, temporary] = [
        libc::O_CREAT,
        libc::O_WRONLY,
        libc::O_TMPFILE | libc::O_WRONLY,
    ]
    .map(i64::from);
    let mut acts: Vec<Act> = vec![
        ("chmod", libc::SYS_fchmodat, [here, old, 0o755, 0], 0),
        (
            "chmod u+s",
            libc::SYS_fchmodat,
            [here, old, 0o4755, 0],
            EPERM,
        ),
        (
            "chmod g+s",
            libc::SYS_fchmodat,
            [here, old, 0o2755 | HIGH, 0],
            EPERM,
        ),
        ("chmod 2", 452, [here, old, 0o4755, 0], EPERM),
        ("fchmod", libc::SYS_fchmod, [-1, 0o4755, 0, 0], EPERM),
        ("open garbage", OPEN, [here, old, write, 0o7777], 0),
        (
            "create u+s",
            OPEN,
            [here, new, create | HIGH, 0o4644],
            EPERM,
        ),
        (
            "temporary u+s",
            OPEN,
            [here, unnamed, temporary, 0o4644],
            EPERM,
        ),
        (
            "mkdir g+s",
            libc::SYS_mkdirat,
            [here, new, 0o2755, 0],
            EPERM,
        ),
        ("device", MAKE, [here, new, 0o020_600, 0x103], EPERM),
        ("fifo", MAKE, [here, fifo, 0o010_600, 0], 0),
        ("create", OPEN, [here, new, create | write, 0o644], 0),
    ];
    #[cfg(target_arch = "x86_64")]
    acts.extend::<[Act; 3]>([
        ("old chmod", libc::SYS_chmod, [old, 0o4755, 0, 0], EPERM),
        ("old creat", libc::SYS_creat, [new, 0o4755, 0, 0], EPERM),
        (
            "old open",
            libc::SYS_open,
            [new, create | write, 0o6755, 0],
            EPERM,
        ),
    ]);
    assert_outcomes(CommandsRule::Any, &acts);
    let mode = |name| {
        fs::metadata(directory.path().join(name))
            .unwrap()
            .permissions()
            .mode()
    };
    assert_eq!(mode("old") & 0o7777, 0o755);
    assert_eq!(mode("new") & 0o7000, 0);
}

#[test]
fn programs_in_memory_only_where_any_program_may_run() {
    let name = c"x";
    let create: Act = (
        "memfd",
        libc::SYS_memfd_create,
        [address(name.as_ptr()), 0, 0, 0],
        0,
    );
    assert_outcomes(CommandsRule::Any, &[create]);
    assert_outcomes(
        CommandsRule::Listed,
        &[(create.0, create.1, create.2, EPERM)],
    );
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_call_of_another_architecture_kills() {
    let filter = Filter::new(&FilterOptions {
        commands: CommandsRule::Any,
        landlock: None,
        ground: Ground::Apart,
        memory: MemoryRule::Counted,
        sockets: SocketsRule::Pairs,
        tracing: TracingRule::Refused,
    });
    let program = Program::new(filter.instructions()).unwrap();
    let pid = match fork_leaving_threads().unwrap() {
        Fork::Child => {
            confine(&program);
            // No core file: the signal is expected.
            call(libc::SYS_prctl, [libc::PR_SET_DUMPABLE.into(), 0, 0, 0]);
            // SAFETY: number 20 is `getpid` there and touches no memory.
            unsafe { std::arch::asm!("int 0x80", inout("eax") 20 => _) };
            exit(0);
        }
        Fork::Parent(pid) => pid,
    };
    let status = reap(pid).unwrap().status;
    // A kernel without 32-bit calls knows no such interrupt.
    let deadly = [libc::SIGSYS, libc::SIGSEGV].map(ExitStatus::Signal);
    assert!(deadly.contains(&status), "{status:?}");
}

#[test]
fn what_is_not_a_program_is_refused() {
    let error = io::Error::from_raw_os_error(Program::new(&[]).unwrap().install().unwrap_err());
    // Without privileges the kernel asks for "no new privileges" first.
    let refusals = [libc::EINVAL, libc::EACCES].map(Some);
    assert!(refusals.contains(&error.raw_os_error()), "{error}");
    let many = vec![
        Filter::new(&FilterOptions {
            commands: CommandsRule::Any,
            landlock: None,
            ground: Ground::Apart,
            memory: MemoryRule::Counted,
            sockets: SocketsRule::Pairs,
            tracing: TracingRule::Refused,
        })
        .instructions()[0];
        70_000
    ];
    assert_eq!(
        Program::new(&many).err().unwrap().kind(),
        io::ErrorKind::InvalidInput
    );
}

/// A pointer as a register holds it.
fn address<T>(pointer: *const T) -> i64 {
    i64::try_from(pointer.expose_provenance()).unwrap()
}
