//! A resident engine: the program, ready, waiting for a front to hand it a call.
//!
//! A command line is a new process for each call, and its own start costs more than the rest. So a
//! session that is used again leaves a process behind. It keeps two *stand-ins* ready: forks of
//! itself that wait at a socket. A front (`bashful-sandbox/src/sys/front.rs`) hands one of them its
//! streams, directory, arguments and environment; the stand-in becomes what the front would have
//! been and runs the very same program. So there is no second way through Bashful: what differs is
//! who did the start.
//!
//! A stand-in serves only a front whose rights are its own in every respect (`likeness.rs`) and
//! that does not descend from a run. Every other front does the work alone.

use crate::base::caller::FRONT;
use crate::config::env;
use crate::engine::Engine;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use bashful_sandbox::{Fork, Launch, RESIDENT_SOCKET, fork_single_threaded};

use self::house::Resident;
use crate::launch::find_keeper::ITSELF;
use crate::model::answered_by::is_run_by_bashful;
use crate::model::places::Places;

mod house;
mod likeness;
mod rehearsal;

/// The first argument that turns the program into a resident; the directory of its socket and how
/// long it waits follow.
const ARGUMENT: &str = "__bashful-resident";

/// Leaves a resident behind for later calls of this user, unless there is one. If that fails, later
/// calls do their work themselves, as this one did.
pub(crate) fn leave_behind(places: &Places, idle: Duration) {
    // Fronts are written for one kind of processor: see there.
    if !cfg!(target_arch = "x86_64") || FRONT.get().is_some() {
        return;
    }
    // The socket of one that was killed stays.
    let socket = places.runtime.join(socket_name());
    if socket.exists() && house::is_alive(&socket) {
        return;
    }
    // What Bashful runs leaves nothing behind that others would use.
    if is_run_by_bashful(rustix::process::getpid().as_raw_pid()) {
        return;
    }
    let launched = Launch::new(ITSELF, "bashful-resident")
        .argument(ARGUMENT)
        .argument(&places.runtime)
        .argument(idle.as_millis().to_string())
        .start();
    if let Err(error) = launched {
        tracing::debug!(%error, "no resident was started");
    }
}

/// Has the resident of these places take no more calls; it ends within seconds.
pub fn dismiss_resident(places: &Places) -> io::Result<()> {
    match std::fs::remove_file(places.runtime.join(socket_name())) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// If this process was started as a resident, serves as one; then `program` is what each call
/// runs, with its arguments, and `get_ready` what it can do before it knows them. Returns what to
/// exit with.
pub fn serve_as_resident_if_asked(program: fn(Vec<OsString>) -> u8, get_ready: fn()) -> Option<u8> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != ARGUMENT {
        return None;
    }
    let directory = PathBuf::from(arguments.next()?);
    let idle = arguments.next()?.to_str()?.parse().ok()?;
    let resident = match fork_single_threaded() {
        // The process that started it has no child to care for.
        Ok(Fork::Parent(_)) => return Some(0),
        Ok(Fork::Child) => Resident::open(&directory, Duration::from_millis(idle)).inspect(|_| {
            get_ready();
            rehearsal::rehearse();
        }),
        Err(error) => Err(error),
    };
    // One that cannot begin leaves the calls to those who make them.
    Some(resident.map_or(1, |resident| resident.serve(program)))
}

fn socket_name() -> &'static str {
    std::str::from_utf8(RESIDENT_SOCKET).unwrap_or_default()
}

impl Engine {
    /// For a command line: if its session is used again, leaves a resident engine behind that later
    /// calls of this user are handed to.
    pub fn leave_resident(&self) {
        let settings = self.settings();
        let alone = settings.environment.get(env::BASHFUL_ALONE);
        let is_used_again = self.joins_a_session();
        if is_used_again && alone.is_none_or(String::is_empty) {
            leave_behind(&settings.places, settings.session.idle);
        }
    }
}
