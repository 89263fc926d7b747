//! A word to a keeper that somebody else started.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use bashful_keeper::{Hello, PROTOCOL, Request, TaskId, VERSION};

use super::open::{is_ours, shake_hands};
use crate::error::EngineError;

/// Asks the keeper at this socket to end a task: politely first, or `now`.
pub(crate) fn cancel_at(
    socket: &Path,
    state: &Path,
    id: &TaskId,
    now: bool,
) -> Result<(), EngineError> {
    let mute = |source| EngineError::HelperMute {
        path: socket.to_owned(),
        source,
    };
    let connection = UnixStream::connect(socket).map_err(mute)?;
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
        idle_ms: 0,
        more_to_come: false,
    };
    let request = Request::Cancel {
        id: id.clone(),
        now,
    };
    match shake_hands(&connection, socket, hello, (&request, &[]))? {
        Some(_) => Ok(()),
        None => Err(mute(io::ErrorKind::ConnectionRefused.into())),
    }
}
