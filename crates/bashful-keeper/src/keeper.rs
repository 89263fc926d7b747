//! The keeper's loop: one thread, one epoll, everything it owns in one place.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use bashful_sandbox::{
    Audit, Line, Mark, OpenFiles, Process, SignalQueue, children, peek_exited, raise_open_files,
    reap, remove_abandoned_beside_ours, signal_tree,
};
use rustix::event::Timespec;
use rustix::event::epoll::{EventData, EventFlags};
use rustix::process::{Signal, getpid};

use crate::connection::Connection;
use crate::keeper::census::Census;
use crate::keeper::listener::Listener;
use crate::log::Stream;
use crate::protocol::Reply;
use crate::rooms::Rooms;
use crate::run::{Next, Run, Unwritten};
use crate::scope::OwnScope;
use crate::spare::{Spare, remove_abandoned};
use crate::task_directory::{Ending, Holder};
use crate::task_id::TaskId;

mod audit;
mod beginning;
mod census;
mod converse;
mod events;
mod gate;
mod gauge;
mod idle;
mod input;
mod line;
mod listener;
mod sentry;
mod start;
mod streams;
#[cfg(test)]
mod tests;

use events::Events;
use gauge::Gauge;
use idle::Spares;
pub use line::LONGEST_IN_LINE;
use line::StartLine;
pub use listener::ALONE;

/// One read takes at most this much.
const BUFFER_BYTES: usize = 256 << 10;

/// The keeper of one session's commands.
#[derive(Debug)]
pub(crate) struct Keeper {
    events: Events,
    signals: SignalQueue,
    listener: Option<Listener>,
    connections: BTreeMap<u64, Connection>,
    runs: BTreeMap<u64, Run>,
    /// What waits to be started.
    line: StartLine,
    /// Last records that the disk did not take yet.
    unwritten: Vec<Unwritten>,
    rooms: Rooms,
    /// What the kernel records, where we may read it.
    audit: Option<Audit>,
    asked_for_audit: bool,
    /// What runs take of the machine.
    gauge: Gauge,
    /// When it is worth trying again to tidy up after runs.
    tidy_at: Instant,
    next_number: u64,
    /// Set by the first handshake.
    state: Option<PathBuf>,
    idle: Duration,
    /// Since when there is nothing to do.
    quiet_since: Option<Instant>,
    said_bye: bool,
    ending: bool,
    /// The directory for the next task, made while another runs.
    spare: Option<Spare>,
    spares: Spares,
    /// Our parent, as long as it lives.
    guard: i32,
    scope: OwnScope,
    holder: Holder,
    /// What the processes we start get, after we raised our own.
    open_files: OpenFiles,
    buffer: Vec<u8>,
}

/// What an epoll event is about.
#[derive(Debug, Clone, Copy)]
enum Source {
    Signals,
    Listener,
    Audit,
    Sentry,
    Connection(u64),
    Output(u64, Stream),
    Report(u64),
    Mounts(u64),
    Input(u64),
    Notices(u64),
    /// Connects of a run that take their time.
    Connects(u64),
    Search(u64),
    Beginning(u64),
    /// What the gate of a room says.
    Gate(u64),
}

impl Source {
    fn encode(self) -> EventData {
        EventData::new_u64(match self {
            Self::Signals => 0,
            Self::Listener => 1,
            Self::Audit => 2,
            Self::Sentry => 3,
            Self::Report(number) => number << 4,
            Self::Connection(number) => number << 4 | 1,
            Self::Output(number, Stream::Stdout) => number << 4 | 2,
            Self::Output(number, Stream::Stderr) => number << 4 | 3,
            Self::Mounts(number) => number << 4 | 4,
            Self::Input(number) => number << 4 | 5,
            Self::Notices(number) => number << 4 | 6,
            Self::Search(number) => number << 4 | 7,
            Self::Beginning(number) => number << 4 | 8,
            Self::Connects(number) => number << 4 | 9,
            Self::Gate(number) => number << 4 | 0xa,
        })
    }

    fn decode(data: EventData) -> Self {
        let value = data.u64();
        match (value >> 4, value & 15) {
            (0, 0) => Self::Signals,
            (0, 1) => Self::Listener,
            (0, 2) => Self::Audit,
            (0, 3) => Self::Sentry,
            (number, 0) => Self::Report(number),
            (number, 2) => Self::Output(number, Stream::Stdout),
            (number, 3) => Self::Output(number, Stream::Stderr),
            (number, 4) => Self::Mounts(number),
            (number, 5) => Self::Input(number),
            (number, 6) => Self::Notices(number),
            (number, 7) => Self::Search(number),
            (number, 8) => Self::Beginning(number),
            (number, 9) => Self::Connects(number),
            (number, 0xa) => Self::Gate(number),
            (number, _) => Self::Connection(number),
        }
    }
}

impl Keeper {
    pub(crate) fn new(first: OwnedFd, guard: i32) -> io::Result<Self> {
        let signals = SignalQueue::new(
            &[Signal::CHILD, Signal::TERM, Signal::INT, Signal::HUP].map(Signal::as_raw),
        )?;
        let events = Events::new()?;
        events.add(Source::Signals, &signals, EventFlags::IN)?;
        let this = Process::find(getpid().as_raw_pid())
            .ok_or_else(|| io::Error::other("cannot read its own /proc entry"))?;
        let mut keeper = Self {
            events,
            signals,
            listener: None,
            connections: BTreeMap::new(),
            runs: BTreeMap::new(),
            line: StartLine::default(),
            unwritten: Vec::new(),
            rooms: Rooms::default(),
            audit: None,
            asked_for_audit: false,
            gauge: Gauge::default(),
            tidy_at: Instant::now(),
            next_number: 1,
            state: None,
            idle: Duration::ZERO,
            quiet_since: None,
            said_bye: false,
            ending: false,
            spare: None,
            spares: Spares::Unwanted,
            guard,
            scope: OwnScope::Unasked,
            holder: Holder {
                pid: this.pid,
                started: this.started,
            },
            open_files: raise_open_files()?,
            buffer: vec![0; BUFFER_BYTES],
        };
        keeper.connect(first)?;
        Ok(keeper)
    }

    /// Serves until there is nothing left to do.
    pub(crate) fn serve(mut self) -> io::Result<()> {
        loop {
            let now = Instant::now();
            let may_start = !self.line.is_empty() && !self.rooms.is_recovering();
            let timeout = if self.may_prepare(now) || may_start {
                Some(Timespec::default())
            } else {
                self.time_to_wake(now).map(timespec)
            };
            let events = self.events.wait(timeout.as_ref())?;
            for source in &events {
                self.handle(*source);
            }
            self.start_next();
            self.settle();
            if events.is_empty() && self.may_prepare(Instant::now()) {
                self.prepare();
            }
            if self.is_done(Instant::now()) {
                break;
            }
        }
        // Strays that no run could be found for must not stay behind.
        signal_tree(&children(self.holder.pid), Signal::KILL);
        drop(self.listener.take());
        drop(self.spare.take());
        if let Some(state) = &self.state {
            remove_abandoned(&state.join("tasks"));
        }
        remove_abandoned_beside_ours();
        Ok(())
    }

    fn handle(&mut self, source: Source) {
        match source {
            Source::Signals => {
                while let Some(signal) = self.signals.next() {
                    if signal != Signal::CHILD.as_raw() {
                        self.end_everything(Manner::Politely);
                    }
                }
                self.reap_children();
            }
            Source::Listener => {
                while let Some(socket) = self.listener.as_ref().and_then(Listener::accept) {
                    // A connection that cannot be served is closed; the engine tries anew.
                    let _ = self.connect(socket);
                }
            }
            Source::Audit => self.hear_audit(),
            Source::Sentry => self.hear_sentry(),
            Source::Connection(number) => self.converse(number),
            Source::Beginning(number) => self.hear_start(number),
            // A run that ended before its line was heard to close, or before it began, leaves what has
            // hung up. As long as epoll tells of that, the keeper is never idle, and closes nothing.
            Source::Report(number)
            | Source::Mounts(number)
            | Source::Notices(number)
            | Source::Connects(number)
                if !self.runs.contains_key(&number) =>
            {
                self.rooms.close_left();
            }
            Source::Report(number) => {
                // What becomes of the start is said before its end, be it elsewhere.
                if self.is_beginning(number) {
                    return self.hear_start(number);
                }
                if let Some(run) = self.runs.get_mut(&number) {
                    run.hear();
                    // It says one thing more at most, and its end closes the line.
                    if let Some(place) = &run.place {
                        self.events.forget(source, &place.confined.report);
                    }
                }
            }
            Source::Mounts(number) => {
                if let Some(run) = self.runs.get_mut(&number) {
                    run.lost_cover(Instant::now());
                }
            }
            Source::Notices(number) | Source::Connects(number) => self.hear_calls(number),
            Source::Gate(number) => self.hear_gate(number),
            // How far it has come is asked when runs are moved on.
            Source::Search(_) => {}
            Source::Input(number) => {
                let run = self.runs.get_mut(&number);
                if let Some(input) = run.and_then(|run| run.input.as_mut()) {
                    input.write();
                }
            }
            Source::Output(number, stream) => {
                if let Some(run) = self.runs.get_mut(&number) {
                    run.read(stream, &mut self.buffer);
                }
            }
        }
    }

    /// Attends to the calls of a run that the kernel tells about.
    fn hear_calls(&mut self, number: u64) {
        let Some(run) = self.runs.get_mut(&number) else {
            return;
        };
        let line = run.serve_notices(Instant::now());
        let place = run.place.as_ref();
        let Some(notices) = place.and_then(|place| place.confined.notices.as_ref()) else {
            return;
        };
        if line == Line::Closed {
            // What has nothing more to say would wake us for ever.
            self.events.forget(Source::Notices(number), notices);
        } else if let Some(clock) = notices.clock() {
            // It may be there already.
            let source = Source::Connects(number);
            let _ = self.events.add(source, clock, EventFlags::IN);
        }
    }

    /// Asks systemd for a unit of our own, once: what runs here may outlive the keeper's starter.
    pub(crate) fn ask_for_scope(&mut self) {
        self.scope.ask(self.guard);
    }

    fn socket_path(&self) -> Option<PathBuf> {
        self.listener
            .as_ref()
            .map(|listener| listener.path().to_owned())
    }

    fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    fn is_beginning(&self, number: u64) -> bool {
        self.runs.get(&number).is_some_and(Run::is_beginning)
    }

    fn find(&self, id: &TaskId) -> Option<u64> {
        self.runs
            .iter()
            .find(|(_, run)| run.spec.id == *id)
            .map(|(number, _)| *number)
    }

    fn end(&mut self, number: u64, ending: Ending, manner: Manner) {
        let now = Instant::now();
        let census = self.census();
        if let Some(run) = self.runs.get_mut(&number) {
            let orphans = census.of(run.mark);
            match manner {
                Manner::Politely => run.terminate(ending, now, orphans),
                Manner::Now => run.kill_now(ending, now, orphans),
            }
            // Where its engine has gone, there will be no word: it is taken back then.
            if run.is_held() && ending != Ending::CallerGone {
                run.never_began();
            }
        }
    }

    fn end_everything(&mut self, manner: Manner) {
        self.ending = true;
        for number in self.runs.keys().copied().collect::<Vec<_>>() {
            self.end(number, Ending::KeeperStopped, manner);
        }
    }

    fn reap_children(&mut self) {
        while let Ok(Some(pid)) = peek_exited() {
            // The mark is asked before the reaping: afterwards it is gone.
            let number = self
                .runs
                .iter()
                .find(|(_, run)| run.leader == Some(pid) || run.is_own(pid))
                .or_else(|| {
                    let mark = Mark::of(pid)?;
                    self.runs.iter().find(|(_, run)| run.mark == mark)
                })
                .map(|(number, _)| *number);
            if let Some(number) = number.filter(|number| self.is_beginning(*number)) {
                // It has said all that it will. What did not begin is reaped by now.
                self.hear_start(number);
                let is_left = |run: &Run| run.leader.is_some() || run.init.is_some();
                if !self.runs.get(&number).is_some_and(is_left) {
                    continue;
                }
            }
            let Ok(exit) = reap(pid) else { break };
            if let Some(run) = number.and_then(|number| self.runs.get_mut(&number)) {
                run.reaped(pid, exit.status, exit.usage);
            }
        }
    }

    /// Moves every run on, reports, and flushes what waits to go out.
    fn settle(&mut self) {
        let now = Instant::now();
        self.rooms.hear_late();
        self.watch_consumption(now);
        let census = if self.runs.values().any(|run| run.needs_census(now)) {
            self.census()
        } else {
            Census::default()
        };
        let mut ended = Vec::new();
        for (number, run) in &mut self.runs {
            run.patrol(&self.rooms, now);
            let next = run.step(now, census.of(run.mark), &mut self.buffer);
            if next != Next::Wait {
                ended.push((*number, next));
            }
        }
        for (number, next) in ended {
            if next == Next::Adopt && !self.adopt(number, &census) {
                continue;
            }
            if self.is_searched(number) {
                self.finish(number);
            }
        }
        self.unwritten.retain_mut(|record| record.is_left(now));
        self.see_begun(now);
        self.tell_questions(now);
        self.watch_inputs();
        self.report(now);
        let gone: Vec<u64> = self
            .connections
            .iter_mut()
            .filter_map(|(number, connection)| (!connection.flush()).then_some(*number))
            .collect();
        for number in gone {
            // The caller no longer reads, but may have sent requests before it left.
            self.converse(number);
            self.hang_up(number);
        }
        for (number, connection) in &mut self.connections {
            if let Some(flags) = connection.changed_interest() {
                let source = Source::Connection(*number);
                let _ = self.events.modify(source, connection.socket(), flags);
            }
        }
    }

    /// Whether it is known what a run left behind. If not, we are woken when it is.
    fn is_searched(&mut self, number: u64) -> bool {
        let Some(run) = self.runs.get_mut(&number) else {
            return true;
        };
        let began = run.is_searched_apart();
        match run.search(&mut self.rooms) {
            Ok(()) => true,
            Err(_) if began => false,
            Err(pipe) => {
                // If the kernel does not take the pipe, the search is looked at on every other event.
                let source = Source::Search(number);
                let _ = self.events.add(source, pipe, EventFlags::IN);
                false
            }
        }
    }

    fn finish(&mut self, number: u64) {
        self.hear_audit_of(number);
        self.see_at_its_end(number);
        let Some(mut run) = self.runs.remove(&number) else {
            return;
        };
        run.leave(&mut self.rooms);
        let mut state = run.finish(self.holder, &mut self.buffer);
        let unwritten = (!run.record(&state)).then(|| state.clone());
        state.unrecorded = unwritten.is_some();
        if let Some(connection) = run.owner.and_then(|owner| self.connections.get_mut(&owner)) {
            if let Some(pid) = run.start_untold() {
                connection.send(&Reply::Started {
                    id: state.id.clone(),
                    pid,
                });
            }
            connection.send(&Reply::Finished {
                id: state.id.clone(),
                state: Box::new(state),
            });
            // At once: closing files can take its time.
            connection.flush();
        }
        if let Some(state) = unwritten {
            self.unwritten.extend(run.unwritten(state, Instant::now()));
        }
    }

    fn report(&mut self, now: Instant) {
        for run in self.runs.values_mut() {
            let Some(connection) = run.owner.and_then(|owner| self.connections.get_mut(&owner))
            else {
                continue;
            };
            if let Some(pid) = run.due_start(now) {
                connection.send(&Reply::Started {
                    id: run.spec.id.clone(),
                    pid,
                });
            }
            if let Some(elapsed_ms) = run.due_warning(now) {
                connection.send(&Reply::SoftTimeout {
                    id: run.spec.id.clone(),
                    elapsed_ms,
                });
            }
            if connection.is_clogged() {
                run.postpone(now);
            } else if let Some(bytes) = run.unsaid(now) {
                connection.send(&Reply::Grew {
                    id: run.spec.id.clone(),
                    bytes,
                });
            }
        }
    }
}

/// How a run is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Politely,
    Now,
}

fn timespec(duration: Duration) -> Timespec {
    // Rounded up, so that we never wake a moment too early and spin.
    let duration = duration + Duration::from_micros(100);
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}
