//! A message to a keeper that another process started.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use bashful_keeper::{
    Answer, Hello, LineBuffer, PROTOCOL, Reply, Request, TaskId, VERSION, connect,
};

use super::ask::{Ask, PATIENCE};
use super::open::{Message, is_ours, shake_hands};
use crate::model::error::EngineError;

/// Asks the keeper at this socket to end a task: politely first, or `now`.
pub(crate) fn cancel_at(
    socket: &Path,
    state: &Path,
    id: &TaskId,
    now: bool,
) -> Result<(), EngineError> {
    let id = id.clone();
    say_at(socket, state, &Request::Cancel { id, now }).map(drop)
}

/// Puts a request about a task to the keeper at this socket, and waits for the answer.
pub(crate) fn ask_at(
    socket: &Path,
    state: &Path,
    id: &TaskId,
    ask: &Ask,
) -> Result<Answer, EngineError> {
    let mute = |source| EngineError::HelperMute {
        path: socket.to_owned(),
        source,
    };
    let number = 1;
    let (connection, mut incoming) = say_at(socket, state, &ask.request(id, number))?;
    connection.set_read_timeout(Some(PATIENCE)).map_err(mute)?;
    loop {
        while let Some(line) = incoming.line() {
            if let Ok(Reply::Answer { number: 1, answer }) = serde_json::from_slice(&line) {
                return Ok(answer);
            }
        }
        if incoming.fill(&connection).map_err(mute)? == 0 {
            return Err(mute(io::ErrorKind::UnexpectedEof.into()));
        }
    }
}

fn say_at(
    socket: &Path,
    state: &Path,
    request: &Request,
) -> Result<(UnixStream, LineBuffer), EngineError> {
    let mute = |source| EngineError::HelperMute {
        path: socket.to_owned(),
        source,
    };
    let connection = connect(socket).map_err(mute)?;
    if !is_ours(&connection) {
        return Err(EngineError::NotPrivate {
            path: socket.to_owned(),
        });
    }
    // One that stopped listening must not hold us up.
    connection
        .set_write_timeout(Some(Duration::from_secs(5)))
        .map_err(mute)?;
    let hello = Hello {
        version: VERSION.to_owned(),
        protocol: PROTOCOL,
        state: state.to_owned(),
        listen: None,
        alone: false,
        idle_ms: 0,
        more_to_come: false,
    };
    let message = Message {
        request,
        descriptors: &[],
    };
    match shake_hands(&connection, socket, hello, message)? {
        Some(incoming) => Ok((connection, incoming)),
        None => Err(mute(io::ErrorKind::ConnectionRefused.into())),
    }
}
