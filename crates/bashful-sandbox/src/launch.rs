//! The one door to spawn: every process that Bashful starts is a [`Launch`].

use std::ffi::{CString, NulError, OsStr};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::Mark;
use crate::order::Order;
use crate::sys::init::Room;
use crate::sys::limits::OpenFiles;
use crate::sys::spawn::{Prepared, spawn};
use crate::terminal::TerminalSize;

/// The number of the first descriptor that [`Launch::inherit`] passes on. It is low enough for
/// a small limit of open files, and out of the way of what shells use themselves.
pub const FIRST_INHERITED: i32 = 58;

/// How many descriptors [`Launch::inherit`] passes on.
pub const MOST_INHERITED: usize = 4;

/// How many there is room for, for a command as for a wrapper program.
pub(crate) const PLACES: usize = 4;

/// How many descriptors come with an order: the order itself, the streams, what is inherited, and
/// the one that releases it.
pub(crate) const MOST_TOLD: usize = 5 + MOST_INHERITED;

/// A process about to start.
///
/// It begins with an empty environment, default signal actions, an empty signal mask, and no
/// descriptors but 0, 1 and 2 and those it is to inherit. What is not set here is not passed on.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a thing of its own that a process is given or not"
)]
pub struct Launch {
    program: PathBuf,
    arguments: Vec<Vec<u8>>,
    environment: Vec<Vec<u8>>,
    directory: PathBuf,
    standard: [Option<OwnedFd>; 3],
    inherited: Vec<OwnedFd>,
    mark: Option<Mark>,
    open_files: Option<OpenFiles>,
    new_session: bool,
    dies_with_caller: bool,
    /// Its standard input becomes its controlling terminal.
    takes_terminal: bool,
    /// It gets a terminal of its room.
    room_terminal: Option<TerminalSize>,
    /// It wraps a run, and outlives the signal by which the run is asked to end.
    is_wrapper: bool,
    /// Files of control groups that it joins before it executes.
    groups: Vec<OwnedFd>,
    /// It executes when the engine writes a byte to the other end of this.
    release: Option<OwnedFd>,
}

impl Launch {
    /// A launch of the program at this path; `name` becomes its argument zero.
    pub fn new(program: impl Into<PathBuf>, name: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.into(),
            arguments: vec![name.as_ref().as_bytes().to_vec()],
            environment: Vec::new(),
            directory: PathBuf::from("/"),
            standard: [None, None, None],
            inherited: Vec::new(),
            mark: None,
            open_files: None,
            new_session: false,
            dies_with_caller: false,
            takes_terminal: false,
            room_terminal: None,
            is_wrapper: false,
            groups: Vec::new(),
            release: None,
        }
    }

    /// Has it execute only after the engine writes a byte to the other end of this, and never if
    /// that is closed without one. Not for [`Launch::start`], which waits until it has executed.
    #[must_use]
    pub fn held_by(mut self, release: OwnedFd) -> Self {
        self.release = Some(release);
        self
    }

    /// The error for a process that was never told to execute.
    pub fn was_not_released(&self) -> LaunchError {
        LaunchError {
            stage: Stage::Release,
            program: self.program.clone(),
            source: io::Error::from_raw_os_error(libc::ECANCELED),
        }
    }

    /// Adds one argument.
    #[must_use]
    pub fn argument(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().as_bytes().to_vec());
        self
    }

    /// Adds one environment variable.
    #[must_use]
    pub fn variable(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        let (name, value) = (name.as_ref().as_bytes(), value.as_ref().as_bytes());
        self.environment.push([name, b"=", value].concat());
        self
    }

    /// The directory it starts in; `/` unless given.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = directory.into();
        self
    }

    /// Its standard input; `/dev/null` unless given.
    #[must_use]
    pub fn stdin(mut self, fd: OwnedFd) -> Self {
        self.standard[0] = Some(fd);
        self
    }

    /// Its standard output; `/dev/null` unless given.
    #[must_use]
    pub fn stdout(mut self, fd: OwnedFd) -> Self {
        self.standard[1] = Some(fd);
        self
    }

    /// Its standard error; `/dev/null` unless given.
    #[must_use]
    pub fn stderr(mut self, fd: OwnedFd) -> Self {
        self.standard[2] = Some(fd);
        self
    }

    /// Gives it one more descriptor: the first becomes [`FIRST_INHERITED`], the next follow. No
    /// more than [`MOST_INHERITED`] are passed on.
    #[must_use]
    pub fn inherit(mut self, fd: OwnedFd) -> Self {
        if self.inherited.len() < MOST_INHERITED {
            self.inherited.push(fd);
        }
        self
    }

    /// The same for a wrapper program, of which it is known what it does with them.
    #[must_use]
    pub(crate) fn pass(mut self, fd: OwnedFd) -> Self {
        self.inherited.push(fd);
        self
    }

    /// Marks it and all its descendants, see [`Mark`].
    #[must_use]
    pub fn mark(mut self, mark: Mark) -> Self {
        self.mark = Some(mark);
        self
    }

    /// Gives it these limits on open files instead of ours.
    #[must_use]
    pub fn open_files(mut self, limit: OpenFiles) -> Self {
        self.open_files = Some(limit);
        self
    }

    /// Makes it the leader of a new session, away from any terminal of ours.
    #[must_use]
    pub fn new_session(mut self) -> Self {
        self.new_session = true;
        self
    }

    /// Sits it at this terminal, in a new session: all three streams, and what controls it.
    pub fn terminal(mut self, terminal: OwnedFd) -> io::Result<Self> {
        self.standard = [
            Some(terminal.try_clone()?),
            Some(terminal.try_clone()?),
            Some(terminal),
        ];
        self.takes_terminal = true;
        self.new_session = true;
        Ok(self)
    }

    /// The same with a new terminal that its own run alone knows; for a launch into a room.
    /// The other end comes with [`crate::Confined::take_terminal`].
    #[must_use]
    pub fn room_terminal(mut self, size: TerminalSize) -> Self {
        self.room_terminal = Some(size);
        self.new_session = true;
        self
    }

    /// The terminal that it is to get from its room.
    pub(crate) fn wants_terminal(&self) -> Option<TerminalSize> {
        self.room_terminal
    }

    /// Has the kernel kill it when the calling *thread* ends.
    #[must_use]
    pub fn dies_with_caller(mut self) -> Self {
        self.dies_with_caller = true;
        self
    }

    /// Makes it deaf to polite requests to end, which are for what it wraps.
    #[must_use]
    pub(crate) fn wrapper(mut self) -> Self {
        self.is_wrapper = true;
        self
    }

    /// Has it join a control group before it executes.
    #[must_use]
    pub(crate) fn group(mut self, members: OwnedFd) -> Self {
        self.groups.push(members);
        self
    }

    /// Starts it and returns its process id, which stays valid until it is reaped.
    pub fn start(self) -> Result<i32, LaunchError> {
        self.start_with(None)
    }

    /// Starts it in a room and returns the id of the run's first process.
    pub(crate) fn start_in(self, room: Room<'_>) -> Result<i32, LaunchError> {
        self.start_with(Some(room))
    }

    /// Gives its standard streams to another user where they are pipes without a name:
    /// `/dev/stderr` opens them anew, and then their owner counts.
    pub(crate) fn give_streams(&self, user: u32, group: u32) -> io::Result<()> {
        const PIPES: u64 = 0x5049_5045;
        for stream in self.standard.iter().flatten() {
            let about = rustix::fs::fstatfs(stream)?;
            if u64::try_from(about.f_type).is_ok_and(|kind| kind == PIPES) {
                let user = rustix::fs::Uid::from_raw(user);
                let group = rustix::fs::Gid::from_raw(group);
                rustix::fs::fchown(stream, Some(user), Some(group))?;
            }
        }
        Ok(())
    }

    /// Where it is to start.
    pub(crate) fn working_directory(&self) -> &Path {
        &self.directory
    }

    /// What is to start.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// What to start, as data; none if that is not possible.
    pub(crate) fn order(&self) -> Option<Order> {
        let strings = |list: &[Vec<u8>]| -> Option<Vec<CString>> {
            let string = |bytes: &Vec<u8>| CString::new(bytes.clone()).ok();
            list.iter().map(string).collect()
        };
        Some(Order {
            program: c_path(&self.program).ok()?,
            directory: c_path(&self.directory).ok()?,
            arguments: strings(&self.arguments)?,
            environment: strings(&self.environment)?,
            mark: self.mark.map(Mark::value),
            open_files: self.open_files.map(|limit| (limit.soft, limit.hard)),
            new_session: self.new_session,
            streams: self.standard.each_ref().map(Option::is_some),
            inherited: self.inherited.len().min(MOST_INHERITED) as u64,
            is_held: self.release.is_some(),
        })
    }

    /// Its standard streams, as far as they were given, what it inherits besides, and the
    /// descriptor that releases it.
    pub(crate) fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        let streams = self.standard.iter().flatten();
        let inherited = self.inherited.iter().take(MOST_INHERITED);
        let all = streams.chain(inherited).chain(&self.release);
        all.map(AsFd::as_fd).collect()
    }

    fn start_with(self, room: Option<Room<'_>>) -> Result<i32, LaunchError> {
        let program = self.program.clone();
        let failed = |stage| {
            let program = program.clone();
            move |source: io::Error| LaunchError {
                stage,
                program,
                source,
            }
        };
        let directory = match &room {
            // A room has directories of its own, and one of ours must not leak into it.
            Some(_) => None,
            None => Some(
                open_directory(&self.directory)
                    .and_then(|fd| above_standard(Some(fd)))
                    .map_err(failed(Stage::Directory))?,
            ),
        };
        let stream = |fd: Option<OwnedFd>| match (fd, &room) {
            (None, Some(_)) => Ok(None),
            (fd, _) => above_standard(fd)
                .map(Some)
                .map_err(failed(Stage::Descriptors)),
        };
        let [stdin, stdout, stderr] = self.standard.map(stream);
        let mut inherited = [const { None }; PLACES];
        for (place, fd) in inherited.iter_mut().zip(self.inherited) {
            *place = Some(above_standard(Some(fd)).map_err(failed(Stage::Descriptors))?);
        }
        let strings = |list: Vec<Vec<u8>>| -> Result<Vec<CString>, NulError> {
            list.into_iter().map(CString::new).collect()
        };
        let invalid = |error: NulError| failed(Stage::Strings)(error.into());
        let mut prepared = Prepared {
            program: c_path(&self.program).map_err(invalid)?,
            arguments: strings(self.arguments).map_err(invalid)?,
            environment: strings(self.environment).map_err(invalid)?,
            directory,
            standard: [stdin?, stdout?, stderr?],
            inherited,
            mark: self.mark.map(Mark::value),
            open_files: self.open_files,
            new_session: self.new_session,
            takes_terminal: self.takes_terminal || self.room_terminal.is_some(),
            dies_with_caller: self.dies_with_caller,
            is_wrapper: self.is_wrapper,
            groups: self.groups,
            release: self.release,
            room,
        };
        spawn(&mut prepared).map_err(|(stage, error)| failed(stage)(error))
    }
}

fn open_directory(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

fn c_path(path: &Path) -> Result<CString, NulError> {
    CString::new(path.as_os_str().as_bytes())
}

/// The descriptor, or `/dev/null`, under a number above 2: a host may have closed
/// its own standard streams, and then ours would sit where the child's go.
fn above_standard(fd: Option<OwnedFd>) -> io::Result<OwnedFd> {
    use std::os::fd::AsRawFd;
    let fd = match fd {
        Some(fd) => fd,
        None => rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?,
    };
    if fd.as_raw_fd() > 2 {
        return Ok(fd);
    }
    Ok(rustix::io::fcntl_dupfd_cloexec(&fd, 3)?)
}

/// The step of a launch that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// An argument, a variable or the path held a NUL byte.
    Strings,
    /// The kernel made no new process.
    Clone,
    /// The new session or the tie to the caller.
    Session,
    /// The resource limits.
    Limits,
    /// The standard streams.
    Descriptors,
    /// Entering the working directory.
    Directory,
    /// Executing the program.
    Execute,
    /// Entering the room's namespaces.
    Namespaces,
    /// Joining the control group.
    Group,
    /// Mounting `/proc`.
    Proc,
    /// Giving up rights.
    Rights,
    /// Restricting file access with Landlock.
    Landlock,
    /// Installing the system call filter.
    Filter,
    /// Hearing from the first process of the run.
    Report,
    /// Making its terminal.
    Terminal,
    /// Waiting for the engine's word that it may execute.
    Release,
}

const STAGES: [Stage; 16] = [
    Stage::Strings,
    Stage::Clone,
    Stage::Session,
    Stage::Limits,
    Stage::Descriptors,
    Stage::Directory,
    Stage::Execute,
    Stage::Namespaces,
    Stage::Group,
    Stage::Proc,
    Stage::Rights,
    Stage::Landlock,
    Stage::Filter,
    Stage::Report,
    Stage::Terminal,
    Stage::Release,
];

impl Stage {
    /// A number for the report of a run's first process.
    pub(crate) fn number(self) -> i32 {
        self as i32
    }

    pub(crate) fn from_number(number: i32) -> Option<Self> {
        STAGES.get(usize::try_from(number).ok()?).copied()
    }

    fn doing(self) -> &'static str {
        match self {
            Self::Strings => "pass a NUL byte to",
            Self::Clone => "make a process for",
            Self::Session => "start a session for",
            Self::Limits => "limit",
            Self::Descriptors => "open the standard streams of",
            Self::Directory => "enter the working directory of",
            Self::Execute => "execute",
            Self::Namespaces => "enter the namespaces for",
            Self::Group => "join the control group for",
            Self::Proc => "mount /proc for",
            Self::Rights => "give up rights for",
            Self::Landlock => "restrict the files of",
            Self::Filter => "filter the system calls of",
            Self::Terminal => "make the terminal of",
            Self::Report => "hear from the first process of",
            Self::Release => "wait for the word to execute",
        }
    }
}

/// A process that did not start. Nothing is left of it.
#[derive(Debug, thiserror::Error)]
#[error("cannot {} `{}`", stage.doing(), program.display())]
pub struct LaunchError {
    /// The step that failed.
    pub stage: Stage,
    /// The program that was to start.
    pub program: PathBuf,
    /// What the kernel said.
    #[source]
    pub source: io::Error,
}
