//! Talking with engines: connections, greetings, requests.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::epoll::EventFlags;

use super::listener::Listener;
use super::{Keeper, Manner, Source, Spares};
use crate::connection::{Connection, Incoming};
use crate::protocol::{Hello, PROTOCOL, Reply, Request, VERSION, Welcome};
use crate::task_directory::Ending;
use crate::task_id::TaskId;

impl Keeper {
    pub(super) fn connect(&mut self, socket: OwnedFd) -> io::Result<()> {
        let connection = Connection::new(socket)?;
        let number = self.number();
        let source = Source::Connection(number);
        self.events
            .add(source, connection.socket(), EventFlags::IN)?;
        self.connections.insert(number, connection);
        Ok(())
    }

    pub(super) fn converse(&mut self, number: u64) {
        let Some(connection) = self.connections.get_mut(&number) else {
            return;
        };
        let alive = connection.fill();
        connection.gone = !alive;
        // What arrived before the end still counts.
        let mut arrived = Vec::new();
        let mut sense = true;
        while let Some(incoming) = connection.next() {
            match incoming {
                Incoming::Request(request) => arrived.push(request),
                Incoming::Nonsense => {
                    sense = false;
                    break;
                }
            }
        }
        // A caller that ordered a run, detached it and hung up wants it to go on: there is no more
        // to hear.
        let let_go: Vec<TaskId> = arrived
            .iter()
            .filter_map(|request| match request {
                Request::Detach { id } if !alive => Some(id.clone()),
                _ => None,
            })
            .collect();
        for mut request in arrived {
            if let Request::Start(start) = &mut request
                && let_go.contains(&start.spec.id)
            {
                start.detached = true;
            }
            self.answer(number, request);
        }
        if !alive || !sense {
            self.hang_up(number);
        }
    }

    fn answer(&mut self, number: u64, request: Request) {
        let greeted = self
            .connections
            .get(&number)
            .is_some_and(|connection| connection.greeted);
        let gone = self
            .connections
            .get(&number)
            .is_none_or(|connection| connection.gone);
        if let Some(id) = request.is_about().filter(|_| greeted) {
            self.start_early(id);
        }
        match request {
            Request::Hello(hello) => self.greet(number, hello),
            // A caller whose version does not fit gets nothing done.
            _ if !greeted => {}
            // The caller has left: no process would hear of the run.
            Request::Start(start) if gone && !start.detached => {}
            Request::Start(start) => self.line_up(number, *start),
            Request::GetReady(room) => self.get_ready(&room),
            Request::Cancel { id, now } => {
                let manner = if now { Manner::Now } else { Manner::Politely };
                if let Some(run) = self.find(&id) {
                    self.end(run, Ending::Cancelled, manner);
                }
            }
            Request::Detach { id } => {
                if let Some(run) = self.find(&id).and_then(|number| self.runs.get_mut(&number)) {
                    run.owner = None;
                }
            }
            Request::Send {
                id,
                number: ask,
                bytes,
                end,
            } => {
                let answer = self.send_input(&id, &bytes.0, end);
                self.reply(number, ask, answer);
            }
            Request::Resize {
                id,
                number: ask,
                size,
            } => {
                let answer = self.resize(&id, size);
                self.reply(number, ask, answer);
            }
            Request::Signal {
                id,
                number: ask,
                signal,
            } => {
                let answer = self.signal(&id, signal);
                self.reply(number, ask, answer);
            }
            Request::Shutdown { now } => {
                self.end_everything(if now { Manner::Now } else { Manner::Politely });
            }
        }
    }

    fn greet(&mut self, number: u64, hello: Hello) {
        let welcome = Welcome {
            version: VERSION.to_owned(),
            protocol: PROTOCOL,
            pid: std::process::id(),
        };
        let fits = hello.version == VERSION && hello.protocol == PROTOCOL;
        let reply = if !fits {
            Reply::Mismatch(welcome)
        } else if self.state.is_none() && !self.settle_in(hello) {
            Reply::Redirect
        } else {
            Reply::Hello(welcome)
        };
        let greeted = matches!(reply, Reply::Hello(_));
        if let Some(connection) = self.connections.get_mut(&number) {
            connection.send(&reply);
            // Said before anything is started: an engine that never hears it knows
            // that nothing was.
            connection.greeted = connection.flush() && greeted;
        }
    }

    /// Takes up the session of the first handshake; false when another keeper has it.
    fn settle_in(&mut self, hello: Hello) -> bool {
        if let Some(path) = hello.listen {
            let listener = if hello.alone {
                Listener::bind_alone(path).map(Some)
            } else {
                Listener::bind(path)
            };
            match listener {
                Ok(Some(listener)) => {
                    let watched = self.events.add(Source::Listener, &listener, EventFlags::IN);
                    if watched.is_ok() {
                        self.listener = Some(listener);
                    }
                }
                Ok(None) => return false,
                // Without a socket we serve this one connection; a session that
                // cannot be shared is better than none.
                Err(_) => {}
            }
        }
        if self.listener.is_some() {
            self.ask_for_scope();
        }
        self.rooms.directory = hello.state.join("rooms");
        self.rooms.diary.directory = hello.state.join("activity");
        self.state = Some(hello.state);
        self.idle = Duration::from_millis(hello.idle_ms);
        if hello.more_to_come {
            self.spares = Spares::Later;
        }
        true
    }

    pub(super) fn hang_up(&mut self, number: u64) {
        self.connections.remove(&number);
        self.line.forget(number);
        let abandoned: Vec<u64> = self
            .runs
            .iter()
            .filter(|(_, run)| run.owner == Some(number))
            .map(|(number, _)| *number)
            .collect();
        for run in abandoned {
            self.end(run, Ending::CallerGone, Manner::Politely);
            if let Some(run) = self.runs.get_mut(&run) {
                run.owner = None;
            }
        }
    }
}
