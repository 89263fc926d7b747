//! What time it is, in the unit of every record: milliseconds since 1970.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Now. A clock before 1970 is at its beginning.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    millis(since.unwrap_or_default())
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
