//! What is said at a run whose backend holds less than its profile wants.

use std::borrow::Cow;
use std::path::Path;

use bashful_keeper::RoomRequest;
use bashful_sandbox::{Backend, Entry, Holding, Level, Plan, Protection, Survey};

use crate::config::Choice as _;

/// So many paths are named; `bashful explain` has the rest.
const MOST_PATHS: usize = 4;

/// The lines to say, none where our own sandbox is used. Looking costs a few milliseconds,
/// which only the weaker ones pay.
pub(crate) fn notes(room: &RoomRequest) -> Vec<String> {
    if room.backend == Backend::Native {
        return Vec::new();
    }
    // Who cannot plan cannot run either, and says why.
    let plan = Survey::look(&room.profile, room.cache.as_deref(), room.backend)
        .ok()
        .and_then(|survey| Plan::compile(&room.profile, &survey).ok());
    plan.map_or_else(Vec::new, |plan| of_plan(&plan, room))
}

fn of_plan(plan: &Plan, room: &RoomRequest) -> Vec<String> {
    let backend = plan.backend();
    let is_short = |protection: Protection| {
        let enough = match protection {
            // Limits depend on the host whoever enforces, and usual profiles do without.
            Protection::Resources => Level::None,
            Protection::Identity => Level::Partial,
            _ => Level::Full,
        };
        plan.enforcement.of(protection) < enough
    };
    let all = Protection::ALL.iter().map(|(_, protection)| *protection);
    let short: Vec<String> = all
        .filter(|protection| is_short(*protection))
        .map(|protection| {
            let level = plan.enforcement.of(protection).as_str();
            format!("{} ({level})", protection.as_str())
        })
        .collect();
    let mut notes = Vec::new();
    if !short.is_empty() {
        notes.push(format!(
            "the backend {backend} does not enforce this in full, and the profile does without: {}",
            short.join(", ")
        ));
    }
    let open = plan.view.iter().filter(|entry| {
        let is_declared = room.profile.hide.iter().any(|path| path == entry.path());
        let is_hidden = matches!(entry, Entry::HideDirectory { .. } | Entry::HideFile { .. });
        is_declared && is_hidden && plan.holding(entry) == Holding::Open
    });
    let mut open: Vec<&Path> = open.map(Entry::path).collect();
    // What lies in the workspace was hidden by somebody; the rest is hidden from every run.
    open.sort_by_key(|path| !path.starts_with(&room.profile.workspace));
    let open: Vec<Cow<'_, str>> = open.iter().map(|path| path.to_string_lossy()).collect();
    if !open.is_empty() {
        let (named, more) = open.split_at(open.len().min(MOST_PATHS));
        let more = match more.len() {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        notes.push(format!(
            "the backend {backend} cannot hide what lies in a readable directory: the command \
             can read {}{more}",
            named.join(", ")
        ));
    }
    notes
}
