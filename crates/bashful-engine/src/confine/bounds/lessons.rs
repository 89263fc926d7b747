//! Bounds that one process found and tells another of: stand-ins of a resident engine serve one call
//! each, and so would find everything anew.
//!
//! A *lesson* is for calls that are alike in everything that bounds are found from, which its mark is a
//! digest of: no value of one caller is in it that another one did not have as well. Whether it is
//! right still is looked up on the host for every call, as it is for bounds that an engine remembers.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::Bounds;
use super::remembered::Known;
use crate::base::digest::digest;
use crate::confine::environment::git_identity;
use crate::confine::profile::LookedAt;
use crate::request::context::RunContext;
use crate::request::invocation::Invocation;
use crate::request::settings::Settings;

/// The most lessons that are remembered: for as many places where somebody works.
const MOST_LESSONS: usize = 16;

/// Bounds, and for which calls.
#[derive(Debug, Serialize, Deserialize)]
struct Lesson {
    mark: String,
    known: Known,
    bounds: Arc<Bounds>,
}

/// This process gives lessons, or takes them.
static IS_SCHOOL: AtomicBool = AtomicBool::new(false);

/// The lessons of processes that came before.
static HEARD: Mutex<Vec<Lesson>> = Mutex::new(Vec::new());

/// What this process has found out itself.
static LEARNT: Mutex<Option<Lesson>> = Mutex::new(None);

/// Has this process, and those that it forks, learn and hear.
pub(crate) fn open() {
    IS_SCHOOL.store(true, Ordering::Relaxed);
}

/// What this process has found out and its successors should hear; none if it knew all before.
pub(crate) fn told() -> Option<Vec<u8>> {
    let learnt = LEARNT.lock().unwrap_or_else(PoisonError::into_inner);
    // A path that is no text cannot be told.
    learnt
        .as_ref()
        .and_then(|lesson| serde_json::to_vec(lesson).ok())
}

/// Remembers what a predecessor has told, if it is a lesson.
pub(crate) fn hear(told: &[u8]) {
    let Ok(lesson) = serde_json::from_slice::<Lesson>(told) else {
        return;
    };
    let mut heard = HEARD.lock().unwrap_or_else(PoisonError::into_inner);
    heard.retain(|known| known.mark != lesson.mark);
    if heard.len() >= MOST_LESSONS {
        heard.remove(0);
    }
    heard.push(lesson);
}

/// The bounds for calls of this mark, if they were told of and are right still; else what is to be
/// looked at before they are found.
pub(super) fn find(mark: Option<&str>) -> Result<Arc<Bounds>, Option<LookedAt>> {
    let heard = HEARD.lock().unwrap_or_else(PoisonError::into_inner);
    let lesson = heard
        .iter()
        .find(|lesson| Some(lesson.mark.as_str()) == mark);
    let Some(lesson) = lesson else {
        return Err(None);
    };
    if lesson.known.stands() {
        return Ok(Arc::clone(&lesson.bounds));
    }
    Err(lesson.known.names())
}

/// Notes what was found, for successors.
pub(super) fn learn(mark: String, known: &Known, bounds: &Arc<Bounds>) {
    if matches!(known, Known::TooMuch) {
        return;
    }
    let lesson = Lesson {
        mark,
        known: known.clone(),
        bounds: Arc::clone(bounds),
    };
    *LEARNT.lock().unwrap_or_else(PoisonError::into_inner) = Some(lesson);
}

/// Everything that bounds are found from, besides the host.
pub(super) struct Surroundings<'a> {
    pub(super) settings: &'a Settings,
    pub(super) invocation: &'a Invocation,
    pub(super) ground: &'a RunContext<'a>,
    pub(super) own_home: Option<&'a Path>,
}

impl Surroundings<'_> {
    /// A digest of it; none where no lessons are given. It tells nothing of the values.
    pub(super) fn mark(&self) -> Option<String> {
        if !IS_SCHOOL.load(Ordering::Relaxed) {
            return None;
        }
        let Self {
            settings,
            invocation,
            ground,
            own_home,
        } = self;
        let RunContext {
            workspace,
            cwd,
            granted,
            opened,
            cache,
            ..
        } = ground;
        let paths = (workspace, cwd, opened, cache, own_home);
        let engine = (
            &settings.places,
            settings.configuration(),
            git_identity(settings),
        );
        let call = (invocation.scratch(), invocation.search_path());
        let fixed = [
            format!("{paths:?}"),
            format!("{granted:?}"),
            format!("{engine:?}"),
            format!("{call:?}"),
        ];
        let variables = settings.environment.iter();
        let variables = variables.flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]);
        let all: Vec<&[u8]> = fixed
            .iter()
            .map(String::as_bytes)
            .chain(variables)
            .collect();
        Some(digest(&all))
    }
}

#[cfg(test)]
mod tests;
