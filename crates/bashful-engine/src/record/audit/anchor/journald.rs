//! Anchors in the journal of the system, through its own protocol.

use std::io;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bashful_sandbox::Launch;
use serde_json::Value;

use super::{Anchor, AnchorError, Place};
use crate::base::process;
use crate::record::audit::line::Seal;

const SOCKET: &str = "/run/systemd/journal/socket";
const IDENTIFIER: &str = "bashful-audit";
/// Where the system keeps its programs.
const PROGRAMS: [&str; 2] = ["/usr/bin/journalctl", "/bin/journalctl"];
const PATIENCE: Duration = Duration::from_secs(10);

/// A journal: where it listens, and the program that reads it.
#[derive(Debug)]
pub(in super::super) struct Journal {
    pub(in super::super) socket: PathBuf,
    pub(in super::super) reader: PathBuf,
    /// Further arguments for the program that reads.
    pub(in super::super) arguments: Vec<String>,
}

impl Journal {
    pub(super) fn of_system() -> Self {
        let found = PROGRAMS.iter().find(|path| Path::new(path).exists());
        Self {
            socket: SOCKET.into(),
            reader: found.unwrap_or(&PROGRAMS[0]).into(),
            arguments: Vec::new(),
        }
    }

    pub(in super::super) fn write(&self, anchor: &Anchor) -> Result<(), AnchorError> {
        self.send(&datagram(anchor)).map_err(failed("write to"))
    }

    fn send(&self, bytes: &[u8]) -> io::Result<()> {
        let socket = UnixDatagram::unbound()?;
        socket.set_write_timeout(Some(PATIENCE))?;
        socket.send_to(bytes, &self.socket)?;
        Ok(())
    }

    pub(in super::super) fn read(&self) -> Result<Vec<Anchor>, AnchorError> {
        // The journal itself says whose process wrote an entry.
        let user = rustix::process::geteuid().as_raw();
        let launch = Launch::new(&self.reader, "journalctl")
            .variable("LC_ALL", "C.UTF-8")
            .argument("--output=json")
            .argument("--all")
            .argument("--quiet")
            .argument("--no-pager");
        let arguments = self.arguments.iter();
        let launch = arguments.fold(launch, Launch::argument);
        let launch = launch
            .argument(format!("SYSLOG_IDENTIFIER={IDENTIFIER}"))
            .argument(format!("_UID={user}"));
        let printed = process::run(launch, b"", process::PATIENCE).map_err(failed("read from"))?;
        let lines = printed.split(|byte| *byte == b'\n');
        let entries = lines.filter_map(|line| serde_json::from_slice(line).ok());
        Ok(entries.filter_map(|entry: Value| anchor(&entry)).collect())
    }
}

/// What is sent.
fn datagram(anchor: &Anchor) -> Vec<u8> {
    let Anchor {
        seq, hash, at_ms, ..
    } = anchor;
    let fields = [
        (
            "MESSAGE",
            format!("bashful audit: record {seq} has the hash {hash}"),
        ),
        ("SYSLOG_IDENTIFIER", IDENTIFIER.to_owned()),
        ("PRIORITY", "5".to_owned()),
        ("BASHFUL_SEQ", seq.to_string()),
        ("BASHFUL_HASH", hash.clone()),
        ("BASHFUL_AT_MS", at_ms.to_string()),
        ("BASHFUL_TRAIL", anchor.trail.clone()),
    ];
    let mut bytes = Vec::new();
    for (name, value) in fields {
        // With its length, so that it may hold anything.
        bytes.extend(name.as_bytes());
        bytes.push(b'\n');
        bytes.extend((value.len() as u64).to_le_bytes());
        bytes.extend(value.as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

/// An anchor from an entry of the journal; entries that are none are not ours.
fn anchor(entry: &Value) -> Option<Anchor> {
    let text = |name: &str| text(entry.get(name)?);
    let hash = text("BASHFUL_HASH")?;
    Seal::parse(hash.as_bytes())?;
    Some(Anchor {
        v: 1,
        seq: text("BASHFUL_SEQ")?.parse().ok()?,
        hash,
        at_ms: text("BASHFUL_AT_MS")?.parse().ok()?,
        trail: text("BASHFUL_TRAIL")?,
    })
}

/// The journal writes text that it takes for binary as a list of bytes.
fn text(value: &Value) -> Option<String> {
    if let Value::String(text) = value {
        return Some(text.clone());
    }
    let byte = |value: &Value| u8::try_from(value.as_u64()?).ok();
    let bytes: Option<Vec<u8>> = value.as_array()?.iter().map(byte).collect();
    String::from_utf8(bytes?).ok()
}

fn failed(doing: &'static str) -> impl Fn(io::Error) -> AnchorError {
    move |source| AnchorError::Failed {
        doing,
        place: Place::Journald.to_string(),
        source,
    }
}
