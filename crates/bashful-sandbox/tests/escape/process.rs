//! Starting acts and helpers, on the host and in a room, and what they say.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};

use std::rc::Rc;

use bashful_sandbox::{Confined, ExitStatus, Launch, Plan, Room, signal_process};
use rustix::fs::MemfdFlags;
use rustix::process::Signal;

use crate::case::Act;
use crate::room::InWrapper;

/// Where a process is started.
pub(crate) enum Ground<'a> {
    Host,
    Room(&'a mut Room),
    /// By another plan than the room's.
    RoomBy(&'a mut Room, Rc<Plan>),
    Wrapper(&'a mut InWrapper),
}

enum Running {
    Plain(Child),
    Confined(Box<Confined>),
    /// Its first process, and the thread that attends to it.
    Attended(i32, JoinHandle<std::io::Result<ExitStatus>>),
}

impl Running {
    /// A run whose calls the kernel reports is never left alone. The others need no thread, with
    /// which no further room could be built.
    fn attended(self) -> Self {
        match self {
            Self::Confined(run) if run.notices.is_some() => {
                Self::Attended(run.init, thread::spawn(|| run.wait()))
            }
            other => other,
        }
    }

    fn wait(self) -> Result<ExitStatus, String> {
        match self {
            Self::Plain(mut child) => {
                let status = child.wait().map_err(|error| error.to_string())?;
                let signal = status.signal().map(ExitStatus::Signal);
                Ok(signal.unwrap_or_else(|| ExitStatus::Code(status.code().unwrap_or(-1))))
            }
            Self::Confined(run) => run.wait().map_err(|error| chain(&error)),
            Self::Attended(_, end) => {
                let end = end.join().map_err(|_| "nobody attends".to_owned())?;
                end.map_err(|error| chain(&error))
            }
        }
    }
}

/// What is given to a process.
struct Start<'a> {
    act: Act,
    variables: &'a [(String, String)],
    directory: &'a std::path::Path,
    stdin: Option<OwnedFd>,
    output: OwnedFd,
    /// A last argument, by which other processes find it.
    label: Option<String>,
}

impl Start<'_> {
    fn on(self, ground: &mut Ground) -> Result<Running, String> {
        match ground {
            Ground::Host => self.plainly().map(Running::Plain),
            Ground::Room(room) => {
                let started = room.exec(self.launch()?);
                started
                    .map(|run| Running::Confined(Box::new(run)))
                    .map_err(|error| chain(&error))
            }
            Ground::RoomBy(room, plan) => {
                let started = room.start(plan, self.launch()?);
                let mut run = started.map_err(|error| chain(&error))?;
                run.await_start().map_err(|error| chain(&error))?;
                Ok(Running::Confined(Box::new(run)))
            }
            Ground::Wrapper(wrapper) => wrapper
                .exec(&self.launch()?)
                .map(|run| Running::Confined(Box::new(run))),
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a control passes on what the one door would not: environment and descriptors"
    )]
    fn plainly(self) -> Result<Child, String> {
        let (program, arguments) = self.act.words();
        let again = self.output.try_clone().map_err(|error| error.to_string())?;
        Command::new(program)
            .args(arguments)
            .args(self.label)
            .envs(self.variables.iter().cloned())
            .current_dir(self.directory)
            .stdin(self.stdin.map_or_else(Stdio::null, Stdio::from))
            .stdout(self.output)
            .stderr(again)
            .spawn()
            .map_err(|error| error.to_string())
    }

    fn launch(self) -> Result<Launch, String> {
        let (program, arguments) = self.act.words();
        let name = program.file_name().unwrap_or_default().to_owned();
        let again = self.output.try_clone().map_err(|error| error.to_string())?;
        let mut launch = Launch::new(program, name)
            .variable("PATH", "/usr/bin:/bin")
            .directory(self.directory)
            .stdout(self.output)
            .stderr(again);
        for argument in arguments.into_iter().chain(self.label) {
            launch = launch.argument(argument);
        }
        for (name, value) in self.variables {
            launch = launch.variable(name, value);
        }
        if let Some(stdin) = self.stdin {
            launch = launch.stdin(stdin);
        }
        Ok(launch)
    }
}

/// How an act ended, and what it said.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) output: String,
}

/// Runs an act to its end.
pub(crate) fn perform(
    act: Act,
    scene: &mut crate::scene::Scene,
    ground: &mut Ground,
) -> Result<Ended, String> {
    let output = rustix::fs::memfd_create("output", MemfdFlags::CLOEXEC)
        .map_err(|error| error.to_string())?;
    let start = Start {
        act,
        variables: &scene.variables,
        directory: &scene.workspace,
        stdin: scene.stdin.take(),
        output: output.try_clone().map_err(|error| error.to_string())?,
        label: None,
    };
    let status = start.on(ground)?.wait()?;
    let mut file = File::from(output);
    file.rewind().map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    let output = String::from_utf8_lossy(&bytes).trim().to_owned();
    Ok(Ended { status, output })
}

/// A process that is there while an act runs.
pub(crate) struct Helper {
    running: Running,
    stdin: PipeWriter,
    output: BufReader<PipeReader>,
}

impl Helper {
    /// Starts it and waits until it is ready; passes what it says on to the act.
    pub(crate) fn start(
        act: Act,
        scene: &mut crate::scene::Scene,
        ground: &mut Ground,
    ) -> Result<Self, String> {
        let pipe = || std::io::pipe().map_err(|error| error.to_string());
        let ((their_stdin, stdin), (output, their_output)) = (pipe()?, pipe()?);
        let label = scene.marker.replace("marker", "helper");
        let start = Start {
            act,
            variables: &scene.variables,
            directory: &scene.workspace,
            stdin: Some(their_stdin.into()),
            output: their_output.into(),
            label: Some(label.clone()),
        };
        let running = start.on(ground)?.attended();
        scene.tell("LABEL", label);
        if let Running::Plain(child) = &running {
            scene.tell("HELPER", child.id());
        }
        let mut output = BufReader::new(output);
        loop {
            let mut line = String::new();
            let length = output
                .read_line(&mut line)
                .map_err(|error| error.to_string())?;
            match line.trim_end().split_once('=') {
                _ if length == 0 => return Err("a helper ended early".to_owned()),
                _ if line.trim_end() == "ready" => break,
                Some((name, value)) => scene.tell(name, value),
                None => {
                    let mut rest = String::new();
                    drop(output.read_to_string(&mut rest));
                    return Err(format!("a helper says: {line}{rest}"));
                }
            }
        }
        Ok(Self {
            running,
            stdin,
            output,
        })
    }

    /// Ends it as a keeper does that closes a room.
    pub(crate) fn kill(self) -> Result<(), String> {
        match &self.running {
            Running::Plain(child) => kill(child.id().cast_signed()),
            Running::Confined(run) => run.kill(),
            Running::Attended(init, _) => kill(*init),
        }
        self.running.wait().map(drop)
    }

    /// Lets it go, and asks whether the act has touched it.
    pub(crate) fn finish(mut self) -> Result<Option<String>, String> {
        // It may be gone already, which its status shows.
        drop(self.stdin.flush());
        drop(self.stdin);
        let mut rest = String::new();
        self.output
            .read_to_string(&mut rest)
            .map_err(|error| error.to_string())?;
        let status = self.running.wait()?;
        let rest = rest.trim();
        let quiet = status == ExitStatus::Code(0) && !rest.contains("disturbed:");
        Ok((!quiet).then(|| format!("the helper ended with {status:?}: {rest}")))
    }
}

/// The processes of the host with this word in their command line.
pub(crate) fn marked(word: &str) -> Vec<i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter(|pid: &i32| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            line.windows(word.len()).any(|part| part == word.as_bytes())
        })
        .collect()
}

/// Ends a process that outlived its run, which is ours by its mark.
pub(crate) fn kill(pid: i32) {
    if let Some(process) = bashful_sandbox::Process::find(pid) {
        let _ = signal_process(process, Signal::KILL);
    }
}

/// An error with all that caused it.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
