//! What is left of a run after its command: listed, and handed over.

use bashful_sandbox::{Process, command_line, descendants};

use super::Run;
use crate::mask::Masker;
use crate::task_directory::{Fate, Survivor};

/// What stands in the command line of a shell that lasts, around its command.
pub const SHELL_TEXT: &str = "builtin printf -v BASH_EXECUTION_STRING";

/// After how many characters a survivor's command line is cut.
const SHOWN_COMMAND: usize = 200;
/// No list of survivors grows beyond this.
const MOST_SURVIVORS: usize = 100;

impl Run {
    pub(super) fn give_up(&mut self, orphans: &[i32]) {
        let roots: Vec<i32> = self.leader.iter().chain(orphans).copied().collect();
        self.list_survivors(&roots, Fate::Unreachable);
    }

    pub(super) fn list_survivors(&mut self, roots: &[i32], fate: Fate) {
        for process in descendants(roots) {
            // The first process of a room is ours.
            if !self.is_own(process.pid) {
                self.note_survivor(process, fate);
            }
        }
    }

    pub(super) fn note_survivor(&mut self, process: Process, fate: Fate) {
        let known = self
            .survivors
            .iter_mut()
            .find(|survivor| survivor.pid == process.pid);
        if let Some(survivor) = known {
            survivor.fate = fate;
        } else if self.survivors.len() < MOST_SURVIVORS {
            let line = command_line(process.pid);
            // A job of a shell has the command line of its shell, which is not what was asked for.
            let line = if line.contains(SHELL_TEXT) {
                &self.spec.command
            } else {
                &line
            };
            let command = self.shown(line);
            self.survivors.push(Survivor {
                pid: process.pid,
                command,
                fate,
                task_id: None,
            });
        }
    }

    /// A command line as it may be written down: without secrets, and not too long.
    pub(super) fn shown(&self, command: &str) -> String {
        let mut masked = Vec::new();
        match Masker::new(&self.mask) {
            Some(mut masker) => {
                masker.push(command.as_bytes(), &mut masked);
                masker.finish(&mut masked);
            }
            None => masked.extend_from_slice(command.as_bytes()),
        }
        String::from_utf8_lossy(&masked)
            .chars()
            .take(SHOWN_COMMAND)
            .collect()
    }

    /// Its survivors now belong to the task with this id.
    pub(crate) fn hand_over(&mut self, heir: &crate::TaskId, orphans: &[i32]) {
        self.list_survivors(orphans, Fate::Adopted);
        for survivor in &mut self.survivors {
            survivor.task_id = Some(heir.clone());
        }
    }
}
