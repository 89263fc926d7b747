//! Starting a keeper before we know what it is for.
//!
//! A call that belongs to no session needs a keeper of its own. Forking it first
//! thing hides its start behind our own: the sooner, the smaller we still are.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use bashful_engine::config::env::BASHFUL_SESSION;
use bashful_engine::{EarlyKeeper, Lifetime, terminal_session};

/// A keeper, if this is certainly a `run` without a session.
pub(crate) fn keeper(arguments: &[OsString]) -> Option<EarlyKeeper> {
    let mut arguments = arguments.iter().skip(1);
    let runs = arguments.next().is_some_and(|verb| verb == "run");
    let named = std::env::var_os(BASHFUL_SESSION).is_some_and(|name| !name.is_empty());
    let asks_for_session = |argument: &OsStr| {
        // A shell has a session, too.
        [&b"--sess"[..], b"--she"]
            .iter()
            .any(|flag| argument.as_bytes().starts_with(flag))
            || argument == OsStr::new("--help")
            || argument == OsStr::new("-h")
    };
    let mut lifetime = Lifetime::Unknown;
    for argument in arguments {
        if asks_for_session(argument) {
            return None;
        }
        // A word of the command may look like it too, which does no harm.
        if argument == OsStr::new("--background") {
            lifetime = Lifetime::BeyondCaller;
        }
    }
    if !runs || named || terminal_session().is_some() {
        return None;
    }
    // If it fails, the engine tries again and says why.
    EarlyKeeper::fork(lifetime).ok()
}
