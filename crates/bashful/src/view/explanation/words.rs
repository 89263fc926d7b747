//! Words for the parts of a plan.

use std::time::Duration;

use bashful_engine::{Holder, PlannedLimit, SeenAs};

use crate::view::text;

/// One limit, such as `memory 2.0 GiB together`.
pub(super) fn limit(limit: &PlannedLimit) -> String {
    let value = match limit.unit {
        "bytes" => text::size(limit.value),
        "milliseconds" => text::duration(Duration::from_millis(limit.value)),
        "percent" => format!("{}%", limit.value),
        _ => limit.value.to_string(),
    };
    let holder = match limit.held_by {
        Holder::Cgroup => " together",
        // The kernel counts those of the user, wherever they are.
        Holder::Rlimit if limit.what == "processes" => " of this user",
        Holder::Rlimit => " each process",
        Holder::Nobody => ", which nothing holds",
        _ => "",
    };
    format!("{} {value}{holder}", limit.what.replace('_', " "))
}

/// What a path in the tree is to the run.
pub(super) fn word(what: SeenAs) -> &'static str {
    match what {
        SeenAs::ReadOnly => "read-only",
        SeenAs::Writable => "writable",
        SeenAs::Private => "private",
        SeenAs::Hidden => "hidden",
        SeenAs::Protected => "protected",
        SeenAs::Pinned => "pinned",
        SeenAs::PrivateCopy => "private copy",
        SeenAs::Program => "program",
        SeenAs::Device => "device",
        SeenAs::Link => "link",
        SeenAs::Generated => "generated",
        SeenAs::Empty => "empty directory",
        _ => "",
    }
}
