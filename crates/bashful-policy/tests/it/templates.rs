//! Templates in real bash: every value arrives as it is, in every position, and nothing else runs.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::panic,
    reason = "real bash is the judge, and it needs files"
)]

mod attack;
mod bash;
mod copies;
mod declared;

mod lists;
mod numbers;
mod positions;
mod refused;
mod values;
mod whole;
