//! The connections of a run, on record in its task directory: one line when each is wanted, and one
//! at its end.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use bashful_sandbox::GateNews;
use serde::{Deserialize, Serialize};

use super::Run;
use crate::run::now_ms;
use crate::task_directory::{TaskDirectory, private_file};

/// A run that wants more connections than this gets no more of them.
const MOST_LINES: usize = 50_000;

/// Where they are written down.
#[derive(Debug)]
pub(super) struct Connections {
    path: PathBuf,
    file: Option<File>,
    lines: usize,
    open: HashSet<u64>,
}

/// A line of the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionLine {
    /// When it was written, in milliseconds since 1970.
    pub at_ms: u64,
    /// What the gate said.
    pub news: GateNews,
}

impl Connections {
    pub(super) fn of(directory: &TaskDirectory) -> Self {
        Self {
            path: directory.network(),
            file: None,
            lines: 0,
            open: HashSet::new(),
        }
    }

    /// How many lines there are.
    pub(super) fn lines(&self) -> usize {
        self.lines
    }
}

impl Run {
    /// Whether this is its end of a connection.
    pub(crate) fn has_port(&self, port: u16) -> bool {
        self.place
            .as_ref()
            .is_some_and(|place| place.has_port(port))
    }

    /// Whether this connection is one of its, and goes on.
    pub(crate) fn has_connection(&self, connection: u64) -> bool {
        self.connections.open.contains(&connection)
    }

    /// Writes down what a gate says of a connection.
    pub(crate) fn note_connection(&mut self, connection: u64, news: &GateNews) -> io::Result<()> {
        let all = &mut self.connections;
        if all.lines >= MOST_LINES {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        let mut line = serde_json::to_vec(&ConnectionLine {
            at_ms: now_ms(),
            news: news.clone(),
        })?;
        line.push(b'\n');
        let file = match &mut all.file {
            Some(file) => file,
            none => none.insert(private_file().open(&all.path)?),
        };
        file.write_all(&line)?;
        all.lines += 1;
        match news {
            GateNews::Opens(passage) if passage.refused.is_none() => all.open.insert(connection),
            GateNews::Opens(_) => false,
            GateNews::Ended(_) => all.open.remove(&connection),
        };
        Ok(())
    }
}
