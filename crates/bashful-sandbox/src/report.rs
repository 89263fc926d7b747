//! What the first process of a run reports to its keeper, and how a keeper reads it.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use crate::launch::Stage;
use crate::notices::Notices;
use crate::{ExitStatus, Usage};

/// One message from a first process to its keeper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Record {
    /// Everything is in place, and the first process waits for its order.
    Ready,
    /// The command has executed.
    Started,
    /// A listener for its calls comes with this.
    Listening,
    /// From here on the command executes.
    Released,
    /// It has not, because of this step and errno.
    Failed(Stage, i32),
    /// It has ended.
    Ended {
        /// The status as `wait` gives it.
        status: i32,
        /// No other process of the run is left.
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
            Self::Ready => (4, 0, 0, 0, 0),
            Self::Started => (1, 0, 0, 0, 0),
            Self::Listening => (5, 0, 0, 0, 0),
            Self::Released => (6, 0, 0, 0, 0),
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
            4 => Self::Ready,
            5 => Self::Listening,
            6 => Self::Released,
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

/// What a keeper hears about a start.
#[derive(Debug)]
pub(crate) enum Start {
    /// The first process waits for its order.
    Ready,
    /// By this descriptor the keeper hears of the run's calls.
    Listening(OwnedFd),
    /// From here on the command executes.
    Released,
    /// The command has executed; the keeper's end of its terminal, if it has one.
    Executed(Option<OwnedFd>),
    /// No more will come: the first process has gone.
    Closed,
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

    /// What the first process says next about a start; none if it has said nothing so far.
    pub(crate) fn next_of_start(&self) -> Result<Option<Start>, (Stage, io::Error)> {
        Ok(Some(match self.receive() {
            Err(rustix::io::Errno::AGAIN) => return Ok(None),
            Err(errno) => return Err((Stage::Report, errno.into())),
            Ok(None) => Start::Closed,
            Ok(Some((Record::Ready, _))) => Start::Ready,
            Ok(Some((Record::Listening, Some(listener)))) => Start::Listening(listener),
            Ok(Some((Record::Released, _))) => Start::Released,
            Ok(Some((Record::Started, terminal))) => Start::Executed(terminal),
            Ok(Some((Record::Failed(stage, errno), _))) => {
                return Err((stage, io::Error::from_raw_os_error(errno)));
            }
            Ok(Some(_)) => return Err((Stage::Report, io::ErrorKind::InvalidData.into())),
        }))
    }

    /// Waits until the first process says a word or can say no more; an error after this time.
    pub(crate) fn await_word(&self, patience: Duration) -> Result<(), (Stage, io::Error)> {
        match self.await_line(Some(patience), None) {
            Ok(true) => Ok(()),
            Ok(false) => Err((Stage::Report, io::ErrorKind::TimedOut.into())),
            Err(error) => Err((Stage::Report, error)),
        }
    }

    /// Waits until a first process is ready for its order.
    pub(crate) fn await_ready(&self, patience: Duration) -> Result<(), (Stage, io::Error)> {
        self.await_word(patience)?;
        match self.next_of_start()? {
            Some(Start::Ready) => Ok(()),
            // It was killed before it could say anything.
            Some(Start::Closed) => Err((Stage::Report, io::ErrorKind::UnexpectedEof.into())),
            _ => Err((Stage::Report, io::ErrorKind::InvalidData.into())),
        }
    }

    /// Waits until the command has ended; none if its first process died before.
    pub(crate) fn wait(&self, notices: Option<&mut Notices>) -> io::Result<Option<Ended>> {
        self.await_line(None, notices)?;
        Ok(self.ended())
    }

    /// Waits until the first process says a word or can say no more; false if the time is over.
    fn await_line(
        &self,
        patience: Option<Duration>,
        mut notices: Option<&mut Notices>,
    ) -> io::Result<bool> {
        let patience = patience.map(|patience| Timespec {
            tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: patience.subsec_nanos().into(),
        });
        loop {
            let mut wait = vec![PollFd::new(&self.socket, PollFlags::IN)];
            if let Some(notices) = &notices {
                wait.push(PollFd::from_borrowed_fd(notices.as_fd(), PollFlags::IN));
                let clock = notices.clock();
                wait.extend(clock.map(|it| PollFd::from_borrowed_fd(it, PollFlags::IN)));
            }
            match poll(&mut wait, patience.as_ref()) {
                Ok(0) => return Ok(false),
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
            let mut told = wait.iter().map(PollFd::revents);
            if told.next().is_some_and(|told| !told.is_empty()) {
                return Ok(true);
            }
            let told = told.fold(PollFlags::empty(), PollFlags::union);
            notices = match notices {
                Some(notices) if told.contains(PollFlags::IN) => {
                    notices.let_all_go_on();
                    Some(notices)
                }
                // No process is left that could call.
                Some(_) if !told.is_empty() => None,
                same => same,
            };
        }
    }

    /// How the command ended, if the first process reported it.
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

    /// A record, and the descriptor that came with it; none if no process is there to say more.
    fn receive(&self) -> rustix::io::Result<Option<(Record, Option<OwnedFd>)>> {
        let mut bytes = [0; RECORD_BYTES];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut slices = [IoSliceMut::new(&mut bytes)];
        let flags = RecvFlags::CMSG_CLOEXEC;
        let received = match recvmsg(&self.socket, &mut slices, &mut ancillary, flags) {
            // It went away without having read all that the keeper sent.
            Err(rustix::io::Errno::CONNRESET) => return Ok(None),
            received => received?,
        };
        let descriptor = ancillary.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
            _ => None,
        });
        let whole = received.bytes == RECORD_BYTES;
        let record = whole.then(|| Record::decode(&bytes)).flatten();
        Ok(record.map(|record| (record, descriptor)))
    }

    fn next(&self) -> Option<Record> {
        let mut bytes = [0; RECORD_BYTES];
        match rustix::io::read(&self.socket, &mut bytes) {
            Ok(RECORD_BYTES) => Record::decode(&bytes),
            _ => None,
        }
    }
}

impl From<Report> for OwnedFd {
    fn from(report: Report) -> Self {
        report.socket
    }
}

impl AsFd for Report {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
