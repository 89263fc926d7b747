//! Homes of runs for which a person opened more: they go when their run is over.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use bashful_keeper::{TaskDirectory, TaskId};

use crate::base::installed::keep_installed;
use crate::base::removal::remove;
use crate::request::project::project_of;
use crate::request::settings::Settings;

/// By then a task has begun, or will not.
const SOON: Duration = Duration::from_secs(600);

/// Removes the homes of tasks that do not run.
pub(super) fn remove_homes(settings: &Settings) {
    let places = &settings.places;
    let state = &places.state;
    let entries = fs::read_dir(places.homes_for_once());
    for entry in entries.into_iter().flatten().flatten() {
        let name = entry.file_name();
        let task = name.to_str().and_then(TaskId::parse);
        let runs = task.as_ref();
        let runs = runs.is_some_and(|task| TaskDirectory::of(state, task).is_owned());
        let made = entry.metadata().and_then(|about| about.modified());
        let age = made
            .ok()
            .and_then(|made| SystemTime::now().duration_since(made).ok());
        if !runs && age.is_some_and(|age| age > SOON) {
            if let Some(task) = &task {
                keep_what_it_installed(settings, task, &entry.path());
            }
            remove(&entry.path());
        }
    }
}

/// Where nobody waited for its end, what a task installed is kept now.
fn keep_what_it_installed(settings: &Settings, task: &TaskId, home: &Path) {
    let directory = TaskDirectory::of(&settings.places.state, task);
    let ended = directory.read_state().ok().flatten();
    let is_done = ended.is_some_and(|state| state.exit_code == Some(0));
    if let (Ok(spec), true) = (directory.read_spec(), is_done) {
        let kept = settings.own_home(&spec.agent, &project_of(&spec.workspace));
        keep_installed(home, &kept);
    }
}
