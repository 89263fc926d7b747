//! Starting a command, and taking over what one left behind.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Instant;

use bashful_sandbox::{Launch, LaunchError, MOST_INHERITED, Mark, PlanError, Stage, children};
use rustix::event::epoll::{self, EventFlags};
use rustix::io::Errno;

use super::census::Census;
use super::streams::{self, Streams, Theirs};
use super::{Keeper, Manner, Source, Spares};
use crate::input::Input;
use crate::log::LogWriter;
use crate::output::Output;
use crate::protocol::{Fault, FaultKind, Reply, Start};
use crate::rooms::{InRoom, Refusal};
use crate::run::{Parts, Run, now_ms};
use crate::task_directory::{
    Ending, Spec, TaskDirectory, TaskDirectoryError, TaskFiles, private_file,
};
use crate::task_id::TaskId;

impl Keeper {
    pub(super) fn start(&mut self, number: u64, start: Start) {
        let id = start.spec.id.clone();
        let detached = start.detached;
        let reply = match self.try_start(number, start) {
            // Said a moment later, see `Run::due_start`; nobody listens to a detached one.
            Ok(_) if !detached => return,
            Ok(pid) => Reply::Started { id, pid },
            Err(fault) => Reply::Refused { id, fault },
        };
        if let Some(connection) = self.connections.get_mut(&number) {
            connection.send(&reply);
        }
    }

    fn try_start(&mut self, number: u64, start: Start) -> Result<i32, Fault> {
        let asked = Instant::now();
        // Descriptors are taken first, so that a refused start leaves none in the queue.
        let Given {
            stdin,
            copy,
            inherited,
        } = self.take_descriptors(number, &start)?;
        let state = self
            .state
            .clone()
            .ok_or_else(|| fault(FaultKind::Malformed, "no state directory", None))?;
        if self.ending {
            return Err(fault(FaultKind::Ending, start.spec.id.as_str(), None));
        }
        self.rooms.directory = state.join("rooms");
        let directory = TaskDirectory::of(&state, &start.spec.id);
        let mut files = self
            .task_files(&directory, &start.spec)
            .map_err(|error| directory_fault(&error))?;
        let launched = match self.launch(&start, stdin, inherited) {
            Ok(launched) => launched,
            Err(fault) => {
                // Nothing ran, so nothing is recorded.
                directory.discard();
                return Err(fault);
            }
        };
        let pid = launched.pid;
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
        let mut launched = launched;
        if let Some(place) = &mut launched.place
            && let Err(error) = place.await_start()
        {
            directory.discard();
            if let Some(place) = launched.place {
                self.rooms.give_back(place);
            }
            return Err(launch_fault(&error, &start.spec.cwd));
        }
        if let Some(terminal) = launched.place.as_mut().and_then(InRoom::take_terminal) {
            match streams::at_terminal(terminal, &start.mask) {
                Ok((outputs, input)) => {
                    launched.outputs = outputs;
                    launched.input = Some(input);
                }
                Err(error) => {
                    directory.discard();
                    if let Some(place) = launched.place {
                        place.confined.kill();
                        self.rooms.give_back(place);
                    }
                    let errno = error.raw_os_error();
                    return Err(fault(FaultKind::Resources, "a terminal", errno));
                }
            }
        }
        if let Some(input) = &mut launched.input {
            // More than fits was refused by the engine.
            let _ = input.push(&start.input.0, false);
        }
        // In a room the command is the only child of the first process so far.
        let command = match &launched.place {
            Some(place) => children(place.confined.first())
                .first()
                .copied()
                .unwrap_or(pid),
            None => pid,
        };
        let owner = (!start.detached).then_some(number);
        let parts = Parts {
            spec: start.spec,
            directory,
            claim: files.spec,
            mark: launched.mark,
            leader: Some(pid),
            init: launched.place.as_ref().map(|place| place.confined.init),
            command: Some(command),
            place: launched.place,
            owner,
            outputs: launched.outputs,
            input: launched.input,
            log,
            mask: start.mask,
        };
        let number = self.admit(Run::new(parts, asked));
        // Only now are the run's own mounts watched: what was torn off before shows in the
        // template that it is a copy of.
        if let Some(run) = self.runs.get_mut(&number)
            && let Some(place) = &run.place
            && self.rooms.lost_cover(place)
        {
            run.lost_cover(Instant::now());
        }
        Ok(command)
    }

    /// The files of a new task: the spare ones, or new ones.
    fn task_files(
        &mut self,
        directory: &TaskDirectory,
        spec: &Spec,
    ) -> Result<TaskFiles, TaskDirectoryError> {
        let spare = self
            .spare
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

    fn take_descriptors(&mut self, number: u64, start: &Start) -> Result<Given, Fault> {
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
        })
    }

    fn launch(
        &mut self,
        start: &Start,
        stdin: Option<OwnedFd>,
        inherited: Vec<OwnedFd>,
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
        let streams = Streams::of(start, stdin).map_err(|error| {
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
        for descriptor in inherited {
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
        let (pid, place) = match &start.room {
            None => {
                let pid = launch
                    .start()
                    .map_err(|error| launch_fault(&error, &start.spec.cwd))?;
                (pid, None)
            }
            Some(room) => {
                // What runs made meanwhile must not pass for the user's own.
                for run in self.runs.values_mut() {
                    run.hold_back();
                }
                self.open_audit();
                let place = self
                    .rooms
                    .start(room, launch)
                    .map_err(|refusal| room_fault(&refusal, &start.spec.cwd))?;
                (place.confined.init, Some(place))
            }
        };
        Ok(Launched {
            pid,
            place,
            mark,
            outputs,
            input,
        })
    }

    /// Takes a run into the loop.
    fn admit(&mut self, mut run: Run) -> u64 {
        // The command starts meanwhile. Should this fail, the lock says that it runs.
        let state = run.state(self.holder, self.socket_path());
        let _ = run.record(&state);
        // While this one runs there is time to prepare for the next.
        if self.spares == Spares::Later {
            self.spares = Spares::Now;
        }
        let number = self.number();
        let mut deaf = false;
        for output in &run.outputs {
            if let Some(pipe) = output.pipe() {
                let source = Source::Output(number, output.stream).encode();
                let watched = match epoll::add(&self.epoll, pipe, source, EventFlags::IN) {
                    // An adopted pipe is known already, under the old run's number.
                    Err(Errno::EXIST) => epoll::modify(&self.epoll, pipe, source, EventFlags::IN),
                    outcome => outcome,
                };
                deaf |= watched.is_err();
            }
        }
        if let Some(place) = &run.place {
            let (report, source) = (&place.confined.report, Source::Report(number).encode());
            let watched = match epoll::add(&self.epoll, report, source, EventFlags::IN) {
                // An adopted one was told already.
                Err(Errno::EXIST) => Ok(()),
                outcome => outcome,
            };
            deaf |= watched.is_err();
            if let Some(notices) = &place.confined.notices {
                let source = Source::Notices(number).encode();
                let watched = match epoll::add(&self.epoll, notices, source, EventFlags::IN) {
                    Err(Errno::EXIST) => {
                        epoll::modify(&self.epoll, notices, source, EventFlags::IN)
                    }
                    outcome => outcome,
                };
                deaf |= watched.is_err();
            }
            if let Some(sentry) = self.rooms.sentry() {
                let source = Source::Sentry.encode();
                let watched = match epoll::add(&self.epoll, &*sentry, source, EventFlags::IN) {
                    // For another run.
                    Err(Errno::EXIST) => Ok(()),
                    outcome => outcome,
                };
                deaf |= watched.is_err();
            }
            if let Some(table) = place.mounts() {
                let source = Source::Mounts(number).encode();
                let watched = match epoll::add(&self.epoll, table, source, EventFlags::PRI) {
                    Err(Errno::EXIST) => epoll::modify(&self.epoll, table, source, EventFlags::PRI),
                    outcome => outcome,
                };
                deaf |= watched.is_err();
            }
        }
        self.runs.insert(number, run);
        if deaf {
            // A run whose output cannot be heard must not go on: it would hang.
            self.end(number, Ending::KeeperStopped, Manner::Now);
        }
        number
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
        self.admit(heir);
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
        };
        Ok(Run::new(parts, Instant::now()))
    }
}

/// The descriptors that came with a start.
struct Given {
    stdin: Option<OwnedFd>,
    /// For a second copy of the log.
    copy: Option<File>,
    inherited: Vec<OwnedFd>,
}

/// A command that was started.
struct Launched {
    /// The command, or the first process of its room.
    pid: i32,
    place: Option<InRoom>,
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

fn fault(kind: FaultKind, subject: &str, errno: Option<i32>) -> Fault {
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

fn launch_fault(error: &LaunchError, cwd: &Path) -> Fault {
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
        | Stage::Report => fault(FaultKind::Sandbox, &error.to_string(), errno),
        Stage::Execute => fault(FaultKind::Execute, &error.program.to_string_lossy(), errno),
        _ => fault(FaultKind::Resources, "a process", errno),
    }
}
