//! A run in a room: from a launch to its first process, and to its end.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::{Pid, Signal, pidfd_open, pidfd_send_signal};

use super::{BuildError, Room};
use crate::ExitStatus;
use crate::cgroup::{Cgroup, CgroupError, shared_groups};
use crate::connects::{Connects, Neighbour};
use crate::launch::{Launch, LaunchError, Stage};
use crate::notices::Notices;
use crate::plan::Plan;
use crate::report::{Report, Start};
use crate::seccomp::NoticeOptions;
use crate::survey::Identity;
use crate::sys::init;
use crate::sys::memory::take_back_pages;
use crate::sys::seccomp::Program;
use crate::sys::wait::reap;
use crate::terminal::Terminal;
use crate::tree::{Process, Reach, Status, signal_process};
use crate::understudy::{Heard, Line};
use crate::wrapped::WrapperError;

/// A first process that says nothing for this long will not start anything.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// Why a run did not start in a room.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecError {
    /// Its template could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Its control group could not be made.
    #[error("cannot make the control group of a run")]
    Group(#[source] io::Error),
    /// The run itself did not start.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The wrapper program did not start the run.
    #[error(transparent)]
    Wrapper(#[from] WrapperError),
}

impl From<CgroupError> for ExecError {
    fn from(error: CgroupError) -> Self {
        Self::Group(error.into())
    }
}

/// A run in a room.
#[derive(Debug)]
pub struct Confined {
    /// Its first process, a child of ours. When it ends, so does everything in the run.
    pub init: i32,
    /// Where it reports.
    pub report: Report,
    /// The line to what becomes its command, if that was made ahead of time.
    pub(super) line: Option<Line>,
    /// It has executed, or never will.
    is_decided: bool,
    pub(super) program: PathBuf,
    pub(crate) group: Option<Cgroup>,
    pub(super) terminal: Option<Terminal>,
    /// The first process inside, where a wrapper program stands before it.
    pub(crate) inner: Option<Process>,
    /// What the run runs into, where the kernel reports that.
    pub notices: Option<Notices>,
    /// Which calls are to be reported.
    pub(crate) noticing: Option<NoticeOptions>,
    /// A directory that it may write though its plan does not say so.
    pub(crate) own: Option<PathBuf>,
    /// Whose sockets it may connect to, until it is listened to.
    neighbour: Option<Neighbour>,
}

impl Room {
    /// Starts a command as the room was planned.
    pub fn exec(&mut self, launch: Launch) -> Result<Confined, ExecError> {
        let plan = Rc::clone(&self.plan);
        let mut confined = self.start(&plan, launch)?;
        confined.await_start()?;
        Ok(confined)
    }

    /// Starts a command by another plan of the same network and identity, without
    /// waiting until it has executed: ask [`Confined::await_start`].
    pub fn start(&mut self, plan: &Rc<Plan>, launch: Launch) -> Result<Confined, ExecError> {
        self.start_after(plan, launch, || Ok(()))
    }

    /// The same; what is told has executed nothing before `ready` has returned, and does not if it
    /// fails. What was made ahead of time gets its order before.
    pub fn start_after<E: From<ExecError>>(
        &mut self,
        plan: &Rc<Plan>,
        launch: Launch,
        ready: impl FnOnce() -> Result<(), E>,
    ) -> Result<Confined, E> {
        let index = self.template(plan).map_err(ExecError::from)?;
        self.plan = Rc::clone(plan);
        self.refresh_copies(plan).map_err(ExecError::from)?;
        if let Some((user, group)) = outside_identity(plan) {
            launch
                .give_streams(user, group)
                .map_err(|error| failure(&launch, Stage::Descriptors, error).into())
                .map_err(|error: ExecError| E::from(error))?;
        }
        // The one that waits has given up the right to mount terminals of its own.
        if launch.wants_terminal().is_none()
            && let Some(told) = self.use_waiting(plan, &launch)
        {
            return match ready() {
                Ok(()) => Ok(told.go()),
                Err(error) => {
                    self.dismiss(told);
                    Err(error)
                }
            };
        }
        ready()?;
        let group = self.group_for(plan).map_err(ExecError::from)?;
        let launched = self.launch(plan, index, launch, group, None);
        launched.map_err(E::from)
    }

    /// Makes the first process of a run.
    pub(super) fn launch(
        &mut self,
        plan: &Plan,
        index: usize,
        launch: Launch,
        group: Option<Cgroup>,
        line: Option<(Line, OwnedFd)>,
    ) -> Result<Confined, ExecError> {
        let program = launch.program().to_owned();
        let failed = |stage, error| failure(&launch, stage, error);
        let (report, theirs) = socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )
        .map_err(|errno| failed(Stage::Report, errno.into()))?;
        rustix::io::ioctl_fionbio(&report, true)
            .map_err(|errno| failed(Stage::Report, errno.into()))?;
        let directory = CString::new(launch.working_directory().as_os_str().as_bytes())
            .map_err(|error| failed(Stage::Strings, error.into()))?;
        let filter = Program::new(plan.filter.instructions())
            .map_err(|error| failed(Stage::Filter, error))?;
        let unheard = plan.unheard.as_ref();
        let unheard = unheard
            .map(|filter| Program::new(filter.instructions()))
            .transpose()
            .map_err(|error| failed(Stage::Filter, error))?;
        let noticing = plan.notices.as_ref();
        let number = init::fresh_number().map_err(|errno| failed(Stage::Filter, errno.into()))?;
        let notices = noticing.map(|noticing| noticing.filter.with_number(number));
        let notices = notices
            .as_deref()
            .map(Program::new)
            .transpose()
            .map_err(|error| failed(Stage::Filter, error))?;
        let recorded = self.is_recorded && noticing.is_some();
        let recorded = recorded
            .then(|| Program::new(plan.telling.instructions()))
            .transpose()
            .map_err(|error| failed(Stage::Filter, error))?;
        let mut namespaces = self.shared.namespaces();
        let template = self.templates.get(index);
        namespaces.extend(template.map(|template| template.mounts.as_raw_fd()));
        let room = init::Room {
            namespaces,
            groups: group
                .iter()
                .flat_map(Cgroup::join_descriptors)
                .map(raw)
                .collect(),
            unified: group
                .as_ref()
                .and_then(Cgroup::unified_directory)
                .map(|fd| fd.as_raw_fd()),
            identity: outside_identity(plan),
            ruleset: template
                .and_then(|template| template.ruleset.as_ref())
                .map(raw),
            filter: Some(filter),
            unheard,
            notices,
            number,
            recorded,
            landlock: plan.landlock,
            limits: plan.limits.iter().map(|limit| limit.as_raw()).collect(),
            directory,
            report: theirs.as_raw_fd(),
            terminal: launch.wants_terminal(),
            line: line.as_ref().map(|(_, theirs)| theirs.as_raw_fd()),
            outside: false,
            stack: std::ptr::null_mut(),
        };
        match launch.start_in(room) {
            Ok(init) => Ok(Confined {
                init,
                report: Report::new(report),
                line: line.map(|(ours, _)| ours),
                is_decided: false,
                program,
                group,
                terminal: None,
                inner: None,
                notices: None,
                noticing: noticing.map(|noticing| noticing.what),
                own: None,
                neighbour: self.neighbour(),
            }),
            Err(error) => {
                self.retire(group);
                Err(error.into())
            }
        }
    }

    /// The control group for a run, if it needs one.
    pub(super) fn group_for(&mut self, plan: &Plan) -> Result<Option<Cgroup>, CgroupError> {
        if plan.group == crate::Resources::default() {
            return Ok(None);
        }
        if let Some(first) = self.first_group.take() {
            if self
                .templates
                .first()
                .is_some_and(|first| first.plan.group == plan.group)
            {
                return Ok(Some(first));
            }
            self.retire(Some(first));
        }
        self.new_group(&plan.group).map(Some)
    }

    fn new_group(&mut self, limits: &crate::Resources) -> Result<Cgroup, CgroupError> {
        self.next_group += 1;
        let name = format!("{}-{}", self.number, self.next_group);
        // We may have been moved since.
        self.groups = shared_groups();
        self.groups.create(&name, limits)
    }

    /// Makes what the next run will need, and removes what past ones left. Worth
    /// calling when there is nothing else to do.
    pub fn prepare(&mut self) {
        self.builders.clear();
        for group in std::mem::take(&mut self.retired) {
            self.retire(Some(group));
        }
        if !std::mem::replace(&mut self.cleaned, true) {
            // What keepers left behind that were killed.
            self.groups.remove_abandoned();
        }
        if self.waiting.is_none() {
            self.prepare_waiting();
        }
        take_back_pages();
    }

    /// Whether the next run by the same plan gets into what was made ahead of time.
    pub fn is_prepared(&self) -> bool {
        self.waiting.is_some()
    }

    /// Whether [`Room::prepare`] has work to do.
    pub fn wants_preparing(&self) -> bool {
        !self.retired.is_empty()
            || !self.builders.is_empty()
            || (self.waiting.is_none() && self.may_wait)
    }

    /// Takes back what a run had, after its end; returns what is to be closed of it.
    pub fn release(&mut self, mut confined: Confined) -> Vec<OwnedFd> {
        self.retired.extend(confined.group.take());
        confined.into_descriptors()
    }

    pub(super) fn retire(&mut self, group: Option<Cgroup>) {
        if let Some(Err(group)) = group.map(Cgroup::remove) {
            self.retired.push(group);
        }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.dismiss_waiting();
        let first = self.first_group.take();
        for group in std::mem::take(&mut self.retired).into_iter().chain(first) {
            group.kill_and_remove();
        }
    }
}

impl Confined {
    /// A run that a wrapper program made a moment ago.
    pub(crate) fn new(init: i32, report: Report, program: &Path) -> Self {
        Self {
            init,
            report,
            line: None,
            is_decided: false,
            program: program.to_owned(),
            group: None,
            terminal: None,
            inner: None,
            notices: None,
            noticing: None,
            own: None,
            neighbour: None,
        }
    }

    /// It may execute when the engine says so. One that is gone is noticed when its start is heard.
    fn go(self) -> Self {
        if let Some(line) = &self.line {
            let _ = line.go();
        }
        self
    }

    /// The first process in its namespaces: `init`, unless a wrapper program stands before.
    pub fn first(&self) -> i32 {
        self.inner.map_or(self.init, |inner| inner.pid)
    }

    /// The first process inside, where a wrapper program stands before it.
    pub fn inner(&self) -> Option<Process> {
        self.inner
    }

    /// All of its processes that are not the command's doing, but ours or a wrapper's.
    pub fn own_processes(&self) -> Vec<i32> {
        let mut own = vec![self.init];
        if let Some(inner) = self.inner {
            own.push(inner.pid);
            own.extend(Status::of(inner.pid).map(|status| status.parent));
        }
        own
    }

    /// Waits until the first process is ready for its order.
    pub(crate) fn await_ready(&self, patience: Duration) -> Result<(), LaunchError> {
        let ready = self.report.await_ready(patience);
        ready.map_err(|(stage, source)| LaunchError {
            stage,
            program: self.program.clone(),
            source,
        })
    }

    /// Waits until the command has executed. On an error nothing of it is left.
    pub fn await_start(&mut self) -> Result<(), LaunchError> {
        loop {
            if let Some(outcome) = self.hear_start() {
                return outcome;
            }
            let said = match &self.line {
                Some(line) => line.await_word(PATIENCE),
                None => self.report.await_word(PATIENCE),
            };
            if let Err(failed) = said {
                return Err(self.did_not_start(failed));
            }
        }
    }

    /// How its start went, once that is known: returned once. On an error nothing of it is left.
    pub fn hear_start(&mut self) -> Option<Result<(), LaunchError>> {
        while !self.is_decided {
            match self.hear_word() {
                Ok(None) => return None,
                Ok(Some(Heard::Listening(listener))) => self.listen(listener),
                Ok(Some(Heard::Ready)) => {}
                Ok(Some(Heard::Executed)) => {
                    self.is_decided = true;
                    self.line = None;
                    return Some(Ok(()));
                }
                Err(failed) => return Some(Err(self.did_not_start(failed))),
            }
        }
        None
    }

    fn hear_word(&mut self) -> Result<Option<Heard>, (Stage, io::Error)> {
        if let Some(line) = &mut self.line {
            return line.hear();
        }
        Ok(Some(match self.report.next_of_start()? {
            None => return Ok(None),
            Some(Start::Executed(terminal)) => {
                self.terminal = terminal.map(Terminal::from_run);
                Heard::Executed
            }
            Some(Start::Listening(listener)) => Heard::Listening(listener),
            // It was killed before it could say anything.
            Some(Start::Closed) => {
                return Err((Stage::Report, io::ErrorKind::UnexpectedEof.into()));
            }
            Some(_) => return Err((Stage::Report, io::ErrorKind::InvalidData.into())),
        }))
    }

    /// From here on the keeper hears of its calls.
    pub(super) fn listen(&mut self, listener: OwnedFd) {
        let own = self.own.take();
        let what = self.noticing;
        let connects = self.neighbour.take().map(Connects::new);
        self.notices = what.map(|what| Notices::new(listener, what, own, connects));
    }

    fn did_not_start(&mut self, (stage, source): (Stage, io::Error)) -> LaunchError {
        self.is_decided = true;
        self.line = None;
        self.kill();
        let _ = reap(self.init);
        LaunchError {
            stage,
            program: self.program.clone(),
            source,
        }
    }

    /// The line on which its start is reported, if that is not the report.
    pub fn line(&self) -> Option<BorrowedFd<'_>> {
        self.line.as_ref().map(AsFd::as_fd)
    }

    /// The keeper's end of its terminal, once it has started.
    pub fn take_terminal(&mut self) -> Option<Terminal> {
        self.terminal.take()
    }

    /// What is open of it.
    pub(crate) fn into_descriptors(self) -> Vec<OwnedFd> {
        let listener = self.notices.map(Notices::into_listener);
        [Some(self.report.into()), listener]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Ends everything in it at once.
    pub fn kill(&self) {
        // A wrapper ends when all that it wraps has, which is when we want to hear of it.
        if let Some(inner) = self.inner
            && signal_process(inner, Signal::KILL) == Reach::Delivered
        {
            return;
        }
        if let Some(pid) = Pid::from_raw(self.init)
            && let Ok(pidfd) = pidfd_open(pid, rustix::process::PidfdFlags::empty())
        {
            let _ = pidfd_send_signal(pidfd, Signal::KILL);
        }
    }

    /// Waits for the command's end, and ends and reaps what is left of the run.
    pub fn wait(mut self) -> io::Result<ExitStatus> {
        let ended = self.report.wait(self.notices.as_mut())?;
        self.kill();
        reap(self.init)?;
        if let Some(group) = &self.group {
            group.kill();
        }
        let status = ended.map_or(ExitStatus::Signal(libc::SIGKILL), |ended| ended.status);
        if let Some(group) = self.group {
            let mut group = Some(group);
            for _ in 0..200 {
                match group.take().map(Cgroup::remove) {
                    Some(Err(busy)) => group = Some(busy),
                    _ => break,
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        Ok(status)
    }

    /// How much processor time it has used, where a group counts that.
    pub fn cpu_time(&self) -> Option<Duration> {
        self.group.as_ref()?.events().cpu_time
    }
}

/// User and group of the command, where a user namespace does not settle them.
pub(crate) fn outside_identity(plan: &Plan) -> Option<(u32, u32)> {
    match plan.identity {
        Identity::Owner { user, group } => Some((user, group)),
        Identity::Mapped { user } => Some((user, user)),
        Identity::Own { .. } | Identity::SingleId { .. } => None,
    }
}

fn failure(launch: &Launch, stage: Stage, source: io::Error) -> LaunchError {
    LaunchError {
        stage,
        program: launch.program().to_owned(),
        source,
    }
}

fn raw(fd: &OwnedFd) -> RawFd {
    fd.as_raw_fd()
}
