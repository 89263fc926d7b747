//! Anchors: what the trail was at some time, kept where its writer cannot change it.
//!
//! A place may hold many. All of them are checked, so an attacker who adds one can only raise an
//! alarm, never silence it.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::directory::{TRAIL, failed};
use super::line::Seal;
use super::recover;
use super::trail::Trail;
use super::verify::{Anchored, Snapshot};
use crate::base::clock::now_ms;
use crate::model::error::record::AuditError;
pub(super) use journald::Journal;

mod command;
mod file;
mod journald;

/// A record that was the last one at some time. This is a file type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// The version of this form.
    pub v: u8,
    /// The number of the record.
    pub seq: u64,
    /// The hash that this record had then.
    pub hash: String,
    /// When it was anchored, in milliseconds since 1970.
    pub at_ms: u64,
    /// The trail, by its path: a place may serve several.
    pub trail: String,
}

/// Where anchors are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A file elsewhere: on another disk, or of another user.
    File(PathBuf),
    /// The journal of the system.
    Journald,
    /// A command for `sh`. With `BASHFUL_ANCHOR=write` it gets an anchor as one line of JSON,
    /// with `BASHFUL_ANCHOR=read` it prints all lines that it got.
    Command(String),
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(formatter, "`{}`", path.display()),
            Self::Journald => formatter.write_str("journald"),
            Self::Command(command) => write!(formatter, "the command `{command}`"),
        }
    }
}

/// A word that names no place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an anchor is kept in `file:/path`, `journald` or `command:…`")]
pub struct UnknownPlace;

impl FromStr for Place {
    type Err = UnknownPlace;

    /// Reads a place as the configuration names it.
    fn from_str(text: &str) -> Result<Self, UnknownPlace> {
        match text.split_once(':') {
            None if text == "journald" => Ok(Self::Journald),
            Some(("file", path)) => Ok(Self::File(path.into())),
            Some(("command", command)) => Ok(Self::Command(command.to_owned())),
            _ => Err(UnknownPlace),
        }
    }
}

/// Why a trail cannot be anchored, or an anchor not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnchorError {
    /// The trail itself cannot be read.
    #[error(transparent)]
    Trail(#[from] AuditError),
    /// The trail has no records.
    #[error("there is nothing to anchor: the trail has no records")]
    Empty,
    /// The file is in the state directory.
    #[error(
        "the file `{path}` lies in the state directory: a process that can change the trail could change it too",
        path = .path.display()
    )]
    Inside {
        /// The path as it was given.
        path: PathBuf,
    },
    /// The place cannot be reached.
    #[error("cannot {doing} {place}")]
    Failed {
        /// What was being done, with its preposition: `write to`, `read from`.
        doing: &'static str,
        /// The place, in words.
        place: String,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// A line in the place is no anchor.
    #[error("line {line} of {place} is not an anchor")]
    NoAnchor {
        /// The place, in words.
        place: String,
        /// The line, counted from 1.
        line: usize,
    },
    /// The place knows nothing of this trail.
    #[error("{place} holds no anchor of the trail `{trail}`")]
    Unknown {
        /// The place, in words.
        place: String,
        /// The path of the trail that was to be checked.
        trail: String,
    },
}

impl Trail {
    /// Keeps the last record in all these places. It is synced to disk before.
    pub fn anchor(&self, places: &[Place]) -> Result<Anchor, AnchorError> {
        let anchor = self.newest_anchor()?;
        for place in places {
            match place {
                Place::File(path) => file::write(self, path, &anchor)?,
                Place::Journald => Journal::of_system().write(&anchor)?,
                Place::Command(command) => command::write(command, &anchor)?,
            }
        }
        Ok(anchor)
    }

    /// What a place knows of this trail: at least one anchor.
    pub fn anchored_in(&self, place: &Place) -> Result<Anchored, AnchorError> {
        let mut anchors = match place {
            Place::File(path) => file::read(path)?,
            Place::Journald => Journal::of_system().read()?,
            Place::Command(command) => command::read(command)?,
        };
        let trail = self.identity();
        anchors.retain(|anchor| anchor.trail == trail);
        let place = place.to_string();
        if anchors.is_empty() {
            return Err(AnchorError::Unknown { place, trail });
        }
        Ok(Anchored { place, anchors })
    }

    /// The end of the trail as it is now, on disk.
    pub(super) fn newest_anchor(&self) -> Result<Anchor, AnchorError> {
        let snapshot = Snapshot::take(self)?;
        let file = snapshot.file.as_ref().ok_or(AnchorError::Empty)?;
        let last = recover::last_whole(&self.path(), file, snapshot.length, snapshot.known)?;
        if last.seq == 0 {
            return Err(AnchorError::Empty);
        }
        let synced = file.sync_data().map_err(failed("sync", &self.path()));
        synced?;
        Ok(Anchor {
            v: 1,
            seq: last.seq,
            hash: last.hash.as_str().to_owned(),
            at_ms: now_ms(),
            trail: self.identity(),
        })
    }

    /// What the trail is called in anchors: its path without links.
    fn identity(&self) -> String {
        let state = self.state().canonicalize();
        let state = state.unwrap_or_else(|_| self.state().to_owned());
        state.join(TRAIL).display().to_string()
    }
}

/// The anchors of a text, one a line.
fn parse(text: &[u8], place: &str) -> Result<Vec<Anchor>, AnchorError> {
    let lines = text.split(|byte| *byte == b'\n').enumerate();
    let written = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
    let anchors = written.map(|(index, line)| {
        let anchor: Option<Anchor> = serde_json::from_slice(line).ok();
        anchor
            .filter(|anchor| anchor.v == 1 && Seal::parse(anchor.hash.as_bytes()).is_some())
            .ok_or_else(|| AnchorError::NoAnchor {
                place: place.to_owned(),
                line: index + 1,
            })
    });
    anchors.collect()
}

/// An anchor as a line.
fn line(anchor: &Anchor) -> io::Result<String> {
    let mut line = serde_json::to_string(anchor)?;
    line.push('\n');
    Ok(line)
}
