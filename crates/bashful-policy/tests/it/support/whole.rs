//! Whether a test does all of its work, or the slice that every test run takes.

use std::time::Duration;

/// From this time on a test that has an end goes to it.
const WHOLE: Duration = Duration::from_secs(60);

/// Whether `cargo xtask soak` gives enough time for everything.
#[expect(
    clippy::disallowed_methods,
    reason = "a test reads how long it may work; the crate itself reads no environment"
)]
pub(crate) fn is_whole() -> bool {
    let text = std::env::var("BASHFUL_SOAK_SECONDS").ok();
    let seconds = text.and_then(|text| text.parse().ok());
    seconds.is_some_and(|seconds| Duration::from_secs(seconds) >= WHOLE)
}
