//! The record of what was refused: one JSON object a line, only ever appended.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;

use crate::error::EngineError;
use crate::places::make_private;
use crate::result::Heading;

/// Writes down that a request was not allowed.
pub(crate) fn record_refusal(state: &Path, heading: &Heading) -> Result<(), EngineError> {
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
        "action": format!("tool:bash:{}", heading.command),
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
        .open(&path)
        .map_err(failed)?;
    file.write_all(format!("{record}\n").as_bytes())
        .map_err(failed)
}
