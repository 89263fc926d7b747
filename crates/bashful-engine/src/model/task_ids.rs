//! The ids of all tasks, in the order in which they were made.

use std::fs;
use std::io;
use std::path::Path;

use bashful_keeper::TaskId;

/// All tasks of a state directory, the oldest first. Without one there are none.
pub(crate) fn task_ids(state: &Path) -> io::Result<Vec<TaskId>> {
    let entries = match fs::read_dir(state.join("tasks")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut ids = Vec::new();
    for entry in entries {
        // Other names are none of tasks.
        ids.extend(entry?.file_name().to_str().and_then(TaskId::parse));
    }
    ids.sort_by(|one, other| (letters(one), one).cmp(&(letters(other), other)));
    Ok(ids)
}

/// What follows the word for the kind of task: letters that sort by time.
pub(crate) fn letters(id: &TaskId) -> &str {
    let text = id.as_str();
    text.split_once('-').map_or(text, |(_, letters)| letters)
}
