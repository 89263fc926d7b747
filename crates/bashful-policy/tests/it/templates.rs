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
mod declared;
mod flow;
mod lists;
mod numbers;
mod positions;
mod refused;
mod values;
mod whole;
