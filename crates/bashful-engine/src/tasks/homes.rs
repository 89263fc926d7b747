//! Homes of runs for which a person opened more: they go when their run is over.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use bashful_keeper::{TaskDirectory, TaskId};

use crate::base::removal::remove;
use crate::model::places::Places;

/// By then a task has begun, or will not.
const SOON: Duration = Duration::from_secs(600);

/// Removes the homes of tasks that do not run.
pub(super) fn remove_homes(places: &Places, state: &Path) {
    let entries = fs::read_dir(places.homes_for_once());
    for entry in entries.into_iter().flatten().flatten() {
        let name = entry.file_name();
        let task = name.to_str().and_then(TaskId::parse);
        let runs = task.is_some_and(|task| TaskDirectory::of(state, &task).is_owned());
        let made = entry.metadata().and_then(|about| about.modified());
        let age = made
            .ok()
            .and_then(|made| SystemTime::now().duration_since(made).ok());
        if !runs && age.is_some_and(|age| age > SOON) {
            remove(&entry.path());
        }
    }
}
