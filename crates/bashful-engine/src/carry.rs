//! What a run has done outside for it, by the person's own programs: git's way to a repository
//! that a person was asked about.
//!
//! Inside, git starts this executable in ssh's place, or as a helper for credentials
//! ([`stub`]). It hands its streams over a socket that only its run has. Outside, a process that
//! was started for that run ([`carrier`]) holds each request to what the person said yes to, runs
//! the person's own ssh or git, and ends when the last process of the run does.

mod carrier;
mod channel;
mod credential;
mod request;
mod servers;
mod ssh;
mod stub;

pub(crate) use channel::{Armed, Outside, arm};
pub(crate) use servers::{remember, unknown_server};

/// The argument that makes this executable what stands outside.
const CARRIER: &str = "bashful-git-carrier";
/// The one that makes it what git starts in ssh's place.
const SSH: &str = "bashful-git-ssh";
/// The one that makes it git's helper for credentials.
const CREDENTIAL: &str = "bashful-git-credential";

/// Serves as one of these if this process was started for that, and does not return then.
pub(crate) fn serve_if_asked() {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next();
    let code = match first.as_deref().and_then(|first| first.to_str()) {
        Some(CARRIER) => carrier::serve(),
        Some(SSH) => stub::ssh(arguments.map(|one| one.to_string_lossy().into_owned())),
        Some(CREDENTIAL) => stub::credential(arguments.next().as_deref()),
        _ => return,
    };
    end(code)
}

#[expect(
    clippy::exit,
    reason = "this process was started for this alone: the host's code must not run in it"
)]
fn end(code: u8) -> ! {
    std::process::exit(i32::from(code))
}
