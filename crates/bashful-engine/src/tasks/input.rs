//! Talking to a running task: input, keys, signals, and the size of its terminal.

use std::io;

use bashful_keeper::{Answer, TerminalSize};

use super::error::TaskError;
use super::keys::Key;
use super::task::Task;
use super::wait::block_on;
use crate::launch::client::{Ask, ask_at};

impl Task {
    /// Types these bytes into the task's terminal, or writes them to the standard input that was
    /// kept open for it. They are queued by its keeper and written as it reads: all of them or,
    /// with an error, none. That bytes were sent, and their digest, goes on record before.
    pub fn send(&self, bytes: impl Into<Vec<u8>>) -> Result<(), TaskError> {
        block_on(self.send_async(bytes))
    }

    /// The same in a future, on any executor.
    pub async fn send_async(&self, bytes: impl Into<Vec<u8>>) -> Result<(), TaskError> {
        let bytes = bytes.into();
        self.ask("send to", Ask::Send { bytes, end: false }).await
    }

    /// The same, for a person who is on record as one who types.
    pub(super) async fn send_unrecorded(&self, bytes: Vec<u8>) -> Result<(), TaskError> {
        let (task, ask) = (self.clone(), Ask::Send { bytes, end: false });
        self.on_thread(move || task.ask_keeper("send to", &ask))
            .await?
    }

    /// Tells the task that no more input comes: Ctrl-D on a terminal, else its standard input
    /// is closed.
    pub fn send_end(&self) -> Result<(), TaskError> {
        block_on(self.send_end_async())
    }

    /// The same in a future, on any executor.
    pub async fn send_end_async(&self) -> Result<(), TaskError> {
        let bytes = Vec::new();
        self.ask("send to", Ask::Send { bytes, end: true }).await
    }

    /// Presses these keys.
    pub fn send_keys(&self, keys: &[Key]) -> Result<(), TaskError> {
        block_on(self.send_keys_async(keys))
    }

    /// The same in a future, on any executor.
    pub async fn send_keys_async(&self, keys: &[Key]) -> Result<(), TaskError> {
        let bytes: Vec<u8> = keys.iter().flat_map(Key::bytes).copied().collect();
        self.send_async(bytes).await
    }

    /// Gives the task's terminal another size; programs in it are told.
    pub fn resize(&self, size: TerminalSize) -> Result<(), TaskError> {
        block_on(self.resize_async(size))
    }

    /// The same in a future, on any executor.
    pub async fn resize_async(&self, size: TerminalSize) -> Result<(), TaskError> {
        self.ask("resize the terminal of", Ask::Resize(size)).await
    }

    /// Sends one signal, by its number: to the foreground process group of the task's terminal,
    /// or without one to the process group that its command leads. To end a task with all it
    /// started, see [`Task::kill`].
    pub fn signal(&self, signal: i32) -> Result<(), TaskError> {
        block_on(self.signal_async(signal))
    }

    /// The same in a future, on any executor.
    pub async fn signal_async(&self, signal: i32) -> Result<(), TaskError> {
        self.ask("signal", Ask::Signal(signal)).await
    }

    async fn ask(&self, doing: &'static str, ask: Ask) -> Result<(), TaskError> {
        let task = self.clone();
        let asked = move || {
            if let Ask::Send { bytes, end } = &ask {
                task.record_input(bytes, *end)?;
            }
            task.ask_keeper(doing, &ask)
        };
        self.on_thread(asked).await?
    }

    fn ask_keeper(&self, doing: &'static str, ask: &Ask) -> Result<(), TaskError> {
        let task = self.id.to_string();
        let client = self.engine.runs().client(&self.id);
        let client = client.filter(|client| client.is_open());
        let Some(record) = self.begun()? else {
            return Err(TaskError::Ended { task });
        };
        let answer = match client.and_then(|client| client.ask(&self.id, ask)) {
            Some(answer) => answer,
            None => self.ask_at_socket(&record, ask)?,
        };
        Err(match answer {
            Answer::Done => return Ok(()),
            Answer::NotRunning => TaskError::Ended { task },
            Answer::NoInput => TaskError::NoInput { task },
            Answer::InputClosed => TaskError::InputClosed { task },
            Answer::NoTerminal => TaskError::NoTerminal { task },
            Answer::Full { waiting, most } => TaskError::InputFull {
                task,
                waiting,
                most,
            },
            Answer::Failed { errno } => TaskError::Refused {
                doing,
                task,
                source: io::Error::from_raw_os_error(errno),
            },
        })
    }

    fn ask_at_socket(
        &self,
        record: &bashful_keeper::State,
        ask: &Ask,
    ) -> Result<Answer, TaskError> {
        let task = self.id.to_string();
        let Some(socket) = self.socket(record) else {
            if self.state()?.is_over() {
                return Err(TaskError::Ended { task });
            }
            return Err(TaskError::Unreachable {
                task,
                private: true,
                source: None,
            });
        };
        let asked = ask_at(&socket, self.engine.state_directory(), &self.id, ask);
        match asked {
            Ok(answer) => Ok(answer),
            Err(_) if self.state()?.is_over() => Err(TaskError::Ended { task }),
            Err(source) => Err(TaskError::Unreachable {
                task,
                private: false,
                source: Some(source),
            }),
        }
    }
}
