//! A terminal inside a run, made by its first process: system calls only.

use std::ffi::{c_int, c_void};
use std::os::fd::RawFd;

use super::init::errno;
use super::spawn::check;
use crate::launch::Stage;
use crate::report::{RECORD_BYTES, Record};
use crate::terminal::TerminalSize;

/// Both ends of a terminal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    /// For the keeper alone.
    pub(super) master: RawFd,
    /// For the command.
    pub(super) program: RawFd,
}

/// Mounts terminals of the run's own over those of its room: no other run can open one.
pub(super) fn mount_terminals() -> Result<(), (Stage, c_int)> {
    // SAFETY: the strings are constants.
    check(Stage::Terminal, unsafe {
        libc::mount(
            c"devpts".as_ptr(),
            c"/dev/pts".as_ptr(),
            c"devpts".as_ptr(),
            libc::MS_NOSUID | libc::MS_NOEXEC,
            c"newinstance,ptmxmode=0666,mode=0600"
                .as_ptr()
                .cast::<c_void>(),
        )
    })
}

/// Opens a terminal there. It belongs to the user that the caller is by now.
pub(super) fn open_terminal(size: TerminalSize) -> Result<Ends, (Stage, c_int)> {
    let flags = libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC;
    // SAFETY: the path is a constant.
    let mut master = unsafe { libc::open(c"/dev/pts/ptmx".as_ptr(), flags) };
    if master == -1 {
        // Where the run sees the host's terminals, that one is closed and this is open.
        // SAFETY: the path is a constant.
        master = unsafe { libc::open(c"/dev/ptmx".as_ptr(), flags) };
    }
    check(Stage::Terminal, master)?;
    let unlocked: c_int = 0;
    // SAFETY: the number outlives the call, which reads it.
    check(Stage::Terminal, unsafe {
        libc::ioctl(master, libc::TIOCSPTLCK, &raw const unlocked)
    })?;
    // SAFETY: takes flags and no memory.
    let program = unsafe { libc::ioctl(master, libc::TIOCGPTPEER, flags) };
    check(Stage::Terminal, program)?;
    let window = libc::winsize {
        ws_row: size.rows,
        ws_col: size.columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    // SAFETY: the structure outlives the call, which reads it.
    check(Stage::Terminal, unsafe {
        libc::ioctl(master, libc::TIOCSWINSZ, &raw const window)
    })?;
    let mut modes = std::mem::MaybeUninit::<libc::termios>::zeroed();
    // SAFETY: the structure is no smaller than the kernel's, whose beginning is the same.
    check(Stage::Terminal, unsafe {
        libc::ioctl(program, libc::TCGETS, modes.as_mut_ptr())
    })?;
    // Backspace takes away a character, however many bytes it has.
    // SAFETY: all zeroes is a valid value, and the call filled it.
    unsafe { (*modes.as_mut_ptr()).c_iflag |= libc::IUTF8 };
    // SAFETY: the structure outlives the call, which reads it.
    check(Stage::Terminal, unsafe {
        libc::ioctl(program, libc::TCSETS, modes.as_ptr())
    })?;
    Ok(Ends { master, program })
}

const DESCRIPTOR_BYTES: u32 = 4;
const _: () = assert!(size_of::<RawFd>() == DESCRIPTOR_BYTES as usize);

/// Tells the keeper that the command has executed, and gives it its end of the terminal.
pub(super) fn tell_with_terminal(report: RawFd, master: RawFd) -> Result<(), (Stage, c_int)> {
    let told = tell_with_descriptor(report, &Record::Started, master);
    told.map_err(|errno| (Stage::Terminal, errno))
}

/// Sends the keeper a record and a descriptor; the errno if that failed.
pub(super) fn tell_with_descriptor(
    report: RawFd,
    record: &Record,
    descriptor: RawFd,
) -> Result<(), c_int> {
    // Room for one header and one descriptor, aligned as headers are.
    let mut control = [0_u64; 4];
    let mut bytes: [u8; RECORD_BYTES] = record.encode();
    let mut part = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast::<c_void>(),
        iov_len: RECORD_BYTES,
    };
    let mut message = std::mem::MaybeUninit::<libc::msghdr>::zeroed();
    let message = message.as_mut_ptr();
    // SAFETY: computes a size.
    let space = unsafe { libc::CMSG_SPACE(DESCRIPTOR_BYTES) };
    // SAFETY: computes a size.
    let length = unsafe { libc::CMSG_LEN(DESCRIPTOR_BYTES) };
    // SAFETY: all zeroes is a valid message, and it is ours; the same for the lines below.
    unsafe { (*message).msg_iov = &raw mut part };
    // SAFETY: as above.
    unsafe { (*message).msg_iovlen = 1 };
    // SAFETY: as above.
    unsafe { (*message).msg_control = control.as_mut_ptr().cast::<c_void>() };
    // SAFETY: as above; the space is smaller than the array.
    unsafe { (*message).msg_controllen = space as _ };
    // SAFETY: the message has room for a header.
    let header = unsafe { libc::CMSG_FIRSTHDR(message) };
    if header.is_null() {
        return Err(libc::EMSGSIZE);
    }
    // SAFETY: the header lies in the array; the same for the lines below.
    unsafe { (*header).cmsg_level = libc::SOL_SOCKET };
    // SAFETY: as above.
    unsafe { (*header).cmsg_type = libc::SCM_RIGHTS };
    // SAFETY: as above.
    unsafe { (*header).cmsg_len = length as _ };
    // SAFETY: the data follow the header in the array.
    let data = unsafe { libc::CMSG_DATA(header) };
    // SAFETY: there is room for one descriptor, aligned or not.
    unsafe { data.cast::<RawFd>().write_unaligned(descriptor) };
    // SAFETY: everything the message points to outlives the call.
    let sent = unsafe { libc::sendmsg(report, message, libc::MSG_NOSIGNAL) };
    if sent == -1 {
        return Err(errno());
    }
    Ok(())
}
