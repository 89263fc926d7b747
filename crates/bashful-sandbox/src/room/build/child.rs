//! Working in a child and getting descriptors back.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions, pidfd_open, waitid};

use super::error::{BuildError, BuildStep, STEPS, at};
use crate::sys::fork::Fork;
use crate::sys::namespaces::{fork_into, leave};
use crate::sys::wait::reap;

/// A process that built a room or a template and ends by itself. It is waited for when this
/// goes: what a namespace's first process leaves takes the kernel a while to clear away, and
/// the keeper need not wait for that earlier.
#[derive(Debug)]
pub(in crate::room) struct Builder(OwnedFd);

impl Drop for Builder {
    fn drop(&mut self) {
        // A caller that reaps every child may have been faster; the number may belong to another
        // process by now, but not the descriptor.
        let _ = waitid(WaitId::PidFd(self.0.as_fd()), WaitIdOptions::EXITED);
    }
}

/// Does the work in a child and brings back the descriptors it made.
pub(in crate::room) fn in_child(
    flags: i32,
    work: impl FnOnce() -> Result<Vec<OwnedFd>, BuildError>,
) -> Result<(Vec<OwnedFd>, Builder), BuildError> {
    Working::begin(flags, work)?.finish()
}

/// A child that makes something meanwhile.
#[derive(Debug)]
pub(super) struct Working {
    pub(super) pid: i32,
    line: OwnedFd,
    builder: Builder,
}

impl Working {
    /// Has a child in these new namespaces begin.
    pub(super) fn begin(
        flags: i32,
        work: impl FnOnce() -> Result<Vec<OwnedFd>, BuildError>,
    ) -> Result<Self, BuildError> {
        let (ours, theirs) = socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )
        .map_err(at(BuildStep::Report, "socketpair"))?;
        match fork_into(flags).map_err(at(BuildStep::Namespaces, "clone"))? {
            Fork::Child => {
                drop(ours);
                // Modes are as written here, whatever the caller's mask.
                rustix::process::umask(rustix::fs::Mode::empty());
                // Whatever it reported or could not report, the parent notices.
                let _ = tell(&theirs, &work());
                leave(0)
            }
            Fork::Parent(pid) => {
                // It is a child of ours and not reaped, so the number is its own.
                let builder = Pid::from_raw(pid)
                    .ok_or(Errno::CHILD)
                    .and_then(|pid| pidfd_open(pid, PidfdFlags::empty()));
                match builder {
                    Ok(builder) => Ok(Self {
                        pid,
                        line: ours,
                        builder: Builder(builder),
                    }),
                    Err(errno) => {
                        drop((ours, theirs));
                        let _ = reap(pid);
                        Err(BuildError::new(BuildStep::Report, "pidfd", errno.into()))
                    }
                }
            }
        }
    }

    /// Waits for what it made.
    pub(super) fn finish(self) -> Result<(Vec<OwnedFd>, Builder), BuildError> {
        let made = hear(&self.line)?;
        Ok((made, self.builder))
    }
}

const MOST_DESCRIPTORS: usize = 16;

fn tell(socket: &OwnedFd, result: &Result<Vec<OwnedFd>, BuildError>) -> rustix::io::Result<usize> {
    let made = match result {
        Ok(made) => made.iter().map(AsFd::as_fd).collect(),
        Err(_) => Vec::new(),
    };
    let message = match result {
        Ok(_) => vec![u8::MAX],
        Err(error) => {
            let step = STEPS.iter().position(|step| *step == error.step);
            let mut message = vec![u8::try_from(step.unwrap_or(0)).unwrap_or(0)];
            message.extend(
                error
                    .source
                    .raw_os_error()
                    .unwrap_or(libc::EIO)
                    .to_ne_bytes(),
            );
            message.extend(error.path.as_os_str().as_bytes());
            message
        }
    };
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !made.is_empty() {
        ancillary.push(SendAncillaryMessage::ScmRights(&made));
    }
    sendmsg(
        socket,
        &[IoSlice::new(&message)],
        &mut ancillary,
        SendFlags::NOSIGNAL,
    )
}

fn hear(socket: &OwnedFd) -> Result<Vec<OwnedFd>, BuildError> {
    let mut message = vec![0; 8192];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = loop {
        let mut slices = [IoSliceMut::new(&mut message)];
        match recvmsg(socket, &mut slices, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Err(rustix::io::Errno::INTR) => {}
            received => break received.map_err(at(BuildStep::Report, ""))?,
        }
    };
    message.truncate(received.bytes);
    match message.split_first() {
        Some((&u8::MAX, _)) => {}
        Some((step, rest)) => {
            let step = STEPS.get(usize::from(*step)).copied();
            let (errno, path) = rest.split_at_checked(4).unwrap_or((&[0; 4], &[]));
            let errno = i32::from_ne_bytes(errno.try_into().unwrap_or_default());
            return Err(BuildError::new(
                step.unwrap_or(BuildStep::Report),
                std::ffi::OsString::from_vec(path.to_vec()),
                io::Error::from_raw_os_error(errno),
            ));
        }
        // It died in the middle.
        None => {
            return Err(BuildError::new(
                BuildStep::Report,
                "",
                io::ErrorKind::UnexpectedEof.into(),
            ));
        }
    }
    let made = ancillary
        .drain()
        .filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
            _ => None,
        })
        .flatten()
        .collect();
    Ok(made)
}
