//! Which directories a yes would have to open for what a call writes outside of the roots.

use super::target::Way;
use crate::arguments::has_flag;
use crate::context::{Context, Directory};
use crate::facts::Call;
use crate::places::is_within;

/// More directories than this are no question that a person can answer.
const MOST: usize = 8;

/// The directories for all that one part of a text writes outside.
#[derive(Debug, Default)]
pub(super) struct Needed {
    directories: Vec<Directory>,
    /// One of its paths has none, so that no yes would be enough.
    is_short: bool,
}

impl Needed {
    /// Adds what this path needs. `makes` says whether the call makes a directory of that name, or
    /// takes one that is there.
    pub(super) fn add(&mut self, path: &str, way: Way, makes: bool, context: &Context) {
        match directory(path, way, makes, context) {
            None => self.is_short = true,
            Some(found) if self.covers(&found) => {}
            Some(_) if self.directories.len() >= MOST => self.is_short = true,
            Some(found) => self.directories.push(found),
        }
    }

    fn covers(&self, wanted: &Directory) -> bool {
        let mut known = self.directories.iter();
        known.any(|one| {
            let below = is_within(&wanted.path, &one.path) && !wanted.missing;
            one == wanted || below && !one.missing
        })
    }

    /// All of them; none if they would not be enough.
    pub(super) fn all(self) -> Vec<Directory> {
        if self.is_short {
            return Vec::new();
        }
        self.directories
    }
}

fn directory(path: &str, way: Way, makes: bool, context: &Context) -> Option<Directory> {
    let found = match context.openable.get(path) {
        Some(openable) if way == Way::Delete => openable.delete.clone(),
        Some(openable) => openable.write.clone(),
        // A name in a directory of the text: what is copied there, or what a glob finds.
        None => {
            let (parent, _) = path.rsplit_once('/')?;
            let openable = context.openable.get(parent)?;
            let itself = |one: &Directory| !one.missing && one.path == parent;
            openable.write.clone().filter(itself)
        }
    };
    // What is made after the yes must not stand in the way of what the command makes.
    found.filter(|one| !one.missing || one.path != path || makes)
}

/// Whether a call makes directories that it names, and takes those that are there already.
pub(super) fn makes_directories(call: &Call) -> bool {
    let operands = call.operands();
    match call.program() {
        "mkdir" | "gmkdir" => has_flag(operands, 'p', "parents"),
        "git" => {
            let mut words = operands.iter().map(|word| word.text.as_str());
            words.any(|word| matches!(word, "clone" | "init" | "worktree"))
        }
        _ => false,
    }
}
