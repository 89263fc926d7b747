//! How long a test may work: a slice in every test run, more in `cargo xtask soak`.

use std::time::Duration;

/// The time that `cargo xtask soak` gives, or none.
pub(crate) fn time() -> Option<Duration> {
    let text = std::env::var("BASHFUL_SOAK_SECONDS").ok()?;
    text.parse().ok().map(Duration::from_secs)
}
