//! The record of what was refused: one JSON object a line, only ever appended.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::OFlags;
use serde_json::json;

use crate::error::EngineError;
use crate::places::make_private;
use crate::result::Heading;

/// The record is a file, and no link or pipe that somebody put in its place.
const NEITHER_FOLLOW_NOR_WAIT: i32 = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .bits()
    .cast_signed();

/// Writes down that a request was not allowed.
pub(crate) fn record_refusal(
    state: &Path,
    heading: &Heading,
    mask: &[String],
) -> Result<(), EngineError> {
    let path = state.join("audit.jsonl");
    let failed = |source| EngineError::StateDirectory {
        path: path.clone(),
        source,
    };
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let decision = heading.decision.as_ref();
    let record = json!({
        "v": 1,
        "at_ms": u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
        "event": "refused",
        "agent": heading.agent,
        "session": heading.session,
        "action": format!("tool:bash:{}", masked(&heading.command, mask)),
        "effect": decision.map(|decision| decision.effect.as_str()),
        "rule": decision.map(|decision| &decision.rule),
        "reason": decision.map(|decision| &decision.reason),
    });
    make_private(state).map_err(failed)?;
    // One write of one line: concurrent writers do not mix.
    let mut file = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags(NEITHER_FOLLOW_NOR_WAIT)
        .open(&path)
        .map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(failed(io::Error::other("is no file")));
    }
    file.write_all(format!("{record}\n").as_bytes())
        .map_err(failed)
}

/// A text without the secrets that are known.
fn masked(text: &str, mask: &[String]) -> String {
    mask.iter().fold(text.to_owned(), |text, secret| {
        text.replace(secret.as_str(), "***")
    })
}
