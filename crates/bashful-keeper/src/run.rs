//! The life of one command, from its start to its last record.
//!
//! ```text
//! Running ──leader exits──► Draining ──none left──► done
//!    │                          │ time is up
//!    │ limit, cancel            ▼
//!    └──────────────────► Terminating ──grace is over──► Killing ──► done
//! ```

use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bashful_sandbox::{
    Ended, ExitStatus, Mark, Process, Reach, Status, TerminalSize, Usage, signal_tree,
};
use rustix::fs::fstat;
use rustix::process::Signal;

mod beginning;
mod connections;
mod consumption;
mod in_room;
mod input;
mod search;
mod survivors;
mod telling;
mod unwritten;

pub(crate) use beginning::{Beginning, Held};
pub use connections::ConnectionLine;
use connections::Connections;
use consumption::Consumption;
pub(crate) use consumption::Disks;
use in_room::Looks;
pub(crate) use search::{Apart, Searched, incomplete};
use search::{Patrol, Search};
pub use survivors::SHELL_TEXT;
pub(crate) use unwritten::Unwritten;

use crate::input::Input;
use crate::log::{LogWriter, Stream};
use crate::output::Output;
use crate::protocol::OnLogFull;
use crate::question::Question;
use crate::rooms::{InRoom, ToldOfRun};
use crate::task_directory::{
    Ending, Fate, Holder, OutputTotals, Phase, Spec, State, StateFile, Survivor, TASK_FORMAT,
    TaskDirectory, UsageRecord,
};

/// How long output is awaited from processes that outlived the leader.
const DRAIN: Duration = Duration::from_millis(250);
/// How long survivors of a finished command have to end politely.
const SURVIVOR_GRACE: Duration = Duration::from_millis(500);
/// How often the killing is repeated, and for how long.
const KILL_INTERVAL: Duration = Duration::from_millis(10);
const KILL_PATIENCE: Duration = Duration::from_secs(5);

/// One command that runs.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) spec: Spec,
    /// Its command has not executed yet.
    beginning: Option<Beginning>,
    /// What is typed into it when it has.
    input_to_type: Vec<u8>,
    record: StateFile,
    /// Locked: a process that tests the lock learns that the task is ours.
    claim: File,
    pub(crate) mark: Mark,
    /// The leader until it is reaped; in a room, the run's first process until the
    /// command has ended.
    pub(crate) leader: Option<i32>,
    /// In a room, the first process as long as it matters to us.
    pub(crate) init: Option<i32>,
    /// Its place in a room.
    pub(crate) place: Option<InRoom>,
    /// The connection that waits for it; none when it is detached.
    pub(crate) owner: Option<u64>,
    pub(crate) outputs: [Output; 2],
    /// The way into it, where there is one.
    pub(crate) input: Option<Input>,
    question: Question,
    /// When its state is to be written down again.
    record_at: Option<Instant>,
    /// The size of its terminal.
    size: Option<TerminalSize>,
    pub(crate) log: LogWriter,
    /// What must not be written down.
    pub(crate) mask: Vec<String>,
    first_pid: Option<i32>,
    /// The room's first process, and what wraps it, also after they were handed on.
    own_processes: Vec<i32>,
    /// What wraps it, and the first process inside that.
    wrapper: Option<(i32, Process)>,
    exit: Option<ExitStatus>,
    stage: Stage,
    ending: Option<Ending>,
    started: Instant,
    started_at_ms: u64,
    deadline: Option<Instant>,
    warn_at: Option<Instant>,
    told_start: bool,
    /// It was looked at since it began: its mounts are watched, and its state is written down.
    is_seen: bool,
    told_log_end: bool,
    usage: Usage,
    survivors: Vec<Survivor>,
    said: u64,
    said_at: Option<Instant>,
    /// How the command of a room ended.
    ended: Option<Ended>,
    /// When to look after a run in a room again.
    looks: Looks,
    search: Search,
    patrol: Patrol,
    consumption: Consumption,
    told: ToldOfRun,
    connections: Connections,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Running,
    Draining { until: Instant },
    Terminating { kill_at: Instant },
    Killing { next: Instant, give_up: Instant },
}

/// What is to be done with a run now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The run goes on.
    Wait,
    /// Its survivors become a task of their own.
    Adopt,
    /// It has ended.
    Finish,
}

/// What a new run is made of.
pub(crate) struct Parts {
    pub(crate) spec: Spec,
    pub(crate) directory: TaskDirectory,
    pub(crate) claim: File,
    pub(crate) mark: Mark,
    pub(crate) leader: Option<i32>,
    pub(crate) init: Option<i32>,
    /// The command itself, as people see it.
    pub(crate) command: Option<i32>,
    pub(crate) place: Option<InRoom>,
    pub(crate) owner: Option<u64>,
    pub(crate) outputs: [Output; 2],
    pub(crate) input: Option<Input>,
    pub(crate) log: LogWriter,
    pub(crate) mask: Vec<String>,
    /// None where it runs already.
    pub(crate) beginning: Option<Beginning>,
}

impl Run {
    pub(crate) fn new(parts: Parts, now: Instant) -> Self {
        let inner = parts
            .place
            .as_ref()
            .and_then(|place| place.confined.inner());
        let wrapper = parts.init.zip(inner);
        let own = parts
            .place
            .as_ref()
            .map(|place| place.confined.own_processes());
        let own_processes = own.unwrap_or_else(|| parts.init.into_iter().collect());
        let mut run = Self {
            deadline: None,
            warn_at: None,
            beginning: parts.beginning,
            input_to_type: Vec::new(),
            spec: parts.spec,
            record: StateFile::new(&parts.directory),
            claim: parts.claim,
            mark: parts.mark,
            leader: parts.leader,
            init: parts.init,
            looks: Looks::from(now),
            search: Search::default(),
            patrol: Patrol::from(now),
            consumption: Consumption::begin(parts.place.as_ref()),
            place: parts.place,
            owner: parts.owner,
            outputs: parts.outputs,
            input: parts.input,
            question: Question::default(),
            record_at: None,
            size: None,
            log: parts.log,
            mask: parts.mask,
            first_pid: parts.command,
            own_processes,
            wrapper,
            exit: None,
            stage: Stage::Running,
            ending: None,
            started: now,
            started_at_ms: now_ms(),
            told_start: false,
            is_seen: false,
            told_log_end: false,
            usage: Usage::default(),
            survivors: Vec::new(),
            said: 0,
            said_at: None,
            ended: None,
            told: ToldOfRun::default(),
            connections: Connections::of(&parts.directory),
        };
        if run.beginning.is_none() {
            run.count_from(now);
        }
        run
    }

    /// One of its processes was reaped.
    pub(crate) fn reaped(&mut self, pid: i32, status: ExitStatus, usage: Usage) {
        if self.init == Some(pid) {
            return self.init_reaped(status, usage);
        }
        // One of ours that has said all before: what it used is counted.
        if self.leader != Some(pid) && self.is_own(pid) {
            return;
        }
        self.usage.add(usage);
        if self.leader == Some(pid) {
            self.leader = None;
            self.exit = Some(status);
        } else if self.spec.adopted_from.is_some() {
            // An adopted task has no leader; the last of its processes speaks for it.
            self.exit = Some(status);
        }
    }

    /// Whether its command ended otherwise than well.
    pub(crate) fn has_failed(&self) -> bool {
        self.exit != Some(ExitStatus::Code(0))
    }

    /// The process it began with, which may be gone by now.
    pub(crate) fn first_pid(&self) -> Option<i32> {
        self.first_pid
    }

    /// Takes output that is there.
    pub(crate) fn read(&mut self, stream: Stream, buffer: &mut [u8]) {
        let output = &mut self.outputs[stream.index()];
        output.read(buffer, &mut self.log);
        let now = Instant::now();
        if let Some(line) = &output.last_line {
            self.question.printed(line, now);
        }
        self.note_log_end(now);
        // Readers follow the index, also when we are killed the next moment.
        let _ = self.log.flush_index();
    }

    /// Whether it matters now which processes it has besides its leader: because the
    /// leader has gone, or because they are all to be ended.
    pub(crate) fn needs_census(&self, now: Instant) -> bool {
        let over = self.deadline.is_some_and(|deadline| now >= deadline);
        let timed = self.place.as_ref().is_some_and(InRoom::is_timed);
        let over = over || (timed && now >= self.looks.at);
        let is_alone = self.leader.is_none() && !self.is_held();
        is_alone || self.stage != Stage::Running || over || self.is_full()
    }

    /// Moves on as far as the clock and its processes allow. `orphans` are those
    /// of its processes that lost their parent.
    pub(crate) fn step(&mut self, now: Instant, orphans: &[i32], buffer: &mut [u8]) -> Next {
        if self.is_held() {
            return Next::Wait;
        }
        self.look_after(now, orphans);
        self.look_for_question(now);
        let over = self.deadline.is_some_and(|deadline| now >= deadline);
        let unbounded = matches!(self.stage, Stage::Running | Stage::Draining { .. });
        if over && unbounded && (self.leader.is_some() || !orphans.is_empty()) {
            self.terminate(Ending::TimedOut, now, orphans);
        }
        if self.is_full() && self.stage == Stage::Running {
            self.terminate(Ending::LogFull, now, orphans);
        }
        let empty = self.leader.is_none() && orphans.is_empty();
        if empty {
            self.drain(buffer);
        }
        let silent = self.outputs.iter().all(|output| !output.is_open());
        match self.stage {
            _ if empty && silent => Next::Finish,
            Stage::Running
                if self.leader.is_none() && (empty || self.spec.adopted_from.is_none()) =>
            {
                self.stage = Stage::Draining { until: now + DRAIN };
                Next::Wait
            }
            // A process outside our tree holds the pipe; the keeper does not wait for it.
            Stage::Draining { until } if empty && now >= until => Next::Finish,
            Stage::Draining { until } if now >= until => {
                if self.spec.adopt_survivors {
                    return Next::Adopt;
                }
                self.list_survivors(orphans, Fate::Killed);
                self.end_tree(Signal::TERM, orphans);
                self.stage = Stage::Terminating {
                    kill_at: now + SURVIVOR_GRACE,
                };
                Next::Wait
            }
            Stage::Terminating { .. } | Stage::Killing { .. } if empty => Next::Finish,
            Stage::Terminating { kill_at } if now >= kill_at => {
                self.kill(now, orphans);
                Next::Wait
            }
            Stage::Killing { give_up, .. } if now >= give_up => {
                self.give_up(orphans);
                Next::Finish
            }
            Stage::Killing { next, give_up } if now >= next => {
                self.end_tree(Signal::KILL, orphans);
                self.stage = Stage::Killing {
                    next: now + KILL_INTERVAL,
                    give_up,
                };
                Next::Wait
            }
            _ => Next::Wait,
        }
    }

    /// Whether its log is full, and it is to stop then.
    fn is_full(&self) -> bool {
        self.log.ended().is_some() && self.spec.on_log_full == OnLogFull::Stop
    }

    /// That the log has ended is written down at once, and what it lacks from time to time.
    fn note_log_end(&mut self, now: Instant) {
        if self.log.ended().is_some() {
            let first = !std::mem::replace(&mut self.told_log_end, true);
            let wait = if first { Duration::ZERO } else { RECOUNT };
            self.record_at.get_or_insert(now + wait);
        }
    }

    /// Asks the whole tree to end, and remembers why.
    pub(crate) fn terminate(&mut self, ending: Ending, now: Instant, orphans: &[i32]) {
        if matches!(
            self.stage,
            Stage::Terminating { .. } | Stage::Killing { .. }
        ) {
            return;
        }
        // A leader that has ended by itself keeps its own ending.
        if self.exit.is_none() || self.spec.adopted_from.is_some() {
            self.ending.get_or_insert(ending);
        }
        self.end_tree(Signal::TERM, orphans);
        let grace = Duration::from_millis(self.spec.term_grace_ms);
        self.stage = Stage::Terminating {
            kill_at: now + grace,
        };
    }

    /// Ends the whole tree without asking.
    pub(crate) fn kill_now(&mut self, ending: Ending, now: Instant, orphans: &[i32]) {
        if self.exit.is_none() || self.spec.adopted_from.is_some() {
            self.ending.get_or_insert(ending);
        }
        if !matches!(self.stage, Stage::Killing { .. }) {
            self.kill(now, orphans);
        }
    }

    fn kill(&mut self, now: Instant, orphans: &[i32]) {
        self.end_tree(Signal::KILL, orphans);
        self.stage = Stage::Killing {
            next: now + KILL_INTERVAL,
            give_up: now + KILL_PATIENCE + self.time_to_let_go(),
        };
    }

    fn end_tree(&mut self, signal: Signal, orphans: &[i32]) {
        let roots: Vec<i32> = self.leader.iter().chain(orphans).copied().collect();
        let roots = self.behind_wrapper(roots);
        for (process, reach) in signal_tree(&roots, signal) {
            if reach == Reach::Forbidden && !self.is_own(process.pid) {
                self.note_survivor(process, Fate::Unreachable);
            }
        }
    }

    /// Instead of what wraps the run, the first process inside as long as it is there: a
    /// wrapper ends by itself once all that it wraps has.
    fn behind_wrapper(&self, mut roots: Vec<i32>) -> Vec<i32> {
        if let Some((wrapper, first)) = self.wrapper
            && Process::find(first.pid) == Some(first)
            && Status::of(first.pid).is_some_and(|status| !status.has_ended())
        {
            for root in roots.iter_mut().filter(|root| **root == wrapper) {
                *root = first.pid;
            }
        }
        roots
    }

    /// Whether this process is not the run's, but ours.
    pub(crate) fn is_own(&self, pid: i32) -> bool {
        self.own_processes.contains(&pid)
    }

    /// Reads what is in the pipes, one fair share of each: a process outside our tree may hold one
    /// and write for ever.
    fn drain(&mut self, buffer: &mut [u8]) {
        for output in &mut self.outputs {
            if output.is_open() {
                output.read(buffer, &mut self.log);
            }
        }
    }

    /// Completes the log and makes the last record.
    pub(crate) fn finish(&mut self, keeper: Holder, buffer: &mut [u8]) -> State {
        self.drain(buffer);
        for output in &mut self.outputs {
            output.finish(&mut self.log);
        }
        self.log.finish();
        let mut state = self.state(keeper, None);
        state.phase = Phase::Finished;
        state.needs_input = None;
        state.duration_us =
            Some(u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX));
        state.ending = Some(self.ending.unwrap_or(Ending::Exited));
        state
    }

    /// The record as it stands.
    pub(crate) fn state(&self, keeper: Holder, socket: Option<PathBuf>) -> State {
        let [stdout, stderr] = &self.outputs;
        State {
            v: TASK_FORMAT,
            id: self.spec.id.clone(),
            phase: Phase::Running,
            keeper,
            socket,
            pid: self.first_pid,
            started_at_ms: self.started_at_ms,
            terminal: self.size.or(self.spec.terminal),
            needs_input: self.question.asked().cloned(),
            duration_us: None,
            ending: None,
            exit_code: match self.exit {
                Some(ExitStatus::Code(code)) => Some(code),
                _ => None,
            },
            signal: match self.exit {
                Some(ExitStatus::Signal(signal)) => Some(signal),
                _ => None,
            },
            survivors: self.survivors.clone(),
            output: OutputTotals {
                stdout_bytes: stdout.bytes,
                stderr_bytes: stderr.bytes,
                stdout_chars: stdout.characters.total(),
                stderr_chars: stderr.characters.total(),
                log_bytes: self.log.bytes(),
                omitted_bytes: self.log.omitted(),
                log_end: self.log.ended(),
                copy_failed: self.log.copy_failed(),
            },
            usage: UsageRecord {
                cpu_us: u64::try_from(self.usage.cpu.as_micros()).unwrap_or(u64::MAX),
                max_rss_kib: self.usage.max_rss_kib,
            },
            enforcement: self.told.enforcement,
            violations: self.told.violations.clone(),
            hints: self.told.hints.clone(),
            watched: self.told.watched,
            connections: self.connections.lines(),
            unrecorded: false,
        }
    }

    /// Writes down how it stands; whether the disk took that. The engine hears it anyway.
    pub(crate) fn record(&mut self, state: &State) -> bool {
        self.record.append(state).is_ok()
    }

    /// Its last record, to be tried again. A directory that was removed has no use for it.
    pub(crate) fn unwritten(self, state: State, now: Instant) -> Option<Unwritten> {
        (!self.is_removed()).then(|| Unwritten::new(self.record, self.claim, state, now))
    }

    /// Whether its directory is gone, and with it all that others know of it.
    pub(super) fn is_removed(&self) -> bool {
        fstat(&self.claim).is_ok_and(|about| about.st_nlink == 0)
    }
}

/// How often the keeper writes down what a log lacks.
const RECOUNT: Duration = Duration::from_secs(1);

/// The clock on the wall, for people.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
