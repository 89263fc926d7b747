//! Lines of JSON over a unix socket, with descriptors beside them.

use std::io;
use std::io::IoSlice;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};

/// No line may be longer: the longest command fits many times.
const LONGEST_LINE: usize = 32 << 20;
/// How many descriptors one read takes in.
const MOST_DESCRIPTORS: usize = 8;

/// Sends bytes, with these descriptors beside the first of them; how many bytes
/// were taken. On a blocking socket call it again for the rest, without the descriptors.
pub fn send_line(
    socket: BorrowedFd<'_>,
    bytes: &[u8],
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<usize> {
    let mut space =
        [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let sent = rustix::io::retry_on_intr(|| {
        rustix::net::sendmsg(
            socket,
            &[IoSlice::new(bytes)],
            &mut control,
            SendFlags::NOSIGNAL,
        )
    })?;
    Ok(sent)
}

/// What arrived and was not read as a line yet.
#[derive(Debug, Default)]
pub struct LineBuffer {
    bytes: Vec<u8>,
    /// Before this no line ends.
    searched: usize,
    descriptors: Vec<OwnedFd>,
}

impl LineBuffer {
    /// Reads once from the socket; how many bytes arrived, zero at its end.
    pub fn fill(&mut self, socket: impl AsFd) -> io::Result<usize> {
        if self.bytes.len() > LONGEST_LINE {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a line is too long",
            ));
        }
        let mut space =
            [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let start = self.bytes.len();
        self.bytes.resize(start + READ_BYTES, 0);
        let received = rustix::io::retry_on_intr(|| {
            rustix::net::recvmsg(
                socket.as_fd(),
                &mut [io::IoSliceMut::new(&mut self.bytes[start..])],
                &mut control,
                RecvFlags::CMSG_CLOEXEC,
            )
        });
        self.bytes
            .truncate(start + received.as_ref().map_or(0, |message| message.bytes));
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(fds) = message {
                self.descriptors.extend(fds);
            }
        }
        Ok(received?.bytes)
    }

    /// The next whole line, without its end.
    pub fn line(&mut self) -> Option<Vec<u8>> {
        let end = self.bytes[self.searched..]
            .iter()
            .position(|&byte| byte == b'\n');
        let Some(end) = end else {
            self.searched = self.bytes.len();
            return None;
        };
        let mut line: Vec<u8> = self.bytes.drain(..=self.searched + end).collect();
        line.pop();
        self.searched = 0;
        Some(line)
    }

    /// The next descriptor that arrived.
    pub fn descriptor(&mut self) -> Option<OwnedFd> {
        (!self.descriptors.is_empty()).then(|| self.descriptors.remove(0))
    }
}

const READ_BYTES: usize = 16 << 10;
