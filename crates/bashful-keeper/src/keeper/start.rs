//! Starting a command, and taking over what one left behind.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::Instant;

use bashful_sandbox::{Launch, LaunchError, MOST_INHERITED, Mark, PlanError, Stage};
use rustix::event::epoll::EventFlags;
use rustix::io::Errno;

use super::census::Census;
use super::streams::{Streams, Theirs};
use super::{Keeper, Manner, Source, Spares};
use crate::input::Input;
use crate::log::LogWriter;
use crate::output::Output;
use crate::protocol::{Fault, FaultKind, Reply, Start};
use crate::rooms::{InRoom, Refusal};
use crate::run::{Beginning, Held, Parts, Run, now_ms};
use crate::spare::Spare;
use crate::task_directory::{
    Ending, Spec, TaskDirectory, TaskDirectoryError, TaskFiles, private_file,
};
use crate::task_id::TaskId;

impl Keeper {
    pub(super) fn start(&mut self, number: u64, start: Start, given: Given) {
        let id = start.spec.id.clone();
        // What becomes of it is said when that is known, see `hear_start`.
        let Err(fault) = self.try_start(number, start, given) else {
            return;
        };
        if let Some(connection) = self.connections.get_mut(&number) {
            connection.send(&Reply::Refused { id, fault });
        }
    }

    fn try_start(&mut self, number: u64, start: Start, mut given: Given) -> Result<(), Fault> {
        let asked = Instant::now();
        let state = self
            .state
            .clone()
            .ok_or_else(|| fault(FaultKind::Malformed, "no state directory", None))?;
        if self.ending {
            return Err(fault(FaultKind::Ending, start.spec.id.as_str(), None));
        }
        let directory = TaskDirectory::of(&state, &start.spec.id);
        let copy = given.copy.take();
        let mut files = None;
        let launched = match self.launch(&start, given, &directory, &mut files) {
            Ok(launched) => launched,
            Err(fault) => {
                // Nothing ran, so nothing is recorded.
                if files.is_some() {
                    directory.discard();
                }
                return Err(fault);
            }
        };
        let Some(mut files) = files else {
            return Err(fault(
                FaultKind::TaskDirectory,
                start.spec.id.as_str(),
                None,
            ));
        };
        // From here on the command starts by itself, while we get ready for its output.
        let log = files
            .log
            .take()
            .map_or_else(|| private_file().open(directory.log()), Ok);
        let log = LogWriter::new(
            log,
            directory.index(),
            copy,
            start.spec.log_quota,
            start.spec.keep_tail,
        );
        let runs_already = launched.place.is_none() && launched.held.is_none();
        let beginning = Beginning {
            asked_by: number,
            held: launched.held,
            input: start.input.0,
        };
        let parts = Parts {
            owner: (!start.detached).then_some(number),
            spec: start.spec,
            directory,
            claim: files.spec,
            mark: launched.mark,
            leader: launched.pid,
            init: launched.place.as_ref().map(|place| place.confined.init),
            command: launched.pid,
            place: launched.place,
            outputs: launched.outputs,
            input: launched.input,
            log,
            mask: start.mask,
            beginning: Some(beginning),
        };
        let number = self.admit(Run::new(parts, asked));
        if runs_already {
            self.has_begun(number);
        }
        Ok(())
    }

    /// The files of a new task: the spare ones, or new ones.
    fn task_files(
        spare: &mut Option<Spare>,
        directory: &TaskDirectory,
        spec: &Spec,
    ) -> Result<TaskFiles, TaskDirectoryError> {
        let spare = spare
            .take_if(|spare| spare.is_ready())
            .and_then(|spare| spare.become_task(directory));
        let mut files = match spare {
            Some(files) => files,
            None => directory.create()?,
        };
        directory
            .write_spec(&mut files, spec)
            .inspect_err(|_| directory.discard())?;
        Ok(files)
    }

    pub(super) fn take_descriptors(&mut self, number: u64, start: &Start) -> Result<Given, Fault> {
        let mut take = |wanted: bool| {
            if !wanted {
                return Ok(None);
            }
            let descriptor = self
                .connections
                .get_mut(&number)
                .and_then(super::Connection::descriptor);
            descriptor
                .map(Some)
                .ok_or_else(|| fault(FaultKind::Malformed, "a descriptor is missing", None))
        };
        let (stdin, copy) = (take(start.stdin)?, take(start.log_copy)?);
        let mut inherited = Vec::new();
        for _ in 0..start.inherited.min(MOST_INHERITED) {
            inherited.extend(take(true)?);
        }
        Ok(Given {
            stdin,
            copy: copy.map(File::from),
            inherited,
            release: take(start.held)?,
        })
    }

    /// Has everything ready for the command. The files of its task are there before it executes.
    fn launch(
        &mut self,
        start: &Start,
        given: Given,
        directory: &TaskDirectory,
        files: &mut Option<TaskFiles>,
    ) -> Result<Launched, Fault> {
        let resources =
            |subject: &str, errno: Option<i32>| fault(FaultKind::Resources, subject, errno);
        let mark = Mark::fresh().map_err(|error| resources("a mark", error.raw_os_error()))?;
        let name = start.arguments.first().map_or("", String::as_str);
        let mut launch = Launch::new(&start.program, name)
            .directory(&start.spec.cwd)
            .open_files(self.open_files)
            .new_session()
            .dies_with_caller();
        let streams = Streams::of(start, given.stdin).map_err(|error| {
            let what = if start.spec.terminal.is_some() {
                "a terminal"
            } else {
                "a pipe"
            };
            resources(what, error.raw_os_error())
        })?;
        let Streams {
            outputs,
            input,
            theirs,
        } = streams;
        launch = match theirs {
            Theirs::Pipes { stdin, rest } => {
                let [stdout, stderr] = rest;
                let launch = launch.stdout(stdout).stderr(stderr);
                match stdin {
                    Some(stdin) => launch.stdin(stdin),
                    None => launch,
                }
            }
            Theirs::Terminal(terminal) => launch
                .terminal(terminal)
                .map_err(|error| resources("a terminal", error.raw_os_error()))?,
            Theirs::RoomTerminal(size) => launch.room_terminal(size),
        };
        for descriptor in given.inherited {
            launch = launch.inherit(descriptor);
        }
        // Where the limit that carries marks is too low already, its processes are
        // told apart by their session.
        if mark.can_be_set() {
            launch = launch.mark(mark);
        }
        for argument in start.arguments.iter().skip(1) {
            launch = launch.argument(argument);
        }
        for (name, value) in &start.environment {
            launch = launch.variable(name, value);
        }
        // Whatever is started or made from here on stays where we are now.
        self.scope.settle();
        let mut make_files = |spare: &mut Option<Spare>| {
            Self::task_files(spare, directory, &start.spec).map(|made| *files = Some(made))
        };
        let (pid, place, held) = match &start.room {
            None => {
                make_files(&mut self.spare).map_err(|error| directory_fault(&error))?;
                // It is made when it may execute: who makes it waits until it has.
                if let Some(release) = given.release {
                    (None, None, Some(Held { launch, release }))
                } else {
                    let pid = launch
                        .start()
                        .map_err(|error| launch_fault(&error, &start.spec.cwd))?;
                    (Some(pid), None, None)
                }
            }
            Some(room) => {
                // What runs made meanwhile must not pass for the user's own.
                for run in self.runs.values_mut() {
                    run.hold_back();
                }
                self.open_audit();
                if let Some(release) = given.release {
                    launch = launch.held_by(release);
                }
                let spare = &mut self.spare;
                let ready = || make_files(spare).map_err(Refusal::Files);
                let place = self
                    .rooms
                    .start(room, launch, ready)
                    .map_err(|refusal| room_fault(&refusal, &start.spec.cwd))?;
                (Some(place.confined.init), Some(place), None)
            }
        };
        Ok(Launched {
            pid,
            place,
            held,
            mark,
            outputs,
            input,
        })
    }

    /// Takes a run into the loop.
    fn admit(&mut self, run: Run) -> u64 {
        // While this one runs there is time to prepare for the next.
        if self.spares != Spares::Unwanted {
            self.spares = Spares::Now;
        }
        let number = self.number();
        self.runs.insert(number, run);
        if !self.watch(number) {
            // A run whose output cannot be heard must not go on: it would hang.
            self.end(number, Ending::KeeperStopped, Manner::Now);
        }
        number
    }

    /// Hears of everything that a run does; false if something of it cannot be heard.
    fn watch(&self, number: u64) -> bool {
        let Some(run) = self.runs.get(&number) else {
            return true;
        };
        let line = run.begins_on();
        let report = run.place.as_ref().map(|place| &place.confined.report);
        let sentry = self.rooms.sentry().filter(|_| run.place.is_some());
        self.watch_outputs(number)
            && self.watch_begun(number)
            && line.is_none_or(|line| self.add(Source::Beginning(number), line, EventFlags::IN))
            && report.is_none_or(|line| self.add(Source::Report(number), line, EventFlags::IN))
            && sentry.is_none_or(|sentry| self.add(Source::Sentry, sentry, EventFlags::IN))
    }

    /// The same for what it prints.
    pub(super) fn watch_outputs(&self, number: u64) -> bool {
        let outputs = self.runs.get(&number).map(|run| &run.outputs);
        outputs.into_iter().flatten().all(|output| {
            let source = Source::Output(number, output.stream);
            let pipe = output.pipe();
            pipe.is_none_or(|pipe| self.add(source, pipe, EventFlags::IN))
        })
    }

    /// The same for what may be there only once it has begun: notices, and its mounts.
    pub(super) fn watch_begun(&self, number: u64) -> bool {
        let place = self.runs.get(&number).and_then(|run| run.place.as_ref());
        let notices = place.and_then(|place| place.confined.notices.as_ref());
        let mounts = place.and_then(InRoom::mounts);
        let gate = place.and_then(|place| Some((place.number(), self.rooms.gate(place.number())?)));
        gate.is_none_or(|(room, gate)| self.add(Source::Gate(room), gate, EventFlags::IN))
            && notices
                .is_none_or(|notices| self.add(Source::Notices(number), notices, EventFlags::IN))
            && mounts.is_none_or(|table| self.add(Source::Mounts(number), table, EventFlags::PRI))
    }

    fn add(&self, source: Source, fd: impl AsFd, flags: EventFlags) -> bool {
        self.events.watch(source, fd, flags).is_ok()
    }

    /// Makes a task of what the run with this number left behind.
    /// False if that failed and the run goes on until they are ended.
    pub(super) fn adopt(&mut self, number: u64, census: &Census) -> bool {
        let Some(run) = self.runs.get_mut(&number) else {
            return false;
        };
        let id = TaskId::fresh(run.spec.id.prefix());
        let spec = Spec {
            id: id.clone(),
            name: None,
            adopted_from: Some(run.spec.id.clone()),
            timeout_ms: None,
            warn_after_ms: None,
            created_at_ms: now_ms(),
            ..run.spec.clone()
        };
        let state = self.state.clone().unwrap_or_default();
        let Ok(heir) = Self::make_heir(&state, spec, run) else {
            // Not left unowned: what cannot be adopted is ended.
            self.end(number, Ending::Exited, Manner::Now);
            return false;
        };
        run.hand_over(&id, census.of(run.mark));
        let number = self.admit(heir);
        self.record_running(number);
        true
    }

    fn make_heir(state: &Path, spec: Spec, run: &mut Run) -> Result<Run, TaskDirectoryError> {
        let directory = TaskDirectory::of(state, &spec.id);
        let mut files = directory.create()?;
        directory.write_spec(&mut files, &spec)?;
        let log = LogWriter::new(
            private_file().open(directory.log()),
            directory.index(),
            None,
            spec.log_quota,
            spec.keep_tail,
        );
        let outputs = run.outputs.each_mut().map(Output::bequeath);
        let parts = Parts {
            spec,
            directory,
            claim: files.spec,
            mark: run.mark,
            leader: None,
            init: run.init.take(),
            command: None,
            place: run.bequeath_place(),
            owner: None,
            outputs,
            input: run.input.take().map(Input::unwatched),
            log,
            mask: run.mask.clone(),
            beginning: None,
        };
        Ok(Run::new(parts, Instant::now()))
    }
}

/// The descriptors that came with a start.
#[derive(Debug)]
pub(super) struct Given {
    stdin: Option<OwnedFd>,
    /// For a second copy of the log.
    copy: Option<File>,
    inherited: Vec<OwnedFd>,
    /// Where the engine says that the command may execute.
    release: Option<OwnedFd>,
}

/// A command that was started.
struct Launched {
    /// The command, or the first process of its room; none while it is held.
    pid: Option<i32>,
    place: Option<InRoom>,
    /// What is to start at a word of the engine.
    held: Option<Held>,
    mark: Mark,
    outputs: [Output; 2],
    input: Option<Input>,
}

/// Why a command got no place in a room.
fn room_fault(refusal: &Refusal, cwd: &Path) -> Fault {
    let sandbox = |text: String, source: &std::io::Error| {
        fault(FaultKind::Sandbox, &text, source.raw_os_error())
    };
    match refusal {
        Refusal::Survey(error) => sandbox(format!("cannot look at {error}"), error),
        Refusal::Plan(error) => Fault {
            short: match error {
                PlanError::Unenforceable { short, .. } => {
                    short.iter().map(|short| short.protection).collect()
                }
                _ => Vec::new(),
            },
            ..fault(FaultKind::Unenforceable, &error.to_string(), None)
        },
        Refusal::Build(error) => sandbox(error.to_string(), &error.source),
        Refusal::Group(error) => sandbox(format!("cannot make a control group: {error}"), error),
        Refusal::Launch(error) => launch_fault(error, cwd),
        Refusal::Wrapper(error) => fault(FaultKind::Sandbox, &chain(error), None),
        Refusal::Files(error) => directory_fault(error),
    }
}

/// An error with all that is behind it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

pub(super) fn fault(kind: FaultKind, subject: &str, errno: Option<i32>) -> Fault {
    Fault {
        kind,
        subject: subject.to_owned(),
        errno,
        short: Vec::new(),
    }
}

fn directory_fault(error: &TaskDirectoryError) -> Fault {
    fault(
        FaultKind::TaskDirectory,
        &error.path.to_string_lossy(),
        error.source.raw_os_error(),
    )
}

pub(super) fn launch_fault(error: &LaunchError, cwd: &Path) -> Fault {
    let errno = error.source.raw_os_error();
    let exhausted =
        [Errno::MFILE, Errno::NFILE, Errno::NOMEM].map(|errno| Some(errno.raw_os_error()));
    match error.stage {
        _ if exhausted.contains(&errno) => fault(FaultKind::Resources, "a process", errno),
        Stage::Directory => fault(FaultKind::WorkingDirectory, &cwd.to_string_lossy(), errno),
        Stage::Strings => fault(FaultKind::Malformed, "a NUL byte", errno),
        Stage::Namespaces
        | Stage::Group
        | Stage::Proc
        | Stage::Rights
        | Stage::Landlock
        | Stage::Filter
        | Stage::Terminal
        | Stage::Report
        | Stage::Release => fault(FaultKind::Sandbox, &error.to_string(), errno),
        Stage::Execute => fault(FaultKind::Execute, &error.program.to_string_lossy(), errno),
        _ => fault(FaultKind::Resources, "a process", errno),
    }
}
