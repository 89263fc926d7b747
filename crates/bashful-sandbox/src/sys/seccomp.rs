//! Installing a system call filter.

use std::ffi::c_int;
use std::io;
use std::marker::PhantomData;
use std::mem::offset_of;

use crate::seccomp::Instruction;

#[cfg(test)]
mod tests;

// The kernel reads our instructions as its own.
const _: () = assert!(
    size_of::<Instruction>() == size_of::<libc::sock_filter>()
        && align_of::<Instruction>() >= align_of::<libc::sock_filter>()
        && offset_of!(Instruction, code) == offset_of!(libc::sock_filter, code)
        && offset_of!(Instruction, jt) == offset_of!(libc::sock_filter, jt)
        && offset_of!(Instruction, jf) == offset_of!(libc::sock_filter, jf)
        && offset_of!(Instruction, k) == offset_of!(libc::sock_filter, k)
);

/// A filter prepared for [`Program::install`], in a process that may not allocate.
#[derive(Clone, Copy)]
pub(crate) struct Program<'a> {
    raw: libc::sock_fprog,
    instructions: PhantomData<&'a [Instruction]>,
}

impl<'a> Program<'a> {
    /// Refers to these instructions; an error if they are more than can be counted.
    pub(crate) fn new(instructions: &'a [Instruction]) -> io::Result<Self> {
        let len = u16::try_from(instructions.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        // The field is not const in libc, but the kernel only reads.
        let filter = instructions.as_ptr().cast_mut().cast::<libc::sock_filter>();
        Ok(Self {
            raw: libc::sock_fprog { len, filter },
            instructions: PhantomData,
        })
    }

    /// Filters the calls of this thread, and of what it will start, from now on and for
    /// ever. The errno if the kernel refuses, `EACCES` if the thread could gain
    /// privileges: "no new privileges" must be set before.
    ///
    /// One system call that neither allocates nor locks: good for a child between clone
    /// and exec. Speculation stays as the kernel has it for all processes (no flags).
    pub(crate) fn install(&self) -> Result<(), c_int> {
        self.install_with(0).map(drop)
    }

    /// The same; the kernel makes a listener for calls that the filter gives notice of. Once
    /// the listener has heard of a call, only the end of its process interrupts it.
    pub(crate) fn install_with_listener(&self) -> Result<c_int, c_int> {
        let flags =
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
        self.install_with(flags)
    }

    /// The same; the kernel writes refusals of this filter into its own record.
    pub(crate) fn install_with_record(&self) -> Result<(), c_int> {
        self.install_with(libc::SECCOMP_FILTER_FLAG_LOG).map(drop)
    }

    fn install_with(&self, flags: libc::c_ulong) -> Result<c_int, c_int> {
        // SAFETY: the program points to as many instructions as it says, which the borrow
        // keeps alive; the kernel copies them and keeps no pointer.
        let outcome = unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                flags,
                &raw const self.raw,
            )
        };
        match c_int::try_from(outcome) {
            Ok(descriptor) if descriptor >= 0 => return Ok(descriptor),
            _ => {}
        }
        Err(io::Error::last_os_error()
            .raw_os_error()
            .unwrap_or(libc::EIO))
    }
}

/// Whether this kernel filters system calls for us. Nothing is filtered by asking.
pub(crate) fn is_offered() -> bool {
    let action: u32 = libc::SECCOMP_RET_ERRNO;
    // SAFETY: the action outlives the call, which only reads it.
    let outcome = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_GET_ACTION_AVAIL,
            0_u32,
            &raw const action,
        )
    };
    outcome == 0
}
