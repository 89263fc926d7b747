//! What the stub inside asks of the carrier outside: one message, with its streams beside it.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};

/// No request is longer.
const LONGEST: usize = 64 << 10;
/// The three streams, and where the answer goes.
pub(super) const STREAMS: usize = 4;

/// What is wanted.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Wish {
    /// What git asks of ssh.
    Ssh {
        /// Its words.
        words: Vec<String>,
        /// The version of git's protocol, if git names one.
        protocol: Option<String>,
    },
    /// What git asks of a helper for credentials.
    Credential {
        /// What it is given to read.
        about: String,
    },
}

/// A wish with the streams of who has it.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) wish: Wish,
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
    /// Where the code goes that the stub ends with.
    pub(super) answer: OwnedFd,
}

/// Sends a wish with these streams.
pub(super) fn send(
    channel: BorrowedFd<'_>,
    wish: &Wish,
    streams: [BorrowedFd<'_>; STREAMS],
) -> io::Result<()> {
    let bytes = serde_json::to_vec(wish)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(STREAMS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if bytes.len() > LONGEST || !control.push(SendAncillaryMessage::ScmRights(&streams)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let parts = [IoSlice::new(&bytes)];
    rustix::io::retry_on_intr(|| sendmsg(channel, &parts, &mut control, SendFlags::NOSIGNAL))?;
    Ok(())
}

/// What came over the channel.
#[derive(Debug)]
pub(super) enum Received {
    Request(Box<Request>),
    /// It makes no sense.
    Nonsense,
    /// The last process that could send anything is gone.
    End,
}

/// Waits for the next request.
pub(super) fn receive(channel: impl AsFd) -> io::Result<Received> {
    let mut bytes = vec![0; LONGEST];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(STREAMS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let message = rustix::io::retry_on_intr(|| {
        let mut parts = [IoSliceMut::new(&mut bytes)];
        let flags = RecvFlags::CMSG_CLOEXEC;
        recvmsg(channel.as_fd(), &mut parts, &mut control, flags)
    })?;
    let mut streams = Vec::new();
    for part in control.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = part {
            streams.extend(descriptors);
        }
    }
    if message.bytes == 0 {
        return Ok(Received::End);
    }
    let cut = message
        .flags
        .intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC);
    let wish = bytes.get(..message.bytes).filter(|_| !cut);
    let wish = wish.and_then(|bytes| serde_json::from_slice(bytes).ok());
    let streams: Result<[OwnedFd; STREAMS], _> = streams.try_into();
    Ok(match (wish, streams) {
        (Some(wish), Ok([stdin, stdout, stderr, answer])) => Received::Request(Box::new(Request {
            wish,
            stdin,
            stdout,
            stderr,
            answer,
        })),
        _ => Received::Nonsense,
    })
}
