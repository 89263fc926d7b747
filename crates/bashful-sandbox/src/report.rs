//! What the first process of a run tells its keeper, and how a keeper reads it.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use crate::launch::Stage;
use crate::{ExitStatus, Usage};

/// One message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Record {
    /// The command has executed.
    Started,
    /// It has not, because of this step and errno.
    Failed(Stage, i32),
    /// It has ended.
    Ended {
        /// As `wait` tells it.
        status: i32,
        /// Nobody else is left.
        alone: bool,
        cpu_us: u64,
        max_rss_kib: u64,
    },
}

pub(crate) const RECORD_BYTES: usize = 32;

impl Record {
    /// Without allocation: this runs between clone and exec.
    pub(crate) fn encode(&self) -> [u8; RECORD_BYTES] {
        let (kind, first, second, third, fourth) = match *self {
            Self::Started => (1, 0, 0, 0, 0),
            Self::Failed(stage, errno) => (2, stage.number(), errno, 0, 0),
            Self::Ended {
                status,
                alone,
                cpu_us,
                max_rss_kib,
            } => (3, status, i32::from(alone), cpu_us, max_rss_kib),
        };
        let mut bytes = [0; RECORD_BYTES];
        let fields: [(usize, &[u8]); 5] = [
            (0, &i32::to_ne_bytes(kind)),
            (4, &first.to_ne_bytes()),
            (8, &second.to_ne_bytes()),
            (16, &third.to_ne_bytes()),
            (24, &fourth.to_ne_bytes()),
        ];
        for (at, field) in fields {
            for (target, source) in bytes.iter_mut().skip(at).zip(field) {
                *target = *source;
            }
        }
        bytes
    }

    fn decode(bytes: &[u8; RECORD_BYTES]) -> Option<Self> {
        let small = |at: usize| Some(i32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let large = |at: usize| Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        Some(match small(0)? {
            1 => Self::Started,
            2 => Self::Failed(Stage::from_number(small(4)?)?, small(8)?),
            3 => Self::Ended {
                status: small(4)?,
                alone: small(8)? != 0,
                cpu_us: large(16)?,
                max_rss_kib: large(24)?,
            },
            _ => return None,
        })
    }
}

/// How the command of a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code or signal.
    pub status: ExitStatus,
    /// No other process of the run is left.
    pub alone: bool,
    /// What the run used so far.
    pub usage: Usage,
}

/// The keeper's end of the line to a run's first process.
#[derive(Debug)]
pub struct Report {
    socket: OwnedFd,
}

impl Report {
    pub(crate) fn new(socket: OwnedFd) -> Self {
        Self { socket }
    }

    /// Waits until the command has executed, or has not; the keeper's end of its terminal, if
    /// it has one.
    pub(crate) fn await_start(
        &self,
        patience: Duration,
    ) -> Result<Option<OwnedFd>, (Stage, io::Error)> {
        let lost = |kind: io::ErrorKind| (Stage::Report, io::Error::from(kind));
        let patience = Timespec {
            tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: patience.subsec_nanos().into(),
        };
        loop {
            let mut wait = [PollFd::new(&self.socket, PollFlags::IN)];
            match poll(&mut wait, Some(&patience)) {
                Ok(0) => return Err(lost(io::ErrorKind::TimedOut)),
                Ok(_) => break,
                Err(rustix::io::Errno::INTR) => {}
                Err(errno) => return Err((Stage::Report, errno.into())),
            }
        }
        let (record, terminal) = self.first();
        match record {
            Some(Record::Started) => Ok(terminal),
            Some(Record::Failed(stage, errno)) => Err((stage, io::Error::from_raw_os_error(errno))),
            // It died before it could say anything: somebody killed it.
            _ => Err(lost(io::ErrorKind::UnexpectedEof)),
        }
    }

    /// Waits until the command has ended; none if its first process died before.
    pub(crate) fn wait(&self) -> io::Result<Option<Ended>> {
        loop {
            let mut wait = [PollFd::new(&self.socket, PollFlags::IN)];
            match poll(&mut wait, None) {
                Ok(_) => return Ok(self.ended()),
                Err(rustix::io::Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    /// How the command ended, if that was told.
    pub fn ended(&self) -> Option<Ended> {
        let Some(Record::Ended {
            status,
            alone,
            cpu_us,
            max_rss_kib,
        }) = self.next()
        else {
            return None;
        };
        Some(Ended {
            status: ExitStatus::from_wait(status),
            alone,
            usage: Usage {
                cpu: Duration::from_micros(cpu_us),
                max_rss_kib,
            },
        })
    }

    /// The first record, and the descriptor that came with it.
    fn first(&self) -> (Option<Record>, Option<OwnedFd>) {
        let mut bytes = [0; RECORD_BYTES];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut slices = [IoSliceMut::new(&mut bytes)];
        let flags = RecvFlags::CMSG_CLOEXEC;
        let Ok(received) = recvmsg(&self.socket, &mut slices, &mut ancillary, flags) else {
            return (None, None);
        };
        let descriptor = ancillary.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
            _ => None,
        });
        let whole = received.bytes == RECORD_BYTES;
        let record = whole.then(|| Record::decode(&bytes)).flatten();
        (record, descriptor)
    }

    fn next(&self) -> Option<Record> {
        let mut bytes = [0; RECORD_BYTES];
        match rustix::io::read(&self.socket, &mut bytes) {
            Ok(RECORD_BYTES) => Record::decode(&bytes),
            _ => None,
        }
    }
}

impl AsFd for Report {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
