//! Starting a keeper before we know what it is for.
//!
//! A call that belongs to no session needs a keeper of its own. Forking it first
//! thing hides its start behind our own: the sooner, the smaller we still are.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use bashful_engine::config::env::BASHFUL_SESSION;
use bashful_engine::{EarlyKeeper, Expected, terminal_session};

/// A keeper, if this is certainly a `run` without a session.
pub(crate) fn keeper(arguments: &[OsString]) -> Option<EarlyKeeper> {
    let named = std::env::var_os(BASHFUL_SESSION).is_some_and(|name| !name.is_empty());
    let expected = expected(arguments)?;
    if named || terminal_session().is_some() {
        return None;
    }
    // If it fails, the engine tries again and says why.
    EarlyKeeper::fork(expected).ok()
}

/// What the words say of a `run`; none if they may ask for a session, or for no run. A word of the
/// command may look like a flag of ours, which does no harm.
fn expected(arguments: &[OsString]) -> Option<Expected> {
    let mut arguments = arguments.iter().skip(1).map(OsString::as_os_str);
    if arguments.next() != Some(OsStr::new("run")) {
        return None;
    }
    let mut expected = Expected {
        room: true,
        ..Expected::default()
    };
    let mut last = OsStr::new("");
    for argument in arguments {
        // A shell has a session, too.
        let session = [&b"--sess"[..], b"--she"];
        let mut session = session.iter();
        if session.any(|flag| argument.as_bytes().starts_with(flag))
            || argument == "--help"
            || argument == "-h"
        {
            return None;
        }
        expected.beyond_caller |= argument == "--background";
        let is_unconfined = last == "--sandbox" && argument == "none";
        expected.room &= !is_unconfined && argument != "--sandbox=none";
        last = argument;
    }
    Some(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_tell_what_to_get_ready() {
        let room = |room, beyond_caller| {
            Some(Expected {
                beyond_caller,
                room,
            })
        };
        for (words, told) in [
            ("run true", room(true, false)),
            ("run --background true", room(true, true)),
            ("run --sandbox none true", room(false, false)),
            ("run --sandbox=none --background true", room(false, true)),
            ("run --sandbox native none", room(true, false)),
            ("run --session s true", None),
            ("run --shell x true", None),
            ("run --help", None),
            ("tasks", None),
        ] {
            let words = ["bashful"].into_iter().chain(words.split(' '));
            let words: Vec<OsString> = words.map(OsString::from).collect();
            assert_eq!(expected(&words), told, "{words:?}");
        }
    }
}
