//! What a world knows of its tasks and keepers.

use std::fs;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::processes::is_alive;
use super::world::World;

impl World {
    /// What `bashful status --json` lists.
    pub(crate) fn status(&self) -> Vec<Value> {
        let (code, status) = self.call(&["status", "--json"]).json();
        assert_eq!(code, 0, "{status}");
        status["running"].as_array().unwrap().clone()
    }

    /// The last whole record of each task.
    pub(crate) fn records(&self) -> Vec<Value> {
        let tasks = self.state().join("tasks");
        let Ok(entries) = fs::read_dir(tasks) else {
            return Vec::new();
        };
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter_map(|path| last_record(&path)).collect()
    }

    /// The keepers that the records name: number and start.
    pub(crate) fn keepers(&self) -> Vec<(i32, u64)> {
        let mut keepers: Vec<(i32, u64)> = self.records().iter().filter_map(keeper_in).collect();
        keepers.sort_unstable();
        keepers.dedup();
        keepers
    }

    /// The keeper of the task of this result.
    pub(crate) fn keeper_of(&self, result: &Value) -> (i32, u64) {
        let id = &result["task_id"];
        let records = self.records();
        let record = records.iter().find(|record| record["id"] == *id);
        record
            .and_then(keeper_in)
            .unwrap_or_else(|| panic!("no keeper of {result}"))
    }

    /// Kills the only keeper.
    pub(crate) fn kill_keeper(&self) -> (i32, u64) {
        let [(pid, started)] = self.living_keepers()[..] else {
            panic!("not one keeper: {:?}", self.living_keepers())
        };
        kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
        (pid, started)
    }

    /// The keepers that live.
    pub(crate) fn living_keepers(&self) -> Vec<(i32, u64)> {
        let mut keepers = self.keepers();
        keepers.retain(|&(pid, started)| is_alive(pid, started));
        keepers
    }
}

/// The keeper that a record names: number and start.
fn keeper_in(record: &Value) -> Option<(i32, u64)> {
    let pid = i32::try_from(record["keeper"]["pid"].as_i64()?).ok()?;
    Some((pid, record["keeper"]["started"].as_u64()?))
}

/// The last line of a task's state that has an end.
fn last_record(task: &Path) -> Option<Value> {
    let text = fs::read_to_string(task.join("state")).ok()?;
    let whole = text.get(..=text.rfind('\n')?)?;
    serde_json::from_str(whole.lines().last()?).ok()
}
