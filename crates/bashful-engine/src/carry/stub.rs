//! Inside: what git starts in ssh's place, and as its helper for credentials. It has no rights; it
//! hands its streams to the carrier and waits.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;

use super::channel::channel;
use super::request::{Wish, send};

/// What ssh ends with when it cannot connect.
const NO_CONNECTION: u8 = 255;
/// Git sends no more than this about a credential.
const LONGEST_QUESTION: u64 = 16 << 10;

/// In ssh's place.
pub(super) fn ssh(words: impl Iterator<Item = String>) -> u8 {
    let wish = Wish::Ssh {
        words: words.collect(),
        protocol: std::env::var("GIT_PROTOCOL").ok(),
    };
    told(carried(&wish), NO_CONNECTION)
}

/// As a helper for credentials. What git would have kept or forgotten is not told to anybody
/// outside.
pub(super) fn credential(verb: Option<&OsStr>) -> u8 {
    if verb != Some(OsStr::new("get")) {
        return 0;
    }
    let mut about = String::new();
    let read = io::stdin()
        .take(LONGEST_QUESTION)
        .read_to_string(&mut about);
    let wish = Wish::Credential { about };
    told(read.and_then(|_| carried(&wish)), 1)
}

fn told(outcome: io::Result<u8>, otherwise: u8) -> u8 {
    outcome.unwrap_or_else(|error| {
        let mut stderr = io::stderr();
        let _ = writeln!(
            stderr,
            "bashful: this run has no way to the git servers outside ({error}); have `git` called \
             in a command of its own, so that a person can be asked about it"
        );
        otherwise
    })
}

/// Has it done outside, and returns the code to end with.
fn carried(wish: &Wish) -> io::Result<u8> {
    let channel = channel()?;
    let (answer, theirs) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
    send(
        channel.as_fd(),
        wish,
        [
            stdin.as_fd(),
            stdout.as_fd(),
            stderr.as_fd(),
            theirs.as_fd(),
        ],
    )?;
    drop(theirs);
    let mut code = [NO_CONNECTION];
    File::from(answer).read_exact(&mut code)?;
    Ok(code[0])
}
