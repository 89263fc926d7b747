//! The state of a question between two calls: sealed, bound to the call, short-lived, used once.
//!
//! In the generation without a connection a client carries the state of its question from one
//! call to the next. It could bring back anything, so it gets nothing but a sealed note; what it
//! is about lies at the desk.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// How long a person may take.
const OPEN_FOR: Duration = Duration::from_secs(15 * 60);
/// More notes than this are not remembered; the oldest go, and cannot be used.
const MOST_OPEN: usize = 1024;

/// The questions that wait for their second call.
pub(super) struct States {
    codec: RequestStateCodec,
    open_for: Duration,
    /// The notes that were given out and not used, and when each ends.
    open: Mutex<HashMap<String, Instant>>,
}

/// What is sealed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Note {
    /// The id of the ask that the question puts.
    pub(super) ask: String,
    /// What makes this note another than all others.
    nonce: String,
}

/// A note that is not one of ours, is about another call, was used before or came too late. The
/// client is not told which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a request state came back that is not valid for its call")]
pub(super) struct NotOurs;

/// A tool and its arguments, which a note is bound to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound<'a> {
    pub(super) agent: &'a str,
    pub(super) tool: &'a str,
    pub(super) arguments: &'a Value,
}

impl Bound<'_> {
    /// A digest of all of it; lengths go first, so that no two look the same.
    fn digest(self) -> Vec<u8> {
        let mut digest = Sha256::new();
        // Keys are sorted, so the order in which a client sends them does not matter.
        let arguments = self.arguments.to_string();
        for part in [self.agent, self.tool, &arguments] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part.as_bytes());
        }
        digest.finalize().to_vec()
    }
}

impl States {
    /// No questions yet, and a key that only this process has and that ends with it.
    pub(super) fn new() -> io::Result<Self> {
        Self::lasting(OPEN_FOR)
    }

    fn lasting(open_for: Duration) -> io::Result<Self> {
        let codec = RequestStateCodec::try_new(random::<32>()?).map_err(io::Error::other)?;
        Ok(Self {
            codec,
            open_for,
            open: Mutex::default(),
        })
    }

    /// A note about this question, to come back with the same call.
    pub(super) fn seal(&self, ask: &str, bound: Bound<'_>) -> io::Result<String> {
        let nonce = random::<16>()?;
        let nonce = hexadecimal(&nonce);
        let note = Note {
            ask: ask.to_owned(),
            nonce: nonce.clone(),
        };
        let bound = bound.digest();
        let options = SealOptions::new()
            .associated_data(&bound)
            .ttl(self.open_for);
        let sealed = self
            .codec
            .seal_json_with(&note, &options)
            .map_err(io::Error::other)?;
        let now = Instant::now();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|_, end| *end > now);
        if open.len() >= MOST_OPEN
            && let Some(oldest) = open.iter().min_by_key(|(_, end)| **end)
        {
            let oldest = oldest.0.clone();
            open.remove(&oldest);
        }
        open.insert(nonce, now + self.open_for);
        Ok(sealed)
    }

    /// Opens a note that came back with this call, and uses it up.
    pub(super) fn open(&self, sealed: &str, bound: Bound<'_>) -> Result<Note, NotOurs> {
        let opened = self.codec.open_json_with::<Note>(sealed, &bound.digest());
        let note = opened.map_err(|error| {
            tracing::debug!(%error, "a state that is not ours came back");
            NotOurs
        })?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let end = open.remove(&note.nonce).ok_or(NotOurs)?;
        if end < Instant::now() {
            return Err(NotOurs);
        }
        Ok(note)
    }
}

impl fmt::Debug for States {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key is not shown.
        formatter.write_str("States")
    }
}

/// Bytes as text.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Bytes that an attacker cannot guess.
pub(super) fn random<const N: usize>() -> io::Result<[u8; N]> {
    use rustix::rand::{GetRandomFlags, getrandom};
    let mut bytes = [0; N];
    let got = getrandom(&mut bytes[..], GetRandomFlags::empty())?;
    if got == N {
        Ok(bytes)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const AGENT: &str = "claude";

    fn bound(arguments: &Value) -> Bound<'_> {
        Bound {
            agent: AGENT,
            tool: "bash_run",
            arguments,
        }
    }

    #[test]
    fn a_note_comes_back_once_and_with_the_same_call() {
        let states = States::new().unwrap();
        let call = json!({ "command": "git push", "cwd": "x" });
        let sealed = states.seal("ask-1", bound(&call)).unwrap();
        let turned = json!({ "cwd": "x", "command": "git push" });
        assert_eq!(states.open(&sealed, bound(&turned)).unwrap().ask, "ask-1");
        assert_eq!(states.open(&sealed, bound(&call)), Err(NotOurs));
    }

    #[test]
    fn a_note_is_for_its_own_call_only() {
        let states = States::new().unwrap();
        let call = json!({ "command": "git push" });
        let other = json!({ "command": "git push --force" });
        let sealed = states.seal("ask-1", bound(&call)).unwrap();
        assert_eq!(states.open(&sealed, bound(&other)), Err(NotOurs));
        let stranger = Bound {
            agent: "other",
            ..bound(&call)
        };
        assert_eq!(states.open(&sealed, stranger), Err(NotOurs));
        assert_eq!(
            States::new().unwrap().open(&sealed, bound(&call)),
            Err(NotOurs)
        );
        assert!(states.open(&sealed, bound(&call)).is_ok());
    }

    #[test]
    fn a_changed_note_is_none() {
        let states = States::new().unwrap();
        let call = json!({});
        let sealed = states.seal("ask-1", bound(&call)).unwrap();
        for at in 0..sealed.len() {
            let mut bytes = sealed.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            // The last character of base64 may carry bits that do not count.
            if let Ok(note) = states.open(&changed, bound(&call)) {
                panic!("{changed} was taken for {sealed}: {note:?}");
            }
        }
        assert!(states.open(&sealed, bound(&call)).is_ok());
    }

    #[test]
    fn a_note_that_comes_too_late_is_none() {
        let states = States::lasting(Duration::from_millis(30)).unwrap();
        let call = json!({});
        let sealed = states.seal("ask-1", bound(&call)).unwrap();
        std::thread::sleep(Duration::from_millis(60));
        assert_eq!(states.open(&sealed, bound(&call)), Err(NotOurs));
        // Its own time is over as well, and not only what we remember of it.
        let bare = Bound::digest(bound(&call));
        assert!(states.codec.open_json_with::<Note>(&sealed, &bare).is_err());
    }

    #[test]
    fn many_open_notes_do_not_fill_the_memory() {
        let states = States::new().unwrap();
        let call = json!({});
        for _ in 0..MOST_OPEN + 50 {
            states.seal("ask-1", bound(&call)).unwrap();
        }
        assert_eq!(states.open.lock().unwrap().len(), MOST_OPEN);
    }
}
