//! How a program of ours begins, without what the standard library does before `main`.
//!
//! Before `main` it reads `/proc/self/maps` to find the end of the stack, and gets a second stack
//! ready, all to print a line when the first one overflows: a fortieth of what a short run takes.
//! Here such a process dies without that line, by the same fault of the kernel's guard pages.

use std::io::{self, Write};
use std::os::fd::{BorrowedFd, IntoRawFd};
use std::panic::catch_unwind;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// What a process exits with after a panic, as every Rust program does.
const PANICKED: u8 = 101;

/// Makes a function the program's `main`: it returns the code to exit with. The program has
/// `#![no_main]`.
#[macro_export]
macro_rules! main_is {
    ($main:path) => {
        // SAFETY: a program has one `main`, and the linker would refuse a second.
        #[unsafe(no_mangle)]
        extern "C" fn main(_count: i32, arguments: *const usize) -> i32 {
            // SAFETY: the number of arguments lies before the pointers to them, which is what a C
            // library gives to `main`.
            unsafe { $crate::hand_over_call(arguments.wrapping_sub(1)) };
            $crate::begin($main)
        }

        // Where the executable begins, if it is linked with `-e bashful_start`: see `front.rs`. The
        // stack is as the kernel left it, and what comes next must find it so.
        #[cfg(target_arch = "x86_64")]
        core::arch::global_asm!(
            ".globl bashful_start",
            "bashful_start:",
            "mov rdi, rsp",
            "push rdx",
            "sub rsp, 8",
            "call {front}",
            "add rsp, 8",
            "pop rdx",
            "jmp _start",
            front = sym $crate::hand_over_call,
        );
    };
}

/// Hands a call to a resident process, if there is one that takes it, and does not return then.
///
/// # Safety
///
/// `stack` is the stack as the kernel left it for a program that begins.
#[doc(hidden)]
pub unsafe extern "C" fn hand_over_call(stack: *const usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: what the caller promises.
    unsafe {
        super::front::hand_over(stack);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = stack;
}

/// Runs the program's own main function; returns the code that the process ends with.
pub fn begin(main: fn() -> u8) -> i32 {
    // Without a stream in its place, a file that is opened later would be taken for it.
    let code = match fill_standard_streams() {
        Ok(()) => catch_unwind(|| {
            super::signals::ignore_closed_pipes();
            main()
        })
        .unwrap_or(PANICKED),
        Err(_) => PANICKED,
    };
    // No other code writes out what was printed last, and no reader is left to hear of a failure.
    let _ = io::stdout().flush();
    code.into()
}

/// Opens `/dev/null` for each of the descriptors 0, 1 and 2 that is closed.
fn fill_standard_streams() -> io::Result<()> {
    // SAFETY: only looked at, and the kernel says of a closed one that it is.
    let streams = [0, 1, 2].map(|number| unsafe { BorrowedFd::borrow_raw(number) });
    let mut streams = streams
        .each_ref()
        .map(|stream| PollFd::new(stream, PollFlags::empty()));
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut streams, Some(&now))?;
    for stream in &streams {
        if stream.revents().contains(PollFlags::NVAL) {
            // The lowest number that is free, which is this one; it stays open.
            let null = std::fs::File::options()
                .read(true)
                .write(true)
                .open("/dev/null")?;
            keep_across_exec(null)?;
        }
    }
    Ok(())
}

fn keep_across_exec(file: std::fs::File) -> io::Result<()> {
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty())?;
    let _ = file.into_raw_fd();
    Ok(())
}
