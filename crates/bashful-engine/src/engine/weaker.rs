//! What is said at a run whose backend holds less than its profile wants.

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use bashful_keeper::RoomRequest;
use bashful_sandbox::{Backend, Entry, Holding, Level, Plan, Profile, Protection, Survey};

use crate::config::Choice as _;

/// How many paths are named at most; `bashful explain` has the rest.
const MOST_PATHS: usize = 4;

/// What was said last, for runs that are alike: to plan takes thousands of looks at files.
#[derive(Debug, Default)]
pub(crate) struct Noted(Mutex<Option<(Backend, Profile, Vec<String>)>>);

impl Noted {
    /// The lines to say, none where our own sandbox is used. They follow from what was asked for
    /// and from what the kernel offers; how well a run was held comes from its own plan.
    pub(crate) fn about(&self, room: &RoomRequest) -> Vec<String> {
        if room.backend == Backend::Native {
            return Vec::new();
        }
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((backend, profile, notes)) = &*last
            && (*backend, profile) == (room.backend, &room.profile)
        {
            return notes.clone();
        }
        // An engine that cannot plan cannot run either, and says why.
        let survey = Survey::look(&room.profile, room.cache.as_deref(), room.backend).ok();
        let plan = survey.and_then(|survey| Plan::compile(&room.profile, &survey).ok());
        let Some(plan) = plan else {
            return Vec::new();
        };
        let notes = of_plan(&plan, room);
        *last = Some((room.backend, room.profile.clone(), notes.clone()));
        notes
    }
}

fn of_plan(plan: &Plan, room: &RoomRequest) -> Vec<String> {
    let backend = plan.backend();
    let is_short = |protection: Protection| {
        let enough = match protection {
            // Limits depend on the host whichever backend enforces them, and usual profiles do
            // without.
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
            "the backend {backend} does not enforce this in full, which the profile accepts: {}",
            short.join(", ")
        ));
    }
    let open = plan.view.iter().filter(|entry| {
        let is_declared = room.profile.hide.iter().any(|path| path == entry.path());
        let is_hidden = matches!(entry, Entry::HideDirectory { .. } | Entry::HideFile { .. });
        is_declared && is_hidden && plan.holding(entry) == Holding::Open
    });
    let mut open: Vec<&Path> = open.map(Entry::path).collect();
    // What lies in the workspace was hidden by a person or a script; the rest is hidden from
    // every run.
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
