//! How long a test may work: a slice in every test run, more in `cargo xtask soak`.

use std::time::Duration;

/// The time that `cargo xtask soak` gives, or none.
#[expect(
    clippy::disallowed_methods,
    reason = "a test reads how long it may work; the crate itself reads no environment"
)]
pub(crate) fn time() -> Option<Duration> {
    let text = std::env::var("BASHFUL_SOAK_SECONDS").ok()?;
    text.parse().ok().map(Duration::from_secs)
}
