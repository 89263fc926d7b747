//! Runs inside a wrapper program: the same plan, put in place by `bwrap` or `firejail`, or
//! by no program where Landlock alone holds a run.
//!
//! ```text
//! keeper ──► bwrap ──► first process ──► command
//!    │       builds    of ours, in the   as in a room
//!    └──── socket ────┘ program's tree
//! ```
//!
//! The program makes the namespaces and the file tree, and then executes our own first
//! process. That one says that it is ready. Now the keeper compares what is in place with
//! what was planned, since the program knows paths only, and a path can lead elsewhere by
//! now. Then it tells the first process what to start. So exit codes, signals, terminals,
//! limits and Landlock are as in a room of our own.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IoSlice, Read, Seek, SeekFrom, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use rustix::fs::{MemfdFlags, Mode, OFlags, memfd_create, openat};
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
    sendmsg, socketpair,
};

mod bubblewrap;
mod compare;
mod error;
mod firejail;
mod groups;
mod place;
mod program;
mod walls;

pub use error::WrapperError;
use error::own;
use groups::Groups;
use place::Place;
pub use place::remove_abandoned;
pub use program::{TRUSTED_DIRECTORIES, WrapperProgram};
use walls::Ours;

use crate::backend::Backend;
use crate::cgroup::Cgroup;
use crate::launch::{FIRST_INHERITED, Launch, MOST_TOLD, Stage};
use crate::order::{MOST_WITH_SETUP, Setup};
use crate::plan::{Entry, Plan, Right};
use crate::profile::Network;
use crate::report::Report;
use crate::room::{Confined, ExecError, landlock_ruleset, outside_identity};
use crate::sys::first::{FIRST_ARGUMENT, own_executable};
use crate::tree::{Process, children};

/// The numbers of what is passed to the wrapper; the first is where we report.
const EXECUTABLE: i32 = FIRST_INHERITED + 1;
const ARGUMENTS: i32 = FIRST_INHERITED + 2;
const FILTER: i32 = FIRST_INHERITED + 3;

/// A program that builds for longer than this will not start anything.
const PATIENCE: Duration = Duration::from_secs(10);
/// No more of what it complains about is passed on than this, in bytes.
const MOST_WORDS: u64 = 2048;

/// What the runs of a session share that are wrapped by a program: a directory.
#[derive(Debug)]
pub struct Wrapped {
    backend: Backend,
    /// None where we need no program: Landlock alone.
    program: Option<WrapperProgram>,
    network: Network,
    place: Place,
    /// The plan that was used last.
    plan: Rc<Plan>,
    /// Whether the directory has what that plan needs.
    is_filled: bool,
    /// The keeper reads what the kernel records.
    is_recorded: bool,
    groups: Groups,
}

impl Wrapped {
    /// Gets ready for runs by this plan. `directory` is made, and goes with this.
    pub fn open(plan: &Rc<Plan>, directory: &Path) -> Result<Self, WrapperError> {
        let backend = plan.backend();
        let program = match backend {
            Backend::Landlock => None,
            _ => Some(find_wrapper(backend)?),
        };
        Ok(Self {
            backend,
            program,
            network: plan.network,
            place: Place::make(directory, plan.identity)?,
            plan: Rc::clone(plan),
            is_filled: false,
            is_recorded: false,
            groups: Groups::default(),
        })
    }

    /// Has the kernel record what it refuses its runs, for a keeper that reads the record with
    /// [`crate::Audit`].
    pub fn record_refusals(&mut self) {
        self.is_recorded = true;
    }

    /// The backend that wraps its runs.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// The network that its runs have.
    pub fn network(&self) -> Network {
        self.network
    }

    /// Whether a run by this plan may come in.
    pub fn fits(&self, plan: &Plan) -> bool {
        self.backend == plan.backend()
            && self.network == plan.network
            && self.plan.identity == plan.identity
    }

    /// Starts a command by this plan, without waiting until it has executed: ask
    /// [`Confined::await_start`].
    pub fn start(&mut self, plan: &Rc<Plan>, launch: &Launch) -> Result<Confined, ExecError> {
        if self.program.as_ref().is_some_and(|it| !it.is_unchanged()) {
            self.program = Some(find_wrapper(self.backend)?);
        }
        if !self.is_filled || !Rc::ptr_eq(&self.plan, plan) {
            self.place.fill(plan)?;
            if self.backend == Backend::Firejail {
                self.place.write_profile(&firejail::profile(plan)?)?;
            }
            self.plan = Rc::clone(plan);
            self.is_filled = true;
        }
        if let Some((user, group)) = outside_identity(plan) {
            launch
                .give_streams(user, group)
                .map_err(own("give away the streams of", launch.program()))?;
        }
        let group = self.groups.take(plan)?;
        match self.start_in(plan, launch, group.as_ref()) {
            Ok(mut confined) => {
                confined.noticing = plan.notices.as_ref().map(|noticing| noticing.what);
                confined.group = group;
                Ok(confined)
            }
            Err(error) => {
                self.groups.retire(group);
                Err(error)
            }
        }
    }

    fn start_in(
        &self,
        plan: &Plan,
        launch: &Launch,
        group: Option<&Cgroup>,
    ) -> Result<Confined, ExecError> {
        let (report, theirs) = socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )
        .map_err(self.failed("make a line to"))?;
        rustix::io::ioctl_fionbio(&report, true).map_err(self.failed("make a line to"))?;
        let complaints = memory(&[]).map_err(self.failed("listen to"))?;
        let mut wrapper = self
            .launch()
            .stderr(complaints.try_clone().map_err(self.failed("listen to"))?)
            .new_session()
            .dies_with_caller()
            .wrapper()
            .pass(theirs)
            .pass(own_executable().map_err(self.failed("pass ourselves to"))?);
        let mut planned = None;
        if let (Backend::Bubblewrap, Some(program)) = (self.backend, &self.program) {
            planned = Some(compare::Planned::of(plan, &self.place)?);
            let words = bubblewrap::arguments(plan, &self.place, program);
            wrapper = wrapper
                .pass(memory(&joined(&words)).map_err(self.failed("tell"))?)
                .pass(memory(&plan.filter.to_bytes()).map_err(self.failed("tell"))?);
        }
        for members in group
            .map(members)
            .transpose()
            .map_err(self.failed("limit"))?
            .into_iter()
            .flatten()
        {
            wrapper = wrapper.group(members);
        }
        let init = wrapper.start().map_err(|error| match error.stage {
            // It is the program that cannot be executed, and not what was asked for.
            Stage::Execute => ExecError::from(self.failed("execute")(error.source)),
            _ => error.into(),
        })?;
        let mut confined = Confined::new(init, Report::new(report), launch.program());
        let told = self.tell(plan, launch, planned.as_ref(), &mut confined);
        told.map_err(|error| {
            confined.kill();
            let _ = crate::sys::wait::reap(init);
            match (error, complaint(complaints)) {
                // It has ended instead of starting us, and says why.
                (ExecError::Launch(_), Some(words)) => WrapperError::Failed {
                    backend: self.backend,
                    words,
                }
                .into(),
                (error, _) => error,
            }
        })?;
        Ok(confined)
    }

    /// Waits until everything is in place, looks whether it is, and says what to start.
    fn tell(
        &self,
        plan: &Plan,
        launch: &Launch,
        planned: Option<&compare::Planned>,
        confined: &mut Confined,
    ) -> Result<(), ExecError> {
        // All that can be done while the program builds.
        let ours = self
            .program
            .as_ref()
            .map(|_| Ours::look(plan))
            .transpose()?;
        // In its tree our first process is not the first, or there is no tree.
        let is_outside = self.backend != Backend::Bubblewrap;
        let noticing = plan.notices.as_ref();
        let filters = [
            is_outside.then_some(&plan.filter),
            noticing.map(|noticing| &noticing.filter),
            noticing.filter(|_| self.is_recorded).map(|_| &plan.telling),
        ];
        let order = launch.order().map(|mut order| {
            if is_outside {
                order.environment.extend(self.place.variable());
            }
            order.encode()
        });
        let order = order.ok_or(io::ErrorKind::InvalidInput);
        let order = order
            .map_err(io::Error::from)
            .and_then(|order| memory(&order))
            .map_err(self.failed("tell"))?;
        let told = filters.into_iter().flatten();
        let told: Result<Vec<_>, _> = told.map(|one| memory(&one.to_bytes())).collect();
        let told = told.map_err(self.failed("tell"))?;
        confined.await_ready(PATIENCE)?;
        confined.inner = match self.backend {
            Backend::Native | Backend::Landlock => None,
            Backend::Bubblewrap => only_child(confined.init),
            Backend::Firejail => only_child(confined.init).and_then(|child| only_child(child.pid)),
        };
        if let Some(ours) = ours {
            ours.check(confined.first())?;
        }
        let root = compare::root_of(confined.first())?;
        let mut own_rules = Vec::new();
        if let Some(planned) = planned {
            planned.compare(&root)?;
        } else {
            // There the directory is where it is.
            confined.own = Some(self.place.tmp());
            for right in [Right::Read, Right::Write, Right::Execute] {
                own_rules.push((self.place.tmp(), right));
            }
        }
        let ruleset = landlock_ruleset(plan, &own_rules, root.as_fd())?;
        let setup = Setup {
            identity: outside_identity(plan),
            terminal: launch.wants_terminal(),
            ruleset: ruleset.is_some(),
            filters: filters.map(|filter| filter.is_some()),
            landlock: plan.landlock,
            outside: is_outside,
            limits: plan.limits.iter().map(|limit| limit.as_numbers()).collect(),
        };
        let mut descriptors = vec![order.as_fd()];
        descriptors.extend(ruleset.as_ref().map(AsFd::as_fd));
        descriptors.extend(told.iter().map(AsFd::as_fd));
        descriptors.extend(launch.descriptors());
        let mut space =
            [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_WITH_SETUP + MOST_TOLD))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        let message = setup.encode();
        sendmsg(
            &confined.report,
            &[IoSlice::new(&message)],
            &mut ancillary,
            flags,
        )
        .map_err(self.failed("tell"))?;
        Ok(())
    }

    /// The program with the same flags around another command, and without us: what the
    /// backend is measured against.
    #[doc(hidden)]
    pub fn plain(&self, plan: &Plan, command: &[&str]) -> Result<Launch, WrapperError> {
        self.place.fill(plan)?;
        let (Backend::Bubblewrap, Some(program)) = (self.backend, &self.program) else {
            return Err(WrapperError::Missing { name: "bwrap" });
        };
        let words = bubblewrap::arguments(plan, &self.place, program);
        let given = [
            Vec::new(),
            Vec::new(),
            joined(&words),
            plan.filter.to_bytes(),
        ];
        let mut launch = bubblewrap::around(program, command);
        for bytes in given {
            launch = launch.pass(memory(&bytes).map_err(self.failed("tell"))?);
        }
        Ok(launch)
    }

    /// What is started: the program, or without one our own first process.
    fn launch(&self) -> Launch {
        match (&self.program, self.backend) {
            (Some(program), Backend::Firejail) => firejail::launch(program, &self.place),
            (Some(program), _) => bubblewrap::launch(program),
            (None, _) => Launch::new(format!("/proc/self/fd/{EXECUTABLE}"), "bashful-first")
                .argument(FIRST_ARGUMENT),
        }
    }

    /// Turns an error into one about what is started.
    fn failed<E: Into<io::Error>>(&self, doing: &'static str) -> impl FnOnce(E) -> WrapperError {
        own(doing, self.path())
    }

    fn path(&self) -> &Path {
        let program = self.program.as_ref();
        program.map_or(Path::new("/proc/self/exe"), |program| &program.path)
    }

    /// Takes back what a run had, after its end.
    pub fn release(&mut self, mut confined: Confined) -> Vec<OwnedFd> {
        self.groups.take_back(confined.group.take());
        confined.into_descriptors()
    }

    /// Removes what past runs left in the kernel, and makes what the next will need.
    pub fn prepare(&mut self) {
        self.groups.prepare(&self.plan);
    }

    /// Whether [`Wrapped::prepare`] has work to do.
    pub fn wants_preparing(&self) -> bool {
        self.groups.want_preparing(&self.plan)
    }
}

/// The wrapper program of this backend: there, trusted, and new enough.
pub fn find_wrapper(backend: Backend) -> Result<WrapperProgram, WrapperError> {
    match backend {
        Backend::Bubblewrap => bubblewrap::find(),
        Backend::Firejail => firejail::find(),
        Backend::Native | Backend::Landlock => Err(WrapperError::Missing {
            name: backend.as_str(),
        }),
    }
}

/// The first child of a process, which has no other.
fn only_child(pid: i32) -> Option<Process> {
    children(pid).first().copied().and_then(Process::find)
}

/// Files through which a process joins this group.
fn members(group: &Cgroup) -> io::Result<Vec<OwnedFd>> {
    let mut files = Vec::new();
    for tasks in group.join_descriptors() {
        files.push(tasks.try_clone()?);
    }
    if let Some(directory) = group.unified_directory() {
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        files.push(openat(directory, "cgroup.procs", flags, Mode::empty())?);
    }
    Ok(files)
}

/// A file in memory with this in it, to be read from its beginning.
pub(crate) fn memory(bytes: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("bashful", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file.into())
}

fn joined(words: &[OsString]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for word in words {
        bytes.extend(word.as_bytes());
        bytes.push(0);
    }
    bytes
}

/// What the program complained about.
fn complaint(file: OwnedFd) -> Option<String> {
    let mut file = File::from(file);
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.take(MOST_WORDS).read_to_end(&mut bytes).ok()?;
    let words = String::from_utf8_lossy(&bytes).trim().to_owned();
    (!words.is_empty()).then_some(words)
}

/// Whether what is made here lies in a part of the tree that is the run's own, and not in
/// one of the host's, where we make nothing.
fn is_own(path: &Path, before: &[Entry]) -> bool {
    let above = before.iter().rev().find(|entry| {
        let has_content = !matches!(
            entry,
            Entry::Directory { .. } | Entry::Link { .. } | Entry::Pin { .. }
        );
        has_content && path != entry.path() && path.starts_with(entry.path())
    });
    matches!(
        above,
        None | Some(Entry::Private { .. } | Entry::HideDirectory { .. })
    )
}
