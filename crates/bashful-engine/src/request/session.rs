//! Which session a call from a terminal belongs to.

use bashful_sandbox::Status;

use crate::base::caller::caller;

/// A name for the session of the controlling terminal of the process that calls; none without one.
///
/// It names the terminal, the session on it and when that began, so that a
/// terminal's number used again later is another session.
pub fn terminal_session() -> Option<String> {
    let own = Status::of(caller())?;
    if own.terminal == 0 {
        return None;
    }
    let leader = Status::of(own.session)?;
    Some(format!(
        "terminal-{}-{}-{}",
        own.terminal, own.session, leader.started
    ))
}
